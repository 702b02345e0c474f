"""A chain that slides off a table: its overhang grows as a hyperbolic cosine, and it lets go of the edge on the way.

Source: a problem of every textbook of mechanics; closed forms derived for this file.

A chain of length L lies on a smooth table, straight towards the edge, and hangs over it by x. All of it moves with one
speed, and a smooth guide leads it around the edge. With r its mass per length, energy gives

    x'' = g x/L ,   x = x0 cosh(sqrt(g/L) t) ,   T = r g x (L - x)/L ,                                                    (1)

T being the tension at the edge. The guide turns the chain by pushing it forwards and up, each with

    T - r x'^2 = r g (x (L - x) - x^2 + x0^2)/L ,                                                                         (2)

which is zero at x = (L + sqrt(L^2 + 8 x0^2))/4. There a chain that is not held leaves the edge, and its momentum forwards,
r (L - x) x', is largest.

Here the chain is a row of beads, the first and last of half the mass, at equal distances. Each rides by a joint of one
coordinate on the curve exp(x/b) + exp(z/b) = 1, table and vertical with the edge rounded over some b. A chain on any smooth
curve is accelerated by g/L times the difference in height of its ends: x is the depth of the leading bead. Units: SI.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, largest_difference, legend, panels, title
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Distance
from kaneflex.model.joints import CustomJoint
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"length": 1.0, "mass": 0.5, "overhang": 0.2, "n": 40, "gravity": 9.81}
ROUND = 1.4  # size of the rounded edge over the distance of two beads
UNTIL = 0.8  # of the chain hang down at the end of the run


def edge(p: Parameters) -> float:
    """b of the guide, m."""
    return ROUND * float(p["length"]) / p["n"]


def build(p: Parameters) -> System:
    """The beads at rest, x to where the chain slides, z up, the edge at the origin."""
    L, m, n = positive(p["length"], "length"), positive(p["mass"], "mass"), p["n"]
    if n < 10 or not 0.05 * L < p["overhang"] < 0.5 * L:
        raise ModelError("n, overhang: give 10 beads or more, and an overhang of 0.05 to 0.5 of the length")
    b, d = edge(p), L / n

    def on_guide(q: Any) -> Any:
        return [[1, 0, 0], [0, 1, 0], [0, 0, 1]], (
            -b * symengine.log(1 + symengine.exp(-q[0])),
            0,
            -b * symengine.log(1 + symengine.exp(q[0])),
        )

    system = System("chain off a table", gravity=(0, 0, -positive(p["gravity"], "gravity")))
    place = lambda u: -b * np.logaddexp(0, [-u, u])
    u = math.log(math.expm1(p["overhang"] / b))
    joint = CustomJoint(on_guide, ("along",))
    for k in range(n + 1):
        system.add(f"bead{k}", PointMass(m / n / (2 if k in (0, n) else 1)), joint, q=u, rates=0.0)
        system.show(f"bead{k}", Sphere(0.2 * d))
        last = u
        u = brentq(lambda v: float(np.linalg.norm(place(v) - place(last))) - d, u - 2 - 2 * d / b, u, xtol=1e-15)  # noqa: B023
    for k in range(n):
        system.constrain(f"link{k}", Distance(f"bead{k}", f"bead{k + 1}", d))
    system.show("N", Box((L, 0.3 * L, 0.02 * L), position=(-0.5 * L, 0, -0.015 * L), color="silver"))
    return system


def end(p: Parameters) -> float:
    """When the run ends, s."""
    return math.acosh(UNTIL * p["length"] / p["overhang"]) / math.sqrt(p["gravity"] / p["length"])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until most of the chain hangs."""
    fine: dict[str, Any] = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11}
    return system.simulate(end(p), formulation=formulation, speeds=speeds, output=end(p) / 100, **fine)


def overhang(p: Parameters, t: Any) -> Any:
    """x of (1)."""
    return p["overhang"] * np.cosh(math.sqrt(p["gravity"] / p["length"]) * t)


def push(p: Parameters, x: Any) -> Any:
    """(2) at an overhang x, N."""
    return p["mass"] * p["gravity"] / p["length"] ** 2 * (x * (p["length"] - x) - x**2 + p["overhang"] ** 2)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Overhang, speed and momentum, extrapolated from this run and one with half the beads and an edge twice as round."""
    L, m, g, x0 = (float(p[name]) for name in ("length", "mass", "gravity", "overhang"))
    coarse = {**p, "n": p["n"] // 2}
    rough = simulate(build(coarse), coarse)

    def limit(channel: str, axis: int) -> np.ndarray:
        """A channel without the part of its error that is proportional to the roundness of the edge."""
        one, two = run[channel][:, axis], rough[channel][:, axis]
        return np.asarray(one + (one - two) / (p["n"] / coarse["n"] - 1))

    x = overhang(p, run.t)
    speed = math.sqrt(g / L) * np.sqrt(x**2 - x0**2)
    forward, wanted = limit("momentum.linear", 0), m / L * (L - x) * speed
    leaves = (L + math.sqrt(L**2 + 8 * x0**2)) / 4
    found = CubicSpline(run.t, forward).derivative().roots(extrapolate=False)
    source = "closed form (1)"
    return [
        Check("overhang, largest difference, m", largest_difference(-limit("bead0.position", 2), x), 0.0, 1e-3 * L, source),
        Check(
            "speed, largest difference, m/s",
            largest_difference(-limit("bead0.velocity", 2), speed),
            0.0,
            2e-3 * speed[-1],
            source,
        ),
        Check(
            "momentum forwards, largest difference, N s",
            largest_difference(forward, wanted),
            0.0,
            5e-3 * wanted.max(),
            source,
        ),
        Check("momentum forwards, largest, N s", float(forward.max()), float(wanted.max()), 3e-3 * wanted.max(), source),
        Check(
            "overhang where the edge lets go, m", float(overhang(p, found[-1])), leaves, 0.01 * L, "closed form: (2) is zero"
        ),
        balance(run, 1e-8),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The chain at some times, overhang and force of the edge."""
    picture, (left, middle, right) = panels(1, 3, size=(10.4, 3.8))
    for n, k in enumerate(range(0, len(run.t), 25)):
        places = np.array([run[f"bead{j}.position"][k] for j in range(p["n"] + 1)])
        left.plot(places[:, 0] + 0.01 * n, places[:, 2] + 0.01 * n, ".-", ms=3, lw=0.8, color=COLOURS[n % len(COLOURS)])
    left.set(xlabel="x, m (moved apart)", ylabel="z, m", aspect="equal")
    middle.plot(run.t, -run["bead0.position"][:, 2], label="run")
    middle.plot(run.t[::6], overhang(p, run.t[::6]), "o", color=GREY, mfc="white", ms=4, label="closed form")
    middle.set(xlabel="t, s", ylabel="overhang, m")
    legend(middle, loc="upper left")
    right.plot(run.t, p["mass"] * run["mass_centre.acceleration"][:, 0])
    right.plot(run.t[::6], push(p, overhang(p, run.t[::6])), "o", color=GREY, mfc="white", ms=4)
    right.axhline(0, color=GREY, lw=0.6)
    right.set(xlabel="t, s", ylabel="push of the edge, N")
    title(picture, "Chain that slides off a table")
    return picture


EXAMPLE = Example(
    name="chain-off-table",
    title="Chain that slides off a table: hyperbolic cosine, and where it leaves the edge",
    document="Classics",
    source="closed forms",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
