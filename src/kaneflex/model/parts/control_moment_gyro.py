"""A control moment gyro: a wheel of constant speed in one gimbal or two, which a servo turns at a commanded rate."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Joint, Revolute, Universal
from kaneflex.model.orbits.vectors import cross, dot
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.parts.reaction_wheel import THICK
from kaneflex.model.typed import typed

DAMPING = 0.7  # of the servo


@typed
@dataclass(frozen=True)
class GimbalServo(BlockBase):
    """The servo of a ControlMomentGyro, which makes it: holds the rates of its gimbals at those commanded.

    Args:
        load: inertia that it turns, kg m^2.
        momentum, gimbal, spin, inner: as for ControlMomentGyro.
        bandwidth, rate_limit, torque_limit: as for ControlMomentGyro.
        gimbals: their number.
        sees: commands, rates, angular velocity of the gimbal in its own axes; of two gimbals the angle of the inner one.
        drives: torques of the gimbals.
    """

    load: float
    momentum: float
    gimbal: Any
    spin: Any
    inner: Any
    bandwidth: float
    rate_limit: float
    torque_limit: float
    gimbals: int

    only_seen: ClassVar[int] = 1

    def _each(self, word: str) -> tuple[str, ...]:
        return (word,) if self.gimbals == 1 else tuple(f"{word}{k + 1}" for k in range(self.gimbals))

    @property
    def state_names(self) -> tuple[str, ...]:
        """How far the gimbals are behind what was commanded, rad."""
        return self._each("behind")

    @property
    def start(self) -> np.ndarray:
        """Nothing at the start."""
        return np.zeros(self.gimbals)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torques of the servos, and their power."""
        return *self._each("torque"), "power"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return *("N m",) * self.gimbals, "W"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 5 if self.gimbals == 1 else 8, what)
        I, w, most, fastest = float(self.load), float(self.bandwidth), float(self.torque_limit), float(self.rate_limit)

        h = tuple(self.momentum * x for x in self.spin)
        outer = self.gimbal
        inner = outer if self.inner is None else self.inner
        beside = cross(inner, outer)

        def servo(command: Any, rate: Any, behind: Any, gyroscopic: Any) -> Any:
            slip = within(command, fastest) - rate
            wanted = I * (2 * DAMPING * w * slip + w * w * behind) + gyroscopic
            torque = within(wanted, most)
            return torque, slip + (torque - wanted) / (I * w)

        def one(t: Any, x: Any, z: Any) -> Any:
            torque, slip = servo(x[0], x[1], z[0], dot(cross(x[2:5], h), outer))
            return (torque, torque * x[1]), (slip,)

        def two(t: Any, x: Any, z: Any) -> Any:
            T, c, s = cross(x[4:7], h), np.cos(x[7]), np.sin(x[7])
            a, slip1 = servo(x[0], x[2], z[0], c * dot(T, outer) - s * dot(T, beside))
            b, slip2 = servo(x[1], x[3], z[1], dot(T, inner))
            return (a, b, a * x[2] + b * x[3]), (slip1, slip2)

        return BlockLaw(one if self.gimbals == 1 else two)


@typed
@dataclass(frozen=True)
class ControlMomentGyro(PartBase):
    """A wheel that keeps its speed, in a gimbal that a servo turns: the body feels -(rate x momentum).

    The command, the input of the part's name, is the rate of the gimbal relative to the body, rad/s; with two gimbals there
    are two, "name_1" of the outer and "name_2" of the inner one. The servo knows the gyroscopic torque, and holds
    the rate and the angle that it adds up to.
    Channels: `torque` of the servo and its `power`, `angle` of the gimbal, `angle.rate`; `torque1`, `angle1`, ... where
    there are two gimbals.

    Args:
        momentum: of the wheel relative to the gimbal, kg m^2/s.
        inertia: of the wheel about its axis, kg m^2.
        mass: of wheel and gimbal, kg.
        gimbal: axis of the gimbal, of the outer one of two, in the part's axes.
        spin: axis of the wheel where the angles are zero; perpendicular to the gimbal's.
        inner: axis of a second, inner gimbal where the angles are zero, perpendicular to both; None for one gimbal.
        gimbal_inertia: of wheel and gimbal about all axes across the spin, kg m^2; 0.6 of the wheel's when None.
        angle: of the gimbal at the start, rad; two numbers for two gimbals.
        bandwidth: of the servo, rad/s.
        rate_limit: of the command, rad/s.
        torque_limit: of the servo, N m.
    """

    momentum: float
    inertia: float
    mass: float
    gimbal: Any = (0.0, 0.0, 1.0)
    spin: Any = (1.0, 0.0, 0.0)
    inner: Any = None
    gimbal_inertia: float | None = None
    angle: Any = 0.0
    bandwidth: float = 20.0
    rate_limit: float = math.inf
    torque_limit: float = math.inf

    def _check(self) -> None:
        for name in ("gimbal", "spin", "inner"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.axis(getattr(self, name), f"{name} of a ControlMomentGyro"))
        for name in ("inertia", "mass", "bandwidth"):
            checks.positive(getattr(self, name), f"{name} of a ControlMomentGyro")
        for name in ("rate_limit", "torque_limit"):
            if getattr(self, name) != math.inf:
                checks.positive(getattr(self, name), f"{name} of a ControlMomentGyro")
        checks.number(self.momentum, "momentum of a ControlMomentGyro")
        given = checks.several(self.angle, self.gimbals, "angle of a ControlMomentGyro")
        object.__setattr__(self, "angle", tuple(float(x) for x in given))
        if self.gimbal_inertia is not None and checks.positive(self.gimbal_inertia, "gimbal_inertia") < self.inertia / 2:
            raise ModelError(
                f"gimbal_inertia of a ControlMomentGyro is {self.gimbal_inertia:g}: a wheel has at least half of its inertia"
                f" about the axis, {self.inertia:g}"
            )
        axes = {"gimbal": self.gimbal, "spin": self.spin} | ({} if self.inner is None else {"inner": self.inner})
        for a, x in axes.items():
            for b, y in axes.items():
                if a < b and abs(float(np.dot(x, y))) > 1e-9:
                    raise ModelError(f"{a} and {b} of a ControlMomentGyro are not perpendicular: give axes that are")

    @property
    def gimbals(self) -> int:
        """Their number."""
        return 1 if self.inner is None else 2

    @cached_property
    def load(self) -> float:
        """Inertia that the servo turns, kg m^2."""
        return THICK * self.inertia if self.gimbal_inertia is None else self.gimbal_inertia

    def describe(self) -> str:
        """Momentum and gimbals."""
        return f"{self.momentum:g} kg m^2/s in {'one gimbal' if self.gimbals == 1 else 'two gimbals'}"

    def install(self, site: Site) -> None:
        """Gimbal and wheel, commands, servo."""
        a = np.array(self.spin)
        J = self.load * np.eye(3) + (self.inertia - self.load) * np.outer(a, a)
        joint: Joint = Revolute(self.gimbal) if self.gimbals == 1 else Universal((self.gimbal, self.inner))
        body = site.add("", Rigid(self.mass, inertia=J), joint, q=self.angle)
        site.add_rotor("wheel", Rotor(self.spin, self.inertia, self.momentum / self.inertia), body=body)
        words, names = ([""], ["angle"]) if self.gimbals == 1 else (["1", "2"], ["angle1", "angle2"])
        commands = [site.command(word, unit="rad/s") for word in words]
        pairs = zip(words, names, strict=True)
        drives = [site.add_input(f"torque{word}", JointForce(body, coordinate=name)) for word, name in pairs]
        sees = [*commands, *(f"{body}.{name}.rate" for name in names), f"{body}.omega", *(f"{body}.{n}" for n in names[1:])]
        site.add_block("", GimbalServo(**shared(self, GimbalServo), sees=sees, drives=drives))


__all__ = ["ControlMomentGyro"]
