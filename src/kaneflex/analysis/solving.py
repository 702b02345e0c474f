"""Linear equations of Newton's method: by elimination where they are well posed, at a thirtieth of the cost, or of least
norm."""

import warnings

import numpy as np
from scipy import linalg

Array = np.ndarray
WELL = 1e-11  # reciprocal condition number, columns scaled, from which on elimination is trusted


def solved(A: Array, b: Array, rcond: float = 1e-12) -> Array:
    """x with A x = b: the solution, or the one of least squares and least norm where A is singular or not square.

    Args:
        A: the matrix.
        b: the right side.
        rcond: what counts as nothing, as a part of the largest singular value.
    """
    if A.shape[0] == A.shape[1] and A.size and np.all(np.isfinite(A)):
        size = np.abs(A).max(axis=0)
        rows = np.abs(A).max(axis=1)
        if np.all(size > 0) and np.all(rows > 0):
            scaled = A / rows[:, None]
            size = np.abs(scaled).max(axis=0)
            scaled /= size
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", linalg.LinAlgWarning)
                factors = linalg.lu_factor(scaled, check_finite=False)
            known, _ = linalg.lapack.dgecon(factors[0], np.abs(scaled).sum(axis=0).max())
            if known > WELL:
                return np.asarray(linalg.lu_solve(factors, b / rows, check_finite=False) / size)
    return np.linalg.lstsq(A, b, rcond=rcond)[0]


__all__ = ["solved"]
