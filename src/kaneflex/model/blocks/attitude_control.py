"""Attitude: how far a body is from where it should point, and torques that bring it there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, entries, numbered
from kaneflex.model.blocks.in_orbit import settle_sees
from kaneflex.model.blocks.quaternions import turn_from, unit_quaternion
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import Name, typed


@typed
@dataclass(frozen=True)
class AttitudeError(BlockBase):
    """The turn from a target to a body: twice the vector of its quaternion, by the shorter way, in the body's axes.

    For small turns these are the angles about the axes, rad. Outputs: `ex`, `ey`, `ez`.

    Args:
        body: a body or frame.
        target: orientation in N, a quaternion with the scalar first.
    """

    body: Name
    target: Any = (1.0, 0.0, 0.0, 0.0)

    def _check(self) -> None:
        object.__setattr__(self, "target", unit_quaternion(self.target, "target of an AttitudeError block"))
        settle_sees(self, [f"{self.body}.rotation"])

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """The turn."""
        return "ex", "ey", "ez"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "rad", "rad", "rad"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        target = np.array(self.target)

        def error(t: Any, x: Any, z: Any) -> Any:
            return turn_from(target, x), ()

        return BlockLaw(error)


@typed
@dataclass(frozen=True)
class AttitudeControl(BlockBase):
    """Torque on a body that turns it to a target and holds it there: T = -kp e - ki i - kd (w - rate), i' = e.

    e is the turn of an AttitudeError, w the angular velocity, both as the body has them, or as sensors tell them. Each
    component is cut at the limit, and the integrals are held back by what is cut. With `axes` the outputs are commands of
    wheels, motor torques on them, -A^+ T, A having the wheels' axes as its columns: any number of wheels, three of them
    independent. Outputs: `tx`, `ty`, `tz`, or `wheel1`, ...; states `ix`, `iy`, `iz` where there is a ki.

    Args:
        body: that is controlled.
        kp, kd, ki: gains, N m, N m s and N m/s: numbers, or three of them, of the axes.
        target: orientation in N, a quaternion with the scalar first.
        rate: angular velocity that is wanted, in the body's axes, rad/s.
        limit: of each component of T, N m.
        axes: of wheels, in the body's axes, rows; None for the torque itself.
        attitude: name of a sensor or block that tells e as `ex`, `ey`, `ez`; "" for the truth.
        gyro: name of a sensor that tells w as `wx`, `wy`, `wz`; "" for the truth.
        drives: inputs, one for each output.
    """

    body: Name
    kp: Any
    kd: Any
    ki: Any = 0.0
    target: Any = (1.0, 0.0, 0.0, 0.0)
    rate: Any = (0.0, 0.0, 0.0)
    limit: float = math.inf
    axes: Any = None
    attitude: str = ""
    gyro: str = ""

    def _check(self) -> None:
        what = "of an AttitudeControl block"
        for name in ("kp", "kd", "ki"):
            given = getattr(self, name)
            three = checks.array((given,) * 3 if checks.dimensions(given) == 0 else given, (3,), f"{name} {what}")
            object.__setattr__(self, name, tuple(float(x) for x in three))
        object.__setattr__(self, "target", unit_quaternion(self.target, f"target {what}"))
        object.__setattr__(self, "rate", checks.vector(self.rate, f"rate {what}"))
        if self.limit != math.inf:
            checks.positive(self.limit, f"limit {what}")
        if any(self.ki) and not all(self.kp):
            raise ModelError("an AttitudeControl block with a ki needs a kp about each axis")
        if self.axes is not None:
            rows = tuple(checks.axis(a, f"axes {what}") for a in checks.items(self.axes, f"axes {what}"))
            if np.linalg.matrix_rank(np.array(rows)) < 3:
                raise ModelError(f"axes {what} lie in a plane: wheels about them give no torque across it; give others")
            object.__setattr__(self, "axes", rows)
        turned = [f"{self.attitude}.e{x}" for x in "xyz"] if self.attitude else [f"{self.body}.rotation"]
        settle_sees(self, [*turned, *([f"{self.gyro}.w{x}" for x in "xyz"] if self.gyro else [f"{self.body}.omega"])])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Integrals of the turn, rad s."""
        return ("ix", "iy", "iz") if any(self.ki) else ()

    @property
    def start(self) -> np.ndarray:
        """Nothing at the start."""
        return np.zeros(len(self.state_names))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torque, or commands of wheels."""
        return ("tx", "ty", "tz") if self.axes is None else numbered(len(self.axes), "wheel")

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return ("N m",) * len(self.output_names)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        kp, kd, ki, wanted = (np.array(getattr(self, n)) for n in ("kp", "kd", "ki", "rate"))
        target, limit, given = np.array(self.target), float(self.limit), bool(self.attitude)
        place, bounded, integral = 3 if given else 9, self.limit < math.inf, any(self.ki)
        share = np.eye(3) if self.axes is None else -np.linalg.pinv(np.array(self.axes).T)
        n = len(share)
        first, states = entries(n), entries(len(self.state_names))
        back = np.array([k / p if p else 0.0 for k, p in zip(self.ki, self.kp, strict=True)])  # tracking rate over kp

        def control(t: Any, x: Any, z: Any) -> Any:
            e = (x[0], x[1], x[2]) if given else turn_from(target, x)
            T, rates, out = np.zeros(3, x.dtype), np.zeros(3, x.dtype), np.zeros(n, x.dtype)
            for k in range(3):
                v = -kp[k] * e[k] - kd[k] * (x[place + k] - wanted[k])
                if integral:
                    v = v - ki[k] * z[k]
                T[k] = within(v, limit) if bounded else v
                rates[k] = e[k]
                if ki[k] != 0:
                    rates[k] = e[k] - back[k] * (T[k] - v) / ki[k]
            for i in range(n):
                for k in range(3):
                    out[i] += share[i, k] * T[k]
            return first(out), states(rates)

        return BlockLaw(control)


__all__ = ["AttitudeControl", "AttitudeError"]
