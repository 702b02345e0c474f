"""Runs beside each other: ghosts in one picture, curves over each other, and how far they differ."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.version import __version__
from kaneflex.view import sections as part
from kaneflex.view.curves import chosen_channels
from kaneflex.view.page import mark, number, section, table, viewer, write_page
from kaneflex.view.plots import compare_channels, titled
from kaneflex.view.scene import scene_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run


@typed
def compare(
    runs: "Mapping[str, Run]",
    path: str | Path,
    channels: Sequence[str] | None = None,
    *,
    title: str | None = None,
    source: str | None = None,
    command: str | None = None,
) -> Path:
    """Write a page that shows several runs together, the first solid and the others as ghosts.

    The runs may be of different systems, lengths and samplings; differences are taken at the first run's times, where both
    runs are there, by linear interpolation of the others.

    Args:
        runs: by name, two or more.
        path: the file; its folder is made when missing.
        channels: those plotted and compared; None for a choice of the first run's.
        title: heading; the systems' names when None.
        source: where the system comes from.
        command: what to type to get the same page.
    """
    _check(runs)
    first = next(iter(runs.values()))
    names = list(dict.fromkeys(run.model.name for run in runs.values()))
    heading = f"{', '.join(names)}: {' beside '.join(runs)}" if title is None else title
    shown = list(channels) if channels else chosen_channels(first)
    scene = scene_of(runs, heading, kind="comparison", channels=shown)
    scene.data["at"] = _farthest(runs, shown)
    figure = compare_channels(runs, shown)
    below = f'\n<p class="soft">{escape(source)}</p>' if source else ""
    marks = [mark(run.audit.ok, f"{name}: audit {'passed' if run.audit.ok else 'failed'}") for name, run in runs.items()]
    pieces = [
        f"<header>\n<h1>{escape(heading)}</h1>\n<p>{' '.join(marks)}</p>{below}\n</header>",
        viewer(scene),
        _differences(runs, shown),
        part.figure_section([(figure, f"{', '.join(runs)} over time")]),
        _audits(runs),
        _statistics(runs),
        section("Reproduce", f'<pre tabindex="0">{escape(command)}</pre>', f"kaneflex {__version__}") if command else "",
    ]
    return write_page(path, heading, pieces, scene)


def _check(runs: Any) -> None:
    if not isinstance(runs, Mapping) or len(runs) < 2:
        raise ModelError(f'runs to compare are {runs!r}: give two or more by name, e.g. {{"one": run1, "other": run2}}')
    for name, run in runs.items():
        if not hasattr(run, "trajectory"):
            raise ModelError(f'run "{name}" to compare is {run!r}: give what simulate(...) returns')


def difference(first: "Run", other: "Run", channel: str) -> tuple[float, float, float] | None:
    """Largest difference of a channel, when it is there, and the largest value of the first run; None without overlap.

    Args:
        first: the run at whose times they are compared.
        other: the run that is interpolated.
        channel: its name.
    """
    a, b = _channel(first, channel), _channel(other, channel)
    if a is None or b is None or a.shape[1] != b.shape[1]:
        return None
    inside = (first.t >= other.t[0]) & (first.t <= other.t[-1])
    if not inside.any():
        return None
    t = first.t[inside]
    between = np.column_stack([np.interp(t, other.t, column) for column in b.T])
    apart = np.abs(a[inside] - between).max(axis=1)
    if not np.isfinite(apart).any():
        return None
    worst = int(np.nanargmax(apart))
    return float(apart[worst]), float(t[worst]), float(np.nanmax(np.abs(a)))


def _farthest(runs: "Mapping[str, Run]", channels: Sequence[str]) -> float:
    """When the runs are farthest apart, in the channel in which they differ most beside its size; s."""
    first, *others = runs.values()
    found = (difference(first, run, channel) for run in others for channel in channels)
    apart = [(gap / largest, t) for gap, t, largest in filter(None, found) if largest > 0]
    return max(apart, default=(0.0, float(first.t[0])))[1]


def _channel(run: "Run", name: str) -> np.ndarray | None:
    try:
        return np.asarray(run[name]).reshape(len(run.t), -1)
    except ModelError:
        return None


def _differences(runs: "Mapping[str, Run]", channels: Sequence[str]) -> str:
    (base, first), *others = runs.items()
    rows = []
    for channel in channels:
        title = titled(first, channel) if _channel(first, channel) is not None else channel
        for name, run in others:
            found = difference(first, run, channel)
            words = (escape(title), escape(name))
            if found is None:
                rows.append((*words, "–", "–", "–", "–"))
                continue
            apart, t, largest = found
            share = f"{apart / largest:.3g}" if largest > 0 else "–"
            rows.append((*words, number(apart), number(t), number(largest), share))
    heads = ("channel", f"against {base}", "largest difference", "at t, s", f"largest of {base}", "ratio")
    return section("Differences", table(heads, rows, (2, 3, 4, 5)), f"At the times of {base}, the others interpolated.")


def _audits(runs: "Mapping[str, Run]") -> str:
    found = {name: {row[0]: row for row in part.audit_rows(run)} for name, run in runs.items()}
    rows = []
    for what in dict.fromkeys(row for rows in found.values() for row in rows):
        cells = []
        for audit in found.values():
            _, value, _, ok = audit.get(what, (what, None, 0.0, True))
            cells.append("–" if value is None else f"{number(value, '.2e')} {mark(ok, 'ok' if ok else 'failed')}")
        rows.append((escape(what), *cells))
    energies = {
        "energy at the start, J": "energy_start",
        "at the end, J": "energy_end",
        "work of applied loads, J": "applied_work",
        "lost in dampers and impacts, J": "dissipated_work",
    }
    for words, field in energies.items():
        rows.append((words, *(number(getattr(run.audit, field)) for run in runs.values())))
    return section("Audit", table(("drift", *runs), rows, range(1, len(runs) + 1)))


def _statistics(runs: "Mapping[str, Run]") -> str:
    found = {name: part.statistics(run) for name, run in runs.items()}
    whats = dict.fromkeys(what for items in found.values() for what in items)
    rows = [(escape(what), *(escape(items.get(what, "–")) for items in found.values())) for what in whats]
    return section("Runs", table(("run", *runs), rows))


__all__ = ["compare", "difference"]
