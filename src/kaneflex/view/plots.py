"""Static figures of a run, without a display: channels over time, stacked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.files import atomic_write
from kaneflex.model.joints import CustomJoint

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

#: Units by the last word of a channel's name.
_UNITS = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s²",
    "omega": "rad/s",
    "alpha": "rad/s²",
    "kinetic": "J",
    "potential": "J",
    "total": "J",
    "linear": "kg m/s",
    "angular": "kg m²/s",
    "central": "kg m²/s",
    "power": "W",
    "dissipation": "W",
    "deflection": "m",
    "slope": "rad",
    "strain_energy": "J",
    "strain_energies": "J",
    "current_mass": "kg",
    "outlet_power": "W",
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
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(8.0, 0.6 + 1.75 * len(wanted)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(wanted), 1, sharex=True, squeeze=False)[:, 0]
        for ax, name in zip(axes, wanted, strict=True):
            _draw(ax, run, name)
        axes[-1].set_xlabel("t, s")
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
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(8.0, 0.8 + 1.75 * len(wanted)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(wanted), 1, sharex=True, squeeze=False)[:, 0]
        for ax, name in zip(axes, wanted, strict=True):
            _draw_several(ax, runs, name)
        axes[-1].set_xlabel("t, s")
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
        unit = unit_of(run, name)
        title = name if not unit else f"{name}, {unit}"
        labels = labels_of(run, name, lines.shape[1])
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


def default_channels(run: "Run") -> list[str]:
    """Coordinates of the first joints that move, and the total energy."""
    moving = [f"{name}.q" for name, joint in run.plan.index.joints.items() if joint.coordinates]
    return [*moving[: _FEW - 1], "energy.total"]


def energy_figure(run: "Run") -> Any:
    """Kinetic, potential and total energy in one pair of axes."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(9.0, 2.9), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        for word, colour in zip(("kinetic", "potential", "total"), COLOURS, strict=False):
            ax.plot(run.t, run[f"energy.{word}"], color=colour, label=word)
        ax.set_xlabel("t, s")
        ax.set_ylabel("energy, J")
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        ax.margins(x=0)
    return figure


def _draw(ax: Any, run: "Run", name: str) -> None:
    values = np.asarray(run[name])
    lines = values.reshape(len(run.t), -1)
    labels = labels_of(run, name, lines.shape[1])
    for k in range(lines.shape[1]):
        look = {"color": COLOURS[k % len(COLOURS)], "linestyle": "-" if k < len(COLOURS) else "--"}
        ax.plot(run.t, lines[:, k], label=labels[k] if lines.shape[1] > 1 else None, **look)
    unit = unit_of(run, name)
    ax.set_title(name if not unit else f"{name}, {unit}", loc="left", parse_math=False)
    ax.margins(x=0)
    if lines.shape[1] > 1:
        _legend(ax, 3 if values.ndim == 3 else 1 + lines.shape[1] // 7)
    scale = float(np.abs(lines).max(initial=0.0))
    if lines.size and np.ptp(lines) <= 1e-9 * scale:  # a constant is drawn as one, not as its rounding
        centre = float(lines.flat[0])
        ax.set_ylim(centre - (0.5 * scale or 1.0), centre + (0.5 * scale or 1.0))


def labels_of(run: "Run", name: str, count: int) -> list[str]:
    """Names of the components of a channel."""
    head, _, tail = name.partition(".")
    joint = run.plan.index.joints.get(head)
    if joint is not None and tail == "q":
        return list(joint.coordinate_names)
    if joint is not None and tail in ("rate", "u", "load"):
        return list(joint.speed_names)
    if count == 9:
        return [f"R{i}{j}" for i in "123" for j in "123"]
    if count == 3:
        return ["x", "y", "z"]
    return [str(k + 1) for k in range(count)]


def unit_of(run: "Run", name: str) -> str:
    """Unit of a channel where its kind tells; empty where it does not, or where components differ."""
    head, _, tail = name.partition(".")
    last = name.rpartition(".")[2]
    joint = run.plan.index.joints.get(head)
    if head in run.plan.index.rotors:
        return "rad/s" if tail in ("rate", "u") else ""
    if joint is not None and name in run.plan.index.rates:
        word = tail.removesuffix(".rate")
        known = word in joint.speed_names and not isinstance(run.model.parts[head].joint, CustomJoint)
        return "" if not known else "rad/s" if _turns(word, joint.quaternion is not None) else "m/s"
    if joint is None or tail not in ("q", "rate", "u", "load", *joint.coordinate_names):
        return _UNITS.get(last, "")
    if isinstance(run.model.parts[head].joint, CustomJoint):
        return ""
    if tail in ("rate", "u", "load"):
        turns = {_turns(word, joint.quaternion is not None) for word in joint.speed_names}
        units = ("N m", "N") if tail == "load" else ("rad/s", "m/s")
        return units[0] if turns == {True} else units[1] if turns == {False} else ""
    words = joint.coordinate_names if tail == "q" else (tail,)
    kinds = {"rad" if w.startswith("angle") else "" if w[0] == "e" else "m" for w in words}
    return kinds.pop() if len(kinds) == 1 else ""


def _turns(speed: str, quaternion: bool) -> bool:
    """Whether a speed is angular."""
    return speed.startswith("w" if quaternion else "angle")


__all__ = ["compare_channels", "default_channels", "energy_figure", "plot_channels", "save_figure"]
