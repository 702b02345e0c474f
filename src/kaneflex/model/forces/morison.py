"""Water or air on slender bodies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import morison
from kaneflex.model import checks
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.forces.slender import SlenderLoad, element_row, skew
from kaneflex.model.media import Medium
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Morison(SlenderLoad):
    """Water or air on slender round bodies: drag, buoyancy, added mass and waves by Morison's equation.

    Per length, with u the velocity of the medium relative to the body, across (n) and along (t) its axis:
    ``1/2 density diameter (normal_drag |u_n| u_n + pi tangential_drag |u_t| u_t)``, the buoyancy of the section, and forces
    of the water's own acceleration, (1 + added_mass) density section across. The added mass joins the body's inertia and
    has no weight; the fluid's kinetic energy counts with the body's, its momentum does not.

    Args:
        bodies: name or names of rods, cables and rigid bodies.
        medium: Sea or Air.
        diameter: for drag, m; a body fades out of the water while this passes the surface (but for its added mass, which
            stays).
        normal_drag: coefficient of drag across the axis.
        tangential_drag: coefficient of drag along it, on the circumference.
        added_mass: coefficient of added mass across the axis, 1 for a round cylinder.
        tangential_added_mass: coefficient along it.
        element: the two ends of the axis in body axes, m, the same on each of the bodies; not needed for rods.
        section: displaced area, m^2; None for a full circle, 0 for no buoyancy, added mass or force of waves but drag.
        pieces: parts into which each element is cut for summing; one is exact where drag does not change its sign on it.
        slow: relative speed below which drag is linear, m/s.
    """

    bodies: str | Sequence[str]
    medium: Medium
    diameter: float
    normal_drag: float
    tangential_drag: float = 0.0
    added_mass: float = 1.0
    tangential_added_mass: float = 0.0
    element: Any = None
    section: float | None = None
    pieces: int = 1
    slow: float = 1e-6

    def __post_init__(self) -> None:
        self.settle()
        object.__setattr__(self, "diameter", checks.positive(self.diameter, "diameter"))
        object.__setattr__(self, "slow", checks.positive(self.slow, "slow"))
        for field in ("normal_drag", "tangential_drag", "added_mass", "tangential_added_mass"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        if self.section is not None:
            object.__setattr__(self, "section", checks.not_negative(self.section, "section"))

    @property
    def area(self) -> float:
        """The displaced area, m^2."""
        return math.pi * self.diameter**2 / 4 if self.section is None else self.section

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each piece, and its added mass to the body; one function of time serves all."""
        medium, first = table.medium(self.medium), None
        drag = self.normal_drag, math.pi * self.tangential_drag, self.diameter
        for element in self._elements(table):
            parameters = *drag, element.length, self.area, self.added_mass, self.tangential_added_mass, self.slow
            row = element_row(table, morison.FACTS, element, parameters, FORCE_MEDIUM=medium)
            if first is None:
                first = row
                table.set_value(row, self.medium.factor())
            for place in (L.FORCE_MODE, L.FORCE_LAW_OUTPUT):
                row.integers[place] = first.integers[place]
            row.reals[L.VALUE] = first.reals[L.VALUE]
            along = np.outer(element.axis, element.axis)
            coefficients = self.added_mass * (np.eye(3) - along) + self.tangential_added_mass * along
            M = self.medium.density * self.area * element.length / 2 * coefficients
            for p in map(skew, element.points):
                table.add_inertia(element.body, np.block([[-p @ M @ p, p @ M], [M @ p.T, M]]))
