"""Bricard's trihedral ring of six equal bars, the invertible cube: it should not move, and turns inside out.

Source: R. Bricard's trihedral linkage (1897); equations (1)-(4) derived for this file.

Six bars of length a in a ring; bar i turns by t_i about the z axis of its own end, lies along its x axis, and carries the
axis of the next bar, turned by +90 or -90 degrees about x, in turns. The ring is closed when

    H_1 H_2 H_3 H_4 H_5 H_6 = 1 ,   H_i = Rot(z, t_i) Trans(x, a) Rot(x, +-90 deg) ,                              (1)

six conditions on six angles, which by the count leave no freedom. But with t_1 = t_3 = t_5 = t, t_2 = t_4 = t_6 = v
three-fold symmetry leaves one condition,

    cos t + cos v + cos t cos v = 0 ,                                                                            (2)

and the ring runs along a closed curve through (120, 0), (0, 120), (-120, 0), (0, -120) degrees,

    tan(t/2) = p cos s ,  tan(v/2) = p sin s ,  p^2 = 6 / (1 + sqrt(1 + 3 sin^2 2s)).                             (3)

The six joint axes, as lines in space, then have rank 5. Here the sixth bar is fixed, from (-a, 0, 0) to the origin of N,
and the tree of five bars is closed by a revolute joint, one of whose five conditions follows from the others. Gravity is
along -z; the ring starts at t = 120 degrees, v = 0, with the rate of v given. The motion is that of one coordinate,

    M(s) s'' + M'(s) s'^2 / 2 + V'(s) = 0 ,                                                                      (4)

and a full turn of s, the ring inside out and back, takes the integral of sqrt(M / (2 (E - V))). With a spin, the sixth bar
is fixed to a table that turns about z at this rate, and V has besides what centrifugal forces do, -spin^2/2 times the
inertia of the bars about z. Units: SI, rad. The table was integrated from (4) by DOP853 at rtol 1e-13, apart from this
package.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import (
    COLOURS,
    GREY,
    balance,
    legend,
    panels,
    redundant,
    rod,
    sample,
    solid,
    title,
    unchanged,
    worst,
)
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"length": 0.5, "mass": 0.8, "gravity": 9.81, "rate": 12.0, "spin": 0.0}
DURATION = 3.0
BARS = tuple(f"bar{k}" for k in range(1, 6))

#: Rows (time, s, s', t, v), the angles within half a turn.
TABLE = (
    (0.25, 1.1294930656, 4.2870545490, 1.1389743884, 1.8702968240),
    (0.5, 1.8617341101, 3.4479959014, -0.8546572932, 1.9782896794),
    (1.0, 4.4833619187, 5.4180525632, -0.7086699592, -2.0170275870),
    (1.5, 7.1218165023, 5.3472377563, 1.5160671981, 1.6226843246),
    (2.0, 9.0577970924, 4.4438737984, -1.9256439589, 1.0093113858),
    (2.5, 11.9237003777, 8.3777146336, 1.7046143420, -1.4162213060),
    (3.0, 14.1044886724, 2.4295149621, 0.1128806541, 2.0925530127),
)


def build(p: Parameters) -> System:
    """The ring at t = 120 degrees, v = 0, with the given rate of v; its sixth bar is part of N, or of the turning table."""
    a, m = positive(p["length"], "length"), p["mass"]
    system = System("Bricard ring", gravity=(0, 0, -p["gravity"]))
    pin = Frame((-a, 0, 0), (("x", math.pi / 2),))
    parent = None
    if p["spin"]:
        turning = Revolute("z", motion=profiles.constant_rate(p["spin"]))
        parent = system.add("table", Rigid(5.0, inertia=(0.5, 0.5, 1.0), frames={"pin": pin}), turning)
    for k, name in enumerate(BARS):
        odd = k % 2 == 0
        twist = math.pi / 2 if odd else -math.pi / 2
        tip = Frame((a, 0, 0), (("x", twist),))
        bar = Rigid(m, com=(a / 2, 0, 0), inertia=(0, m * a**2 / 12, m * a**2 / 12), frames={"tip": tip})
        q, rate = (2 * math.pi / 3, 0.0) if odd else (0.0, p["rate"])
        parent = system.add(name, bar, Revolute("z"), parent=parent, at=None if k == 0 else "tip", q=q, rates=rate)
    system.show("table" if p["spin"] else "N", rod((-a, 0, 0), (0, 0, 0), 0.03 * a, color="silver"))
    system.close("pin", "bar5.tip", "table.pin" if p["spin"] else pin, Revolute("z"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three seconds, sampled every 5 ms."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.005
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the table, the relation of the angles, mobility, time of a turn, energy."""
    found = []
    t, v = run["bar1.angle"], run["bar2.angle"]
    if unchanged(p, DEFAULTS):
        source = "equation (4), integrated by DOP853 at rtol 1e-13"
        values = np.column_stack([path(run), t, v])
        names = ("s", "t", "v")
        found += [
            worst(f"t = {time:g} s", names, values[sample(run, time)], (s, *row), 1e-9, source) for time, s, _, *row in TABLE
        ]
    relation = np.abs(np.cos(t) + np.cos(v) + np.cos(t) * np.cos(v)).max()
    found.append(Check("relation of the angles, largest error", float(relation), 0.0, 5e-11, "closed form: (2)"))
    apart = [run[f"{name}.angle"] - (t, v)[k % 2] for k, name in enumerate(BARS)]
    source = "closed form: t, v, t, v, t, v"
    found.append(Check("angles alternate, largest error, rad", float(np.abs(apart).max()), 0.0, 5e-11, source))
    return found + _mobility(run, p) + _turn(run, p) + ([] if p["spin"] else _supports(run, p)) + [balance(run, 1e-10)]


def path(run: Run) -> np.ndarray:
    """s of (3) over time, continuous."""
    x, y = (np.tan(run[f"{name}.angle"] / 2) for name in BARS[:2])
    return np.unwrap(np.arctan2(y, x))


def axes_of(run: Run, p: Parameters) -> np.ndarray:
    """The six joint axes over time as columns (direction, moment about the origin in units of a), (n, 6, 6)."""
    places = (*BARS, "bar5.tip")
    columns = []
    for place in places:
        axis = run[f"{place}.rotation"][:, :, 2]
        columns.append(np.hstack([axis, np.cross(run[f"{place}.position"], axis) / p["length"]]))
    return np.stack(columns, axis=2)


def _mobility(run: Run, p: Parameters) -> list[Check]:
    """Six axes of rank five at every instant: one freedom, no more and no less."""
    sizes = np.linalg.svd(axes_of(run, p), compute_uv=False)
    rank = (sizes > 1e-6).sum(axis=1)
    freedoms = 6 - (rank.min() if np.ptp(rank) == 0 else np.nan)
    source = "identity: the axes of a ring that moves are dependent"
    return [
        redundant(run, 1, "five freedoms of the tree less one: four of five conditions count"),
        Check("freedoms at all times, by the rank of the axes", float(freedoms), 1.0, 0.5, "Bricard: mobility one"),
        Check("smallest singular value of the axes", float(sizes[:, 5].max()), 0.0, 1e-11, source),
    ]


def reduced(s: Any, p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """M and V of (4) at values s of the path, by velocities and heights of the bars."""
    s = np.asarray(s, float)
    a, m = p["length"], p["mass"]
    root = np.sqrt(1 + 3 * np.sin(2 * s) ** 2)
    size = np.sqrt(6 / (1 + root))
    slope = -9 * np.sin(4 * s) / (root * (1 + root) ** 2 * size)
    half = size * np.stack([np.cos(s), np.sin(s)])
    turned = slope * np.stack([np.cos(s), np.sin(s)]) + size * np.stack([-np.sin(s), np.cos(s)])
    angle, rate = 2 * np.arctan(half), 2 * turned / (1 + half**2)
    R, zero = np.broadcast_to(np.eye(3), (*s.shape, 3, 3)), np.zeros((*s.shape, 3))
    place, velocity, w = zero, zero, zero
    M, V = np.zeros(s.shape), np.zeros(s.shape)
    for k in range(5):
        c, d = np.cos(angle[k % 2]), np.sin(angle[k % 2])
        w = w + rate[k % 2][..., None] * R[..., 2]
        e = R[..., 0] * c[..., None] + R[..., 1] * d[..., None]
        n = R[..., 1] * c[..., None] - R[..., 0] * d[..., None]
        R = np.stack([e, R[..., 2], -n] if k % 2 == 0 else [e, -R[..., 2], n], axis=-1)
        tip = np.cross(w, a * e)  # ends of a thin bar: m (u.u + u.v + v.v)/3
        M = M + m * np.sum(velocity * (velocity + tip) + tip * tip / 3, axis=-1)
        V = V + m * p["gravity"] * (place + a / 2 * e)[..., 2]
        r0, r1 = place[..., :2], (place + a * e)[..., :2]
        V = V - m * p["spin"] ** 2 / 6 * np.sum(r0 * (r0 + r1) + r1 * r1, axis=-1)
        place, velocity = place + a * e, velocity + tip
    return M, V


def turnover(p: Parameters) -> float | None:
    """Time of a full turn of s, by the periodic trapezoidal rule; None when the ring has not the energy for it."""
    s = np.arange(720) * np.pi / 360
    M, V = reduced(s, p)
    start = p["rate"] / math.sqrt(12)  # s' at s = 0, where v' = 2 sqrt(3) s'
    E = M[0] * start**2 / 2 + V[0]
    if V.max() > 0.98 * E:
        return None
    return float(np.sum(np.sqrt(M / (2 * (E - V)))) * np.pi / 360)


def _turn(run: Run, p: Parameters) -> list[Check]:
    """Time at which s has grown by a full turn, from a Hermite spline of s through the run."""
    from scipy.interpolate import CubicHermiteSpline

    exact = turnover(p)
    if exact is None or exact > 0.98 * run.t[-1]:
        return []
    x, y = (np.tan(run[f"{name}.angle"] / 2) for name in BARS[:2])
    xdot, ydot = ((1 + z**2) * run[f"{name}.rate"] / 2 for z, name in zip((x, y), BARS, strict=False))
    rate = (x * ydot - y * xdot) / (x**2 + y**2)
    whole = math.copysign(2 * math.pi, p["rate"])
    ends = CubicHermiteSpline(run.t, path(run) - whole, rate).roots(extrapolate=False)
    found = float(ends[0]) if len(ends) else math.nan
    return [Check("time to turn inside out and back, s", found, exact, 5e-8 * exact, "closed form: quadrature of (4)")]


def _supports(run: Run, p: Parameters) -> list[Check]:
    """The loads of the two joints on the fixed bar against the momentum of the five bars, by accelerations of their ends.

    For a thin bar with ends r0, r1 and accelerations a0, a1: force m (a0 + a1)/2, moment about the origin
    m (2 r0 x a0 + r0 x a1 + r1 x a0 + 2 r1 x a1)/6. How the joints share what is left to choose does not matter.
    """
    m, g = p["mass"], np.array([0.0, 0.0, -p["gravity"]])
    force, moment = np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
    for name in BARS:
        r0, r1 = run[f"{name}.position"], run[f"{name}.tip.position"]
        a0, a1 = run[f"{name}.acceleration"] - g, run[f"{name}.tip.acceleration"] - g
        force += m * (a0 + a1) / 2
        moment += m * (np.cross(r0, 2 * a0 + a1) + np.cross(r1, a0 + 2 * a1)) / 6
    ends = [run.loads(name, at="N") for name in ("bar1", "pin")]
    scale = float(np.abs(force).max())
    off = np.abs(sum(end.force for end in ends) - force).max()
    turn = np.abs(sum(end.torque for end in ends) - moment).max()
    return [
        Check("support forces less momentum's rate, N", float(off), 0.0, 1e-12 * scale, "identity: Newton"),
        Check("support moments less its rate, N m", float(turn), 0.0, 1e-12 * scale * p["length"], "identity: Euler"),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The angles over time, their relation, and the ring in space."""
    picture, axes = panels(2, 2, size=(9.6, 5.4), width_ratios=(1.5, 1))
    top, bottom = axes[:, 0]
    axes[0, 1].remove()
    t, v = run["bar1.angle"], run["bar2.angle"]
    top.plot(run.t, np.degrees(t), label="$t$, bars 1, 3, 5")
    top.plot(run.t, np.degrees(v), label="$v$, bars 2, 4, 6")
    bottom.plot(run.t, path(run) / (2 * np.pi), color=COLOURS[2], label="path $s$")
    if unchanged(p, DEFAULTS):
        rows = np.array(TABLE)
        for k, column in ((0, 3), (1, 4)):
            top.plot(rows[:, 0], np.degrees(rows[:, column]), "o", color=COLOURS[k], mfc="white", ms=5)
        bottom.plot(rows[:, 0], rows[:, 1] / (2 * np.pi), "o", color=COLOURS[2], mfc="white", ms=5)
        top.plot([], [], "o", color=GREY, mfc="white", ms=5, label="reference")
    top.set(ylabel="joint angle, degrees", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="turned inside out, turns")
    curve = axes[1, 1]
    curve.plot(np.degrees(t), np.degrees(v), color=COLOURS[4], lw=1.5)
    curve.set(xlabel="$t$, degrees", ylabel="$v$, degrees", aspect="equal")
    curve.margins(0.08)
    top.margins(y=0.25)
    legend(top, loc="upper right", ncols=3, borderaxespad=0.1)
    legend(bottom, loc="upper left")
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[0, 1], projection="3d"), run, p)
    title(picture, "Bricard's ring of six bars")
    return picture


def _draw(ax: Any, run: Run, p: Parameters) -> None:
    """The ring at the start and at three later instants."""
    fixed = np.array([[-p["length"], 0, 0], [0, 0, 0]])
    for k, colour in ((40, COLOURS[2]), (25, COLOURS[1]), (12, COLOURS[0]), (0, "#111827")):
        tips = [run[f"{name}.tip.position"][k] for name in BARS]
        ax.plot(*np.array([fixed[1], *tips]).T, "-o", ms=2.5, lw=1.4, color=colour, label=f"{run.t[k]:.2f} s")
    ax.plot(*fixed.T, color=GREY, lw=4, solid_capstyle="round")
    solid(ax)
    ax.set_box_aspect((1, 1, 1))
    ax.tick_params(labelsize=6, pad=-3)
    legend(ax, loc="upper left", bbox_to_anchor=(-0.35, 1.0), handlelength=1.2)


EXAMPLE = Example(
    name="bricard",
    title="Bricard's trihedral six-bar: overconstrained, with one freedom",
    document="Classics",
    chapter="closed loops",
    source="Bricard (1897); angle relation and equation of motion derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
