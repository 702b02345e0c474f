"""Sums and norms of stage vectors, and how a kernel asks for the right-hand side."""

from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.layout import *


def weighted_sum(n, count, weights, K, out):
    """out = sum_j weights_j k_j."""
    for i in range(n):
        out[i] = 0.0
    for j in range(count):
        w = weights[j]
        if w != 0.0:
            k = offset(K, j * n)
            for i in range(n):
                out[i] += w * k[i]


def weighted_step(n, count, weights, h, K, y, out):
    """out = y + h sum_j weights_j k_j; the sum first, so that y is rounded once."""
    weighted_sum(n, count, weights, K, out)
    for i in range(n):
        out[i] = y[i] + h * out[i]


def copy_vector(n, x, out):
    """out = x."""
    for i in range(n):
        out[i] = x[i]


def defect(n, x):
    """0 when every entry is a finite number, else NaN."""
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return total


def scaled_square(N, C, S, count, x, y, z):
    """Sum over the first `count` entries of (x / (atol + rtol max(|y|, |z|)))^2."""
    atol = offset(S, N[RK_ATOL])
    rtol = C[RK_RTOL]
    total = 0.0
    for i in range(count):
        r = x[i] / (atol[i] + rtol * max(abs(y[i]), abs(z[i])))
        total += r * r
    return total


def scaled_norm(N, C, S, x, y, z):
    """Root of the mean of what `scaled_square` sums over the checked entries: 1 is the tolerance (HNW II.4.11)."""
    return sqrt(scaled_square(N, C, S, N[RK_CHECKED], x, y, z) / max(1, N[RK_CHECKED]))


def ask(N, C, t, y, out):
    """Say where the right-hand side or the event functions are wanted: time, place of the state, place of the answer."""
    C[RK_ASK_T] = t
    N[RK_ASK_Y] = y
    N[RK_ASK_OUT] = out


def slot(N, j):
    """Place of stage vector j."""
    return N[RK_K] + j * N[RK_SIZE]


def node(N, C, T, j):
    """Time t + c_j h of stage j. Rounding must not carry it beyond the end, where an input may jump."""
    return min(C[RK_T] + T[N[RK_NODES] + j] * C[RK_H_TRY], C[RK_T_NEW])
