"""Equilibria along a path of growing loads, past folds.

The path r(x, p) = 0 of Eq. (1) of `balance` begins at the guess with p = 0 and is followed by its arc length: with the
direction (X d, e) at a point, the next one is found by Newton's method on

    r = 0 ,    (X d) . (x - x1) + e (p - p1) = 0                                                       (1)

from the point (x1, p1) a step ahead, so that the path may turn back in p, as it does where a structure snaps through.
Ref: Riks, Int. J. Solids Structures 15 (1979) 529; Keller (1977).
"""

from collections.abc import Iterator

import numpy as np

from kaneflex.analysis.balance import LONGEST, Balance, Left
from kaneflex.analysis.solving import solved

Array = np.ndarray
POINTS = 400  # most points of a path
SHORTEST = 1e-6  # of a step along it
CORRECTIONS = 8  # Newton steps at a point
CLOSE = 1e-6  # of the accelerations that the forces cause: what may be left at a point before the last


def continued(problem: Balance, x: Array) -> tuple[Array, float]:
    """The state at full load on the path that begins at x, and 1; or the last state before the path is lost, and the
    largest part of the loads that was reached."""
    problem.hold(x)
    reached, last = 0.0, x
    for point in path(problem, x):
        reached, last = max(reached, point.part), point.x
    return last, min(reached, 1.0)


def path(
    problem: Balance, x: Array, longest: float = LONGEST, most: int = POINTS, close: float = CLOSE
) -> Iterator[Left]:
    """Points of the path that begins at x, which is in balance at p = 0, until p = 1 or until it is lost.

    Args:
        problem: r(x, p).
        x: the start.
        longest: step along the path.
        most: points.
        close: of the accelerations that the forces cause, what may be left at a point.
    """
    point = problem.left(x, 0.0)
    yield point
    along, by = _direction(problem, point, np.zeros(len(x)), 1.0)
    length, count = min(0.25, longest), 0
    while count < most and length >= SHORTEST:
        ahead = _next(problem, point, along, by, length, close)
        if ahead is None:
            length /= 2
            continue
        found, steps = ahead
        if found.part >= 1:
            share = (1 - point.part) / (found.part - point.part)
            last = _next(problem, point, along, by, length * share, close, part=1.0)
            if last is not None:
                yield last[0]
                return
            length /= 2
            continue
        along, by = _direction(problem, found, found.x - point.x, found.part - point.part)
        point, count = found, count + 1
        yield point
        length = min(1.5 * length if steps <= 3 else length, longest)


def _direction(problem: Balance, left: Left, before: Array, part: float) -> tuple[Array, float]:
    """Unit direction of the path at a point, as a change of x and of the part, on from where it came."""
    A = np.column_stack([left.slopes, problem.loads(left)])
    if A.shape[0] < A.shape[1]:  # normal to all rows: with one more row that leads on from where the path came
        bordered, right = np.vstack([A, np.append(before @ left.X, part)]), np.append(np.zeros(len(A)), 1.0)
        d = solved(bordered, right)
        if np.abs(bordered @ d - right).max() > 1e-6 * max(1.0, np.abs(A).max() * np.abs(d).max()):
            d = np.linalg.svd(A)[2][-1]
    else:
        d = np.append(np.zeros(A.shape[1] - 1), 1.0)
    along, by = left.X @ d[:-1], float(d[-1])
    size = float(np.sqrt(along @ along + by * by))
    sign = 1.0 if along @ before + by * part >= 0 else -1.0
    return sign * along / size, sign * by / size


def _next(
    problem: Balance, point: Left, along: Array, by: float, length: float, close: float, part: float | None = None
) -> tuple[Left, int] | None:
    """The point of the path a length ahead, and the corrections it took, or None where they do not converge; with `part`,
    the point nearby that has this part of the loads."""
    x = problem.moved(point.x, length * along)
    p = point.part + length * by if part is None else part
    for n in range(CORRECTIONS):
        if x is None or not np.all(np.isfinite(problem.rates(x, p))):
            return None
        left = problem.left(x, p)
        if left.ratio <= close:
            return left, n
        A = np.column_stack([left.slopes, problem.loads(left)])
        row = np.append(along @ left.X, by) if part is None else np.append(np.zeros(left.X.shape[1]), 1.0)
        step = solved(np.vstack([A, row]), np.append(-left.rows, 0.0))
        x, p = problem.moved(x, left.limited(step[:-1])), p + float(step[-1])
    return None
