"""The double pendulum that opens Banerjee's book, with its printed equation and the misprint in it.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), eqs (1.10)-(1.21).

Two particles of mass m hang on two massless rods of length l; n1 points down. q1 is the angle of the first rod from n1,
q2 that of the second rod relative to the first. The book's speeds are u1 = q1' and u2 = q1' + q2', the total rates that
`speeds="efficient"` uses, and its equations are

    [2       cos q2] [u1']   [ u2^2 sin q2]         [2 sin q1    ]
    [cos q2  1     ] [u2'] = [-u1^2 sin q2] - (g/l) [sin(q1 + q2)] ,    q1' = u1 ,  q2' = u2 - u1.              (1)

Eq. (1.21) prints sin(q1 + q1) in the last entry; (1.20) has it right. Units: SI, rad.

The reference table was integrated from (1) by DOP853 at rtol 1e-13, apart from this package; its digits are good. The
motion of case B is irregular: what differs at rounding level at the start has grown a thousandfold by t = 10 s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, support, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import known
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"case": "A", "mass": 1.0, "length": 1.0, "gravity": 9.81}
DURATION = 10.0

#: Angles (q1, q2) at rest, from which each case starts.
START = {"A": (math.pi / 6, math.pi / 6), "B": (math.pi / 2, 0.0)}

#: Rows (t, q1, q2, u1, u2) for m = l = 1, g = 9.81.
TABLE = {
    "A": (
        (0.5, 0.331208244, -0.067380894, -0.881668734, -2.507770283),
        (1.0, -0.519130089, 0.062815096, -1.532876347, -0.821932300),
        (2.0, -0.075937690, 0.054693714, 0.357897872, 3.492465522),
        (5.0, 0.458557093, -0.060159157, 1.062310653, 1.828246306),
        (10.0, -0.295564491, 0.135334645, 1.213197931, 2.206072322),
    ),
    "B": (
        (0.5, 0.570472051, 0.633403060, -2.789645766, -3.188062747),
        (1.0, -0.625087700, -0.409497386, -3.922279573, -1.303099249),
        (2.0, -0.482971534, -0.841077178, 3.065288192, 2.949271548),
        (5.0, -0.627186705, -0.674128845, 2.125408674, 3.881888727),
        (10.0, -0.568474664, 0.042080936, 6.078384886, -9.681360682),
    ),
}

#: What (1.21) gives as printed, from case A at t = 1: q1, q2, and the energy it should have kept.
MISPRINTED = (-0.568893, -0.656712, -10.459)


def build(p: Parameters) -> System:
    """The system at rest in its starting position; x is the book's n1, down."""
    q1, q2 = START[known(p["case"], START, "case")]
    m, l = p["mass"], p["length"]
    rod = Rigid(m, com=(l, 0, 0), frames={"tip": (l, 0, 0)})
    system = System("double pendulum", gravity=(p["gravity"], 0, 0))
    upper = system.add("upper", rod, Revolute("z"), q=q1)
    system.add("lower", rod, Revolute("z"), parent=upper, at="tip", q=q2)
    system.show("N", *support((0, 0, 0), 0.12 * l, "x"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Ten seconds, sampled every 0.02 s."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.02
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the table, the misprint, energy, frequencies and the book's second speed."""
    found = []
    if unchanged(p, DEFAULTS, "case"):
        found += _table(run, p["case"])
        if p["case"] == "A":
            found += _misprint(run, p)
    energy = -p["mass"] * p["gravity"] * p["length"] * (2 * math.cos(run.q[0, 0]) + math.cos(run.q[0].sum()))
    scale = p["mass"] * p["gravity"] * p["length"]
    found.append(
        Check("energy at the end, J", run["energy.total"][-1], energy, 1e-10 * scale, "closed form: -m g l (2 c1 + c12)")
    )
    found.append(balance(run, 1e-10))
    return found + _frequencies(p) + _speeds(run, p)


def _book_state(run: Run, k: int) -> np.ndarray:
    """(q1, q2, u1, u2) of the book at sample k."""
    rates = run["upper.rate"][k], run["lower.rate"][k]
    return np.array([*run.q[k], rates[0], rates[0] + rates[1]])


def _table(run: Run, case: str) -> list[Check]:
    source = "eq (1.20), integrated by DOP853 at rtol 1e-13"
    tolerances = {"A": 1e-9, "B": 3e-9}
    names = ("q1", "q2", "u1", "u2")
    return [
        worst(f"t = {t:g} s", names, _book_state(run, sample(run, t)), row, tolerances[case], source)
        for t, *row in TABLE[case]
    ]


def _printed(t: float, y: np.ndarray, g: float, l: float) -> np.ndarray:
    """Rates of (q1, q2, u1, u2) by (1.21) as printed."""
    q1, q2, u1, u2 = y
    M = np.array([[2, math.cos(q2)], [math.cos(q2), 1]])
    f = [
        u2**2 * math.sin(q2) - g / l * 2 * math.sin(q1),
        -(u1**2) * math.sin(q2) - g / l * math.sin(q1 + q1),
    ]
    return np.array([u1, u2 - u1, *np.linalg.solve(M, f)])


def _energy(y: np.ndarray, m: float, g: float, l: float) -> float:
    q1, q2, u1, u2 = y
    kinetic = m * l**2 * (u1**2 + u2**2 / 2 + u1 * u2 * math.cos(q2))
    return kinetic - m * g * l * (2 * math.cos(q1) + math.cos(q1 + q2))


def _misprint(run: Run, p: Parameters) -> list[Check]:
    """The equation as printed is another system: its motion, and by how much it leaves the run."""
    from scipy.integrate import solve_ivp

    g, l = p["gravity"], p["length"]
    solution = solve_ivp(_printed, (0, 1), [*START["A"], 0, 0], method="DOP853", rtol=1e-12, atol=1e-13, args=(g, l))
    y = solution.y[:, -1]
    source = "eq (1.21) with sin(q1 + q1), integrated apart"
    right, energy = TABLE["A"][1][1], _energy(y, p["mass"], g, l)
    return [
        Check("misprint of (1.21): its q1 at t = 1 s", float(y[0]), MISPRINTED[0], 5e-7, source, "documentation"),
        Check("misprint of (1.21): its q2 at t = 1 s", float(y[1]), MISPRINTED[1], 5e-7, source, "documentation"),
        Check("misprint of (1.21): its energy at t = 1 s, J", energy, MISPRINTED[2], 5e-4, source, "documentation"),
        Check(
            "misprint of (1.21): its q1 less that of the run",
            float(y[0] - run.q[sample(run, 1.0), 0]),
            MISPRINTED[0] - right,
            6e-7,
            "the two numbers above: the printed equation does not describe this system",
        ),
    ]


def _frequencies(p: Parameters) -> list[Check]:
    """Small motions about hanging, from accelerations at small displacements (differences of fourth order).

    `System.modes` gives them exactly, but needs the complex kernels, which a first run should not wait for.
    """
    d, rest, h = build(p).dynamics(), np.zeros(2), 1e-3
    f = lambda x: d.udot_at(0.0, x, rest)
    A = np.array([(8 * (f(h * e) - f(-h * e)) - f(2 * h * e) + f(-2 * h * e)) / (12 * h) for e in np.eye(2)]).T
    found = np.sqrt(np.sort(np.linalg.eigvals(-A).real))
    source = "closed form: w^2 = (2 -+ sqrt 2) g/l"
    exact = [math.sqrt((2 + s * math.sqrt(2)) * p["gravity"] / p["length"]) for s in (-1, 1)]
    return [
        Check(f"frequency of small motions {k + 1}, rad/s", float(w), value, 1e-10 * value, source)
        for k, (w, value) in enumerate(zip(found, exact, strict=True))
    ]


def _speeds(run: Run, p: Parameters) -> list[Check]:
    """A run in efficient speeds: the lower rod's is the book's u2, here the sum of the relative rates of the run."""
    book = simulate(build(p), p, formulation=run.plan.formulation.name, speeds="efficient")["lower.u"]
    early = run.t <= 2.0
    gap = np.abs(book - run["upper.rate"] - run["lower.rate"])[early].max()
    scale = math.sqrt(p["gravity"] / p["length"])
    source = "identity: the book's u2 = q1' + q2'"
    return [Check("efficient speed 2 less q1' + q2' up to 2 s, rad/s", float(gap), 0.0, 1e-10 * scale, source)]


def figure(run: Run, p: Parameters) -> Figure:
    """Angles over time, and the paths of the two particles."""
    picture, (left, right) = panels(1, 2, size=(9.0, 4.2), width_ratios=(1.6, 1))
    left.plot(run.t, run.q[:, 0], label="$q_1$")
    left.plot(run.t, run.q[:, 1], label="$q_2$")
    if unchanged(p, DEFAULTS, "case"):
        rows = np.array(TABLE[p["case"]])
        left.plot(rows[:, 0], rows[:, 1], "o", color=COLOURS[0], mfc="white", ms=5)
        left.plot(rows[:, 0], rows[:, 2], "o", color=COLOURS[1], mfc="white", ms=5)
        left.plot([], [], "o", color=GREY, mfc="white", ms=5, label="reference")
    left.set(xlabel="time, s", ylabel="angle, rad")
    legend(left, ncols=3, loc="upper right")
    for name, colour in (("lower", COLOURS[1]), ("upper", COLOURS[0])):
        path = run[f"{name}.tip.position"]
        right.plot(path[:, 1], -path[:, 0], color=colour, linewidth=0.8, alpha=0.75, label=f"{name} particle")
    joints = np.array([np.zeros(3), run["upper.tip.position"][0], run["lower.tip.position"][0]])
    right.plot(joints[:, 1], -joints[:, 0], "-o", color="#111827", linewidth=1.6, ms=4, label="start")
    right.set(xlabel="$n_2$, m", ylabel="up, m", aspect="equal")
    right.margins(0.06)
    legend(right, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3, handlelength=1.2, columnspacing=1.0)
    title(picture, f"Double pendulum, case {p['case']}")
    return picture


EXAMPLE = Example(
    name="double-pendulum",
    title="Double pendulum of particles on massless rods, and a misprint",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 1",
    source="Banerjee (2016), eqs (1.10)-(1.21)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
