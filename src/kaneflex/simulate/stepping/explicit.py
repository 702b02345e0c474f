"""Explicit Runge-Kutta steps, any tableau."""

from kaneflex.formulations.evaluate import normalise
from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import ask, node, scaled_square, slot, weighted_step, weighted_sum


def explicit_stage(N, C, T, S):
    """Want the next stage, k_j = f(t + c_j h, y + h sum a_jl k_l), of the step or of the dense output."""
    j = N[RK_INDEX]
    # the argument of an FSAL method's last stage is the new state
    tried = N[RK_NEW] if N[RK_FSAL] == 1 and j == N[RK_LAST] else N[RK_TRY]
    row = offset(T, N[RK_A] + j * N[RK_SLOTS])
    weighted_step(N[RK_SIZE], j, row, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), offset(S, tried))
    ask(N, C, node(N, C, T, j), tried, slot(N, j))
    N[RK_INDEX] = j + 1
    if j + 1 == N[RK_END]:
        N[RK_PHASE] = RK_RESULT if N[RK_END] == N[RK_STAGES] else RK_DENSE


def explicit_error(N, C, T, S):
    """Norm of the error estimate h E k, NaN when it is not finite. Two estimates e5, e3 are joined as
    h e5^2 / sqrt(e5^2 + e3^2 / 100), which is of order 8 (HNW II.5, DOP853)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    new = offset(S, N[RK_NEW])
    K = offset(S, N[RK_K])
    estimate = offset(S, N[RK_F])
    if N[RK_ADAPTIVE] == 0:
        return 0.0
    weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), K, estimate)
    square = scaled_square(N, C, S, N[RK_CHECKED], estimate, y, new)
    if N[RK_ESTIMATES] == 2 and square > 0.0:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E] + N[RK_SLOTS]), K, estimate)
        square = square * square / (square + 0.01 * scaled_square(N, C, S, N[RK_CHECKED], estimate, y, new))
    error = C[RK_H_TRY] * sqrt(square / max(1, N[RK_CHECKED]))
    return error + (error - error)


def explicit_result(I, N, C, T, S):
    """All stages are there: the new state, normalised when its error is small enough, and the slope there."""
    new = offset(S, N[RK_NEW])
    if N[RK_FSAL] == 0:
        weights = offset(T, N[RK_B])
        weighted_step(N[RK_SIZE], N[RK_STAGES], weights, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), new)
    C[RK_ERROR] = explicit_error(N, C, T, S)
    N[RK_PHASE] = RK_JUDGE
    if C[RK_ERROR] <= 1.0:
        normalise(I, new)
        # an FSAL slope was taken before normalising, which moves the state by no more than the local error
        if N[RK_FSAL] == 0:
            ask(N, C, C[RK_T_NEW], N[RK_NEW], slot(N, N[RK_LAST]))
            return RK_SLOPE
    return RK_GO
