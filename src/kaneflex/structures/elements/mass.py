"""Lumped mass and inertia at nodes.

A mass that sits off its node is put on a node of its own that follows the first by a rigid link: the second-order
displacement of its place, theta x (theta x d)/2, is then counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements, MassPoints


@dataclass(frozen=True, eq=False)
class LumpedMasses(Elements):
    """Rigid masses with their centres at nodes.

    Args:
        nodes: (e, 1) node numbers.
        masses: (e,) kg.
        inertias: (e, 3, 3) about the nodes, in the structure's axes, kg m^2.
        places: (e, 3) coordinates of the nodes, m.
    """

    nodes: np.ndarray
    masses: Vector
    inertias: Vector
    places: Vector

    def stiffness(self) -> Vector:
        """None."""
        return np.zeros((len(self.nodes), 6, 6))

    def mass(self) -> Vector:
        """Mass and inertia, (e, 6, 6)."""
        M = np.zeros((len(self.nodes), 6, 6))
        M[:, :3, :3] = self.masses[:, None, None] * np.eye(3)
        M[:, 3:, 3:] = self.inertias
        return M

    def mass_points(self) -> Iterator[MassPoints]:
        """The masses, and three directors each, along the principal axes of inertia."""
        places, to_node = self.places[:, None], np.broadcast_to(np.eye(6), (len(self.nodes), 1, 6, 6))
        yield MassPoints(self.masses[:, None], places, to_node[:, :, :3])
        if np.any(self.inertias):
            second = np.trace(self.inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) / 2 - self.inertias
            moments, axes = np.linalg.eigh(second)
            turn = np.broadcast_to(to_node[:, :, 3:], (len(self.nodes), 3, 3, 6))
            yield MassPoints(moments, axes.transpose(0, 2, 1), turn, directors=True)

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """None: a mass carries no stress."""
        return np.zeros((len(self.nodes), 6, 6))
