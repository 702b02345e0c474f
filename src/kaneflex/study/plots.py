"""Figures of an ensemble, without a display: envelopes, distributions, scatter, tornado."""

from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError, known
from kaneflex.view.plots import COLOURS, STYLE, save_figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaneflex.study.ensemble import Ensemble

_MOST = 12  # axes of a figure
_POINTS = 4000  # of a scatter plot, which shows no more if there are more


@contextmanager
def _figure(size: tuple[float, float]) -> "Iterator[Any]":
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def _saved(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        save_figure(figure, path)
    return figure


def plot_outputs(ensemble: "Ensemble", outputs: Sequence[str], path: str | Path | None = None) -> Any:
    """Histories as envelopes, numbers as histograms, one pair of axes each.

    Args:
        ensemble: the runs.
        outputs: names of what was kept; none for all.
        path: file to save it to, or None.
    """
    for output in outputs:
        known(output.partition("[")[0] if output not in ensemble.kept else output, ensemble.kept, "value kept")
    wanted = panels(ensemble, outputs)[:_MOST]
    if not wanted:
        raise ModelError("nothing was kept of the runs that could be drawn")
    histories = [w for w in wanted if w[1] is not None or _is_history(ensemble, w[0])]
    numbers = [w[0] for w in wanted if w not in histories]
    columns = min(3, max(1, len(numbers)))
    rows = len(histories) + -(-len(numbers) // columns)
    with _figure((8.0, 0.5 + 2.3 * rows)) as figure:
        grid = figure.add_gridspec(rows, columns)
        for k, (name, component) in enumerate(histories):
            _envelope(figure.add_subplot(grid[k, :]), ensemble, name, component)
        for k, name in enumerate(numbers):
            place = grid[len(histories) + k // columns, k % columns]
            _histogram(figure.add_subplot(place), ensemble, name, ticks=(8, 5, 3)[columns - 1])
    return _saved(figure, path)


def _is_history(ensemble: "Ensemble", name: str) -> bool:
    return name in ensemble.kept and "t" in ensemble.data[name].dims


def panels(ensemble: "Ensemble", outputs: Sequence[str] = ()) -> list[tuple[str, int | None]]:
    """What is drawn: names, and of histories with several numbers which of them; those that never change are left out."""
    found: list[tuple[str, int | None]] = []
    for name in outputs or ensemble.kept:
        if not _is_history(ensemble, name):
            alike = [output for output in ensemble.outputs() if output == name or output.startswith(f"{name}[")]
            found += [(output, None) for output in alike]
        elif ensemble.data[name].ndim == 2:
            found.append((name, None))
        else:
            values = _over_time(ensemble, name)
            flat = values.reshape(-1, values.shape[2])
            moves = np.nanmax(flat, axis=0, initial=-np.inf) > np.nanmin(flat, axis=0, initial=np.inf)
            found += [(name, int(k)) for k in np.flatnonzero(moves)]
    return found


def _over_time(ensemble: "Ensemble", name: str) -> np.ndarray:
    """A history of the runs that are done: run, time, number."""
    return ensemble[name].reshape(int(ensemble.done.sum()), ensemble.data.sizes["t"], -1)


def _envelope(ax: Any, ensemble: "Ensemble", name: str, component: int | None) -> None:
    t, values = np.asarray(ensemble.data["t"]), _over_time(ensemble, name)[..., component or 0]
    there = np.isfinite(values).any(axis=0)
    low, q5, q25, q50, q75, q95, high = np.nanpercentile(values[:, there], (0, 5, 25, 50, 75, 95, 100), axis=0)
    t, blue = t[there], COLOURS[0]
    ax.fill_between(t, low, high, color=blue, alpha=0.12, linewidth=0, label="all")
    ax.fill_between(t, q5, q95, color=blue, alpha=0.22, linewidth=0, label="5 to 95 %")
    ax.fill_between(t, q25, q75, color=blue, alpha=0.35, linewidth=0, label="25 to 75 %")
    ax.plot(t, q50, color=blue, label="median")
    ax.set_title(ensemble.title(name if component is None else f"{name}[{component}]"), loc="left", parse_math=False)
    ax.set_xlabel("t, s")
    ax.margins(x=0)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _histogram(ax: Any, ensemble: "Ensemble", output: str, ticks: int) -> None:
    values = ensemble.numbers(output)
    values = values[np.isfinite(values)]
    spread = float(np.ptp(values)) if len(values) else 0.0
    if spread > 1e-12 * float(np.abs(values).max(initial=0.0)):
        ax.hist(values, bins=min(60, max(8, int(np.sqrt(len(values))))), color=COLOURS[0], alpha=0.75, linewidth=0)
        for level, dashes in ((5, ":"), (50, "-"), (95, ":")):
            ax.axvline(np.percentile(values, level), color=COLOURS[1], linestyle=dashes, linewidth=1.1)
    elif len(values):
        ax.axvline(values[0], color=COLOURS[0])
    ax.set_title(ensemble.title(output), loc="left", parse_math=False, fontsize=9)
    ax.set_ylabel("runs")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set_axisbelow(True)
    ax.ticklabel_format(axis="x", style="sci", scilimits=(-3, 4))
    ax.locator_params(axis="x", nbins=ticks)


def plot_scatter(ensemble: "Ensemble", output: str, path: str | Path | None = None) -> Any:
    """A number over each of the parameters.

    Args:
        ensemble: the runs.
        output: its name.
        path: file to save it to, or None.
    """
    y = ensemble.numbers(output)
    shown = np.flatnonzero(np.isfinite(y))
    shown = shown[:: max(1, len(shown) // _POINTS)]
    names = ensemble.parameters[:_MOST]
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    with _figure((2.9 * columns + 0.4, 0.5 + 2.4 * rows)) as figure:
        axes = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
        for ax, name in zip(axes, names, strict=False):
            x = np.asarray(ensemble.data[name])[shown]
            x = x if x.dtype.kind in "fi" else x.astype(str)
            ax.plot(x, y[shown], "o", color=COLOURS[0], markersize=2.2, alpha=min(1.0, 15 / np.sqrt(len(shown) + 1)), mew=0)
            ax.set_xlabel(ensemble.title(name), parse_math=False)
        for ax in axes[len(names) :]:
            ax.set_visible(False)
        for k in range(0, len(axes), columns):
            axes[k].set_ylabel(ensemble.title(output), parse_math=False)
    return _saved(figure, path)


def plot_tornado(ensemble: "Ensemble", output: str, by: str | None = None, path: str | Path | None = None) -> Any:
    """A bar for each parameter, the most important on top.

    Args:
        ensemble: the runs.
        output: name of a number.
        by: as of `Ensemble.importance`.
        path: file to save it to, or None.
    """
    found = ensemble.importance(output, by)
    order = list(reversed(found.order))
    places = [found.parameters.index(name) for name in order]
    values, errors = found.values[places], found.errors[places]
    with _figure((7.0, 0.9 + 0.34 * len(order))) as figure:
        ax = figure.subplots()
        colours = [COLOURS[0] if value >= 0 else COLOURS[1] for value in values]
        ax.barh(order, values, xerr=errors, color=colours, error_kw={"ecolor": "#5c6b73", "elinewidth": 1, "capsize": 2})
        if found.first is not None and "Sobol" in found.measure:
            ax.plot(found.first[places], order, "o", color=COLOURS[3], label="first order", markersize=5)
            ax.legend(loc="lower right")
        ax.axvline(0, color="#8a939b", linewidth=0.8)
        ax.set_xlabel(found.measure)
        ax.set_title(ensemble.title(output), loc="left", parse_math=False)
        ax.grid(visible=False, axis="y")
        ax.set_axisbelow(True)
    return _saved(figure, path)


__all__ = ["panels", "plot_outputs", "plot_scatter", "plot_tornado"]
