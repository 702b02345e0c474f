"""What the gallery's files have in common: bars, reading a run at a time, comparing rows, shapes, how figures look."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import linear_sum_assignment

from kaneflex.gallery.contract import Check, Parameters
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.shapes import Box, Cone, Cylinder, Mesh, Tube
from kaneflex.results.run import Run
from kaneflex.structures.modes.efficient_speeds import lost_motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Blue, vermilion, green, amber, violet, teal, brown: apart from each other in print and for the colour-blind.
COLOURS = ("#2563a8", "#d1553b", "#3a8f5c", "#e0a030", "#7a5aa6", "#3b9fb0", "#8a6048")
GREY = "#6b7280"


def unchanged(p: Parameters, defaults: Parameters, *free: str) -> bool:
    """Whether the parameters are the defaults, those named in `free` apart: only then do printed numbers apply."""
    return all(p[key] == value for key, value in defaults.items() if key not in free)


def sample(run: Run, t: float) -> int:
    """The sample of a run at time t, which must be one of its times."""
    k = int(np.argmin(np.abs(run.t - t)))
    if abs(run.t[k] - t) > 1e-9 * max(1.0, abs(t)):
        raise ModelError(f"the run has no sample at t = {t:g} s")
    return k


def worst(what: str, names: Sequence[str], values: Any, references: Any, tolerance: Any, source: str) -> Check:
    """A row of a table as one check: the entry that differs most from its reference, measured by the tolerance."""
    x, y = np.ravel(np.asarray(values, float)), np.ravel(np.asarray(references, float))
    allowed = np.broadcast_to(np.asarray(tolerance, float), x.shape)
    ratio = np.abs(x - y) / allowed
    k = int(np.argmax(np.where(np.isnan(ratio), np.inf, ratio)))
    label = f"{what}: {names[k]}" if len(names) == 1 else f"{what}: {names[k]}, worst of {len(names)}"
    return Check(label, float(x[k]), float(y[k]), float(allowed[k]), source)


def largest_difference(values: Any, references: Any) -> float:
    """Of two curves."""
    return float(np.abs(np.asarray(values) - references).max())


def poles_off(found: Any, wanted: Any, *, relative: bool = False) -> float:
    """Largest distance of the poles wanted from those found, each from one of its own.

    Args:
        found: as many or more.
        wanted: not zero where distances are relative.
        relative: to the size of the pole that is wanted.
    """
    poles = np.ravel(wanted)
    apart = np.abs(np.subtract.outer(poles, np.ravel(found)))
    if relative:
        apart /= np.abs(poles)[:, None]
    return float(apart[linear_sum_assignment(apart)].max())


def rounding(text: str) -> float:
    """Half a unit of the last printed digit of a number."""
    mantissa, _, exponent = text.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def balance(run: Run, tolerance: float) -> Check:
    """Largest |E - E(0) - work| of a run, relative to its energy scale: zero by the work-energy theorem."""
    return Check("energy balance, relative", run.audit.energy_drift, 0.0, tolerance, "identity: E - E(0) = work done")


def unfolding_time(mass: Callable[[float], float], work: Callable[[float], float], start: float, end: float) -> float:
    """Time in which a coordinate x falls from rest at `start` to `end`, by the energy M(x) x'^2/2 = work(x) done since then.

    With x = start - s^2 the integrand has no singularity.
    """

    def slowness(s: float) -> float:
        x = start - s * s
        return 2 * s * math.sqrt(mass(x) / (2 * work(x)))

    return float(quad(slowness, 0.0, math.sqrt(start - end), epsabs=0, epsrel=1e-12, limit=200)[0])


def unfolding_figure(run: Run, x: Any, what: str, work: Any) -> tuple[Figure, Any]:
    """A coordinate that unfolds and the energy over time, and axes in three dimensions beside them for the structure.

    Args:
        run: with the kinetic energy.
        x: values of the coordinate, rad.
        what: its name.
        work: of the springs since the start, J.
    """
    picture, axes = panels(2, 2, size=(9.6, 5.2), width_ratios=(1, 1.2))
    (top, beside), (bottom, below) = axes
    top.plot(run.t, x, label=what)
    bottom.plot(run.t, run["energy.kinetic"], label="kinetic energy")
    bottom.plot(run.t[::5], work[::5], "o", color=GREY, mfc="white", ms=4, label="work of the springs")
    top.set(ylabel="angle, rad", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="energy, J")
    for ax in (top, bottom):
        legend(ax)
    space = picture.add_subplot(top.get_gridspec()[:, 1], projection="3d")
    for ax in (beside, below):
        ax.remove()
    space.set_axis_off()
    return picture, space


def bar(m: float, l: float) -> Rigid:
    """A thin uniform bar along x from its origin to its tip."""
    J = m * l**2 / 12
    return Rigid(m, com=(l / 2, 0, 0), inertia=(0, J, J), frames={"tip": (l, 0, 0)})


def rod(start: Any, end: Any, radius: float, **look: Any) -> Tube:
    """A straight round rod between two points of a body, to look at."""
    return Tube((start, end), radius, **look)


def drum(radius: float, length: float, axis: str = "z", **look: Any) -> Cylinder:
    """A cylinder about an axis of its body: hub, disk, wheel or pin, to look at."""
    turn = {"x": ("y", np.pi / 2), "y": ("x", -np.pi / 2), "z": ("z", 0.0)}[axis]
    return Cylinder(radius, length, rotation=(turn,), **look)


def support(at: Any, height: float, axis: str = "y") -> tuple[Cone, Box]:
    """What a pivot on the ground stands on, to look at: a cone up to it along an axis of N, and a foot.

    Args:
        at: the pivot, m.
        height: of the cone, m; with a minus sign it hangs down to the pivot.
        axis: "x", "y" or "z", which is up.
    """
    up = np.eye(3)["xyz".index(axis)]
    turn = np.column_stack([np.roll(up, 1), np.roll(up, 2), up]) * np.array([1.0, np.sign(height), np.sign(height)])
    base, h = np.array(at) - height * up, abs(height)
    cone = Cone(0.5 * h, h, position=base, rotation=turn, color="grey")
    return cone, Box((1.6 * h, 1.6 * h, 0.2 * h), position=base - 0.1 * height * up, rotation=turn, color="silver")


def lathed(profile: Any, scale: Any = (1.0, 1.0), sides: int = 48, **look: Any) -> Mesh:
    """A body of revolution about z, to look at.

    Args:
        profile: (radius, z) of its outline, m, from the bottom up; closed where the first and last radius are zero.
        scale: factors on x and y, for elliptic sections.
        sides: corners of each circle.
        look: position, rotation, color and opacity.
    """
    r, z = np.array(profile, dtype=float).T
    angle = 2 * np.pi * np.arange(sides) / sides
    x, y = scale[0] * np.outer(r, np.cos(angle)), scale[1] * np.outer(r, np.sin(angle))
    vertices = np.stack([x, y, np.broadcast_to(z[:, None], x.shape)], axis=-1).reshape(-1, 3)
    a = (sides * np.arange(len(r) - 1)[:, None] + np.arange(sides)).ravel()
    b = (sides * np.arange(len(r) - 1)[:, None] + np.roll(np.arange(sides), -1)).ravel()
    lower, upper = np.column_stack([a, b, b + sides]), np.column_stack([a, b + sides, a + sides])
    ring, wide = np.arange(len(vertices)) // sides, np.repeat(r, sides) > 0
    corner = np.where(wide, np.arange(len(vertices)), sides * ring)  # a ring without radius is one point
    return Mesh(vertices, corner[np.concatenate([lower[wide[a]], upper[wide[a + sides]]])], **look)


def redundant(run: Run, count: int, source: str) -> Check:
    """Number of loop conditions that follow from the others, as assembling found it."""
    found = run.assembly.redundant if run.assembly is not None else ()
    return Check("redundant conditions of the closing joint", float(len(found)), float(count), 0.5, source)


def panels(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (7.2, 4.4), **arguments: Any
) -> tuple[Figure, Any]:
    """A figure and its axes in the gallery's style."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=size, dpi=120, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06))
    axes = figure.subplots(rows, columns, **arguments)
    for ax in np.ravel(axes):
        dress(ax)
    return figure, axes


def dress(ax: Axes) -> None:
    """Light grid, no box, inherited by every axes of the gallery."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.set_prop_cycle(color=list(COLOURS))
    ax.margins(x=0.01)


def solid(ax: Any) -> None:
    """The same for axes in three dimensions."""
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor("#d1d5db")
        axis._axinfo["grid"].update(color="#e5e7eb", linewidth=0.6)


def legend(ax: Axes, **arguments: Any) -> None:
    """A legend without a box."""
    ax.legend(**{"frameon": False, "fontsize": "small", **arguments})


def title(figure: Figure, text: str) -> None:
    """The figure's title, at the left."""
    figure.suptitle(text, x=0.01, ha="left", fontsize="medium", fontweight="bold")


def lost_stiffness(run: Run, body: str) -> float:
    """Part of its stiffness that a body may have too much while it turns as fast as it does in a run.

    That is what efficient modal speeds ("constant-mass") leave out: what the modes do not span of their own rotation, as the
    square of spin over lowest frequency. Nothing with other speeds.
    """
    if run.plan.speeds != "constant-mass":
        return 0.0
    modal: Any = run.plan.index.modes[body].modal
    spin = float(np.linalg.norm(run[f"{body}.omega"], axis=1).max())
    return lost_motion(modal) * (spin / float(modal.frequencies.min())) ** 2
