"""A rattleback: spun the wrong way, it starts to rattle, stops, and turns back.

Source: T. R. Kane and D. A. Levinson, "Realistic mathematical modeling of the rattleback", Int. J. Non-Linear Mechanics 17
(1982) 175-186, for the shape and the inertia; without their damping, and with a start of our own. The equations were
derived for this file by Newton and Euler.

The bottom is an ellipsoid with semi-axes a = (20, 3, 2) cm along the body's axes; the mass centre is 1 cm below the
ellipsoid's centre, mass 1 kg. The central inertia, in kg cm^2, is I11 = 2, I22 = 16, I33 = 17, and I12 = -0.2 as entry of
the matrix: its principal axes are lathed by 0.8 degrees from those of the ellipsoid, and that is all there is to it. With g
the unit vector of the upward vertical and w the angular velocity, both in body axes, s the mass centre from the ellipsoid's
centre and G = 9.81 m/s^2, the contact is from the mass centre at

    r = -(a1^2 g1, a2^2 g2, a3^2 g3)/|(a1 g1, a2 g2, a3 g3)| - s ,   g' = g × w                                     (1)

and rolling without slip, the mass centre's velocity being r x w, needs

    [I + m (r.r 1 - r r^T)] w' = -w × I w + m r × [r' × w + w × (r × w) + G g].                                     (2)

The start: lathed by 0.5 degrees about x, then by 0.5 degrees about y, and spun at w = (0, 0, -2) rad/s. The spin w.g about
the vertical passes through zero once and comes back to more than it was; spun at +2 rad/s it goes on. Small rocking at rest
has the frequencies of

    (I + m h^2 1) q'' + m G diag(a2^2/a3 - h, a1^2/a3 - h) q = 0 ,   q the turns about x and y, h the centre's height.   (3)

The model is a free body with a `Rolling` constraint. Units: SI, rad. The reference tables were integrated from (1) and (2)
by DOP853 at rtol 1e-13, apart from this package; their digits are good.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, lathed, legend, panels, rod, sample, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Rolling
from kaneflex.model.joints import Free
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 1.0, "a1": 0.2, "a2": 0.03, "a3": 0.02, "depth": 0.01,
    "i11": 2e-4, "i22": 1.6e-3, "i33": 1.7e-3, "i12": -2e-5, "gravity": 9.81,
    "roll": math.radians(0.5), "pitch": math.radians(0.5), "spin": -2.0,
}  # fmt: skip
DURATION = 5.0
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
ROCKING = 1e-5  # amplitude of the small rocking, rad

#: Rows (t, spin w.g, w1, w2, w3, g1, g2, contact force up) of (1) and (2).
TABLE = (
    (0.5, -1.705493845, 2.346852956, -0.410148056, -1.664771645, -0.011783561, 0.034569482, 7.674479343),
    (1.0, -1.411554172, 0.119620333, 1.768231832, -1.319452587, 0.003010568, -0.053356830, 14.717644141),
    (2.0, -0.258130306, 1.199851384, 0.032943681, -0.233472566, -0.021431752, 0.027735623, 4.870434512),
    (2.5, 0.305375551, 0.316369931, 1.030328490, 0.338692902, -0.017355626, -0.026839506, 7.068842514),
    (3.0, 0.839721747, -2.167447063, 1.038999751, 0.795063927, -0.015406727, 0.010978679, 7.767677003),
    (4.0, 1.822283779, -0.418379351, 0.902504572, 1.837285829, -0.008147764, -0.019927942, 10.046547957),
    (5.0, 2.233538606, 0.561822259, -0.542109962, 2.249524204, -0.000139835, 0.027745299, 10.599642087),
)
REVERSAL = 2.22524031  # s, the one zero of the spin
ENERGY = 0.1028597774434  # J, above the plane
#: Rows (t, spin w.g) when spun the other way, at +2 rad/s.
STEADY = ((1.0, 2.241916669), (3.0, 2.247677376), (5.0, 2.192050292))


def _spin(t: float, x: Any) -> Any:
    """w.g from omega in body axes and the rotation matrix by rows."""
    return x[0] * x[9] + x[1] * x[10] + x[2] * x[11]


TURN_BACK = Event(_spin, sees=("stone.omega", "stone.rotation"), name="turn back")


def contact(p: Parameters, g: np.ndarray) -> np.ndarray:
    """r of (1), m, for the upward vertical g (last axis) in body axes."""
    squares = np.array([p["a1"], p["a2"], p["a3"]]) ** 2
    e = np.sqrt((squares * g**2).sum(axis=-1, keepdims=True))
    return -squares * g / e + np.array([0.0, 0.0, p["depth"]])


def build(p: Parameters) -> System:
    """The stone at its start; z is up, the body's origin is its mass centre, "shell" the ellipsoid's centre."""
    h = p["a3"] - p["depth"]
    if not (p["a3"] > 0 and h > 0 and min(p["a1"], p["a2"]) ** 2 > p["a3"] * h):
        raise ModelError("the stone does not stand on its bottom: its mass centre must be above the plane and low")
    inertia = [[p["i11"], p["i12"], 0], [p["i12"], p["i22"], 0], [0, 0, p["i33"]]]
    s1, c1, s2, c2 = (f(p[name] / 2) for name in ("roll", "pitch") for f in (math.sin, math.cos))
    attitude = (c1 * c2, s1 * c2, c1 * s2, s1 * s2)  # a turn about x, then about the body's y
    e0, e1, e2, e3 = attitude
    g = np.array([2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1**2 + e2**2)])
    r, w = contact(p, g), np.array([0.0, 0.0, p["spin"]])
    system = System("rattleback", gravity=(0, 0, -p["gravity"]))
    stone = Rigid(p["mass"], inertia=inertia, frames={"shell": (0, 0, p["depth"]), "nose": (p["a1"], 0, p["depth"])})
    system.add("stone", stone, Free(), q=(0, 0, -float(r @ g), *attitude), rates=(*np.cross(r, w), *w))
    angle = np.linspace(-math.pi / 2, 0, 13)
    bowl = np.column_stack([np.cos(angle), p["a3"] * np.sin(angle)])
    half = lathed([*bowl, (0, 0)], scale=(p["a1"], p["a2"]), sides=96, position=(0, 0, p["depth"]))
    stripe = rod((-p["a1"] / 2, 0, p["depth"]), (p["a1"] / 2, 0, p["depth"]), 0.05 * p["a2"], color="white")
    system.show("stone", half, stripe)
    system.constrain("contact", Rolling("stone.shell", on="N", radii=(p["a1"], p["a2"], p["a3"])))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Five seconds, sampled every 5 ms; the times at which the spin is zero are events."""
    ways: dict[str, Any] = {"formulation": formulation, "speeds": speeds, **TOLERANCES}
    return system.simulate(DURATION, output=0.005, events=[TURN_BACK], **ways)


def spin(run: Run) -> np.ndarray:
    """Angular velocity about the vertical, rad/s."""
    return np.asarray((run["stone.rotation"][:, 2] * run["stone.omega"]).sum(axis=1))


def _states(run: Run) -> np.ndarray:
    """Rows (spin, w, g1, g2, contact force up)."""
    up = run.loads("contact").force[:, 2]
    return np.column_stack([spin(run), run["stone.omega"], run["stone.rotation"][:, 2, :2], up])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The reversal, rows of the tables, small rocking, and what holds by itself."""
    found = []
    o = run.trajectory.options
    ways: dict[str, Any] = {"formulation": o.formulation, "speeds": o.speeds, **TOLERANCES}
    if unchanged(p, DEFAULTS):
        y = _states(run)
        source = "equations (1) and (2), integrated by DOP853 at rtol 1e-13"
        names = ("spin", "w1", "w2", "w3", "g1", "g2", "force up")
        found = [worst(f"t = {t:g} s", names, y[sample(run, t)], row, 5e-8, source) for t, *row in TABLE]
        times = [t for t, name in run.events if name == TURN_BACK.name]
        found += [
            Check("times at which the spin is zero", float(len(times)), 1.0, 0.5, source),
            Check("time of the reversal, s", times[0] if times else math.nan, REVERSAL, 2e-8, source),
            Check("energy at the end, J", run["energy.total"][-1], ENERGY, 1e-10, source),
        ]
        other = build({**p, "spin": -p["spin"]}).simulate(DURATION, output=1.0, **ways)
        value, index = spin(other), [sample(other, t) for t, _ in STEADY]
        labels = [f"spin at {t:g} s" for t, _ in STEADY]
        found.append(worst("spun the other way, rad/s", labels, value[index], [x for _, x in STEADY], 5e-8, source))
    return found + _rocking(p, ways) + _identities(run, p)


def rocking(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Circular frequencies (rad/s) and shapes (turns about x and y, by columns) of small rocking at rest, by (3)."""
    h = p["a3"] - p["depth"]
    M = np.array([[p["i11"], p["i12"]], [p["i12"], p["i22"]]]) + p["mass"] * h**2 * np.eye(2)
    K = p["mass"] * p["gravity"] * np.diag([p["a2"] ** 2 / p["a3"] - h, p["a1"] ** 2 / p["a3"] - h])
    squares, shapes = np.linalg.eig(np.linalg.solve(M, K))
    order = np.argsort(squares)
    return np.sqrt(squares[order]), shapes[:, order]


def _rocking(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """Small rocking from rest in each shape of (3): after half a period it is on the other side."""
    found = []
    source = "closed form (3), to first order in the amplitude"
    for k, (w, shape) in enumerate(zip(*_by_mode(p), strict=True)):
        big = int(np.argmax(np.abs(shape)))
        roll, pitch = (float(x) for x in ROCKING * shape / shape[big])
        run = build({**p, "roll": roll, "pitch": pitch, "spin": 0.0}).simulate(math.pi / w, output=math.pi / w, **ways)
        g = run["stone.rotation"][-1, 2]
        turn = (g[1], -g[0])[big] / ROCKING
        found.append(Check(f"rocking mode {k + 1} after half a period, amplitudes", float(turn), -1.0, 1e-6, source))
    return found


def _by_mode(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    frequencies, shapes = rocking(p)
    return frequencies, shapes.T


def _identities(run: Run, p: Parameters) -> list[Check]:
    """Newton's law at the contact, no slip, no gap, energy."""
    m, R, w = p["mass"], run["stone.rotation"], run["stone.omega"]
    r = contact(p, R[:, 2])
    off = np.abs(run.loads("contact").force - m * (run["stone.acceleration"] + np.array([0, 0, p["gravity"]]))).max()
    slip = np.abs(run["stone.velocity"] - np.einsum("kij,kj->ki", R, np.cross(r, w))).max()
    gap = np.abs(run["stone.position"][:, 2] + (r * R[:, 2]).sum(axis=1)).max()
    return [
        Check("contact force less m (a + g), N", float(off), 0.0, 1e-12 * m * p["gravity"], "identity: Newton's law"),
        Check("slip at the contact, m/s", float(slip), 0.0, 1e-13, "identity: v = r x w"),
        Check("height of the lowest point, m", float(gap), 0.0, 1e-11, "identity: z = -r.g"),
        balance(run, 1e-8),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Spin through its reversal; pitch and roll; the path of the nose from above."""
    picture, axes = panels(2, 2, size=(9.4, 4.8), width_ratios=(1.5, 1))
    top, bottom = axes[:, 0]
    g = run["stone.rotation"][:, 2]
    top.plot(run.t, spin(run), color=COLOURS[0], label="spin")
    top.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
    top.set(ylabel="spin, rad/s", xticklabels=[])
    bottom.plot(run.t, np.degrees(np.arcsin(g[:, 1])), color=COLOURS[3], linewidth=0.8, label="roll about the long axis")
    bottom.plot(run.t, np.degrees(-np.arcsin(g[:, 0])), color=COLOURS[1], linewidth=0.9, label="pitch")
    bottom.set(xlabel="time, s", ylabel="rattling, degrees")
    if unchanged(p, DEFAULTS):
        rows = np.array(TABLE)
        top.plot(rows[:, 0], rows[:, 1], "o", color=COLOURS[0], mfc="white", ms=5, label="reference")
        top.plot(REVERSAL, 0, "D", color=COLOURS[1], ms=5, label=f"turns back at {REVERSAL:.4f} s")
    bottom.margins(y=0.25)
    legend(top, loc="upper left", ncols=1, borderaxespad=0.1)
    legend(bottom, loc="upper right", ncols=2, borderaxespad=0.1)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run)
    title(picture, f"Rattleback spun at {p['spin']:g} rad/s")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """Heading of the nose over time as a spiral: radius is time."""
    nose = run["stone.rotation"][:, :2, 0]
    heading = np.unwrap(np.arctan2(nose[:, 1], nose[:, 0]))
    back = int(np.argmin(heading)) if heading[len(heading) // 2] < heading[0] else int(np.argmax(heading))
    x, y = run.t * np.cos(heading), run.t * np.sin(heading)
    ax.plot(x[: back + 1], y[: back + 1], color=COLOURS[0], label="before the reversal")
    ax.plot(x[back:], y[back:], color=COLOURS[1], label="after")
    ax.plot(x[back], y[back], "D", color="#111827", ms=4)
    for radius in range(1, int(run.t[-1]) + 1):
        angle = np.linspace(0, 2 * math.pi, 121)
        ax.plot(radius * np.cos(angle), radius * np.sin(angle), color="#e5e7eb", linewidth=0.7, zorder=0)
    ax.set(xlabel="x: time, s", ylabel="y: time, s", title="heading of the nose; the radius is time", aspect="equal")
    ax.title.set_fontsize("small")
    ax.spines[["top", "right"]].set_visible(False)
    legend(ax, loc="upper left", borderaxespad=0.1)


EXAMPLE = Example(
    name="rattleback",
    title="Rattleback: a stone that turns back when spun the wrong way",
    document="Classics",
    chapter="rolling and sliding",
    source="Kane and Levinson, Int. J. Non-Linear Mechanics 17 (1982) 175-186 (shape and inertia)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
