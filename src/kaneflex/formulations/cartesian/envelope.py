"""A symmetric matrix factored along its envelope: K = L D L^T, rows kept from their first entry on.

K = [[H, B^T], [B, 0]] with H positive definite, and every equation after all of its coordinates: then pivots of
coordinates are positive and those of equations negative, whatever came before, and no row has to be exchanged. An
equation that follows from those before it would leave a pivot of rounding: every equation is softened by a small share
of its pivot's terms, and who solves makes up for that (`solve_cartesian`).
Ref: Jennings, A compact storage scheme for the solution of symmetric linear simultaneous equations, Comput. J. 9 (1966).
On numbers only.
"""


def factor_envelope(n, first, start, sign, A, D):
    """L in the place of the rows of K, softened, in A, and 1/D in the place of its diagonal in D. Row i has its entries
    before the diagonal from A[start[i]] on, the first being that of column first[i]."""
    for i in range(n):
        si = start[i] - first[i]
        for j in range(first[i] + 1, i):
            sj = start[j] - first[j]
            total = A[si + j]
            for k in range(max(first[i], first[j]), j):
                total -= A[si + k] * A[sj + k]
            A[si + j] = total
        d, size = D[i], abs(D[i])
        for j in range(first[i], i):
            g = A[si + j]
            A[si + j] = g * D[j]
            d -= g * A[si + j]
            size += abs(g * A[si + j])
        if sign[i] < 0:
            d -= 1e-12 * size
        D[i] = 1 / d if size > 0.0 else 0.0


def solve_envelope(n, first, start, A, D, b):
    """b <- K^-1 b, after `factor_envelope`."""
    for i in range(n):
        si, total = start[i] - first[i], b[i]
        for j in range(first[i], i):
            total -= A[si + j] * b[j]
        b[i] = total
    for i in range(n):
        b[i] = b[i] * D[i]
    for m in range(n):
        i = n - 1 - m
        si, x = start[i] - first[i], b[i]
        for j in range(first[i], i):
            A_ij = A[si + j]
            b[j] -= A_ij * x
