"""`kaneflex compare`: one system run in several ways, on one page."""

import contextlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.list_systems import find_example
from kaneflex.cli.outcome import make_folder, read_settings
from kaneflex.cli.output import print_table

if TYPE_CHECKING:
    from kaneflex.gallery import Example
    from kaneflex.results.run import Run

WAYS = {"formulation": "recursive", "speeds": "customary"}


@main.command("compare")
@click.argument("name")
@click.option(
    "--with",
    "variations",
    metavar="KEY=VALUE[,KEY=VALUE...]",
    multiple=True,
    required=True,
    help="Another run: parameters of the system, formulation or speeds; may be given again for one more.",
)
@click.option("--channel", "channels", multiple=True, help="A channel to plot and to compare; may be given again.")
@click.option("--out", type=click.Path(path_type=Path), help="Write compare.html to this folder.")
def compare_runs(name: str, variations: tuple[str, ...], channels: tuple[str, ...], out: Path | None) -> None:
    """Run the gallery system NAME as it is and with variations, and show the runs beside each other.

    For example: kaneflex compare beam-spin-up --with stiffening=false --out beam
    """
    from kaneflex import FileError, ModelError
    from kaneflex.view.compare import compare, difference
    from kaneflex.view.curves import chosen_channels

    example = find_example(name)
    make_folder(out)
    plans = {"as it is": _settings(example, "")} | {text: _settings(example, text) for text in variations}
    with contextlib.redirect_stdout(sys.stderr):  # standard output is for the result alone
        runs = {title: _run(example, *plan) for title, plan in plans.items()}
    first = runs["as it is"]
    shown = list(channels) or chosen_channels(first)
    try:
        for channel in channels:
            first[channel]
    except ModelError as e:
        raise InputError(str(e)) from e
    rows = []
    for channel in shown:
        for title, run in list(runs.items())[1:]:
            found = difference(first, run, channel)
            numbers = ("–",) * 3 if found is None else (f"{x:.6g}" for x in found)
            rows.append((channel, first.unit(channel) or "–", title, *numbers))
    print_table(("channel", "unit", "with", "largest difference", "at t, s", "largest as it is"), rows, right=(3, 4, 5))
    if out is None:
        return
    words = ["kaneflex", "compare", name, *(w for v in variations for w in ("--with", v))]
    command = shlex.join([*words, *(w for c in channels for w in ("--channel", c))])
    try:
        page = compare(runs, out / "compare.html", shown, title=example.title, source=example.source, command=command)
    except FileError as e:
        raise InputError(str(e)) from e
    click.echo(f"wrote {page}")


def _settings(example: "Example", text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters, and formulation and speeds, of one variation."""
    ways, changes = dict(WAYS), []
    for word in (w.strip() for w in text.split(",") if w.strip()):
        key, _, value = word.partition("=")
        if key in WAYS:
            ways[key] = value
        else:
            changes.append(word)
    return read_settings(example, _named(changes)), ways


def _named(changes: Sequence[str]) -> Sequence[str]:
    for word in changes:
        if "=" not in word:
            raise InputError(f'--with "{word}": give key=value, e.g. --with formulation=dense')
    return changes


def _run(example: "Example", parameters: dict[str, Any], ways: dict[str, str]) -> "Run":
    """One of the runs; one that cannot reach its end is shown as far as it came."""
    from kaneflex import Run, SimulationError

    try:
        return example.simulate(example.build(parameters), parameters, **ways)
    except SimulationError as e:
        if len(e.trajectory.t) < 2:
            raise InputError(f'"{example.name}" cannot run like this: {e}') from e
        click.echo(f"kaneflex: {e}", err=True)
        return Run(e.trajectory, quiet=True)
    except (ValueError, ArithmeticError) as e:  # ModelError is a ValueError
        raise InputError(f'"{example.name}" cannot run like this: {e}') from e
