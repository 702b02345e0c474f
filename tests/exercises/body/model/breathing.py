"""A body that breathes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies import breathing
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model.bodies import BodyBase


@dataclass(frozen=True)
class Breathing(BodyBase):
    """A body whose inertia grows and shrinks as a whole, J = (1 + depth sin(rate t)) J_0; its mass centre is its origin.

    Args:
        mass: kg.
        inertia: the three principal moments J_0, kg m^2.
        depth: how strongly it breathes.
        rate: rad/s.
        frames: named frames.
    """

    mass: float
    inertia: Any
    depth: float
    rate: float
    frames: Any = field(default_factory=dict)
    facts: ClassVar[BodyFacts] = breathing.FACTS

    def mass_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass moment and inertia at rest."""
        return self.mass, np.zeros(3), np.diag(self.inertia)

    def law(self, R: np.ndarray, p: np.ndarray) -> Callable[..., Any]:
        """The factor of the inertia and its rate; the same in the axes R and about the point p of the joint."""
        a, w = self.depth, self.rate
        return lambda t: (1 + a * np.sin(w * t), a * w * np.cos(w * t))
