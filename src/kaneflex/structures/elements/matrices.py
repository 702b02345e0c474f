"""A whole model given as matrices, treated as one element over all nodes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements


@dataclass(frozen=True, eq=False)
class GivenMatrices(Elements):
    """M and K over all 6n dofs, and perhaps a function that gives the geometric stiffness of a displacement."""

    M: sparse.csr_array
    K: sparse.csr_array
    given_geometric: Callable[[Vector], Any] | None = None

    @property
    def nodes(self) -> np.ndarray:  # type: ignore[override]
        """One element on all nodes."""
        return np.arange(self.M.shape[0] // 6)[None, :]

    def stiffness(self) -> sparse.csr_array:
        """K as given."""
        return self.K

    def mass(self) -> sparse.csr_array:
        """M as given."""
        return self.M

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> sparse.csr_array:
        """The given function's matrix, zero when there is none (`Structure` then answers None)."""
        if self.given_geometric is None:
            return sparse.csr_array(self.M.shape)
        return sparse.csr_array(self.given_geometric(np.ravel(displacement)))

    def scatter(self, blocks: Any, n: int) -> sparse.csr_array:
        """The matrix itself, over the dofs of its own nodes, which come first."""
        wide = sparse.csr_array(blocks, copy=True)
        wide.resize(6 * n, 6 * n)
        return wide

    def edges(self) -> np.ndarray:
        """Nothing is known of lines between nodes."""
        return np.zeros((0, 2), dtype=int)
