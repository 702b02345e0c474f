"""Constraints embedded: dependent speeds are expressed by independent ones and leave the equations.

Gauss-Jordan elimination with complete pivoting turns J u-dot = -beta into u-dot_D = h - G u-dot_I; with
u-dot = T u-dot_I + h, Kane's equations of the independent speeds are

    (T^T M T) u-dot_I = T^T (F - M h) ,                                                                     (1)

without multipliers (Kane and Levinson, Dynamics (1985), section 4.4: partial velocities of a nonholonomic system). The
multipliers follow afterwards from the equations of the dependent speeds. A pivot is judged like one of `multipliers`, and
redundant equations drop out. These kernels compare magnitudes, so they run on numbers, not on symbols.
"""

from kaneflex.formulations.dense_solve import factor_mass, solve_mass
from kaneflex.formulations.multipliers import cluster_height, least_share, note_pivot
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset


def reduce_equations(I, W):
    """Gauss-Jordan elimination of J and BETA, noted in E (a unit matrix before); of each speed the equation that it is
    dependent by, or -1. Each pivot is the entry with the largest share of its equation's SIZE_."""
    n, m, J, kind = I[SPEEDS], I[ROWS], I[W_JACOBIAN], I[W_OWN] + embedded_kind_work(I[SPEEDS])
    E = I[cluster_row(I, 0 * n) + CLUSTER_DELASSUS]
    done = E + delassus_factor_work(cluster_height(I, 0 * n))
    for r in range(m):
        W[done + r] = 0 * W[OMEGA]
        for s in range(m):
            W[E + r * m + s] = 0 * W[OMEGA]
        W[E + r * m + r] += 1
    for s in range(n):
        W[kind + s] = -1 + 0 * W[OMEGA]
    redundant = least_share(I, W)
    for _ in range(m):
        best, row, column = 0.0, 0, 0
        for r in range(m):
            for s in range(n):
                if W[done + r].real == 0.0 and W[kind + s].real < 0.0 and I[column_row(I, s) + PRESCRIBED] == 0:
                    x, size = W[J + r * n + s].real, W[equation_work(I, r) + SIZE_].real
                    share = x * x / (W[I[W_MASS] + s * n + s].real * size) if size > 0.0 else 0.0
                    if share > best:
                        best, row, column = share, r, s
        if not best > redundant:
            break
        note_pivot(I, W, row, best)
        W[done + row] += 1
        W[kind + column] = row + 0 * W[OMEGA]
        sweep_out(I, W, E, row, column)


def sweep_out(I, W, E, row, column):
    """Scale an equation so that it has 1 at a column, and take that column out of the others."""
    n, m, J = I[SPEEDS], I[ROWS], I[W_JACOBIAN]
    factor = 1 / W[J + row * n + column]
    for s in range(n):
        W[J + row * n + s] = W[J + row * n + s] * factor
    for s in range(m):
        W[E + row * m + s] = W[E + row * m + s] * factor
    pivot = equation_work(I, row) + BETA
    W[pivot] = W[pivot] * factor
    for r in range(m):
        factor = W[J + r * n + column]
        if r != row:
            for s in range(n):
                W[J + r * n + s] -= factor * W[J + row * n + s]
            for s in range(m):
                W[E + r * m + s] -= factor * W[E + row * m + s]
            W[equation_work(I, r) + BETA] -= factor * W[pivot]


def slope_of(I, W, s, i):
    """T_si: rate of speed s by that of the independent speed i."""
    kind = I[W_OWN] + embedded_kind_work(I[SPEEDS])
    row = int(W[kind + s].real)
    value = 0 * W[OMEGA]
    if s == i:
        value += 1
    elif row >= 0:
        value -= W[I[W_JACOBIAN] + row * I[SPEEDS] + i]
    return value


def is_independent(I, W, s):
    """1 when speed s is neither dependent nor prescribed."""
    kind = I[W_OWN] + embedded_kind_work(I[SPEEDS])
    return 1 if W[kind + s].real < 0.0 and I[column_row(I, s) + PRESCRIBED] == 0 else 0


def particular(I, W):
    """h: rates with those of the independent speeds zero."""
    n = I[SPEEDS]
    h, kind = I[W_OWN] + embedded_h_work(n), I[W_OWN] + embedded_kind_work(n)
    for s in range(n):
        W[h + s] = 0 * W[OMEGA]
        if I[column_row(I, s) + PRESCRIBED] == 1:
            W[h + s] = W[column_work(I, s) + PRESCRIBED_RATE] - W[column_work(I, s) + WDOT]
    for s in range(n):
        row = int(W[kind + s].real)
        if row >= 0:
            W[h + s] = -W[equation_work(I, row) + BETA]
            for k in range(n):
                if I[column_row(I, k) + PRESCRIBED] == 1:
                    W[h + s] -= W[I[W_JACOBIAN] + row * n + k] * W[h + k]


def embedded_udot(I, W, udot):
    """Eq. (1): u-dot from F, which it holds on entry; M and J are in the workspace, WDOT and BETA those at u-dot = 0."""
    n, m = I[SPEEDS], I[ROWS]
    reduce_equations(I, W)
    particular(I, W)
    B, K = I[W_OWN], I[W_OWN] + embedded_TMT_work(n)
    h, x = I[W_OWN] + embedded_h_work(n), I[W_OWN] + embedded_x_work(n)
    for s in range(n):
        for i in range(n):
            W[B + s * n + i] = 0 * W[OMEGA]
            if is_independent(I, W, i) == 1:
                for k in range(n):
                    W[B + s * n + i] += W[I[W_MASS] + s * n + k] * slope_of(I, W, k, i)
    for i in range(n):
        W[x + i] = 0 * W[OMEGA]
        for j in range(n):
            W[K + i * n + j] = 0 * W[OMEGA]
        if is_independent(I, W, i) == 0:
            W[K + i * n + i] += 1
            continue
        for s in range(n):
            slope = slope_of(I, W, s, i)
            force = udot[s]
            for k in range(n):
                W[K + i * n + k] += slope * W[B + s * n + k]
                force -= W[I[W_MASS] + s * n + k] * W[h + k]
            W[x + i] += slope * force
    factor_mass(W, K, n)
    solve_mass(W, K, n, offset(W, x))
    finish_embedded(I, W, udot, x, m)


def finish_embedded(I, W, udot, x, m):
    """All rates from the independent ones at x, and the multipliers from the equations of the dependent speeds."""
    n = I[SPEEDS]
    h, kind = I[W_OWN] + embedded_h_work(n), I[W_OWN] + embedded_kind_work(n)
    E = I[cluster_row(I, 0 * n) + CLUSTER_DELASSUS]
    rate = I[W_OWN]  # M T is no longer needed
    for s in range(n):
        W[rate + s] = W[h + s]
        for i in range(n):
            if is_independent(I, W, i) == 1:
                W[rate + s] += slope_of(I, W, s, i) * W[x + i]
    for r in range(m):
        W[equation_work(I, r) + MULTIPLIER] = 0 * W[OMEGA]
    for s in range(n):
        row = int(W[kind + s].real)
        if row >= 0:
            excess = -udot[s]
            for k in range(n):
                excess += W[I[W_MASS] + s * n + k] * W[rate + k]
            for r in range(m):
                W[equation_work(I, r) + MULTIPLIER] += W[E + row * m + r] * excess
    for s in range(n):
        udot[s] = W[rate + s]
