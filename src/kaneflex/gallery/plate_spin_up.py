"""A plate brought to speed about an axis along its clamped edge: right, and wrong without stiffening by motion.

Source: A. K. Banerjee, T. R. Kane, "Dynamics of a plate in large overall motion", J. Applied Mechanics 56 (1989) 887-892;
A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 4.

An aluminium plate of 72 x 48 x 0.1 inch, a = 1.8288 m by b = 1.2192 m, E = 6.8952e10 Pa, nu = 0.3, 2768 kg/m^3, clamped on
its short edge x = 0, turns about that edge (towards +z) by the ramp W(t) = (W_s/T) [t - T/(2 pi) sin(2 pi t/T)], W_s = 10
rad/s, T = 30 s. The data are those remembered of the paper; the numbers are recomputations. The deflection w = sum phi_i
q_i obeys

    q'' + [k + W^2 (Kg - 1)] q = -W' int rho h x phi ,   Kg = int (Nx w_x w_x + Ny w_y w_y + 2 Nxy w_x w_y)           (1)

with the membrane forces N of the centrifugal load of unit rate, a problem of plane stress. Without Kg (`stiffening=false`)
the plate diverges once W passes its first frequency, 3.96 rad/s. Units: SI, rad.

References: (1) with polynomials (8 x 8) and 20 modes, integrated apart; the book's theory (`theories.book_plate`), beside
every run. The package's plate is made of shell elements.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import knowingly_wrong, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.plate import Plate
from kaneflex.structures.theories.book_plate import BookPlate
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"rate": 10.0, "time": 30.0, "thickness": 2.54e-3, "modes": 8, "stiffening": True}
SHEET: dict[str, Any] = {"length": 1.8288, "width": 1.2192, "E": 6.8952e10, "nu": 0.3, "density": 2768.0}
MESH = (12, 8)
WRONG_UNTIL = 0.5  # of the ramp, without stiffening

#: Frequencies at rest, rad/s.
FREQUENCIES = (3.9625, 13.3746, 24.6301, 45.123, 61.42, 70.70)

#: Deflection of a corner, m, at these times, and its peak; that of the middle of the edge.
MARKS = (5.0, 10.0, 15.0, 20.0, 25.0, 30.0)
CORNER = (-0.02196, -0.06279, -0.06737, -0.03862, -0.01121, -0.00006)
PEAKS = (-0.0719, -0.0723)

#: Deflection of the corner without Kg: times and values.
WRONG = ((10.0, -0.0863), (12.5, -0.248), (15.0, -13.7))


@cache
def _plate(thickness: float, modes: int, stiffening: bool) -> Flexible:
    sheet = Plate(**SHEET, thickness=thickness, elements=MESH)
    return Flexible(sheet, modes=modes, nodes=("root", "corner-left", "tip"), stiffening=stiffening)


def build(p: Parameters) -> System:
    """A hub that turns about -y, which lifts the plate towards +z; the plate on its x axis."""
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    ramp = profiles.spin_up(rate=positive(p["rate"], "rate"), time=positive(p["time"], "time"))
    system = System("plate spin-up")
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute((0, -1, 0), motion=ramp))
    system.add("plate", _plate(positive(p["thickness"], "thickness"), p["modes"], p["stiffening"]), parent="hub")
    system.show("hub", drum(0.06, 1.1 * SHEET["width"], "y"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A twentieth longer than the ramp, sampled every 1/300 of it; half of it without stiffening."""
    times = np.arange(round(300 * (1.05 if p["stiffening"] else WRONG_UNTIL)) + 1) * (p["time"] / 300)
    run = lambda: system.simulate(float(times[-1]), formulation=formulation, speeds=speeds, times=times)
    return run() if p["stiffening"] else knowingly_wrong(run)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies, table and peaks, the book's theory beside, and the wrong answer."""
    found = [*_beside(run, p), balance(run, 1e-11 if p["stiffening"] else 1e-8)]
    if p["stiffening"]:
        found.append(work_of_drives(run, ("hub",), 1e-5))
    if not unchanged(p, DEFAULTS, "stiffening", "modes") or p["modes"] < 6:
        return found
    if not p["stiffening"]:
        return [_wrong(run), *found]
    other = {**p, "stiffening": False}
    wrong = simulate(build(other), other, formulation=run.plan.formulation.name, speeds=run.plan.speeds)
    return [*_right(run), _wrong(wrong), *found]


def _right(run: Run) -> list[Check]:
    corner, middle = run["plate.corner-left.deflection"][:, 2], run["plate.tip.deflection"][:, 2]
    source = "(1) by polynomials, 20 modes, integrated apart"
    allowed = 0.01 * abs(PEAKS[0])
    body = run.model.parts["plate"].body
    assert isinstance(body, Flexible)
    names = [f"mode {k + 1}" for k in range(len(FREQUENCIES))]
    values = [corner[sample(run, t)] for t in MARKS]
    at_rest = body.modal.frequencies[: len(names)]
    return [
        worst("frequency at rest, rad/s", names, at_rest, FREQUENCIES, 5e-3 * np.array(FREQUENCIES), "polynomials, apart"),
        worst("corner's deflection, m", [f"at {t:g} s" for t in MARKS], values, CORNER, allowed, source),
        Check("largest deflection of the corner, m", float(corner.min()), PEAKS[0], allowed, source),
        Check("largest deflection of the edge's middle, m", float(middle.min()), PEAKS[1], allowed, source),
    ]


def _wrong(run: Run) -> Check:
    """The divergence magnifies the half per cent by which the first frequencies differ: 5 % at its end."""
    times, row = zip(*WRONG, strict=True)
    values = [run["plate.corner-left.deflection"][sample(run, t), 2] for t in times]
    names = [f"at {t:g} s" for t in times]
    source = "(1) without Kg, integrated apart"
    tolerance = np.array([0.01, 0.01, 0.05]) * np.abs(row)
    return worst("corner's deflection without stiffening, m", names, values, row, tolerance, source)


def by_the_book(run: Run, p: Parameters) -> np.ndarray:
    """Deflection of the corner, m, by the book's theory at the samples of a run."""
    _, rate, acceleration = profiles.spin_up(rate=p["rate"], time=p["time"]).functions
    assert rate is not None and acceleration is not None
    plate = BookPlate(**SHEET, thickness=p["thickness"], modes=max(10, p["modes"]), stiffening=p["stiffening"])
    motion = lambda t: (np.zeros(3), np.array([0, -rate(t), 0]), np.array([0, -acceleration(t), 0]))
    return plate.deflection(plate.respond(motion, run.t), SHEET["length"], SHEET["width"] / 2)


def _beside(run: Run, p: Parameters) -> list[Check]:
    """The book's theory at all samples, for as long as the deflection stays below a tenth of the plate's length."""
    if p["modes"] < 6:
        return []
    corner, book = run["plate.corner-left.deflection"][:, 2], by_the_book(run, p)
    small = np.abs(book) < 0.1 * SHEET["length"]
    last = len(small) if small.all() else int(np.argmin(small))
    k = int(np.argmax(np.abs(corner - book)[:last]))
    name = f"corner's deflection where it differs most, t = {run.t[k]:.4g} s, m"
    allowed = 0.01 * float(np.abs(book[:last]).max())
    return [Check(name, float(corner[k]), float(book[k]), allowed, "the book's theory of the plate, run beside")]


def figure(run: Run, p: Parameters) -> Figure:
    """Deflections over time, and the torque that it takes."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.6, 1))
    corner = run["plate.corner-left.deflection"][:, 2]
    left.plot(run.t, corner, label="corner")
    if p["stiffening"]:
        left.plot(run.t, run["plate.tip.deflection"][:, 2], color=COLOURS[2], linewidth=0.9, label="middle of the edge")
        other = {**p, "stiffening": False}
        wrong = simulate(build(other), other)
        v = wrong["plate.corner-left.deflection"][:, 2]
        seen = v > 1.8 * corner.min()
        left.plot(wrong.t[seen], v[seen], "--", color=COLOURS[1], label="corner without stiffening: wrong")
        if unchanged(p, DEFAULTS, "modes"):
            left.plot(MARKS, CORNER, "o", color=GREY, mfc="white", ms=5, label="corner, polynomials")
    left.set(xlabel="time, s", ylabel="deflection, m")
    legend(left, loc="lower right")
    right.plot(run.t, run["hub.drive"], color=COLOURS[4])
    right.set(xlabel="time, s", ylabel="torque at the hub, N m")
    title(picture, f"Spin-up of a plate to {p['rate']:g} rad/s about its clamped edge")
    return picture


EXAMPLE = Example(
    name="plate-spin-up",
    title="Plate on a base that is brought to speed, right and wrong (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 4",
    source="Banerjee and Kane (1989)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
