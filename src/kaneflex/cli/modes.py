"""`kaneflex modes`: how a system vibrates about its initial state, and its flexible bodies by themselves."""

import contextlib
import math
import sys
from pathlib import Path

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.list_systems import find_example
from kaneflex.cli.outcome import make_folder, read_settings
from kaneflex.cli.output import print_table
from kaneflex.structures.flexible import Flexible


@main.command("modes")
@click.argument("name")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a parameter; may be given again.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write modes.html to this folder, and modes-BODY.html for every flexible body.",
)
def modes_of_system(name: str, changes: tuple[str, ...], out: Path | None) -> None:
    """Modes of the gallery system NAME about its initial state: frequencies, damping, and pages that show them in motion."""
    from kaneflex import FileError, ModelError
    from kaneflex.model.files import file_name
    from kaneflex.view.modes import ROUNDING, eigenvalue_entries

    example = find_example(name)
    parameters = read_settings(example, changes)
    make_folder(out)
    files = []
    try:
        with contextlib.redirect_stdout(sys.stderr):
            system = example.build(parameters)
            found = system.modes()
            if out is not None:
                files.append(system.show_modes(out / "modes.html", title=f"Modes: {example.title}"))
                for body, part in system.parts.items():
                    if isinstance(part.body, Flexible):
                        page = out / f"modes-{file_name(body)}.html"
                        files.append(part.body.show_modes(page, f"Modes of {body}: {example.title}"))
    except FileError as e:
        raise InputError(str(e)) from e
    except ModelError as e:
        raise InputError(f'"{name}" has no modes about its initial state: {e}') from e
    fastest = max((mode.frequency for mode in found), default=0.0)
    rows = []
    for k, mode in enumerate(found, start=1):
        words = eigenvalue_entries(mode.eigenvalue, fastest)
        hertz = "–" if "motion" in words else f"{mode.frequency / (2 * math.pi):.6g}"
        damping = "–" if "motion" in words else f"{mode.damping if abs(mode.damping) > ROUNDING else 0.0:.4g}"
        rows.append((str(k), hertz, damping, words["eigenvalue, 1/s"], words.get("motion", words.get("stability", ""))))
    print_table(("mode", "frequency, Hz", "damping", "eigenvalue, 1/s", "motion"), rows, right=(0, 1, 2, 3))
    for file in files:
        click.echo(f"wrote {file}")
