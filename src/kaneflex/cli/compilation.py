"""`kaneflex compile`."""

import click

from kaneflex.cli.group import main


@main.command("compile")
@click.argument("kinds", nargs=-1, type=click.Choice(["floats", "derivatives"]))
def compile_command(kinds: tuple[str, ...]) -> None:
    """Compile the kernels now, so that no run has to: for motions (floats), for linear models (derivatives), or all."""
    from kaneflex.precompile import compile_kernels

    compile_kernels(*kinds)
    click.echo(f"compiled: {' and '.join(kinds) or 'all kernels'}")
