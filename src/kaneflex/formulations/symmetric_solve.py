"""Elimination for a symmetric positive matrix A of which only the upper half is given: A = U^T D^-1 U, D the diagonal of U.

Rows may be longer than the matrix: what is behind them, right-hand sides, is eliminated along with it. The inner loops run
along rows, eight columns at a time.
"""

from kaneflex.kernels.ops import add_row, row, store_row


def factor_symmetric(A, a, n, width):
    """Rows of U in place of the n-by-n matrix at A[a:], upper half, one over its diagonal in place of that; what they were
    multiplied by on the way is left in the lower half."""
    for i in range(n):
        at = a + i * width
        for k in range(i):
            A[at + k] = -A[a + k * width + i] * A[a + k * width + k]
        for j in range(i, width, 8):
            count = min(8, width - j)
            y = row(A, at + j, count)
            for k in range(i):
                y = add_row(y, A[at + k], A, a + k * width + j, count)
            store_row(A, at + j, y, count)
        A[at + i] = 1 / A[at + i]


def solve_forward(A, a, n, width, x, b):
    """U^-T D of what is at x[b:], in place: what is left of a right-hand side that was not behind the rows."""
    for k in range(n):
        row = a + k * width
        factor = x[b + k] * A[row + k]
        for j in range(k + 1, n):
            x[b + j] -= factor * A[row + j]


def solve_backward(A, a, n, width, x, b):
    """U^-1 of what is at x[b:], in place: the solution."""
    for i in range(n - 1, -1, -1):
        row = a + i * width
        total = x[b + i]
        for j in range(i + 1, n):
            total -= A[row + j] * x[b + j]
        x[b + i] = total * A[row + i]
