"""Vectors that stand for a component: static modes, fixed-interface modes, Craig-Bampton, Guyan, attachment modes.

Everything here works on sparse M and K of a component's independent coordinates; an interface is a list of their numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.modes.eigenmodes import ROUNDING, Factor, factor, lowest_modes, positive_largest

DEPENDENT = 1e-10  # a vector whose part outside the earlier ones has less of its mass than this is dropped


@dataclass(frozen=True)
class Reduction:
    """A component in few coordinates: displacements = vectors @ coordinates.

    `M` and `K` are the reduced matrices, `kind` says in words what each vector is. `terms` are the sizes of what the entries
    of K are sums of: those of a fine mesh are much larger than their sum, and so is what rounding leaves of it.
    """

    vectors: np.ndarray
    M: np.ndarray
    K: np.ndarray
    kind: tuple[str, ...]
    terms: np.ndarray | None = None

    def frequencies(self) -> np.ndarray:
        """Natural frequencies of the reduced component as it stands, rad/s, ascending; zero for rigid-body motions."""
        squares, _ = small_modes(self.M, self.K, self.terms)
        return np.sqrt(np.maximum(squares, 0.0))


def project(M: Any, K: Any, vectors: np.ndarray, kind: Sequence[str]) -> Reduction:
    """The component restricted to the span of the given vectors."""
    mass, stiffness = (_symmetric(vectors.T @ (A @ vectors)) for A in (M, K))
    return Reduction(vectors, mass, stiffness, tuple(kind), np.abs(vectors).T @ (abs(K) @ np.abs(vectors)))


def small_modes(M: np.ndarray, K: np.ndarray, terms: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """omega^2 (ascending) and mass-orthonormal vectors of small dense matrices, M positive definite.

    With M = L L^T and K = C C^T they come from the singular values of L^-1 C, which keeps low frequencies accurate beside
    very high ones; K with rigid-body motions has no such C, but for rounding, and goes the plain way.
    `terms` are those of a Reduction.
    """
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError as e:
        raise ModelError("the reduced component's vectors are not independent, or some carry no mass: leave them out") from e
    try:
        left, values, _ = np.linalg.svd(linalg.solve_triangular(L, np.linalg.cholesky(K), lower=True))
    except np.linalg.LinAlgError:
        values = np.zeros(1)
    if values[-1] > 1e-6 * values[0]:
        squares, vectors = values[::-1] ** 2, linalg.solve_triangular(L, left[:, ::-1], lower=True, trans="T")
    else:
        squares, vectors = lowest_modes(sparse.csr_array(M), sparse.csr_array(K), len(M), "the reduced component", terms)
    if terms is not None:
        size_of_terms = np.einsum("ij,ij->j", np.abs(vectors), terms @ np.abs(vectors))
        squares = np.where(squares < ROUNDING * size_of_terms, 0.0, squares)
    return squares, positive_largest(vectors)


def interior(size: int, interface: Sequence[int] | np.ndarray) -> np.ndarray:
    """The coordinates that are not on the interface, ascending."""
    held = np.asarray(interface, dtype=int)
    if len(np.unique(held)) != len(held) or (held.size and (held.min() < 0 or held.max() >= size)):
        raise ModelError(f"the interface {held.tolist()} must name different coordinates from 0 to {size - 1}")
    return np.setdiff1d(np.arange(size), held)


def constraint_modes(K: Any, interface: Sequence[int] | np.ndarray) -> np.ndarray:
    """Static shapes for a unit displacement of each interface coordinate, the others held: (size, interface)."""
    size = K.shape[0]
    b = np.asarray(interface, dtype=int)
    i = interior(size, b)
    K = sparse.csr_array(K)
    shapes = np.zeros((size, len(b)))
    shapes[b, np.arange(len(b))] = 1.0
    if len(i):
        shapes[i] = -held_factor(K[i][:, i]).solve(K[i][:, b].toarray())
    return shapes


def fixed_interface_modes(
    M: Any, K: Any, interface: Sequence[int] | np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """omega^2 and vectors (size, count) of the component with its interface held."""
    size = K.shape[0]
    i = interior(size, interface)
    M, K = sparse.csr_array(M), sparse.csr_array(K)
    squares, inner = lowest_modes(M[i][:, i], K[i][:, i], count, "the component with its interface held")
    vectors = np.zeros((size, count))
    vectors[i] = inner
    return squares, vectors


def guyan(M: Any, K: Any, masters: Sequence[int] | np.ndarray) -> Reduction:
    """Static condensation to the master coordinates; its frequencies are upper bounds."""
    kind = [f"constraint {c}" for c in np.asarray(masters).tolist()]
    return project(M, K, constraint_modes(K, masters), kind)


def craig_bampton(M: Any, K: Any, interface: Sequence[int] | np.ndarray, count: int) -> Reduction:
    """`count` fixed-interface modes, then the constraint modes, whose coordinates are the interface displacements."""
    _, modes = fixed_interface_modes(M, K, interface, count)
    static = constraint_modes(K, interface)
    kind = [f"fixed-interface {k + 1}" for k in range(count)]
    kind += [f"constraint {c}" for c in np.asarray(interface).tolist()]
    return project(M, K, np.hstack([modes, static]), kind)


def held_factor(K: Any, what: str = "the component with its interface held") -> Factor:
    """Factors of a stiffness that must be positive definite; a mechanism or a negative stiffness is an error."""
    found = factor(K)
    if found is None or found.ratio < 1e-13:
        where = "" if found is None else f" (free coordinate {found.weakest})"
        raise ModelError(f"{what} can still move without strain{where}: hold more, or give what moves a stiffness")
    if found.negative:
        raise ModelError(f"{what} has an indefinite stiffness: look for negative springs or a buckled state")
    return found


def attachment_modes(M: Any, K: Any, loads: np.ndarray, rigid: np.ndarray | None = None) -> np.ndarray:
    """Static shapes under given loads (size, loads).

    Without `rigid`, K must be that of a held component. With `rigid`, the rigid-body vectors of a free component, each
    load is balanced by the inertia of the rigid acceleration it causes (inertia relief), and the shapes are free of
    rigid motion in the sense of the mass.
    """
    if rigid is None:
        return held_factor(K, "the component").solve(loads)
    MR = M @ rigid
    mass = rigid.T @ MR
    balanced = loads - MR @ np.linalg.solve(mass, rigid.T @ loads)
    supports = determinate_supports(rigid)
    i = interior(K.shape[0], supports)
    shapes = np.zeros(loads.shape)
    K = sparse.csr_array(K)
    shapes[i] = held_factor(K[i][:, i], "the free component").solve(balanced[i])
    return np.asarray(shapes - rigid @ np.linalg.solve(mass, MR.T @ shapes))


def determinate_supports(rigid: np.ndarray) -> np.ndarray:
    """Coordinates that hold the rigid-body motions and nothing more, picked for telling them apart best."""
    scaled = rigid / np.linalg.norm(rigid, axis=0)
    triangle, order = linalg.qr(scaled.T, mode="r", pivoting=True)
    pivots = np.abs(np.diag(triangle))
    if pivots[-1] < 1e-8 * pivots[0]:
        raise ModelError("the rigid-body vectors are dependent: the nodes lie on one line without rotations")
    return np.sort(order[: rigid.shape[1]])


def residual_attachment_modes(
    M: Any, K: Any, loads: np.ndarray, kept: np.ndarray, squares: np.ndarray, rigid: np.ndarray | None = None
) -> np.ndarray:
    """Attachment modes less what the kept mass-orthonormal elastic modes (omega^2 in `squares`) already give."""
    return attachment_modes(M, K, loads, rigid) - kept @ ((kept.T @ loads) / squares[:, None])


def independent(M: Any, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which vectors are independent of those before them, in the sense of the mass.

    Returns:
        kept: numbers of the vectors that are; massless: numbers of those without any mass; L: lower triangular, the kept
        vectors scaled to unit mass as combinations (rows) of an orthonormal set made from them in their order.
    """
    norms = np.sqrt(np.maximum(np.einsum("ij,ij->j", vectors, M @ vectors), 0.0))
    sizes = np.linalg.norm(vectors, axis=0)
    scale = np.sqrt(M.diagonal().max())
    massless = np.flatnonzero(norms <= 1e-9 * scale * sizes)
    safe = np.where(norms > 0, norms, 1.0)
    gram = (vectors / safe).T @ (M @ (vectors / safe))
    kept: list[int] = []
    L = np.zeros((0, 0))
    for j in range(vectors.shape[1]):
        if j in massless:
            continue
        row = linalg.solve_triangular(L, gram[kept, j], lower=True) if kept else np.zeros(0)
        rest = gram[j, j] - row @ row
        if rest > DEPENDENT:
            L = np.block([[L, np.zeros((len(kept), 1))], [row[None, :], np.array([[np.sqrt(rest)]])]])
            kept.append(j)
    return np.array(kept, dtype=int), massless, L


def _symmetric(A: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (A + A.T))
