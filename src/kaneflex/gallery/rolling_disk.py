"""A thin disk or hoop that rolls on a horizontal plane without slip: a wobbling turn, steady turns, and a coin's whirl.

Source: E. J. Routh, Advanced Rigid Dynamics (6th ed.), articles 243-245; the equations derived for this file by Newton and
Euler.

phi is the heading of the horizontal tangent at the contact, theta the tilt of the disk's axis from the upward vertical
(upright at pi/2), psi the spin about the axis, turns 3-1-3. Along that tangent e1, e2 in the disk's plane away from the
contact and e3 along the axis, the disk's angular velocity is

    (w1, w2, w3) = (theta', phi' sin theta, psi' + phi' cos theta) ,   its centre's velocity  (-r w3, 0, r w1).

With A and C the inertias about a diameter and about the axis and W3 = w2 cot theta, the contact force eliminated,

    (A + m r^2) w1' = A W3 w2 - (C + m r^2) w2 w3 - m g r cos theta
              A w2' = C w1 w3 - A W3 w1                                                                         (1)
    (C + m r^2) w3' = m r^2 w1 w2

In a steady turn phi' = W is constant and theta too,

    A W^2 sin theta cos theta - (C + m r^2) W w3 sin theta - m g r cos theta = 0 ,                               (2)

the centre goes round a circle of radius r |w3/W|, and the contact pushes with the weight and m r |w3 W| towards its middle.
With w3 = 0 the centre stays where it is, and the disk whirls on its rim like a dropped coin, at W^2 = m g r/(A sin theta).
Upright rolling at w3 = n wobbles a little at the circular frequency k and is stable where k^2 > 0,

    k^2 = [C (C + m r^2) n^2/A - m g r]/(A + m r^2).                                                             (3)

The model is a free body with a `Rolling` constraint: one condition on its coordinates, two on its rates. Units: SI, rad.
The reference table was integrated from (1) by DOP853 at rtol 1e-13, apart from this package; its digits are good.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, rod, sample, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Rolling
from kaneflex.model.joints import Free
from kaneflex.model.shapes import Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 2.0, "radius": 0.3, "hoop": False, "gravity": 9.81, "tilt": 1.2, "tilt_rate": 0.5, "turn": 0.4, "spin": 6.0,
}  # fmt: skip
DURATION = 3.0
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
WHIRL_TILT = 0.15  # of the coin, rad
WOBBLE = 1e-4  # amplitude of the small wobble, rad

#: Rows (t, theta, phi, x and y of the centre, w1, w3) of (1), and (t, contact force on the disk along x, y, z).
TABLE = (
    (0.5, 0.973321263, -1.216399629, -0.818230604, 0.335822105, 1.506785914, 6.155002476),
    (1.0, 0.896882882, -1.755835847, -0.950521425, 1.222783799, -0.965444920, 6.310835253),
    (1.5, 1.149909725, -2.734044892, -0.248952041, 1.770475061, -1.146113140, 5.997524572),
    (2.0, 1.169794395, -4.179016196, 0.580887712, 1.481871791, 0.963623439, 5.996110327),
    (2.5, 0.917252402, -5.238247676, 0.792804657, 0.619258350, 1.191759236, 6.263661116),
    (3.0, 0.945957040, -5.756623011, 0.143943182, -0.000043535, -1.393069738, 6.204233832),
)
FORCES = (
    (0.5, 7.354951872, 3.526327274, 20.059152342),
    (1.0, 10.703524221, -2.716655715, 24.152805443),
    (1.5, 2.143784380, -5.096726914, 16.681381685),
    (2.0, -4.671964324, -2.755718442, 16.693881492),
    (2.5, -9.116945358, 4.376537675, 22.856989582),
    (3.0, -3.813685092, 8.165321505, 21.293088099),
)


def inertias(p: Parameters) -> tuple[float, float]:
    """A about a diameter and C about the axis, kg m^2."""
    C = p["mass"] * p["radius"] ** 2 * (1.0 if p["hoop"] else 0.5)
    return C / 2, C


def build(p: Parameters, tilt: float | None = None, tilt_rate: float = 0.0, turn: float = 0.0, spin: float = 0.0) -> System:
    """The disk at the start of the parameters or, if a tilt is given, with that tilt and rates theta', phi', w3; z is up."""
    if tilt is None:
        tilt, tilt_rate, turn, spin = p["tilt"], p["tilt_rate"], p["turn"], p["spin"]
    if not 0 < tilt < math.pi:
        raise ModelError(f"tilt is {tilt:g}: give an angle between 0 and pi, pi/2 for upright")
    r = positive(p["radius"], "radius")
    A, C = inertias(p)
    system = System("rolling disk", gravity=(0, 0, -p["gravity"]))
    pose = (0, 0, r * math.sin(tilt), math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)
    rates = (-r * spin, 0, r * tilt_rate, tilt_rate, turn * math.sin(tilt), spin)
    system.add("disk", Rigid(p["mass"], inertia=(A, A, C), frames={"rim": (r, 0, 0)}), Free(), q=pose, rates=rates)
    spokes = [rod(np.multiply(-r, way), np.multiply(r, way), 0.03 * r, color="white") for way in ((1, 0, 0), (0, 1, 0))]
    system.show("disk", drum(r, 0.05 * r), *spokes, Sphere(0.06 * r, position=(r, 0, 0), color="red"))
    system.constrain("contact", Rolling("disk", on="N", radii=(r, r, 0)))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three seconds, sampled every 10 ms."""
    return system.simulate(DURATION, output=0.01, formulation=formulation, speeds=speeds, **TOLERANCES)


def steady_turn(p: Parameters, tilt: float, spin: float) -> float:
    """The slower heading rate phi' of (2) with a tilt and an axial rate w3; that of the whirl without spin."""
    A, C = inertias(p)
    m, r, g = p["mass"], p["radius"], p["gravity"]
    s, c = math.sin(tilt), math.cos(tilt)
    if spin == 0:
        return math.sqrt(m * g * r / (A * s))
    a, b, k = A * s * c, -(C + m * r**2) * spin * s, -m * g * r * c
    square = b**2 - 4 * a * k
    if square < 0:
        raise ModelError(f"no steady turn at a tilt of {tilt:g} rad with an axial rate of {spin:g} rad/s")
    return -2 * k / (b + math.copysign(math.sqrt(square), b))


def wobble(p: Parameters) -> float:
    """k^2 of (3), 1/s^2."""
    A, C = inertias(p)
    mr2 = p["mass"] * p["radius"] ** 2
    return (C * (C + mr2) * p["spin"] ** 2 / A - p["mass"] * p["gravity"] * p["radius"]) / (A + mr2)


def angles(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Tilt theta and heading phi over the run, rad."""
    axis = run["disk.rotation"][:, :, 2]
    tilt = np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), axis[:, 2])
    return tilt, np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))


def contact_points(run: Run, p: Parameters) -> np.ndarray:
    """Where the disk touches the plane, (n, 2)."""
    theta, phi = angles(run)
    out = p["radius"] * np.cos(theta)
    return run["disk.position"][:, :2] - out[:, None] * np.column_stack([-np.sin(phi), np.cos(phi)])


def _states(run: Run) -> np.ndarray:
    """Rows (theta, phi, x, y, w1, w3)."""
    theta, phi = angles(run)
    omega = np.einsum("kij,kj->ki", run["disk.rotation"], run["disk.omega"])
    w1 = omega[:, 0] * np.cos(phi) + omega[:, 1] * np.sin(phi)
    return np.column_stack([theta, phi, run["disk.position"][:, :2], w1, run["disk.omega"][:, 2]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rows of the table, steady turns, the small wobble, and what holds by itself."""
    found = []
    if unchanged(p, DEFAULTS):
        y, force = _states(run), run.loads("contact").force
        source = "equations (1), integrated by DOP853 at rtol 1e-13"
        names, axes = ("theta", "phi", "x", "y", "w1", "w3"), ("x", "y", "z")
        found = [worst(f"t = {t:g} s", names, y[sample(run, t)], row, 5e-9, source) for t, *row in TABLE]
        found += [worst(f"contact force at {t:g} s", axes, force[sample(run, t)], row, 5e-8, source) for t, *row in FORCES]
    o = run.trajectory.options
    ways: dict[str, Any] = {"formulation": o.formulation, "speeds": o.speeds}
    found += _steady(p, "steady turn", p["tilt"], p["spin"], ways)
    found += _steady(p, "coin's whirl", WHIRL_TILT, 0.0, ways)
    if wobble(p) > 0:
        found += _wobble(p, ways)
    return found + _identities(run, p)


def _steady(p: Parameters, name: str, tilt: float, spin: float, ways: dict[str, Any]) -> list[Check]:
    """A run of one second that starts in a steady turn: tilt, heading, circle and contact force."""
    turn = steady_turn(p, tilt, spin)
    run = build(p, tilt, 0.0, turn, spin).simulate(1.0, output=0.01, **ways, **TOLERANCES)
    theta, phi = angles(run)
    source = "closed form (2)"
    weight = p["mass"] * p["gravity"]
    radius = p["radius"] * spin / turn  # of the circle; the centre starts on its side along -e2
    middle = radius * np.array([0.0, -1.0])
    distance = np.hypot(*(run["disk.position"][:, :2] - middle).T)
    k = int(np.argmax(np.abs(theta - tilt)))
    far = int(np.argmax(np.abs(distance - abs(radius))))
    force = run.loads("contact").force
    aside = np.hypot(force[:, 0], force[:, 1])
    wanted = p["mass"] * p["radius"] * abs(spin * turn)
    worst_force = int(np.argmax(np.abs(force[:, 2] - weight)))
    worst_side = int(np.argmax(np.abs(aside - wanted)))
    return [
        Check(f"{name}: tilt, rad", float(theta[k]), tilt, 1e-9, source),
        Check(f"{name}: heading after 1 s, rad", float(phi[-1] - phi[0]), turn, 1e-9 * max(1.0, abs(turn)), source),
        Check(f"{name}: radius of the circle, m", float(distance[far]), abs(radius), 1e-9 * max(1.0, abs(radius)), source),
        Check(f"{name}: contact force up, N", float(force[worst_force, 2]), weight, 5e-9 * weight, source),
        Check(f"{name}: contact force aside, N", float(aside[worst_side]), wanted, 1e-9 * weight, source),
    ]


def _wobble(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """One period of a small wobble about upright rolling: the tilt comes back, and half way it is on the other side."""
    A, C = inertias(p)
    period = 2 * math.pi / math.sqrt(wobble(p))
    start = build(p, math.pi / 2 + WOBBLE, 0.0, C * p["spin"] / A * WOBBLE, p["spin"])
    run = start.simulate(period, output=period / 2, **ways, **TOLERANCES)
    lean = (angles(run)[0] - math.pi / 2) / WOBBLE
    source = "closed form (3), to first order in the amplitude"
    return [
        Check("small wobble: tilt after half a period, amplitudes", float(lean[1]), -1.0, 1e-6, source),
        Check("small wobble: tilt after a period, amplitudes", float(lean[-1]), 1.0, 1e-6, source),
    ]


def _identities(run: Run, p: Parameters) -> list[Check]:
    """Newton's law at the contact, no slip, no gap, energy."""
    r, m = p["radius"], p["mass"]
    theta, phi = angles(run)
    force = m * (run["disk.acceleration"] + np.array([0.0, 0.0, p["gravity"]]))
    off = np.abs(run.loads("contact").force - force).max()
    out = np.column_stack([-np.sin(phi) * np.cos(theta), np.cos(phi) * np.cos(theta), np.sin(theta)])
    omega = np.einsum("kij,kj->ki", run["disk.rotation"], run["disk.omega"])
    slip = np.abs(run["disk.velocity"] - r * np.cross(omega, out)).max()
    gap = np.abs(run["disk.position"][:, 2] - r * np.sin(theta)).max()
    return [
        Check("contact force less m (a + g), N", float(off), 0.0, 1e-12 * m * p["gravity"], "identity: Newton's law"),
        Check("slip at the contact, m/s", float(slip), 0.0, 1e-12, "identity: v = r w x e2"),
        Check("height of the rim's lowest point, m", float(gap), 0.0, 1e-11, "identity: z = r sin theta"),
        balance(run, 1e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Tilt and contact force over time; paths of the contact and of the centre."""
    theta, _ = angles(run)
    force = run.loads("contact").force
    picture, axes = panels(2, 2, size=(9.4, 4.8), width_ratios=(1.4, 1))
    top, bottom = axes[:, 0]
    top.plot(run.t, theta, color=COLOURS[0], label=r"tilt $\theta$")
    top.axhline(math.pi / 2, color=GREY, linestyle=":", linewidth=1, label="upright")
    top.set(ylabel="tilt of the axis, rad", xticklabels=[])
    bottom.plot(run.t, force[:, 2], color=COLOURS[1], label="up")
    bottom.plot(run.t, np.hypot(force[:, 0], force[:, 1]), color=COLOURS[3], label="along the plane")
    bottom.axhline(p["mass"] * p["gravity"], color=GREY, linestyle=":", linewidth=1, label="weight")
    bottom.set(xlabel="time, s", ylabel="contact force, N")
    if unchanged(p, DEFAULTS):
        rows, forces = np.array(TABLE), np.array(FORCES)
        top.plot(rows[:, 0], rows[:, 1], "o", color=COLOURS[0], mfc="white", ms=5, label="reference")
        bottom.plot(forces[:, 0], forces[:, 3], "o", color=COLOURS[1], mfc="white", ms=5)
        bottom.plot(forces[:, 0], np.hypot(forces[:, 1], forces[:, 2]), "o", color=COLOURS[3], mfc="white", ms=5)
    for ax in (top, bottom):
        ax.margins(y=0.22)
        legend(ax, loc="upper right", ncols=3, borderaxespad=0.1)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run, p)
    title(picture, f"{'Hoop' if p['hoop'] else 'Disk'} that rolls without slip: axial rate {p['spin']:g} rad/s")
    return picture


def _draw(ax: Any, run: Run, p: Parameters) -> None:
    """Paths seen from above, with the disk's outline at a few instants."""
    touch, centre, R = contact_points(run, p), run["disk.position"], run["disk.rotation"]
    angle = np.linspace(0, 2 * math.pi, 91)
    rim = p["radius"] * np.array([np.cos(angle), np.sin(angle), 0 * angle])
    for k in range(0, len(run.t), max(1, len(run.t) // 6)):
        x, y = centre[k, :2, None] + (R[k] @ rim)[:2]
        ax.plot(x, y, color=COLOURS[0], linewidth=0.8, alpha=0.35)
    ax.plot(*touch.T, color=COLOURS[1], linewidth=1.6, label="contact")
    ax.plot(*centre[:, :2].T, color=COLOURS[2], linewidth=1.2, label="centre")
    ax.plot(*touch[0], "o", color="#111827", ms=4)
    ax.set(xlabel="x, m", ylabel="y, m", title="from above")
    ax.set_aspect("equal", adjustable="datalim")
    ax.title.set_fontsize("small")
    ax.spines[["top", "right"]].set_visible(False)
    legend(ax, loc="upper right", ncols=2, borderaxespad=0.1)


EXAMPLE = Example(
    name="rolling-disk",
    title="Disk rolling without slip: a wobbling turn, steady turns, a coin's whirl",
    document="Classics",
    chapter="rolling and sliding",
    source="Routh, Advanced Rigid Dynamics (6th ed.), articles 243-245",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
