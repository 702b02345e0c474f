"""A rocket engine on a gimbal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Force, JointForce
from kaneflex.model.joints import Universal
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.parts.thruster import G0
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Gimbal(BlockBase):
    """Throttle and actuators of an Engine, which makes it.

    Args:
        thrust, specific_impulse, rise, stiffness, damping, angle_limit, torque_limit, fed: as for Engine.
        sees: throttle, both commanded angles, angles and rates of the gimbal; the supply of one that is fed.
        drives: thrust, torques about the two hinges.
    """

    thrust: float
    specific_impulse: float
    rise: float
    stiffness: float
    damping: float
    angle_limit: float
    torque_limit: float
    fed: bool = False
    only_seen: ClassVar[int] = 1

    @property
    def state_names(self) -> tuple[str, ...]:
        """Propellant used; the level of thrust where it takes time."""
        return ("propellant", "level") if self.rise else ("propellant",)

    @property
    def sums(self) -> tuple[str, ...]:
        """Propellant used."""
        return ("propellant",)

    @property
    def start(self) -> np.ndarray:
        """Nothing used, off."""
        return np.zeros(len(self.state_names))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Thrust, torques of the actuators; mass flow."""
        return "thrust", "torque1", "torque2", "flow"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "N m", "N m", "kg/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 7 + self.fed, what)
        whole, exhaust, rise, fed = float(self.thrust), self.specific_impulse * G0, float(self.rise), bool(self.fed)
        k, c, angle, torque = (float(x) for x in (self.stiffness, self.damping, self.angle_limit, self.torque_limit))

        def servo(command: Any, q: Any, rate: Any) -> Any:
            return within(k * (within(command, angle) - q) - c * rate, torque)

        def at_once(t: Any, x: Any, z: Any) -> Any:
            level, F = np.minimum(np.maximum(x[0], 0.0), 1.0), whole * x[7] if fed else whole
            flow = F * level / exhaust
            return (F * level, servo(x[1], x[3], x[5]), servo(x[2], x[4], x[6]), flow), (flow,)

        def in_time(t: Any, x: Any, z: Any) -> Any:
            level, F = np.minimum(np.maximum(x[0], 0.0), 1.0), whole * x[7] if fed else whole
            flow = F * z[1] / exhaust
            return (F * z[1], servo(x[1], x[3], x[5]), servo(x[2], x[4], x[6]), flow), (flow, (level - z[1]) / rise)

        return BlockLaw(in_time if self.rise else at_once)


@typed
@dataclass(frozen=True)
class Engine(PartBase):
    """A nozzle with mass on a gimbal of two hinges, about y and then z of the part's axes, whose thrust follows it.

    The thrust is along x of the nozzle, at the gimbal; the nozzle's mass centre is behind it. Commands are the inputs
    "name", the throttle from 0 to 1, "name_y" and "name_z", the angles (rad). Each hinge is turned by a servo, torque =
    stiffness (command - angle) - damping rate, within its limits; the vehicle feels the opposite, and the inertia of
    the nozzle besides (tail-wags-dog). The mass of the vehicle stays as it is, unless a `Tank` feeds the engine.

    Channels: `thrust`, `torque1`, `torque2` of the servos, `flow`, the states `propellant`, what was used since the
    start, kg, and `level`; "name.q" are the angles.

    Args:
        thrust: at full throttle, N.
        specific_impulse: s.
        mass: of the nozzle, kg.
        arm: from the gimbal back to its mass centre, m.
        inertia: about its mass centre, along and across its axis, kg m^2.
        stiffness: of a servo, N m per rad.
        damping: N m s per rad.
        angle_limit: of commands, rad.
        torque_limit: of a servo, N m.
        rise: time constant of the thrust, s; 0 for at once.
        fed: True where a `Tank` feeds it, without which there is no thrust.
    """

    thrust: float
    specific_impulse: float = 300.0
    mass: float = 500.0
    arm: float = 1.0
    inertia: Any = (50.0, 100.0)
    stiffness: float = 1e6
    damping: float = 2e4
    angle_limit: float = 0.15
    torque_limit: float = 1e6
    rise: float = 0.0
    fed: bool = False

    def _check(self) -> None:
        for name in ("thrust", "specific_impulse", "mass", "stiffness", "angle_limit", "torque_limit"):
            checks.positive(getattr(self, name), f"{name} of an Engine")
        for name in ("arm", "damping", "rise"):
            checks.not_negative(getattr(self, name), f"{name} of an Engine")
        given = checks.finite(self.inertia, 2, "inertia of an Engine")
        object.__setattr__(self, "inertia", tuple(float(x) for x in given))
        if min(self.inertia) <= 0 or self.inertia[0] > 2 * self.inertia[1]:
            raise ModelError(f"inertia of an Engine is {self.inertia}: no body has that along and across its axis")
        if self.angle_limit >= 1.5:
            raise ModelError(f"angle_limit of an Engine is {self.angle_limit:g} rad: a gimbal turns by less than 1.5")

    def describe(self) -> str:
        """Thrust and specific impulse."""
        return f"{self.thrust:g} N, {self.specific_impulse:g} s, nozzle of {self.mass:g} kg"

    def install(self, site: Site) -> None:
        """Nozzle, commands, thrust, servos."""
        along, across = self.inertia
        nozzle = Rigid(self.mass, com=(-self.arm, 0, 0), inertia=(along, across, across))
        body = site.add("", nozzle, Universal(("y", "z")))
        sees = [site.command(), site.command("y", "rad"), site.command("z", "rad"), f"{body}.q", f"{body}.rate"]
        drives = [site.add_input("thrust", Force(body, (1, 0, 0)))]
        drives += [site.add_input(f"torque{k}", JointForce(body, coordinate=f"angle{k}")) for k in (1, 2)]
        sees += [site.supply()] if self.fed else []
        site.add_block("", Gimbal(**shared(self, Gimbal), sees=sees, drives=drives))
        site.unit(f"{site.name}.propellant", "kg")


__all__ = ["Engine"]
