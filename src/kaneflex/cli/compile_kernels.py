"""`kaneflex compile`."""

import click

from kaneflex.cli.group import main


@main.command("compile")
@click.argument("kinds", nargs=-1, type=click.Choice(["floats", "derivatives"]))
def compile_command(kinds: tuple[str, ...]) -> None:
    """Compile kernels now, so that no run has to. KINDS: floats (motions), derivatives (linear models); all when none."""
    from kaneflex.precompile import compile_kernels

    compile_kernels(*kinds)
    click.echo(f"compiled: {' and '.join(kinds) or 'all kernels'}")
