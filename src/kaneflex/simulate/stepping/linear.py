"""Linearly implicit steps (Rosenbrock's, W-methods): no iteration, one factored matrix for all stages of a step.

With A in the place of the Jacobian, f_t the rate of f in time itself, and k_i for U_i / h of HW IV.7.25, stages are

    (1 - h gamma A) k_i = gamma (f(t + alpha_i h, y + h sum a_ij k_j) + sum c_ij k_j + h gamma_i f_t) ,               (1)
    y_n+1 = y + h sum m_j k_j ,    error  h sum e_j k_j .                                                            (2)

The order of a W-method does not depend on A. That of the tree (`formulations.tree_matrix`) is made anew in every step, for
two evaluations and a half; the error is then measured in rotations and places (`formulations.absolute_error`). Where
stiffness is not in it steps become short: now and then it is looked whether that is so, and then A gets all entries, by
differences, unless they are too many; where steps have not become longer by as much as these cost, the tree's comes back.
With the exact tangent (`exact_tangent`), the matrix of the tree is only what that is found by.

Between the ends of a step: the parabola through the states here, before and after, or the chord, and a cubic correction that
gives it the slopes f of both ends as far as these are not stiff. Slopes d, less the parabola's, are filtered by

    2 S - S^2 ,    S = (1 - h gamma A)^-1 ,                                                                          (3)

which is 1 - O(h^2) for slow motion, so that the cubic is of order 3, and O(1/(h A)) for a stiff one, of which the slope is
known to the stiffness times the error only.
"""

from kaneflex.formulations.absolute_error import tree_error
from kaneflex.formulations.evaluate import normalise
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.exact_tangent import begin_exact
from kaneflex.simulate.stepping.implicit import factor_newton
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.newton import begin_look, doubt, is_looked_at, solve_newton
from kaneflex.simulate.stepping.vectors import ask, copy_vector, node, scaled_norm, slot, weighted_step, weighted_sum


def begin_linear(I, P, W, N, C, T, S, L, pivot):
    """The matrix of the step, then, where rates depend on time, f_t by a difference within the step."""
    C[RK_ERROR] = 1e300  # of a step whose matrix is singular
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_FAILED
    if factor_newton(I, P, W, N, C, T, S, L, pivot) == 0:
        return RK_GO
    N[RK_PHASE] = RK_SOLVE
    if N[RK_TIMED] == 0:
        return RK_GO
    C[RK_ASIDE] = min(C[RK_H_TRY], max(C[RK_H_TRY] / 1000.0, 1e-9 * abs(C[RK_T])))
    ask(N, C, min(C[RK_T] + C[RK_ASIDE], C[RK_T_NEW]), N[RK_Y], N[RK_BASE])
    N[RK_PHASE] = RK_LATE
    return RK_SLOPE


def late_rate(N, C, S):
    """f_t."""
    n, late, first = N[RK_SIZE], offset(S, N[RK_Z] + N[RK_SIZE]), offset(S, slot(N, N[RK_FIRST]))
    for m in range(n):
        late[m] = (S[N[RK_BASE] + m] - first[m]) / C[RK_ASIDE]
    N[RK_PHASE] = RK_SOLVE
    return RK_GO


def linear_stage(I, P, N, C, T, S, L, pivot):
    """Want the slope of the next stage; after the last one, the end of the step."""
    n, i = N[RK_SIZE], N[RK_INDEX]
    if i == N[RK_STAGES]:
        return linear_outcome(I, P, N, C, T, S, L, pivot)
    N[RK_PHASE] = RK_SWEEP
    if i == 0:
        copy_vector(n, offset(S, slot(N, N[RK_FIRST])), offset(S, N[RK_BASE]))
        return RK_GO
    row = offset(T, N[RK_A] + i * N[RK_SLOTS])
    weighted_step(n, i, row, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), offset(S, N[RK_TRY]))
    ask(N, C, node(N, C, T, i), N[RK_TRY], N[RK_BASE])
    return RK_SLOPE


def linear_solve(I, P, N, C, T, S, L, pivot):
    """Eq. (1), the slope of the stage being in BASE."""
    n, i, h, s = N[RK_SIZE], N[RK_INDEX], C[RK_H_TRY], N[RK_STAGES]
    gamma, k, late = T[N[RK_GAMMA]], offset(S, slot(N, i)), offset(S, N[RK_Z] + n)
    weighted_sum(n, i, offset(T, N[RK_AXES] + i * s), offset(S, N[RK_K]), k)
    for m in range(n):
        k[m] = gamma * (S[N[RK_BASE] + m] + k[m])
    if N[RK_TIMED] == 1:
        share = gamma * h * T[N[RK_AXES] + s * s + i]
        for m in range(n):
            k[m] += share * late[m]
    solve_newton(I, P, N, C, T, S, L, pivot, k)
    if N[RK_EXACT] == 1 and N[RK_MATRIX] == RK_TREE:
        return begin_exact(N, C, S)
    N[RK_INDEX] = i + 1
    N[RK_PHASE] = RK_SOLVE
    return RK_GO


def linear_outcome(I, P, N, C, T, S, L, pivot):
    """Eq. (2): the new state, normalised where its error is small enough, and then the slope there."""
    n, h, e, new = N[RK_SIZE], C[RK_H_TRY], offset(S, N[RK_DELTA]), offset(S, N[RK_NEW])
    weighted_step(n, N[RK_STAGES], offset(T, N[RK_B]), h, offset(S, N[RK_K]), offset(S, N[RK_Y]), new)
    weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), offset(S, N[RK_K]), e)
    error = 0.0
    if N[RK_ADAPTIVE] == 1:
        error = h * linear_norm(I, P, N, C, S, L)
    C[RK_ERROR] = error + (error - error)
    N[RK_PHASE] = RK_JUDGE
    if not error <= 1.0:
        return RK_GO
    normalise(I, new)
    if is_too_dear(N, C) == 1:
        return return_to_tree(N)
    looks = N[RK_ADAPTIVE] == 1 and N[RK_EXACT] == 0 and N[RK_SIZE] <= RK_FILLABLE and N[RK_DOUBT] >= 0
    if looks and is_looked_at(N) == 1:
        return begin_look(N, C, S)
    return linear_end(N, C)


def linear_norm(I, P, N, C, S, X):
    """Norm of the error's estimate in DELTA."""
    y, e, out = offset(S, N[RK_Y]), offset(S, N[RK_DELTA]), offset(S, N[RK_BASE])
    if N[RK_MATRIX] == RK_FULL:
        return scaled_norm(N, C, S, e, y, offset(S, N[RK_NEW]))
    tree_error(I, P, X, y, e, offset(S, N[RK_ATOL]), C[RK_RTOL], N[RK_CHECKED], out)
    return out[0]


def linear_end(N, C):
    """Want the slope at the end of the step; where that is still to be projected, the slope there is taken afterwards
    (`loop.hold_step`): differences for a Jacobian begin with it."""
    N[RK_JACOBIAN] = 0
    N[RK_PHASE] = RK_JUDGE
    if N[RK_CONSTRAINED] == 1:
        return RK_GO
    ask(N, C, C[RK_T_NEW], N[RK_NEW], slot(N, N[RK_LAST]))
    return RK_SLOPE


def end_linear_look(I, P, N, C, T, S, L, pivot):
    """Whether the matrix serves for the error e, see `end_look`: S (1 - h gamma J) e must not be far from e."""
    n, e, left = N[RK_SIZE], offset(S, N[RK_DELTA]), offset(S, N[RK_TRY])
    shift = C[RK_H_TRY] * T[N[RK_GAMMA]] / (2.0 * C[RK_ASIDE])
    for i in range(n):
        left[i] = e[i] - shift * (S[N[RK_BASE] + i] - S[N[RK_SPARE] + i])
    solve_newton(I, P, N, C, T, S, L, pivot, left)
    for i in range(n):
        left[i] -= e[i]
    y = offset(S, N[RK_Y])
    if scaled_norm(N, C, S, left, y, y) > 0.2 * scaled_norm(N, C, S, e, y, y) and C[RK_ERROR] > 0.05:
        N[RK_DOUBT] += RK_DOUBT_LARGE
    else:
        N[RK_DOUBT] = max(0, N[RK_DOUBT] - RK_TRUST)
    status = doubt(N)
    if status == RK_GO:
        return linear_end(N, C)
    N[RK_GIVEN_UP] = N[RK_STEPS] + 1
    C[RK_H_TREE] = C[RK_H_TRY]
    return status


def is_too_dear(N, C):
    """1 when, some steps after the matrix of the tree was given up, steps have not become as much longer as they cost more:
    W-methods do without what is missing there."""
    if N[RK_GIVEN_UP] == 0 or N[RK_STEPS] < N[RK_GIVEN_UP] + RK_TRIAL:
        return 0
    N[RK_GIVEN_UP] = 0
    return 1 if RK_TREE_COST * C[RK_H_TRY] < (RK_FULL_COST + N[RK_SIZE]) * C[RK_H_TREE] else 0


def return_to_tree(N):
    """The matrix of the tree again, for good, and the step once more."""
    N[RK_MATRIX] = RK_TREE
    N[RK_DOUBT] = RK_FOR_GOOD
    N[RK_JACOBIAN] = 0
    N[RK_FACTORED] = 0
    N[RK_PHASE] = RK_DIFFERENCE
    return RK_FILL


def shape_step(I, P, N, C, T, S, L, pivot):
    """The dense output F as said above, by Eq. (3)."""
    n, h, F = N[RK_SIZE], C[RK_H_TRY], offset(S, N[RK_F])
    y, new, before = offset(S, N[RK_Y]), offset(S, N[RK_NEW]), offset(S, N[RK_Z])
    first, last = offset(S, slot(N, N[RK_FIRST])), offset(S, slot(N, N[RK_LAST]))
    ratio = C[RK_H_OLD] / h if N[RK_SMOOTH] == 1 else 0.0
    for m in range(n):
        mean = (new[m] - y[m]) / h
        bend = 0.0
        if ratio > 0.05:
            bend = ((before[m] - y[m]) / (h * ratio) + mean) / (ratio + 1.0)
        F[m] = mean
        F[n + m] = first[m] - mean + bend
        F[2 * n + m] = last[m] - mean - bend
        S[N[RK_TRY] + m] = bend
    filter_slopes(I, P, N, C, T, S, L, pivot, offset(F, n))
    filter_slopes(I, P, N, C, T, S, L, pivot, offset(F, 2 * n))
    for m in range(n):
        F[2 * n + m] = -F[n + m] - F[2 * n + m]
        F[n + m] -= S[N[RK_TRY] + m]
    N[RK_PHASE] = RK_DENSE
    return RK_GO


def filter_slopes(I, P, N, C, T, S, L, pivot, d):
    """d = (2 S - S^2) d."""
    n, once = N[RK_SIZE], offset(S, N[RK_DELTA])
    solve_newton(I, P, N, C, T, S, L, pivot, d)
    copy_vector(n, d, once)
    solve_newton(I, P, N, C, T, S, L, pivot, d)
    for m in range(n):
        d[m] = 2.0 * once[m] - d[m]


def keep_before(N, C, S):
    """After a step, before the state moves on: where it came from."""
    copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(S, N[RK_Z]))
    C[RK_H_OLD] = C[RK_T_NEW] - C[RK_T]
    N[RK_SMOOTH] = 1
