"""Freedoms of a structure by the rank of its equations, and the path on which it folds, with its dead points and singular
positions.

Gruebler's count is the number of speeds less that of equations; it is wrong wherever equations follow from others, as
those of planar loops in space do. The rank of J, what the equations say of the speeds, is right in a position; in a
singular position it is less than beside it. Where one freedom is left, the positions are a curve: it is followed along
the tangent, the null vector of J, and every step is put back on the constraints. A dead point of a coordinate is where
its share of the tangent changes sign; a branch is where the determinant of J with the tangent below it does, which
happens where curves cross: there an equation follows from others, and is named. What a coordinate goes through on the
path is its travel; how near two bars come to each other, their clearance.
"""

from dataclasses import dataclass

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import assemble
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.state import state_of

Array = np.ndarray
RANK = 1e-9  # share of the largest singular value below which one counts as zero


@dataclass(frozen=True)
class Mobility:
    """Freedoms of a system in a position.

    Attributes:
        freedoms: speeds less the rank of all equations.
        gruebler: speeds less the number of equations.
        redundant: equations that follow from others there, as "name[k]".
    """

    freedoms: int
    gruebler: int
    redundant: tuple[str, ...]


@dataclass(frozen=True)
class FoldingPath:
    """Positions of a structure with one freedom.

    Attributes:
        q: coordinates, one row for each position.
        coordinates: their names.
        dead_points: (coordinate, its value) where it is largest or smallest on the path.
        branches: (constraint, value of the driven coordinate) where another path crosses this one: singular positions, in
            which an equation of that constraint follows from others that it does not follow from beside them.
    """

    q: Array
    coordinates: tuple[str, ...]
    dead_points: tuple[tuple[str, float], ...]
    branches: tuple[tuple[str, float], ...]

    @property
    def travel(self) -> dict[str, tuple[float, float]]:
        """Least and largest value of every coordinate on the path, rad or m."""
        low, high = self.q.min(axis=0), self.q.max(axis=0)
        turns = {name: [value for n, value in self.dead_points if n == name] for name in self.coordinates}
        return {
            name: (min([float(low[k]), *turns[name]]), max([float(high[k]), *turns[name]]))
            for k, name in enumerate(self.coordinates)
        }


def jacobian(d: Dynamics, q: Array, t: float = 0.0) -> Array:
    """What every equation says of every speed."""
    _, still = d.equations(t, q, np.zeros(d.plan.nu))
    return np.column_stack([d.equations(t, q, e)[1] - still for e in np.eye(d.plan.nu)])


def mobility(model: Model) -> Mobility:
    """Freedoms in the position that a model starts from, assembled."""
    d = Dynamics(build(model))
    found = assemble(d, state_of(d.plan, None, "initial state", 0.0))
    J = jacobian(d, np.asarray(found.state.q))
    return Mobility(d.plan.nu - _rank(J), d.plan.nu - len(J), found.redundant)


def _rank(J: Array) -> int:
    if not J.size:
        return 0
    S = np.linalg.svd(J, compute_uv=False)
    return int((RANK * max(S[0], 1e-300) < S).sum())


def folding_path(model: Model, drive: str, until: float, step: float = 0.02) -> FoldingPath:
    """The positions of a structure with one freedom, from its start until a coordinate has a value.

    Args:
        model: the system, which is not changed.
        drive: a joint coordinate, "joint" or "joint.coordinate".
        until: its value at the end, rad or m.
        step: largest change of a rate along one step of the path, rad or m.
    """
    d = Dynamics(build(model))
    start = assemble(d, state_of(d.plan, None, "initial state", 0.0)).state
    y = np.concatenate([np.asarray(start.q), np.zeros(d.plan.nu + d.plan.layout.nz + 2)])
    names = tuple(d.plan.index.coordinates)
    matches = [k for k, name in enumerate(names) if drive in (name, name.rpartition(".")[0])]
    if len(matches) != 1:
        raise ModelError(f'"{drive}" is not one coordinate: give one of {", ".join(names)}')
    (k,), step = matches, checks.positive(step, "step")
    walk = _Walk(d, y, k, float(until), step)
    walk.go()
    return FoldingPath(np.array(walk.q), names, tuple(walk.dead), tuple(walk.branches))


def clearance(model: Model, path: FoldingPath, one: tuple[str, str], other: tuple[str, str]) -> tuple[float, int]:
    """Least distance between two straight bars on a path, m, and the row of path.q where they are so near.

    Args:
        model: the system of the path.
        path: see `folding_path`.
        one, other: the ends of the bars, as "body.frame".
    """
    d = Dynamics(build(model))
    if tuple(d.plan.index.coordinates) != path.coordinates:
        raise ModelError(f'the path is not one of "{d.plan.index.system}": it has {", ".join(path.coordinates)}')
    names = [f"{end}.position" for end in (*one, *other)]
    states = np.zeros((len(path.q), d.plan.layout.size))
    states[:, : d.plan.nq] = path.q
    found = ChannelReader(d.plan, names).read(d, np.zeros(len(path.q)), states)
    apart = _between(*(found[name] for name in names))
    return float(apart.min()), int(apart.argmin())


def _between(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Distances between the pieces of line from a to b and from c to d, rows of places: at an end of one of them, or where
    their common normal meets both."""
    ends = [_to_piece(p, x, y) for p, x, y in ((a, c, d), (b, c, d), (c, a, b), (d, a, b))]
    u, v, w = b - a, d - c, a - c
    dot = lambda x, y: (x * y).sum(axis=1)
    square = dot(u, u) * dot(v, v) - dot(u, v) ** 2
    safe = np.where(square > 1e-12 * dot(u, u) * dot(v, v), square, np.inf)
    s = (dot(u, v) * dot(v, w) - dot(v, v) * dot(u, w)) / safe
    t = (dot(u, u) * dot(v, w) - dot(u, v) * dot(u, w)) / safe
    across = np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)
    meets = np.isfinite(safe) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    return np.asarray(np.min([*ends, np.where(meets, across, np.inf)], axis=0))


def _to_piece(p: Array, a: Array, b: Array) -> Array:
    """Distances of places p from the pieces of line from a to b."""
    way = b - a
    share = ((p - a) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-300)
    return np.asarray(np.linalg.norm(p - a - np.clip(share, 0.0, 1.0)[:, None] * way, axis=1))


class _Walk:
    """Steps along the positions of one freedom."""

    def __init__(self, d: Dynamics, y: Array, drive: int, until: float, step: float):
        self.d, self.y, self.drive, self.until, self.step = d, y, drive, until, step
        self.nq = d.plan.nq
        J = jacobian(d, y[: self.nq])
        freedoms = d.plan.nu - _rank(J)
        if freedoms != 1:
            raise ModelError(
                f'"{d.plan.index.system}" has {freedoms} freedoms in its first position, and a path needs one: synchronise '
                "joints by Gear or Coupler, hold others, or start beside a singular position"
            )
        self.rows, self.regular = _independent(J, d.plan.nu - 1), True
        tangent = self.tangent(y, None)
        if self.rates(tangent)[drive] * (until - y[drive]) < 0:
            tangent = -tangent
        self.u, self.side = tangent, self.determinant(y, tangent)
        self.q: list[Array] = [y[: self.nq].copy()]
        self.first, self.way = tangent, 0.0  # the tangent at the start, and how far the path has come
        self.dead: list[tuple[str, float]] = []
        self.branches: list[tuple[str, float]] = []

    def rates(self, u: Array) -> Array:
        """Rates of the coordinates at the present position."""
        return np.asarray(self.d.coordinate_rates(self.y[: self.nq], u))

    def tangent(self, y: Array, last: Array | None) -> Array:
        """Unit null vector of the independent rows of J, in the direction of the last one."""
        _, S, V = np.linalg.svd(jacobian(self.d, y[: self.nq])[self.rows])
        u, self.regular = V[-1], not S.size or S[-1] > 0.02 * S[0]
        return -u if last is not None and u @ last < 0 else u

    def determinant(self, y: Array, u: Array) -> tuple[float, float]:
        """Sign of the determinant of the independent rows of J with the tangent below them, and logarithm of its size."""
        sign, size = np.linalg.slogdet(np.vstack([jacobian(self.d, y[: self.nq])[self.rows], u]))
        return float(sign), float(size)

    def singular_constraint(self, q: Array) -> str:
        """The constraint that has most of what the independent equations say twice at q."""
        U, _, _ = np.linalg.svd(jacobian(self.d, q)[self.rows])
        return self.d.plan.equations[self.rows[int(np.abs(U[:, -1]).argmax())]][0]

    def go(self) -> None:
        """Follow the path to its end."""
        for _ in range(100_000):
            before, rates = self.y.copy(), self.rates(self.u)
            left = self.until - before[self.drive]
            h = self.step / float(np.abs(self.u).max())
            last = abs(rates[self.drive] * h) >= abs(left) and rates[self.drive] * left > 0
            if last:
                h = left / rates[self.drive]
            if not any(self.stepped(before, share * h * rates, last and share == 1.0) for share in (1.0, 0.618, 0.313)):
                raise ModelError(f"the path is lost at {before[self.drive]:g} of its coordinate: take a smaller step")
            self.note(before, rates)
            self.check_return(float(np.linalg.norm(self.y - before)))
            if abs(self.until - self.y[self.drive]) < 1e-9 or np.sign(self.until - self.y[self.drive]) != np.sign(left):
                return
        self.refuse()

    def check_return(self, step: float) -> None:
        """Refuse a path that is closed and has come back to its start, other angles being the same after a turn."""
        self.way += step
        apart = self.y[: self.nq] - self.q[0]
        near = abs(apart[self.drive]) <= step and np.abs(np.angle(np.exp(1j * apart))).max() <= step
        if near and self.way > 4 * step + np.pi / 2 and self.u @ self.first > 0.5:
            self.refuse()

    def refuse(self) -> None:
        """The value is not on the path: say how far the coordinate goes."""
        k, names = self.drive, tuple(self.d.plan.index.coordinates)
        path = FoldingPath(np.array(self.q), names, tuple(self.dead), tuple(self.branches))
        low, high = path.travel[names[k]]
        raise ModelError(
            f'"{names[k]}" does not reach {self.until:g}: on the whole path it stays between {low:g} and {high:g}, where it '
            "turns back (a dead point)"
        )

    def stepped(self, before: Array, change: Array, last: bool) -> bool:
        """Go to the position that is near before + change, unless it is singular: no tangent tells how to go on from there.
        The `last` one may be."""
        self.y[:] = before
        self.y[: self.nq] += change
        done = self.d.project(0.0, self.y) >= 0 and bool(np.isfinite(self.y).all())
        self.y[self.nq :] = 0.0
        return done and (last or not self.is_singular())

    def is_singular(self) -> bool:
        """Whether the present position is singular, to what is left of its digits."""
        S = np.linalg.svd(jacobian(self.d, self.y[: self.nq])[self.rows], compute_uv=False)
        return bool(S.size) and bool(S[-1] < 1e-7 * S[0])

    def note(self, before: Array, rates: Array) -> None:
        """Dead points and branches between the last position and this one."""
        new = self.tangent(self.y, self.u)
        now, names = self.rates(new), self.d.plan.index.coordinates
        for k in range(self.nq if self.regular else 0):  # next to a branch the direction is not certain
            if rates[k] * now[k] < 0 and max(abs(rates[k]), abs(now[k])) > 1e-6:
                share = rates[k] / (rates[k] - now[k])
                self.dead.append((names[k], float(before[k] + share * (self.y[k] - before[k]))))
        side = self.determinant(self.y, new)
        if self.is_singular():
            self.branches.append((self.singular_constraint(self.y[: self.nq]), float(self.y[self.drive])))
        elif side[0] * self.side[0] < 0:
            share = 1 / (1 + np.exp(min(side[1] - self.side[1], 700.0)))
            at = before + share * (self.y - before)
            self.branches.append((self.singular_constraint(at[: self.nq]), float(at[self.drive])))
        self.u, self.side = new, side
        self.q.append(self.y[: self.nq].copy())


def _independent(J: Array, count: int) -> Array:
    """Numbers of equations that say all that the others say, by QR with pivots."""
    from scipy.linalg import qr

    return np.sort(qr(J.T, mode="r", pivoting=True)[1][:count])
