"""Static figures of a run, without a display: channels over time, stacked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.files import atomic_write

if TYPE_CHECKING:
    from kaneflex.results.run import Run

#: Colours that stay apart for most colour-blind readers, on light ground.
COLOURS = ("#2563a8", "#d1495b", "#2a9d6f", "#e08e1b", "#7b5ea7", "#5c6b73", "#a0522d", "#17a2b8", "#c2a100")

#: Kinds of lines of runs that are compared.
DASHES = ("-", "--", ":", "-.")

STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a939b",
    "axes.labelcolor": "#30383f",
    "axes.grid": True,
    "grid.color": "#e3e7ea",
    "grid.linewidth": 0.8,
    "xtick.color": "#4c565e",
    "ytick.color": "#4c565e",
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "savefig.dpi": 144.0,
    "text.usetex": False,  # names are no commands of TeX
    "pdf.fonttype": 42,  # letters stay letters in a journal's PDF
    "ps.fonttype": 42,
}

_FEW = 6  # channels and joints that a default figure shows


def plot_channels(run: "Run", names: Sequence[str] = (), path: str | Path | None = None) -> Any:
    """A Matplotlib figure of channels over time, one pair of axes each.

    Args:
        run: the run.
        names: channels; none for the coordinates of the first joints and the energy.
        path: file to save the figure to (the ending says the format), or None.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if isinstance(names, str):
        raise ModelError(f'names is the text "{names}": give a list of channel names')
    wanted = list(names) or default_channels(run)
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
        figure = Figure(figsize=(8.0, 0.6 + 1.75 * len(wanted)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(wanted), 1, sharex=True, squeeze=False)[:, 0]
        for ax, name in zip(axes, wanted, strict=True):
            _draw(ax, run, name)
        axes[-1].set_xlabel(titled(run, "t"))
        figure.align_ylabels(axes)
        if path is not None:
            save_figure(figure, path)
    return figure


def compare_channels(runs: "Mapping[str, Run]", names: Sequence[str] = (), path: str | Path | None = None) -> Any:
    """A Matplotlib figure of the same channels of several runs: one colour per component, one kind of line per run.

    Args:
        runs: by name; a run without a channel is left out there.
        names: channels; none for the coordinates of the first run's first joints and the energy.
        path: file to save the figure to (the ending says the format), or None.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wanted = list(names) or default_channels(next(iter(runs.values())))
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
        figure = Figure(figsize=(8.0, 0.8 + 1.75 * len(wanted)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(wanted), 1, sharex=True, squeeze=False)[:, 0]
        for ax, name in zip(axes, wanted, strict=True):
            _draw_several(ax, runs, name)
        axes[-1].set_xlabel(titled(next(iter(runs.values())), "t"))
        figure.align_ylabels(axes)
        if path is not None:
            save_figure(figure, path)
    return figure


def _draw_several(ax: Any, runs: "Mapping[str, Run]", name: str) -> None:
    title = name
    for number, (title_of_run, run) in enumerate(runs.items()):
        try:
            lines = np.asarray(run[name]).reshape(len(run.t), -1)
        except ModelError:
            continue
        title, labels = titled(run, name), run.components(name)
        for k in range(lines.shape[1]):
            color = COLOURS[(number if lines.shape[1] == 1 else k) % len(COLOURS)]
            label = title_of_run if lines.shape[1] == 1 else f"{labels[k]}, {title_of_run}"
            ax.plot(run.t, lines[:, k], color=color, linestyle=DASHES[number % len(DASHES)], label=label)
    ax.set_title(title, loc="left", parse_math=False)
    ax.margins(x=0)
    _legend(ax, 1 + len(ax.lines) // 8)


def _legend(ax: Any, columns: int) -> None:
    """A legend beside the axes, whose words are names and no formulas, whatever marks they have."""
    words = [str(line.get_label()) for line in ax.lines]
    legend = ax.legend(ax.lines, words, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=columns)
    for text in legend.get_texts():
        text.set_parse_math(False)


def save_figure(figure: Any, path: str | Path) -> Path:
    """Save a figure, its folder made when missing; the file appears whole or not at all."""
    with atomic_write(path) as partial:
        figure.savefig(partial, dpi=144)
    return Path(path)


def titled(run: "Run", name: str) -> str:
    """A channel's name with its unit."""
    unit = run.unit(name)
    return f"{name}, {unit}" if unit else name


def default_channels(run: "Run") -> list[str]:
    """Coordinates of the first joints that move, and the total energy."""
    moving = [f"{name}.q" for name, joint in run.plan.index.joints.items() if joint.coordinates]
    return [*moving[: _FEW - 1], "energy.total"]


def energy_figure(run: "Run") -> Any:
    """Kinetic, potential and total energy in one pair of axes."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
        figure = Figure(figsize=(9.0, 2.9), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        found = run.read("energy.kinetic", "energy.potential", "energy.total")
        for (name, values), colour in zip(found.items(), COLOURS, strict=False):
            ax.plot(run.t, values, color=colour, label=name.partition(".")[2])
        ax.set_xlabel(titled(run, "t"))
        ax.set_ylabel(f"energy, {run.unit('energy.total')}")
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        ax.margins(x=0)
    return figure


def _draw(ax: Any, run: "Run", name: str) -> None:
    values = np.asarray(run[name])
    lines = values.reshape(len(run.t), -1)
    labels = run.components(name)
    for k in range(lines.shape[1]):
        look = {"color": COLOURS[k % len(COLOURS)], "linestyle": "-" if k < len(COLOURS) else "--"}
        ax.plot(run.t, lines[:, k], label=labels[k] if lines.shape[1] > 1 else None, **look)
    ax.set_title(titled(run, name), loc="left", parse_math=False)
    ax.margins(x=0)
    if lines.shape[1] > 1:
        _legend(ax, 3 if values.ndim == 3 else 1 + lines.shape[1] // 7)
    scale = float(np.abs(lines).max(initial=0.0))
    if lines.size and np.ptp(lines) <= 1e-9 * scale:  # a constant is drawn as one, not as its rounding
        centre = float(lines.flat[0])
        ax.set_ylim(centre - (0.5 * scale or 1.0), centre + (0.5 * scale or 1.0))


__all__ = ["compare_channels", "default_channels", "energy_figure", "plot_channels", "save_figure", "titled"]
