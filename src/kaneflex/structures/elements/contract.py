"""What every kind of finite element provides: matrices of many elements of one kind at once."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kaneflex.model.checks import Vector


@dataclass(frozen=True)
class MassPoints:
    """The mass of elements as points that move with their dofs: sum mass motion^T motion is the mass matrix.

    Sections, nodes and plates have rotary inertia as well. It is that of directors: vectors d fixed to the material, which
    turn with it and do not feel its translation, d-dot = theta-dot x d; a director of mass mu adds mu (d.d 1 - d d^T).
    """

    mass: Vector  # (e, g): kg, of a director kg m^2
    places: Vector  # (e, g, 3): from the structure's origin, m; of a director itself
    motion: Vector  # (e, g, 3, d): displacement of the point per dof, or rotation of the director
    directors: bool = False


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
    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """Geometric stiffness (elements, d, d) of the stress that the dofs `displacement` (elements, d) cause.

        Args:
            displacement: dofs of the elements.
            acceleration: (3, 4), when the load that causes them is mass times the field (c, C), c + C p: an element whose
                stress follows the load between its nodes adds what this makes of it with its nodes held.
        """

    def mass_points(self) -> Iterator[MassPoints] | None:
        """The mass as points; None where it is the same in all directions and has no rotations, so that it needs none."""
        return None

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

    def dofs(self, n: int) -> np.ndarray:
        """Dof numbers 6*node + component, (elements, d), in a structure of n nodes."""
        c = np.array(self.components, dtype=int)
        return (6 * self.nodes[:, :, None] + c).reshape(len(self.nodes), -1)

    def scatter(self, blocks: Vector, n: int) -> sparse.csr_array:
        """Sum of element matrices (elements, d, d) in a sparse matrix over 6n dofs."""
        d = self.dofs(n)
        rows = np.broadcast_to(d[:, :, None], blocks.shape).ravel()
        columns = np.broadcast_to(d[:, None, :], blocks.shape).ravel()
        return sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows, columns)), shape=(6 * n, 6 * n)))


def cross_matrix(v: Vector) -> Vector:
    """Matrices v~ of the cross product, v~ x = v x x, for vectors (..., 3)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return np.stack(rows, axis=-2)
