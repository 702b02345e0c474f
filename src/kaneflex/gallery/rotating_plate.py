"""Frequencies of a rotating cantilever plate against its speed, for axes across the plate and along its clamped edge.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 4; the problem of H. H. Yoo, S. K. Kim, Int. J.
Mechanical Sciences 44 (2002) and H. H. Yoo, J. Chung, J. Sound and Vibration 239 (2001). Their tables are not at hand: the
numbers are recomputations by Ritz's method (9 x 9 polynomials, membrane forces by plane stress), apart from the package's
shell elements; without rotation they are the classical ones of a cantilever plate (3.471, 8.508, 21.29, 27.20 for a
square).

The plate, a long (from the clamped edge outwards) and b wide, nu = 0.3, turns at speed g on a hub of radius d, all in units
of length a, mass rho h a^2 and time sqrt(rho h a^4/D). "flap": the axis is normal to the plate. "edge": it is parallel to
the clamped edge, the deflection is in the plane of rotation, and spin softens it: modes that bend as a beam does have

    w_edge^2 = w_flap^2 - g^2                                                                                       (1)

(a beam's membrane force does not know the axis; a plate's does: its transverse part differs). The run is free vibration in
the first mode, whose frequency is counted. Units: those above; the thickness is a/1000.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import knowingly_wrong
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, known, not_negative, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.plate import Plate
from kaneflex.structures.theories.book_plate import BookPlate
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"axis": "flap", "aspect": 1.0, "speed": 5.0, "hub": 0.0, "stiffening": True}
AXES = {"flap": "z", "edge": "y"}
WITHIN = 5e-3  # of every frequency
THICKNESS, NU, MODES = 1e-3, 0.3, 24
AMPLITUDE = 1e-6
PERIODS = 8

#: Rows (a/b, hub radius, speed): flap 1-4, edge 1-4.
TABLE = {
    (1.0, 0.0, 0.0): ((3.4715, 8.5086, 21.2885, 27.1993), (3.4715, 8.5086, 21.2885, 27.1993)),
    (1.0, 0.0, 1.0): ((3.6397, 8.6286, 21.4325, 27.2796), (3.4996, 8.5124, 21.4038, 27.2099)),
    (1.0, 0.0, 2.0): ((4.1014, 8.9787, 21.8581, 27.5198), (3.5806, 8.5234, 21.7434, 27.2441)),
    (1.0, 0.0, 5.0): ((6.4309, 11.1217, 24.6019, 29.1700), (4.0441, 8.5961, 23.8260, 27.6198)),
    (1.0, 0.0, 10.0): ((11.1949, 16.6328, 31.9590, 34.9473), (5.0327, 8.8040, 26.2909, 32.3863)),
    (1.0, 1.0, 1.0): ((3.8494, 8.7155, 21.6153, 27.3214), (3.7172, 8.6004, 21.5866, 27.2521)),
    (1.0, 1.0, 2.0): ((4.8036, 9.3078, 22.5572, 27.6921), (4.3674, 8.8695, 22.4405, 27.4226)),
    (1.0, 1.0, 10.0): ((16.6011, 20.5858, 35.2728, 44.4793), (13.2510, 14.9869, 29.1377, 43.2465)),
    (2.0, 0.0, 0.0): ((3.4402, 14.8057, 21.4395, 48.1905), (3.4402, 14.8057, 21.4395, 48.1905)),
    (2.0, 0.0, 2.0): ((4.0761, 15.0833, 22.0341, 48.5185), (3.5517, 14.8164, 21.9430, 48.4376)),
    (2.0, 0.0, 10.0): ((11.1891, 20.6332, 33.2303, 55.7348), (5.0196, 15.0393, 31.6857, 53.9455)),
    (0.5, 0.0, 0.0): ((3.4932, 5.3533, 10.1832, 19.0841), (3.4932, 5.3533, 10.1832, 19.0841)),
    (0.5, 0.0, 2.0): ((4.1184, 6.0740, 10.9226, 19.7812), (3.6007, 5.3972, 10.1912, 19.0954)),
    (0.5, 0.0, 10.0): ((11.1948, 15.1681, 22.1213, 32.1194), (5.0411, 6.1275, 10.3234, 19.1199)),
}


def _stuff() -> dict[str, Any]:
    """E, nu and density that make a, rho h a^2 and sqrt(rho h a^4/D) the units."""
    return {"E": 12 * (1 - NU**2) / THICKNESS**3, "nu": NU, "density": 1 / THICKNESS}


@cache
def plate_body(aspect: float, stiffening: bool = True) -> Flexible:
    """The plate in the x-y plane, one long and 1/aspect wide."""
    mesh = (20, 16) if aspect >= 1 else (16, 20)
    plate = Plate(1.0, 1.0 / aspect, THICKNESS, **_stuff(), elements=mesh)
    return Flexible(plate, modes=MODES, nodes=("root", "corner-left", "tip"), stiffening=stiffening)


def build(p: Parameters) -> System:
    """A hub at constant speed about z (flap) or y (edge), and the plate along its x axis."""
    axis = AXES[known(p["axis"], AXES, "axis")]
    hub = Rigid(1.0, inertia=(1, 1, 1), frames={"rim": (not_negative(p["hub"], "hub"), 0, 0)})
    system = System("rotating plate")
    system.add("hub", hub, Revolute(axis, motion=profiles.constant_rate(p["speed"])))
    system.add("plate", plate_body(positive(p["aspect"], "aspect"), p["stiffening"]), parent="hub", at="rim")
    system.show("hub", drum(max(p["hub"], 0.06), 0.2, axis))
    return system


def frequencies(p: Parameters, count: int = 4) -> list[float]:
    """The lowest frequencies, by `System.modes`."""
    return [mode.frequency for mode in build(p).modes()[:count]]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Free vibration in the first mode, eight periods, 40 samples each."""
    mode = system.modes()[0]
    if mode.eigenvalue.imag <= 0:
        raise ModelError(
            f"without stiffening the plate diverges at speed {p['speed']:g} and has no frequency: lower the speed"
        )
    half = len(mode.shape) // 2  # modal coordinates, then their rates
    k = int(np.argmax(np.abs(mode.shape[:half])))
    shape = (mode.shape[:half] / mode.shape[k]).real
    times = np.arange(40 * PERIODS + 1) * (2 * math.pi / mode.frequency / 40)
    run = lambda: system.simulate(
        float(times[-1]), initial={"plate.modes": AMPLITUDE * shape}, formulation=formulation, speeds=speeds, times=times,
        rtol=1e-7, atol=1e-14,
    )  # fmt: skip
    return run() if p["stiffening"] else knowingly_wrong(run)


def counted(run: Run) -> float:
    """Frequency of a run, from the times at which the middle of the edge passes the plane, interpolated."""
    v, t = run["plate.tip.deflection"][:, 2], run.t
    k = np.flatnonzero(v[:-1] * v[1:] < 0)
    passes = t[k] - v[k] * (t[k + 1] - t[k]) / (v[k + 1] - v[k])
    return float(math.pi * (len(passes) - 1) / (passes[-1] - passes[0]))


def by_the_book(p: Parameters, count: int = 4) -> np.ndarray:
    """The lowest frequencies by the book's theory of the plate, with polynomials and membrane forces."""
    size = {"length": 1.0, "width": 1.0 / p["aspect"], "thickness": THICKNESS}
    plate = BookPlate(**size, **_stuff(), modes=64, trials=8, stiffening=p["stiffening"])
    spin = {"flap": (0, 0, p["speed"]), "edge": (0, p["speed"], 0)}[p["axis"]]
    return plate.frequencies(spin, (-(p["speed"] ** 2) * p["hub"], 0, 0))[:count]


def checks(run: Run, p: Parameters) -> list[Check]:
    """The run against the table and the book's theory; the whole table with the default parameters."""
    found, names = counted(run), [f"mode {k + 1}" for k in range(4)]
    own, book = frequencies(p), by_the_book(p)
    source = "the book's theory of the plate"
    result = [
        Check("frequency counted in the run, by the linear model", found, own[0], 1e-6 * own[0], "identity: System.modes"),
        Check("frequency counted in the run, by the book", found, float(book[0]), WITHIN * float(book[0]), source),
        worst("frequencies", names, own, book, WITHIN * book, source),
        balance(run, 1e-12),
    ]
    key = (p["aspect"], p["hub"], p["speed"])
    if key in TABLE and p["stiffening"]:
        value = TABLE[key][list(AXES).index(p["axis"])][0]
        result.append(Check("frequency counted in the run, by the table", found, value, WITHIN * value, "Ritz's method"))
    return [*result, *_table(names)] if unchanged(p, DEFAULTS) else result


def _table(names: list[str]) -> list[Check]:
    found = []
    for (aspect, hub, speed), rows in TABLE.items():
        for axis, row in zip(AXES, rows, strict=True):
            values = frequencies({"axis": axis, "aspect": aspect, "speed": speed, "hub": hub, "stiffening": True})
            what = f"{axis}, a/b = {aspect:g}, hub {hub:g}, speed {speed:g}"
            found.append(worst(what, names, values, row, WITHIN * np.array(row), "Ritz's method, 9 x 9, apart"))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Frequencies against speed with the table, and the vibration of the run."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.4), width_ratios=(1.4, 1))
    speeds = np.linspace(0, 10, 11)
    for axis, style in (("flap", "-"), ("edge", "--")):
        values = np.array([frequencies({**p, "axis": axis, "speed": float(s)}) for s in speeds])
        for k in range(4):
            left.plot(speeds, values[:, k], style, color=COLOURS[k], label=f"{axis} {k + 1}")
    marks = [(speed, rows) for (aspect, hub, speed), rows in TABLE.items() if (aspect, hub) == (p["aspect"], p["hub"])]
    for speed, rows in marks if p["stiffening"] else ():
        left.plot([speed] * 8, np.ravel(rows), "o", color=GREY, mfc="white", ms=4.5)
    left.set(xlabel="speed, $\\sqrt{D/(\\rho h a^4)}$", ylabel="frequency, $\\sqrt{D/(\\rho h a^4)}$")
    legend(left, ncols=2, loc="upper left", bbox_to_anchor=(0, 0.98))
    right.plot(run.t, run["plate.tip.deflection"][:, 2] / AMPLITUDE)
    right.set(xlabel="time, $\\sqrt{\\rho h a^4/D}$", ylabel=f"deflection of the edge's middle, {AMPLITUDE:g} a")
    title(picture, f"Rotating cantilever plate, a/b = {p['aspect']:g}: frequencies against speed")
    return picture


EXAMPLE = Example(
    name="rotating-plate",
    title="Frequencies of a rotating plate, about two axes",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 4",
    source="Banerjee (2016); Yoo and Kim (2002), recomputed",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
