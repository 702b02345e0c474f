"""A spacecraft that carries a four-bar linkage on a hinge, in free space: eight degrees of freedom and one loop.

Source: the problem (spacecraft with a four-bar linkage, eight degrees of freedom) is one that A. K. Banerjee, Flexible
Multibody Dynamics (Wiley, 2016), quotes for comparing ways to equations of motion. No data are printed there: bodies,
numbers and start below are a stand-in.

The bus is free. A yoke turns about the bus's x axis through a point of it, held by a torsion spring; on the yoke lie the
pins O and C of a four-bar of uniform bars (crank, coupler, rocker) that turn about the yoke's z axis. Six freedoms of the
bus, one of the yoke and one of the linkage make eight; the tree has ten, and the revolute joint that closes the loop
between coupler and rocker takes two away by its five conditions. The crank is spun up at the start, and the bus and yoke
answer; nothing acts from outside, so that energy and both momenta stay.

The tables were integrated by DOP853 at rtol 1e-13, apart from this package, from Kane's equations of the eight speeds with
the loop solved in closed form; Newton-Euler equations of the five free bodies with 25 joint conditions (rank 22) give the
same accelerations. Units: SI, rad; quaternions have the scalar part first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.four_bar import BARS, angles, influence
from kaneflex.gallery.shared import (
    COLOURS,
    GREY,
    balance,
    bar,
    drum,
    legend,
    panels,
    redundant,
    rod,
    sample,
    title,
    unchanged,
    worst,
)
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "ground": 2.0, "crank": 0.8, "coupler": 2.2, "rocker": 1.6, "crank_mass": 8.0, "coupler_mass": 11.0, "rocker_mass": 8.0,
    "stiffness": 30.0, "bus_mass": 120.0, "hinge": 0.4, "start": 1.0, "rate": 2.0,
}  # fmt: skip
DURATION = 10.0
BUS_INERTIA = ((40.0, 1.5, -1.0), (1.5, 30.0, 2.0), (-1.0, 2.0, 50.0))
BUS_TURN = (0.1, -0.2, 0.3)
HINGE = (0.2, 0.7, 0.3)
YOKE_MASS, YOKE_CENTRE, YOKE_INERTIA = 10.0, (0.1, 0.15, 0.0), (0.3, 3.5, 3.7)
PIN = (-0.9, 0.3, 0.1)

#: Rows (time, quaternion of the bus, hinge angle, angles of crank, coupler and rocker on the yoke, position of the bus).
PLACES = (
    (1.0, 0.9716759467, 0.1365740524, -0.1138566711, 0.1556600184, 0.0000465795,
     2.7124450136, 0.4999545543, 2.0920346441, -0.0127291361, 0.1558896484, 0.0966437052),
    (2.0, 0.8234806135, 0.2569613780, -0.2463728313, 0.4417589358, -0.1151235070,
     3.4688067346, 0.7083843702, 2.3175725951, -0.1667333599, 0.4505940979, 0.2483812431),
    (4.0, 0.1071952707, 0.2284833637, -0.2767710334, 0.9272013382, -0.0985439358,
     0.5332093176, 0.5092862172, 1.1798185142, -0.7921707489, 0.9991431638, 0.5438131754),
    (6.0, -0.5090433236, -0.1954210706, -0.2457222997, 0.8014399861, 0.0111788516,
     -0.4507343940, 1.0722233743, 1.7137313611, -1.8015645219, 1.0990169196, 0.7272035976),
    (8.0, -0.7686463038, -0.4059173088, -0.4407990472, 0.2238530723, -0.1450069767,
     2.0952476377, 0.4028727105, 1.8084816087, -2.4357929204, 0.8825947724, 0.7065581972),
    (10.0, -0.7581966680, -0.0247286577, -0.3482569361, -0.5506754149, 0.4887182305,
     0.7864579589, 0.4382408138, 1.2151029690, -2.5603410505, 0.9127260546, 0.8345140839),
)  # fmt: skip

#: Rows (time, velocity and angular velocity of the bus in its axes, hinge rate, crank rate).
SPEEDS = (
    (1.0, 0.034196300, 0.313443851, 0.081723168, 0.360896790, -0.283935127, 0.457592235, -0.539986198, 1.363625700),
    (2.0, 0.187257205, 0.348186576, -0.055023974, 0.260802085, -0.150901332, 0.729253842, 0.399135265, -0.071803202),
    (4.0, 0.475375363, -0.014978820, -0.165671362, 0.325556721, 0.079009149, 0.705321592, -0.172200578, -2.086615269),
    (6.0, 0.182850170, -0.427128781, 0.087587148, -0.103412182, 0.335733064, 0.860468475, 0.091713213, 0.477989489),
    (8.0, -0.056864024, -0.116032512, 0.052370538, -0.319331740, 0.348207491, 0.386222179, -0.601732688, 0.469563999),
    (10.0, 0.067175831, 0.195286000, 0.139633007, -0.813359755, 0.002301811, 0.431058254, 0.524690234, -1.057571752),
)

#: Constants of the motion: energy (J), linear momentum (N s) and angular momentum about the origin (N m s), inertial axes.
ENERGY = 48.957120669454
MOMENTUM = (-44.437908106895, 13.804858308988, 13.644234883376)
ANGULAR_MOMENTUM = (14.817650906653, -54.406410097439, 103.500470766914)


def build(p: Parameters) -> System:
    """The bus at the origin with its axes along those of N, turning; the linkage closed and moving with its crank."""
    q, k = angles(p["start"], p), influence(p["start"], p)[0] * p["rate"]
    far = (PIN[0] + p["ground"], *PIN[1:])
    bars = [bar(p[f"{name}_mass"], p[name]) for name in BARS]
    system = System("spacecraft with linkage")
    bus = Rigid(p["bus_mass"], inertia=BUS_INERTIA, frames={"hinge": HINGE})
    system.add("bus", bus, Free(), rates=(0, 0, 0, *BUS_TURN))
    yoke = Rigid(YOKE_MASS, YOKE_CENTRE, YOKE_INERTIA, frames={"O": PIN, "C": far})
    system.add("yoke", yoke, Revolute("x"), parent="bus", at="hinge", q=p["hinge"])
    system.add("crank", bars[0], Revolute("z"), parent="yoke", at="O", q=q[0], rates=k[0])
    system.add("coupler", bars[1], Revolute("z"), parent="crank", at="tip", q=q[1] - q[0], rates=k[1] - k[0])
    system.add("rocker", bars[2], Revolute("z"), parent="yoke", at="C", q=q[2], rates=k[2])
    system.close("pin", "coupler.tip", "rocker.tip", Revolute("z"))
    system.apply("spring", JointSpring("yoke", stiffness=p["stiffness"]))
    wings = [Box((2.2, 0.03, 0.7), position=(side * 1.7, 0, 0), color="#30508a") for side in (-1, 1)]
    system.show("bus", Box((1.1, 1.4, 0.9)), *wings)  # its hinge is on the face y = 0.7 m
    middle = (0, *PIN[1:])
    system.show("yoke", drum(0.06, 0.3, "x", color="grey"), rod((0, 0, 0), middle, 0.05), rod(PIN, far, 0.05))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Ten seconds, sampled every 0.02 s."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.02
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the tables, the constants of the motion, the loop in closed form, the mass centre's straight path."""
    found = []
    if unchanged(p, DEFAULTS):
        source = "Kane's equations of eight speeds, integrated by DOP853 at rtol 1e-13"
        names = (*(f"quaternion {k}" for k in range(4)), "hinge", *BARS, "x", "y", "z")
        places, speeds = _places(run), _speeds(run)
        found += [worst(f"places, t = {t:g} s", names, places[sample(run, t)], row, 1e-9, source) for t, *row in PLACES]
        names = (*(f"{kind} {axis}" for kind in ("velocity", "turn") for axis in "xyz"), "hinge", "crank")
        found += [worst(f"speeds, t = {t:g} s", names, speeds[sample(run, t)], row, 2e-9, source) for t, *row in SPEEDS]
        found += _constants(run)
    rank = redundant(run, 3, "ten freedoms of the tree less eight: two of five conditions count")
    return [*found, rank, *_loop(run, p), *_conserved(run), balance(run, 1e-10)]


def _places(run: Run) -> np.ndarray:
    """Rows (quaternion with the sign of the table, hinge angle, bar angles on the yoke, position of the bus)."""
    e = run["bus.q"][:, 3:] * np.sign(run["bus.q"][:1, 3])
    return np.column_stack([e, run["yoke.angle"], _angles(run), run["bus.position"]])


def _angles(run: Run) -> np.ndarray:
    """Angles of crank, coupler and rocker on the yoke."""
    t = run["crank.angle"]
    return np.column_stack([t, t + run["coupler.angle"], run["rocker.angle"]])


def _speeds(run: Run) -> np.ndarray:
    """Rows (velocity and angular velocity of the bus in its axes, hinge rate, crank rate)."""
    return np.column_stack([run["bus.rate"], run["yoke.rate"], run["crank.rate"]])


def _constants(run: Run) -> list[Check]:
    source = "sums over the five bodies, apart from this package"
    pairs = (("linear", MOMENTUM, "N s"), ("angular", ANGULAR_MOMENTUM, "N m s"))
    return [
        Check("energy at the end, J", run["energy.total"][-1], ENERGY, 1e-11 * ENERGY, source),
        *(
            worst(f"{kind} momentum at the end, {unit}", "xyz", run[f"momentum.{kind}"][-1], value, 1e-9, source)
            for kind, value, unit in pairs
        ),
    ]


def _loop(run: Run, p: Parameters) -> list[Check]:
    """The bars follow the crank as the closed form of the four-bar says, with their rates."""
    t = run["crank.angle"]
    gap = np.abs(_angles(run) - angles(t, p)).max()
    rates = np.column_stack([run["crank.rate"], run["crank.rate"] + run["coupler.rate"], run["rocker.rate"]])
    slip = np.abs(rates - influence(t, p)[0] * run["crank.rate"][:, None]).max()
    source = "closed form: intersection of two circles"
    return [
        Check("angles of coupler and rocker, largest error, rad", float(gap), 0.0, 2e-11, source),
        Check("rates of coupler and rocker, largest error, rad/s", float(slip), 0.0, 1e-11, source),
    ]


def _conserved(run: Run) -> list[Check]:
    """Momenta over time, relative to their size."""
    found = []
    for kind in ("linear", "angular"):
        value = run[f"momentum.{kind}"]
        drift = np.abs(value - value[0]).max() / np.linalg.norm(value[0])
        source = "identity: nothing acts from outside"
        found.append(Check(f"{kind} momentum, relative drift", float(drift), 0.0, 1e-9, source))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Angles of hinge and linkage, attitude of the bus, its angular velocity, and the linkage on its yoke."""
    picture, axes = panels(2, 2, size=(9.8, 5.4))
    places, speeds = _places(run), _speeds(run)
    links, attitude, turn, plane = axes.ravel()
    for k, name in enumerate(("hinge", *BARS)):
        links.plot(run.t, places[:, 4 + k], color=COLOURS[k], label=name)
    for k in range(4):
        attitude.plot(run.t, places[:, k], color=COLOURS[k], label=f"$e_{k}$")
    for k, axis in enumerate("xyz"):
        turn.plot(run.t, speeds[:, 3 + k], color=COLOURS[k], label=f"$\\omega_{axis}$")
    if unchanged(p, DEFAULTS):
        rows, rates = np.array(PLACES), np.array(SPEEDS)
        for k in range(4):
            links.plot(rows[:, 0], rows[:, 5 + k], "o", color=COLOURS[k], mfc="white", ms=4)
            attitude.plot(rows[:, 0], rows[:, 1 + k], "o", color=COLOURS[k], mfc="white", ms=4)
        for k in range(3):
            turn.plot(rates[:, 0], rates[:, 4 + k], "o", color=COLOURS[k], mfc="white", ms=4)
        links.plot([], [], "o", color=GREY, mfc="white", ms=4, label="reference")
    links.set(ylabel="angle, rad", xticklabels=[])
    attitude.set(ylabel="bus quaternion, component", xticklabels=[])
    turn.set(xlabel="time, s", ylabel="bus turn rate, rad/s")
    for ax in (links, attitude, turn):
        ax.margins(y=0.25)
        legend(ax, loc="upper right", ncols=5, borderaxespad=0.1, handlelength=1.2, columnspacing=1.0)
    for k in range(0, 150, 25):
        tips = [PIN[0] + 1j * PIN[1]]
        tips += list(np.cumsum([p[b] * np.exp(1j * places[k, 5 + j]) for j, b in enumerate(BARS[:2])]) + tips[0])
        z = np.array([*tips, tips[0] + p["ground"]])
        style = {"color": "#111827", "lw": 1.8} if k == 0 else {"color": COLOURS[0], "lw": 0.9, "alpha": 0.8 - k / 250}
        plane.plot(z.real, z.imag, "-o", ms=3, **style)
    plane.plot([PIN[0], PIN[0] + p["ground"]], [PIN[1]] * 2, "^", color=GREY, ms=8)
    plane.set(xlabel="yoke x, m", ylabel="yoke y, m", aspect="equal")
    plane.margins(0.08)
    title(picture, "Spacecraft with a four-bar linkage")
    return picture


EXAMPLE = Example(
    name="spacecraft-linkage",
    title="Free spacecraft with a four-bar linkage on a hinge, eight degrees of freedom (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 1",
    source="problem quoted by Banerjee (2016); stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
