"""Equilibria along a path of growing loads, past folds.

The path r(x, p) = 0 of Eq. (1) of `balance` begins at the guess with p = 0 and is followed by its arc length: with the
direction (X d, e) at a point, the next one is found by Newton's method on

    r = 0 ,    (X d) . (x - x1) + e (p - p1) = 0                                                       (1)

from the point (x1, p1) a step ahead, so that the path may turn back in p, as it does where a structure snaps through.
Ref: Riks, Int. J. Solids Structures 15 (1979) 529; Keller (1977).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kaneflex.analysis.balance import LONGEST, Balance, Left

Array = np.ndarray
POINTS = 400  # most points of a path
SHORTEST = 1e-6  # of a step along it
STRAIGHT = 0.8  # cosine of the angle by which a path may turn in a step,
SHARP = 1e-3  # of the longest step: so short a one may turn as it wants
CORRECTIONS = 8  # Newton steps at a point
CLOSE = 1e-6  # of the accelerations that the forces cause: what may be left at a point before the last


@dataclass(frozen=True)
class Point:
    """A point of a path, and the unit direction in which it goes on: a change of x and of the part of the loads."""

    left: Left
    along: Array
    by: float


def continued(problem: Balance, x: Array) -> tuple[Array, float]:
    """The state at full load on the path that begins at x, and 1; or the last state before the path is lost, and the
    largest part of the loads that was reached."""
    problem.hold(x)
    reached, last = 0.0, x
    for point in path(problem, x):
        reached, last = max(reached, point.left.part), point.left.x
    return last, min(reached, 1.0)


def path(
    problem: Balance,
    x: Array,
    longest: float = LONGEST,
    most: int = POINTS,
    close: float = CLOSE,
    start: tuple[Array, float] | None = None,
    joined: Callable[[Point, Point], bool] = lambda before, found: True,
) -> Iterator[Point]:
    """Points of the path that begins at x, which is in balance at p = 0, until p = 1 or until it is lost.

    A step is cut where the path would turn sharply in it, for then the point found may be on another path that crosses.

    Args:
        problem: r(x, p).
        x: the beginning.
        longest: step along the path.
        most: points.
        close: of the accelerations that the forces cause, what may be left at a point.
        start: direction in which it begins, as changes of x and p; None for the one in which the loads grow.
        joined: whether a point found belongs to the path of the one before; else the step is cut too.
    """
    left = problem.left(x, 0.0)
    along, by = _direction(problem, left, np.zeros(len(x)), 1.0) if start is None else _unit(problem, *start)
    point = Point(left, along, by)
    yield point
    length, count = min(0.25, longest), 0
    while count < most and length >= SHORTEST:
        ahead = next_point(problem, point, length, close)
        if ahead is None:
            length /= 2
            continue
        found, steps = ahead
        watched = length > SHARP * longest and (count > 0 or start is None)
        if watched and (_turns(problem, point, found) or not joined(point, found)):
            length /= 2
            continue
        if found.left.part >= 1:
            share = (1 - point.left.part) / (found.left.part - point.left.part)
            last = next_point(problem, point, length * share, close, part=1.0)
            if last is not None:
                yield last[0]
                return
            length /= 2
            continue
        point, count = found, count + 1
        yield point
        length = min(1.5 * length if steps <= 3 else length, longest)


def _turns(problem: Balance, point: Point, found: Point) -> bool:
    """Whether the direction at a point found is far from that before it."""
    return problem.inner(point.along, found.along) + point.by * found.by < STRAIGHT


def _unit(problem: Balance, along: Array, by: float) -> tuple[Array, float]:
    size = float(np.sqrt(problem.inner(along, along) + by * by))
    return along / size, by / size


def _direction(problem: Balance, left: Left, before: Array, part: float) -> tuple[Array, float]:
    """Unit direction of the path at a point, as a change of x and of the part, on from where it came."""
    along, by = left.direction(problem.loads(left), before, part)
    sign = 1.0 if problem.inner(along, before) + by * part >= 0 else -1.0
    return _unit(problem, sign * along, sign * by)


def next_point(
    problem: Balance, point: Point, length: float, close: float, part: float | None = None
) -> tuple[Point, int] | None:
    """The point of the path a length ahead, and the corrections it took, or None where they do not converge; with `part`,
    the point nearby that has this part of the loads."""
    x = problem.moved(point.left.x, length * point.along)
    p = point.left.part + length * point.by if part is None else part
    for n in range(CORRECTIONS):
        if x is None or not np.all(np.isfinite(problem.rates(x, p))):
            return None
        left = problem.left(x, p)
        if left.ratio <= close:
            direction = _direction(problem, left, left.x - point.left.x, left.part - point.left.part)
            return Point(left, *direction), n
        across = (point.along, point.by) if part is None else (np.zeros(len(x)), 1.0)
        way, change = left.correction(problem.loads(left), *across)
        x, p = problem.moved(x, way), p + change
    return None
