"""An antenna boom of pinned bars on a spinning hub: a flexible body of any shape, stiffened by its motion.

Source: A. K. Banerjee, J. M. Dickens, "Dynamics of an arbitrary flexible body in large rotation and translation", J.
Guidance 13 (1990) 221-227; A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 5. Their examples' data are
not at hand; the stand-in is this: a lattice of 8 bays of 1.5 m along x on the rim of a hub of 0.5 m radius. Three longerons
on a circle of 0.15 m (the first at +z), battens round every bay's end, two crossed diagonals on every face; EA = 250, 100,
100 kN, 50, 20, 20 g/m. A feed at the end is three masses of 0.6, 0.3, 0.3 kg on the last joints, off the boom's axis. The
first joints are fixed to the hub, which turns about z by the ramp W(t) = (W_s/T) [t - T/(2 pi) sin(2 pi t/T)], W_s = 5
rad/s, T = 30 s.

The book's method: for each of twelve inertia loads of rigid motion (three accelerations, nine products of rates) statics
gives the stresses and these a geometric stiffness of the modes. Without it (`stiffening=false`) the boom diverges above its
first frequency, 2.90 rad/s. Units: SI, rad.

References: the same lattice, geometrically exact, as points and elastic bars at any rotation in the hub's axes (all 72
coordinates, no modes, no geometric stiffness as such), integrated apart; without stiffening, its linear form at rest.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import impulse_of_drive, knowingly_wrong, work_of_drives
from kaneflex.gallery.shared import (
    COLOURS,
    GREY,
    balance,
    drum,
    legend,
    lost_stiffness,
    panels,
    sample,
    title,
    unchanged,
    worst,
)
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.structure import Structure
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"rate": 5.0, "time": 30.0, "feed": 0.6, "modes": 10, "stiffening": True}
BAYS, BAY, RADIUS, HUB = 8, 1.5, 0.15, 0.5
LONGERON, BATTEN, DIAGONAL = (2.5e5, 0.05), (1e5, 0.02), (1e5, 0.02)  # EA, N; mass per length, kg/m
WRONG_UNTIL = 0.6  # of the ramp, without stiffening
ALLOWED = {"x": 1e-4, "y": 4e-3, "z": 3e-4}  # of the feed's displacements, m, which are of the order of 8, 400 and 20 mm

#: Rows (t, displacement of the first feed joint along x, y, z of the hub), m.
TABLE = (
    (5.0, -0.00083, -0.13130, -0.00005),
    (10.0, -0.00693, -0.38713, -0.00316),
    (15.0, -0.00783, -0.45582, -0.01296),
    (20.0, 0.00134, -0.28263, -0.01917),
    (25.0, 0.00689, -0.08360, -0.02122),
    (30.0, 0.00761, 0.00111, -0.02150),
)

#: Largest lag of the first feed joint, m.
PEAK = -0.46686

#: Rows (t, displacement along y) without stiffening, m.
WRONG = ((10.0, -0.44554), (12.0, -0.65581), (14.0, -1.1188), (15.0, -1.6943), (16.0, -3.191), (18.0, -38.841))

#: Frequencies of small motion, rad/s, at rest and at 5 rad/s.
FREQUENCIES = {
    0.0: (2.9026, 2.9041, 13.0332, 21.0462, 21.1337),
    5.0: (3.6277, 6.1789, 13.3621, 25.7081, 26.1451),
}


@cache
def lattice(feed: float) -> Structure:
    """The boom; its first three joints follow "root", a node on the axis; its last are "feed-0" to "feed-2"."""
    frame = Framework()
    frame.node("root", (0, 0, 0))
    name = lambda k, i: f"feed-{i % 3}" if k == BAYS else f"joint-{k}-{i % 3}"
    for k in range(BAYS + 1):
        for i in range(3):
            angle = math.pi / 2 + 2 * math.pi * i / 3
            frame.node(name(k, i), (k * BAY, RADIUS * math.cos(angle), RADIUS * math.sin(angle)))
    for k in range(BAYS + 1):
        for i in range(3):
            frame.truss(name(k, i), name(k, i + 1), *BATTEN)
            if k < BAYS:
                frame.truss(name(k, i), name(k + 1, i), *LONGERON)
                frame.truss(name(k, i), name(k + 1, i + 1), *DIAGONAL)
                frame.truss(name(k, i + 1), name(k + 1, i), *DIAGONAL)
    for i, mass in enumerate((feed, 0.3, 0.3)):
        frame.mass(name(BAYS, i), mass)
    frame.link("root", *(name(0, i) for i in range(3)))
    return frame.build()


@cache
def _body(feed: float, modes: int, stiffening: bool) -> Flexible:
    """Vibration modes, and the static shape of steady spin, which stretches the boom and bends it under the feed."""
    boom = lattice(feed)
    field = np.zeros((len(boom.points), 6))
    field[:, 0] = HUB + boom.points[:, 0]
    choice = ModeChoice(count=modes, loads=boom.M @ field.reshape(-1, 1))
    return Flexible(boom, modes=choice, nodes=("root", "feed-0", "feed-1", "feed-2"), stiffening=stiffening)


def build(p: Parameters, motion: profiles.Profile | None = None) -> System:
    """The hub on its prescribed motion (by default the ramp) and the boom on its rim."""
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    ramp = profiles.spin_up(rate=positive(p["rate"], "rate"), time=positive(p["time"], "time"))
    system = System("spinning antenna")
    hub = Rigid(20.0, inertia=(5, 5, 5), frames={"rim": (HUB, 0, 0)})
    system.add("hub", hub, Revolute("z", motion=ramp if motion is None else motion))
    body = _body(positive(p["feed"], "feed"), p["modes"], p["stiffening"])
    system.add("boom", body, parent="hub", at="rim")
    system.show("hub", drum(HUB, 0.8))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A tenth longer than the ramp, sampled every 1/300 of it; 3/5 of it without stiffening."""
    times = np.arange(round(300 * (1.1 if p["stiffening"] else WRONG_UNTIL)) + 1) * (p["time"] / 300)
    run = lambda: system.simulate(float(times[-1]), formulation=formulation, speeds=speeds, times=times)
    return run() if p["stiffening"] else knowingly_wrong(run)


def frequencies(p: Parameters, speed: float, count: int = 4) -> list[float]:
    """Frequencies of small motion about the steady state at constant speed, rad/s."""
    system = build(p, profiles.constant_rate(speed))
    return [mode.frequency for mode in system.modes(system.equilibrium())[:count]]


def checks(run: Run, p: Parameters) -> list[Check]:
    """The exact lattice's motion and frequencies; the wrong answer; the torque by its work and impulse."""
    found = [balance(run, 1e-11)]
    if p["stiffening"]:
        found += [work_of_drives(run, ("hub",), 1e-5), impulse_of_drive(run, "hub", 1e-5)]
    if not unchanged(p, DEFAULTS, "stiffening", "modes") or p["modes"] < 6:
        return found
    if not p["stiffening"]:
        return [_wrong(run), *found]
    other = {**p, "stiffening": False}
    wrong = simulate(build(other), other, formulation=run.plan.formulation.name, speeds=run.plan.speeds)
    return [*_right(run), *_modes(p), _wrong(wrong), *found]


def _right(run: Run) -> list[Check]:
    d = run["boom.feed-0.deflection"]
    source, result = "exact lattice, integrated apart", []
    for k, (axis, allowed) in enumerate(ALLOWED.items()):
        values = [d[sample(run, row[0]), k] for row in TABLE]
        names = [f"at {row[0]:g} s" for row in TABLE]
        result.append(worst(f"feed along {axis}, m", names, values, [row[k + 1] for row in TABLE], allowed, source))
    return [*result, Check("largest lag of the feed, m", float(d[:, 1].min()), PEAK, 1e-3, source)]


def _modes(p: Parameters) -> list[Check]:
    result = []
    for speed, row in FREQUENCIES.items():
        names = [f"mode {k + 1}" for k in range(len(row))]
        source = "exact lattice about its steady state"
        values = frequencies(p, speed, len(row))
        share = 0.01 if speed else 1e-3  # in motion, modes at rest are only nearly those needed
        result.append(worst(f"frequency at {speed:g} rad/s", names, values, row, share * np.array(row), source))
    return result


def _wrong(run: Run) -> Check:
    times, row = zip(*WRONG, strict=True)
    values = [run["boom.feed-0.deflection"][sample(run, t), 1] for t in times]
    source = "linear finite elements in the turning frame, apart"
    names = [f"at {t:g} s" for t in times]
    allowed = 1e-3 + 1.5 * lost_stiffness(run, "boom")  # what is lost of a stiffness grows with an unstable motion
    return worst("feed along y without stiffening, m", names, values, row, allowed * np.abs(row), source)


def figure(run: Run, p: Parameters) -> Figure:
    """The feed's displacements with the exact lattice's, and the boom's frequencies against speed."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.5, 1))
    d = run["boom.feed-0.deflection"]
    for k, (axis, colour) in enumerate(zip("xyz", COLOURS, strict=False)):
        left.plot(run.t, d[:, k], color=colour, label=f"feed along {axis}")
    if p["stiffening"]:
        other = {**p, "stiffening": False}
        wrong = simulate(build(other), other)
        v = wrong["boom.feed-0.deflection"][:, 1]
        seen = v > 1.8 * d[:, 1].min()
        left.plot(wrong.t[seen], v[seen], "--", color=COLOURS[1], label="along y without stiffening: wrong")
        if unchanged(p, DEFAULTS, "modes"):
            rows = np.array(TABLE)
            left.plot(rows[:, 0], rows[:, 1:], "o", color=GREY, mfc="white", ms=4.5)
            left.plot([], [], "o", color=GREY, mfc="white", ms=4.5, label="exact lattice")
    left.set(xlabel="time, s", ylabel="displacement, m")
    legend(left, loc="lower right")
    speeds = np.linspace(0, p["rate"], 8)
    values = np.array([frequencies({**p, "stiffening": True}, float(s), 3) for s in speeds])
    right.plot(speeds, values)
    right.plot(speeds, speeds, ":", color=GREY, label="speed")
    right.set(xlabel="speed, rad/s", ylabel="frequency, rad/s")
    legend(right)
    title(picture, f"Antenna boom brought to {p['rate']:g} rad/s")
    return picture


EXAMPLE = Example(
    name="spinning-antenna",
    title="Antenna boom of pinned bars on a hub brought to speed (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 5",
    source="Banerjee and Dickens (1990), with data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
