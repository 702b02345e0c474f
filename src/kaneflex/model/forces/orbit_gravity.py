"""Attraction in a frame that falls along an orbit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import orbit_force, orbit_oblate_force
from kaneflex.model.forces.attraction import ByACentre
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class OrbitGravity(ByACentre):
    """Attraction by a centre in a system whose N falls along a reference orbit without turning.

    Positions and velocities then count from the orbit, in axes that keep their directions, and no digits are lost beside its
    size; energies and momenta are those relative to N. Gravity gradient is that of `CentralGravity`. Nothing is linearized:
    bodies may be anywhere. The reference orbit knows nothing of the centre's oblateness: with it bodies drift away from
    N, together.

    Args:
        orbit: the reference orbit, with the centre's mu.
        bodies: names of the bodies attracted; None for all. In this frame, others are pulled along with it.
        j2: second zonal coefficient of the centre; of the Earth `orbits.EARTH_J2`.
        radius: that j2 is for, m; needed with it.
        axis: of the oblate centre, "x", "y", "z" or a vector of N.
    """

    orbit: KeplerOrbit
    bodies: Sequence[str] | None = None
    j2: float = 0.0
    radius: float = 0.0
    axis: Any = "z"

    def __post_init__(self) -> None:
        self.settle()

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each body with mass, and one for the oblateness of the centre; one function of time
        serves all."""
        motion, first = self.orbit.law(), None

        def reference(t: float) -> Any:
            r, v = motion(t)
            return r[0], r[1], r[2], v[0], v[1], v[2]

        for body in self._rows_of_bodies(table):
            for kind in (orbit_force.FACTS, orbit_oblate_force.FACTS)[: 2 if self.j2 else 1]:
                row = table.row(kind, FORCE_BODY=body)
                row.reals[L.FORCE_LAW] = self.orbit.mu
                if kind is orbit_oblate_force.FACTS:
                    row.reals[L.FORCE_LAW + 1 : L.FORCE_LAW + 6] = self.j2, self.radius, *self.axis
                if first is None:
                    first = row
                    table.set_value(row, reference)
                for place in (L.FORCE_MODE, L.FORCE_LAW_OUTPUT):
                    row.integers[place] = first.integers[place]
