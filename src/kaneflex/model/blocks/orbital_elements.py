"""Elements of the orbit that a place would go on in, were there nothing but the centre."""

from dataclasses import dataclass
from typing import Any, ClassVar

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockLaw
from kaneflex.model.blocks.in_orbit import Observer, motion_of, settle_sees
from kaneflex.model.orbits.kepler import KeplerOrbit, elements
from kaneflex.model.orbits.places import absolute
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class OrbitalElements(Observer):
    """Osculating elements of the orbit of a body, a frame or a group.

    Outputs: `semi_major_axis` (m), `eccentricity`, `inclination` against x, y of N, `node`, its angle from x of N,
    `perigee`, its argument, `true_anomaly`, and `latitude`, the argument of latitude (rad; the last four 0 to 2 pi).

    An equatorial orbit (sine of the inclination below 1e-10) has no node: x of N counts as it. A circular one (eccentricity
    below 1e-10) has no perigee: the node counts as it, perigee is 0 and the true anomaly the argument of latitude.

    Args:
        of: a body, a frame, or a group's "name.mass_centre"; "mass_centre" for the whole system.
        mu: gravitational parameter of the centre, m^3/s^2.
        centre: position in N, m; in a system whose N falls along `orbit`, from what that orbit is about.
        orbit: the orbit that N falls along, where it does.
    """

    measured: ClassVar = {
        "semi_major_axis": "m",
        "eccentricity": "",
        "inclination": "rad",
        "node": "rad",
        "perigee": "rad",
        "true_anomaly": "rad",
        "latitude": "rad",
    }

    of: str
    mu: float
    centre: Any = (0.0, 0.0, 0.0)
    orbit: KeplerOrbit | None = None

    def _check(self) -> None:
        object.__setattr__(self, "mu", checks.positive(self.mu, "mu of an OrbitalElements block"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre of an OrbitalElements block"))
        settle_sees(self, motion_of(self.of))

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        mu, (c0, c1, c2) = self.mu, self.centre
        place, velocity = absolute(self.orbit), absolute(self.orbit, rate=True)

        def osculating(t: Any, x: Any, z: Any) -> Any:
            r = place(t, x, 0)
            return elements((r[0] - c0, r[1] - c1, r[2] - c2), velocity(t, x, 3), mu), ()

        return BlockLaw(osculating)


__all__ = ["OrbitalElements"]
