"""What every kind of finite element provides: matrices of many elements of one kind at once."""

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse

from kaneflex.model.checks import Vector


class Elements(ABC):
    """Elements of one kind, as arrays over the elements.

    All matrices are in the structure's axes. The dofs of an element are, node after node, those of `components`
    (0 to 5: ux, uy, uz, theta_x, theta_y, theta_z); rotations are rotation vectors, rad.
    """

    nodes: np.ndarray
    """Node numbers, (elements, nodes per element)."""
    components: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """Dofs of a node that the element uses."""

    @abstractmethod
    def stiffness(self) -> Vector:
        """Linear stiffness, (elements, d, d), N/m and N m."""

    @abstractmethod
    def mass(self) -> Vector:
        """Consistent mass, (elements, d, d), kg and kg m^2."""

    @abstractmethod
    def geometric(self, displacement: Vector) -> Vector:
        """Geometric stiffness (elements, d, d) of the stress that the dofs `displacement` (elements, d) cause."""

    def section_loads(self) -> tuple[list[str], Vector]:
        """Labels, and the linear maps (elements, r, d) from dofs to stress resultants; none unless overridden."""
        return [], np.zeros((len(self.nodes), 0, self.nodes.shape[1] * len(self.components)))

    def edges(self) -> np.ndarray:
        """Pairs of nodes to draw as lines, (k, 2)."""
        k = self.nodes.shape[1]
        if k == 1:
            return np.zeros((0, 2), dtype=int)
        pairs = [(i, (i + 1) % k) for i in range(k if k > 2 else 1)]
        return np.concatenate([self.nodes[:, pair] for pair in pairs])

    def dofs(self) -> np.ndarray:
        """Dof numbers 6*node + component, (elements, d)."""
        c = np.array(self.components, dtype=int)
        return (6 * self.nodes[:, :, None] + c).reshape(len(self.nodes), -1)

    def scatter(self, blocks: Vector, n: int) -> sparse.csr_array:
        """Sum of element matrices (elements, d, d) in a sparse matrix over 6n dofs."""
        d = self.dofs()
        rows = np.broadcast_to(d[:, :, None], blocks.shape).ravel()
        columns = np.broadcast_to(d[:, None, :], blocks.shape).ravel()
        return sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows, columns)), shape=(6 * n, 6 * n)))


def cross_matrix(v: Vector) -> Vector:
    """Matrices v~ of the cross product, v~ x = v x x, for vectors (..., 3)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return np.stack(rows, axis=-2)
