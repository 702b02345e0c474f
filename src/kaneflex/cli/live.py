"""`kaneflex live`: a system of the gallery simulated while it is watched."""

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.list_systems import find_example
from kaneflex.cli.outcome import read_settings


@main.command("live")
@click.argument("name")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a parameter; may be given again.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 for any that is free.")
def live_system(name: str, changes: tuple[str, ...], port: int) -> None:
    """Simulate a system in the browser while it is watched; Ctrl-C ends it.

    NAME is one of `kaneflex list`, or FILE.py, the variable `system` of a file, watched for its `duration` (10 s). Its
    parameters and inputs are on sliders.
    """
    from kaneflex.view.live import live

    example = find_example(name)
    try:
        live(example, read_settings(example, changes), port=port)
    except OSError as e:
        raise InputError(f"cannot serve on port {port}: {e.strerror or e}; choose another with --port") from e
