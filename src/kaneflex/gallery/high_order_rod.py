"""Rods by a few polynomials of their strain: spun up, bent by a dead load, rolled up to circles, bent in space.

Sources: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 10, which divides such beams into rods;
J. C. Simo, L. Vu-Quoc, CMAME 66 (1988) 125-161 for the arm of 10 m; K.-J. Bathe, S. Bolourchi, Int. J. Numer. Meth. Engng 14
(1979) 961 for the bend of 45 degrees.

The run: a rod on a base that turns about z by the ramp W(t) = (W_s/T) [t - T/(2 pi) sin(2 pi t/T)], its root on the axis.
Its coordinates are coefficients eta of curvature and stretch along the arc s,

    kappa = sum eta_k P_k ,   e = 1 + sum eta_l P_l ,    angle' = kappa ,   r' = e (cos angle, sin angle) ,              (1)

exact for any angle, so that nothing has to be added for the stiffening by rotation. The checks bend further rods:

- a cantilever under a dead load across its tip. Its shape is Euler's elastica: with p = sin(pi/4 + slope/2) and
  sin f = 1/(p sqrt 2), P L^2/EI = a^2, a = K(p) - F(f, p), x/L = sqrt(2 sin slope)/a, y/L = 1 - 2 [E(p) - E(f, p)]/a;   (2)
- one under the end moment 2 pi n EI/L, whose curvature is constant: one coefficient rolls it up to n circles, exactly;
- a bend of 45 degrees and radius 100 under a force of 600 across its plane, with twist, stretch and shear.

Where loads are smooth, errors fall by a constant factor with every coefficient; a chain of n rods has them like 1/n^2.
Units: SI, rad (the bend: those of its source).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from kaneflex.gallery.beam_spin_up import EXACT, MARKS
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import beam_data, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive, whole
from kaneflex.model.forces import Force, Torque
from kaneflex.model.joints import Revolute
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.structures.strain_rod import StrainRod
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"order": 6, "rate": 6.0, "time": 15.0}
AFTER = 1.2  # the run lasts this many times the ramp
LOADS = (1.0, 2.0, 5.0, 10.0)  # P L^2/EI
ORDERS = (2, 3, 4, 5, 6, 7, 8)
BEND = (47.14972, -15.68441, 53.47549)  # tip of the bend by a boundary value problem of the same rod, solved apart


def build(p: Parameters) -> System:
    """A hub that turns about z as prescribed, and the rod along its x axis."""
    positive(p["rate"], "rate")
    data, system = beam_data("SVQ"), System("high-order rod")
    ramp = profiles.spin_up(rate=p["rate"], time=positive(p["time"], "time"))
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=ramp))
    order = whole(p["order"], "order", 1)
    rod = StrainRod(data.length, data.mass_per_length, data.EI, EA=data.EA, order=order, plane="xy")
    system.add("rod", rod, parent="hub")
    system.show("hub", drum(0.4, 0.9))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A fifth longer than the ramp, sampled every 1/300 of it."""
    times = np.arange(round(300 * AFTER) + 1) * (p["time"] / 300)
    given = {"formulation": formulation, "speeds": speeds, "times": times, "rtol": 1e-7}
    return system.simulate(float(times[-1]), method="radau5", **given)  # stretch is stiff


def cantilever(order: int, force: float = 0.0, moment: float = 0.0) -> tuple[System, State]:
    """A rod of unit length and stiffness along x, clamped, under a dead load and a moment at its tip, at rest."""
    state = None
    steps = max(1, round(force / 2 + moment))
    for share in np.arange(1, steps + 1) / steps:
        s = System("cantilever")
        s.add("rod", StrainRod(1.0, 1.0, 1.0, order=order, plane="xy"))
        s.apply("force", Force("rod.tip", (0.0, share * force, 0.0), axes="inertial"))
        s.apply("moment", Torque("rod.tip", (0.0, 0.0, share * moment), axes="inertial"))
        state = s.equilibrium(state)
    assert state is not None
    return s, state


def tip_of(order: int, force: float = 0.0, moment: float = 0.0) -> np.ndarray:
    """x, y and slope at the tip of `cantilever`."""
    s, state = cantilever(order, force, moment)
    found = s.channels(state, "rod.tip.position", "rod.tip.slope")
    return np.array([*found["rod.tip.position"][:2], found["rod.tip.slope"][2]])


@cache
def elastica(load: float) -> tuple[float, float, float]:
    """x/L, y/L and slope of the tip by (2)."""

    def integrals(slope: float) -> tuple[float, float]:
        p = np.sin(np.pi / 4 + slope / 2)
        f = np.arcsin(1 / (p * np.sqrt(2)))
        return float(ellipk(p * p) - ellipkinc(f, p * p)), float(ellipe(p * p) - ellipeinc(f, p * p))

    slope = brentq(lambda a: integrals(a)[0] ** 2 - load, 1e-9, np.pi / 2 - 1e-9, xtol=1e-15, rtol=1e-14)
    alpha, second = integrals(slope)
    return float(np.sqrt(2 * np.sin(slope)) / alpha), 1 - 2 * second / alpha, float(slope)


def bend() -> np.ndarray:
    """Tip of the bend of 45 degrees at rest."""
    order = dict.fromkeys(("torsion", "bending y", "bending z"), 6) | dict.fromkeys(("axial", "shear y", "shear z"), 4)
    state: Any = None
    for share in (0.25, 0.5, 0.75, 1.0):
        s = System("bend")
        stiff: dict[str, Any] = {"EI": 8.333e5, "GJ": 8.333e5, "EA": 1e7, "GA": 5e6}
        rod = StrainRod(25 * np.pi, 1.0, **stiff, order=order, rotary_inertia=1.0, curvature=(0, 0, -0.01), masses=12)
        s.add("rod", rod)
        s.apply("force", Force("rod.tip", (0.0, 0.0, 600.0 * share), axes="inertial"))
        state = s.equilibrium(state)
    return np.asarray(s.channels(state, "rod.tip.position")["rod.tip.position"])


def errors(load: float = 10.0) -> np.ndarray:
    """Error of the tip of the elastica for all ORDERS."""
    return np.array([np.abs(tip_of(m, load)[:2] - elastica(load)[:2]).max() for m in ORDERS])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The spin-up beside the exact beam, the elastica and its convergence, circles, the bend."""
    found = [balance(run, 5e-11), work_of_drives(run, ("hub",), 1e-5)]
    tip = run["rod.tip.deflection"][:, 1]
    if p["rate"] == DEFAULTS["rate"] and p["time"] == DEFAULTS["time"]:
        row, peak = EXACT["SVQ", p["rate"]]
        values, source = [tip[sample(run, t)] for t in MARKS], "geometrically exact beam by finite elements, apart"
        share = {1: 0.2, 2: 0.04, 3: 5e-3}.get(p["order"], 3e-4)  # the digits there are; one to three coefficients are few
        found += [
            worst("tip deflection, m", [f"at {t:g} s" for t in MARKS], values, row, share * abs(peak), source),
            Check("largest tip deflection, m", float(tip.min()), peak, share * abs(peak), source),
            _extension(run, p),
        ]
    words, source = ("x", "y", "slope"), "closed form (2): elliptic integrals"
    for load in LOADS:
        name = f"elastica, PL^2/EI = {load:g}, 8 coefficients"
        found.append(worst(name, words, tip_of(8, load), elastica(load), 2e-8 * load, source))
    for n in (1, 2):
        name, value = f"end of {n} circle{'s' * (n > 1)} by one coefficient, m", np.abs(tip_of(1, moment=2 * np.pi * n)[:2])
        found.append(Check(name, float(value.max()), 0.0, 1e-12, "closed form: the end moment 2 pi n EI/L"))
    names, source = ("x", "y", "z"), "boundary value problem of the same rod, solved apart"
    return [*found, worst("tip of the 45-degree bend", names, bend(), BEND, 2e-5, source)]


def _extension(run: Run, p: Parameters) -> Check:
    """Mean over the time after the ramp; the vibration that is left shortens the rod by 0.58 v^2/L (first mode)."""
    data, after = beam_data("SVQ"), run.t > p["time"]
    x, v = run["rod.tip.deflection"][after, 0], run["rod.tip.deflection"][after, 1]
    found, exact = float((x + 0.58 * v**2 / data.length).mean()), data.extension(p["rate"])
    return Check("steady extension, m", found, exact, 1e-3 * exact, "closed form: m W^2 L^3/(3 EA)")


def figure(run: Run, p: Parameters) -> Figure:
    """The spin-up, shapes of bent rods, and errors over the number of coefficients."""
    picture, (left, middle, right) = panels(1, 3, size=(11.4, 3.8), width_ratios=(1.2, 1, 1))
    left.plot(run.t, run["rod.tip.deflection"][:, 1], label=f"{p['order']} coefficients")
    if p["rate"] == DEFAULTS["rate"] and p["time"] == DEFAULTS["time"]:
        left.plot(MARKS, EXACT["SVQ", p["rate"]][0], "o", color=GREY, mfc="white", ms=5, label="exact beam")
    left.set(xlabel="time, s", ylabel="tip deflection across, m", title="spin-up")
    legend(left)
    for order, force, moment, colour in (
        *((8, load, 0.0, COLOURS[0]) for load in LOADS),
        *((1, 0.0, turn * np.pi, COLOURS[1]) for turn in (1, 2)),
    ):
        s, state = cantilever(order, force, moment)
        body: Any = s.parts["rod"].body
        place = body.pose(np.atleast_1d(state["rod.modes"]), np.linspace(0, 1, 81))[1]
        middle.plot(place[:, 0], place[:, 1], color=colour)
    middle.plot(*np.array([elastica(load)[:2] for load in LOADS]).T, "o", color=GREY, mfc="white", ms=5)
    middle.set(xlabel="x, lengths", ylabel="y, lengths", title="elastica; rolled up", aspect="equal")
    right.semilogy(ORDERS, errors(), "o-")
    right.set(xlabel="coefficients", ylabel="error of the tip, lengths", title="elastica, PL²/EI = 10")
    title(picture, "Rods by polynomials of their strain")
    return picture


EXAMPLE = Example(
    name="high-order-rod",
    title="Rods by polynomials of their strain: spin-up, elastica, circles, a bend in space",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Simo and Vu-Quoc (1988); Euler's elastica; Bathe and Bolourchi (1979)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
