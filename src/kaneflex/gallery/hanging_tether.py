"""A tether with mass that hangs from an orbiter, with and without a satellite at its end: its vibrations as a string.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), section 2.1; M. L. Cosmo and E. C. Lorenzini, Tethers in
Space Handbook (1997), for data of the TSS-1 class.

On a circular orbit with rate W the tension of a straight tether is that of the gradient of gravity and rotation. With l its
length, c its mass per length and m the satellite's mass, s counted from the orbiter, small motions y across obey

    T = 3 W^2 [m l + c (l^2 - s^2)/2] ,   (T y')' + (w^2 - k W^2) c y = 0 ,   k = 0 in the plane, 1 out of it           (1)

with y = 0 at the orbiter, and T y' = m (w^2 - k W^2) y at the end.

Without a satellite y are Legendre's polynomials of odd order n: w^2 = 3 n (n + 1)/2 W^2, that is 3, 18, 45. With it (1) is
solved by shooting: 1.732051, 10.427483, 20.457375, 30.573478 W with 164/518 of the satellite's mass in the tether, and
1.732051, 6.708204, 12.742291, 18.915460 W with as much. The first one is always sqrt(3) W, or 2 W: the tether swings as a
straight line.

Here the tether is a chain of rods, `Cable`, on a massless body that turns with the orbit, in a frame N that falls along the
orbit; and, for its frequencies, a row of beads on springs that only pull. The run starts in the shape of the second motion,
the first of a string. Units: SI, rad.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, worst
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import OrbitGravity, SpringDamper
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Revolute, Translational
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, KeplerOrbit
from kaneflex.model.profiles import constant_rate
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 518.0, "length": 20e3, "density": 8.2e-3, "altitude": 296e3, "n": 24}
SHORT = 20.0  # m, of those whose frequencies are told: l over the radius of the orbit is 3e-6
TILT, PERIODS = 0.01, 3
SOURCE = "(1), solved by shooting"


def orbit(p: Parameters) -> KeplerOrbit:
    """The orbiter's."""
    return KeplerOrbit(EARTH_MU, EARTH_RADIUS + positive(p["altitude"], "altitude"))


def hung(p: Parameters, length: float, density: float, mass: float, n: int, plane: str) -> System:
    """A tether of n rods below the orbiter, straight, moving in the plane of the orbit ("xy") or across it ("xz")."""
    path = orbit(p)
    system = System("hanging tether")
    system.add("local", PointMass(0.0), Revolute("z", motion=constant_rate(path.rate)))
    down = Frame((0, 0, 0), (("z", math.pi),))
    system.add_rod("tether", Cable(length, density, n=n, plane=plane), parent="local", at=down)
    if mass > 0:
        system.add("satellite", PointMass(mass), Fixed(), parent="tether", at="tip")
        system.show("satellite", Sphere(0.02 * length))
    system.apply("earth", OrbitGravity(path))
    system.show("N", Box((0.03 * length,) * 3))
    return system


def beaded(p: Parameters, length: float, density: float, mass: float, n: int) -> System:
    """The same as n beads at rest on springs that only pull, stretched by 1e-5 where the tension is largest."""
    path, d = orbit(p), length / n
    masses = np.full(n, density * d)
    masses[-1] = mass + density * d / 2
    EA = 3 * path.rate**2 * length * masses.sum() * 1e5
    places = d * np.arange(1, n + 1)
    for _ in range(5):  # tension and stretch follow from the places of the beads, which they change a little
        tension = 3 * path.rate**2 * np.cumsum((masses * places)[::-1])[::-1]
        places = np.cumsum(d * (1 + tension / EA))
    system = System("beads")
    system.add("local", PointMass(0.0), Revolute("z", motion=constant_rate(path.rate)))
    for k, (own, place) in enumerate(zip(masses, places, strict=True)):
        system.add(f"bead{k}", PointMass(own), Translational(), parent="local", q=(-place, 0, 0))
        system.apply(f"line{k}", SpringDamper(f"bead{k - 1}" if k else "local", f"bead{k}", EA / d, length=d, slack=True))
    system.apply("earth", OrbitGravity(path))
    return system


def motions(system: System, W: float) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies over W in ascending order, and the shapes in coordinates, by columns."""
    linear = system.linearize(system.state())
    values, vectors = np.linalg.eig(linear.A)
    order = [k for k in np.argsort(values.imag) if values[k].imag > 0]
    half = len(values) // 2
    shapes = np.real(vectors[:half, order] / vectors[0, order])
    return values.imag[order] / W, shapes


def build(p: Parameters) -> System:
    """The tether, straight."""
    if p["n"] < 4:
        raise ModelError(f"n is {p['n']}: give 4 rods or more")
    return hung(p, positive(p["length"], "length"), positive(p["density"], "density"), p["mass"], p["n"], "xy")


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Some periods of the second motion."""
    W = orbit(p).rate
    frequencies, shapes = motions(system, W)
    shape = TILT * shapes[:, 1] / np.abs(shapes[:, 1]).max()
    names = [f"tether_{k + 1}.q" for k in range(p["n"])]
    until = PERIODS * 2 * math.pi / (frequencies[1] * W)
    start = dict(zip(names, shape, strict=True))
    fine: dict[str, Any] = {"method": "dop853", "rtol": 1e-9, "atol": 1e-12}
    return system.simulate(until, initial=start, output=until / 300, formulation=formulation, speeds=speeds, **fine)


@cache
def string(ratio: float, count: int) -> np.ndarray:
    """The lowest frequencies in the plane over W by (1); `ratio` is the tether's mass over the satellite's, inf for none."""
    if math.isinf(ratio):
        return np.sqrt([3 * n * (n + 1) / 2 for n in range(1, 2 * count, 2)])

    def rest(w: float) -> float:
        """What is left of the condition at the end; length 1, c = ratio, m = 1."""
        tension = lambda s: 3 * (1 + ratio * (1 - s * s) / 2)
        law = lambda s, y: (y[1] / tension(s), -w * w * ratio * y[0])
        y, pull = solve_ivp(law, (0, 1), (0.0, 1.0), "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        return float(pull - w * w * y)

    found: list[float] = []
    low = 1.0
    while len(found) < count:
        if rest(low) * rest(low + 0.5) < 0:
            found.append(brentq(rest, low, low + 0.5, xtol=1e-11))
        low += 0.5
    return np.array(found)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The run's frequency and balance, and frequencies of straight tethers by Richardson's rule from 20 and 40 rods."""
    W, ratio = orbit(p).rate, p["density"] * p["length"] / p["mass"] if p["mass"] else math.inf
    side = CubicSpline(run.t, run["tether_1.q"]).roots(extrapolate=False)
    frequency = math.pi * (len(side) - 1) / (side[-1] - side[0]) / W
    wanted = float(string(ratio, 2)[1])
    pull = p["density"] * p["length"] / 2 + p["mass"]
    found = [
        Check("frequency of the run over W", frequency, wanted, 2.5 / p["n"] ** 2 * wanted, f"{SOURCE}; rods are {p['n']}"),
        Check(
            "tension at the orbiter, N",
            float(np.mean(run["tether.tension"][:, 0])),
            3 * W**2 * p["length"] * pull,
            0.006 * 3 * W**2 * p["length"] * pull,
            "closed form: 3 W^2 l (m + c l/2)",
        ),
        balance(run, 1e-11),
    ]
    cases = ("no satellite", 0.0, 3), ("satellite of the mass ratio 518/164", 518 / 164, 4), ("satellite as heavy", 1.0, 4)
    for label, mass, count in cases:
        for plane, k in (("xy", 0), ("xz", 1)):
            given = string(1 / mass if mass else math.inf, count)
            coarse, fine = (motions(hung(p, SHORT, 1 / SHORT, mass, n, plane), W)[0][:count] for n in (20, 40))
            names = [f"motion {j + 1}" for j in range(count)]
            what = f"{label}, {'out of' if k else 'in'} the plane, over W"
            source = f"closed form: {'4, 19, 46' if k else '3, 18, 45'}" if not mass else SOURCE
            values = (4 * fine - coarse) / 3
            found.append(worst(what, names, values, np.sqrt(given**2 + k), 2e-4 * given, source))
    return [*found, *_beads(p)]


def _beads(p: Parameters) -> list[Check]:
    """Frequencies of a tether of beads on one-sided springs, from 8 and 16 beads."""
    given, names, found = string(164 / 518, 3), [f"motion {j + 1}" for j in range(3)], []
    linear = [(s := beaded(p, 1.0, 164.0, 518.0, n)).linearize(s.state()) for n in (8, 16)]
    for k, word in enumerate(("in", "out of")):
        wanted, ways = np.sqrt(given**2 + k), []
        for model in linear:  # motions across the plane of the orbit are by themselves
            own = [j for j, name in enumerate(model.states) if (".z" in name) == bool(k)]
            swings = np.linalg.eigvals(model.A[np.ix_(own, own)]).imag / orbit(p).rate
            ways.append(np.sort(swings[swings > 1])[:3])
        values = (4 * ways[1] - ways[0]) / 3
        found.append(worst(f"beads on ropes, {word} the plane, over W", names, values, wanted, 1e-3 * wanted, SOURCE))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes of the tether in the local frame over half a period, and the first three motions of the string."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2))
    W = orbit(p).rate
    for n, k in enumerate(range(0, 51, 10)):
        x, y = run["tether.shape"][k][:, :2].T / 1000
        c, s = math.cos(W * run.t[k]), math.sin(W * run.t[k])
        left.plot(1000 * (c * y - s * x), c * x + s * y, color=COLOURS[n % len(COLOURS)], label=f"{run.t[k]:.0f} s")
    left.set(xlabel="ahead of the vertical, m", ylabel="above the orbiter, km")
    legend(left, loc="lower right", ncols=2)
    right.plot(run.t, np.degrees(run["tether_1.q"]), color=COLOURS[0])
    right.axhline(0, color=GREY, lw=0.6)
    right.set(xlabel="t, s", ylabel="angle of the first rod, degrees")
    title(picture, "Hanging tether with mass and a satellite: first motion of the string")
    return picture


EXAMPLE = Example(
    name="hanging-tether",
    title="Tether with mass hanging in orbit: vibrations of the string",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="closed form by Legendre's polynomials; Tethers in Space Handbook",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
