"""Applied loads and given motions of a model as rows of the tables."""

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import dispatch as kinds
from kaneflex.model.forces import (
    CentralGravity,
    Force,
    JointForce,
    JointSpring,
    JointStop,
    SlidingFriction,
    SpringDamper,
    Torque,
)

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder
    from kaneflex.plan.plan import JointIndex


NO_SLIP = 1e-12  # m/s: a slip of less has no direction of its own


def load_row(builder: "_Builder", name: str, kind: int, **fields: int) -> tuple[np.ndarray, np.ndarray]:
    """A new row of the table of loads, with integers by the layout's names; integers and parameters to be filled."""
    row, reals = np.zeros(L.FORCE_INTS, np.int64), np.zeros(L.FORCE_REALS)
    row[L.FORCE_KIND] = kind
    for field_name, value in fields.items():
        row[getattr(L, field_name)] = value
    builder.index.loads.setdefault(name, []).append(len(builder.force_rows))
    builder.force_rows.append(row)
    builder.force_reals.append(reals)
    return row, reals


def _set_value(
    builder: "_Builder", row: np.ndarray, reals: np.ndarray, load: Any, value: Any, what: str, signal: int | None
) -> None:
    outputs = 3 if isinstance(load, Force) else 1
    if callable(value):
        row[L.FORCE_MODE] = L.VECTOR
        row[L.FORCE_LAW_OUTPUT] = builder.law(value, load.sees, outputs, what)
        return
    reals[L.VALUE : L.VALUE + outputs] = value
    if signal is not None:
        row[L.FORCE_MODE], row[L.FORCE_LAW_OUTPUT] = L.ALONG, signal


def add_load(builder: "_Builder", name: str, load: Any, signal: int | None) -> None:
    """Rows of a load; `signal` is the place of its factor in the signal where it is an input."""
    what = f'load "{name}"' if signal is None else f'input "{name}"'
    if isinstance(load, Force):
        _point(builder, name, load, signal, what)
    elif isinstance(load, SpringDamper):
        _line(builder, name, load, signal, what)
    elif isinstance(load, CentralGravity):
        for body in load.bodies or builder.model.parts:
            _central(builder, name, load, body)
    elif isinstance(load, SlidingFriction):
        _friction(builder, name, load, what)
    else:
        _joint(builder, name, load, signal, what)


def _point(builder: "_Builder", name: str, load: Force, signal: int | None, what: str) -> None:
    kind = kinds.POINT_TORQUE if isinstance(load, Torque) else kinds.POINT_FORCE
    body, frame = builder.end(load.at, what)
    if isinstance(load, Torque):
        builder.check_turns(load.at.partition(".")[0], frame, what)
    row, reals = load_row(builder, name, kind, FORCE_BODY=body, FORCE_AXES=int(load.axes == "inertial"))
    reals[L.POINT : L.POINT + 3] = frame.p
    reals[L.FRAME : L.FRAME + 9] = frame.R.ravel()
    _set_value(builder, row, reals, load, load.value, what, signal)


def _line(builder: "_Builder", name: str, load: SpringDamper, signal: int | None, what: str) -> None:
    (i, a), (j, b) = builder.end(load.a, what), builder.end(load.b, what)
    if i == 0:
        (i, a), (j, b) = (j, b), (i, a)
    row, reals = load_row(builder, name, kinds.LINE, FORCE_BODY=i, FORCE_OTHER=j)
    reals[L.POINT : L.POINT + 3] = a.p
    reals[L.POINT_OTHER : L.POINT_OTHER + 3] = b.p
    reals[L.FORCE_LAW : L.FORCE_LAW + 4] = load.stiffness, load.damping, load.length, float(load.slack)
    _set_value(builder, row, reals, load, load.tension, what, signal)


def _central(builder: "_Builder", name: str, load: CentralGravity, body: str) -> None:
    part = builder.model.parts[body]
    if part.body.mass_properties()[0] == 0:
        return
    own = builder.index.own_frame[body]
    _, reals = load_row(builder, name, kinds.CENTRAL, FORCE_BODY=builder.index.joints[body].row)
    reals[L.POINT_OTHER : L.POINT_OTHER + 3] = load.centre
    reals[L.VALUE] = load.mu
    for owner, rotor in builder.model.rotors.values():
        if owner == body:
            axis = own.R @ np.array(rotor.axis)
            reals[L.FORCE_LAW : L.FORCE_LAW + 6] += rotor.inertia * np.outer(axis, axis)[np.triu_indices(3)]


def _friction(builder: "_Builder", name: str, load: SlidingFriction, what: str) -> None:
    contact = builder.model.contacts[load.contact]
    if load.contact not in builder.model.constraints:  # it was taken off by hand
        return
    (i, a), (j, b) = builder.end(contact.point, what), builder.end(contact.on, what)
    _, reals = load_row(builder, name, kinds.FRICTION, FORCE_BODY=i, FORCE_OTHER=j)
    reals[L.POINT : L.POINT + 3] = a.p
    reals[L.FRAME : L.FRAME + 9] = b.R.ravel()
    reals[L.VALUE : L.VALUE + 3] = contact.friction, 1 / NO_SLIP if load.until is None else 0.0, load.since
    reals[L.VALUE + 3 : L.VALUE + 3 + len(load.angle)] = load.angle
    builder.frictions[load.contact] = len(builder.force_rows) - 1


def _joint(builder: "_Builder", name: str, load: Any, signal: int | None, what: str) -> None:
    if load.joint in builder.index.rotors:
        column = builder.index.rotors[load.joint]
        if isinstance(load, JointForce):
            row, reals = load_row(builder, name, kinds.JOINT_LOAD, FORCE_COLUMN=column)
            _set_value(builder, row, reals, load, load.value, what, signal)
        else:
            _, reals = load_row(builder, name, kinds.JOINT_SPRING, FORCE_COLUMN=column, FORCE_COORDINATE=-1)
            reals[L.FORCE_LAW + 1] = load.damping
        return
    joint = builder.index.joints[load.joint]
    if isinstance(load, JointForce):
        k = joint.speed_names.index(load.coordinate) if load.coordinate else 0
        row, reals = load_row(builder, name, kinds.JOINT_LOAD, FORCE_COLUMN=joint.u0 + k)
        _set_value(builder, row, reals, load, load.value, what, signal)
    elif joint.quaternion is not None:
        first = joint.u0 + joint.speed_names.index("wx")
        _, reals = load_row(builder, name, kinds.BALL_SPRING, FORCE_COLUMN=first, FORCE_COORDINATE=joint.quaternion)
        reals[L.FORCE_LAW : L.FORCE_LAW + 2] = load.stiffness, load.damping
    else:
        _springs(builder, name, load, joint)


def _springs(builder: "_Builder", name: str, load: JointSpring | JointStop, joint: "JointIndex") -> None:
    names = (load.coordinate,) if load.coordinate else joint.coordinate_names
    for coordinate in names:
        k = joint.coordinate_names.index(coordinate)
        place = {"FORCE_COLUMN": joint.u0 + k, "FORCE_COORDINATE": joint.q0 + k}
        if isinstance(load, JointSpring):
            _, reals = load_row(builder, name, kinds.JOINT_SPRING, **place)
            reals[L.FORCE_LAW : L.FORCE_LAW + 3] = load.stiffness, load.damping, load.rest
            continue
        for bound, side in ((load.lower, -1.0), (load.upper, 1.0)):
            if bound is not None:
                _, reals = load_row(builder, name, kinds.JOINT_STOP, **place)
                reals[L.FORCE_LAW : L.FORCE_LAW + 4] = load.stiffness, load.damping, bound, side


def add_motions(builder: "_Builder") -> None:
    """Coordinates that follow functions of time: the law gives acceleration, value and rate."""
    for name, part in builder.model.parts.items():
        joint = builder.index.joints[name]
        for coordinate, motion in part.joint.motions(f'joint "{name}"').items():
            from kaneflex.plan.motion_law import motion_law

            what = f'motion of "{name}.{coordinate}"'
            k = joint.coordinate_names.index(coordinate)
            row, _ = load_row(builder, name, kinds.JOINT_DRIVE, FORCE_COLUMN=joint.u0 + k, FORCE_COORDINATE=joint.q0 + k)
            row[L.FORCE_MODE], row[L.FORCE_LAW_OUTPUT] = L.VECTOR, builder.law(motion_law(motion, what), (), 3, what)
            builder.breaks.update(motion.breaks)
            builder.motions += 1


def add_drives(builder: "_Builder") -> None:
    """The accelerations of a moving base."""
    base = builder.model.base
    if base is None:
        return
    turning = base.angular_acceleration is not None
    for body, value in (
        ("base_origin" if turning else "base", base.acceleration),
        ("base", base.angular_acceleration),
    ):
        if value is None:
            continue
        signal = builder.law(value, (), 3, "acceleration of the base") if callable(value) else None
        for k in range(3):
            column = builder.index.joints[body].u0 + k
            row, reals = load_row(builder, "base", kinds.JOINT_DRIVE, FORCE_COLUMN=column, FORCE_COORDINATE=-1)
            if signal is None:
                reals[L.VALUE] = value[k]
            else:
                row[L.FORCE_MODE], row[L.FORCE_LAW_OUTPUT] = L.VECTOR, signal + k
