"""What joints and constraints carry: forces and torques at any point, in any axes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.model import GROUND
from kaneflex.model.typed import typed
from kaneflex.plan.load_tables import NO_SLIP
from kaneflex.simulate.contact.closing import friction_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
WORDS = ("rotation", "position", "omega", "velocity")  # channels that tell the motion of a frame


@typed
@dataclass(frozen=True)
class Loads:
    """The load that a joint or constraint puts on its outboard body, over time.

    Attributes:
        t: s.
        force: (n, 3), N, on the outboard body (its opposite acts on the inboard one).
        torque: (n, 3), N m, about the chosen point.
        power: (n,), W, that the load delivers to the outboard body.
        net_power: (n,), W, that the joint or constraint delivers to the system: what it gives to the outboard body less
            what it takes from the inboard one. Zero for a joint without drive, spring or damper.
    """

    t: Array
    force: Array
    torque: Array
    power: Array
    net_power: Array


def nothing(t: Array) -> Loads:
    """Loads of what is not there."""
    n = len(t)
    return Loads(t, *(np.full((n, 3), np.nan) for _ in range(2)), *(np.full(n, np.nan) for _ in range(2)))


def loads(run: "Run", name: str, axes: str = "inertial", at: Any = None, body: str | None = None) -> Loads:
    """See `Run.loads`."""
    index = run.plan.index
    if not isinstance(axes, str):
        raise ModelError(f'axes are {axes!r}: give "inertial", "body" or a frame\'s name')
    checks.known(name, [*index.joints, *index.constraints], "joint or constraint")
    if name in index.joints:
        if body not in (None, name):
            raise ModelError(f'the joint of "{name}" loads its outboard body "{name}", not "{body}"')
        return _joint(run, name, axes, at)
    return _constraint(run, name, axes, at, body)


def _kinematics(run: "Run", row: int) -> tuple[Array, Array, Array, Array]:
    """R, p (inertial), omega, v (inertial axes) of M of a body row; at rest for row 0."""
    n = len(run.t)
    if row == 0:
        return np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    name, own = _seen_from(run, row)
    R = run[f"{name}.rotation"] @ own.R.T
    p = run[f"{name}.position"] - R @ own.p
    omega = np.einsum("nij,nj->ni", run[f"{name}.rotation"], run[f"{name}.omega"])
    v = run[f"{name}.velocity"] - np.cross(omega, R @ own.p)
    return R, p, omega, v


def _seen_from(run: "Run", row: int) -> tuple[str, Any]:
    """Name of a frame on a body row, with where it is as seen from M."""
    index, name = run.plan.index, _owners(run)[row]
    own = index.own_frame[name]
    for (body, node), place in index.nodes.items():
        if place == row:
            name, own = f"{body}.{node}", index.frames[body][node]
    return name, own


def _owners(run: "Run") -> dict[int, str]:
    """Names of the bodies that rows belong to; those of nodes belong to their flexible bodies."""
    index = run.plan.index
    return {j.row: name for name, j in index.joints.items()} | {row: body for (body, _), row in index.nodes.items()}


def _resolve(run: "Run", row: int, wrench: Array, point: Array, other: int, axes: str, at: Any, net: Array | None) -> Loads:
    """A wrench on M of a body row, moved to a point and turned into axes.

    Args:
        run: the run.
        row: the loaded body.
        wrench: (n, 6), torque about the origin of M and force, in axes of M.
        point: (n, 3) or (3,): the point asked for unless `at` says another, in axes of M.
        other: the body that takes the reaction.
        axes: "inertial", "body", or a frame's name.
        at: place of the point, or None.
        net: net power where it is known, else None to take it from the motion of both bodies.
    """
    run.read(*(f"{_seen_from(run, r)[0]}.{word}" for r in {row, other} - {0} for word in WORDS))  # all in one pass
    R, p, omega, v = _kinematics(run, row)
    torque, force = np.einsum("nij,nj->ni", R, wrench[:, :3]), np.einsum("nij,nj->ni", R, wrench[:, 3:])
    power = np.sum(torque * omega + force * v, axis=1)
    if net is None:
        _, q, omega_o, v_o = _kinematics(run, other)
        there = torque + np.cross(p - q, force)
        net = power - np.sum(there * omega_o + force * v_o, axis=1)
    place = (
        p + np.einsum("nij,...j->ni", R, np.asarray(point)) if np.ndim(point) == 1 else p + np.einsum("nij,nj->ni", R, point)
    )
    if at is not None:
        place = _place(run, at)
    torque = torque + np.cross(p - place, force)
    if axes != "inertial":
        turn = _axes(run, row, axes)
        torque, force = np.einsum("nji,nj->ni", turn, torque), np.einsum("nji,nj->ni", turn, force)
    return Loads(run.t, force, torque, power, net)


def _place(run: "Run", at: Any) -> Array:
    """The point named by `at` over time, inertial axes."""
    if isinstance(at, str):
        if at == GROUND:
            return np.zeros((len(run.t), 3))
        run.model.locate(at, "at")
        return run[f"{at}.position"]
    return np.broadcast_to(checks.vector(at, "at"), (len(run.t), 3))


def _axes(run: "Run", row: int, axes: str) -> Array:
    """R of the axes asked for: "body" (the loaded body's own) or a frame's name."""
    name = axes
    if axes == "body":
        if row == 0:
            return np.broadcast_to(np.eye(3), (len(run.t), 3, 3))
        name = _owners(run)[row]
    elif axes == GROUND:
        return np.broadcast_to(np.eye(3), (len(run.t), 3, 3))
    else:
        run.model.locate(axes, 'axes, which are "inertial", "body" or a frame')
    return run[f"{name}.rotation"]


def _joint(run: "Run", name: str, axes: str, at: Any) -> Loads:
    row = run.plan.index.joints[name].row
    joints, _, _ = run.all_loads
    parent = int(run.plan.tables.body[row].parent)
    return _resolve(run, row, joints[:, row], np.zeros(3), parent, axes, at, None)


def _friction(run: "Run", name: str, bodies: list[int]) -> Array:
    """Wrenches of a contact's friction on the plane's body and on the point's, as `ties` has them."""
    contact, load = run.model.contacts[name], run.model.loads[friction_of(name)]
    assert isinstance(load, SlidingFriction)
    place, n = run[f"{contact.point}.position"], len(run.t)
    R, (_, p, omega, v) = np.broadcast_to(np.eye(3), (n, 3, 3)), _kinematics(run, bodies[0])
    if contact.on != GROUND:
        R = run[f"{contact.on}.rotation"]
    slip = run[f"{contact.point}.velocity"] - v - np.cross(omega, place - p)
    angle = np.polyval(load.angle[::-1], run.t - load.since)
    along = np.column_stack([np.cos(angle), np.sin(angle)])
    if load.until is None:
        along = np.einsum("nji,nj->ni", R, slip)[:, :2] + NO_SLIP * along
    size = -contact.friction * run[f"{name}.multipliers"].reshape(n, -1)[:, 0] / np.hypot(along[:, 0], along[:, 1])
    force = np.einsum("nij,nj->ni", R[:, :, :2], size[:, None] * along)
    wrenches = []
    for row, sign in zip(bodies, (-1.0, 1.0), strict=True):
        Rm, pm, _, _ = _kinematics(run, row)
        both = (np.cross(place - pm, sign * force), sign * force)
        wrenches.append(np.hstack([np.einsum("nji,nj->ni", Rm, x) for x in both]))
    return np.stack(wrenches, axis=1)


def _constraint(run: "Run", name: str, axes: str, at: Any, body: str | None) -> Loads:
    tables, index = run.plan.tables, run.plan.index
    constraint = tables.constraint[name]
    a0, count = int(constraint.attachment0), int(constraint.attachments)
    if count == 0:
        raise ModelError(f'constraint "{name}" acts in joints: its loads are in their joints, see run["{name}.multipliers"]')
    bodies = tables.attachment.attached[a0 : a0 + count].tolist()
    names = _owners(run) | {0: GROUND}
    which = count - 1 if bodies[-1] != 0 or count != 2 else 0
    if body is not None:
        if body not in [names[b] for b in bodies]:
            loaded = " and ".join(f'"{names[b]}"' for b in bodies)
            raise ModelError(f'constraint "{name}" loads {loaded}, not "{body}"')
        which = [names[b] for b in bodies].index(body)
    _, ties, _ = run.all_loads
    if friction_of(name) in index.loads:
        ties = ties.copy()
        ties[:, a0 : a0 + 2] += _friction(run, name, bodies)
    point = constraint.point_a if which == 0 else constraint.point_b
    net = None if count == 2 else np.full(len(run.t), np.nan)
    other = bodies[1 - which] if count == 2 else 0
    return _resolve(run, bodies[which], ties[:, a0 + which], point, other, axes, at, net)
