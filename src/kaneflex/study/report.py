"""The report of a study: one page without scripts or network."""

import contextlib
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.study.plots import plot_outputs, plot_scatter, plot_tornado
from kaneflex.version import __version__
from kaneflex.view.page import listing, mark, number, section, table, write_page
from kaneflex.view.sections import picture

if TYPE_CHECKING:
    from kaneflex.study.ensemble import Ensemble

_FEW = 4  # outputs that are drawn over the parameters
_MOST_FAILURES = 50
LEVELS = (5, 25, 50, 75, 95)


def write_report(ensemble: "Ensemble", path: Path, title: str | None = None, command: str | None = None) -> Path:
    """Write the report of a study as one self-contained HTML file.

    Args:
        ensemble: the runs.
        path: the file; its folder is made when missing.
        title: heading; None for the system's name.
        command: what to type to get the same study; None to leave it out.
    """
    heading = title or f"{ensemble.description['system']}: study of {ensemble.store.runs} runs"
    pieces = [
        _header(ensemble, heading),
        _figures(ensemble),
        _percentiles(ensemble),
        _importance(ensemble),
        _parameters(ensemble),
        _failures(ensemble),
        _facts(ensemble),
        section("Reproduce", f"<pre>{escape(command)}</pre>", f"kaneflex {__version__}") if command else "",
    ]
    return write_page(path, heading, pieces)


def _header(ensemble: "Ensemble", heading: str) -> str:
    done, failed, left = int(ensemble.done.sum()), int(ensemble.failed.sum()), int((ensemble.status == 0).sum())
    marks = [mark(True, f"{done} runs done")]
    if failed:
        marks.append(mark(False, f"{failed} failed"))
    if left:
        marks.append(mark(False, f"{left} still to run"))
    remarks = sum(bool(ensemble.done[run]) for run in ensemble.messages())
    if remarks:
        marks.append(mark(False, f"{remarks} with a remark"))
    return f"<header>\n<h1>{escape(heading)}</h1>\n<p>{' '.join(marks)}</p>\n</header>"


def _figures(ensemble: "Ensemble") -> str:
    if not ensemble.done.any() or not ensemble.kept:
        return ""
    figure = plot_outputs(ensemble, ())
    words = "Over time: median, shares of the runs, and all of them. Histograms: median, 5 and 95 %."
    return section("What was kept", picture(figure, "Envelopes and histograms of what was kept"), words)


def _percentiles(ensemble: "Ensemble") -> str:
    rows = []
    for output in ensemble.outputs():
        values = ensemble.numbers(output)
        values = values[np.isfinite(values)]
        if len(values):
            cells = [values.min(), *np.percentile(values, LEVELS), values.max(), values.mean(), values.std()]
            rows.append((escape(ensemble.title(output)), *(number(float(x), ".5g") for x in cells)))
    heads = ("number", "least", *(f"{level} %" for level in LEVELS), "largest", "mean", "deviation")
    return section("Percentiles", table(heads, rows, range(1, len(heads)))) if rows else ""


def _importance(ensemble: "Ensemble") -> str:
    """Tornado and scatter of the first numbers that differ from run to run."""
    pictures: list[str] = []
    for output in ensemble.outputs():
        values = ensemble.numbers(output)
        values = values[np.isfinite(values)]
        if len(pictures) < 2 * _FEW and len(values) > 3 and np.ptp(values) > 1e-12 * np.abs(values).max():
            title = ensemble.title(output)
            with contextlib.suppress(ModelError):  # indices need all runs
                pictures.append(picture(plot_tornado(ensemble, output), f"Importance of the parameters for {title}"))
            pictures.append(picture(plot_scatter(ensemble, output), f"{title} over the parameters"))
    return section("Importance of the parameters", "\n".join(pictures)) if pictures else ""


def _parameters(ensemble: "Ensemble") -> str:
    said, rows = ensemble.description["parameters"], []
    for name in ensemble.parameters:
        column = np.asarray(ensemble.data[name])
        ends = (number(float(x)) for x in (column.min(), column.max())) if column.dtype.kind in "fi" else ("–", "–")
        rows.append((escape(name), escape(str(said.get(name, ""))), *ends))
    return section("Parameters", table(("parameter", "distribution", "least", "largest"), rows, (2, 3)))


def _failures(ensemble: "Ensemble") -> str:
    """Messages, alike ones together, each with a run that has it and its values."""
    messages = ensemble.messages()
    counts = Counter(messages.values())
    first = {message: run for run, message in reversed(messages.items())}
    rows = []
    for message, count in counts.most_common(_MOST_FAILURES):
        run = first[message]
        each = ensemble.values_of(run).items()
        values = ", ".join(f"{n} = {x:.6g}" if isinstance(x, float) else f"{n} = {x}" for n, x in each)
        verdict = mark(False, "failed") if ensemble.failed[run] else "done"
        rows.append((verdict, str(count), escape(message), f"{run}: {escape(values)}"))
    more = f"{len(counts) - _MOST_FAILURES} more kinds of messages are in the store." if len(counts) > _MOST_FAILURES else ""
    return section("Failures and remarks", table(("", "runs", "message", "first run"), rows, (1,)), more) if rows else ""


def _facts(ensemble: "Ensemble") -> str:
    said, seconds = ensemble.description, np.asarray(ensemble.data["seconds"])
    facts = {
        "design": said["design"],
        "seed": str(said["seed"]),
        "duration of a run": "–" if said["duration"] is None else f"{said['duration']:g} s",
        "time limit of a run": "none" if said["limit"] is None else f"{said['limit']:g} s",
        "time of all runs": f"{np.nansum(seconds):.3g} s",
        "longest run": f"{np.nanmax(seconds):.3g} s" if np.isfinite(seconds).any() else "–",
        "store": ensemble.path.name,
    }
    return section("Study", listing(facts))


__all__ = ["write_report"]
