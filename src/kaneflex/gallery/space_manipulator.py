"""A space-based manipulator: two rigid links and a flexible third, moved at three hinges as prescribed.

Source: T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151, taken up in A. K. Banerjee, Flexible Multibody
Dynamics (Wiley, 2016), section 3.4: links of 8 m, shoulder, elbow and wrist moved in 15 s. Their angles are not at hand; the
stand-in here is complete: a base at rest, motion in the plane, and with s = t/T - sin(2 pi t/T)/(2 pi) the hinge angles

    shoulder (pi/2) s ,    elbow pi - (3 pi/4) s ,    wrist pi - (5 pi/6) s ,    T = 15 s:                            (1)

folded at the start. The rigid links, slender and of 10 kg each, matter for the loads alone. The third link is the 8 m beam
of `large_motion`. With a, W the acceleration of its root and its rate, a_x along and a_y across the beam, the linear
equations are

    q'' + [k - W^2 + W^2 Kg - a_x Kg1] q = -(a_y int m phi dx + W' int m x phi dx)
    Kg = int m (L^2 - x^2)/2 phi' phi' dx ,    Kg1 = int m (L - x) phi' phi' dx .                                     (2)

Without Kg, Kg1 (`stiffening=false`) the answer is wrong by some per cent, as the motion is slow. Units: SI, rad.

References: a geometrically exact beam (Reissner), and (2) with and without Kg and Kg1, each integrated apart; the book's
theory of the beam (`structures.theories.book_beam`) beside every run, with the base's motion from the angles (1).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import beam_data, bending_beam, impulse_of_drive, knowingly_wrong, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"link": 8.0, "link_mass": 10.0, "time": 15.0, "modes": 4, "stiffening": True}
HINGES = ("shoulder", "elbow", "wrist")
START = (0.0, math.pi, math.pi)
CHANGE = (math.pi / 2, -3 * math.pi / 4, -5 * math.pi / 6)

#: Tip deflection across the beam, m, at these times, and its largest and smallest value over 20 s.
MARKS = (2.5, 5.0, 7.5, 10.0, 12.5, 20.0)
TABLES = {
    "exact beam": (0.00498, 0.05584, 0.03137, -0.17892, -0.10749, 0.01420, 0.09738, -0.17913),
    "(2)": (0.00498, 0.05584, 0.03137, -0.17898, -0.10751, 0.01422, 0.09739, -0.17919),
    "(2) without Kg and Kg1": (0.00499, 0.05713, 0.03186, -0.18255, -0.10846, 0.01449, 0.10088, -0.18272),
}


def build(p: Parameters) -> System:
    """The arm folded along x; hinges turn about z."""
    l, m = positive(p["link"], "link"), positive(p["link_mass"], "link_mass")
    J = m * l**2 / 12
    link = Rigid(m, com=(l / 2, 0, 0), inertia=(1e-3 * J, J, J), frames={"end": (l, 0, 0)})
    beam = bending_beam("8m", p["modes"], p["stiffening"])
    system = System("space manipulator")
    parent: tuple[str, str | None] = ("N", None)
    for name, body, start, change in zip(HINGES, (link, link, beam), START, CHANGE, strict=True):
        motion = profiles.smooth_step(change, positive(p["time"], "time"), initial=start)
        system.add(name, body, Revolute("z", motion=motion), parent=parent[0], at=parent[1])
        parent = (name, "end")
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The manoeuvre and a third of its time more, 400 samples."""
    times = np.arange(401) * (p["time"] / 300)
    run = lambda: system.simulate(float(times[-1]), formulation=formulation, speeds=speeds, times=times)
    return run() if p["stiffening"] else knowingly_wrong(run)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The tables, the book's theory beside, the loads at the hinges by energy and by angular momentum."""
    by_energy, by_momentum = work_of_drives(run, HINGES, 1e-4), impulse_of_drive(run, "shoulder", 1e-4)
    found = [_beside(run, p), balance(run, 1e-11), by_energy, by_momentum]
    if unchanged(p, DEFAULTS, "stiffening", "link_mass", "modes") and p["modes"] >= 3:
        if not p["stiffening"]:
            return [_table(run, "(2) without Kg and Kg1", 2e-4), *found]
        other = {**p, "stiffening": False}
        wrong = simulate(build(other), other, formulation=run.plan.formulation.name, speeds=run.plan.speeds)
        tables = [_table(run, "exact beam", 2e-4), _table(run, "(2)", 2e-4), _table(wrong, "(2) without Kg and Kg1", 2e-4)]
        found = [*tables, *found]
    return found


def _table(run: Run, which: str, tolerance: float) -> Check:
    v = run["wrist.tip.deflection"][:, 1]
    values = [*(v[sample(run, t)] for t in MARKS), v.max(), v.min()]
    names = [*(f"at {t:g} s" for t in MARKS), "largest", "smallest"]
    return worst(f"tip deflection, m ({which})", names, values, TABLES[which], tolerance, f"{which}, integrated apart")


def motion_of_the_root(p: Parameters) -> Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Function of t: acceleration of the beam's root, angular velocity and acceleration, in the beam's axes, by (1)."""
    total, T = np.cumsum(CHANGE), p["time"]
    start = np.cumsum(START)

    def motion(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        turn = 2 * math.pi * min(t, T) / T
        f = start + total * (turn - math.sin(turn)) / (2 * math.pi)
        df, ddf = total * (1 - math.cos(turn)) / T, total * 2 * math.pi / T**2 * math.sin(turn)
        a = p["link"] * sum((1j * ddf[k] - df[k] ** 2) * cmath.exp(1j * (f[k] - f[2])) for k in range(2))
        return np.array([a.real, a.imag, 0]), np.array([0, 0, df[2]]), np.array([0, 0, ddf[2]])

    return motion


def by_the_book(run: Run, p: Parameters) -> np.ndarray:
    """Tip deflection, m, by the book's theory at the samples of a run."""
    beam = beam_data("8m").by_the_book((0, 2, 0, 0), p["stiffening"])  # a third mode adds 1e-4 m
    return np.asarray(beam.tip(beam.respond(motion_of_the_root(p), run.t))[:, 1])


def _beside(run: Run, p: Parameters) -> Check:
    tip, book = run["wrist.tip.deflection"][:, 1], by_the_book(run, p)
    k = int(np.argmax(np.abs(tip - book)))
    name = f"tip deflection where it differs most, t = {run.t[k]:.4g} s, m"
    allowed = 0.01 * float(np.abs(book).max())
    return Check(name, float(tip[k]), float(book[k]), allowed, "the book's theory of the beam, run beside")


def figure(run: Run, p: Parameters) -> Figure:
    """Tip deflection against the exact beam, torques at the hinges, and the arm on its way."""
    picture, (left, middle, right) = panels(1, 3, size=(11.0, 3.8), width_ratios=(1.3, 1.1, 1))
    left.plot(run.t, run["wrist.tip.deflection"][:, 1], label="this run")
    other = {**p, "stiffening": not p["stiffening"]}
    word = "without stiffening" if p["stiffening"] else "with stiffening"
    left.plot(run.t, simulate(build(other), other)["wrist.tip.deflection"][:, 1], "--", linewidth=1.0, label=word)
    if unchanged(p, DEFAULTS, "stiffening", "link_mass", "modes"):
        left.plot(MARKS, TABLES["exact beam"][:6], "o", color=GREY, mfc="white", ms=5, label="exact beam")
    left.set(xlabel="time, s", ylabel="tip deflection across, m")
    legend(left, loc="lower left")
    for name in HINGES:
        middle.plot(run.t, run[f"{name}.drive"], label=name)
    middle.set(xlabel="time, s", ylabel="torque at the hinge, N m")
    legend(middle)
    for share in np.linspace(0, 0.75, 7):
        k = round(share * (len(run.t) - 1))
        places = [run[f"{name}.position"][k] for name in HINGES] + [run["wrist.tip.position"][k]]
        x, y, _ = np.array(places).T
        right.plot(x, y, "-o", ms=2.5, linewidth=1.2, color=COLOURS[0], alpha=0.25 + share)
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    right.margins(0.06)
    title(picture, "Space manipulator with a flexible third link")
    return picture


EXAMPLE = Example(
    name="space-manipulator",
    title="Two rigid links and a flexible third, moved at three hinges (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 3",
    source="Kane, Ryan and Banerjee (1987), with a stand-in for the angles",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
