"""Soft ground below slender bodies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import ground_contact
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.forces.slender import SlenderLoad, element_row
from kaneflex.model.media import upward
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class SoftGround(SlenderLoad):
    """Ground or sea bed, a plane that gives way like a bed of springs, under slender bodies, with friction.

    Friction is regularised: it is the coefficient times the normal force where a body slips faster than `slip`, and
    proportional to the velocity below, so that a body that should stick creeps, and in an equilibrium no friction acts.

    Args:
        bodies: name or names of rods, cables and rigid bodies.
        stiffness: of the ground per length of the body, N/m^2.
        damping: of the ground per length, N s/m^2; it never pulls.
        friction: coefficient; or two, along and across the body's axis.
        slip: speed above which friction has its full size, m/s.
        level: height of the ground along its normal from the inertial origin, m.
        normal: of the ground, inertial axes; None for the direction against gravity.
        radius: of the body, m.
        element: the two ends of the axis in body axes, m, the same on each of the bodies; not needed for rods.
        pieces: parts into which each element is cut for summing.
    """

    bodies: str | Sequence[str]
    stiffness: float
    damping: float = 0.0
    friction: Any = 0.0
    slip: float = 0.01
    level: float = 0.0
    normal: Any = None
    radius: float = 0.0
    element: Any = None
    pieces: int = 1

    def __post_init__(self) -> None:
        self.settle()
        object.__setattr__(self, "stiffness", checks.positive(self.stiffness, "stiffness"))
        object.__setattr__(self, "slip", checks.positive(self.slip, "slip"))
        object.__setattr__(self, "level", checks.number(self.level, "level"))
        for field in ("damping", "radius"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        two = (self.friction,) * 2 if checks.dimensions(self.friction) == 0 else checks.items(self.friction, "friction")
        if len(two) != 2:
            raise ModelError(f"friction is {checks.shown(self.friction)}: give one coefficient, or two, along and across")
        object.__setattr__(self, "friction", tuple(checks.not_negative(mu, "friction") for mu in two))
        if self.normal is not None:
            object.__setattr__(self, "normal", checks.axis(self.normal, "normal of the ground"))

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each piece."""
        normal = upward(table.model.gravity) if self.normal is None else np.array(self.normal)
        law = self.stiffness, self.damping, *self.friction, self.slip, self.level + self.radius
        for element in self._elements(table):
            row = element_row(table, ground_contact.FACTS, element, (element.length, *law))
            row.reals[L.VALUE : L.VALUE + 3] = normal
