"""`kaneflex bench`."""

import contextlib
import difflib
import sys
from typing import TYPE_CHECKING

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.output import print_json, print_table

if TYPE_CHECKING:
    from kaneflex.benchmarking import Benchmark


@main.command("bench")
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Small sizes and few repetitions: shows that it works, not how fast.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (without NAME: a list) on standard output.")
def bench(name: str | None, quick: bool, as_json: bool) -> None:
    """Run the benchmark NAME, or list the benchmarks.

    Benchmarks live in the source tree and compare with other programs: pip install -e ".[oracles]".
    """
    from kaneflex import benchmarking

    try:
        found = benchmarking.benchmarks()
        if name is None:
            if as_json:
                print_json([{"name": n, "title": title} for n, (_, title) in found.items()])
            else:
                print_table(("benchmark", "what it measures"), [(n, title) for n, (_, title) in found.items()])
            return
        if name not in found:
            near = difflib.get_close_matches(name, found, n=1, cutoff=0.0)
            raise InputError(f'there is no benchmark "{name}": did you mean "{near[0]}"? There are {", ".join(found)}')
        with contextlib.redirect_stdout(sys.stderr):
            result = benchmarking.run(found[name][0], quick, lambda line: click.echo(line, err=True))
    except benchmarking.BenchmarkError as e:
        raise click.ClickException(str(e)) from e
    if as_json:
        print_json(result.as_dict())
    else:
        _show(result)


def _show(result: "Benchmark") -> None:
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
    print_table(heads, rows, right=(1, 3, 4, 6))
    for fit in data["fits"]:
        click.echo(f"grows like n^{fit['exponent']:.2f}: {fit['case']}")
    for note in data["notes"]:
        click.echo(f"- {note}")


def _short(x: float | None) -> str:
    return "–" if x is None else f"{x:.4g}"
