"""The sun on a body in orbit."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockLaw
from kaneflex.model.blocks.in_orbit import Observer, motion_of, settle_sees
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.sun import Sun, in_cone, in_cylinder
from kaneflex.model.orbits.vectors import angle, cross, dot, length
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Sunlight(Observer):
    """The sun as a place in orbit sees it. The sun is so far that its direction is that from the Earth.

    Outputs: `lit`, the part of its disk that is seen, 0 in the shadow to 1; `to_x`, `to_y`, `to_z` of the unit vector to it,
    inertial axes; `beta`, its angle from the plane of the orbit, positive on the side of r x v (rad).

    Args:
        of: a body, a frame, or a group's "name.mass_centre".
        sun: where it is.
        shadow: "cone", umbra and penumbra, or "cylinder", all or nothing.
        radius: of the planet, m.
        orbit: the orbit that N falls along, where it does.
    """

    measured: ClassVar = {"lit": "", "to_x": "", "to_y": "", "to_z": "", "beta": "rad"}

    of: str
    sun: Sun = field(default_factory=Sun)
    shadow: str = "cone"
    radius: float = 6378137.0
    orbit: KeplerOrbit | None = None

    def _check(self) -> None:
        checks.known(self.shadow, ("cone", "cylinder"), "shadow of a Sunlight block")
        object.__setattr__(self, "radius", checks.positive(self.radius, "radius of a Sunlight block"))
        settle_sees(self, motion_of(self.of))

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        sun, place, velocity = self.sun.law(), absolute(self.orbit), absolute(self.orbit, rate=True)
        radius, cone = self.radius, self.shadow == "cone"

        def light(t: Any, x: Any, z: Any) -> Any:
            s, distance = sun(t)
            r, v = place(t, x, 0), velocity(t, x, 3)
            h = cross(r, v)
            side = dot(h, s) / length(h)
            lit = in_cone(r, s, radius, distance) if cone else in_cylinder(r, s, radius)
            return (lit, s[0], s[1], s[2], angle(side, np.sqrt(1 - side * side))), ()

        return BlockLaw(light)


__all__ = ["Sunlight"]
