"""Two flexible links with prescribed hinges: deflections, and the loads that hold the hinges to their motion.

Source: the problem of A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapters 6 and 8 (flexible bodies hinged
together, prescribed hinge motion and its load), with data of its own, stated here in full.

Two beams of 8 m (`large_motion`), straight along x at the start, no gravity. With s = t/T - sin(2 pi t/T)/(2 pi), T = 40 s,
the shoulder turns by (pi/2) s and the elbow by -(pi/2) s, all about z; after T the hinges are held. d1 is the deflection of
the elbow across the first link's root tangent, d2 that of the tip across the second link's, (X, Y) is the tip. The hinge
torques are those that the inboard side puts on the outboard one; they are what a prescribed speed's own equation gives. By
momentum,

    torque at the shoulder = d/dt of the angular momentum about it ,   sum of torque times rate = d/dt of the energy.   (1)

So slow an arm is hardly stiffened by its motion. The straight arm, the elbow held at zero, is therefore spun up as well, to
1 rad/s = 1.4 times its lowest frequency within 60 s, by (t/T - sin(2 pi t/T)/(2 pi)): the pull of the outer link on the
inner decides how far this bends, 0.37 m, and what the hinges carry.

References: d1, d2, X, Y by a geometrically exact plane beam (finite elements, converged in time), and independently of it by
a chain of rigid rods with springs, which gives the torques as well and all of the spin-up. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import bending_beam, impulse_of_drive, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"time": 40.0, "shoulder": math.pi / 2, "elbow": -math.pi / 2, "modes": 3}

#: Rows (t, d1, d2, X, Y), m.
TABLE = (
    (5.0, -0.04117, -0.00788, 15.9988, 0.0387),
    (10.0, -0.04139, -0.00717, 15.9241, 1.0211),
    (15.0, -0.04084, -0.00605, 15.3456, 3.0956),
    (20.0, 0.02389, 0.00907, 13.6397, 5.7274),
    (25.0, 0.03991, 0.00903, 11.1685, 7.4228),
    (30.0, 0.02662, 0.00085, 9.1113, 7.9635),
    (40.0, 0.01221, 0.00290, 7.9878, 8.0237),
    (50.0, -0.01140, -0.00238, 8.0114, 7.9785),
)

#: Largest -d1 and -d2, m, at 7.1 s.
PEAKS = (-0.05535, -0.01084)

#: Rows (t, torque at the shoulder, torque at the elbow), N m.
TORQUES = (
    (5.0, 0.9837, 0.2767),
    (10.0, 1.0065, 0.2561),
    (15.0, 1.0111, 0.2089),
    (20.0, -0.4806, -0.3152),
    (25.0, -0.9278, -0.3192),
    (30.0, -0.7206, -0.0380),
    (40.0, -0.2839, -0.0930),
    (50.0, 0.2704, 0.0772),
)

#: Rate (rad/s) and time (s) of the straight arm's spin-up; rows (t, d1, d2, torque at the shoulder, at the elbow) of it.
SPIN = (1.0, 60.0)
SPUN = (
    (10.0, -0.09826, -0.02111, 2.3014, 0.7190),
    (20.0, -0.29167, -0.06154, 6.9058, 2.0986),
    (25.0, -0.36166, -0.07362, 8.7421, 2.5165),
    (30.0, -0.36611, -0.06958, 9.1773, 2.3906),
    (35.0, -0.33230, -0.05785, 8.7143, 1.9992),
    (40.0, -0.25205, -0.03999, 6.9117, 1.3905),
    (50.0, -0.08162, -0.01148, 2.3670, 0.4020),
    (65.0, -0.00514, -0.00078, 0.1484, 0.0267),
)


def build(p: Parameters) -> System:
    """Both links along x, hinges about z; the inner link has the static shapes of loads at its tip."""
    time = positive(p["time"], "time")
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    system = System("two flexible links")
    shoulder, elbow = (Revolute("z", motion=profiles.smooth_step(p[name], time)) for name in ("shoulder", "elbow"))
    system.add("inner", bending_beam("8m", p["modes"], True, carries=True), shoulder)
    system.add("outer", bending_beam("8m", p["modes"] + 1, True), elbow, parent="inner", at="tip")
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The manoeuvre and a quarter of its time more, 2000 samples, which the sums over them need."""
    times = np.arange(2001) * (p["time"] / 1600)
    return system.simulate(float(times[-1]), formulation=formulation, speeds=speeds, times=times, rtol=1e-9)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Deflections and torques against the tables; torques by momentum and by energy."""
    known = unchanged(p, DEFAULTS, "modes") and p["modes"] >= 3
    found = [*_tables(run), *_spun(p)] if known else []
    by_energy, by_momentum = work_of_drives(run, ("inner", "outer"), 1e-5), impulse_of_drive(run, "inner", 1e-4)
    return [*found, by_momentum, by_energy, balance(run, 1e-8)]


def history(run: Run) -> np.ndarray:
    """Rows (d1, d2, X, Y, torque at the shoulder, torque at the elbow) at all samples."""
    tip = run["outer.tip.position"]
    d1, d2 = run["inner.tip.deflection"][:, 1], run["outer.tip.deflection"][:, 1]
    return np.column_stack([d1, d2, tip[:, :2], run["inner.drive"], run["outer.drive"]])


def _tables(run: Run) -> list[Check]:
    found = history(run)
    at = lambda rows: np.array([found[sample(run, row[0])] for row in rows])
    values, table = at(TABLE), np.array(TABLE)
    marks = [f"at {row[0]:g} s" for row in TABLE]
    exact, chain = "exact plane beam, finite elements", "chain of rigid rods"
    d1, d2 = (0.01 * abs(peak) for peak in PEAKS)
    result = [
        worst("d1, m", marks, values[:, 0], table[:, 1], d1, exact),
        worst("d2, m", marks, values[:, 1], table[:, 2], 2 * d2, exact),
        worst("X, m", marks, values[:, 2], table[:, 3], 5e-4, exact),
        worst("Y, m", marks, values[:, 3], table[:, 4], 5e-4, exact),
        Check("largest d1, m", float(found[:, 0].min()), PEAKS[0], d1, exact),
        Check("largest d2, m", float(found[:, 1].min()), PEAKS[1], d2, exact),
    ]
    torques = np.array(TORQUES)
    for k, name in ((4, "shoulder"), (5, "elbow")):
        row = torques[:, k - 3]
        result.append(worst(f"torque at the {name}, N m", marks, values[:, k], row, 0.01 * np.abs(row).max(), chain))
    return result


def spun(p: Parameters) -> Run:
    """The straight arm brought to its rate, and a third of that time more."""
    system = System("straight arm of two flexible links")
    system.add("inner", bending_beam("8m", p["modes"], True, carries=True), Revolute("z", motion=profiles.spin_up(*SPIN)))
    held = Revolute("z", motion=profiles.smooth_step(0.0, 1.0))
    system.add("outer", bending_beam("8m", p["modes"] + 1, True), held, parent="inner", at="tip")
    return system.simulate(SPIN[1] * 4 / 3, rtol=1e-8, output=SPIN[1] / 120)


def _spun(p: Parameters) -> list[Check]:
    """The straight arm against the chain of rods: at the rates that it has, interbody loads stiffen the inner link."""
    run, table, chain = spun(p), np.array(SPUN), "chain of rigid rods"
    values = history(run)[[sample(run, t) for t in table[:, 0]]][:, [0, 1, 4, 5]]
    marks = [f"at {t:g} s" for t in table[:, 0]]
    names = ("d1, m", "d2, m", "torque at the shoulder, N m", "torque at the elbow, N m")
    return [
        worst(f"spun up, {name}", marks, values[:, k], table[:, k + 1], 3e-3 * np.abs(table[:, k + 1]).max(), chain)
        for k, name in enumerate(names)
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Deflections, torques and the arm on its way, with the references."""
    picture, (left, middle, right) = panels(1, 3, size=(11.0, 3.8), width_ratios=(1.2, 1.2, 0.9))
    found = history(run)
    known = unchanged(p, DEFAULTS, "modes")
    for ax, columns, names, rows in (
        (left, (0, 1), ("elbow, $d_1$", "tip, $d_2$"), TABLE),
        (middle, (4, 5), ("shoulder", "elbow"), TORQUES),
    ):
        for k, name, colour in zip(columns, names, COLOURS[:2], strict=True):
            ax.plot(run.t, found[:, k], color=colour, linewidth=1.1, label=name)
        if known:
            table = np.array(rows)
            ax.plot(table[:, 0], table[:, 1:3], "o", color=GREY, mfc="white", ms=4.5)
            ax.plot([], [], "o", color=GREY, mfc="white", ms=4.5, label="reference")
    left.set(xlabel="time, s", ylabel="deflection, m")
    middle.set(xlabel="time, s", ylabel="torque at the hinge, N m")
    legend(left)
    legend(middle)
    for share in np.linspace(0, 0.8, 7):
        k = round(share * (len(run.t) - 1))
        places = np.array([run[f"{name}.position"][k] for name in ("inner", "outer", "outer.tip")])
        right.plot(places[:, 0], places[:, 1], "-o", color=COLOURS[0], ms=2.5, linewidth=1.2, alpha=0.2 + share)
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    right.margins(0.06)
    title(picture, "Two flexible links with prescribed hinges")
    return picture


EXAMPLE = Example(
    name="two-link-arm",
    title="Two flexible links with prescribed hinges, and the loads that hold them (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapters 6 and 8",
    source="Banerjee (2016), with data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
