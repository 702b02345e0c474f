"""A planar four-bar linkage in space, let go under gravity: its swing, its period, and the forces in its pins.

Source: textbook kinematics of the four-bar with Eksergian's form of Lagrange's equation, derived for this file.

Uniform bars: crank (a) from the fixed pin O at the origin to A, coupler (b) from A to B, rocker (c) from the fixed pin C
at (d, 0) to B. The tree is cut at B and closed by a revolute joint, three of whose five conditions follow from the others
because all axes are parallel: the linkage is planar, the model is not. With plane vectors as complex numbers, gravity
-i g and angles t, f, r of crank, coupler and rocker from OC,

    a e^{it} + b e^{if} = d + c e^{ir} ,   f = arg D + arccos((b^2 + |D|^2 - c^2) / (2 b |D|)) ,  D = d - a e^{it}.   (1)

With z the mass centres, k = (1, f', r') and ' the derivative by t, the crank's rate w obeys

    M w_t + M' w^2 / 2 + V' = 0 ,  M = sum (m |z'|^2 + J k^2) ,  V = g sum m Im z ,                               (2)

so that a swing from rest at t0 to the other angle with V(t) = V(t0) and back takes 2 int sqrt(M / (2 (V(t0) - V))) dt.

With p = m (z_tt + i g) and x the cross product, the moments of the rocker about C and of the coupler about A,

    n_r = J r_tt + (z_r - C) × p_r ,   n_f = J f_tt + (z_f - A) x p_f ,                                          (3)

give the force on the rocker at B, F_B = (n_f x_r + n_r x_f) / (x_r x x_f), x_r = B - C, x_f = B - A; the others follow:
F_A = p_f + F_B on the coupler, F_O = p_t + F_A on the crank, F_C = p_r - F_B on the rocker. Units: SI, rad. The tables
were integrated from (2) by DOP853 at rtol 1e-13, apart from this package, the forces from the nine Newton-Euler equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import (
    COLOURS,
    GREY,
    balance,
    bar,
    legend,
    panels,
    redundant,
    sample,
    support,
    title,
    unchanged,
    worst,
)
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "ground": 2.0, "crank": 0.8, "coupler": 2.2, "rocker": 1.6,
    "crank_mass": 4.0, "coupler_mass": 2.5, "rocker_mass": 2.0, "gravity": 9.81, "start": 0.6,
}  # fmt: skip
DURATION = 5.0
BARS = ("crank", "coupler", "rocker")

#: Joint or constraint at each pin and what it loads there.
PINS = {"O": "crank", "A": "coupler", "B": "pin", "C": "rocker"}

#: Rows (time, crank angle, coupler angle, rocker angle, crank rate).
TABLE = (
    (0.5, -0.6274177461, 1.1472453886, 1.8546963344, -3.6620327878),
    (1.0, -3.4694405689, 0.5222887926, 2.1313842636, -2.8307546144),
    (1.5, -3.3508577997, 0.5507445514, 2.1741487037, 3.4719738316),
    (2.0, -0.4965455548, 1.0943928716, 1.7516073207, 3.2988250680),
    (3.0, -0.7745017912, 1.1875958035, 1.9589881615, -4.1619026560),
    (4.0, -3.2063026488, 0.5887382228, 2.2211221301, 4.2114518669),
    (5.0, 0.5570622100, 0.5010524890, 1.1805810410, -1.1545946328),
)

#: Rows (time, x and y of the forces on the crank at O, on the coupler at A, on the rocker at B, on the rocker at C), N.
FORCES = (
    (0.5, -39.935456168, 41.102023635, -11.903671648, 3.967866364, 3.070835264, -4.124186088, -1.034548533, 11.650749413),
    (1.0, 3.623302123, 9.438570271, -0.330376559, -1.609502156, 2.686220497, -2.394929506, -7.076337483, 17.119235173),
    (1.5, 20.127704912, 5.416101500, 7.314281800, -1.314784219, 2.656862741, 0.271179686, -5.337639050, 14.714606329),
    (2.0, -35.229871198, 33.857465520, -13.825387247, -2.427097783, 1.242262690, -9.981414572, -2.594140664, 17.502586351),
    (3.0, -47.651512516, 54.870982877, -10.786391542, 13.680302390, 4.641198464, 1.275331874, 1.449290018, 7.673304297),
    (4.0, 45.377803819, 5.412498675, 19.240236614, 1.667220395, 3.007182445, 3.538380560, -3.089522712, 12.712052168),
    (5.0, 8.108639302, 14.538856734, -3.721111810, -1.674294627, -9.872531320, -12.312709815, 8.878791372, 32.336866285),
)


def lengths(p: Parameters) -> tuple[float, float, float, float]:
    """a, b, c, d of (1), m; the crank must be able to turn fully, so that every angle of it is a position."""
    found = tuple(positive(p[name], name) for name in (*BARS, "ground"))
    a, b, c, d = found
    if a != min(found) or a + max(found) >= sum(found) - a - max(found):
        raise ModelError(
            f"bars of {a:g}, {b:g}, {c:g} m on a ground of {d:g} m are no crank-rocker: make the crank the shortest, "
            "and the shortest and longest together shorter than the other two"
        )
    return a, b, c, d


def angles(t: Any, p: Parameters) -> np.ndarray:
    """Crank, coupler and rocker angles by (1) for crank angles t, rad; the last axis is the bar."""
    a, b, c, d = lengths(p)
    A = a * np.exp(1j * np.asarray(t, float))
    D = d - A
    f = np.angle(D) + np.arccos((b**2 + abs(D) ** 2 - c**2) / (2 * b * abs(D)))
    return np.stack([np.asarray(t, float), f, np.angle(A + b * np.exp(1j * f) - d)], axis=-1)


def influence(t: Any, p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """k = (1, f', r') of the three bars and its derivative by t, from two derivatives of (1)."""
    a, b, c, _ = lengths(p)
    e = np.exp(1j * angles(t, p))
    cross = lambda x, y: (x.conj() * y).imag
    A, F, R = a * e[..., 0], b * e[..., 1], c * e[..., 2]
    f1, r1 = cross(A, R) / cross(R, F), cross(A, F) / cross(R, F)  # A + f1 F = r1 R
    X = A + f1**2 * F - r1**2 * R
    f2, r2 = -(X / R).real * c**2 / cross(R, F), -(X / F).real * b**2 / cross(R, F)
    return np.stack([np.ones_like(f1), f1, r1], -1), np.stack([np.zeros_like(f2), f2, r2], -1)


def build(p: Parameters) -> System:
    """The linkage at rest in its starting position; x along OC, y up."""
    q = angles(p["start"], p)
    system = System("four-bar", gravity=(0, -p["gravity"], 0))
    bars = [bar(p[f"{name}_mass"], p[name]) for name in BARS]
    crank = system.add("crank", bars[0], Revolute("z"), q=q[0])
    system.add("coupler", bars[1], Revolute("z"), parent=crank, at="tip", q=q[1] - q[0])
    system.add("rocker", bars[2], Revolute("z"), at=(p["ground"], 0, 0), q=q[2])
    system.show("N", *support((0, 0, 0), 0.1 * p["ground"]), *support((p["ground"], 0, 0), 0.1 * p["ground"]))
    system.close("pin", "coupler.tip", "rocker.tip", Revolute("z"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Five seconds, sampled every 5 ms."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.005
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the tables, pin forces at all times, the period, and what holds by itself: loop, plane, energy."""
    found, forces = [], _forces(run)
    if unchanged(p, DEFAULTS):
        source = "equation (2), integrated by DOP853 at rtol 1e-13"
        names = ("crank", "coupler", "rocker", "crank rate")
        motion = _motion(run)
        found += [worst(f"motion, t = {t:g} s", names, motion[sample(run, t)], row, 1e-9, source) for t, *row in TABLE]
        source = "Newton-Euler equations of the three bars"
        components = [f"{pin} along {axis}" for pin in PINS for axis in "xy"]
        values = lambda t: forces[sample(run, t), :, :2].ravel()
        found += [worst(f"pin forces, t = {t:g} s, N", components, values(t), row, 1e-8, source) for t, *row in FORCES]
    return found + _pins(run, p, forces) + _period(run, p) + _identities(run, p, forces)


def _motion(run: Run) -> np.ndarray:
    """Rows (crank angle, coupler angle, rocker angle, crank rate), angles from OC."""
    t = run["crank.angle"]
    return np.column_stack([t, t + run["coupler.angle"], run["rocker.angle"], run["crank.rate"]])


def _forces(run: Run) -> np.ndarray:
    """Forces at the four pins over time in inertial axes, (n, 4, 3): on crank, coupler, rocker, rocker."""
    return np.stack([run.loads(name).force for name in PINS.values()], axis=1)


def reduced(t: Any, p: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, M' and V of (2) at crank angles t."""
    m, J = _inertia(p)
    k, k1 = influence(t, p)
    z, z1, z2 = _centres(t, p)
    M1 = 2 * (z1.conj() * z2).real @ m + 2 * (k * k1) @ J
    return abs(z1) ** 2 @ m + k**2 @ J, M1, p["gravity"] * z.imag @ m


def pin_forces(t: Any, w: Any, p: Parameters) -> np.ndarray:
    """Forces by (3) at O, A, B, C for crank angles t and rates w: complex, x + i y, the last axis is the pin."""
    m, J = _inertia(p)
    a, b, c, _ = lengths(p)
    w = np.asarray(w, float)
    k, k1 = influence(t, p)
    _, z1, z2 = _centres(t, p)
    M, M1, _ = reduced(t, p)
    wt = -(M1 * w**2 / 2 + p["gravity"] * z1.imag @ m) / M
    along = np.exp(1j * angles(t, p)) * np.array([a, b, c])
    turn = k * wt[..., None] + k1 * (w**2)[..., None]
    load = m * (z1 * wt[..., None] + z2 * (w**2)[..., None] + 1j * p["gravity"])
    moment = J * turn + (along.conj() / 2 * load).imag
    x_f, x_r = along[..., 1], along[..., 2]
    at_B = (moment[..., 1] * x_r + moment[..., 2] * x_f) / (x_r.conj() * x_f).imag
    at_A = load[..., 1] + at_B
    return np.stack([load[..., 0] + at_A, at_A, at_B, load[..., 2] - at_B], axis=-1)


def _inertia(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Masses and central inertias of the bars."""
    m = np.array([p[f"{name}_mass"] for name in BARS])
    return m, m * np.array([p[name] for name in BARS]) ** 2 / 12


def _centres(t: Any, p: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass centres and their first and second derivatives by t."""
    a, b, c, d = lengths(p)
    k, k1 = influence(t, p)
    arm = np.exp(1j * angles(t, p)) * np.array([a, b, c]) / 2
    steps = np.stack([arm, 1j * k * arm, (1j * k1 - k**2) * arm])
    steps[..., 1] += 2 * steps[..., 0]
    steps[0, ..., 2] += d
    return steps[0], steps[1], steps[2]


def _pins(run: Run, p: Parameters, forces: np.ndarray) -> list[Check]:
    """Pin forces at all samples against the closed form at the run's own angles and rates."""
    exact = pin_forces(run["crank.angle"], run["crank.rate"], p)
    scale = float(abs(exact).max())
    source = "closed form: moments of rocker and coupler, (3)"
    found = []
    for k, pin in enumerate(PINS):
        gap = abs(forces[:, k, 0] + 1j * forces[:, k, 1] - exact[:, k])
        found.append(Check(f"force at {pin}, largest difference, N", float(gap.max()), 0.0, 1e-11 * scale, source))
    return found


def turning_angle(p: Parameters) -> float:
    """The crank angle at which V is again what it was at the start, found in the direction of the first motion."""
    from scipy.optimize import brentq

    start = float(p["start"])
    height = lambda t: float(reduced(t, p)[2] - reduced(start, p)[2])
    side = np.sign(height(start - 1e-4) - height(start + 1e-4))
    ahead = start + side * np.linspace(1e-3, 2 * np.pi, 2001)
    rise = reduced(ahead, p)[2] - reduced(start, p)[2]
    k = int(np.argmax(rise > 0))
    if rise[0] >= 0 or k == 0:
        raise ModelError(f"at a crank angle of {start:g} rad the linkage is in equilibrium: start elsewhere")
    return float(brentq(height, ahead[k - 1], ahead[k], xtol=1e-15, rtol=1e-15))


def period(p: Parameters) -> float:
    """Time of a swing to the turning angle and back by (2), s.

    With t = middle + half sin x the integrand is smooth and periodic in x, so that the midpoint rule converges fast.
    """
    one, other = float(p["start"]), turning_angle(p)
    x = (np.arange(1000) + 0.5) * np.pi / 500
    M, _, V = reduced((one + other) / 2 + (other - one) / 2 * np.sin(x), p)
    speed = np.sqrt(2 * (reduced(one, p)[2] - V) / M)
    return float(np.sum(abs((other - one) / 2 * np.cos(x)) / speed) * np.pi / 500)


def _period(run: Run, p: Parameters) -> list[Check]:
    """The crank's second rest after the start, from a Hermite spline through its rate and acceleration."""
    from scipy.interpolate import CubicHermiteSpline

    exact = period(p)
    if exact > 0.98 * run.t[-1]:
        return []
    rests = CubicHermiteSpline(run.t, run["crank.rate"], run["crank.alpha"][:, 2]).roots(extrapolate=False)
    later = rests[rests > 0.25 * exact]
    found = float(later[1]) if len(later) > 1 else np.nan
    return [Check("period, s", found, exact, 1e-10 * exact, "closed form: quadrature of (2)")]


def _identities(run: Run, p: Parameters, forces: np.ndarray) -> list[Check]:
    gap = np.abs(run["coupler.tip.position"] - run["rocker.tip.position"]).max()
    scale = float(np.abs(forces).max())
    torque = max(float(np.abs(run.loads(name).torque).max()) for name in PINS.values())
    return [
        redundant(run, 3, "identity: parallel axes, a planar loop"),
        Check("gap at B, m", float(gap), 0.0, 1e-10 * p["coupler"], "identity: the loop stays closed"),
        Check("largest force across the plane, N", float(np.abs(forces[:, :, 2]).max()), 0.0, 1e-12 * scale, "identity: 0"),
        Check("largest torque in a pin, N m", torque, 0.0, 1e-12 * scale * p["coupler"], "identity: pins without friction"),
        balance(run, 1e-10),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Angles and pin forces over time, and the linkage in a few positions."""
    picture, axes = panels(2, 2, size=(9.6, 5.2), width_ratios=(1.5, 1))
    top, bottom = axes[:, 0]
    for ax in axes[:, 1]:
        ax.remove()
    motion, forces = _motion(run), _forces(run)
    for k, name in enumerate(BARS):
        top.plot(run.t, motion[:, k], label=name)
    for k, pin in enumerate(PINS):
        bottom.plot(run.t, np.hypot(forces[:, k, 0], forces[:, k, 1]), label=f"pin {pin}")
    if unchanged(p, DEFAULTS):
        rows, loads = np.array(TABLE), np.array(FORCES)
        for k in range(3):
            top.plot(rows[:, 0], rows[:, k + 1], "o", color=COLOURS[k], mfc="white", ms=5)
        for k in range(4):
            bottom.plot(loads[:, 0], np.hypot(*loads[:, 2 * k + 1 : 2 * k + 3].T), "o", color=COLOURS[k], mfc="white", ms=5)
        top.plot([], [], "o", color=GREY, mfc="white", ms=5, label="reference")
    top.set(ylabel="angle from OC, rad", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="pin force, N")
    for ax in (top, bottom):
        ax.margins(y=0.2)
        legend(ax, loc="upper right", ncols=4, borderaxespad=0.1)
    bottom.set_ylim(bottom=0)
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run, p)
    title(picture, "Four-bar linkage let go")
    return picture


def _draw(ax: Any, run: Run, p: Parameters) -> None:
    """The linkage at instants of the first second, the first of them dark."""
    last = int(np.searchsorted(run.t, 1.0))
    for k in range(last, -1, -last // 8):
        tips = [run[f"{name}.tip.position"][k, :2] for name in ("crank", "coupler")]
        x, y = np.array([(0, 0), *tips, (p["ground"], 0)]).T
        shade = 0.2 + 0.5 * (1 - k / last)
        style = (
            {"color": "#111827", "lw": 2.0, "label": "start"} if k == 0 else {"color": COLOURS[0], "lw": 1.0, "alpha": shade}
        )
        ax.plot(x, y, "-o", ms=3.5, **style)
    ax.plot([0, p["ground"]], [0, 0], "^", color=GREY, ms=9, zorder=5)
    ax.set(xlabel="x, m", ylabel="y, m", aspect="equal", title="first second")
    ax.title.set_fontsize("small")
    ax.spines[["top", "right"]].set_visible(False)
    ax.margins(0.08)
    legend(ax, loc="lower right")


EXAMPLE = Example(
    name="four-bar",
    title="Crank-rocker let go under gravity: swing, period and pin forces",
    document="Classics",
    chapter="closed loops",
    source="four-bar kinematics, Eksergian's equation and Newton-Euler equations, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
