"""Elimination for a symmetric positive matrix A of which only the upper half is given: A = U^T D^-1 U, D the diagonal of U.

Rows may be longer than the matrix: what is behind them, right-hand sides, is eliminated along with it. The inner loops run
along rows, as many columns at a time as a row of `compiled_rows` has.
"""

from kaneflex.kernels.ops import lanes, row, store_row


def factor_symmetric(A, a, n, width):
    """Rows of U in place of the n-by-n matrix at A[a:], upper half, one over its diagonal in place of that; what they were
    multiplied by on the way is left in the lower half. Rows go two by two; the second of two begins where the first does."""
    z = 0 * A[a]
    for i in range(0, n, 2):
        last = i + 1 - (i + 1) // n
        at, below = a + i * width, a + last * width
        pivot, beside, next_pivot = A[at + i], A[at + last], A[below + last]  # found ahead of the rows, which take longer
        for k in range(i):
            up = a + k * width
            first, second = -A[up + i] * A[up + k], -A[up + last] * A[up + k]
            pivot, beside = pivot + first * A[up + i], beside + first * A[up + last]
            next_pivot = next_pivot + second * A[up + last]
            A[at + k], A[below + k] = first, second
        pivot = 1 / pivot
        factor = -beside * pivot
        for j in range(i, width, lanes(z)):
            y, other = row(z, A, at + j), row(z, A, below + j)
            for k in range(i):
                entries = row(z, A, a + k * width + j)
                y, other = y + A[at + k] * entries, other + A[below + k] * entries
            store_row(A, at + j, y, width - j)
            if last > i:
                store_row(A, below + j, other + factor * y, width - j)
        A[at + i] = pivot
        if last > i:
            A[below + i] = factor
            A[below + last] = 1 / (next_pivot + factor * beside)


def solve_forward(A, a, n, width, b):
    """U^-T D of what is at A[b:], in place: what is left of a right-hand side that was not behind the rows."""
    z = 0 * A[a]
    for k in range(n):
        at = a + k * width
        factor = A[b + k] * A[at + k]
        for j in range(k + 1, n, lanes(z)):
            store_row(A, b + j, row(z, A, b + j) - factor * row(z, A, at + j), n - j)


def solve_backward(A, a, n, width, b):
    """U^-1 of what is at A[b:], in place: the solution. The columns of D U are, with a minus, the rows of the lower half."""
    z = 0 * A[a]
    for k in range(n):
        A[b + k] = A[b + k] * A[a + k * width + k]
    for i in range(n - 1, 0, -2):  # two at a time
        at, above = a + i * width, a + (i - 1) * width
        known, beside = A[b + i], A[b + i - 1] + A[b + i] * A[at + i - 1]
        A[b + i - 1] = beside
        for k in range(0, i - 1, lanes(z)):
            y = row(z, A, b + k) + known * row(z, A, at + k) + beside * row(z, A, above + k)
            store_row(A, b + k, y, i - 1 - k)
