"""Attraction by a distant centre."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import central_force, oblate_force
from kaneflex.model import checks
from kaneflex.model.forces.attraction import ByACentre
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class CentralGravity(ByACentre):
    """Attraction by a centre fixed in N, with gravity gradient (second order in the size of each body), and with the
    oblateness of the centre if wanted (at the mass centre of each body).

    Args:
        mu: gravitational parameter, m^3/s^2.
        centre: position in N, m.
        bodies: names of the bodies attracted; None for all.
        j2: second zonal coefficient; of the Earth `orbits.EARTH_J2`.
        radius: that j2 is for, m; needed with it.
        axis: of the oblate centre, "x", "y", "z" or a vector of N.
    """

    mu: float
    centre: Any = (0.0, 0.0, 0.0)
    bodies: Sequence[str] | None = None
    j2: float = 0.0
    radius: float = 0.0
    axis: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive(self.mu, "mu"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre"))
        self.settle()

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each body with mass, and one for the oblateness of the centre."""
        for body in self._rows_of_bodies(table):
            for kind in (central_force.FACTS, oblate_force.FACTS)[: 2 if self.j2 else 1]:
                row = table.row(kind, FORCE_BODY=body)
                row.reals[L.POINT_OTHER : L.POINT_OTHER + 3] = self.centre
                row.reals[L.VALUE] = self.mu
                if kind is oblate_force.FACTS:
                    row.reals[L.FORCE_LAW : L.FORCE_LAW + 5] = self.j2, self.radius, *self.axis
