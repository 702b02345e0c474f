"""Modal effective mass: how much of the body each mode drags along when its base is shaken."""

from typing import Any

import numpy as np


def effective_mass(M: Any, shapes: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Effective masses (modes, directions), kg or kg m^2, for unit base motions in the columns of `rigid`.

    `shapes` are mass-orthonormal with the base held. Over all modes a column sums to the mass that is not fixed to the base.
    """
    return np.asarray((shapes.T @ (M @ rigid)) ** 2)


def effective_mass_fractions(M: Any, shapes: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Effective masses over the whole mass (or moment of inertia) in each direction; 0 where there is none."""
    whole = np.einsum("ij,ij->j", rigid, M @ rigid)
    masses = effective_mass(M, shapes, rigid)
    return np.divide(masses, whole, out=np.zeros_like(masses), where=whole > 0)
