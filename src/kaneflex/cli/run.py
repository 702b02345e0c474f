"""`kaneflex run`: one system, or many with a page that shows them all."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaneflex.cli.group import FAILED, InputError, main
from kaneflex.cli.list_systems import select
from kaneflex.cli.outcome import Outcome, execute, make_folder, read_settings, remove, write_files
from kaneflex.cli.output import print_json, print_table
from kaneflex.plan.formulation import FORMULATIONS

if TYPE_CHECKING:
    from kaneflex.gallery import Example


@main.command("run")
@click.argument("names", nargs=-1, required=True)
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a parameter; may be given again.")
@click.option(
    "--formulation",
    type=click.Choice(list(FORMULATIONS)),
    default="recursive",
    show_default=True,
    help="How the equations are solved; the motion is the same.",
)
@click.option(
    "--speeds",
    type=click.Choice(["customary", "efficient", "constant-mass"]),
    default="customary",
    show_default=True,
    help="Which generalized speeds are used; the motion is the same.",
)
@click.option("--group", help="Of all that is named, only systems whose document or chapter has these words in it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write run.h5, figure.png and report.html to this folder; of several systems, to a folder each, and index.html.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on standard output.")
def run_systems(
    names: tuple[str, ...],
    changes: tuple[str, ...],
    formulation: str,
    speeds: str,
    group: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run the gallery systems NAMES, or all of them, and check them against their references.

    Shows every check, the audit of the physics and the time it took. NAMES are listed by `kaneflex list`; `all` is every
    system, `all --group "chapter 3"` a part of them. FILE.py is the variable `system` of a file, run for its `duration`
    (10 s), whose Parameters `--set` changes. One that fails does not stop the others.
    """
    started = time.perf_counter()
    chosen = [(example, read_settings(example, changes)) for example in select(names, group)]
    make_folder(out)
    if len(names) == 1 and names[0] != "all":
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for the result alone
            outcome = execute(*chosen[0], formulation, speeds)
            if out is not None:
                write_files(outcome, out)
        outcome.total = time.perf_counter() - started
        print_json(outcome.as_dict()) if as_json else _show(outcome)
        sys.exit(0 if outcome.ok else FAILED)
    outcomes: list[Outcome] = []
    if out is not None:
        remove(out / "index.html")  # of an earlier start, whose runs are overwritten one by one
    with _progress(len(chosen)) as tell:
        for example, parameters in chosen:
            outcomes.append(_one_of_many(example, parameters, formulation, speeds, out, tell))
            if out is not None and len(outcomes) < len(chosen):
                with contextlib.suppress(InputError):  # the last one is not suppressed
                    _write_index(outcomes, out, len(chosen) - len(outcomes))
    index = None if out is None else _write_index(outcomes, out)
    if as_json:
        print_json({"ok": all(o.ok for o in outcomes), "index": index, "systems": [o.as_dict() for o in outcomes]})
    else:
        _show_all(outcomes, index, time.perf_counter() - started)
    sys.exit(0 if all(o.ok for o in outcomes) else FAILED)


# -- one ---------------------------------------------------------------------------------------------------------------


def _show(outcome: Outcome) -> None:
    click.echo(f"{outcome.example.title}\n{outcome.example.source}")
    if outcome.checks:
        rows = [
            (
                c.name,
                f"{c.value:{'.9g' if c.reference else '.3g'}}",
                f"{c.reference:.9g}",
                f"{c.tolerance:.2g}",
                c.verdict if c.ok else "FAILED",
                c.source,
            )
            for c in outcome.checks
        ]
        print_table(("check", "value", "reference", "tolerance", "", "source"), rows, right=(1, 2, 3))
    if not outcome.finished:
        click.echo(f"run {outcome.status}: {outcome.message}")
    if outcome.run is not None:
        t = outcome.timing
        click.echo(str(outcome.run.audit))
        click.echo(
            f"{t['steps']:.0f} steps, {t['evaluations']:.0f} evaluations in {t['seconds']:.3g} s; compiling "
            f"{t['compile_seconds']:.3g} s; {t['total']:.3g} s in all"
        )
    for file in outcome.files:
        click.echo(f"wrote {file}")


# -- many --------------------------------------------------------------------------------------------------------------


Tell = Callable[[str, Outcome | None], None]


def _one_of_many(
    example: "Example", parameters: dict[str, Any], formulation: str, speeds: str, out: Path | None, tell: Tell
) -> Outcome:
    """Run one system and write its files; whatever goes wrong becomes its message."""
    tell(example.name, None)
    started = time.perf_counter()
    outcome = Outcome(example, parameters, formulation, speeds)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            outcome = execute(example, parameters, formulation, speeds)
            if out is not None:
                make_folder(out / example.name)
                write_files(outcome, out / example.name)
        except InputError as e:
            outcome.status, outcome.message = "failed", e.format_message()
        except Exception as e:  # the others shall run
            outcome.status, outcome.message = "failed", f"{type(e).__name__}: {e}"
    outcome.total = time.perf_counter() - started
    tell(example.name, outcome)
    return outcome


@contextlib.contextmanager
def _progress(number: int) -> Iterator[Tell]:
    """A bar on a terminal, and a line per system that is done, all on standard error."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr, highlight=False)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False
    ) as progress:
        task = progress.add_task("", total=number)

        def tell(name: str, outcome: Outcome | None) -> None:
            progress.update(task, description=escape(name), advance=outcome is not None)
            if outcome is not None:
                console.print(f"{escape(name)}: {escape(_result(outcome))}, {outcome.total:.1f} s", soft_wrap=True)

        yield tell


def _result(outcome: Outcome) -> str:
    if not outcome.finished:
        return f"FAILED, {outcome.message}"
    passed = "{} of {} checks".format(*outcome.passed)
    audit = "audit passed" if outcome.run is not None and outcome.run.audit.ok else "audit FAILED"
    return f"{passed}, {audit}"


def _show_all(outcomes: list[Outcome], index: Path | None, seconds: float) -> None:
    rows = [
        (
            o.example.name,
            o.example.group,
            "{}/{}".format(*o.passed),
            "–" if o.run is None else "passed" if o.run.audit.ok else "FAILED",
            f"{o.total:.2f}",
            "ok" if o.ok else "FAILED",
        )
        for o in outcomes
    ]
    print_table(("system", "from", "checks", "audit", "seconds", ""), rows, right=(2, 4))
    for o in outcomes:
        if not o.finished:
            click.echo(f"{o.example.name}: {o.message}")
    click.echo(f"{sum(o.ok for o in outcomes)} of {len(outcomes)} systems passed in {seconds:.3g} s")
    if index is not None:
        click.echo(f"wrote {index}")


def _write_index(outcomes: list[Outcome], out: Path, waiting: int = 0) -> Path:
    """Write the page of what has run so far, so that it is there when the rest never comes."""
    from kaneflex import FileError
    from kaneflex.view.index import Entry, write_index

    entries = [
        Entry(
            title=o.example.title,
            about=o.example.about,
            document=o.example.document,
            chapter=o.example.chapter,
            command=o.command,
            checks=o.passed,
            audit=None if o.run is None else o.run.audit.ok,
            seconds=o.total,
            message="" if o.finished else o.message,
            link=f"{o.example.name}/report.html" if o.files else None,
            picture=o.thumbnail,
        )
        for o in outcomes
    ]
    try:
        return write_index(entries, out / "index.html", title="Systems of the literature", waiting=waiting)
    except FileError as e:
        raise InputError(str(e)) from e
