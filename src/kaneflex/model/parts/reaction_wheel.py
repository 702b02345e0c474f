"""A reaction or momentum wheel: a motor between a body and a wheel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Revolute
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.typed import typed

THICK = 0.6  # transverse inertia of a wheel over that about its axis; of a thin disk 0.5
BAND = 0.01  # of the speed limit, below which the motor's torque falls to zero


@typed
@dataclass(frozen=True)
class WheelMotor(BlockBase):
    """The motor of a ReactionWheel, which makes it: sees the command and the wheel's speed, gives the torque on the wheel.

    Args:
        torque_limit, speed_limit, power_limit, viscous, coulomb, coulomb_rate: as for ReactionWheel.
        sees: command and speed.
        drives: the torque on the wheel.
    """

    torque_limit: float
    speed_limit: float
    power_limit: float
    viscous: float
    coulomb: float
    coulomb_rate: float
    only_seen: ClassVar[int] = 4

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torque on the wheel; its speed, what the motor gives, friction, the motor's power."""
        return "torque", "speed", "motor", "friction", "power"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N m", "rad/s", "N m", "N m", "W"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 2, what)
        limit, fastest, power = float(self.torque_limit), float(self.speed_limit), float(self.power_limit)
        viscous, coulomb, knee = float(self.viscous), float(self.coulomb), float(self.coulomb_rate)
        bounded, slow = power < math.inf, power / limit if limit < math.inf else 1e-9

        def motor(t: Any, x: Any, z: Any) -> Any:
            w = x[1]
            most = power / np.maximum(np.sqrt(w * w), slow) if bounded else limit
            torque = within(x[0], most)
            if fastest < math.inf and (torque * w).real > 0:
                torque = torque * np.minimum(np.maximum((fastest - np.sqrt(w * w)) / (BAND * fastest), 0.0), 1.0)
            friction = viscous * w + coulomb * w / np.sqrt(w * w + knee * knee)
            return (torque - friction, w, torque, friction, torque * w), ()

        return BlockLaw(motor)


@typed
@dataclass(frozen=True)
class ReactionWheel(PartBase):
    """A wheel that a motor turns against the body that it is on.

    The command, the input of the part's name, is the torque of the motor on the wheel about its axis (N m); the body feels
    the opposite. Channels: `torque` on the wheel, motor less friction; `speed`, relative to the body; `motor` and
    `friction` torques; `power` of the motor, negative where it brakes. "name.rate" is the speed as a state.

    Without a mass the wheel is a rotor: mass and inertia of the body include it as if it were locked. With a mass it is a
    body of its own, and only then it may have an imbalance or a prescribed motion, whose torque is the channel "name.drive".

    Args:
        axis: of spin, in the part's axes.
        inertia: about it, kg m^2.
        torque_limit: of the motor, N m.
        speed_limit: from which on the motor does not drive it faster, rad/s. Its torque falls to zero over the last 1 %.
        power_limit: of the motor, driving or braking, W.
        viscous: friction per speed, N m s.
        coulomb: dry friction, N m, times w / sqrt(w^2 + coulomb_rate^2).
        coulomb_rate: speed below which dry friction is not fully there, rad/s.
        rate: speed at the start, rad/s.
        mass: kg; 0 for a rotor.
        transverse: inertia about the axes across, kg m^2; 0.6 of that about the axis when None.
        static_imbalance: mass times distance of the mass centre from the axis, kg m.
        dynamic_imbalance: product of inertia of the axis and the same direction across, kg m^2.
        motion: angle over time that is prescribed, a profile or a function (rad), e.g. profiles.constant_rate(300.0).
    """

    axis: Any = (0.0, 0.0, 1.0)
    inertia: float = 1.0
    torque_limit: float = math.inf
    speed_limit: float = math.inf
    power_limit: float = math.inf
    viscous: float = 0.0
    coulomb: float = 0.0
    coulomb_rate: float = 1.0
    rate: float = 0.0
    mass: float = 0.0
    transverse: float | None = None
    static_imbalance: float = 0.0
    dynamic_imbalance: float = 0.0
    motion: Any = None

    def _check(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, "axis of a ReactionWheel"))
        for name in ("inertia", "coulomb_rate"):
            checks.positive(getattr(self, name), f"{name} of a ReactionWheel")
        for name in ("torque_limit", "speed_limit", "power_limit"):
            if getattr(self, name) != math.inf:
                checks.positive(getattr(self, name), f"{name} of a ReactionWheel")
        for name in ("viscous", "coulomb", "mass", "static_imbalance", "dynamic_imbalance"):
            checks.not_negative(getattr(self, name), f"{name} of a ReactionWheel")
        checks.number(self.rate, "rate of a ReactionWheel")
        if self.transverse is not None:
            checks.positive(self.transverse, "transverse of a ReactionWheel")
        if abs(self.rate) > self.speed_limit:
            raise ModelError(f"rate of a ReactionWheel is {self.rate:g}: its speed_limit is {self.speed_limit:g} rad/s")
        wants = [n for n in ("transverse", "static_imbalance", "dynamic_imbalance", "motion") if getattr(self, n)]
        if wants and not self.mass:
            raise ModelError(f"a ReactionWheel with {wants[0]} is a body of its own: give its mass")

    def describe(self) -> str:
        """Inertia and limits."""
        limits = {"N m": self.torque_limit, "rad/s": self.speed_limit, "W": self.power_limit}
        found = [f"{value:g} {unit}" for unit, value in limits.items() if value < math.inf]
        return f"{self.inertia:g} kg m^2" + (f", up to {', '.join(found)}" if found else "")

    def install(self, site: Site) -> None:
        """Wheel, command, motor."""
        if self.mass:
            rates = self.rate if self.motion is None else None
            site.add("", self._wheel(), Revolute(self.axis, motion=self.motion), rates=rates)
        else:
            site.add_rotor("", Rotor(site.axis(self.axis), self.inertia, self.rate))
        if self.motion is not None:
            return
        command = site.command(unit="N m")
        torque = site.add_input("torque", JointForce(site.name))
        motor = WheelMotor(**shared(self, WheelMotor), sees=(command, f"{site.name}.rate"), drives=torque)
        site.add_block("", motor)

    def _wheel(self) -> Rigid:
        """The wheel as a body, its origin on the axis."""
        a = np.array(self.axis)
        e = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        e /= np.linalg.norm(e)
        across = THICK * self.inertia if self.transverse is None else self.transverse
        J = across * np.eye(3) + (self.inertia - across) * np.outer(a, a)
        J = J - self.dynamic_imbalance * (np.outer(a, e) + np.outer(e, a))
        return Rigid(self.mass, com=tuple(self.static_imbalance / self.mass * e), inertia=J)


__all__ = ["ReactionWheel"]
