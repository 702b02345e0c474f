"""A line in an orbit: its angles from the local vertical, its length, and their rates."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockLaw
from kaneflex.model.blocks.in_orbit import Observer, motion_of, place_law, settle_sees
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.vectors import angle, dot, orbit_axes
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class LocalVertical(Observer):
    """The line from a place in orbit to another one, in the orbit frame of the first: up, forward, along r x v.

    Outputs: `distance` (m), `in_plane`, the angle from the vertical in the plane of the orbit, positive about its normal
    r x v, so that a line up and ahead has a positive one, as one down and behind, and `out_of_plane`, positive towards that
    normal (rad); `distance_rate`, `in_plane_rate`, `out_of_plane_rate`. Rates are those seen from the orbit frame, which
    turns about its normal by the size of r x v over r^2; that forces turn the plane itself is left out.

    Args:
        origin: a body, a frame, or a group's "name.mass_centre"; or a KeplerOrbit, in a system whose places count from it.
        end: a body, a frame or a group's "name.mass_centre".
        down: count angles from the vertical downwards, not upwards.
        centre: what the orbit is about, position in N, m.
    """

    measured: ClassVar = {
        "distance": "m",
        "distance_rate": "m/s",
        "in_plane": "rad",
        "in_plane_rate": "rad/s",
        "out_of_plane": "rad",
        "out_of_plane_rate": "rad/s",
    }

    origin: str | KeplerOrbit
    end: str
    down: bool = False
    centre: Any = (0.0, 0.0, 0.0)

    def _check(self) -> None:
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre of a LocalVertical block"))
        if self.origin == self.end:
            raise ModelError(f'a LocalVertical block looks from "{self.origin}" to itself: give two places')
        settle_sees(self, [*motion_of(self.origin), *motion_of(self.end)])

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        first, sign = place_law(self.origin, self.centre), -1.0 if self.down else 1.0
        given = isinstance(self.origin, KeplerOrbit)

        def line(t: Any, x: Any, z: Any) -> Any:
            r, v = first(t, x)
            if given:
                d, rate = (x[0], x[1], x[2]), (x[3], x[4], x[5])
            else:
                d = x[6] - x[0], x[7] - x[1], x[8] - x[2]
                rate = x[9] - x[3], x[10] - x[4], x[11] - x[5]
            up, forward, normal, turn = orbit_axes(r, v)
            a, b, c = sign * dot(d, up), sign * dot(d, forward), dot(d, normal)
            a_rate = sign * dot(rate, up) + turn * b
            b_rate, c_rate = sign * dot(rate, forward) - turn * a, dot(rate, normal)
            level2 = a * a + b * b
            l = np.sqrt(level2 + c * c)
            if level2.real <= 1e-24 * (c * c).real:
                raise ValueError("the line is normal to the orbit, or has no length: it has no angle in the plane")
            level = np.sqrt(level2)
            along = (a * a_rate + b * b_rate) / level
            angles = angle(b, a), (a * b_rate - b * a_rate) / level2, angle(c, level), (level * c_rate - c * along) / (l * l)
            return (l, (level * along + c * c_rate) / l, angles[0], angles[1], angles[2], angles[3]), ()

        return BlockLaw(line)


__all__ = ["LocalVertical"]
