"""Diagonally implicit Runge-Kutta steps: stages one after the other, by simplified Newton iteration."""

from kaneflex.formulations.evaluate import normalise
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.mixing import mix
from kaneflex.simulate.stepping.newton import (
    begin_look,
    correction_norm,
    doubt,
    expected_rate,
    factor_shifted,
    factor_tree,
    is_looked_at,
    new_factors,
    newton_verdict,
    slow_rate,
    solve_newton,
)
from kaneflex.simulate.stepping.vectors import ask, defect, node, scaled_norm, slot, weighted_step, weighted_sum


def factor_newton(I, P, W, N, C, T, S, L, pivot):
    """Factors of 1 - h gamma J for the step being tried; 0 when it is singular."""
    h = C[RK_H_TRY]
    if N[RK_FACTORED] == 0 or C[RK_H_LU] != h:
        new_factors(N, C)
        if N[RK_MATRIX] == RK_TREE:
            factor_tree(I, P, W, N, C, T, S, L, 0.0, 0.0)
        else:
            N[RK_FACTORED] = factor_shifted(N, S, h * T[N[RK_GAMMA]], L, pivot, offset(pivot, 2 * N[RK_SIZE]))
    return N[RK_FACTORED]


def filtered_error(I, P, N, C, T, S, L, pivot):
    """Norm of the error (1 - h gamma J)^-1 h E k (HW IV.8.19: filtered, as the plain estimate is too large in stiff
    components), of which DELTA is left without the h."""
    n = N[RK_SIZE]
    estimate = offset(S, N[RK_DELTA])
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_E]), offset(S, N[RK_K]), estimate)
    solve_newton(I, P, N, C, T, S, L, pivot, estimate)
    return C[RK_H_TRY] * scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), offset(S, N[RK_NEW]))


def begin_stages(I, P, W, N, C, T, S, L, pivot):
    """Newton's matrix, then the first stage."""
    C[RK_ERROR] = 1e300  # what is told of a step whose stages cannot be found
    C[RK_RATE] = 0.0
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_SOLVE if factor_newton(I, P, W, N, C, T, S, L, pivot) == 1 else RK_FAILED
    return RK_GO


def implicit_stage(N, C, T, S):
    """Begin stage i, Y = base + h gamma f(t + c_i h, Y), base = y + h sum a_ij k_j; the last Y is the new state."""
    n = N[RK_SIZE]
    i = N[RK_INDEX]
    if i == N[RK_STAGES]:
        N[RK_PHASE] = RK_OUTCOME
        return RK_GO
    base = offset(S, N[RK_BASE])
    Y = offset(S, N[RK_NEW])
    guess = offset(S, slot(N, i - 1 if i > 0 else N[RK_FIRST]))
    row = offset(T, N[RK_A] + i * N[RK_SLOTS])
    weighted_step(n, i, row, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), base)
    for m in range(n):
        Y[m] = base[m] + C[RK_H_TRY] * T[N[RK_GAMMA]] * guess[m]
    C[RK_ETA] = expected_rate(N, C)
    N[RK_COUNT] = 0
    N[RK_PHASE] = RK_SWEEP
    ask(N, C, node(N, C, T, i), N[RK_NEW], slot(N, i))
    return RK_SLOPE


def newton_sweep(I, P, N, C, T, S, L, pivot):
    """A simplified Newton correction of the stage, (1 - h gamma J) delta = base + h gamma f(Y) - Y."""
    n = N[RK_SIZE]
    i = N[RK_INDEX]
    Y = offset(S, N[RK_NEW])
    k = offset(S, slot(N, i))
    base = offset(S, N[RK_BASE])
    delta = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_GAMMA]]
    for m in range(n):
        delta[m] = base[m] + hg * k[m] - Y[m]
    solve_newton(I, P, N, C, T, S, L, pivot, delta)
    before = C[RK_NORM]
    C[RK_NORM] = correction_norm(N, C, S, 1, delta)
    N[RK_CORRECTIONS] += 1
    mix(N, C, S, 1, Y, delta)
    N[RK_PHASE] = RK_FAILED
    if defect(n, Y) != 0.0:
        C[RK_ERROR] = defect(n, Y)
        return RK_GO
    verdict = newton_verdict(N, C, N[RK_COUNT], C[RK_NORM], before, 0.01, 10)
    N[RK_COUNT] += 1
    if verdict == 1 and N[RK_COUNT] < RK_PATIENT:
        N[RK_PHASE] = RK_SWEEP  # same state, same place of the answer: only the state has moved
        return RK_SLOPE
    if verdict == 0:
        # from the equation, not from the right-hand side, which would enlarge what Newton left by the stiffness
        for m in range(n):
            k[m] = (Y[m] - base[m]) / hg
        N[RK_INDEX] = i + 1
        N[RK_PHASE] = RK_SOLVE
    return RK_GO


def newton_failed(N):
    """Once more with a Jacobian of this step, or with all of its entries; if it was one, the step is rejected."""
    status = RK_GO
    if N[RK_JACOBIAN] == 2 and N[RK_SHRUNK] == 0 and N[RK_MATRIX] == RK_TREE:  # not again where a load jumps
        N[RK_DOUBT] += RK_DOUBT_FAILED
        status = doubt(N)
    if N[RK_JACOBIAN] == 2:
        N[RK_PHASE] = RK_JUDGE
    else:
        N[RK_JACOBIAN] = 0
        N[RK_PHASE] = RK_DIFFERENCE
    return status


def implicit_outcome(I, P, N, C, T, S, L, pivot):
    """The error, and the new state normalised. If that is small enough, the dense output is looked at."""
    new = offset(S, N[RK_NEW])
    error = filtered_error(I, P, N, C, T, S, L, pivot) if N[RK_ADAPTIVE] == 1 else 0.0
    C[RK_ERROR] = error + (error - error)
    N[RK_PHASE] = RK_JUDGE
    if not error <= 1.0:
        return RK_GO
    normalise(I, new)
    N[RK_JACOBIAN] = 0 if C[RK_RATE] > slow_rate(N) else 1
    return look_or_probe(N, C, T, S)


def look_or_probe(N, C, T, S):
    """A step of which the error is small enough: on to its dense output, now and then by a look at Newton's matrix."""
    if N[RK_ADAPTIVE] == 0:
        return RK_GO
    return begin_look(N, C, S) if is_looked_at(N) == 1 else probe_dense(N, C, T, S)


def probe_dense(N, C, T, S):
    """Want the slope within the dense output."""
    within, x = offset(S, N[RK_TRY]), T[N[RK_GAMMA] + 3]
    weights = offset(T, N[RK_PROBE])
    weighted_step(N[RK_SIZE], N[RK_SLOTS], weights, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), within)
    ask(N, C, C[RK_T] + x * C[RK_H_TRY], N[RK_TRY], N[RK_BASE])
    N[RK_PHASE] = RK_DEFECT
    return RK_SLOPE


def dense_defect(I, P, N, C, T, S, L, pivot):
    """The dense output u must be as good as the step's end, which a stiff component hits however long the step is. Its
    error is estimated as (1 - h gamma J)^-1 h gamma (f(u) - u'): of order h^4 where J is small, the error itself where
    J is large."""
    n = N[RK_SIZE]
    f = offset(S, N[RK_BASE])
    estimate = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_GAMMA]]
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_PROBE] + N[RK_SLOTS]), offset(S, N[RK_K]), estimate)
    for i in range(n):
        estimate[i] = hg * (f[i] - estimate[i])
    solve_newton(I, P, N, C, T, S, L, pivot, estimate)
    error = scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), offset(S, N[RK_NEW]))
    C[RK_ERROR] = max(C[RK_ERROR], error) + (error - error)
    N[RK_PHASE] = RK_JUDGE
    return RK_GO
