"""Where paths of equilibria turn back or cross: points at which a small motion has no stiffness.

Between two points of a path the number of small motions that grow without oscillating changes where the eigenvalue of one
passes through zero. In a fold the path turns back there, so that its direction has no part of the loads; else another path
crosses it, in the direction of that small motion.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kaneflex.analysis.balance import Balance
from kaneflex.analysis.continuation import Point, next_point
from kaneflex.analysis.small_motions import CountedMotions, Motions
from kaneflex.model.typed import typed
from kaneflex.plan.state import State

Array = np.ndarray
Known = Motions | CountedMotions
HALVINGS = 12  # of a step in which an eigenvalue passes through zero, before a line is drawn
PASSES = 1e-2  # of what an eigenvalue changes by in the step: less of it is left where it passes through zero
LEVEL = 1e-3  # share of the loads in the direction of a path where it turns back
TOGETHER = 1e-3  # of the change in a step: eigenvalues so near zero pass through it together


@typed
@dataclass(frozen=True, eq=False)
class SingularPoint:
    """A point of a path at which a small motion has no stiffness.

    Attributes:
        kind: "fold" where the input has a largest or a least value, "bifurcation" where another path crosses.
        value: of the input.
        state: the equilibrium.
        shapes: small motions without stiffness, rows of changes of the coordinates q, the largest entry of each being 1.
    """

    kind: str
    value: float
    state: State
    shapes: np.ndarray

    def __str__(self) -> str:
        return f"{self.kind} at {self.value:.6g}"


def between(
    problem: Balance, first: Point, last: Point, before: Known, after: Known, close: float
) -> Iterator[tuple[Point, Array, bool]]:
    """Singular points between two points of a path that follow each other: each with its shapes as rows, and whether it is a
    fold."""
    low = 0.0
    high = problem.inner(first.along, last.left.x - first.left.x) + first.by * (last.left.part - first.left.part)
    if before.growing == after.growing:
        return
    steepest, change = max(abs(first.by), abs(last.by)), abs(after.nearest()) + abs(before.nearest())
    while before.growing != after.growing:
        found = _halved(problem, first, (low, high), (before, after), close)
        if found is None:
            return
        (a, b), (below, above) = found
        share = below.nearest() / (below.nearest() - above.nearest())
        at = next_point(problem, first, a + share * (b - a) if 0 < share < 1 else (a + b) / 2, close)
        if at is not None:
            motions = at[0].left.motions()
            if abs(motions.nearest()) <= PASSES * change:  # else two that oscillated begin to grow: nothing is zero there
                shapes = motions.within(max(TOGETHER * change, 2 * abs(motions.nearest())))
                yield at[0], shapes / np.abs(shapes).max(axis=1)[:, None], abs(at[0].by) < LEVEL * steepest
        low, before = b, above


class Watch:
    """Small motions and singular points along a path, found as it is followed.

    Args:
        problem: whose path it is.
        close: what may be left at a point.
    """

    def __init__(self, problem: Balance, close: float):
        self.problem, self.close = problem, close
        self.known: dict[int, tuple[Point, Known]] = {}
        self.found: dict[tuple[int, int], list[tuple[Point, Array, bool]]] = {}

    def motions(self, point: Point) -> Known:
        """About a point."""
        if id(point) not in self.known:
            self.known[id(point)] = point, point.left.motions()
        return self.known[id(point)][1]

    def singular(self, first: Point, last: Point) -> list[tuple[Point, Array, bool]]:
        """Singular points between two points."""
        key = id(first), id(last)
        if key not in self.found:
            pair = self.motions(first), self.motions(last)
            self.found[key] = list(between(self.problem, first, last, *pair, self.close))
        return self.found[key]

    def joined(self, first: Point, last: Point) -> bool:
        """Whether two points are on one path, as far as small motions tell: where the number of those that grow differs
        there is a singular point, and where the path turned back it does differ."""
        before, after = self.motions(first), self.motions(last)
        if before.fluttering != after.fluttering:
            return True
        more = abs(after.growing - before.growing)
        if more == 0:
            return first.by * last.by >= 0
        return more == 1 and len(self.singular(first, last)) == 1


def _halved(
    problem: Balance, first: Point, ends: tuple[float, float], at_ends: tuple[Known, Known], close: float
) -> tuple[tuple[float, float], tuple[Known, Known]] | None:
    """Ends of a short piece of the path beyond `first` in which the number of motions that grow first changes."""
    (low, high), (below, above) = ends, at_ends
    for _ in range(HALVINGS):
        middle = next_point(problem, first, (low + high) / 2, close)
        if middle is None:
            return None
        motions = middle[0].left.motions()
        if motions.growing == below.growing:
            low, below = (low + high) / 2, motions
        else:
            high, above = (low + high) / 2, motions
    return (low, high), (below, above)


__all__ = ["SingularPoint", "Watch"]
