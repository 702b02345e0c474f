"""A vibrating sieve with two hanging bars, and what the misprints of its paper do.

Source: N.-D. Stanescu and N. Pandrea, a worked example of Kane's equations (document 5 of the project), eqs (2.5)-(6.2).

The sieve (mass m1) slides along x on a spring k, q1 its displacement; a uniform bar (m2, l2) hangs from it and another
(m3, l3) from the first, q2 and q3 their angles from the vertical, counter-clockwise positive. The paper's speeds u = q'
are the total rates that `speeds="efficient"` uses. With a = (m2/2 + m3) l2, b = m3 l3 / 2, c = m3 l2 l3 / 2

    [m1+m2+m3   a cos q2           b cos q3       ] [u1']   [a sin q2 u2^2 + b sin q3 u3^2 - k q1]
    [a cos q2   (m2/3 + m3) l2^2   c cos(q3 - q2) ] [u2'] = [ c sin(q3 - q2) u3^2 - a g sin q2   ]              (1)
    [b cos q3   c cos(q3 - q2)     m3 l3^2 / 3    ] [u3']   [-c sin(q3 - q2) u2^2 - b g sin q3   ]

derived anew by Kane's method and by Lagrange's equations. The paper's final equations (5.2) differ from (1) in the second
row, where three misprints act on the motion:

- m2 l2^2 stands where m2 l2^2 / 4 belongs, so that with J_C2 = m2 l2^2 / 12 the inertia is (13/12 m2 + m3) l2^2;
- c sin(q3 - q2) u3^2 is missing;
- m3 g l2 sin q3 stands where m3 g l2 sin q2 belongs.

Their motion does not keep its energy, so the paper's figures are of another system. Units: SI, rad. The reference table
was integrated from (1) by DOP853 at rtol 1e-13, apart from this package; its digits are good.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, sample, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "stiffness": 1000.0, "l2": 0.2, "l3": 0.3, "m1": 1.0, "m2": 1.2, "m3": 1.4, "gravity": 9.81,
    "q1": 0.01, "q2": math.pi / 6, "q3": math.pi / 3, "u1": 0.01,
}  # fmt: skip
DURATION = 3.0

#: Rows (t, q1, q2, q3, u1, u2, u3) of (1).
TABLE = (
    (0.1, 0.0059054823, 0.5079540265, 0.8657906767, -0.0305284183, -0.6460878398, -3.4063341578),
    (0.25, 0.0130496774, 0.2311619376, 0.1530984288, -0.0531779279, -2.3475292215, -5.2117961792),
    (0.5, -0.0144089672, -0.6331579851, -0.5225007207, -0.0281910081, -1.6185648044, -2.7365510699),
    (1.0, -0.0044817222, 0.0825176581, 0.5965971623, 0.1811938751, 2.9748894134, 3.0905385487),
    (1.5, -0.0156894533, 0.0455484013, 0.2494213887, -0.0592101665, -0.7918259264, -7.0767445154),
    (2.0, -0.0210239894, -0.3661768359, -0.4740962512, 0.0986821903, 4.1664893996, 0.5003943697),
    (2.5, 0.0078765967, 0.5738555551, 0.8944039268, 0.2056629207, -1.4512982391, -1.8060688736),
    (3.0, -0.0055099271, -0.6413578777, -0.7883988648, 0.1611503859, -0.6929400688, -2.7717036441),
)
ENERGY = -4.378153684450
START_ACCELERATIONS = (-1.68590885, 0.34041404, -38.55858113)
FREQUENCIES = (5.268524, 13.886183, 29.834689)

#: By the paper's equations as printed: initial accelerations, and the "energy" after three seconds.
PRINTED_ACCELERATIONS = (-0.31791, -17.53077, -26.50167)
PRINTED_ENERGY = 24.44


def build(p: Parameters) -> System:
    """The sieve at its starting position; x along the slide, y up."""
    system = System("sieve", gravity=(0, -p["gravity"], 0))
    sieve = system.add("sieve", Rigid(p["m1"]), Prismatic("x"), q=p["q1"], rates=p["u1"])
    upper = system.add("upper", _bar(p["m2"], p["l2"]), Revolute("z"), parent=sieve, q=p["q2"])
    system.add("lower", _bar(p["m3"], p["l3"]), Revolute("z"), parent=upper, at="tip", q=p["q3"] - p["q2"])
    rails = [rod((-0.25, 0, z), (0.25, 0, z), 0.006, color="grey") for z in (-0.06, 0.06)]
    system.show("N", *rails, *(Box((0.02, 0.06, 0.16), position=(x, 0, 0), color="silver") for x in (-0.26, 0.26)))
    system.show("sieve", Box((0.16, 0.04, 0.16)))
    system.apply("spring", JointSpring("sieve", stiffness=p["stiffness"]))
    return system


def _bar(m: float, l: float) -> Rigid:
    """A thin uniform bar that hangs from its origin."""
    J = m * l**2 / 12
    return Rigid(m, com=(0, -l / 2, 0), inertia=(J, 0, J), frames={"tip": (0, -l, 0)})


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three seconds, sampled every 5 ms."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.005
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the table, initial accelerations, energy, frequencies, and what the misprints do."""
    found, y = [], _paper_states(run)
    if unchanged(p, DEFAULTS):
        source = "equations (1), integrated by DOP853 at rtol 1e-13"
        names = ("q1", "q2", "q3", "u1", "u2", "u3")
        found = [worst(f"t = {t:g} s", names, y[sample(run, t)], row, 1.5e-10, source) for t, *row in TABLE]
        found.append(Check("energy at the end, J", run["energy.total"][-1], ENERGY, 1e-11, source))
    found += _accelerations(run, p, y[0])
    found.append(balance(run, 1e-10))
    return found + _frequencies(p) + (_misprints(p, y[0]) if unchanged(p, DEFAULTS) else [])


def _paper_states(run: Run) -> np.ndarray:
    """Rows (q1, q2, q3, u1, u2, u3) of the paper: absolute angles and their rates."""
    w = np.column_stack([run["sieve.rate"], run["upper.rate"], run["lower.rate"]])
    absolute = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]]).T
    return np.hstack([run.q @ absolute, w @ absolute])


def _equations(y: np.ndarray, p: Parameters, *, printed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and right side of (1), or of (5.2) as printed."""
    q1, q2, q3, _, u2, u3 = y
    m2, m3, l2, l3, g = p["m2"], p["m3"], p["l2"], p["l3"], p["gravity"]
    a, b, c = (m2 / 2 + m3) * l2, m3 * l3 / 2, m3 * l2 * l3 / 2
    m12, m13, m23 = a * math.cos(q2), b * math.cos(q3), c * math.cos(q3 - q2)
    s2, s3, s32 = math.sin(q2), math.sin(q3), math.sin(q3 - q2)
    M = np.array([[p["m1"] + m2 + m3, m12, m13], [m12, (m2 / 3 + m3) * l2**2, m23], [m13, m23, m3 * l3**2 / 3]])
    f = np.array([a * s2 * u2**2 + b * s3 * u3**2 - p["stiffness"] * q1, c * s32 * u3**2 - a * g * s2, -c * s32 * u2**2])
    f[2] -= b * g * s3
    if printed:
        M[1, 1] = (m2 * 13 / 12 + m3) * l2**2
        f[1] = -(m2 / 2 * s2 + m3 * s3) * l2 * g
    return M, f


def _energy(y: np.ndarray, p: Parameters) -> float:
    M, _ = _equations(y, p)
    a, b = (p["m2"] / 2 + p["m3"]) * p["l2"], p["m3"] * p["l3"] / 2
    potential = p["stiffness"] * y[0] ** 2 / 2 - p["gravity"] * (a * math.cos(y[1]) + b * math.cos(y[2]))
    return float(y[3:] @ M @ y[3:] / 2 + potential)


def _accelerations(run: Run, p: Parameters, start: np.ndarray) -> list[Check]:
    """u-dot at the start, in the paper's speeds: printed digits, and (1) solved here."""
    dynamics = build(p).dynamics(run.plan.formulation.name, "efficient")
    udot = dynamics.udot_at(0.0, run.q[0], start[3:])
    here = np.linalg.solve(*_equations(start, p))
    scale = max(1.0, float(np.abs(here).max()))
    names = ("u1'", "u2'", "u3'")
    found = [worst("accelerations at the start", names, udot, here, 1e-13 * scale, "equations (1), solved in this file")]
    if unchanged(p, DEFAULTS):
        source = "equations (1), printed to eight decimals"
        found += [
            Check(f"{name} at the start", float(value), reference, 6e-9, source)
            for name, value, reference in zip(names, udot, START_ACCELERATIONS, strict=True)
        ]
    return found


def _frequencies(p: Parameters) -> list[Check]:
    system = build(p)
    modes = system.modes(system.state({"sieve.q": 0.0, "upper.q": 0.0, "lower.q": 0.0, "sieve.rate": 0.0}))
    M, _ = _equations(np.zeros(6), p)
    weights = [p["stiffness"], (p["m2"] / 2 + p["m3"]) * p["l2"] * p["gravity"], p["m3"] * p["l3"] / 2 * p["gravity"]]
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, np.diag(weights))).real))
    names = [f"frequency {k}" for k in (1, 2, 3)]
    values = [m.frequency for m in modes]
    source = "closed form: M(0) and K = diag(k, a g, b g) of (1)"
    found = [worst("small motions, rad/s", names, values, exact, 1e-12 * float(exact.max()), source)]
    if unchanged(p, DEFAULTS):
        found.append(worst("small motions, rad/s, printed", names, values, FREQUENCIES, 6e-7, "equations (1), linearised"))
    return found


def _misprints(p: Parameters, start: np.ndarray) -> list[Check]:
    """The paper's equations as printed: another acceleration at the start, and an energy that grows."""
    udot = np.linalg.solve(*_equations(start, p, printed=True))
    source = "eq (5.2) as printed: m2 l2^2 for m2 l2^2/4, no u3^2 term, sin q3 for sin q2"
    found = [
        Check(f"misprints of (5.2): its u{k + 1}' at the start", float(x), wanted, 6e-6, source, "documentation")
        for k, (x, wanted) in enumerate(zip(udot, PRINTED_ACCELERATIONS, strict=True))
    ]
    end = _as_printed(np.array([0.0, DURATION]), p, start)[-1]
    name = "misprints of (5.2): its energy at 3 s, J (it was -4.378)"
    return [*found, Check(name, _energy(end, p), PRINTED_ENERGY, 5e-3, source, "documentation")]


def _as_printed(t: np.ndarray, p: Parameters, start: np.ndarray) -> np.ndarray:
    """Rows (q, u) at times t by the paper's equations as printed."""
    from scipy.integrate import solve_ivp

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], np.linalg.solve(*_equations(y, p, printed=True))])

    return np.asarray(solve_ivp(rates, (0, t[-1]), start, method="DOP853", t_eval=t, rtol=1e-11, atol=1e-12).y.T)


def figure(run: Run, p: Parameters) -> Figure:
    """Displacement of the sieve, angles of the bars, the speed u2 of the paper's Fig. 3, and a few positions."""
    y, rows = _paper_states(run), np.array(TABLE)
    picture, axes = panels(3, 2, size=(9.4, 6.0), width_ratios=(1.9, 1), height_ratios=(1, 1.4, 1.2))
    for ax in axes[:, 1]:
        ax.remove()
    shown = (
        ("displacement, mm", 1e3, ((0, 2, "sieve $q_1$"),)),
        ("angle from the vertical, rad", 1.0, ((1, 0, "upper bar $q_2$"), (2, 1, "lower bar $q_3$"))),
        ("speed, rad/s", 1.0, ((4, 0, "$u_2$"),)),
    )
    for ax, (label, scale, curves) in zip(axes[:, 0], shown, strict=True):
        for column, colour, name in curves:
            ax.plot(run.t, scale * y[:, column], color=COLOURS[colour], label=name)
            if unchanged(p, DEFAULTS):
                ax.plot(rows[:, 0], scale * rows[:, column + 1], "o", color=COLOURS[colour], mfc="white", ms=5)
        if unchanged(p, DEFAULTS):
            ax.plot([], [], "o", color=GREY, mfc="white", ms=5, label="reference")
        ax.set(ylabel=label)
        ax.margins(y=0.2)
        legend(ax, loc="upper right", ncols=3, borderaxespad=0.1)
    printed = _as_printed(run.t, p, y[0])[:, 4]
    axes[2, 0].plot(run.t, printed, ":", color=GREY, lw=1.2, label="$u_2$ as the paper's equations have it, its Fig. 3")
    legend(axes[2, 0], loc="upper right", ncols=3, borderaxespad=0.1)
    axes[2, 0].set(xlabel="time, s")
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run)
    title(picture, "Sieve with two bars")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """The bars at twelve instants of the first half second, the first of them dark."""
    points = [run[f"{place}.position"] for place in ("sieve", "upper.tip", "lower.tip")]
    last = int(np.searchsorted(run.t, 0.5))
    for k in range(last, -1, -last // 11):
        x, y = np.array([q[k, :2] for q in points]).T
        dark = {"color": "#111827", "linewidth": 1.8, "alpha": 1.0, "label": "start"}
        light = {"color": COLOURS[0], "linewidth": 0.9, "alpha": 0.2 + 0.5 * (1 - k / last)}
        ax.plot(x[0], y[0], "s", ms=7, color=COLOURS[2], alpha=0.5)
        ax.plot(x, y, "-o", ms=3, **(dark if k == 0 else light))
    ax.set(xlabel="x, m", ylabel="y, m", aspect="equal", title="first 0.5 s")
    ax.title.set_fontsize("small")
    ax.spines[["top", "right"]].set_visible(False)


EXAMPLE = Example(
    name="sieve",
    title="Vibrating sieve with two hanging bars, and three misprints",
    document="Stanescu and Pandrea, Kane's equations",
    source="Stanescu and Pandrea, eqs (2.5)-(6.2)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
