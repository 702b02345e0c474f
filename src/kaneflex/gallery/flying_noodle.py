"""A very flexible beam that is thrown: a force and a moment at one end, then free flight, bending as it turns.

Sources: J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions: the plane case, part II, J.
Appl. Mech. 53 (1986) 855-863; in space the same authors, CMAME 66 (1988) 125-161; A. K. Banerjee, Flexible Multibody
Dynamics (Wiley, 2016), chapter 10, for rods and springs.

The beam of 10 m and 10 kg, EA = GA = 1e4 N, rotary inertia 10 kg m, lies from (6, 0) to (0, 8) m. In the plane a force of
8 N along x and a moment of 80 N m clockwise act at its lower end until 2.5 s. In space (`space=true`) a clockwise moment
about the normal of the plane in which it begins, one about y and a force along x rise to 200 N m, 100 N m and 20 N at 2.5 s
and fall to nothing at 5 s; rotary inertia about the axis is 20 kg m. With m = 10 kg,

    m x_c'' = F ,    x_c = 3 + 0.4 t^2 until 2.5 s, then 5.5 + 2 (t - 2.5) ,    y_c = 4 ;                             (1)
    in space m x_c' = 50 N s from 5 s on ,                                                                           (2)

and once the loads are gone energy, momentum and angular momentum stay. The beam is a chain of `n` segments (`add_rod`),
integrated by linearly implicit steps along the chain. Units: SI.

References: (1) and (2); in the plane, places of the ends and angular momentum of the same beam by geometrically exact finite
elements, computed apart (and within 0.1 m of the histories of another program until 7.5 s). The chain comes to them like
1/n^2: seen until 7.5 s with 20 segments 5 mm (EI = 500) and 26 mm (EI = 100), with 80 2 mm and 6 mm, and 3 mm at 13 s (EI =
500). In space, places of the ends by nodes in absolute coordinates, explicitly integrated (`tests/oracles/flying_beam.py`,
32 and 64 intervals extrapolated), to which 20, 40 and 80 segments come within 24, 6 and 2 mm until 7.5 s; ten elements of
AeroBeams.jl, as its tests have them, are within 2 mm at 1 s, 9 mm at 2.5 s and 0.11 m at 3.5 s. The energy comes like 1/n
only: the moment turns the first segment, which has the axes of the beam at its middle, not the end, which turns by M l/(2
EI) more, so that the work M^2 l/(2 EI) is not done: 3.2 J of 90 J with 20 segments and EI = 500, 16 J of 379 J with EI =
100. With it 89.6, 90.0 and 90.2 J are seen with 20, 40 and 80 segments, 379.5, 379.6 and 379.6 J with EI = 100. Exudyn's
geometrically exact beams of 16, 32 and 64 elements do work of 90.0, 90.4 and 90.1 J there, and 379.3, 379.2 and 379.5 J;
the finite elements computed apart gave 90.6 and 379.9 J.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, worst
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import Force, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.rods.rod import Rod
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"EI": 500.0, "n": 20, "space": False}
LENGTH, LINE_MASS, STRETCH, ROTARY = 10.0, 1.0, 1e4, 10.0
DURATION = 7.5

#: Work of the loads by bending stiffness, J: means of Exudyn 1.13.6 with 16, 32 and 64 elements.
WORK = {500.0: 90.2, 100.0: 379.3}
MOMENT = 80.0  # N m
#: Times, loaded end, free end (x, y), m, by bending stiffness; angular momentum about the origin afterwards, kg m^2/s.
ENDS = {
    500.0: (
        (
            (1.0, (4.9999, -0.5224), (0.4239, 7.9130)),
            (2.5, (4.430, -0.785), (5.946, 8.970)),
            (5.0, (5.620, 4.763), (15.409, 4.265)),
            (7.5, (15.542, 8.995), (15.755, -0.973)),
        ),
        -189.27,
    ),
    100.0: (
        (
            (1.0, (4.3272, 0.4074), (0.3703, 7.7959)),
            (2.5, (4.963, 4.476), (3.583, 6.112)),
            (5.0, (9.783, 8.203), (8.075, 1.759)),
            (7.5, (16.272, -0.286), (17.237, 8.252)),
        ),
        -229.5,
    ),
}
#: The same in space, with EI = GJ = 500: times, loaded end, free end (x, y, z), m.
ENDS_IN_SPACE = (
    (1.0, (5.5805, -0.2835, -0.1851), (0.1188, 7.9750, 0.0160)),
    (2.5, (3.6068, 0.0447, 0.4273), (3.9818, 8.5317, 0.5405)),
    (5.0, (19.2136, 1.6256, 2.1272), (12.9530, 6.8094, -3.0287)),
    (7.5, (30.9058, 2.2037, 3.5823), (24.6502, 5.2699, -3.4736)),
)


def build(p: Parameters) -> System:
    """The beam, free, with its loads."""
    positive(p["EI"], "EI")
    if p["n"] < 2:
        raise ModelError(f"n is {p['n']}: give at least 2 segments")
    system = System("flying noodle")
    start = Frame((6.0, 0.0, 0.0), rotation=(("z", float(np.arctan2(8, -6))),))
    GJ, plane = (p["EI"], None) if p["space"] else (None, "xy")
    beam = Rod(LENGTH, LINE_MASS, p["EI"], GJ, STRETCH, STRETCH, n=p["n"], plane=plane, rotary_inertia=ROTARY)
    system.add_rod("beam", beam, at=start, root="free")
    force, moment = _loads(p["space"])
    system.apply("force", Force("beam.root", force, axes="inertial"))
    system.apply("moment", Torque("beam.root", moment, axes="inertial"))
    return system


def _loads(space: bool) -> tuple[Any, Any]:
    """Force and moment at the lower end, over time."""
    if not space:
        return lambda t: (8.0 * (t < 2.5), 0.0, 0.0), lambda t: (0.0, 0.0, -80.0 * (t < 2.5))
    rise = lambda t: max(0.0, 1 - abs(t / 2.5 - 1))
    return lambda t: (20.0 * rise(t), 0.0, 0.0), lambda t: (0.0, 100.0 * rise(t), -200.0 * rise(t))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """To 7.5 s by linearly implicit steps, sampled every 0.05 s."""
    rtol = 1e-7 if p["space"] else 1e-6
    return system.simulate(
        DURATION, method="ros34pw2", rtol=rtol, atol=rtol / 10, output=0.05, formulation=formulation, speeds=speeds
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Mass centre, what stays in free flight, places of the ends."""
    t, centre, end = run.t, run["mass_centre.position"], 5.0 if p["space"] else 2.5
    free = t > end + 1e-9
    momentum, spin = run["momentum.linear"][free], run["momentum.angular"][free]
    energy = run["energy.total"][free]
    pushed, small = (50.0, 2e-3) if p["space"] else (20.0, 2e-5)
    found = [
        Check("linear momentum after the push, kg m/s", float(momentum[-1, 0]), pushed, small, "(1), (2)"),
        Check("what free flight adds to it, kg m/s", float(np.ptp(momentum, axis=0).max()), 0.0, small, "identity"),
        Check("what it adds to the angular momentum, relative", _change(spin), 0.0, small / 20, "identity: no moment"),
        Check("what it adds to the energy, relative", float(np.ptp(energy) / energy[0]), 0.0, 1e-4, "identity: no load"),
        balance(run, 1e-4),
    ]
    if p["space"]:
        if p["EI"] == 500.0 and p["n"] >= 20:
            found += _ends(run, ENDS_IN_SPACE, "nodes in absolute coordinates, extrapolated: tests/oracles")
        return found
    exact = np.where(t > 2.5, 5.5 + 2 * (t - 2.5), 3 + 0.4 * t**2)
    found += [
        worst("way of the mass centre along x, m", [f"t = {x:.2f} s" for x in t], centre[:, 0], exact, 2e-5, "(1)"),
        worst("way of the mass centre along y, m", [f"t = {x:.2f} s" for x in t], centre[:, 1], 4 + 0 * t, 2e-5, "(1)"),
    ]
    if p["EI"] in ENDS and p["n"] >= 20:
        rows, angular = ENDS[p["EI"]]
        source = "geometrically exact finite elements, apart"
        found += _ends(run, rows, source)
        found.append(Check("angular momentum about the origin, kg m^2/s", float(spin[-1, 2]), angular, 0.2, source))
        half = MOMENT**2 * LENGTH / p["n"] / (2 * p["EI"])
        name = "energy, with the work on half a segment at the end, J"
        found.append(Check(name, float(energy[-1]) + half, WORK[p["EI"]], 0.8, "work of the loads by Exudyn 1.13.6"))
    return found


def _ends(run: Run, rows: Any, source: str) -> list[Check]:
    """Places of both ends against rows of times and places."""
    found = []
    for name, point, k in (("loaded", "root", 1), ("free", "tip", 2)):
        places, exact = run[f"beam.{point}.position"], [row[k] for row in rows]
        values = [places[sample(run, row[0]), : len(row[k])] for row in rows]
        names = [f"{axis} at {row[0]:g} s" for row in rows for axis in "xyz"[: len(row[k])]]
        found.append(worst(f"place of the {name} end, m", names, values, exact, 0.03, source))
    return found


def _change(spin: np.ndarray) -> float:
    """Largest change of an angular momentum over its size."""
    return float(np.ptp(spin, axis=0).max() / np.linalg.norm(spin[0]))


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes one after the other, and the energy."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.7, 1))
    shape, centre = run["beam.shape"], run["mass_centre.position"]
    upper = 2 if p["space"] else 1
    for n, k in enumerate(range(0, len(run.t), 10)):
        left.plot(shape[k, :, 0], shape[k, :, upper], color=COLOURS[n % 3], linewidth=1.3)
    left.plot(centre[:, 0], centre[:, upper], ":", color=GREY, label="mass centre")
    left.set(xlabel="x, m", ylabel="z, m" if p["space"] else "y, m", aspect="equal")
    legend(left, loc="upper left")
    right.plot(run.t, run["energy.kinetic"], label="kinetic")
    right.plot(run.t, run["beam.potential"], color=COLOURS[1], label="of bending and stretch")
    right.plot(run.t, run["energy.total"], "--", color=GREY, label="total")
    right.set(xlabel="time, s", ylabel="energy, J")
    legend(right, loc="center right")
    title(picture, f"Flying beam, EI = {p['EI']:g} N m², {p['n']} segments, every half second")
    return picture


EXAMPLE = Example(
    name="flying-noodle",
    title="Flexible beam thrown into free flight, in a plane or in space",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Simo and Vu-Quoc (1986, 1988)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
