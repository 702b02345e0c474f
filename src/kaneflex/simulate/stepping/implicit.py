"""Diagonally implicit Runge-Kutta steps: simplified Newton iteration with a Jacobian by differences."""

from kaneflex.formulations.evaluate import normalise
from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.layout import (
    RK_A,
    RK_ADAPTIVE,
    RK_BASE,
    RK_COLUMN,
    RK_COUNT,
    RK_DEFECT,
    RK_DELTA,
    RK_DIFFERENCE,
    RK_E,
    RK_ERROR,
    RK_ETA,
    RK_FACTOR,
    RK_FACTORED,
    RK_FAILED,
    RK_FIRST,
    RK_GO,
    RK_H_LU,
    RK_H_TRY,
    RK_INDEX,
    RK_J,
    RK_JACOBIAN,
    RK_JUDGE,
    RK_K,
    RK_LU,
    RK_NEW,
    RK_NORM,
    RK_OUTCOME,
    RK_PHASE,
    RK_PIVOT,
    RK_PROBE,
    RK_RATE,
    RK_SIZE,
    RK_SLOPE,
    RK_SLOTS,
    RK_SOLVE,
    RK_STAGES,
    RK_SWEEP,
    RK_T,
    RK_TRY,
    RK_Y,
)
from kaneflex.simulate.stepping.vectors import ask, copy_vector, defect, node, scaled_norm, slot, weighted_step, weighted_sum


def factor_matrix(n, A, pivot):
    """A = P L U in place, by Gauss's elimination with partial pivoting; 0 when A is singular or not finite."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i * n + k]) > abs(A[p * n + k]):
                p = i
        pivot[k] = p
        if not abs(A[p * n + k]) > 0.0:
            return 0
        if p != k:
            for j in range(n):
                A[k * n + j], A[p * n + j] = A[p * n + j], A[k * n + j]
        for i in range(k + 1, n):
            m = A[i * n + k] / A[k * n + k]
            A[i * n + k] = m
            if m != 0.0:
                for j in range(k + 1, n):
                    A[i * n + j] -= m * A[k * n + j]
    return 1


def solve_factored(n, A, pivot, x):
    """x = A^-1 x with the factors of `factor_matrix`."""
    for k in range(n):
        p = pivot[k]
        x[k], x[p] = x[p], x[k]
    for i in range(1, n):
        for j in range(i):
            x[i] -= A[i * n + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[i * n + j] * x[j]
        x[i] /= A[i * n + i]


def begin_jacobian(N, C, S):
    """Want the slope at (t, y) for a new Jacobian, unless the old one serves. (The last stage's k is not that slope to
    rounding.)"""
    if N[RK_JACOBIAN] > 0:
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(S, N[RK_TRY]))
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_COLUMN
    ask(N, C, C[RK_T], N[RK_Y], N[RK_DELTA])
    return RK_SLOPE


def jacobian_column(N, C, S):
    """J = df/dy by forward differences, increments sqrt(eps max(1e-5, |y_j|)) as in RADAU5 (HW IV.8), by columns."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    moved = offset(S, N[RK_TRY])
    j = N[RK_INDEX] - 1
    if j >= 0:
        d = moved[j] - y[j]
        for i in range(n):
            S[N[RK_J] + i * n + j] = (S[N[RK_BASE] + i] - S[N[RK_DELTA] + i]) / d
        moved[j] = y[j]
    j += 1
    if j == n:
        N[RK_JACOBIAN] = 2
        N[RK_FACTORED] = 0
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    moved[j] = y[j] + sqrt(2.2e-16 * max(1e-5, abs(y[j])))
    N[RK_INDEX] = j + 1
    ask(N, C, C[RK_T], N[RK_TRY], N[RK_BASE])
    return RK_SLOPE


def factor_newton(N, C, T, S):
    """Factors of 1 - h gamma J for the step being tried; 0 when it is singular."""
    h = C[RK_H_TRY]
    if N[RK_FACTORED] == 1 and C[RK_H_LU] == h:
        return 1
    n = N[RK_SIZE]
    J = offset(S, N[RK_J])
    LU = offset(S, N[RK_LU])
    hg = h * T[N[RK_A]]
    for i in range(n):
        for j in range(n):
            LU[i * n + j] = -hg * J[i * n + j]
        LU[i * n + i] += 1.0
    C[RK_H_LU] = h
    C[RK_ETA] = 1.0
    N[RK_FACTORED] = factor_matrix(n, LU, offset(N, N[RK_PIVOT]))
    return N[RK_FACTORED]


def newton_verdict(C, sweep, norm, before):
    """After a correction: 0 converged, 1 go on, 2 give up. The error left is at most rate / (1 - rate) times the
    correction, and should be a hundredth of the tolerance (HW IV.8.10 and 8.11)."""
    if sweep > 0:
        rate = norm / before
        C[RK_RATE] = max(C[RK_RATE], rate)
        if not rate < 1.0:
            return 0 if norm <= 0.01 else 2  # below the tolerance only rounding is left to iterate on
        C[RK_ETA] = rate / (1.0 - rate)
        if rate ** (9 - sweep) * C[RK_ETA] * norm > 0.01:
            return 2
    return 0 if C[RK_ETA] * norm <= 0.01 else 1


def begin_stages(N, C, T, S):
    """Newton's matrix, then the first stage."""
    C[RK_ERROR] = 1e300  # what is told of a step whose stages cannot be found
    C[RK_RATE] = 0.0
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_SOLVE if factor_newton(N, C, T, S) == 1 else RK_FAILED
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
        Y[m] = base[m] + C[RK_H_TRY] * T[N[RK_A]] * guess[m]
    C[RK_ETA] = max(C[RK_ETA], 2.2e-16) ** 0.8
    N[RK_COUNT] = 0
    N[RK_PHASE] = RK_SWEEP
    ask(N, C, node(N, C, T, i), N[RK_NEW], slot(N, i))
    return RK_SLOPE


def newton_sweep(N, C, T, S):
    """A simplified Newton correction of the stage, (1 - h gamma J) delta = base + h gamma f(Y) - Y."""
    n = N[RK_SIZE]
    i = N[RK_INDEX]
    y = offset(S, N[RK_Y])
    Y = offset(S, N[RK_NEW])
    k = offset(S, slot(N, i))
    base = offset(S, N[RK_BASE])
    delta = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_A]]
    for m in range(n):
        delta[m] = base[m] + hg * k[m] - Y[m]
    solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), delta)
    before = C[RK_NORM]
    C[RK_NORM] = scaled_norm(N, C, S, delta, y, y)
    for m in range(n):
        Y[m] += delta[m]
    N[RK_PHASE] = RK_FAILED
    if defect(n, Y) != 0.0:
        C[RK_ERROR] = defect(n, Y)
        return RK_GO
    verdict = newton_verdict(C, N[RK_COUNT], C[RK_NORM], before)
    N[RK_COUNT] += 1
    if verdict == 1 and N[RK_COUNT] < 10:
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
    """Once more with a Jacobian of this step; if it was one, the step is rejected."""
    if N[RK_JACOBIAN] == 2:
        N[RK_PHASE] = RK_JUDGE
    else:
        N[RK_JACOBIAN] = 0
        N[RK_PHASE] = RK_DIFFERENCE
    return RK_GO


def implicit_outcome(I, N, C, T, S):
    """The norm of the error (1 - h gamma J)^-1 h E k (HW IV.8.19: filtered, as the plain estimate is too large in stiff
    components), and the new state normalised. If that is small enough, the dense output is looked at."""
    n = N[RK_SIZE]
    new = offset(S, N[RK_NEW])
    estimate = offset(S, N[RK_DELTA])
    error = 0.0
    if N[RK_ADAPTIVE] == 1:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), offset(S, N[RK_K]), estimate)
        solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), estimate)
        error = C[RK_H_TRY] * scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), new)
    C[RK_ERROR] = error + (error - error)
    N[RK_PHASE] = RK_JUDGE
    if not error <= 1.0:
        return RK_GO
    normalise(I, new)
    N[RK_JACOBIAN] = 0 if C[RK_RATE] > 0.1 else 1
    if N[RK_ADAPTIVE] == 0:
        return RK_GO
    within = offset(S, N[RK_TRY])
    weighted_step(n, N[RK_SLOTS], offset(T, N[RK_PROBE]), C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), within)
    ask(N, C, C[RK_T] + 0.75 * C[RK_H_TRY], N[RK_TRY], N[RK_BASE])
    N[RK_PHASE] = RK_DEFECT
    return RK_SLOPE


def dense_defect(N, C, T, S):
    """The dense output u must be as good as the step's end, which a stiff component hits however long the step is. Its
    error is estimated as (1 - h gamma J)^-1 h gamma (f(u) - u'): of order h^4 where J is small, the error itself where
    J is large."""
    n = N[RK_SIZE]
    f = offset(S, N[RK_BASE])
    estimate = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_A]]
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_PROBE] + N[RK_SLOTS]), offset(S, N[RK_K]), estimate)
    for i in range(n):
        estimate[i] = hg * (f[i] - estimate[i])
    solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), estimate)
    error = scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), offset(S, N[RK_NEW]))
    C[RK_ERROR] = max(C[RK_ERROR], error) + (error - error)
    N[RK_PHASE] = RK_JUDGE
    return RK_GO
