"""Generalized active and inertia forces of particles and rigid bodies: F_r, and M, n of F*_r = -(M u' + n).

    F_r  = sum v_r . R + omega_r . T                                                                 (1)
    M_rs = sum m v_r . v_s + omega_r . I . omega_s                                                   (2)
    n_r  = sum v_r . (m a + m' v) + omega_r . (I . alpha + omega x I . omega + I' . omega)           (3)

with a and alpha the parts of the accelerations that hold no rates of the speeds. Equal partial velocities of several bodies
are collected first, so that their masses appear as one sum.
Ref: Kane and Levinson, Dynamics (1985), Eqs. 4.4.1, 4.11.3 and 4.11.6.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sympy.physics.mechanics import Particle, Point, RigidBody
from sympy.physics.vector import ReferenceFrame

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import total
from kaneflex.symbolic.kanes_method.kinematics import Frames
from kaneflex.symbolic.kanes_method.points import Points
from kaneflex.symbolic.kanes_method.rates import Rates
from kaneflex.symbolic.kanes_method.vectors import NOTHING, FrameVector, Motion, Triple, add, cross, dot, scale, vanishes
from kaneflex.symbolic.linear_motion import Share
from kaneflex.symbolic.translate import ONE, ZERO, Symbols

Expr = Any


class BodyTerms(NamedTuple):
    """A body's share: its name, partial velocities of its mass centre and partial angular velocities by speed."""

    name: str
    velocities: dict[int, FrameVector]
    angular: dict[int, FrameVector]


class Collector:
    """Sums of weight times expression, equal expressions under one sum of weights."""

    def __init__(self) -> None:
        self._weights: dict[Expr, list[Expr]] = {}

    def take(self, weight: Expr, e: Expr) -> None:
        """Add weight times e."""
        if e != 0 and weight != 0:
            self._weights.setdefault(e, []).append(weight)

    def sum(self) -> Expr:
        """The whole."""
        return total([total(weights) * e for e, weights in self._weights.items()])


class Mechanics:
    """Partial velocities and generalized forces for given speeds (the last ones auxiliary)."""

    def __init__(self, inertial: ReferenceFrame, symbols: Symbols, rates: Rates) -> None:
        self.symbols, self.rates = symbols, rates
        self.frames = Frames(inertial, symbols, rates)
        self.points = Points(self.frames)
        self._dots: dict[tuple[FrameVector, FrameVector], Expr] = {}
        self._roots: dict[FrameVector, Triple] = {}

    # -- vectors -------------------------------------------------------------------------------------------------------

    def in_root(self, v: FrameVector) -> Triple:
        """Components of a vector in inertial axes."""
        found = self._roots.get(v)
        if found is None:
            found = self._roots[v] = add(*(self.frames.in_root(e) for e in v))
        return found

    def dot(self, v: FrameVector, w: FrameVector) -> Expr:
        """v . w: frame by frame where there are few entries, else in inertial axes."""
        if not v or not w:
            return ZERO
        key = (v, w)
        found = self._dots.get(key)
        if found is None:
            if len(v) * len(w) <= 2:
                pairs = [dot(self.frames.expressed(a, b[0]), b[1]) for a in v for b in w]
                found = total([p for p in pairs if p != 0])
            else:
                found = dot(self.in_root(v), self.in_root(w))
            self._dots[key] = self._dots[(w, v)] = found
        return found

    def partials(self, parts: Iterable[tuple[int, Motion]]) -> dict[int, FrameVector]:
        """Partial velocities by speed of a velocity's parts, one entry per frame."""
        found: dict[int, dict[int, list[Triple]]] = {}
        for frame, motion in parts:
            for r, p in motion.partials.items():
                found.setdefault(r, {}).setdefault(frame, []).append(p)
        return {r: _entries({f: add(*ps) for f, ps in by_frame.items()}) for r, by_frame in sorted(found.items())}

    # -- active forces -------------------------------------------------------------------------------------------------

    def active(self, loads: Iterable[Any], count: int) -> list[Expr]:
        """Eq. (1), for `count` speeds."""
        collected = [Collector() for _ in range(count)]
        for pair in loads:
            try:
                where, load = pair
            except (TypeError, ValueError):
                raise ModelError(f"load {pair!r} is not a pair of a point or frame and a vector") from None
            parts = self._parts(where)
            vector = self.frames.vector(load)
            for r, p in self.partials(parts).items():
                collected[r].take(ONE, self.dot(p, vector))
        return [c.sum() for c in collected]

    # -- inertia forces ------------------------------------------------------------------------------------------------

    def inertia(self, bodies: Iterable[Any], count: int) -> tuple[list[list[Expr]], list[Expr], list[BodyTerms]]:
        """Eqs. (2) and (3): M and n of `count` speeds (both halves of M), and every body's partial velocities."""
        M = [[Collector() for _ in range(count)] for _ in range(count)]
        n = [Collector() for _ in range(count)]
        terms = []
        for body in bodies:
            if isinstance(body, RigidBody):
                point, angular = body.masscenter, self._turning(body, M, n)
            elif isinstance(body, Particle):
                point, angular = body.point, {}
            else:
                raise ModelError(f"{body!r} is no Particle or RigidBody")
            velocities = self._sliding(self._plain(body.mass), point, M, n)
            terms.append(BodyTerms(str(body.name), velocities, angular))
        matrix = [[ZERO] * count for _ in range(count)]
        for r in range(count):
            for s in range(r, count):
                matrix[r][s] = matrix[s][r] = M[r][s].sum()
        return matrix, [c.sum() for c in n], terms

    def _plain(self, e: Any) -> Expr:
        """A parameter, which may depend on time and coordinates, without auxiliary speeds."""
        return self.rates.at_rest(self.rates.in_speeds(self.symbols.engine(e)))

    def _sliding(self, mass: Expr, point: Any, M: Any, n: Sequence[Collector]) -> dict[int, FrameVector]:
        """Terms of the mass centre; returns its partial velocities."""
        parts = self.points.motion(point)
        velocities = self.partials(parts)
        plain = {r: self._without_auxiliary(p) for r, p in velocities.items()}
        for r, p in plain.items():
            for s, other in plain.items():
                if s >= r:
                    M[r][s].take(mass, self.dot(p, other))
        biases = _gathered((f, m.bias) for f, m in parts)
        gain = self.rates.plain_rate(mass)
        values = _gathered((f, m.value) for f, m in parts) if gain != 0 else ()
        for r, p in plain.items():
            if len(p) == 1:
                for entry in biases:
                    n[r].take(mass, self.dot(p, (entry,)))
            else:
                n[r].take(mass, self.dot(p, biases))
            n[r].take(gain, self.dot(p, values))
        return velocities

    def _turning(self, body: RigidBody, M: Any, n: Sequence[Collector]) -> dict[int, FrameVector]:
        """Terms of the rotation; returns the partial angular velocities."""
        for _, J, partials, torque in self.rotation(body):
            for r, p in partials.items():
                moment = _times(J, p)
                for s, other in partials.items():
                    if s >= r:
                        M[r][s].take(ONE, dot(moment, other))
                n[r].take(ONE, dot(torque, p))
        frame, home = self.frames.turning(body.frame)
        return self.partials([(home, self.frames.angular(frame, home))])

    def rotation(self, body: RigidBody) -> Iterator[tuple[int, Sequence[Triple], dict[int, Triple], Triple]]:
        """For each frame that the inertia is written in: its number, the inertia, partial angular velocities, and the
        bracket of Eq. (3), which is minus the inertia torque without rates of the speeds."""
        frame, home = self.frames.turning(body.frame)
        for axes, J in self._inertia(body, home).items():
            motion = self.frames.angular(frame, axes)
            partials = {r: self.rates.without_auxiliary(p) for r, p in motion.partials.items() if not vanishes(p)}
            momentum = _times(J, motion.value)
            torque = add(_times(J, motion.bias), cross(motion.value, momentum))
            rate = tuple(self.rates.derivative(row) for row in J)
            torque = add(torque, _times(rate, motion.value))
            if axes != frame:  # the inertia is seen to turn in the body at the difference of the two angular velocities
                own = self.frames.angular(axes, axes).value
                slip = add(own, scale(-ONE, motion.value))
                torque = add(torque, cross(slip, momentum), scale(-ONE, _times(J, cross(slip, motion.value))))
            yield axes, J, partials, torque

    def shares(self, bodies: Iterable[Any], loads: Iterable[Any], udot: Sequence[Expr]) -> list[Share]:
        """All that does virtual work, in inertial axes: loads, and inertia forces with the rates of speeds in them."""
        found = []
        for where, load in loads:
            vector = self.in_root(self.frames.vector(load))
            found.append(Share(str(where), self._root_partials(self._parts(where)), vector))
        for body in bodies:
            point = body.masscenter if isinstance(body, RigidBody) else body.point
            parts, mass = self.points.motion(point), self._plain(body.mass)
            partials = self._root_partials(parts)
            acceleration = add(
                self.in_root(_gathered((f, m.bias) for f, m in parts)),
                *(scale(udot[r], p) for r, p in partials.items() if r < len(udot)),
            )
            gain = self.rates.plain_rate(mass)
            value = scale(gain, self.in_root(_gathered((f, m.value) for f, m in parts))) if gain != 0 else NOTHING
            found.append(Share(f"{body.name}*", partials, scale(-ONE, add(scale(mass, acceleration), value))))
            if isinstance(body, RigidBody):
                for axes, J, turning, torque in self.rotation(body):
                    whole = add(torque, *(scale(udot[r], _times(J, p)) for r, p in turning.items() if r < len(udot)))
                    rooted = {r: self.frames.in_root((axes, p)) for r, p in turning.items()}
                    found.append(Share(f"{body.name}*", rooted, self.frames.in_root((axes, scale(-ONE, whole)))))
        return found

    def _root_partials(self, parts: Iterable[tuple[int, Motion]]) -> dict[int, Triple]:
        return {r: self.in_root(self._without_auxiliary(p)) for r, p in self.partials(parts).items()}

    def _parts(self, where: Any) -> Iterable[tuple[int, Motion]]:
        """Motion of what a load acts on."""
        if isinstance(where, ReferenceFrame):
            k, axes = self.frames.turning(where)
            return [(axes, self.frames.angular(k, axes))]
        if isinstance(where, Point):
            return self.points.motion(where)
        raise ModelError(f"load on {where!r}: give a point for a force, or a frame for a torque")

    def _inertia(self, body: RigidBody, home: int) -> dict[int, tuple[Triple, ...]]:
        """Central inertia by frame, as rows; products of different frames' vectors are brought to the body's frame."""
        found: dict[int, list[list[Expr]]] = {}
        for coefficient, a, b in body.central_inertia.args:
            (x, f), (y, g) = a.args[0], b.args[0]
            first, second = self.frames.number(f), self.frames.number(g)
            axes = first if first == second else home
            left = self.frames.expressed((first, tuple(self.symbols.engine(c) for c in x)), axes)
            right = self.frames.expressed((second, tuple(self.symbols.engine(c) for c in y)), axes)
            J = found.setdefault(axes, [[ZERO] * 3 for _ in range(3)])
            factor = self._plain(coefficient)
            for i in range(3):
                for j in range(3):
                    if left[i] != 0 and right[j] != 0:
                        J[i][j] = J[i][j] + factor * left[i] * right[j]
        return {k: tuple((row[0], row[1], row[2]) for row in J) for k, J in found.items()}

    def _without_auxiliary(self, v: FrameVector) -> FrameVector:
        return tuple((f, self.rates.without_auxiliary(c)) for f, c in v)


def _entries(by_frame: dict[int, Triple]) -> FrameVector:
    return tuple((f, c) for f, c in sorted(by_frame.items()) if not vanishes(c))


def _gathered(entries: Iterable[tuple[int, Triple]]) -> FrameVector:
    """Entries added up frame by frame."""
    by_frame: dict[int, list[Triple]] = {}
    for f, c in entries:
        by_frame.setdefault(f, []).append(c)
    return _entries({f: add(*cs) for f, cs in by_frame.items()})


def _times(J: Sequence[Triple], a: Triple) -> Triple:
    if vanishes(a):
        return NOTHING
    x, y, z = (dot(row, a) for row in J)
    return (x, y, z)


__all__ = ["BodyTerms", "Mechanics"]
