"""Straight bar with two nodes that carries axial force only and has pinned ends.

The strain is that of the exact length, e = |x2 - x1|/L - 1 = a . d/L + |d normal to a|^2/(2 L^2) + ..., with d the
difference of the ends' displacements and a the unit vector along the bar.
"""

from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements


@dataclass(frozen=True, eq=False)
class TrussElements(Elements):
    """Bars between pairs of nodes.

    Args:
        nodes: (e, 2) node numbers.
        ends: (e, 2, 3) coordinates of the nodes, m.
        EA: (e,) axial stiffness, N.
        mass_per_length: (e,) kg/m.
        labels: (e,) what each bar is called in the names of its loads.
    """

    nodes: np.ndarray
    ends: Vector
    EA: Vector
    mass_per_length: Vector
    labels: tuple[str, ...] = ()
    components = (0, 1, 2)

    def _length_and_axis(self) -> tuple[Vector, Vector]:
        d = self.ends[:, 1] - self.ends[:, 0]
        L = np.linalg.norm(d, axis=1)
        return L, d / L[:, None]

    def _force(self) -> Vector:
        """Axial force per unit dof, (e, 6)."""
        L, a = self._length_and_axis()
        return np.concatenate([-a, a], axis=1) * (self.EA / L)[:, None]

    def stiffness(self) -> Vector:
        """EA/L along the bar, (e, 6, 6)."""
        L, _ = self._length_and_axis()
        N = self._force()
        return N[:, :, None] * N[:, None, :] * (L / self.EA)[:, None, None]

    def mass(self) -> Vector:
        """Consistent mass of a straight line in all three directions, (e, 6, 6)."""
        L, _ = self._length_and_axis()
        m = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]) / 6, np.eye(3))
        return (self.mass_per_length * L)[:, None, None] * m

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """N/L across the bar, for the axial force N of the displacements (e, 6)."""
        L, a = self._length_and_axis()
        N = np.einsum("ei,ei->e", self._force(), displacement)
        across = (np.eye(3) - a[:, :, None] * a[:, None, :]) * (N / L)[:, None, None]
        return np.concatenate([np.concatenate([across, -across], 2), np.concatenate([-across, across], 2)], 1)

    def section_loads(self) -> tuple[list[str], Vector]:
        """Axial force, tension positive; labels "bar-3.N"."""
        names = self.labels or tuple(f"bar-{k}" for k in range(len(self.nodes)))
        return [f"{name}.N" for name in names], self._force()[:, None, :]
