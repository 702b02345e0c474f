"""A whole model given as matrices, treated as one element over all nodes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.elements.contract import Elements


class UncoveredLoad(ModelError):
    """The geometric stiffness of a load is asked for that nobody gave."""


@dataclass(frozen=True, eq=False)
class GivenMatrices(Elements):
    """M and K over the dofs of the first nodes, and perhaps a function that gives the geometric stiffness of a displacement.

    A reduced model has `hidden` coordinates besides, which belong to no node (modal coordinates): the last rows of M and K.
    """

    M: sparse.csr_array
    K: sparse.csr_array
    given_geometric: Callable[[Vector], Any] | None = None
    hidden: int = 0
    rounding: float = 0.0  # relative error of the entries

    @property
    def nodes(self) -> np.ndarray:  # type: ignore[override]
        """One element on all nodes."""
        return np.arange((self.M.shape[0] - self.hidden) // 6)[None, :]

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

    def dofs(self, n: int) -> np.ndarray:
        """Those of its own nodes, which come first in a structure of n nodes, and the hidden ones, which come last."""
        return np.concatenate([np.arange(self.M.shape[0] - self.hidden), 6 * n + np.arange(self.hidden)])[None, :]

    def scatter(self, blocks: Any, n: int) -> sparse.csr_array:
        """The matrix over the dofs of n nodes, and over the hidden coordinates after them."""
        own, more = sparse.csr_array(blocks, copy=True), n - self.nodes.size
        if self.hidden:
            return moved_behind(own, self.nodes.size, more)
        own.resize(6 * n, 6 * n)
        return own

    def edges(self) -> np.ndarray:
        """Nothing is known of lines between nodes."""
        return np.zeros((0, 2), dtype=int)


def moved_behind(A: sparse.csr_array, nodes: int, more: int) -> sparse.csr_array:
    """A matrix over the dofs of nodes and hidden coordinates with room for the dofs of `more` nodes between these."""
    old, size = sparse.coo_array(A), A.shape[0] + 6 * more
    rows, columns = (np.where(at < 6 * nodes, at, at + 6 * more) for at in (old.row, old.col))
    return sparse.csr_array(sparse.coo_array((old.data, (rows, columns)), shape=(size, size)))
