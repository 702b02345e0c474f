"""Multipliers of least norm where equations are redundant, for reactions: the same effect, shared as evenly as can be.

Changes x of the multipliers have no effect where, in every cluster and in the order of its pivots,

    L_nn x_n + sum_i>n L_in x_i = 0 ,                                                                                    (1)

those of redundant and of open equations being free. Half the sum of squares of lambda + x, x . H x/2 + g . x + const., is
made least from the outermost clusters inward. For a redundant equation d, H_dd x_d + sum_i>d H_di x_i + g_d = 0 takes the
place of (1). So x_n follows from those behind it, x_n = sum f_i x_i (- g_d/H_dd), which leaves

    H_rs += f_r H_ns + f_s H_nr + f_r f_s H_nn ,    g_r += f_r g_n ,                                                     (2)

and at last what depends on the open equations alone: it joins the sum of the next cluster. The changes follow outward.
Cost goes with the cubes of the sizes of single clusters. These kernels run on numbers, real or complex, not on symbols.
"""

from kaneflex.formulations.multipliers import cluster_factor, cluster_height, cluster_rank, equation_of, slot_of
from kaneflex.kernels.layout import *


def spread_multipliers(I, W):
    """Multipliers of least norm with the same effect, in all clusters."""
    redundant = 0
    for c in range(I[CLUSTERS]):
        redundant += I[cluster_row(I, c) + CLUSTER_ROWS] - cluster_rank(I, W, c)
    if redundant > 0:
        for c in range(I[CLUSTERS]):
            begin_squares(I, W, c)
        for c in range(I[CLUSTERS] - 1, -1, -1):
            reduce_squares(I, W, c)
            pass_squares(I, W, c)
        for c in range(I[CLUSTERS]):
            shift_multipliers(I, W, c)


def spread_cluster(I, W, c):
    """`spread_multipliers` for cluster c, which has no open equations and to which none were passed."""
    begin_squares(I, W, c)
    reduce_squares(I, W, c)
    shift_multipliers(I, W, c)


def members(I, c):
    """Number of equations of cluster c, open ones included."""
    return I[cluster_row(I, c) + CLUSTER_ROWS] + I[cluster_row(I, c) + CLUSTER_OPENS]


def slope_place(I, c):
    """Place in W of g of cluster c."""
    b = cluster_row(I, c)
    return I[b + CLUSTER_DELASSUS] + delassus_slope_work(cluster_height(I, c), I[b + CLUSTER_ROWS])


def begin_squares(I, W, c):
    """H and g of the multipliers of the equations that close in cluster c, in place of A."""
    b, h = cluster_row(I, c), cluster_height(I, c)
    H, g, m = I[b + CLUSTER_DELASSUS], slope_place(I, c), I[b + CLUSTER_ROWS]
    for i in range(members(I, c)):
        for j in range(members(I, c)):
            W[H + i * h + j] = 0 * W[OMEGA]
        W[g + i] = 0 * W[OMEGA]
    for i in range(m):
        W[H + i * h + i] += 1
        W[g + i] = W[equation_of(I, c, i) + MULTIPLIER]


def following(I, W, c, n, r):
    """f_r: how much the change of the n-th equation of cluster c, in the order of pivots, follows that of the slot r."""
    b, k = cluster_row(I, c), slot_of(I, W, c, n)
    if n < cluster_rank(I, W, c):
        L, m = cluster_factor(I, c), I[b + CLUSTER_ROWS]
        return -W[L + r * m + k] / W[L + k * m + k]
    row = I[b + CLUSTER_DELASSUS] + k * cluster_height(I, c)
    return -W[row + r] / W[row + k]


def reduce_squares(I, W, c):
    """Eq. (2) for the equations that close in cluster c: what is left depends on open ones."""
    b, h, every = cluster_row(I, c), cluster_height(I, c), members(I, c)
    H, g = I[b + CLUSTER_DELASSUS], slope_place(I, c)
    for n in range(I[b + CLUSTER_ROWS] if every > cluster_rank(I, W, c) else 0):
        k = slot_of(I, W, c, n)
        row = H + k * h
        for i in range(n + 1, every):
            r = slot_of(I, W, c, i)
            f = following(I, W, c, n, r)
            W[g + r] += f * W[g + k]
            for j in range(n + 1, i + 1):
                s = slot_of(I, W, c, j)
                e = following(I, W, c, n, s)
                W[H + r * h + s] += f * W[row + s] + e * W[row + r] + f * e * W[row + k]
                W[H + s * h + r] = W[H + r * h + s]


def pass_squares(I, W, c):
    """Add what is left in cluster c to the cluster further in that has its open equations."""
    b, h = cluster_row(I, c), cluster_height(I, c)
    m, H, g = I[b + CLUSTER_ROWS], I[b + CLUSTER_DELASSUS], slope_place(I, c)
    for i in range(I[b + CLUSTER_OPENS]):
        other = I[b + CLUSTER_NEXT]
        r, on = I[open_row(I, I[b + CLUSTER_OPEN] + i) + OPEN_SLOT], I[cluster_row(I, other) + CLUSTER_DELASSUS]
        for j in range(I[b + CLUSTER_OPENS]):
            s = I[open_row(I, I[b + CLUSTER_OPEN] + j) + OPEN_SLOT]
            W[on + r * cluster_height(I, other) + s] += W[H + (m + i) * h + m + j]
        W[slope_place(I, other) + r] += W[g + m + i]


def shift_multipliers(I, W, c):
    """The changes in cluster c, those of its open equations being known, and the multipliers with them."""
    b, h, rank = cluster_row(I, c), cluster_height(I, c), cluster_rank(I, W, c)
    for n in range(I[b + CLUSTER_ROWS] - 1, -1, -1):
        k = slot_of(I, W, c, n)
        x = equation_of(I, c, k)
        W[x + SHIFT] = 0 * W[OMEGA]
        if n >= rank:
            W[x + SHIFT] -= W[slope_place(I, c) + k] / W[I[b + CLUSTER_DELASSUS] + k * h + k]
        for i in range(n + 1, members(I, c)):
            r = slot_of(I, W, c, i)
            W[x + SHIFT] += following(I, W, c, n, r) * W[equation_of(I, c, r) + SHIFT]
        W[x + MULTIPLIER] += W[x + SHIFT]
