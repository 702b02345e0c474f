"""Two solar arrays with closed loops of cable unfold from a spinning satellite and latch.

Source: accordion-folded arrays with synchronising cables; closed form derived for this file.

On both sides of a bus with the inertia J_b about the normal, at the distance d from its centre, n panels of width w, mass m
and inertia J_p are hinged in a row; cables over drums keep neighbours at the angles +t and -t. From the bus the centre of
panel i is at r = (d + (i + 1/2) w cos t, (w/2) sin t). The bus stays where it is and turns at the rate o; of both arrays

    J = J_b + 2 sum (m r.r + J_p) ,   A = 2 sum (m (r × r')_z + J_p (-1)^i) ,   B = 2 sum (m r'.r' + J_p) ,             (1)

r' being dr/dt, so that the angular momentum H = J o + A t' is constant, and the kinetic energy is

    T = H^2/(2 J) + M t'^2/2 ,    M = B - A^2/J .                                                                     (2)

Torsion springs in all hinges, turned by t + p at the root and by 2 t + p else, unfold the arrays from rest at t_0. At t = 0
a latch at each root catches: a plastic impact, in which M t'^2/2 is lost, and o becomes H/J. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.builders import folded_array, latch
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, largest_difference, legend, panels, title, unfolding_time
from kaneflex.model.bodies import Rigid
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free
from kaneflex.model.shapes import Box
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "panels": 5, "width": 0.8, "mass": 2.0, "bus": 60.0, "inertia": 12.0, "distance": 0.5, "start": 1.45, "spin": 0.15,
    "stiffness": 0.1, "preload": 0.4,
}  # fmt: skip
AFTER = 0.2  # of the time to unfold, seen after the latches
ROOTS = ("", "second_")  # prefixes of the two arrays


def build(p: Parameters) -> System:
    """The satellite with both arrays folded, spinning."""
    d, J = p["distance"], p["inertia"]
    sides = {"first": (d, 0, 0), "second": Frame((-d, 0, 0), (("z", math.pi),))}
    s = System("satellite with solar arrays")
    s.add("bus", Rigid(p["bus"], inertia=(J, J, J), frames=sides), Free(), rates=(0, 0, 0, 0, 0, p["spin"]))
    s.show("bus", Box((2 * d, 2 * d, 2 * d), color="gold"))
    for side, prefix in zip(sides, ROOTS, strict=True):
        folded_array(
            p["panels"], width=p["width"], mass=p["mass"], angle=p["start"], stiffness=p["stiffness"], preload=p["preload"],
            system=s, parent="bus", at=side, prefix=prefix,
        )  # fmt: skip
    return s


def latches() -> Event:
    """Both roots are locked when the arrays are straight."""
    return latch([f"{prefix}panel0" for prefix in ROOTS], 0.0, direction=-1, name="latches catch")


def sums(t: Any, p: Parameters) -> tuple[Any, Any, Any]:
    """J, A and B of (1)."""
    w, m, J = p["width"], p["mass"], p["mass"] * p["width"] ** 2 / 6
    c, s = np.cos(t), np.sin(t)
    total, A, B = p["inertia"], 0.0 * c, 0.0 * c
    for i in range(p["panels"]):
        along = (i + 0.5) * w
        x, y = p["distance"] + along * c, w / 2 * s
        total = total + 2 * (m * (x * x + y * y) + J)
        A = A + 2 * (m * (x * w / 2 * c + y * along * s) + J * (-1) ** i)
        B = B + 2 * (m * ((along * s) ** 2 + (w / 2 * c) ** 2) + J)
    return total, A, B


def mass(t: Any, p: Parameters) -> Any:
    """M of (2)."""
    J, A, B = sums(t, p)
    return B - A * A / J


def work(t: Any, p: Parameters) -> Any:
    """Of the springs and of the spin since the start, J."""
    start, pre, n = p["start"], p["preload"], p["panels"]
    springs = p["stiffness"] * (start - t) * (start + t + 2 * pre + (n - 1) * 4 * (start + t + pre))
    begin = sums(start, p)[0]
    return springs + (p["spin"] * begin) ** 2 / 2 * (1 / begin - 1 / sums(t, p)[0])


def unfolding(p: Parameters) -> float:
    """Time until the latches catch."""
    return unfolding_time(lambda t: float(mass(t, p)), lambda t: float(work(t, p)), p["start"], 0.0)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until some time after the latches."""
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    time = unfolding(p)
    return system.simulate(
        (1 + AFTER) * time, output=time / 100, events=[latches()], formulation=formulation, speeds=speeds, **tight
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """When the latches catch, what they take, the spin before and after, the cables, and energy."""
    time, H = unfolding(p), p["spin"] * sums(p["start"], p)[0]
    caught = [t for t, name in run.events if name == "latches catch"][:1]
    before, after = run.t < time - 1e-9, run.t > time + 1e-9
    t, rate, spin = run["panel0.q"], run["panel0.rate"], run["bus.omega"][:, 2]
    J, A, _ = sums(t[before], p)
    lost = -float(np.diff(run.impacts[0].energy)[0]) if run.impacts else math.nan
    last = f"second_panel{p['panels'] - 1}.q"
    ratio = (1 if p["panels"] == 1 else 2) * (-1) ** (p["panels"] - 1)
    expected = H / sums(0.0, p)[0]
    wobble = largest_difference(spin[before], (H - A * rate[before]) / J)
    took = float(work(0.0, p))
    return [
        Check("latches catch at, s", caught[0] if caught else math.nan, time, 2e-10 * time, "quadrature of (2)"),
        Check("energy that the latches take, J", lost, took, 4e-9 * took, "closed form (2)"),
        Check("spin while unfolding, largest difference, rad/s", wobble, 0.0, 1e-9, "angular momentum (1)"),
        Check("spin at the end, rad/s", float(spin[after][-1]), expected, 1e-9, "angular momentum (1)"),
        Check("last hinge, largest difference, rad", largest_difference(run[last], ratio * t), 0.0, 3e-13, "cables"),
        balance(run, 1e-8),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Angle, spin, and the arrays from above."""
    picture, axes = panels(2, 2, size=(9.6, 5.2), width_ratios=(1.2, 1))
    top, bottom = axes[:, 0]
    time = unfolding(p)
    top.plot(run.t, np.degrees(run["panel0.q"]), label="angle of the panels")
    bottom.plot(run.t, run["bus.omega"][:, 2], label="spin of the bus")
    bottom.axhline(p["spin"] * sums(p["start"], p)[0] / sums(0.0, p)[0], color=GREY, lw=0.8, ls="--", label="H/J unfolded")
    top.set(ylabel="angle, deg", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="rate, rad/s")
    for ax in (top, bottom):
        ax.axvline(time, color=GREY, lw=0.8, ls=":")
        legend(ax)
    for ax in axes[:, 1]:
        ax.remove()
    plan = picture.add_subplot(axes[0, 1].get_gridspec()[:, 1])
    for m, k in enumerate(np.searchsorted(run.t, np.array([0.0, 0.6, 0.8, 1.0]) * time)):
        for prefix in ROOTS:
            names = [f"{prefix}panel{i}.position" for i in range(p["panels"])]
            ends = [*(run[name][k, :2] for name in names), run[f"{prefix}panel{p['panels'] - 1}.tip.position"][k, :2]]
            plan.plot(*np.array(ends).T, "-o", color=COLOURS[0], alpha=0.25 + 0.25 * m, ms=3)
    plan.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    title(picture, "Solar arrays unfold from a spinning satellite")
    return picture


EXAMPLE = Example(
    name="solar-array",
    title="Solar arrays with loops of cable unfold from a spinning satellite and latch",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="large structures",
    source="accordion-folded arrays; closed form derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
