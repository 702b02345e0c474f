"""J M^-1 J^T of a cluster of constraint equations: its factor, with redundant equations left out, and its solutions.

A = L L^T by Cholesky with diagonal pivoting among the equations that close. The column of L that a pivot makes is that of
its equation, and those of redundant equations are zero, so that sums over pivots are sums over equations in any order. An
equation is redundant when, after those before it, less than 1e-11 (or RANK_DROP, where that is more) of its SIZE_ is left,
SIZE_ being what its diagonal entry would be if nothing cancelled; its multiplier is zero in the basic solution, which gives
the right motion. Equations that are open have rows of L too, and are no pivots. `least_norm` has the multipliers for
reactions.
Ref: Higham, Accuracy and Stability of Numerical Algorithms (2002), section 10.3.

These kernels compare magnitudes, so they run on numbers, real or complex, not on symbols; of runs side by side on one at a
time, `one_run`, which has its own order of pivots.
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


def cluster_height(I, c):
    """Number of equations of cluster c, with open ones and sliding points: the length of the rows of its matrix."""
    b = cluster_row(I, c)
    return I[b + CLUSTER_ROWS] + I[b + CLUSTER_OPENS] + I[b + CLUSTER_FRICTIONS]


def factor_cluster(I, W, c):
    """L of cluster c from the lower half of A, the order of its pivots and its rank."""
    b = cluster_row(I, c)
    m, h, A, first = I[b + CLUSTER_ROWS], cluster_height(I, c), I[b + CLUSTER_DELASSUS], I[b + CLUSTER_ROW]
    L, order, left = A + delassus_factor_work(h), A + delassus_order_work(h, m), A + delassus_left_work(h, m)
    for i in range(h):
        W[order + i] = i + 0 * W[A]
    for i in range(m):
        W[left + i] = W[A + i * h + i]
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
        W[L + k * m + k] = pivot
        for i in range(rank + 1, h):
            j = int(W[order + i].real)
            x = W[A + max(j, k) * h + min(j, k)]
            for n in range(rank):
                s = int(W[order + n].real)
                x -= W[L + j * m + s] * W[L + k * m + s]
            x = x / pivot
            W[L + j * m + k] = x
            if i < m:
                W[left + j] -= x * x
        rank += 1
    for i in range(rank, m):
        k = int(W[order + i].real)
        for j in range(h):
            W[L + j * m + k] = 0 * W[A]
    W[A + delassus_rank_work(h, m)] = rank + 0 * W[A]


def cluster_factor(I, c):
    """Place in W of L of cluster c, whose rows are CLUSTER_ROWS long."""
    return I[cluster_row(I, c) + CLUSTER_DELASSUS] + delassus_factor_work(cluster_height(I, c))


def cluster_rank(I, W, c):
    """Number of independent equations of cluster c, after `factor_cluster`."""
    b = cluster_row(I, c)
    return int(W[I[b + CLUSTER_DELASSUS] + delassus_rank_work(cluster_height(I, c), I[b + CLUSTER_ROWS])].real)


def slot_of(I, W, c, n):
    """Which equation of cluster c, counted within it, is its n-th in the order of pivots; open ones come behind."""
    b = cluster_row(I, c)
    return int(W[I[b + CLUSTER_DELASSUS] + delassus_order_work(cluster_height(I, c), I[b + CLUSTER_ROWS]) + n].real)


def equation_of(I, c, slot):
    """Place in W of the equation that is counted `slot` within cluster c."""
    b = cluster_row(I, c)
    if slot < I[b + CLUSTER_ROWS]:
        return equation_work(I, I[b + CLUSTER_ROW] + slot)
    return equation_work(I, I[open_row(I, I[b + CLUSTER_OPEN] + slot - I[b + CLUSTER_ROWS]) + OPEN_ROW])


def reduce_rows(I, W, c, source, count, target):
    """L^-1 b for `count` right-hand sides: b in the equations' rows from `source` on, the result of a pivot left in the row
    of its equation from `target` on; zero for redundant equations."""
    m, L, rank = I[cluster_row(I, c) + CLUSTER_ROWS], cluster_factor(I, c), cluster_rank(I, W, c)
    for i in range(m):
        k = slot_of(I, W, c, i)
        x = equation_of(I, c, k)
        for r in range(count):
            W[x + target + r] = W[x + source + r] if i < rank else 0 * W[x + source + r]
        if i >= rank:
            continue
        for n in range(i):
            s = slot_of(I, W, c, n)
            y, factor = equation_of(I, c, s) + target, W[L + k * m + s]
            for r in range(count):
                W[x + target + r] -= factor * W[y + r]
        scale_by = 1 / W[L + k * m + k]
        for r in range(count):
            W[x + target + r] = W[x + target + r] * scale_by


def raise_multipliers(I, W, c):
    """Basic solution L^-T z, with z where the multipliers are left; redundant equations get zero."""
    m, L, rank = I[cluster_row(I, c) + CLUSTER_ROWS], cluster_factor(I, c), cluster_rank(I, W, c)
    for i in range(m - 1, -1, -1):
        k = slot_of(I, W, c, i)
        x = equation_of(I, c, k) + MULTIPLIER
        if i >= rank:
            W[x] = 0 * W[OMEGA]
            continue
        for n in range(i + 1, rank):
            j = slot_of(I, W, c, n)
            W[x] -= W[L + j * m + k] * W[equation_of(I, c, j) + MULTIPLIER]
        W[x] = W[x] / W[L + k * m + k]
