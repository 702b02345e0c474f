"""Magnets in a field: coils that are told their moment, and a magnet in a ball that damps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring, MagneticTorque, Torque
from kaneflex.model.joints import Spherical
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.vectors import cross, dot
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class FieldSeen(BlockBase):
    """The field at a MagneticTorquer, which makes it, apart from the coils: laws that command these see it.

    Args:
        field, orbit: as for MagneticTorquer.
        sees: position and rotation of the place.
    """

    field: Dipole
    orbit: KeplerOrbit | None
    only_seen: ClassVar[int] = 3

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Field in the part's axes."""
        return "bx", "by", "bz"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return ("T",) * 3

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 12, what)
        B_of, place = self.field.law(), absolute(self.orbit)

        def field(t: Any, x: Any, z: Any) -> Any:
            B = B_of(t, place(t, x, 0))
            return (dot(x[3:12:3], B), dot(x[4:12:3], B), dot(x[5:12:3], B)), ()

        return BlockLaw(field)


@typed
@dataclass(frozen=True)
class Coils(BlockBase):
    """The coils of a MagneticTorquer, which makes them.

    Args:
        limit: as for MagneticTorquer.
        sees: moments that are wanted, and the field.
        drives: torque on the body.
    """

    limit: float
    only_seen: ClassVar[int] = 3

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torque and moment."""
        return "tx", "ty", "tz", "mx", "my", "mz"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return *("N m",) * 3, *("A m²",) * 3

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 6, what)
        limit = float(self.limit)

        def coils(t: Any, x: Any, z: Any) -> Any:
            m = within(x[0], limit), within(x[1], limit), within(x[2], limit)
            T = cross(m, x[3:6])
            return (T[0], T[1], T[2], m[0], m[1], m[2]), ()

        return BlockLaw(coils)


@typed
@dataclass(frozen=True)
class MagneticTorquer(PartBase):
    """Three coils or rods in the field of a planet: torque m x B on the body.

    The commands, inputs "name_x", "name_y", "name_z", are the moments in the part's axes, A m^2. Channels: `tx`, `ty`,
    `tz`, the torque, `mx`, ... the moments; "name_field.bx", ... the field, which laws that command the coils may see; all
    in these axes.

    Args:
        limit: of each moment, A m^2.
        field: of the planet.
        orbit: the orbit that N falls along, where it does.
    """

    limit: float
    field: Dipole = field(default_factory=Dipole)
    orbit: KeplerOrbit | None = None

    def _check(self) -> None:
        checks.positive(self.limit, "limit of a MagneticTorquer")

    def describe(self) -> str:
        """Moment."""
        return f"{self.limit:g} A m^2"

    def install(self, site: Site) -> None:
        """Commands, torques, coils."""
        place = site.place
        commands = [site.command(word, unit="A m²") for word in "xyz"]
        axes = zip("xyz", np.eye(3).tolist(), strict=True)
        drives = [site.add_input(f"torque_{word}", Torque(place, tuple(axis))) for word, axis in axes]
        where = (f"{place}.position", f"{place}.rotation")
        field = site.add_block("field", FieldSeen(**shared(self, FieldSeen), sees=where))
        sees = [*commands, *(f"{field}.b{x}" for x in "xyz")]
        site.add_block("", Coils(**shared(self, Coils), sees=sees, drives=drives))


@typed
@dataclass(frozen=True)
class DamperBall(BlockBase):
    """What a MagneticDamper tells; made by it.

    Args:
        damping: as for MagneticDamper.
        sees: angular velocity of the ball relative to the body.
    """

    damping: float

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Power lost; rates relative to the body, in axes of the ball."""
        return "heat", "wx", "wy", "wz"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "W", "rad/s", "rad/s", "rad/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 3, what)
        c = float(self.damping)

        def heat(t: Any, x: Any, z: Any) -> Any:
            return (c * dot(x, x), x[0], x[1], x[2]), ()

        return BlockLaw(heat)


@typed
@dataclass(frozen=True)
class MagneticDamper(PartBase):
    """A ball with a magnet that follows the field, in a fluid that resists its turning in the body.

    The body feels c (w_ball - w), the ball the opposite and m x B. Channels: `heat`, the power lost, `wx`, `wy`, `wz`, the
    rates of the ball relative to the body; the ball is "name_ball".

    Args:
        moment: m of the magnet, along x of the ball, A m^2.
        damping: c, N m s.
        mass: of the ball, kg.
        inertia: of the ball about any axis, kg m^2.
        field: of the planet.
        orbit: the orbit that N falls along, where it does.
        turned: orientation of the ball in the part's axes at the start, a quaternion with the scalar first.
    """

    moment: float
    damping: float
    mass: float = 1.0
    inertia: float = 1e-3
    field: Dipole = field(default_factory=Dipole)
    orbit: KeplerOrbit | None = None
    turned: Any = (1.0, 0.0, 0.0, 0.0)

    def _check(self) -> None:
        for name in ("damping", "mass", "inertia"):
            checks.positive(getattr(self, name), f"{name} of a MagneticDamper")
        checks.not_negative(self.moment, "moment of a MagneticDamper")
        given = checks.array(self.turned, (4,), "turned of a MagneticDamper")
        object.__setattr__(self, "turned", tuple(float(x) for x in given))

    def describe(self) -> str:
        """Moment and damping."""
        return f"{self.moment:g} A m^2, {self.damping:g} N m s"

    def install(self, site: Site) -> None:
        """Ball, its fluid, its magnet."""
        ball = site.add("ball", Rigid(self.mass, inertia=self.inertia), Spherical(), q=self.turned)
        site.apply("fluid", JointSpring(ball, damping=self.damping))
        if self.moment:
            site.apply("magnet", MagneticTorque(ball, (self.moment, 0.0, 0.0), self.field, self.orbit))
        site.add_block("", DamperBall(damping=self.damping, sees=f"{ball}.rate"))


__all__ = ["MagneticDamper", "MagneticTorquer"]
