"""Lumped mass and inertia at nodes.

A mass that sits off its node is put on a node of its own that follows the first by a rigid link: the second-order
displacement of its place, theta x (theta x d)/2, is then counted.
"""

from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements


@dataclass(frozen=True, eq=False)
class LumpedMasses(Elements):
    """Rigid masses with their centres at nodes.

    Args:
        nodes: (e, 1) node numbers.
        masses: (e,) kg.
        inertias: (e, 3, 3) about the nodes, in the structure's axes, kg m^2.
    """

    nodes: np.ndarray
    masses: Vector
    inertias: Vector

    def stiffness(self) -> Vector:
        """None."""
        return np.zeros((len(self.nodes), 6, 6))

    def mass(self) -> Vector:
        """Mass and inertia, (e, 6, 6)."""
        M = np.zeros((len(self.nodes), 6, 6))
        M[:, :3, :3] = self.masses[:, None, None] * np.eye(3)
        M[:, 3:, 3:] = self.inertias
        return M

    def geometric(self, displacement: Vector) -> Vector:
        """None: a mass carries no stress."""
        return np.zeros((len(self.nodes), 6, 6))
