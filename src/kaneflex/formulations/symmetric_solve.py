"""Elimination for a symmetric positive matrix A of which only the upper half is given: A = U^T D^-1 U, D the diagonal of U.

Rows may be longer than the matrix: what is behind them, right-hand sides, is eliminated along with it. The inner loops run
along rows, several at a time, so that they are wide and carry no sums.
"""


def factor_symmetric(A, a, n, width):
    """Rows of U in place of the n-by-n matrix at A[a:], upper half, one over its diagonal in place of that."""
    for i in range(n):
        row, whole = a + i * width, i - i % 4
        for k in range(0, whole, 4):
            r0 = a + k * width
            r1, r2, r3 = r0 + width, r0 + 2 * width, r0 + 3 * width
            f0, f1 = A[r0 + i] * A[r0 + k], A[r1 + i] * A[r1 + k + 1]
            f2, f3 = A[r2 + i] * A[r2 + k + 2], A[r3 + i] * A[r3 + k + 3]
            for j in range(i, width):
                A[row + j] -= f0 * A[r0 + j] + f1 * A[r1 + j] + f2 * A[r2 + j] + f3 * A[r3 + j]
        for k in range(whole, i):
            r0 = a + k * width
            f0 = A[r0 + i] * A[r0 + k]
            for j in range(i, width):
                A[row + j] -= f0 * A[r0 + j]
        A[row + i] = 1 / A[row + i]


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
