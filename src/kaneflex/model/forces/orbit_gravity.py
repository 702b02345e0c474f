"""Attraction in a frame that falls along an orbit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import orbit_force
from kaneflex.model.forces.attraction import Attraction
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class OrbitGravity(Attraction):
    """Attraction by a centre in a system whose N falls along a reference orbit without turning.

    Positions and velocities then count from the orbit, in axes that keep their directions, and no digits are lost beside its
    size; energies and momenta are those relative to N. Gravity gradient is that of `CentralGravity`. Nothing is linearized:
    bodies may be anywhere.

    Args:
        orbit: the reference orbit, with the centre's mu.
        bodies: names of the bodies attracted; None for all. In this frame, others are pulled along with it.
    """

    orbit: KeplerOrbit
    bodies: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self.settle()

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each body with mass; one function of time serves all."""
        motion, first = self.orbit.law(), None

        def reference(t: float) -> Any:
            r, v = motion(t)
            return r[0], r[1], r[2], v[0], v[1], v[2]

        for body in self._rows_of_bodies(table):
            row = table.row(orbit_force.FACTS, FORCE_BODY=body)
            row.reals[L.FORCE_LAW] = self.orbit.mu
            if first is None:
                first = row
                table.set_value(row, reference)
            for place in (L.FORCE_MODE, L.FORCE_LAW_OUTPUT):
                row.integers[place] = first.integers[place]
