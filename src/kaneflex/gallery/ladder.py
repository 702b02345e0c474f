"""A ladder that slides down a smooth wall: the forces of its constraints are brought into evidence by multipliers.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), section 1.8, a simple application of
Kane's equations with undetermined multipliers. The ladder is the textbook's, e.g. D. T. Greenwood, Principles of
Dynamics.

A thin uniform rod of mass m and length L has its top on a wall and its foot on a floor, both smooth. As a free body in
the plane it has three speeds, those of its mass centre (x, y) and of its turn; two points on two planes leave one
freedom, and the multipliers of the two equations are the forces of wall and floor. With t the angle from the wall, from
rest at t0,

    t'' = w^2 sin t ,   t'^2 = 2 w^2 (cos t0 - cos t) ,   w^2 = 3 g/(2 L)                                          (1)

    wall = (3/4) m g sin t (3 cos t - 2 cos t0) ,   floor = (m g/4) (1 + 9 cos^2 t - 6 cos t cos t0)               (2)

    sin((pi - t)/2) = k cd(w time, k) ,   k = cos(t0/2)                                                           (3)

with Jacobi's elliptic function cd. At cos t = (2/3) cos t0 the wall would have to pull: the ladder leaves it there, at
the time (K(k) - F(asin(cos(t/2)/k), k))/w, K and F the elliptic integrals. The run keeps it on the wall a little longer,
so that the sign of the multiplier is seen to change. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ellipj, ellipk, ellipkinc

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import PointOnPlane
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Planar
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 12.0, "length": 4.0, "gravity": 9.81, "angle": 0.3}
SAMPLES = 240
LONGER = 1.2  # the run's duration in terms of the time at which the ladder leaves the wall


def build(p: Parameters) -> System:
    """The ladder at rest; x from the wall, y up, its origin in its middle."""
    m, l, t = positive(p["mass"], "mass"), positive(p["length"], "length"), p["angle"]
    if not 0 < t < math.pi / 2:
        raise ModelError(f"an angle of {t:g} rad does not lean on the wall: give one between 0 and pi/2")
    ladder = Rigid(m, inertia=(m * l**2 / 12, 0, m * l**2 / 12), frames={"top": (0, l / 2, 0), "foot": (0, -l / 2, 0)})
    system = System("ladder", gravity=(0, -positive(p["gravity"], "gravity"), 0))
    system.add("ladder", ladder, Planar("z"), q=(l / 2 * math.sin(t), l / 2 * math.cos(t), t))
    system.constrain("wall", PointOnPlane("ladder.top", Frame(rotation=(("y", math.pi / 2),))))
    system.constrain("floor", PointOnPlane("ladder.foot", Frame(rotation=(("x", -math.pi / 2),))))
    rungs = [rod((0, y * l, -0.06 * l), (0, y * l, 0.06 * l), 0.006 * l, color="grey") for y in np.linspace(-0.42, 0.42, 9)]
    system.show("ladder", *(Box((0.01 * l, l, 0.02 * l), position=(0, 0, z * l)) for z in (-0.06, 0.06)), *rungs)
    system.show("N", Box((0.04 * l, 1.1 * l, 0.5 * l), position=(-0.02 * l, 0.55 * l, 0), color="silver"))
    system.show("N", Box((1.2 * l, 0.04 * l, 0.5 * l), position=(0.6 * l, -0.02 * l, 0), color="silver"))
    return system


def leaves(p: Parameters) -> tuple[float, float]:
    """Angle from the wall and time at which the force of the wall vanishes, by (2) and (3)."""
    k, w = math.cos(p["angle"] / 2), math.sqrt(1.5 * p["gravity"] / p["length"])
    t = math.acos(2 / 3 * math.cos(p["angle"]))
    return t, float(ellipk(k**2) - ellipkinc(math.asin(math.cos(t / 2) / k), k**2)) / w


def angle(time: Any, p: Parameters) -> np.ndarray:
    """The angle from the wall, (3)."""
    k, w = math.cos(p["angle"] / 2), math.sqrt(1.5 * p["gravity"] / p["length"])
    _, cn, dn, _ = ellipj(w * np.asarray(time), k**2)
    return np.pi - 2 * np.arcsin(k * cn / dn)


def forces(t: Any, p: Parameters) -> dict[str, np.ndarray]:
    """Forces of wall and floor at angles t, (2), N."""
    weight, c, c0 = p["mass"] * p["gravity"], np.cos(t), math.cos(p["angle"])
    return {
        "wall": 0.75 * weight * np.sin(t) * (3 * c - 2 * c0),
        "floor": 0.25 * weight * (1 + 9 * c**2 - 6 * c * c0),
    }


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From rest until a fifth longer than the wall pushes."""
    times = np.linspace(0, LONGER * leaves(p)[1], SAMPLES + 1)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, times=times
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Motion, multipliers, and the instant at which the wall lets go; what the multipliers must balance."""
    exact, weight = angle(run.t, p), p["mass"] * p["gravity"]
    gap = float(np.abs(run["ladder.angle"] - exact).max())
    found = [Check("angle, largest difference, rad", gap, 0.0, 5e-11, "closed form: (3)")]
    for name, wanted in forces(exact, p).items():
        gap = float(np.abs(run[f"{name}.multipliers"] - wanted).max())
        found.append(Check(f"multiplier of the {name}, largest difference, N", gap, 0.0, 5e-11 * weight, "closed form: (2)"))
    t, time = leaves(p)
    zero = CubicSpline(run.t, run["wall.multipliers"]).roots(extrapolate=False)
    lets_go = float(zero[0]) if len(zero) else math.nan
    turned = float(CubicSpline(run.t, run["ladder.angle"])(lets_go))
    source = "closed form: zero of (2), elliptic integrals"
    found += [
        Check("time at which the wall lets go, s", lets_go, time, 1e-10, source),
        Check("angle at which the wall lets go, rad", turned, t, 1e-10, "closed form: cos t = (2/3) cos t0"),
    ]
    return [*found, *_newton(run, p), balance(run, 1e-11)]


def _newton(run: Run, p: Parameters) -> list[Check]:
    """Multipliers, weight and the acceleration of the mass centre, in the whole run."""
    a, weight = run["mass_centre.acceleration"], p["mass"] * p["gravity"]
    across = np.abs(run["wall.multipliers"] - p["mass"] * a[:, 0]).max()
    up = np.abs(run["floor.multipliers"] - weight - p["mass"] * a[:, 1]).max()
    source = "identity: Newton's law of the mass centre"
    return [
        Check("wall less mass times acceleration, N", float(across), 0.0, 1e-12 * weight, source),
        Check("floor less weight less mass times acceleration, N", float(up), 0.0, 1e-12 * weight, source),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Both forces over the angle beside the closed form, and the ladder at successive instants."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2), width_ratios=(1.5, 1))
    degrees = np.degrees(run["ladder.angle"])
    t, time = leaves(p)
    exact = forces(np.linspace(p["angle"], run["ladder.angle"][-1], 25), p)
    marks = np.degrees(np.linspace(p["angle"], run["ladder.angle"][-1], 25))
    for colour, name in zip(COLOURS, ("floor", "wall"), strict=False):
        left.plot(degrees, run[f"{name}.multipliers"], color=colour, label=f"multiplier of the {name}")
        left.plot(marks, exact[name], "o", color=colour, mfc="white", ms=4, label="closed form")
    left.axhline(0, color=GREY, linewidth=0.8)
    left.axvline(math.degrees(t), color=GREY, linestyle=":", label="the wall would pull")
    left.set(xlabel="angle from the wall, degrees", ylabel="force on the ladder, N")
    legend(left, loc="lower left")
    left.margins(y=0.2)
    for k in range(SAMPLES, -1, -SAMPLES // 12):
        x, y = np.array([run["ladder.top.position"][k, :2], run["ladder.foot.position"][k, :2]]).T
        held = run.t[k] <= time
        right.plot(x, y, color=COLOURS[0] if held else GREY, linestyle="-" if held else ":", lw=1.4)
    right.plot(*run["ladder.position"][:, :2].T, color=COLOURS[1], lw=1, label="mass centre")
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    right.margins(0.04)
    legend(right, loc="upper right")
    title(picture, "Ladder on a smooth wall: forces of constraint by multipliers")
    return picture


EXAMPLE = Example(
    name="ladder",
    title="Ladder on a smooth wall: forces of constraint by multipliers (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 1",
    source="stand-in for section 1.8; closed form, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
