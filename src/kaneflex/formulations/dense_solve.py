"""Elimination for a symmetric positive matrix, or one with rows of prescribed speeds put in: no exchanges needed."""


def factor_mass(A, a, n):
    """Factors of the n-by-n matrix at A[a:], left there: elimination without exchanges."""
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[a + i * n + k] / A[a + k * n + k]
            A[a + i * n + k] = factor
            for j in range(k + 1, n):
                A[a + i * n + j] -= factor * A[a + k * n + j]


def solve_mass(A, a, n, x):
    """Solve A x = b with the factors at A[a:], b being x on entry."""
    for k in range(n):
        for i in range(k + 1, n):
            x[i] -= A[a + i * n + k] * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[a + i * n + j] * x[j]
        x[i] = x[i] / A[a + i * n + i]
