"""Freedoms of a structure by the rank of its equations, and the path on which it folds, with its dead points and singular
positions.

Gruebler's count is the number of speeds less that of equations; it is wrong wherever equations follow from others, as
those of planar loops in space do. The rank of J, what the equations say of the speeds, is right in a position; in a
singular position it is less than beside it. Where one freedom is left, the positions are a curve: it is followed along
the tangent, the null vector of J, and every step is put back on the constraints. A dead point of a coordinate is where
its share of the tangent changes sign; a branch is where the determinant of J with the tangent below it does, which
happens where curves cross.
"""

from dataclasses import dataclass

import numpy as np

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
        branches: values of the driven coordinate at which another path crosses this one.
    """

    q: Array
    coordinates: tuple[str, ...]
    dead_points: tuple[tuple[str, float], ...]
    branches: tuple[float, ...]


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
        self.dead: list[tuple[str, float]] = []
        self.branches: list[float] = []

    def rates(self, u: Array) -> Array:
        """Rates of the coordinates at the present position."""
        return np.asarray(self.d.coordinate_rates(self.y[: self.nq], u))

    def tangent(self, y: Array, last: Array | None) -> Array:
        """Unit null vector of the independent rows of J, in the direction of the last one."""
        _, S, V = np.linalg.svd(jacobian(self.d, y[: self.nq])[self.rows])
        u, self.regular = V[-1], not S.size or S[-1] > 0.02 * S[0]
        return -u if last is not None and u @ last < 0 else u

    def determinant(self, y: Array, u: Array) -> float:
        """Sign of the determinant of the independent rows of J with the tangent below them."""
        return float(np.linalg.slogdet(np.vstack([jacobian(self.d, y[: self.nq])[self.rows], u]))[0])

    def go(self) -> None:
        """Follow the path to its end."""
        for _ in range(100_000):
            before, rates = self.y.copy(), self.rates(self.u)
            left = self.until - before[self.drive]
            h = self.step / float(np.abs(self.u).max())
            if abs(rates[self.drive] * h) >= abs(left) and rates[self.drive] * left > 0:
                h = left / rates[self.drive]
            if not any(self.stepped(before, share * h * rates) for share in (1.0, 0.618, 0.313)):
                raise ModelError(f"the path is lost at {before[self.drive]:g} of its coordinate: take a smaller step")
            self.note(before, rates)
            if abs(self.until - self.y[self.drive]) < 1e-9 or np.sign(self.until - self.y[self.drive]) != np.sign(left):
                return
        raise ModelError(f"the value {self.until:g} is not reached: the structure turns back before, see its dead points")

    def stepped(self, before: Array, change: Array) -> bool:
        """Go to the position that is near before + change, unless it is singular."""
        self.y[:] = before
        self.y[: self.nq] += change
        done = self.d.project(0.0, self.y) >= 0 and bool(np.isfinite(self.y).all())
        self.y[self.nq :] = 0.0
        return done

    def note(self, before: Array, rates: Array) -> None:
        """Dead points and branches between the last position and this one."""
        new = self.tangent(self.y, self.u)
        now, names = self.rates(new), self.d.plan.index.coordinates
        for k in range(self.nq if self.regular else 0):  # next to a branch the direction is not certain
            if rates[k] * now[k] < 0 and max(abs(rates[k]), abs(now[k])) > 1e-6:
                share = rates[k] / (rates[k] - now[k])
                self.dead.append((names[k], float(before[k] + share * (self.y[k] - before[k]))))
        side = self.determinant(self.y, new)
        if side * self.side < 0:
            self.branches.append(float((before[self.drive] + self.y[self.drive]) / 2))
        self.u, self.side = new, side
        self.q.append(self.y[: self.nq].copy())


def _independent(J: Array, count: int) -> Array:
    """Numbers of equations that say all that the others say, by QR with pivots."""
    from scipy.linalg import qr

    return np.sort(qr(J.T, mode="r", pivoting=True)[1][:count])
