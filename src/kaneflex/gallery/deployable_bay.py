"""A bay of a deployable structure, four bodies and two loops, unfolded by two forces: fully Cartesian coordinates.

Source: X. Hu, F. Guan and others, on fully Cartesian coordinates and Kane's equations for deployable structures; masses,
inertias, forces and moments are printed, the layout was in a figure that is lost. The masses have one density per length,
so that the lengths are 1000, 500, 1000 and 1118 mm, and 1118 is the diagonal of 1000 by 500. The reading here, which fits
all data: bodies 1 and 3 are pinned to the ground at A and D, 500 mm apart along y, body 2 is pinned to both: a
parallelogram. Body 4 is pinned at A; its end k slides on body 2, and reaches the far corner in the unfolded rectangle.
With t the angle of body 1 from x, l its length, d that of body 4 and f the angle of body 4,

    d cos f = l cos t ,    x of body 4's centre = (l/2) cos t ,                                                     (1)
    T = t'^2 M/2 ,    M = sum of m l^2/4 + J of bodies 1 and 3, m_2 l^2, (m_4 d^2/4 + J_4) (l sin t/(d sin f))^2 ,   (2)
    M t'^2/2 = (F l/2) (sin t_0 - sin t) ,                                                                          (3)

from rest at t_0, the forces F along y being +F at the centre of body 1 and -F at that of body 2. The printed moments about y
do no work: they load the pins across the plane, where supports are redundant.

Errors of the source. The transverse inertias printed for bodies 1 and 3, and for body 2, are those of uniform rods of 316
and 487 mm, not of 1000 and 500 (that of body 4 is right). Kane's equations there, (22), have mass terms with unequal
component indices, inertias in body axes beside angular velocities in common ones, and no multipliers; (19) and (20) are
one derivative too high. The 27 entries of the angular velocity (15) are right. `inertia` is "rods" for those of uniform
rods, or "printed".
Units: SI; the source has g, mm, s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, sample, support, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import known, positive
from kaneflex.model.constraints import PointOnLine
from kaneflex.model.forces import Force, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"force": 1e-3, "moment": 5e-7, "start": math.pi / 3, "inertia": "rods"}
BODIES = ("first", "second", "third", "brace")
LENGTHS = (1.0, 0.5, 1.0, 1.118)  # m
MASSES = (0.13932, 0.06966, 0.13932, 0.15576)  # kg
AXIAL = 6.5306e-7  # kg m^2, printed for all four
PRINTED = (1.1619592e-3, 1.3778958e-3, 1.1619592e-3, 1.62240135e-2)  # kg m^2, transverse
TIMES = (5.0, 10.0, 15.0, 20.0)

#: x of body 4's centre, mm, at TIMES; then the time at which it is unfolded, s, and the rate of t then, rad/s.
TABLE = {
    "rods": (256.408217, 275.631192, 307.490140, 351.035457, 36.859504, -0.07299367),
    "printed": (257.112237, 278.446849, 313.759229, 361.736392, 34.872209, -0.07819273),
}


def transverse(p: Parameters) -> tuple[float, ...]:
    """Transverse inertias of the four bodies, kg m^2."""
    if known(p["inertia"], TABLE, "inertia") == "printed":
        return PRINTED
    return (*(m * l**2 / 12 for m, l in zip(MASSES[:3], LENGTHS[:3], strict=True)), PRINTED[3])


def build(p: Parameters) -> System:
    """The bay at rest, folded by the angle `start`."""
    start, a = p["start"], LENGTHS[0]
    diagonal = math.acos(a * math.cos(start) / LENGTHS[3])
    s = System("deployable bay")
    along = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))  # axes whose z lies along the bar
    bars = {
        name: Rigid(m, com=(l / 2, 0, 0), inertia=(AXIAL, J, J), frames={"tip": (l, 0, 0), "centre": (l / 2, 0, 0)})
        for name, m, l, J in zip(BODIES, MASSES, LENGTHS, transverse(p), strict=True)
    }
    s.add("first", bars["first"], Revolute("z"), q=start)
    s.add("second", bars["second"], Revolute("z"), parent="first", at="tip", q=math.pi / 2 - start)
    s.add("third", bars["third"], Revolute("z"), at=(0, LENGTHS[1], 0), q=start)
    s.add("brace", bars["brace"], Revolute("z"), q=diagonal)
    s.close("pin", "second.tip", "third.tip", Revolute("z"))
    s.add_frame("second", "rail", Frame((0, 0, 0), along))
    s.constrain("slider", PointOnLine("brace.tip", "second.rail"))
    for name, sign in (("first", 1), ("second", -1)):
        s.apply(f"force_{name}", Force(f"{name}.centre", (0, sign * p["force"], 0), axes="inertial"))
        s.apply(f"moment_{name}", Torque(name, (0, sign * p["moment"], 0), axes="inertial"))
    for k, (name, l) in enumerate(zip(BODIES, LENGTHS, strict=True)):
        s.show(name, rod((0, 0, 0), (l, 0, 0), 0.012, color=COLOURS[k]))
    s.show("N", *support((0, 0, 0), 0.1), *support((0, LENGTHS[1], 0), 0.1))
    return s


def simulate(system: System, p: Parameters, *, formulation: str = "cartesian", speeds: str = "customary") -> Run:
    """Until it is unfolded by (3), sampled every quarter of a second and then."""
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
    return system.simulate(passage(p)[0], output=0.25, formulation=formulation, speeds=speeds, **tight)


def mass(t: Any, p: Parameters) -> Any:
    """M of (2)."""
    J, l, d = transverse(p), LENGTHS[0], LENGTHS[3]
    cosine = l * np.cos(t) / d
    turn = l * np.sin(t) / (d * np.sqrt(1 - cosine**2))
    swung = MASSES[3] * d**2 / 4 + J[3]
    return 2 * (MASSES[0] * l**2 / 4 + J[0]) + MASSES[1] * l**2 + swung * turn**2


def passage(p: Parameters) -> tuple[float, float]:
    """Time to unfold, and the rate of t then, by (3); with t = t_0 - x^2 the integrand has no singularity."""
    start, half = p["start"], positive(p["force"], "force") * LENGTHS[0] / 2

    def slowness(x: float) -> float:
        t = start - x * x
        fall = 2 * math.cos((start + t) / 2) * math.sin(x * x / 2)  # sin t_0 - sin t
        return 2 * x * math.sqrt(mass(t, p) / (2 * half * fall))

    time = quad(slowness, 0.0, math.sqrt(start), epsabs=0, epsrel=1e-12, limit=200)[0]
    return float(time), -math.sqrt(2 * half * math.sin(start) / float(mass(0.0, p)))


def checks(run: Run, p: Parameters) -> list[Check]:
    """The printed table, the passage in closed form, both loops, energy, reactions, and the errors."""
    found = []
    time, rate = passage(p)
    if unchanged(p, DEFAULTS, "inertia"):
        x = 1e3 * run["brace.centre.position"][:, 0]
        values = [*(x[sample(run, t)] for t in TIMES), time - run["first.q"][-1] / rate, run["first.rate"][-1]]
        names = [*(f"x at {t:g} s, mm" for t in TIMES), "time, s", "rate, rad/s"]
        source = "closed form (2) and (3), integrated apart from this package"
        found += [worst("motion", names, values, TABLE[p["inertia"]], [1e-6] * 4 + [1e-6, 1e-8], source)]
    source = "closed form: quadrature of (3)"
    found += [
        Check("angle at the time to unfold, rad", float(run["first.q"][-1]), 0.0, 1e-11, source),
        Check("rate when unfolded, rad/s", float(run["first.rate"][-1]), rate, 1e-11 * abs(rate), source),
        balance(run, 1e-10),
    ]
    return found + _identities(run, p) + _errata(p)


def _identities(run: Run, p: Parameters) -> list[Check]:
    gap = float(np.abs(run["second.tip.position"] - run["third.tip.position"]).max())
    kinetic = float(np.abs(run["energy.kinetic"] - p["force"] / 2 * (math.sin(p["start"]) - np.sin(run["first.q"]))).max())
    other = simulate(build(p), p, formulation="recursive" if run.plan.formulation.name == "cartesian" else "cartesian")
    names = ("first", "second", "third", "slider")
    forces = [np.array([one.loads(name).force[: len(other.t) - 1] for name in names]) for one in (run, other)]
    size = float(np.abs(forces[1]).max())
    apart = float(np.abs(forces[0] - forces[1]).max()) if forces[0].shape == forces[1].shape else math.nan
    return [
        Check("gap of the parallelogram, m", gap, 0.0, 1e-14, "identity: the loop stays closed"),
        Check("kinetic energy less work, J", kinetic, 0.0, 1e-9 * p["force"] / 2, "closed form (3)"),
        Check("forces in joints, two formulations, N", apart, 0.0, 1e-10 * size, "identity: recursive and cartesian"),
    ]


def _errata(p: Parameters) -> list[Check]:
    """Lengths of uniform rods that have the printed transverse inertias, mm."""
    lengths = [1e3 * math.sqrt(12 * J / m) for J, m in zip(PRINTED, MASSES, strict=True)]
    source = "l^2 = 12 J/m of the printed numbers"
    wanted = {"body 1": (lengths[0], 316.36), "body 2": (lengths[1], 487.20), "body 4": (lengths[3], 1118.0)}
    return [Check(f"length by the inertia of {n}, mm", *x, 0.005, source, kind="documentation") for n, x in wanted.items()]


def figure(run: Run, p: Parameters) -> Figure:
    """x of body 4's centre over time for both inertias, and the bay as it unfolds."""
    picture, axes = panels(1, 2, size=(9.6, 3.8), width_ratios=(1.3, 1))
    left, right = axes
    for k, which in enumerate(TABLE):
        q = {**p, "inertia": which}
        one = run if which == p["inertia"] else simulate(build(q), q)
        left.plot(one.t, 1e3 * one["brace.centre.position"][:, 0], color=COLOURS[k], label=f"inertias: {which}")
        if unchanged(p, DEFAULTS, "inertia"):
            left.plot(TIMES, TABLE[which][:4], "o", color=COLOURS[k], mfc="white", ms=5)
    left.plot([], [], "o", color=GREY, mfc="white", ms=5, label="reference")
    left.set(xlabel="time, s", ylabel="x of body 4's centre, mm")
    legend(left, loc="upper left")
    _draw(right, run)
    title(picture, "A bay unfolds: four bodies, two loops")
    return picture


def _draw(ax: Any, run: Run) -> None:
    last = len(run.t) - 1
    for n, k in enumerate(np.linspace(0, last, 6).astype(int)):
        shade = 0.25 + 0.75 * n / 5
        tips = {name: 1e3 * run[f"{name}.tip.position"][k, :2] for name in BODIES}
        A, D = np.zeros(2), np.array([0.0, 1e3 * LENGTHS[1]])
        frame = np.array([A, tips["first"], tips["second"], D])
        ax.plot(*frame.T, "-o", color=COLOURS[0], alpha=shade, ms=2.5, lw=1.2)
        ax.plot(*np.array([A, tips["brace"]]).T, "-", color=COLOURS[1], alpha=shade, lw=1.2)
    ax.set(xlabel="x, mm", ylabel="y, mm", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)


EXAMPLE = Example(
    name="deployable-bay",
    title="Bay of a deployable structure: four bodies in points and unit vectors, both sets of inertias",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="section 4",
    source="printed data; layout read from the masses; closed form derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
