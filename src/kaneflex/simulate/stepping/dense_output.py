"""Dense output: the state within the last step."""

from kaneflex.formulations.evaluate import normalise
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import copy_vector


def dense_state(I, N, C, S, x, out):
    """The normalised state at t + x h: y + h x (F_0 + (1-x) (F_1 + x (F_2 + (1-x) (F_3 + ...)))) (HNW II.6)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    for i in range(n):
        out[i] = 0.0
    for j in range(N[RK_TERMS] - 1, -1, -1):
        F = offset(S, N[RK_F] + j * n)
        factor = 1.0 - x if j % 2 == 1 else x
        for i in range(n):
            out[i] = (out[i] + F[i]) * factor
    for i in range(n):
        out[i] = y[i] + C[RK_H_TRY] * out[i]
    normalise(I, out)


def fill_samples(I, N, C, S, times, samples):
    """Fill the samples that are due up to T_NEW; one exactly there gets the new state itself."""
    n = N[RK_SIZE]
    while N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] <= C[RK_T_NEW]:
        t = times[N[RK_FILLED]]
        row = offset(samples, N[RK_FILLED] * n)
        if t == C[RK_T_NEW]:
            copy_vector(n, offset(S, N[RK_NEW]), row)
        else:
            dense_state(I, N, C, S, (t - C[RK_T]) / C[RK_H_TRY], row)
        N[RK_FILLED] += 1
