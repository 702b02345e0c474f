"""Equilibria along a path of growing loads, past folds.

The path r(x, p) = 0 of Eq. (1) of `balance` begins at the guess with p = 0 and is followed by its arc length: with the
direction (X d, e) at a point, the next one is found by Newton's method on

    r = 0 ,    (X d) . (x - x1) + e (p - p1) = 0                                                       (1)

from the point (x1, p1) a step ahead, so that the path may turn back in p, as it does where a structure snaps through.
Ref: Riks, Int. J. Solids Structures 15 (1979) 529; Keller (1977).
"""

import numpy as np

from kaneflex.analysis.balance import LONGEST, Balance, Left

Array = np.ndarray
POINTS = 400  # most points of a path
SHORTEST = 1e-6  # of a step along it
CORRECTIONS = 8  # Newton steps at a point
CLOSE = 1e-6  # of the accelerations that the forces cause: what may be left at a point before the last


def continued(problem: Balance, x: Array, iterations: int = CORRECTIONS) -> tuple[Array, float]:
    """The state at full load on the path that begins at x, and 1; or the last state before the path is lost, and the
    largest part of the loads that was reached."""
    problem.hold(x)
    point = Left(problem, x, 0.0)
    along, by = _direction(problem, point, np.zeros(len(x)), 1.0)
    length, reached = 0.25, 0.0
    for _ in range(POINTS):
        ahead = _next(problem, point, along, by, length)
        if ahead is None:
            length /= 2
            if length < SHORTEST:
                break
            continue
        found, steps = ahead
        if found.part >= 1:
            last = _next(problem, point, along, by, length * (1 - point.part) / (found.part - point.part), part=1.0)
            if last is not None:
                return last[0].x, 1.0
            length /= 2
            continue
        along, by = _direction(problem, found, found.x - point.x, found.part - point.part)
        point, reached = found, max(reached, found.part)
        length = min(1.5 * length if steps <= 3 else length, LONGEST)
    return point.x, reached


def _loads(problem: Balance, left: Left) -> Array:
    """Change of the equations per unit of the part of the loads."""
    change = problem.rates(left.x, 1.0) - problem.rates(left.x, 0.0)
    return np.asarray(left.tangent.pick[left.coordinates :, left.nq :] @ change)


def _direction(problem: Balance, left: Left, before: Array, part: float) -> tuple[Array, float]:
    """Unit direction of the path at a point, as a change of x and of the part, on from where it came."""
    A = np.column_stack([left.slopes, _loads(problem, left)])
    d = np.linalg.svd(A)[2][-1] if A.shape[0] < A.shape[1] else np.append(np.zeros(A.shape[1] - 1), 1.0)
    along, by = left.X @ d[:-1], float(d[-1])
    size = float(np.sqrt(along @ along + by * by))
    sign = 1.0 if along @ before + by * part >= 0 else -1.0
    return sign * along / size, sign * by / size


def _next(
    problem: Balance, point: Left, along: Array, by: float, length: float, part: float | None = None
) -> tuple[Left, int] | None:
    """The point of the path a length ahead, and the corrections it took, or None where they do not converge; with `part`,
    the point nearby that has this part of the loads."""
    x = problem.moved(point.x, length * along)
    p = point.part + length * by if part is None else part
    for n in range(CORRECTIONS):
        if x is None or not np.all(np.isfinite(problem.rates(x, p))):
            return None
        left = Left(problem, x, p)
        if left.ratio <= CLOSE:
            return left, n
        A = np.column_stack([left.slopes, _loads(problem, left)])
        row = np.append(along @ left.X, by) if part is None else np.append(np.zeros(left.X.shape[1]), 1.0)
        step = np.linalg.lstsq(np.vstack([A, row]), np.append(-left.rows, 0.0), rcond=1e-12)[0]
        x, p = problem.moved(x, left.limited(step[:-1])), p + float(step[-1])
    return None
