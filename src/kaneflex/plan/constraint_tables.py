"""Constraints of a model as elements of the tables."""

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.constraints import dispatch as kinds
from kaneflex.kernels.constraints.closure import ALIGN_ROW, POINT_ROW, SCREW_ROW
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import (
    Closure,
    Constraint,
    Coupler,
    Distance,
    KnifeEdge,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    Rolling,
    VelocityConstraint,
)
from kaneflex.model.joints import JOINTS
from kaneflex.model.joints.contract import POINT
from kaneflex.plan.loop_tables import Element

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder


AXES = "xyz"
EQUATIONS = {  # row codes of the words in `closes` of joints
    **{axis: POINT_ROW + i for i, axis in enumerate(AXES)},
    **{f"{a}.{b}": ALIGN_ROW + 3 * i + j for i, a in enumerate(AXES) for j, b in enumerate(AXES)},
    "screw": SCREW_ROW,
}
X, Y, Z = (EQUATIONS[axis] for axis in AXES)


def element_of(builder: "_Builder", name: str, constraint: Any) -> Element:
    """The element of a constraint; user functions become laws of the builder."""
    what = f'constraint "{name}"'
    if isinstance(constraint, Closure):
        return _closure(builder, name, constraint, what)
    if isinstance(constraint, PointOnLine):
        return _between(builder, name, kinds.CLOSURE, constraint.ends(), [(X, True), (Y, True)], what)
    if isinstance(constraint, PointOnPlane):
        return _between(
            builder, name, kinds.CLOSURE, constraint.ends(), [(Z, True)], what, alignment=constraint.alignment
        )
    if isinstance(constraint, Distance):
        return _distance(builder, name, constraint, what)
    if isinstance(constraint, KnifeEdge):
        return _between(builder, name, kinds.KNIFE_EDGE, constraint.ends(), [(0, False)], what)
    if isinstance(constraint, Rolling):
        codes = [(0, False), (1, False), (2, True)]
        return _between(builder, name, kinds.ROLLING, constraint.ends(), codes, what, constraint.radii)
    if isinstance(constraint, Coupler):
        return _coupler(builder, name, constraint, what)
    if isinstance(constraint, PointOnSurface):
        return _surface(builder, name, constraint, what)
    return _written(builder, name, constraint, what)


def _between(
    builder: "_Builder",
    name: str,
    kind: int,
    ends: tuple[Any, ...],
    codes: list[tuple[int, bool]],
    what: str,
    parameters: tuple[float, ...] = (),
    alignment: np.ndarray | None = None,
) -> Element:
    """An element between two frames, A and B, turned by `alignment`."""
    (i, a), (j, b) = (builder.end(place, what) for place in ends)
    if i == j:
        raise ModelError(f"{what} joins two places of the same body: it must tie different bodies")
    R = np.eye(3) if alignment is None else alignment
    reals = np.zeros(L.CONSTRAINT_REALS)
    reals[L.POINT_A : L.POINT_A + 3], reals[L.FRAME_A : L.FRAME_A + 9] = a.p, (a.R @ R).ravel()
    reals[L.POINT_B : L.POINT_B + 3], reals[L.FRAME_B : L.FRAME_B + 9] = b.p, (b.R @ R).ravel()
    reals[L.CONSTRAINT_PAR : L.CONSTRAINT_PAR + len(parameters)] = parameters
    return Element(name, kind, [i, j], codes, reals)


def _distance(builder: "_Builder", name: str, constraint: Distance, what: str) -> Element:
    """A length that is given, as a number or as a motion."""
    given = constraint.length
    start = (given,) if isinstance(given, float) else ()
    element = _between(builder, name, kinds.DISTANCE, constraint.ends(), [(0, True)], what, start)
    if not isinstance(given, float):
        from kaneflex.plan.motion_law import motion_law

        element.signal, element.seen = builder.law(motion_law(given, f"length of {what}"), (), 3, what), 1
        builder.breaks.update(given.breaks)
    return element


def _closure(builder: "_Builder", name: str, constraint: Closure, what: str) -> Element:
    joint, words = constraint.joint, constraint.joint.equations
    if not words:
        listed = ", ".join(sorted(n for n, kind in JOINTS.items() if kind.closes))
        raise ModelError(
            f'loop "{name}" is closed by a {type(joint).__name__} joint, whose equations as a constraint are not known: '
            f"close it by one of {listed}, or by a CustomJoint with System.close, put it into the tree and close the loop "
            "elsewhere, or write the equations as a Constraint"
        )
    rows = [(EQUATIONS[checks.known(word, EQUATIONS, f"{what}: equation of its joint:")], True) for word in words]
    element = _between(builder, name, kinds.CLOSURE, constraint.ends(), rows, what, joint.parameters, joint.alignment)
    if not set(words) <= set(POINT):
        for place in constraint.ends():
            if isinstance(place, str) and "." in place:
                builder.check_turns(place.partition(".")[0], builder.end(place, what)[1], what)
    return element


def _column(builder: "_Builder", name: str, what: str) -> tuple[int, int]:
    """Speed and coordinate of "joint" or "joint.coordinate"."""
    joint, _, coordinate = name.partition(".")
    checks.known(joint, builder.index.joints, f"{what}: joint")
    index = builder.index.joints[joint]
    if index.quaternion is not None:
        raise ModelError(
            f'{what}: the joint of "{joint}" is described by a quaternion: couple joints with scalar coordinates'
        )
    if not index.speeds:
        raise ModelError(f'{what}: the joint of "{joint}" is fixed and has no coordinate')
    if coordinate in ("", "q"):
        if index.coordinates > 1:
            names = ", ".join(index.coordinate_names)
            raise ModelError(
                f'{what}: joint "{joint}" has coordinates {names}: name one, as in "{joint}.{index.coordinate_names[0]}"'
            )
        return index.u0, index.q0
    checks.known(coordinate, index.coordinate_names, f'{what}: coordinate of joint "{joint}"')
    k = index.coordinate_names.index(coordinate)
    return index.u0 + k, index.q0 + k


def _coupler(builder: "_Builder", name: str, constraint: Coupler, what: str) -> Element:
    reals = np.zeros(L.CONSTRAINT_REALS)
    holonomic = constraint.offset is not None
    reals[L.CONSTRAINT_PAR] = constraint.offset or 0.0
    terms = []
    for place, factor in constraint.terms.items():
        column, coordinate = _column(builder, place, what)
        terms.append((0, column, coordinate, float(factor), -1))
    if len({t[1] for t in terms}) < len(terms):
        raise ModelError(f"{what} names a coordinate twice: add the coefficients")
    return Element(name, kinds.COUPLER, [], [(0, holonomic)], reals, terms)


def _surface(builder: "_Builder", name: str, constraint: PointOnSurface, what: str) -> Element:
    """In terms of the position of the point and of the position and rotation of the surface's frame."""
    surface = constraint.surface
    on, point = constraint.on, constraint.point
    if on == "N":
        return _written(builder, name, Constraint(lambda t, x: surface(x[0], x[1], x[2]), (f"{point}.position",)), what)

    def equation(t: Any, x: Any) -> Any:
        d = [x[k] - x[3 + k] for k in range(3)]
        return surface(*(sum(x[6 + 3 * k + axis] * d[k] for k in range(3)) for axis in range(3)))

    return _written(builder, name, Constraint(equation, (f"{point}.position", f"{on}.position", f"{on}.rotation")), what)


def _written(builder: "_Builder", name: str, constraint: Constraint, what: str) -> Element:
    from kaneflex.plan.user_constraint import constraint_law, velocity_constraint_law  # brings SymPy

    sees = [_seen(builder, channel, what) for channel in constraint.sees]
    sizes = [size for size, *_ in sees]
    velocity = isinstance(constraint, VelocityConstraint)
    derive = velocity_constraint_law if velocity else constraint_law
    m, law = derive(constraint.function, sizes, what)
    first = len(builder.sensors.integers)
    signal = builder.law(law, [c for _, c, _ in sees] + [r for _, _, r in sees], m * (sum(sizes) + 3), what)
    bodies, terms, at = [0], [], 0
    for size, channel, _ in sees:
        head = channel.partition(".")[0]
        if size == 1:
            column, coordinate = _column(builder, channel, what)
            terms += [(row, column, coordinate, 0.0, at) for row in range(m)]
        else:
            row = builder.index.place(head, ".".join(channel.split(".")[1:-1]))[0]
            bodies += [] if row in bodies else [row]
        at += size
    return Element(
        name,
        kinds.USER_DEFINED,
        bodies,
        [(0, not velocity)] * m,
        np.zeros(L.CONSTRAINT_REALS),
        terms,
        signal,
        sum(sizes),
        first,
        len(sees),
    )


def _seen(builder: "_Builder", channel: str, what: str) -> tuple[int, str, str]:
    """Size of a channel that a constraint may see, its name, and the name of its rate."""
    head, _, tail = channel.rpartition(".")
    if tail == "position":
        return 3, channel, f"{head}.velocity"
    if tail == "rotation":
        return 9, channel, f"{head}.rotation_rate"
    _column(builder, channel, what)
    joint, _, coordinate = channel.partition(".")
    names = builder.index.joints[joint].coordinate_names
    coordinate = names[0] if coordinate in ("", "q") else coordinate
    return 1, f"{joint}.{coordinate}", f"{joint}.{coordinate}.rate"
