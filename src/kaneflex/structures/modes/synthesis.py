"""Joining reduced components to a system, and taking its modes back to the components."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from kaneflex.model.checks import ModelError, known
from kaneflex.structures.modes.reduction import Reduction, small_modes

Tie = tuple[tuple[str, int], tuple[str, int]]
LOST = 1e-6  # singular values below this part of the largest are rounding of the squared ones


@dataclass(frozen=True)
class Assembly:
    """Reduced components joined: `maps[name]` gives a component's coordinates from those of the system."""

    components: Mapping[str, Reduction]
    maps: Mapping[str, np.ndarray]
    M: np.ndarray
    K: np.ndarray

    def modes(self, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies (rad/s, ascending) and mass-orthonormal vectors in the system's coordinates."""
        squares, vectors = small_modes(self.M, self.K)
        return np.sqrt(np.maximum(squares, 0.0))[:count], vectors[:, :count]

    def coordinates_of(self, name: str, vectors: np.ndarray) -> np.ndarray:
        """A component's reduced coordinates in vectors of the system."""
        return np.asarray(self.maps[known(name, self.maps, "component")] @ vectors)

    def motion_of(self, name: str, vectors: np.ndarray) -> np.ndarray:
        """All displacements of a component in vectors of the system."""
        return np.asarray(self.components[name].vectors @ self.coordinates_of(name, vectors))


def join(components: Mapping[str, Reduction], ties: Sequence[Tie]) -> Assembly:
    """The system of components whose tied displacements are equal.

    Args:
        components: reduced components by name.
        ties: pairs of displacements that are one, each as (component, coordinate before reduction).
    """
    sizes = [c.vectors.shape[1] for c in components.values()]
    start = dict(zip(components, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
    equal = np.zeros((len(ties), sum(sizes)))
    for row, tie in enumerate(ties):
        for sign, (name, coordinate) in zip((1.0, -1.0), tie, strict=True):
            vectors = components[known(name, components, "component")].vectors
            if not 0 <= coordinate < len(vectors):
                raise ModelError(f'tie {row}: "{name}" has coordinates 0 to {len(vectors) - 1}, not {coordinate}')
            equal[row, start[name] : start[name] + vectors.shape[1]] += sign * vectors[coordinate]
    free = linalg.null_space(equal) if ties else np.eye(sum(sizes))
    maps = {n: free[start[n] : start[n] + c.vectors.shape[1]] for n, c in components.items()}
    M = sum((maps[n].T @ c.M @ maps[n] for n, c in components.items()), np.zeros((free.shape[1],) * 2))
    K = sum((maps[n].T @ c.K @ maps[n] for n, c in components.items()), np.zeros((free.shape[1],) * 2))
    return Assembly(dict(components), maps, M, K)


def projected_system_modes(M: Any, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values and mass-orthonormal vectors of system modes seen in one component.

    The singular value decomposition is that of the displacements in the sense of the component's mass: a value near 1 means
    that some system mode lives in this component, a value near 0 that the direction may be left out.

    Args:
        M: mass matrix of the component.
        motion: displacements of the component in the (mass-normalised) modes of the system, (size, modes).
    """
    squares, right = np.linalg.eigh(motion.T @ (M @ motion))
    values = np.sqrt(np.maximum(squares[::-1], 0.0))
    right = right[:, ::-1]
    seen = values > LOST * values[0]
    values, vectors = values[seen], (motion @ right[:, seen]) / values[seen]
    # the small ones carry rounding of the large: once more through the Gram matrix makes them orthonormal
    gram = np.linalg.cholesky(vectors.T @ (M @ vectors))
    return values, np.asarray(linalg.solve_triangular(gram, vectors.T, lower=True).T)
