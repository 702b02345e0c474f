"""Forces of constraint brought into evidence: an auxiliary speed is made up, and its equation solved for the force.

A point and all that is located from it, away from the fixed point, are given one more velocity u_a d. The partial velocities
of u_a are d for the points that move and zero for the others, no frame turns, and u_a stays zero; so

    F_a + F*_a + R . d = 0                                                                           (1)

gives the component along d of the force R that the rest of the world puts on what moves.
Ref: Kane and Levinson, Dynamics (1985), section 4.9.
"""

from collections import deque
from typing import TYPE_CHECKING, Any

from sympy.physics.mechanics import Point, RigidBody

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import total
from kaneflex.symbolic.translate import ZERO

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod


def constraint_force(method: "KanesMethod", point: Any, direction: Any, origin: Any = None) -> Any:
    """Component along a direction of the force that is put on a point by what holds it, N; with u' in it.

    Args:
        method: with its equations formed.
        point: where the force acts.
        direction: a vector of unit length.
        origin: the point that everything is located from; None for the one whose velocity is zero.
    """
    method._need()
    if not isinstance(point, Point):
        raise ModelError(f"{point!r} is no point: give the one that the force acts at")
    if origin is not None and not isinstance(origin, Point):
        raise ModelError(f"origin is {origin!r}: give the point that everything is located from, or None")
    moved = _outward(method, point, origin)
    mechanics, udot = method.mechanics, method.native.udot
    along = mechanics.frames.vector(direction)
    if not along:
        raise ModelError("the direction is zero: give a unit vector")
    terms = []
    for where, load in method.forcelist:
        if where in moved:
            terms.append(mechanics.dot(along, mechanics.frames.vector(load)))
    for body in method.bodylist:
        centre = body.masscenter if isinstance(body, RigidBody) else body.point
        if centre not in moved:
            continue
        mass = method.symbols.engine(body.mass)
        parts = mechanics.points.motion(centre)
        partials = mechanics.partials(parts)
        terms += [-mass * udot[r] * mechanics.dot(along, p) for r, p in partials.items() if r < len(udot)]
        terms += [-mass * mechanics.dot(along, ((f, m.bias),)) for f, m in parts]
    plain = dict.fromkeys(method._auxiliary, ZERO)
    return method.symbols.sympy((-total(terms)).xreplace(plain) if terms else ZERO)


def _outward(method: "KanesMethod", point: Any, origin: Any) -> set[Any]:
    """The point and those beyond it, seen from the origin."""
    root = origin if origin is not None else _fixed(method, point)
    before: dict[Any, Any] = {root: None}
    queue = deque([root])
    while queue:
        here = queue.popleft()
        for other in here._pos_dict:
            if other not in before:
                before[other] = here
                queue.append(other)
    if point not in before:
        raise ModelError(f"point {point} is not located from {root}: give another origin")
    moved = {point}
    for other in before:
        way = other
        while way is not None and way not in moved:
            way = before[way]
        if way is not None:
            moved.add(other)
    return moved


def _fixed(method: "KanesMethod", point: Any) -> Any:
    """A point with zero velocity that this one is located from."""
    seen, queue = {point}, deque([point])
    while queue:
        here = queue.popleft()
        velocity = here._vel_dict.get(method._inertial)
        if velocity is not None and not velocity.args:
            return here
        for other in here._pos_dict:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    raise ModelError(f"point {point} is not located from a fixed point: give origin=")
