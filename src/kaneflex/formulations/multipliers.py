"""J M^-1 J^T of a group of constraint equations: its factor, with redundant equations left out, and its solutions.

A = L L^T by Cholesky with diagonal pivoting. An equation is redundant when, after those before it, less than 1e-11 (or
RANK_DROP, where that is more) of its SIZE_ is left, SIZE_ being what its diagonal entry would be if nothing cancelled; its
multiplier is zero in the basic solution, which gives the right motion. The multipliers of least norm, for reactions, follow
from it: with K = L_2 L_1^-1 (redundant rows in terms of the others), x = [1; K] (1 + K^T K)^-1 x_basic.
Ref: Higham, Accuracy and Stability of Numerical Algorithms (2002), section 10.3.

These kernels compare magnitudes, so they run on numbers, real or complex, not on symbols.
"""

from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt


def begin_rank(I, W):
    """Nothing is known yet of how independent the equations are."""
    W[I[W_RANK] + RANK_LEAST] = 1 + 0 * W[OMEGA]
    W[I[W_RANK] + RANK_ROW] = 0 * W[OMEGA]
    W[I[W_RANK] + RANK_COUNT] = 0 * W[OMEGA]


def note_pivot(I, W, row, share):
    """Equation `row` is independent of those before it by a share of its size."""
    x = I[W_RANK]
    W[x + RANK_COUNT] += 1
    if share < W[x + RANK_LEAST].real:
        W[x + RANK_LEAST] = share + 0 * W[OMEGA]
        W[x + RANK_ROW] = row + 0 * W[OMEGA]


def least_share(I, W):
    """Share below which an equation counts as redundant."""
    return max(1e-11, W[I[W_RANK] + RANK_DROP].real)


def factor_cluster(I, W, c):
    """L of cluster c from the lower half of A, the order of its pivots and its rank."""
    b = cluster_row(I, c)
    m, A, first = I[b + CLUSTER_ROWS], I[b + CLUSTER_DELASSUS], I[b + CLUSTER_ROW]
    L, order, left = A + delassus_factor_work(m), A + delassus_order_work(m), A + delassus_left_work(m)
    for i in range(m):
        W[left + i] = W[A + i * m + i]
        W[order + i] = i + 0 * W[A]
    rank, redundant = 0, least_share(I, W)
    while rank < m:
        best, most = rank, 0.0
        for i in range(rank, m):
            k = int(W[order + i].real)
            size = W[equation_work(I, first + k) + SIZE_].real
            if size > 0.0 and W[left + k].real > most * size:
                best, most = i, W[left + k].real / size
        if not most > redundant:
            break
        k = int(W[order + best].real)
        note_pivot(I, W, first + k, most)
        W[order + best] = W[order + rank]
        W[order + rank] = k + 0 * W[A]
        pivot = sqrt(W[left + k])
        W[L + k * m + rank] = pivot
        for i in range(rank + 1, m):
            j = int(W[order + i].real)
            x = W[A + max(j, k) * m + min(j, k)]
            for n in range(rank):
                x -= W[L + j * m + n] * W[L + k * m + n]
            x = x / pivot
            W[L + j * m + rank] = x
            W[left + j] -= x * x
        rank += 1
    W[A + delassus_rank_work(m)] = rank + 0 * W[A]


def cluster_rank(I, W, c):
    """Number of independent equations of cluster c, after `factor_cluster`."""
    b = cluster_row(I, c)
    m = I[b + CLUSTER_ROWS]
    return int(W[I[b + CLUSTER_DELASSUS] + delassus_rank_work(m)].real)


def pivot_of(I, W, c, n):
    """Which equation of cluster c, counted within it, is its n-th pivot."""
    b = cluster_row(I, c)
    m = I[b + CLUSTER_ROWS]
    return int(W[I[b + CLUSTER_DELASSUS] + delassus_order_work(m) + n].real)


def solve_cluster(I, W, c, source, count, target):
    """Basic solutions of A x = b for `count` right-hand sides: b in the equations' rows from `source` on, x left from
    `target` on. Redundant equations get zero."""
    b = cluster_row(I, c)
    m, A, first = I[b + CLUSTER_ROWS], I[b + CLUSTER_DELASSUS], I[b + CLUSTER_ROW]
    L, order, rank = A + delassus_factor_work(m), A + delassus_order_work(m), cluster_rank(I, W, c)
    for i in range(m):
        k = int(W[order + i].real)
        x = equation_work(I, first + k)
        for r in range(count):
            W[x + target + r] = W[x + source + r] if i < rank else 0 * W[x + source + r]
        if i < rank:
            for n in range(i):
                y, factor = equation_work(I, first + int(W[order + n].real)) + target, W[L + k * m + n]
                for r in range(count):
                    W[x + target + r] -= factor * W[y + r]
            scale_by = 1 / W[L + k * m + i]
            for r in range(count):
                W[x + target + r] = W[x + target + r] * scale_by
    for i in range(rank - 1, -1, -1):
        k = int(W[order + i].real)
        x = equation_work(I, first + k) + target
        for n in range(i + 1, rank):
            j = int(W[order + n].real)
            y, factor = equation_work(I, first + j) + target, W[L + j * m + i]
            for r in range(count):
                W[x + r] -= factor * W[y + r]
        scale_by = 1 / W[L + k * m + i]
        for r in range(count):
            W[x + r] = W[x + r] * scale_by


def solve_loads(I, W, c):
    """A^-1 of the six components of the carried loads and of BETA, for cluster c."""
    factor_cluster(I, W, c)
    solve_cluster(I, W, c, CLOSING_WRENCH, 7, SPREAD)


def spread_multipliers(I, W, c):
    """Multipliers of least norm with the same effect, for cluster c, by projecting out combinations of no effect.

    A combination of no effect is z = (-K^T y, y); with N = [-K^T; 1] the multipliers become x - N (N^T N)^-1 N^T x,
    solved by conjugate directions on N^T N = 1 + K K^T, whose eigenvalues are 1 and above.
    """
    b = cluster_row(I, c)
    m, rank = I[b + CLUSTER_ROWS], cluster_rank(I, W, c)
    first, A = I[b + CLUSTER_ROW], I[b + CLUSTER_DELASSUS]
    L, order, z = A + delassus_factor_work(m), A + delassus_order_work(m), 0 * W[A]
    # the columns of N, each made orthogonal to those before it, kept in A (no longer needed): K L_1 = L_2, from the last
    # entry of a row of K back
    for i in range(rank, m):
        j = int(W[order + i].real)
        v = A + i * m
        for n in range(m):
            W[v + n] = z
        for n in range(rank - 1, -1, -1):
            x = -W[L + j * m + n]
            for p in range(n + 1, rank):
                k = int(W[order + p].real)
                x -= W[v + k] * W[L + k * m + n]
            k = int(W[order + n].real)
            W[v + k] = x / W[L + k * m + n]
        W[v + j] = 1 + z
        for p in range(rank, i):
            remove_direction(W, A + p * m, v, m)
        for p in range(rank, i):
            remove_direction(W, A + p * m, v, m)
        norm = z
        for n in range(m):
            norm += W[v + n] * W[v + n]
        for n in range(m):
            W[v + n] = W[v + n] / sqrt(norm)
        share = z
        for n in range(m):
            share += W[v + n] * W[equation_work(I, first + n) + MULTIPLIER]
        for n in range(m):
            W[equation_work(I, first + n) + MULTIPLIER] -= share * W[v + n]


def remove_direction(W, unit, v, m):
    """v <- v - (unit . v) unit."""
    share = 0 * W[v]
    for n in range(m):
        share += W[unit + n] * W[v + n]
    for n in range(m):
        W[v + n] -= share * W[unit + n]
