"""The attitude of a body in its orbit: roll, pitch, yaw against the local vertical, and its turning in the orbit frame."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockLaw
from kaneflex.model.blocks.in_orbit import Observer, motion_of, place_law, settle_sees
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.vectors import angle, dot, orbit_axes
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class OrbitAttitude(Observer):
    """Attitude of a body or frame in local axes: x forward, y against the normal r x v of the orbit, z down.

    Outputs: `yaw`, `pitch`, `roll` (rad), turns about z, then the new y, then the new x, that lead from the local axes to
    the body's; `wx`, `wy`, `wz` (rad/s), the body's angular velocity relative to the local axes, in its own. The local axes
    turn about the normal by the size of r x v over r^2; that forces turn the plane of the orbit is left out.

    Args:
        body: a body or frame.
        orbit: the place whose orbit it is: a body, a frame, a group's "name.mass_centre"; "" for the body's own; or a
            KeplerOrbit, in a system whose places count from it.
        centre: what the orbit is about, position in N, m.
    """

    measured: ClassVar = {"yaw": "rad", "pitch": "rad", "roll": "rad", "wx": "rad/s", "wy": "rad/s", "wz": "rad/s"}

    body: str
    orbit: str | KeplerOrbit = ""
    centre: Any = (0.0, 0.0, 0.0)

    def _check(self) -> None:
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre of an OrbitAttitude block"))
        motion_of(self.body)  # which refuses a body without a name
        settle_sees(self, [*motion_of(self.orbit or self.body), f"{self.body}.rotation", f"{self.body}.omega"])

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        first, place = place_law(self.orbit or self.body, self.centre), size - 12

        def attitude(t: Any, x: Any, z: Any) -> Any:
            r, v = first(t, x)
            up, forward, normal, turn = orbit_axes(r, v)
            axes = x[place:]
            bx, by, bz = (axes[0], axes[3], axes[6]), (axes[1], axes[4], axes[7]), (axes[2], axes[5], axes[8])
            c, s = dot(forward, bx), -dot(normal, bx)
            level = np.sqrt(c * c + s * s)
            if level.real < 1e-12:
                raise ValueError("the body's x axis is vertical: yaw and roll are about one axis and have no values")
            angles = angle(s, c), angle(dot(up, bx), level), angle(-dot(up, by), -dot(up, bz))
            w = axes[9] - turn * dot(normal, bx), axes[10] - turn * dot(normal, by), axes[11] - turn * dot(normal, bz)
            return (angles[0], angles[1], angles[2], w[0], w[1], w[2]), ()

        return BlockLaw(attitude)


__all__ = ["OrbitAttitude"]
