"""A symmetric matrix factored along its envelope: K = L D L^T, rows kept from their first entry on.

K = [[H, B^T], [B, 0]] with H positive definite, and every equation after all of its coordinates: then pivots of
coordinates are positive and those of equations negative, whatever came before, and no row has to be exchanged. An
equation that follows from those before it leaves a pivot of rounding: it is left out, and its multiplier is zero.
Sums go in rows of numbers (see `kernels.compiled_rows`): A and b go on for as many beyond their ends.
Ref: Jennings, A compact storage scheme for the solution of symmetric linear simultaneous equations, Comput. J. 9 (1966).
On numbers only.
"""

from kaneflex.kernels.ops import lanes, row, row_of, row_part, row_total, store_row


def envelope_product(A, a, B, b, n):
    """Sum of A[a + k] B[b + k] over k < n."""
    z = 0.0
    total, whole = row_of(z), n - n % lanes(z)
    for k in range(0, whole, lanes(z)):
        total = total + row(z, A, a + k) * row(z, B, b + k)
    if whole < n:
        total = total + row_part(z, A, a + whole, n - whole) * row_part(z, B, b + whole, n - whole)
    return row_total(total)


def factor_envelope(n, first, start, sign, A, D):
    """L in the place of the rows of K in A, and 1/D in the place of its diagonal in D. Row i has its entries before the
    diagonal from A[start[i]] on, the first being that of column first[i]."""
    for i in range(n):
        si = start[i] - first[i]
        for j in range(first[i] + 1, i):
            sj, k = start[j] - first[j], max(first[i], first[j])
            A[si + j] -= envelope_product(A, si + k, A, sj + k, j - k)
        d, size = D[i], abs(D[i])
        for j in range(first[i], i):
            g = A[si + j]
            A[si + j] = g * D[j]
            d -= g * A[si + j]
            size += abs(g * A[si + j])
        # less than this share of what a pivot is made of is rounding, or the error of a stage of a step
        left_out = size == 0.0 or (sign[i] < 0 and abs(d) <= 1e-10 * size)
        D[i] = 0.0 if left_out else 1 / d


def solve_envelope(n, first, start, A, D, b):
    """b <- K^-1 b, after `factor_envelope`."""
    z = 0.0
    for i in range(n):
        b[i] -= envelope_product(A, start[i], b, first[i], i - first[i])
    for i in range(n):
        b[i] = b[i] * D[i]
    for m in range(n):
        i = n - 1 - m
        x, count = b[i], i - first[i]
        for k in range(0, count, lanes(z)):
            y = row(z, b, first[i] + k) - x * row(z, A, start[i] + k)
            store_row(b, first[i] + k, y, count - k)
