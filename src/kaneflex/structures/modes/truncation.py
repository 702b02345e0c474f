"""Modal truncation vectors: what a load needs beyond the modes that are kept."""

from typing import Any

import numpy as np

from kaneflex.structures.modes.reduction import attachment_modes


def residual_loads(M: Any, modes: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Loads less the part that the mass-orthonormal `modes` balance: f - M Phi Phi^T f."""
    return np.asarray(loads - M @ (modes @ (modes.T @ loads)))


def truncation_vectors(M: Any, K: Any, modes: np.ndarray, loads: np.ndarray, rigid: np.ndarray | None = None) -> np.ndarray:
    """Static shapes under the residual loads, orthogonal to `modes` in mass and stiffness; not yet normalised.

    `rigid`: rigid-body vectors of a free component, whose loads are balanced by its rigid acceleration.
    """
    return attachment_modes(M, K, residual_loads(M, modes, loads), rigid)


def pseudo_frequencies(M: Any, K: Any, vectors: np.ndarray) -> np.ndarray:
    """Rayleigh quotients' roots, rad/s: what frequencies truncation vectors have as if they were modes."""
    stiffness = np.einsum("ij,ij->j", vectors, K @ vectors)
    return np.asarray(np.sqrt(stiffness / np.einsum("ij,ij->j", vectors, M @ vectors)))
