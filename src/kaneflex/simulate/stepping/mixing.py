"""Corrections by an approximate Newton's matrix, mixed so that they converge as if it were better.

With d(x) for the correction that the matrix gives at x, the iteration x <- x + d goes slowly where the matrix is wrong. Of
the last differences dx_j, dd_j of successive x and d, that combination is taken which leaves least of d,

    min over c of |d - sum c_j dd_j| ,     x <- x + d - sum c_j (dx_j + dd_j) ,                                     (1)

in the norm of the tolerances. On a linear problem that is GMRES with this matrix as preconditioner, one evaluation of all
stages for each of its products. The differences serve from stage to stage and step to step, as long as the matrix does.
Ref: Anderson, J. ACM 12 (1965) 547; Walker and Ni, SIAM J. Numer. Anal. 49 (2011) 1715.
"""

from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.layout import *


def mixed_length(blocks, n):
    """Numbers that `mix` keeps: x, d, differences of both, weights, a small system of equations and sizes of its columns."""
    return (2 + 2 * RK_DEPTH) * blocks * n + n + RK_DEPTH * (RK_DEPTH + 2)


def mix(N, C, S, blocks, x, d):
    """Eq. (1) for x of `blocks` vectors like y, after N[RK_COUNT] corrections of it; plain x + d where those are not to be
    mixed. Work takes d as it is: nothing depends on it."""
    n, count = N[RK_SIZE], N[RK_COUNT]
    length, active = blocks * n, n - N[RK_WORKS]
    old = offset(S, N[RK_MIXED])
    moves, changes = offset(old, 2 * length), offset(old, (2 + RK_DEPTH) * length)
    weights = offset(old, (2 + 2 * RK_DEPTH) * length)
    G = offset(weights, n)
    if count == 0:
        for i in range(n):
            scale = S[N[RK_ATOL] + i] + C[RK_RTOL] * abs(S[N[RK_Y] + i])
            weights[i] = 1.0 / (scale * scale) if i < active and i < N[RK_CHECKED] else 0.0
    else:
        j = N[RK_PAIRS] % RK_DEPTH * length
        N[RK_PAIRS] += 1
        for i in range(length):
            moves[j + i] = x[i] - old[i]
            changes[j + i] = d[i] - old[length + i]
    for i in range(length):
        old[i] = x[i]
        old[length + i] = d[i]
        x[i] += d[i]
    used = min(N[RK_PAIRS], RK_DEPTH) if N[RK_MIXES] == 1 else 0
    best_combination(n, blocks, used, weights, changes, d, G)
    for j in range(used):
        c = G[RK_DEPTH * RK_DEPTH + j]
        for b in range(blocks):
            for i in range(b * n, b * n + active):
                x[i] -= c * (moves[j * length + i] + changes[j * length + i])


def best_combination(n, blocks, used, weights, changes, d, G):
    """c of Eq. (1), after the matrix of products of the dd_j in G; 0 for one that follows from those before it."""
    length, c = blocks * n, offset(G, RK_DEPTH * RK_DEPTH)
    sizes = offset(c, RK_DEPTH)
    for j in range(used):
        for k in range(j, used):
            first, second = offset(changes, j * length), offset(changes, k * length)
            G[j * RK_DEPTH + k] = weighted_product(n, blocks, weights, first, second)
            G[k * RK_DEPTH + j] = G[j * RK_DEPTH + k]
        c[j] = weighted_product(n, blocks, weights, offset(changes, j * length), d)
        sizes[j] = G[j * RK_DEPTH + j]
    for j in range(used):  # elimination, whose pivots are what is left of each dd_j
        pivot = G[j * RK_DEPTH + j]
        kept = pivot > 1e-12 * sizes[j]
        for k in range(j + 1, used):
            factor = G[k * RK_DEPTH + j] / pivot if kept else 0.0
            for m in range(j, used):
                G[k * RK_DEPTH + m] -= factor * G[j * RK_DEPTH + m]
            c[k] -= factor * c[j]
        if not kept:
            G[j * RK_DEPTH + j] = 0.0
    for j in range(used - 1, -1, -1):
        for k in range(j + 1, used):
            c[j] -= G[j * RK_DEPTH + k] * c[k]
        c[j] = c[j] / G[j * RK_DEPTH + j] if G[j * RK_DEPTH + j] > 0.0 else 0.0


def weighted_product(n, blocks, weights, a, b):
    """sum of a_i b_i weight_i over all blocks, in two sums that need not wait for each other."""
    even, odd, last = 0.0, 0.0, n - n % 2
    for k in range(0, blocks * n, n):
        for i in range(0, last, 2):
            even += a[k + i] * b[k + i] * weights[i]
            odd += a[k + i + 1] * b[k + i + 1] * weights[i + 1]
        if last < n:
            even += a[k + last] * b[k + last] * weights[last]
    return even + odd
