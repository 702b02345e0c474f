"""Elimination for a symmetric positive matrix of which only the upper half is given: A = U^T D^-1 U, D the diagonal of U.

The inner loops run along rows, four of them at a time, so that they are wide and carry no sums.
"""


def factor_symmetric(A, a, n):
    """Rows of U in place of the n-by-n matrix at A[a:], upper half, one over its diagonal in place of that."""
    for i in range(n):
        row, whole = a + i * n, i - i % 4
        for k in range(0, whole, 4):
            r0, r1, r2, r3 = a + k * n, a + (k + 1) * n, a + (k + 2) * n, a + (k + 3) * n
            f0, f1 = A[r0 + i] * A[r0 + k], A[r1 + i] * A[r1 + k + 1]
            f2, f3 = A[r2 + i] * A[r2 + k + 2], A[r3 + i] * A[r3 + k + 3]
            for j in range(i, n):
                A[row + j] -= f0 * A[r0 + j] + f1 * A[r1 + j] + f2 * A[r2 + j] + f3 * A[r3 + j]
        for k in range(whole, i):
            r0 = a + k * n
            f0 = A[r0 + i] * A[r0 + k]
            for j in range(i, n):
                A[row + j] -= f0 * A[r0 + j]
        A[row + i] = 1 / A[row + i]


def solve_symmetric(A, a, n, x, b):
    """Solve A y = x[b:b + n] with the factors at A[a:], in place."""
    for k in range(n):
        row = a + k * n
        factor = x[b + k] * A[row + k]
        for j in range(k + 1, n):
            x[b + j] -= factor * A[row + j]
    for i in range(n - 1, -1, -1):
        row = a + i * n
        total = x[b + i]
        for j in range(i + 1, n):
            total -= A[row + j] * x[b + j]
        x[b + i] = total * A[row + i]


def solve_seven(A, a, n, x, b):
    """`solve_symmetric` for seven vectors of n entries, one after the other from x[b] on, at once."""
    for k in range(n):
        row, at = a + k * n, b + k
        d = A[row + k]
        f0, f1, f2, f3 = x[at] * d, x[at + n] * d, x[at + 2 * n] * d, x[at + 3 * n] * d
        f4, f5, f6 = x[at + 4 * n] * d, x[at + 5 * n] * d, x[at + 6 * n] * d
        for j in range(k + 1, n):
            entry, to = A[row + j], b + j
            x[to] -= f0 * entry
            x[to + n] -= f1 * entry
            x[to + 2 * n] -= f2 * entry
            x[to + 3 * n] -= f3 * entry
            x[to + 4 * n] -= f4 * entry
            x[to + 5 * n] -= f5 * entry
            x[to + 6 * n] -= f6 * entry
    for i in range(n - 1, -1, -1):
        row, at = a + i * n, b + i
        t0, t1, t2, t3 = x[at], x[at + n], x[at + 2 * n], x[at + 3 * n]
        t4, t5, t6 = x[at + 4 * n], x[at + 5 * n], x[at + 6 * n]
        for j in range(i + 1, n):
            entry, by = A[row + j], b + j
            t0 -= entry * x[by]
            t1 -= entry * x[by + n]
            t2 -= entry * x[by + 2 * n]
            t3 -= entry * x[by + 3 * n]
            t4 -= entry * x[by + 4 * n]
            t5 -= entry * x[by + 5 * n]
            t6 -= entry * x[by + 6 * n]
        d = A[row + i]
        x[at], x[at + n], x[at + 2 * n], x[at + 3 * n] = t0 * d, t1 * d, t2 * d, t3 * d
        x[at + 4 * n], x[at + 5 * n], x[at + 6 * n] = t4 * d, t5 * d, t6 * d
