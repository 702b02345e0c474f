"""A mass that a servo moves along a track."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Prismatic
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.profiles import motion_of
from kaneflex.model.typed import typed

DAMPING = 0.7  # of the servo


@typed
@dataclass(frozen=True)
class TrackServo(BlockBase):
    """The servo of a MovingMass, which makes it.

    Args:
        mass, lower, upper, bandwidth, force_limit: as for MovingMass.
        sees: the command, place and rate of the mass.
        drives: the force on it.
    """

    mass: float
    lower: float
    upper: float
    bandwidth: float
    force_limit: float
    only_seen: ClassVar[int] = 1

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Force on the mass along its track, and the servo's power."""
        return "force", "power"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "W"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 3, what)
        m, w, most = float(self.mass), float(self.bandwidth), float(self.force_limit)
        low, high = float(self.lower), float(self.upper)

        def servo(t: Any, x: Any, z: Any) -> Any:
            goal = np.minimum(np.maximum(x[0], low), high)
            force = within(m * (w * w * (goal - x[1]) - 2 * DAMPING * w * x[2]), most)
            return (force, force * x[2]), ()

        return BlockLaw(servo)


@typed
@dataclass(frozen=True)
class MovingMass(PartBase):
    """A particle on a straight track, which a servo moves: a trim mass, an elevator, a parcel of fuel.

    The command, the input of the part's name, is the place on the track, m, from the part's place along the axis; the servo
    brings the mass there as a spring and damper would, mass (w^2 (command - place) - 1.4 w rate), within its force. The
    body feels the opposite, and whatever follows from the motion of the mass: Coriolis forces, the angular momentum
    relative to the body. Channels: `force`, `power`; "name.q" is the place. With a motion there is no command, and
    "name.drive" is the force.

    Args:
        mass: kg.
        axis: of the track, in the part's axes.
        lower, upper: ends of the track, m: commands are cut there.
        place: at the start, m.
        bandwidth: w of the servo, rad/s.
        force_limit: of the servo, N.
        inertia: of the mass about its own mass centre, kg m^2, three numbers.
        motion: place over time that is prescribed, a profile or a function (m); None for the servo.
    """

    mass: float
    axis: Any = (1.0, 0.0, 0.0)
    lower: float = -math.inf
    upper: float = math.inf
    place: float = 0.0
    bandwidth: float = 5.0
    force_limit: float = math.inf
    inertia: Any = (0.0, 0.0, 0.0)
    motion: Any = None

    def _check(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, "axis of a MovingMass"))
        for name in ("mass", "bandwidth"):
            checks.positive(getattr(self, name), f"{name} of a MovingMass")
        if self.force_limit != math.inf:
            checks.positive(self.force_limit, "force_limit of a MovingMass")
        for name, free in (("lower", -math.inf), ("upper", math.inf)):
            if getattr(self, name) != free:
                checks.number(getattr(self, name), f"{name} of a MovingMass")
        checks.number(self.place, "place of a MovingMass")
        if not self.lower < self.upper:
            raise ModelError(f"a MovingMass has lower {self.lower:g} and upper {self.upper:g}: lower must be below")
        if not self.lower <= self.place <= self.upper:
            raise ModelError(
                f"place of a MovingMass is {self.place:g}: its track is from {self.lower:g} to {self.upper:g} m"
            )
        object.__setattr__(self, "inertia", checks.vector(self.inertia, "inertia of a MovingMass"))
        if self.motion is not None:
            motion_of(self.motion, "motion of a MovingMass")

    def describe(self) -> str:
        """Mass and track."""
        ends = f" from {self.lower:g} to {self.upper:g} m" if -math.inf < self.lower and self.upper < math.inf else ""
        return f"{self.mass:g} kg on a track{ends}"

    def install(self, site: Site) -> None:
        """Mass, command, servo."""
        start: dict[str, Any] = {"q": self.place} if self.motion is None else {}
        body = site.add("", Rigid(self.mass, inertia=self.inertia), Prismatic(self.axis, motion=self.motion), **start)
        if self.motion is not None:
            return
        sees = (site.command(unit="m"), f"{body}.q", f"{body}.rate")
        force = site.add_input("force", JointForce(body))
        site.add_block("", TrackServo(**shared(self, TrackServo), sees=sees, drives=force))


__all__ = ["MovingMass"]
