"""The equilibrium that a system comes to where every body moves as in a thick fluid: a motion k d' = -r, to its end.

From a guess that is far from any equilibrium Newton's method goes anywhere, to equilibria in which cables are pushed as well
as to others. A motion without inertia goes down in the potential, and ends where the system would come to rest. Each step is
implicit,

    (K + k) d = -r ,                                                                                              (1)

k being a stiffness of every body against its displacement: as little of it as it takes that no body moves far, that the
forces push along the step, r . d < 0, and that (1) with what is left at its end and the same K would not lead farther than
the step itself did. Where that asks for more k, K without its negative part (`downhill`) is tried before. Near a stable
equilibrium neither is needed, and (1) is Newton's method.
Ref: Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508 (pseudo-transient continuation), for the motion; Deuflhard, Newton
Methods for Nonlinear Problems (2004), chapter 3, for the test (natural monotonicity).
"""

import numpy as np

from kaneflex.analysis.force_balance import FARTHEST, ForceBalance, ForcesLeft
from kaneflex.analysis.tangent import normalise_quaternions
from kaneflex.formulations.initial_conditions import LIMIT, SWEEPS

Array = np.ndarray
STEPS = 600  # most of them
TURN = 0.5  # rad: most that a body turns by in one step
SHORT = 0.1  # of these: a step of Newton's method that does not go far
NEAR, DONE = 1e-4, 1e-9  # of the forces: what is left near an equilibrium, and where Newton's method takes over
SOFT, HARD = 1e-6, 1e6  # of the largest force over the system's size: a k that is none, and one that lets nothing move
MORE, LESS = 5.0, 0.1  # factors of k after a step that failed, and after one that did not
CLOSE = 0.1  # of TURN and FARTHEST: a step may be followed by a longer one of this length, as where the bed lets go


def relaxed(problem: ForceBalance, x: Array) -> Array | None:
    """A state near an equilibrium to which x relaxes; None where it does not come to one, or is near one already, if only an
    unstable one."""
    left = problem.left(x)
    unit = left.force / left.extent
    if not np.isfinite(unit) or unit == 0 or _is_near(left):
        return None
    k, best = 0.1 * unit, left
    for _ in range(STEPS):
        trial = _step(problem, left, k, exact=True)
        if trial is None:
            trial = _step(problem, left, k, exact=False)
        if trial is None:
            k = max(MORE * k, SOFT * unit)
            if k > HARD * unit:
                break
            continue
        left, k = problem.left(trial), LESS * k
        best = left if left.ratio < best.ratio else best
        if left.ratio < DONE:
            break
    return best.x if best.ratio < NEAR else None


def _is_near(left: ForcesLeft) -> bool:
    """Whether Newton's method would not go far."""
    if left.ratio < NEAR:
        return True
    turn, shift = _farthest(left, left.solution())
    return bool(turn < SHORT * TURN and shift < SHORT * FARTHEST)


def _farthest(left: ForcesLeft, d: Array) -> tuple[float, float]:
    """How far a body turns, rad, and moves at the most in a solution of (1), in parts of the system's size; infinite where
    there is none."""
    moves = d[left.tangent.at_d : left.tangent.at_s].reshape(-1, 6)
    if not np.all(np.isfinite(d)):
        return np.inf, np.inf
    return float(np.abs(moves[:, :3]).max(initial=0.0)), float(np.abs(moves[:, 3:]).max(initial=0.0)) / left.extent


def _step(problem: ForceBalance, left: ForcesLeft, k: float, exact: bool) -> Array | None:
    """x after (1), or None where a body moves too far, or not with the forces, or would have to move farther next."""
    tangent = left.tangent
    solve = left.solver(left.matrix(k, exact))
    d = solve(left.right(-left.rows))
    turn, shift = _farthest(left, d)
    if turn > TURN or shift > FARTHEST:
        return None
    s = d[tangent.at_s : tangent.at_l]
    y = left.x + left.change(d)
    normalise_quaternions(problem.dynamics.plan, y)
    if left.rows[: len(s)] @ s > 0 or (problem.tree.rows and not _closed(problem, y)):
        return None
    rows = problem.rates(y)
    if not np.all(np.isfinite(rows)):
        return None
    next_turn, next_shift = _farthest(left, solve(left.right(-rows)))
    longest = max(turn / TURN + shift / FARTHEST, CLOSE)
    return y if next_turn / TURN + next_shift / FARTHEST <= longest else None


def _closed(problem: ForceBalance, y: Array) -> bool:
    """Put y back on its constraints, else what they are left with would move bodies where no force does."""
    states = problem.multipliers.start
    z = problem.dynamics.layout.with_works(y[:states])
    if problem.dynamics.project(problem.t, z, SWEEPS, LIMIT) < 0:
        return False
    y[: problem.tree.nq] = z[: problem.tree.nq]
    return True


__all__ = ["relaxed"]
