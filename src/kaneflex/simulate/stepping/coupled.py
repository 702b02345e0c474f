"""Implicit Runge-Kutta steps whose three stages are found together, as in RADAU5 (HW IV.8).

The stages Y_i = y + z_i satisfy z = h A f(y + z). With A^-1 = E Lambda E^-1, Lambda made of one real eigenvalue and one
complex pair, and w = E^-1 z, a simplified Newton correction falls apart into a real and a complex system of the size of y,

    (1 - h gamma J) dw_1 = -w_1 + h gamma g_1 ,                 gamma = 1 / real eigenvalue ,                        (1)
    (1 - h mu J) dv = -v + h mu (g_2 + i g_3) ,    v = w_2 + i w_3 ,   mu = 1 / conjugate of the complex one,        (2)

with g = E^-1 f(y + z). The error is estimated by (1 - h gamma J)^-1 h E k, see `implicit.filtered_error`.
"""

from kaneflex.formulations.evaluate import normalise
from kaneflex.formulations.tree_matrix import solve_tree_complex
from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.implicit import filtered_error, look_or_probe, probe_dense
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.mixing import mix
from kaneflex.simulate.stepping.newton import (
    correction_norm,
    expected_rate,
    factor_shifted,
    factor_tree,
    new_factors,
    newton_verdict,
    slow_rate,
    solve_factored,
    solve_newton,
)
from kaneflex.simulate.stepping.vectors import ask, defect, node, scaled_norm, slot, weighted_sum


def begin_coupled(I, P, W, N, C, T, S, L, Z, pivot):
    """Newton's two matrices, then the stages from where the step before would have led, its polynomial carried on: z_i =
    u(1 + c_i h/h_old) - u(1), after a start zero (HW IV.8.5)."""
    n, h = N[RK_SIZE], C[RK_H_TRY]
    C[RK_ERROR] = 10.5 if N[RK_SMOOTH] == 1 else 1e300  # of a step without stages: then half of it is tried, or a fifth
    C[RK_RATE] = 0.0
    if N[RK_FACTORED] == 0 or C[RK_H_LU] != h:
        new_factors(N, C)
        gamma, mu = T[N[RK_GAMMA]], complex(T[N[RK_GAMMA] + 1], T[N[RK_GAMMA] + 2])
        places = offset(pivot, 2 * n)
        if N[RK_MATRIX] == RK_TREE:
            factor_tree(I, P, W, N, C, T, S, L, mu.real, mu.imag)
        else:
            N[RK_FACTORED] = factor_shifted(N, S, h * gamma, L, pivot, places)
            if N[RK_FACTORED] == 1:
                N[RK_FACTORED] = factor_shifted(N, S, h * mu, offset(Z, n), offset(pivot, n), places)
        if N[RK_FACTORED] == 0:
            N[RK_PHASE] = RK_FAILED
            return RK_GO
    F = offset(S, N[RK_F])
    for i in range(3):
        z = offset(S, N[RK_Z] + i * n)
        x = 1.0 + T[N[RK_NODES] + i] * h / C[RK_H_OLD] if N[RK_SMOOTH] == 1 else 1.0
        for m in range(n):
            z[m] = 0.0
            if N[RK_SMOOTH] == 1:
                z[m] = C[RK_H_OLD] * (x * (F[m] + (1.0 - x) * (F[n + m] + x * F[2 * n + m])) - F[m])
    combine_stages(n, offset(T, N[RK_AXES] + 9), offset(S, N[RK_Z]), offset(S, N[RK_Z] + 3 * n))
    C[RK_ETA] = expected_rate(N, C)
    N[RK_COUNT] = 0
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_STAGE
    return RK_GO


def combine_stages(n, M, x, out):
    """out_i = sum_j M_ij x_j, three vectors each."""
    for i in range(3):
        for m in range(n):
            out[i * n + m] = M[3 * i] * x[m] + M[3 * i + 1] * x[n + m] + M[3 * i + 2] * x[2 * n + m]


def coupled_stage(N, C, T, S):
    """Want the slope of the next stage."""
    n, i = N[RK_SIZE], N[RK_INDEX]
    y, z = offset(S, N[RK_Y]), offset(S, N[RK_Z] + i * n)
    for m in range(n):
        S[N[RK_TRY] + m] = y[m] + z[m]
    ask(N, C, node(N, C, T, i), N[RK_TRY], slot(N, i))
    N[RK_INDEX] = i + 1
    N[RK_PHASE] = RK_CORRECT if i + 1 == 3 else RK_STAGE
    return RK_SLOPE


def coupled_correct(I, P, N, C, T, S, L, Z, pivot):
    """A simplified Newton correction, (1) and (2), and whether another one is needed."""
    n, h = N[RK_SIZE], C[RK_H_TRY]
    gamma, mu = T[N[RK_GAMMA]], complex(T[N[RK_GAMMA] + 1], T[N[RK_GAMMA] + 2])
    B, k = offset(T, N[RK_AXES] + 9), offset(S, N[RK_K])
    w, d = offset(S, N[RK_Z] + 3 * n), offset(S, N[RK_DELTA])
    for m in range(n):
        g1 = B[0] * k[m] + B[1] * k[n + m] + B[2] * k[2 * n + m]
        g2 = B[3] * k[m] + B[4] * k[n + m] + B[5] * k[2 * n + m]
        g3 = B[6] * k[m] + B[7] * k[n + m] + B[8] * k[2 * n + m]
        d[m] = h * gamma * g1 - w[m]
        v = h * mu * complex(g2, g3) - complex(w[n + m], w[2 * n + m])
        d[n + m] = v.real
        d[2 * n + m] = v.imag
    solve_newton(I, P, N, C, T, S, L, pivot, d)
    solve_pair(I, P, N, S, L, Z, pivot, h * mu, offset(d, n))
    before = C[RK_NORM]
    C[RK_NORM] = correction_norm(N, C, S, 3, d)
    N[RK_CORRECTIONS] += 1
    mix(N, C, S, 3, w, d)
    combine_stages(n, offset(T, N[RK_AXES]), w, offset(S, N[RK_Z]))
    N[RK_PHASE] = RK_FAILED
    bad = defect(3 * n, offset(S, N[RK_Z]))
    if bad != 0.0:
        C[RK_ERROR] = bad
        return RK_GO
    tolerance = max(2.2e-15 / max(C[RK_RTOL], 2.2e-13), min(0.03, sqrt(C[RK_RTOL])))
    verdict = newton_verdict(N, C, N[RK_COUNT], C[RK_NORM], before, tolerance, RK_SWEEPS)
    N[RK_COUNT] += 1
    N[RK_INDEX] = 0
    if verdict == 1 and N[RK_COUNT] < RK_PATIENT:
        N[RK_PHASE] = RK_STAGE
    elif verdict == 0:
        N[RK_PHASE] = RK_OUTCOME
    return RK_GO


def solve_pair(I, P, N, S, L, Z, pivot, shift, d):
    """Eq. (2) solved for its right side, whose parts are two vectors at d, in place."""
    n = N[RK_SIZE]
    if N[RK_MATRIX] == RK_TREE:
        solve_tree_complex(I, P, L, offset(S, N[RK_POINT]), shift.real, shift.imag, d, offset(d, n))
        return
    for m in range(n):
        Z[m] = complex(d[m], d[n + m])
    solve_factored(n, offset(Z, n), offset(pivot, n), Z)
    for m in range(n):
        d[m] = Z[m].real
        d[n + m] = Z[m].imag


def coupled_outcome(I, P, N, C, T, S, L, pivot):
    """The slopes k = A^-1 z / h, the new state y + z_3, and the error. Where that is too large at the beginning or after a
    rejected step, its estimate is filtered once more (HW IV.8.20)."""
    n, h = N[RK_SIZE], C[RK_H_TRY]
    y, z, k = offset(S, N[RK_Y]), offset(S, N[RK_Z]), offset(S, N[RK_K])
    combine_stages(n, offset(T, N[RK_AXES] + 18), z, k)
    for m in range(3 * n):
        k[m] /= h
    for m in range(n):
        S[N[RK_NEW] + m] = y[m] + z[2 * n + m]
    error = filtered_error(I, P, N, C, T, S, L, pivot) if N[RK_ADAPTIVE] == 1 else 0.0
    if error > 1.0 and (N[RK_SMOOTH] == 0 or N[RK_SHRUNK] == 1):
        for m in range(n):
            S[N[RK_TRY] + m] = y[m] + h * S[N[RK_DELTA] + m]
        ask(N, C, C[RK_T], N[RK_TRY], N[RK_BASE])
        N[RK_PHASE] = RK_REFINE
        return RK_SLOPE
    return coupled_done(I, N, C, T, S, error, 0)


def coupled_refine(I, P, N, C, T, S, L, pivot):
    """The error with f(y + error) in the place of f(y)."""
    n = N[RK_SIZE]
    estimate = offset(S, N[RK_DELTA])
    first = offset(S, slot(N, N[RK_FIRST]))
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_E]), offset(S, N[RK_K]), estimate)
    for m in range(n):
        estimate[m] += T[N[RK_GAMMA]] * (S[N[RK_BASE] + m] - first[m])
    solve_newton(I, P, N, C, T, S, L, pivot, estimate)
    error = C[RK_H_TRY] * scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), offset(S, N[RK_NEW]))
    return coupled_done(I, N, C, T, S, error, 1)


def coupled_done(I, N, C, T, S, error, refined):
    """Normalise a state that is accepted, keep the Jacobian where Newton's method converges fast, and look at the dense
    output."""
    C[RK_ERROR] = error + (error - error)
    N[RK_PHASE] = RK_JUDGE
    if error <= 1.0:
        normalise(I, offset(S, N[RK_NEW]))
        N[RK_JACOBIAN] = 0 if C[RK_RATE] > slow_rate(N) else 1
    if error <= 1.0:
        return probe_dense(N, C, T, S) if refined == 1 else look_or_probe(N, C, T, S)
    return RK_GO


def keep_polynomial(N, C):
    """After a step: F is its polynomial, to be carried on unless an event ended the step within. The slope at its end is
    wanted anew, for k_3 is that to the accuracy of Newton's method only."""
    N[RK_SMOOTH] = N[RK_VALID]
    N[RK_VALID] = 0
    C[RK_H_OLD] = C[RK_H_TRY]
