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
    """M and K over the dofs of the first nodes, perhaps damping, and a function that gives the geometric stiffness of a
    displacement.

    A reduced model has `hidden` coordinates besides, which belong to no node (modal coordinates): the last rows of M and K.
    """

    M: sparse.csr_array
    K: sparse.csr_array
    given_geometric: Callable[[Vector], Any] | None = None
    hidden: int = 0
    rounding: float = 0.0  # relative error of the entries
    viscous: sparse.csr_array | None = None  # damping, N s/m and its like
    structural: sparse.csr_array | None = None  # imaginary part of the stiffness, N/m and its like
    unit_loads: tuple[sparse.csr_array, ...] = ()  # geometric stiffness of the twelve unit inertia loads, see `geometric`

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
        """The given function's matrix, or that of the acceleration field (c, C), c + C p, from the twelve unit loads:

            sum_b c_b KG_b + sum_ab C_ba KG_ab ;

        zero when neither is there (`Structure` then answers None).
        """
        if self.unit_loads and acceleration is not None and np.any(acceleration):
            c, C = acceleration[:, 0], acceleration[:, 1:]
            factors = np.concatenate([c, C.T.ravel()])
            return sparse.csr_array(sum(f * A for f, A in zip(factors, self.unit_loads, strict=True)))
        if self.unit_loads and self.given_geometric is None and np.any(displacement):
            raise UncoveredLoad("differential stiffness is given for the twelve unit inertia loads only")
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
        """Pairs of nodes that the stiffness couples: all that is known of lines between them."""
        nodal = 6 * self.nodes.size
        A = sparse.coo_array(self.K[:nodal, :nodal])
        pairs = np.stack([A.row // 6, A.col // 6], axis=1)[A.data != 0]
        return np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0).astype(int)


def moved_behind(A: sparse.csr_array, nodes: int, more: int) -> sparse.csr_array:
    """A matrix over the dofs of nodes and hidden coordinates with room for the dofs of `more` nodes between these."""
    old, size = sparse.coo_array(A), A.shape[0] + 6 * more
    rows, columns = (np.where(at < 6 * nodes, at, at + 6 * more) for at in (old.row, old.col))
    return sparse.csr_array(sparse.coo_array((old.data, (rows, columns)), shape=(size, size)))
