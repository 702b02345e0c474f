"""Linear springs of six components at a node: to the ground, or between two nodes at the same place.

Their loads keep their directions to second order (no geometric stiffness): a spring is short. A spring over a distance is
a truss of the same stiffness.
"""

from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements


@dataclass(frozen=True, eq=False)
class SpringElements(Elements):
    """Springs.

    Args:
        nodes: (e, 1) for springs to the ground, (e, 2) between nodes that coincide.
        matrices: (e, 6, 6) stiffness in the structure's axes, N/m, N, N m.
        labels: (e,) what each spring is called in the names of its loads.
    """

    nodes: np.ndarray
    matrices: Vector
    labels: tuple[str, ...] = ()

    def _loads(self) -> Vector:
        """Load on the last node's side per unit dof, (e, 6, d)."""
        k = self.matrices
        return k if self.nodes.shape[1] == 1 else np.concatenate([-k, k], axis=2)

    def stiffness(self) -> Vector:
        """k, or k between the nodes."""
        loads = self._loads()
        return loads if self.nodes.shape[1] == 1 else np.concatenate([-loads, loads], axis=1)

    def mass(self) -> Vector:
        """None."""
        return np.zeros_like(self.stiffness())

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """None, see the head of this file."""
        return np.zeros_like(self.stiffness())

    def section_loads(self) -> tuple[list[str], Vector]:
        """Force and moment in the spring; labels "spring-0.Fx"."""
        names = self.labels or tuple(f"spring-{k}" for k in range(len(self.nodes)))
        return [f"{name}.{c}" for name in names for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")], self._loads()
