"""Elimination with exchange of rows for a matrix of no symmetry. These kernels compare magnitudes, so they run on numbers,
real or complex, not on symbols. The matrix and what belongs to it are a block `pivoted`."""

from kaneflex.kernels.layout import *


def factor_rows(W, K, n):
    """Factors of the n-by-n matrix at W[K:], left there; behind it the order of its rows, and room for two vectors."""
    order = K + pivoted_order_work(n)
    for r in range(n):
        W[order + r] = r + 0 * W[K]
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(W[K + r * n + k].real) > abs(W[K + best * n + k].real):
                best = r
        if best != k:
            for c in range(n):
                W[K + k * n + c], W[K + best * n + c] = W[K + best * n + c], W[K + k * n + c]
            W[order + k], W[order + best] = W[order + best], W[order + k]
        pivot = 1 / W[K + k * n + k]
        for r in range(k + 1, n):
            factor = W[K + r * n + k] * pivot
            W[K + r * n + k] = factor
            for c in range(k + 1, n):
                W[K + r * n + c] -= factor * W[K + k * n + c]


def solve_rows(W, K, n):
    """Solve with the factors of `factor_rows`, the right-hand side being in the vector behind them; returns where x is."""
    order, b, x = K + pivoted_order_work(n), K + pivoted_b_work(n), K + pivoted_x_work(n)
    for r in range(n):
        total = W[b + int(W[order + r].real)]
        for c in range(r):
            total -= W[K + r * n + c] * W[x + c]
        W[x + r] = total
    for r in range(n - 1, -1, -1):
        total = W[x + r]
        for c in range(r + 1, n):
            total -= W[K + r * n + c] * W[x + c]
        W[x + r] = total / W[K + r * n + r]
    return x
