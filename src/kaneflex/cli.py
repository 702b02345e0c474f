"""The command line: list, run, bench, doctor. Heavy imports happen inside the commands."""

import contextlib
import difflib
import importlib
import json
import math
import pkgutil
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaneflex import ModelError, SimulationError, __version__

if TYPE_CHECKING:
    from kaneflex.benchmarking import Benchmark
    from kaneflex.gallery import Check, Example
    from kaneflex.results.run import Run

FAILED, BAD_INPUT = 1, 2


class InputError(click.ClickException):
    """Something on the command line cannot be right."""

    exit_code = BAD_INPUT


class OneLineErrors(click.Group):
    """A group whose errors are one line each, without the usage text."""

    def main(self, args: Any = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run, and turn every error of the command line into one line on standard error."""
        extra["standalone_mode"] = False
        try:
            result = super().main(args, prog_name, **extra)
        except click.ClickException as e:
            click.echo(f"kaneflex: {' '.join(e.format_message().split())}", err=True)
            sys.exit(e.exit_code)
        except click.Abort:
            click.echo("kaneflex: interrupted", err=True)
            sys.exit(130)
        sys.exit(result if isinstance(result, int) else 0)


@click.group(cls=OneLineErrors, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kaneflex", message="%(prog)s %(version)s", help="Show the version and exit.")
@click.pass_context
def main(context: click.Context) -> None:
    """Multibody dynamics by Kane's method.

    Exit status: 0 for success, 1 when a check or the audit fails, 2 for bad input.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


# -- list --------------------------------------------------------------------------------------------------------------


@main.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of {name, title, group, source, parameters}.")
def list_systems(as_json: bool) -> None:
    """List the systems of the gallery, grouped by the document they come from."""
    from kaneflex.gallery import examples

    found = examples()
    if as_json:
        fields = ("name", "title", "group", "source", "parameters")
        _print_json([{f: getattr(example, f) for f in fields} for example in found.values()])
        return
    width = max((len(name) for name in found), default=0)
    groups: dict[str, list[Any]] = {}
    for example in found.values():
        groups.setdefault(example.group, []).append(example)
    for group, members in groups.items():
        click.echo(group)
        for example in members:
            click.echo(f"  {example.name:<{width}}  {example.title}")
    click.echo("Run one with: kaneflex run NAME" if found else "The gallery is empty.")


# -- run ---------------------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What came of running a gallery system."""

    example: "Example"
    parameters: Mapping[str, Any]
    formulation: str
    speeds: str
    run: "Run | None" = None
    checks: "list[Check]" = field(default_factory=list)
    status: str = "failed"
    message: str = ""
    compile_seconds: float = 0.0
    total: float = 0.0
    files: list[Path] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True when the run reached its end or a terminal event."""
        return self.run is not None and self.status in ("done", "event")

    @property
    def ok(self) -> bool:
        """True when the run finished and its checks and its audit pass."""
        return self.finished and self.run is not None and self.run.audit.ok and all(c.ok for c in self.checks)

    @property
    def timing(self) -> dict[str, Any]:
        """Steps and evaluations of the integrator, and seconds: integrating, compiling, all of the command."""
        statistics = {} if self.run is None else self.run.statistics
        counts = {key: statistics.get(key) for key in ("steps", "evaluations", "seconds")}
        return counts | {"compile_seconds": self.compile_seconds, "total": self.total}

    @property
    def command(self) -> str:
        """What to type to get the same run again."""
        words = ["kaneflex", "run", self.example.name]
        for key, value in self.parameters.items():
            if value != self.example.parameters[key]:
                words += ["--set", f"{key}={value}"]
        if self.formulation != "recursive":
            words += ["--formulation", self.formulation]
        if self.speeds != "customary":
            words += ["--speeds", self.speeds]
        return shlex.join(words)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "name": self.example.name,
            "title": self.example.title,
            "parameters": dict(self.parameters),
            "formulation": self.formulation,
            "speeds": self.speeds,
            "checks": [c.as_dict() for c in self.checks],
            "audit": None if self.run is None else self.run.audit.as_dict(),
            "timing": self.timing,
            "status": self.status,
            "message": self.message,
            "ok": self.ok,
            "files": [str(file) for file in self.files],
        }


@main.command("run")
@click.argument("name")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a parameter; may be given again.")
@click.option(
    "--formulation",
    type=click.Choice(["recursive", "dense", "embedded", "ruthless"]),
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
@click.option("--out", type=click.Path(path_type=Path), help="Write run.h5, figure.png and report.html to this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on standard output.")
def run_system(name: str, changes: tuple[str, ...], formulation: str, speeds: str, out: Path | None, as_json: bool) -> None:
    """Run the gallery system NAME and check it against its references.

    Shows every check, the audit of the physics and the time it took. Names are listed by `kaneflex list`.
    """
    started = time.perf_counter()
    example = find_example(name)
    parameters = read_settings(example, changes)
    _make_folder(out)
    with contextlib.redirect_stdout(sys.stderr):  # standard output is for the result alone
        outcome = execute(example, parameters, formulation, speeds)
        if out is not None:
            write_files(outcome, out)
    outcome.total = time.perf_counter() - started
    if as_json:
        _print_json(outcome.as_dict())
    else:
        _show_run(outcome)
    if not outcome.ok:
        sys.exit(FAILED)


def find_example(name: str) -> "Example":
    """The gallery system of that name; an error names the nearest.

    A system whose file is named like it is imported alone, without the rest of the gallery.
    """
    from kaneflex import gallery

    stem = name.replace("-", "_")
    if any(module.name == stem for module in pkgutil.iter_modules(gallery.__path__)):
        example = getattr(importlib.import_module(f"{gallery.__name__}.{stem}"), "EXAMPLE", None)
        if example is not None and example.name == name:
            return example
    found = gallery.examples()
    if name in found:
        return found[name]
    near = difflib.get_close_matches(name.lower(), found, n=1, cutoff=0.0)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise InputError(f'there is no system "{name}": {hint}kaneflex list shows all {len(found)}')


def read_settings(example: "Example", changes: Sequence[str]) -> dict[str, Any]:
    """The parameters of a run from texts key=value."""
    given = {}
    for text in changes:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--set "{text}": give key=value, e.g. --set {next(iter(example.parameters), "key")}=1')
        given[key.strip()] = value.strip()
    try:
        return example.settings(given)
    except ModelError as e:
        raise InputError(str(e)) from e
    except (ValueError, TypeError, OverflowError) as e:
        raise InputError(f'"{example.name}" cannot take --set {" --set ".join(changes)}: {e}') from e


def _make_folder(out: Path | None) -> None:
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"cannot write to {out}: {e.strerror}") from e


def execute(example: "Example", parameters: Mapping[str, Any], formulation: str, speeds: str) -> Outcome:
    """Build, simulate and check."""
    from kaneflex.formulations.compiling import progress

    outcome = Outcome(example, parameters, formulation, speeds)
    compiled = progress.seconds
    try:
        run = example.simulate(example.build(parameters), parameters, formulation=formulation, speeds=speeds)
        outcome.run, outcome.status, outcome.message = run, run.status, run.message
        if outcome.finished:
            outcome.checks = list(example.checks(run, parameters))
    except SimulationError as e:
        outcome.status, outcome.message = "failed", str(e)
    except (ValueError, ArithmeticError) as e:  # ModelError is a ValueError
        if not isinstance(e, ModelError) and dict(parameters) == dict(example.parameters):
            raise  # nobody's input
        detail = str(e) if isinstance(e, ModelError) else f"{type(e).__name__}: {e}"
        raise InputError(f'"{example.name}" cannot run like this: {detail}') from e
    outcome.compile_seconds = progress.seconds - compiled
    return outcome


def write_files(outcome: Outcome, out: Path) -> None:
    """Write run.h5, figure.png and report.html, as far as there is a run."""
    from kaneflex.view.plots import save_figure
    from kaneflex.view.report import write_report

    run, example = outcome.run, outcome.example
    if run is None:
        return
    try:
        figure = example.figure(run, outcome.parameters)
        outcome.files = [
            run.save(out / "run.h5"),
            save_figure(figure, out / "figure.png"),
            write_report(
                run,
                out / "report.html",
                checks=outcome.checks,
                title=example.title,
                source=example.source,
                figure=figure,
                parameters=outcome.parameters,
                command=outcome.command,
            ),
        ]
    except OSError as e:
        raise InputError(f"cannot write to {out}: {e}") from e


def _show_run(outcome: Outcome) -> None:
    click.echo(f"{outcome.example.title}\n{outcome.example.source}")
    if outcome.checks:
        rows = [
            (
                c.name,
                f"{c.value:{'.9g' if c.reference else '.3g'}}",
                f"{c.reference:.9g}",
                f"{c.tolerance:.2g}",
                "ok" if c.ok else "FAILED",
                c.source,
            )
            for c in outcome.checks
        ]
        _print_table(("check", "value", "reference", "tolerance", "", "source"), rows, right=(1, 2, 3))
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


# -- bench -------------------------------------------------------------------------------------------------------------


@main.command("bench")
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Small sizes and few repetitions: shows that it works, not how fast.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (without NAME: a list) on standard output.")
def bench(name: str | None, quick: bool, as_json: bool) -> None:
    """Run the benchmark NAME, or list the benchmarks.

    Benchmarks live in the source tree and compare with other programs: pip install "kaneflex[oracles]".
    """
    from kaneflex import benchmarking

    try:
        found = benchmarking.benchmarks()
        if name is None:
            if as_json:
                _print_json([{"name": n, "title": title} for n, (_, title) in found.items()])
            else:
                _print_table(("benchmark", "what it measures"), [(n, title) for n, (_, title) in found.items()])
            return
        if name not in found:
            near = difflib.get_close_matches(name, found, n=1, cutoff=0.0)
            raise InputError(f'there is no benchmark "{name}": did you mean "{near[0]}"? There are {", ".join(found)}')
        with contextlib.redirect_stdout(sys.stderr):
            result = benchmarking.run(found[name][0], quick, lambda line: click.echo(line, err=True))
    except benchmarking.BenchmarkError as e:
        raise click.ClickException(str(e)) from e
    if as_json:
        _print_json(result.as_dict())
    else:
        _show_benchmark(result)


def _show_benchmark(result: "Benchmark") -> None:
    data = result.as_dict()
    click.echo(f"{data['machine']['cpu']}, {data['machine']['cores']} cores")
    click.echo(", ".join(f"{name} {found}" for name, found in data["versions"].items() if found))
    rows = [
        (
            r["case"],
            str(r["size"]),
            r["peer"] or "–",
            _short(r["kaneflex"]),
            _short(r["peer_value"]),
            r["unit"],
            "–" if r["ratio"] is None else f"{r['ratio']:.2f}",
        )
        for r in data["rows"]
    ]
    heads = ("case", "bodies", "peer", "kaneflex", "peer's", "unit", "times faster")
    _print_table(heads, rows, right=(1, 3, 4, 6))
    for fit in data["fits"]:
        click.echo(f"grows like n^{fit['exponent']:.2f}: {fit['case']}")
    for note in data["notes"]:
        click.echo(f"- {note}")


# -- doctor ------------------------------------------------------------------------------------------------------------


@main.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def doctor(as_json: bool) -> None:
    """Show versions, processor, the state of the kernel cache, and which optional packages are missing."""
    from kaneflex.doctor import examine, report

    findings = examine()
    if as_json:
        _print_json(findings)
    else:
        click.echo("\n".join(report(findings)))


# -- output ------------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Data that strict JSON can hold: NumPy's numbers as Python's, what is not finite as null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    if isinstance(value, Iterable):
        return [plain(v) for v in value]
    return str(value)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False))


def _short(x: float | None) -> str:
    return "–" if x is None else f"{x:.4g}"


def _print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="right" if k in right else "left", overflow="fold", no_wrap=k in right)
    for row in rows:
        table.add_row(*(Text(cell, style="bold red" if cell == "FAILED" else "") for cell in row))
    console = Console(file=sys.stdout)
    if not console.is_terminal:  # a file or a pipe has no width: do not break lines there
        console = Console(file=sys.stdout, width=240)
    console.print(table)


if __name__ == "__main__":
    main()
