"""A spacecraft that tows an asteroid by gravity, with mass it has collected there hanging on a tether below it.

Source: H. Shen, C. M. Roithmayr and Y. Li, tethered enhanced gravity tractor, AAS/AIAA Astrodynamics Specialist Conference
(2018); D. D. Mazanek and others, Enhanced Gravity Tractor Technique for Planetary Defense, IAA-PDC-15-04-11 (2015); E. T. Lu
and S. G. Love, Nature 438 (2005), 177. The papers' data are not at hand: these stand in for them.

An asteroid, mass M, is free, so that its acceleration is a result. A spacecraft, mass m_s, hovers at the distance r_s on the
x axis, and collected mass, m_c, hangs at r_c below it on a tether of length l. The asteroid attracts all as points. The
tether is a chain of beads on springs that only pull, with dampers. Thrust is along x. The steady pull, with
a = F/(M + m_s + m_c),

    T = G M m_c/r_c^2 + m_c a ,    F = G M (m_s/r_s^2 + m_c/r_c^2) (1 + (m_s + m_c)/M) .                                (1)

Constant thrust does not hold the height: with the asteroid held in place, and the tether inextensible, a small error grows
as exp(t/t_e), 1/t_e^2 = 2 G M (m_s/r_s^3 + m_c/r_c^3)/(m_s + m_c). Across, both masses swing,

    m_s y_s'' = -G M m_s/r_s^3 y_s - T/l (y_s - y_c) ,   m_c y_c'' = -G M m_c/r_c^3 y_c - T/l (y_c - y_s) ,           (2)

and the tether as a string of mass m_t: n pi sqrt(T/(m_t l)) where it is light. The run begins 4 m too low and to one side;
the thrust follows the height, F - K (x - r_s) - D x', by which both poles of an inextensible tether's height are at -1/T,
T the `settling`. What the exhaust carries away is the propellant that the thruster used, a state of this part, times its
speed. Units: SI, rad.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, legend, panels, rounding, title, unchanged, worst
from kaneflex.model.blocks import Block
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Distance
from kaneflex.model.forces import Force, MutualGravity, SpringDamper
from kaneflex.model.forces.mutual_gravity import NEWTON
from kaneflex.model.joints import Fixed, Translational
from kaneflex.model.parts import Thruster
from kaneflex.model.parts.thruster import G0
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "radius": 100.0, "density": 2000.0, "spacecraft": 5e3, "collected": 100e3, "high": 400.0, "low": 150.0,
    "tether": 50.0, "EA": 2000.0, "beads": 2, "settling": 500.0,
}  # fmt: skip
LOW, ASIDE = 4.0, 3.0  # m, errors of the start: both masses too low, the collected mass aside
#: of the defaults: tension with the asteroid held, N; its acceleration, m/s^2, and speed in a year, m/s; time of growth, s;
#: frequencies across, rad/s
PRINTED = {
    "tension": "2.485088", "acceleration": "2.987e-10", "in a year": "9.427e-3", "both": "1777.799", "slow": "3.970207e-4",
    "fast": "1.450606e-3",
}  # fmt: skip
#: a spacecraft of 20 t at 150 m without a tether: acceleration of the asteroid, its speed in a year, pull, thrust with jets
#: turned aside so far that plumes of 20 degrees half angle miss the asteroid
LU_AND_LOVE = {"acceleration": "5.933e-11", "in a year": "1.872e-3", "pull": "0.4970", "thrust": "1.052"}
YEAR = 365.25 * 86400.0  # s
DURATION, SAMPLES = 7200.0, 240
IMPULSE = 2000.0  # specific, of the thruster, s


def asteroid_mass(p: Parameters) -> float:
    """M, kg."""
    return 4 / 3 * math.pi * positive(p["radius"], "radius") ** 3 * positive(p["density"], "density")


def pulls(p: Parameters, *, held: bool) -> tuple[float, float]:
    """Tension at the collected mass, and thrust, N: (1), or without the asteroid's own acceleration where it is `held`."""
    M, a = asteroid_mass(p), 0.0 if held else acceleration(p)
    own = [
        NEWTON * M * p[name] / p[place] ** 2 + p[name] * a for name, place in (("spacecraft", "high"), ("collected", "low"))
    ]
    return own[1], sum(own)


def acceleration(p: Parameters) -> float:
    """a of (1), m/s^2."""
    return float(NEWTON * (p["spacecraft"] / p["high"] ** 2 + p["collected"] / p["low"] ** 2))


def gains(p: Parameters) -> tuple[float, float]:
    """K and D: the pair of masses returns with both time constants `settling`, the instability overcome."""
    m, time = p["spacecraft"] + p["collected"], positive(p["settling"], "settling")
    return m / time**2 + m / e_fold(p) ** 2, 2 * m / time


def rated(p: Parameters) -> float:
    """Thrust of the whole thruster, N: twice what the start asks for, so that the law is not cut."""
    return 2 * (pulls(p, held=False)[1] + gains(p)[0] * LOW)


def e_fold(p: Parameters) -> float:
    """t_e of both masses on an inextensible tether, s."""
    pull = 2 * NEWTON * asteroid_mass(p) * (p["spacecraft"] / p["high"] ** 3 + p["collected"] / p["low"] ** 3)
    return math.sqrt((p["spacecraft"] + p["collected"]) / pull)


def free_length(p: Parameters, *, held: bool) -> float:
    """Of a piece of the tether without load, m: all pieces together are `high - low` under the steady tension."""
    return (p["high"] - p["low"]) / (p["beads"] + 1) / (1 + pulls(p, held=held)[0] / p["EA"])


def towed(p: Parameters, *, held: bool, low: float = 0.0, aside: float = 0.0) -> System:
    """Asteroid, spacecraft, collected mass and tether, at rest; `held` keeps the asteroid where it is."""
    n, bead = p["beads"], p["tether"] / (p["beads"] + 1)
    system = System("gravity tractor")
    system.add("asteroid", PointMass(asteroid_mass(p)), Fixed() if held else Translational())
    names = ["collected", *(f"bead{k + 1}" for k in range(n)), "spacecraft"]
    for k, name in enumerate(names):
        part = k / (n + 1)
        x = (1 - part) * p["low"] + part * p["high"] - low
        mass = p.get(name, bead)
        system.add(name, PointMass(positive(mass, name)), Translational(), q=(x, aside * (1 - part), 0.0))
    l = free_length(p, held=held)
    stiffness = positive(p["EA"], "EA") / l
    damping = 2.0 * math.sqrt(stiffness * bead)
    for k, (a, b) in enumerate(pairwise(names)):
        system.apply(f"line{k + 1}", SpringDamper(a, b, stiffness, damping, l, slack=True))
    for name in names:
        system.apply(f"gravity_{name}", MutualGravity(["asteroid", name]))
    for name, size in (("asteroid", p["radius"]), ("collected", 0.06 * p["radius"])):
        system.show(name, Sphere(size))
    system.show("spacecraft", Box((0.12 * p["radius"],) * 3))
    return system


def build(p: Parameters) -> System:
    """The free system with its controller."""
    if not p["radius"] < p["low"] < p["high"] or p["beads"] < 1:
        raise ModelError("radius, low, high, beads: give radius < low < high, and one bead or more")
    system = towed(p, held=False, low=LOW, aside=ASIDE)
    return piloted(system, p, held=False)


def piloted(system: System, p: Parameters, *, held: bool) -> System:
    """With the thruster, and the law that holds the height by it."""
    (K, D), F, height, whole = gains(p), pulls(p, held=held)[1], p["high"], rated(p)

    def pilot(t: float, x: Any, z: Any) -> Any:
        return (F - K * (x[0] - x[3] - height) - D * (x[6] - x[9])) / whole, ()

    sees = ["spacecraft.position", "asteroid.position", "spacecraft.velocity", "asteroid.velocity"]
    system.add_part("engine", Thruster(whole, IMPULSE), on="spacecraft")
    system.add_block("pilot", Block(pilot, gives=["level"], sees=sees, drives=["engine"]))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two hours."""
    fine: dict[str, Any] = {"method": "radau5", "rtol": 1e-9, "atol": 1e-11}
    return system.simulate(DURATION, output=DURATION / SAMPLES, formulation=formulation, speeds=speeds, **fine)


def by_hand(p: Parameters, t: np.ndarray) -> np.ndarray:
    """Places of asteroid, collected mass, beads and spacecraft from Newton's law, (len(t), bodies, 2): SciPy's LSODA."""
    n, l = p["beads"], free_length(p, held=False)
    m = np.array([asteroid_mass(p), p["collected"], *[p["tether"] / (n + 1)] * n, p["spacecraft"]])
    k = p["EA"] / l
    d, (K, D), F, whole = 2 * math.sqrt(k * m[2]), gains(p), pulls(p, held=False)[1], rated(p)
    part = np.linspace(0, 1, n + 2)
    start = np.zeros((2, n + 3, 2))
    start[0, 1:] = np.column_stack([p["low"] + part * (p["high"] - p["low"]) - LOW, ASIDE * (1 - part)])

    def law(_: float, y: np.ndarray) -> np.ndarray:
        x, v = y.reshape(2, n + 3, 2)
        force = np.zeros_like(x)
        far = x[1:] - x[0]
        weight = far * (NEWTON * m[0] * m[1:] / np.hypot(far[:, 0], far[:, 1]) ** 3)[:, None]
        force[0], force[1:] = weight.sum(axis=0), -weight
        gap = np.diff(x[1:], axis=0)
        long = np.hypot(gap[:, 0], gap[:, 1])
        unit = gap / long[:, None]
        pull = np.maximum(k * (long - l) + d * (unit * np.diff(v[1:], axis=0)).sum(axis=1), 0.0)
        pull = np.where(long > l, pull, 0.0)[:, None] * unit
        force[1:-1] += pull
        force[2:] -= pull
        wanted = F - K * (x[-1, 0] - x[0, 0] - p["high"]) - D * (v[-1, 0] - v[0, 0])
        force[-1, 0] += min(max(wanted, 0.0), whole)
        return np.concatenate([v.ravel(), (force / m[:, None]).ravel()])

    found = solve_ivp(law, (0, t[-1]), start.ravel(), "LSODA", t_eval=t, rtol=1e-10, atol=1e-11)
    return np.asarray(found.y.T.reshape(len(t), 2, n + 3, 2)[:, 0])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The towed motion beside Newton's law, the steady pull, momentum, growth, and small motions across."""
    wanted = by_hand(p, np.asarray(run.t[::8]))
    names = ["asteroid", "collected", *(f"bead{k + 1}" for k in range(p["beads"])), "spacecraft"]
    places = np.stack([run[f"{name}.position"][::8, :2] for name in names], axis=1)
    off, moved = np.abs(places - wanted)[:, 1:].max(), np.abs(places - wanted)[:, 0].max() / wanted[-1, 0, 0]
    bodies = [(asteroid_mass(p), "asteroid"), (p["collected"], "collected"), (p["spacecraft"], "spacecraft")]
    bodies += [(p["tether"] / (p["beads"] + 1), name) for name in names[2:-1]]
    momentum = sum(m * run[f"{name}.velocity"][:, 0] for m, name in bodies)
    given = IMPULSE * G0 * run["engine.propellant"]
    lost = float(np.abs(momentum - given).max() / given[-1])
    by = "Newton's law for the same points, SciPy's LSODA"
    return [
        Check("places, largest difference, m", float(off), 0.0, 1e-5, by),
        Check("way of the asteroid, relative difference", float(moved), 0.0, 5e-12, by),
        Check("momentum of all bodies less that of the exhaust, relative", lost, 0.0, 3e-13, "identity: conserved"),
        *_steady(p),
        *_growth(p),
        _loop(p),
        *_across(p),
        *(_printed(p) if unchanged(p, DEFAULTS, "tether", "EA", "beads", "settling") else []),
    ]


def stiff(p: Parameters, *, held: bool, loop: bool = False) -> System:
    """The same with an inextensible tether without mass, under constant thrust or with the `loop` that holds the height."""
    system = System("inextensible tether")
    system.add("asteroid", PointMass(asteroid_mass(p)), Fixed() if held else Translational())
    for name, place in (("collected", "low"), ("spacecraft", "high")):
        system.add(name, PointMass(p[name]), Translational(), q=(p[place], 0, 0))
        system.apply(f"gravity_{name}", MutualGravity(["asteroid", name]))
    system.constrain("tether", Distance("collected", "spacecraft", p["high"] - p["low"]))
    if loop:
        return piloted(system, p, held=held)
    system.apply("thrust", Force("spacecraft", (pulls(p, held=held)[1], 0, 0), axes="inertial"))
    return system


def _loop(p: Parameters) -> Check:
    """Height held with the asteroid held: both poles are where the gains are to put them. Of a double pole the polynomial
    is compared, (T s)^2 + 2 T s + 1: roots of it are uncertain by the square root of rounding."""
    system, time = stiff(p, held=True, loop=True), p["settling"]
    poles = time * system.linearize(system.state()).eigenvalues()
    two = poles[np.argsort(np.abs(poles + 1))[:2]]
    found, names = (-two.sum().real, two.prod().real), ("sum", "product")
    return worst("poles of the height held, times the settling", names, found, (2.0, 1.0), 1e-8, "identity: as placed")


def _steady(p: Parameters) -> list[Check]:
    """Tension and acceleration under the thrust of (1), the asteroid free and held."""
    found, a, names = [], acceleration(p), ("asteroid", "collected", "spacecraft")
    for held in (False, True):
        system, word = stiff(p, held=held), "held" if held else "free"
        at = system.channels(system.state(), "tether.multipliers", *(f"{name}.acceleration" for name in names))
        tension, source = pulls(p, held=held)[0], "closed form (1); 2.485088 and 2.502561 N with the asteroid held"
        found.append(Check(f"tension, asteroid {word}, N", -float(at["tether.multipliers"]), tension, 1e-12, source))
        speeds = [float(at[f"{name}.acceleration"][0]) for name in names]
        wanted = 0.0 if held else a
        source = "closed form (1): 2.987e-10 m/s^2, 9.427 mm/s in a year"
        found.append(worst(f"acceleration, asteroid {word}, m/s^2", names, speeds, [wanted] * 3, 1e-9 * a, source))
    return found


def _growth(p: Parameters) -> list[Check]:
    """Time in which an error of the height grows by e under constant thrust, of both masses and of the lower one alone."""
    alone = System("alone")
    alone.add("collected", PointMass(p["collected"]), Translational(), q=(p["low"], 0, 0))
    alone.add("asteroid", PointMass(asteroid_mass(p)), Fixed())
    alone.apply("gravity", MutualGravity(["asteroid", "collected"]))
    alone.apply("thrust", Force("collected", (pulls(p, held=True)[0], 0, 0), axes="inertial"))
    lower = math.sqrt(p["low"] ** 3 / (2 * NEWTON * asteroid_mass(p)))
    return [
        Check(
            f"e-fold, {word}, s", 1 / float(system.linearize(system.state()).eigenvalues().real.max()), wanted, 1e-6, source
        )
        for word, system, wanted, source in (
            ("both masses", stiff(p, held=True), e_fold(p), "closed form; 1777.799"),
            ("collected mass alone", alone, lower, "closed form; 1737.240"),
        )
    ]


def _across(p: Parameters) -> list[Check]:
    """Frequencies of small motions across: of the pair on a massless tether by (2), of a light tether between them."""
    T, l, k = pulls(p, held=True)[0], p["high"] - p["low"], NEWTON * asteroid_mass(p)
    ends = ((p["spacecraft"], p["high"]), (p["collected"], p["low"]))
    own = np.array([[k / r**3 + T / (l * m) if i == j else -T / (l * m) for j in (0, 1)] for i, (m, r) in enumerate(ends)])
    pair = np.sqrt(np.linalg.eigvals(own))
    system = stiff(p, held=True)
    found = system.linearize(system.state()).eigenvalues().imag
    names, source = ("slow", "fast"), "(2); 3.970207e-4 and 1.450606e-3"
    values = [found[np.argmin(np.abs(found - w))] for w in np.sort(pair)]
    rows = [worst("frequencies across, rad/s", names, values, np.sort(pair), 1e-9 * pair.max(), source)]
    light, modes = {**p, "tether": 1e-3}, np.arange(1, 4)
    string = modes * math.pi * math.sqrt(T / (light["tether"] * l))
    ways = []
    for n in (10, 20):
        system = towed({**light, "beads": n}, held=True)
        system.apply("thrust", Force("spacecraft", (pulls(p, held=True)[1], 0, 0), axes="inertial"))
        found = system.linearize(system.state()).eigenvalues().imag
        beads = 2 * (n + 1) / l * math.sqrt(T * l / light["tether"]) * np.sin(modes * math.pi / (2 * (n + 1)))
        ways.append(np.array([found[np.argmin(np.abs(found - w))] for w in beads]))
    fine = ways[1] + (ways[1] - ways[0]) / ((21 / 11) ** 2 - 1)
    counted = [f"mode {k}" for k in modes]
    return [*rows, worst("tether as a string, rad/s", counted, fine, string, 1e-3 * string, "n pi sqrt(T/(m_t l))")]


def _printed(p: Parameters) -> list[Check]:
    """The printed numbers of the defaults, and those of a spacecraft without a tether."""
    held, free = stiff(p, held=True), stiff(p, held=False)
    a = float(free.channels(free.state(), "asteroid.acceleration")["asteroid.acceleration"][0])
    roots = held.linearize(held.state()).eigenvalues()
    slow, fast = np.unique(np.round(roots.imag[roots.imag > 1e-5], 12))
    tension = -float(held.channels(held.state(), "tether.multipliers")["tether.multipliers"])
    found = {
        "tension": tension,
        "acceleration": a,
        "in a year": a * YEAR,
        "both": 1 / roots.real.max(),
        "slow": slow,
        "fast": fast,
    }
    near = System("gravity tractor without a tether")
    for name, mass, x in (("asteroid", asteroid_mass(p), 0.0), ("spacecraft", 20e3, 150.0)):
        near.add(name, PointMass(mass), Translational(), q=(x, 0, 0))
    near.apply("gravity", MutualGravity(["asteroid", "spacecraft"]))
    at = near.channels(near.state(), "asteroid.acceleration", "spacecraft.acceleration")
    a, pull = float(at["asteroid.acceleration"][0]), -20e3 * float(at["spacecraft.acceleration"][0])
    aside = math.asin(p["radius"] / 150.0) + math.radians(20.0)
    plain = {"acceleration": a, "in a year": a * YEAR, "pull": pull, "thrust": pull / math.cos(aside)}
    rows = (
        (found, PRINTED, "", "independent program, printed"),
        (plain, LU_AND_LOVE, "20 t at 150 m: ", "Lu and Love 2005"),
    )
    return [
        Check(f"{word}{name}, printed", float(values[name]), float(table[name]), rounding(table[name]), source)
        for values, table, word, source in rows
        for name in values
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Height and thrust, and the motion across."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.0))
    hours = run.t / 3600
    left.plot(hours, run["spacecraft.position"][:, 0] - run["asteroid.position"][:, 0], label="height of the spacecraft")
    left.set(xlabel="t, h", ylabel="height, m")
    other = left.twinx()
    other.plot(hours, run["engine.thrust"], color=COLOURS[1], label="thrust")
    other.set_ylabel("thrust, N", color=COLOURS[1])
    wanted = by_hand(p, np.asarray(run.t[::8]))
    for k, (name, label) in enumerate((("collected", "collected mass"), ("spacecraft", "spacecraft"))):
        right.plot(hours, run[f"{name}.position"][:, 1], color=COLOURS[k], label=label)
        right.plot(hours[::8], wanted[:, 1 if k == 0 else -1, 1], "o", color=GREY, mfc="white", ms=3.5)
    right.set(xlabel="t, h", ylabel="aside, m")
    right.margins(y=0.2)
    legend(right, loc="upper right", ncols=2)
    title(picture, "Gravity tractor with collected mass on a tether: height held by thrust, free swing across")
    return picture


EXAMPLE = Example(
    name="gravity-tractor",
    title="Tethered enhanced gravity tractor: an asteroid towed by gravity",
    document="Roithmayr, applications of Kane's method",
    source="Shen, Roithmayr and Li 2018; Mazanek and others 2015; closed forms",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
