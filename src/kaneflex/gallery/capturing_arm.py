"""A robot arm on a free base grips a tumbling target: a plastic impact, then motors and wheels bring all to rest.

Source: Y. Umetani and K. Yoshida, Resolved motion rate control of space manipulators with generalized Jacobian matrix, IEEE
Transactions on Robotics and Automation 5 (1989) 303; D. N. Nenchev and K. Yoshida, Impact analysis and post-impact motion
control issues of a free-floating space robot subject to a force impulse, the same 15 (1999) 548; data of this file.

A base at rest, free in space, carries an arm of three links on hinges about z, y and y, and four wheels. A target
tumbles by and touches the hand, which grips it: from then on both are one body. Impulses act in the joints and
between hand and target, none comes from outside. With M the masses and inertias of all bodies taken apart, v their
velocities and J v = 0 the conditions of the hinges and of the grip,

    M (v+ - v-) = J^T P ,   J v+ = 0 ;   H = sum (r × m v + I w) about the mass centre stays as it was.                 (1)

A wheel turns freely in its bearings, so that of the inertia I of its body the part J_w about its axis a does not take
part. Had brakes held the hinges, all would have turned as one body,

    w+ = (I_c - sum J_w a a^T)^-1 H ,   I_c the inertia of all about the mass centre.                                    (2)

Motors then bring the arm back to the angles it had, and the wheels the base to its attitude: in the end nothing turns
but the wheels, which hold what the target brought,

    sum J_w W a = R^T H ,   R the attitude of the base.                                                                  (3)

With held hinges small turns of the base under the torque -kp e - kd w obey (I_c - sum J_w a a^T) e'' + kd e' + kp e = 0.
Units: SI, rad.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from scipy.linalg import block_diag

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, rod, title, worst
from kaneflex.model.blocks import AttitudeControl, StateFeedback
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Fixed, Free, Revolute
from kaneflex.model.parts import ReactionWheel
from kaneflex.model.profiles import hold
from kaneflex.model.shapes import Box, Sphere
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"base": 600.0, "target": 200.0, "tumble": 0.12, "speed": 0.05, "kp": 200.0, "kd": 2000.0, "time": 100.0}
INERTIA = {"base": (250.0, 300.0, 350.0), "target": (40.0, 60.0, 50.0)}  # kg m^2
LINKS = {"upper": (30.0, 2.0, "z"), "fore": (20.0, 1.8, "y"), "hand": (5.0, 0.4, "y")}  # kg, m, axis of the hinge
ANGLES = (0.5, -0.9, 1.3)
MOUNT, RADIUS = (1.0, 0.0, 0.4), 0.6  # of the arm in the base; of the target's hull, m
START = 3.0  # s before the touch
SPIN = np.array([0.8, -0.36, 0.48])  # axis of the tumble
COURSE = np.array([-0.8, 0.0, 0.6])  # of the target
MOTORS = {"stiffness": 300.0, "damping": 1200.0}  # N m/rad and N m s/rad, of the arm
WHEELS, WHEEL = tuple(f"wheel{k + 1}" for k in range(4)), 0.4  # kg m^2
CONE = 0.6  # rad, of the wheels' axes against the plane of x and y
AXES = np.array([(math.cos(CONE) * x, math.cos(CONE) * y, math.sin(CONE)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))])
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}


def link(name: str) -> Rigid:
    """A link along x, the next hinge at its end."""
    m, l, _ = LINKS[name]
    J = m * l**2 / 12
    return Rigid(m, com=(l / 2, 0, 0), inertia=(0.005 * m, J, J), frames={"end": (l, 0, 0)})


class Place(NamedTuple):
    """A body of the hand-made model: mass, inertia in its own axes, orientation, mass centre."""

    mass: float
    inertia: np.ndarray
    R: np.ndarray
    r: np.ndarray


def turn(axis: str, angle: float) -> np.ndarray:
    """Rotation about y or z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]] if axis == "y" else [[c, -s, 0], [s, c, 0], [0, 0, 1]])


def arm(p: Parameters) -> tuple[list[Place], np.ndarray]:
    """Base at rest in N and the links, and the hinges with the tip at the end, by trigonometry."""
    R = np.eye(3)
    bodies, points = [Place(p["base"], np.diag(INERTIA["base"]), R, np.zeros(3))], [np.array(MOUNT)]
    for (name, (m, l, axis)), angle in zip(LINKS.items(), ANGLES, strict=True):
        R = R @ turn(axis, angle)
        bodies.append(Place(m, np.asarray(link(name).inertia), R, points[-1] + R[:, 0] * l / 2))
        points.append(points[-1] + R[:, 0] * l)
    return bodies, np.array(points)


def build(p: Parameters) -> System:
    """The target on its way to the hand; motors and wheels with their laws."""
    for name in ("base", "target", "kp", "kd", "time"):
        positive(p[name], name)
    if not 0.01 <= p["speed"] <= 0.5:
        raise ModelError(f"speed is {p['speed']:g} m/s: give 0.01 to 0.5, so that the target comes and is gripped")
    system = System("capturing arm")
    system.add("base", Rigid(p["base"], inertia=INERTIA["base"]), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    parent, at = "base", cast("Any", MOUNT)
    for (name, (_, l, axis)), angle in zip(LINKS.items(), ANGLES, strict=True):
        system.add(name, link(name), Revolute(axis), parent=parent, at=at, q=angle)
        system.add_input(f"motor_{name}", JointForce(name))
        system.show(name, rod((0, 0, 0), (l, 0, 0), 0.07))
        parent, at = name, "end"
    tip = arm(p)[1][-1]
    start = tip - (RADIUS + p["speed"] * START) * COURSE  # its hull touches the tip after START seconds
    rates = (*(p["speed"] * COURSE), *(p["tumble"] * SPIN))
    body = Rigid(p["target"], inertia=INERTIA["target"])
    system.add("target", body, Free(), q=(*start, 1, 0, 0, 0), rates=rates)
    _control(system, p)
    system.show("base", Box((1.6, 1.6, 1.2)))
    system.show("target", Sphere(RADIUS, opacity=0.5), drum(0.45, 1.3, "z"))
    return system


def _control(system: System, p: Parameters) -> None:
    """Motors hold the angles of the arm, wheels the attitude of the base."""
    sees = [f"{name}.{word}" for word in ("q", "rate") for name in LINKS]
    K = np.hstack([MOTORS["stiffness"] * np.eye(3), MOTORS["damping"] * np.eye(3)])
    drives = [f"motor_{name}" for name in LINKS]
    system.add_block("motors", StateFeedback(K, at=(*ANGLES, 0, 0, 0), sees=sees, drives=drives))
    for name, axis in zip(WHEELS, AXES, strict=True):
        system.add_part(name, ReactionWheel(tuple(axis), WHEEL), on="base")
    system.add_block("attitude", AttitudeControl("base", p["kp"], p["kd"], axes=AXES.tolist(), drives=list(WHEELS)))


def gripping(locked: bool = False) -> Event:
    """The hand grips the target when it is there; `locked`: brakes hold the hinges from then on."""

    def grip(state: Any, change: Any) -> None:
        change.attach("target", "hand")
        for name in LINKS if locked else ():
            change.lock(name)

    return Event(lambda t: t - START, direction=1, action=grip, name="grip")


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From before the touch until all is at rest."""
    fine: dict[str, Any] = {**FINE, "formulation": formulation, "speeds": speeds}
    return system.simulate(p["time"], output=0.25, events=[gripping()], **fine)


# ---- by hand ------------------------------------------------------------------------------------------------------------


def skew(a: Any) -> np.ndarray:
    """a x as a matrix."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def touching(p: Parameters, R: np.ndarray) -> tuple[list[Place], np.ndarray, np.ndarray]:
    """Bodies at the touch with the target last, the hinges and the tip, and velocities before, (v, w) of each body.

    The tumble at the touch is that of a rigid body without torque, which the orientation R of the target tells by the
    momentum that it keeps.
    """
    bodies, points = arm(p)
    I = np.diag(INERTIA["target"])
    w = np.linalg.solve(R @ I @ R.T, p["tumble"] * I @ SPIN)
    bodies.append(Place(p["target"], I, R, points[-1] - RADIUS * COURSE))
    v = np.zeros((len(bodies), 6))
    v[-1] = *(p["speed"] * COURSE), *w
    return bodies, points, v


def matrix(bodies: list[Place]) -> np.ndarray:
    """Masses and inertias of bodies taken apart, inertial axes; of the base without what its wheels do not take up."""
    free = WHEEL * AXES.T @ AXES
    own = [b.inertia - (free if k == 0 else 0.0) for k, b in enumerate(bodies)]
    pairs = [(b.mass * np.eye(3), b.R @ I @ b.R.T) for b, I in zip(bodies, own, strict=True)]
    return np.asarray(block_diag(*(x for pair in pairs for x in pair)))


def after(p: Parameters, R: np.ndarray) -> np.ndarray:
    """Velocities after the touch by (1)."""
    bodies, points, v = touching(p, R)
    rows = []
    for k, (a, b) in enumerate(pairwise(bodies)):
        point = points[k]
        together = np.zeros((6, 6 * len(bodies)))
        for body, sign, at in ((a, 1.0, k), (b, -1.0, k + 1)):
            together[:3, 6 * at : 6 * at + 3] = sign * np.eye(3)
            together[:3, 6 * at + 3 : 6 * at + 6] = -sign * skew(point - body.r)
            together[3:, 6 * at + 3 : 6 * at + 6] = sign * np.eye(3)
        if k < len(LINKS):  # a hinge lets the turn about its axis be
            axis = b.R[:, "xyz".index(list(LINKS.values())[k][2])]
            across = np.linalg.svd(axis[None])[2][1:]
            together = np.vstack([together[:3], across @ together[3:]])
        rows.append(together)
    J, M = np.vstack(rows), matrix(bodies)
    X = np.linalg.solve(M, J.T)
    return np.asarray((v.ravel() - X @ np.linalg.solve(J @ X, J @ v.ravel())).reshape(-1, 6))


def whole(bodies: list[Place], v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and inertia about the mass centre of bodies that move as given, the wheels locked."""
    m = sum(b.mass for b in bodies)
    centre = sum(b.mass * b.r for b in bodies) / m
    speed = sum(b.mass * x[:3] for b, x in zip(bodies, v, strict=True)) / m
    H = sum(np.cross(b.r - centre, b.mass * (x[:3] - speed)) + b.R @ b.inertia @ b.R.T @ x[3:]
            for b, x in zip(bodies, v, strict=True))  # fmt: skip
    I = sum(b.R @ b.inertia @ b.R.T - b.mass * skew(b.r - centre) @ skew(b.r - centre) for b in bodies)
    return H, I


# ---- checks -------------------------------------------------------------------------------------------------------------


def checks(run: Run, p: Parameters) -> list[Check]:
    """The touch, what is kept, the rest at the end; held hinges by a run of their own."""
    before, later = run.segments[0], run.last
    R = before["target.rotation"][-1]
    bodies, _, v = touching(p, R)
    H = whole(bodies, v)[0]
    wanted, names = after(p, R), ("base", *LINKS, "target")
    found = np.array([later[f"{name}.rotation"][0] @ later[f"{name}.omega"][0] for name in names])
    size, central = float(np.linalg.norm(H)), run["momentum.central"]
    grip = run.impacts[0]
    gap = float(np.linalg.norm(before["hand.end.position"][-1] - before["target.position"][-1]))
    lost = sum(float(v.ravel() @ matrix(bodies) @ v.ravel()) * sign / 2 for v, sign in ((v, 1.0), (wanted, -1.0)))
    h = WHEEL * AXES.T @ np.array([run[f"{name}.rate"][-1] for name in WHEELS])
    rates = np.array([float(run[f"{name}.rate"][-1]) for name in LINKS])
    labels = [f"{name}, {x}" for name in names for x in "xyz"]
    return [
        Check("distance of the tip from the target then, m", gap, RADIUS, 1e-11, "closed form: speed times time"),
        worst("angular velocity after the touch, rad/s", labels, found, wanted[:, 3:], 1e-11, "(1), bodies taken apart"),
        Check("energy lost in the touch, J", grip.energy[0] - grip.energy[1], lost, 1e-10 * lost, "(1), bodies taken apart"),
        Check("angular momentum from that of the target before, of it", float(np.abs(central - H).max() / size), 0.0, 1e-9,
              "closed form: sum of r x m v + I w"),
        Check("change of the linear momentum, of it", float(np.ptp(run["momentum.linear"], axis=0).max())
              / (p["target"] * p["speed"]), 0.0, 1e-9, "identity: nothing acts from outside"),
        worst("wheels at the end, kg m^2/s", "xyz", h, run["base.rotation"][-1].T @ H, 1e-5 * size, "closed form (3)"),
        Check("base at the end, rad/s", float(np.abs(run["base.omega"][-1]).max()), 0.0, 1e-6, "closed form (3): at rest"),
        Check("hinges at the end, rad/s", float(np.abs(rates).max()), 0.0, 1e-6, "closed form (3): at rest"),
        balance(run, 1e-9),
        *_held(p),
    ]  # fmt: skip


def _held(p: Parameters) -> list[Check]:
    """Brakes hold the hinges at the touch: one body, by (2); and its poles under the attitude loop."""
    system = build(p)
    run = system.simulate(START + 0.5, output=0.5, events=[gripping(locked=True)], **FINE)
    R = run.segments[0]["target.rotation"][-1]
    bodies, _, v = touching(p, R)
    H, I = whole(bodies, v)
    effective = I - WHEEL * AXES.T @ AXES
    found = run.last["base.omega"][0]
    model = captured(p, bodies[-1])
    poles = model.linearize().eigenvalues()
    n = np.eye(3)
    A = np.block([[0 * n, n], [-p["kp"] * np.linalg.inv(effective), -p["kd"] * np.linalg.inv(effective)]])
    wanted = np.linalg.eigvals(A)
    far = poles_off(poles, wanted, relative=True)
    return [
        worst("brakes on: angular velocity after the touch, rad/s", "xyz", found, np.linalg.solve(effective, H), 1e-11,
              "closed form (2)"),
        Check("brakes on: poles of the attitude loop, relative", far, 0.0, 1e-8, "quadratic of I_c less the wheels"),
    ]  # fmt: skip


def captured(p: Parameters, target: Place) -> System:
    """The arm with the target in its hand, at rest, the hinges held."""
    system = System("captured")
    system.add("base", Rigid(p["base"], inertia=INERTIA["base"]), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    parent, at = "base", cast("Any", MOUNT)
    for (name, (_, _, axis)), angle in zip(LINKS.items(), ANGLES, strict=True):
        system.add(name, link(name), Revolute(axis, motion=hold(angle)), parent=parent, at=at)
        parent, at = name, "end"
    body = Rigid(target.mass, com=target.r, inertia=target.R @ target.inertia @ target.R.T)
    system.add("target", body, Fixed(), parent="base")
    for name, axis in zip(WHEELS, AXES, strict=True):
        system.add_part(name, ReactionWheel(tuple(axis), WHEEL), on="base")
    system.add_block("attitude", AttitudeControl("base", p["kp"], p["kd"], axes=AXES.tolist(), drives=list(WHEELS)))
    return system


def figure(run: Run, p: Parameters) -> Figure:
    """Rates of base and hinges, and where the momentum is."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.0))
    for k, name in enumerate(("base", "target")):
        left.plot(run.t, 1e3 * np.linalg.norm(run[f"{name}.omega"], axis=1), color=COLOURS[k], label=f"{name} turns")
    for k, name in enumerate(LINKS):
        left.plot(run.t, 1e3 * run[f"{name}.rate"], color=COLOURS[2 + k], lw=1, label=f"hinge of the {name} link")
    left.axvline(START, color=GREY, ls=":", lw=1)
    left.set(xlabel="time, s", ylabel="rate, mrad/s", xlim=(0, 30))
    legend(left, loc="upper right")
    h = WHEEL * np.column_stack([run[f"{name}.rate"] for name in WHEELS]) @ AXES
    turned = np.einsum("nij,nj->ni", run["base.rotation"], h)
    for k, x in enumerate("xyz"):
        right.plot(run.t, run["momentum.central"][:, k], color=COLOURS[k], label=f"all, {x}")
        right.plot(run.t, turned[:, k], "--", color=COLOURS[k], label=f"wheels, {x}")
    right.set(xlabel="time, s", ylabel="angular momentum, kg m²/s")
    legend(right, ncols=2)
    title(picture, "Robot arm on a free base that grips a tumbling target")
    return picture


EXAMPLE = Example(
    name="capturing-arm",
    title="Robot arm on a free base that grips a tumbling target",
    document="Classics",
    chapter="spacecraft",
    source="Umetani and Yoshida 1989; Nenchev and Yoshida 1999; with data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
