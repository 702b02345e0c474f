"""Lowest modes of K phi = omega^2 M phi for large sparse symmetric matrices, checked for missed ones.

Massless coordinates and rigid-body motions are allowed; a negative stiffness is an error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from kaneflex.model.checks import ModelError

SMALL = 300  # up to so many coordinates a dense solver is faster, and finds all modes
GUARD = 2  # modes computed beyond those asked for: Lanczos converges on them last
SAFE = 500  # times the rounding: a smallest pivot beyond it is that of a stiffness that holds
ROUNDING = 2e-14  # strain energy below this part of the sum of its terms' sizes is rounding: a rigid-body motion


@dataclass(frozen=True)
class Factor:
    """Triangular factors of a symmetric sparse matrix."""

    lu: Any
    negative: int  # pivots below zero = eigenvalues below zero (Sylvester)
    weakest: int  # coordinate of the smallest pivot relative to its diagonal
    ratio: float  # that pivot over its diagonal

    def solve(self, right: np.ndarray) -> np.ndarray:
        """A^-1 right."""
        return np.asarray(self.lu.solve(np.ascontiguousarray(right, dtype=float)))


def factor(A: Any) -> Factor | None:
    """Factors of a sparse symmetric matrix with pivots on its diagonal; None when it is exactly singular."""
    A = sparse.csc_array(A)
    try:
        lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return None
    pivots = lu.U.diagonal()
    diagonal = np.abs(A.diagonal())[np.argsort(lu.perm_c)]
    ratio = np.abs(pivots) / np.where(diagonal > 0, diagonal, 1.0)
    worst = int(np.argmin(ratio))
    return Factor(lu, int(np.count_nonzero(pivots < 0)), int(np.argsort(lu.perm_c)[worst]), float(ratio[worst]))


def count_below(M: Any, K: Any, square: float) -> int:
    """Number of modes with omega^2 < square (rad^2/s^2, positive), from the signs of the pivots of K - square M."""
    for nudge in (0.0, 1e-9, -1e-9):  # off a mode that is hit exactly
        found = factor(K - square * (1 + nudge) * M)
        if found is not None:
            return found.negative
    hertz = np.sqrt(square) / (2 * np.pi)
    raise ModelError(f"the modes below {hertz:g} Hz cannot be counted: some dofs have neither stiffness nor mass")


def lowest_modes(
    M: Any, K: Any, count: int, what: str = "the structure", terms: Any = None, rounding: float = ROUNDING
) -> tuple[np.ndarray, np.ndarray]:
    """omega^2 (rad^2/s^2, ascending) and mass-orthonormal vectors of the lowest `count` modes.

    M and K are sparse, symmetric, positive semidefinite, on coordinates without common null vectors. Rigid-body modes,
    if there are any, come first with omega^2 = 0. Each vector's largest entry is positive. `terms`, where the entries of K
    are sums of larger numbers, are the sums of their sizes, by which rounding is judged; `rounding` is their relative error.
    """
    size = K.shape[0]
    available = int(np.count_nonzero(abs(sparse.csr_array(M)).sum(axis=1)))
    if count > available:
        raise ModelError(
            f"{count} modes are asked for, but {what} has only {available} coordinates with mass: "
            "ask for fewer, or use a finer mesh"
        )
    if count <= 0:
        return np.zeros(0), np.zeros((size, 0))
    shift, moved = _shift(M, K, what, rounding)
    for _ in range(3):
        squares, vectors = _near(M, K, shift, moved, count, what)
        squares, vectors = squares[:count], vectors[:, :count]
        if shift == 0:
            break
        size_of_terms = np.einsum("ij,ij->j", np.abs(vectors), (abs(K) if terms is None else terms) @ np.abs(vectors))
        squares = np.where(np.abs(squares) < rounding * size_of_terms + 1e-12 * shift, 0.0, squares)
        if shift < 10 * squares[-1] or squares[-1] <= 0:
            break
        shift = float(squares[-1])  # the first guess of the shift was far above the modes: once more, next to them
        moved = _moved(M, K, shift, what)
    if squares[0] < 0:
        raise _indefinite(what)
    return squares, positive_largest(vectors)


def positive_largest(vectors: np.ndarray) -> np.ndarray:
    """The same vectors, each with the sign that makes its largest entry positive (the first of equal ones)."""
    size = np.abs(vectors)
    first = np.argmax(size >= (1 - 1e-6) * size.max(axis=0, keepdims=True), axis=0)
    signs = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return np.asarray(vectors * np.where(signs == 0, 1.0, signs))


def _shift(M: Any, K: Any, what: str, rounding: float) -> tuple[float, Factor]:
    """0 when K can be factored safely, else s > 0 such that K + s M can; and the factors."""
    held = factor(K)
    if held is not None and held.negative == 0 and held.ratio > SAFE * rounding:
        return 0.0, held
    shift = 1e-6 * float(K.diagonal().sum() / M.diagonal().sum())
    return shift, _moved(M, K, shift, what)


def _moved(M: Any, K: Any, shift: float, what: str) -> Factor:
    moved = factor(K + shift * M)
    if moved is not None and moved.negative:
        raise _indefinite(what)
    if moved is None or moved.ratio < 1e-14:
        raise ModelError(
            f"{what} has a coordinate with neither stiffness nor mass, or a massless mechanism: "
            "give it stiffness or mass, or hold it"
        )
    return moved


def _near(M: Any, K: Any, shift: float, moved: Factor, count: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Modes next to -shift: (M, K + shift M) turned round, so that the lowest are the largest and M may be singular."""
    size = K.shape[0]
    if size <= SMALL or count + GUARD >= size // 2:
        return _near_dense(M, K, shift, count, what)
    wanted = count + GUARD
    inverse = LinearOperator((size, size), matvec=moved.solve, dtype=float)
    M = sparse.csc_array(M)
    start = moved.solve(M @ np.random.default_rng(1).standard_normal(size))
    for more in (1, 3):
        basis = min(size - 1, more * max(2 * wanted + 1, 20))
        try:
            squares, vectors = eigsh(K, wanted, M, sigma=-shift, OPinv=inverse, v0=start, ncv=basis, tol=0)
        except ArpackError as e:
            raise ModelError(f"the modes of {what} did not converge ({e}): its matrices may be badly scaled") from e
        order = np.argsort(squares)
        squares, vectors = squares[order], vectors[:, order]
        if not _missed(M, K, squares):
            return squares, vectors
    raise ModelError(f"some modes of {what} stayed hidden among {wanted} equal ones: ask for a few more modes")


def _missed(M: Any, K: Any, squares: np.ndarray) -> bool:
    """Whether modes lie between those found, by counting those below the last clear gap."""
    gaps = np.flatnonzero(np.diff(squares) > 1e-5 * np.abs(squares[1:]))
    if not len(gaps):
        return False  # all in one cluster: nothing to tell them apart by
    last = int(gaps[-1])
    return count_below(M, K, 0.5 * (squares[last] + squares[last + 1])) > last + 1


def _near_dense(M: Any, K: Any, shift: float, count: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    dense_M = M.toarray() if sparse.issparse(M) else np.asarray(M)
    dense_K = (K.toarray() if sparse.issparse(K) else np.asarray(K)) + shift * dense_M
    try:
        inverses, vectors = linalg.eigh(dense_M, dense_K)
    except linalg.LinAlgError as e:
        raise _indefinite(what) from e
    inverses, vectors = inverses[::-1], vectors[:, ::-1]
    finite = int(np.count_nonzero(inverses > 1e-14 * inverses[0]))
    if count > finite:
        raise ModelError(
            f"{count} modes are asked for, but {what} has only {finite} of finite frequency: "
            "ask for fewer, or use a finer mesh"
        )
    inverses, vectors = inverses[:finite], vectors[:, :finite]
    return 1 / inverses - shift, vectors / np.sqrt(inverses)


def _indefinite(what: str) -> ModelError:
    return ModelError(
        f"the stiffness of {what} is indefinite: a stiffness matrix is positive semidefinite; "
        "look for negative springs or a buckled state"
    )
