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
    """Simulate the gallery system NAME in the browser, with its parameters on sliders; Ctrl-C ends it.

    Needs viser: pip install "kaneflex[view]".
    """
    from kaneflex.view.live import live

    example = find_example(name)
    try:
        live(example, read_settings(example, changes), port=port)
    except ImportError as e:
        raise InputError(str(e)) from e
    except OSError as e:
        raise InputError(f"cannot serve on port {port}: {e.strerror or e}; choose another with --port") from e
