"""A PID controller with a filtered derivative, a limited output and anti-windup by back-calculation."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class PID(BlockBase):
    """Keeps what it sees at a target by

        v = kp e + i + kd d ,   e = target - x ,   d = -(x - f)/tau ,   f-dot = (x - f)/tau ,
        output = v within the limit ,     i-dot = ki e + (output - v)/tracking .

    The derivative is that of x, not of the target, through a filter of time constant tau. While the output is at its limit
    the integral follows it with the time constant `tracking` (back-calculation), so that it does not wind up.
    Ref: Astrom and Murray, Feedback Systems, 2nd ed., section 11.4.

    Args:
        kp, ki, kd: gains of the error, of its integral (1/s) and of its derivative (s).
        target: what x is to be; where the block sees two channels, the second is the target instead.
        limit: most that the output can be.
        tau: time constant of the derivative's filter, s; 0.01 by default, without meaning where kd is zero.
        tracking: time constant of the anti-windup, s; kp/ki by default.
        initial: output of the integral at the start.
        sees: the channel that is controlled, and perhaps one that is the target.
        drives: one input.
    """

    kp: float
    ki: float = 0.0
    kd: float = 0.0
    target: float = 0.0
    limit: float = math.inf
    tau: float = 0.01
    tracking: float | None = None
    initial: float = 0.0

    def _check(self) -> None:
        for name in ("kp", "ki", "kd", "target", "initial"):
            checks.number(getattr(self, name), f"{name} of a PID block")
        checks.positive(self.tau, "tau of a PID block")
        if self.limit != math.inf:
            checks.positive(self.limit, "limit of a PID block")
        if self.tracking is not None:
            checks.positive(self.tracking, "tracking of a PID block")
        elif self.ki and self.kp * self.ki <= 0 and self.limit != math.inf:
            raise ModelError("a PID block with a limit and with kp and ki of different signs needs tracking=, a time in s")

    @property
    def state_names(self) -> tuple[str, ...]:
        """Integral, and the filtered value of what is controlled where there is a derivative."""
        return ("integral", "filtered") if self.kd else ("integral",)

    @property
    def start(self) -> np.ndarray:
        """States at the start. The filter starts at the target: nothing is known of x before."""
        return np.array([self.initial, self.target][: len(self.state_names)], float)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output."""
        return tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        if size not in (1, 2):
            raise ModelError(f"{what} sees {size} values: give one channel to control, and perhaps one that is the target")
        kp, ki, kd, target = float(self.kp), float(self.ki), float(self.kd), float(self.target)
        tau, limit = float(self.tau), float(self.limit)
        tracking = self.tracking or (kp / ki if ki and kp else 1.0)
        bounded = limit < math.inf

        def control(x: Any, goal: Any, integral: Any, slope: Any) -> Any:
            e = goal - x
            v = kp * e + integral - kd * slope
            out = within(v, limit) if bounded else v
            return out, ki * e + (out - v) / tracking

        if kd and size == 2:

            def law(t: Any, x: Any, z: Any) -> Any:
                slope = (x[0] - z[1]) / tau
                out, rate = control(x[0], x[1], z[0], slope)
                return out, (rate, slope)

        elif kd:

            def law(t: Any, x: Any, z: Any) -> Any:
                slope = (x[0] - z[1]) / tau
                out, rate = control(x[0], target, z[0], slope)
                return out, (rate, slope)

        elif size == 2:

            def law(t: Any, x: Any, z: Any) -> Any:
                out, rate = control(x[0], x[1], z[0], 0.0)
                return out, rate

        else:

            def law(t: Any, x: Any, z: Any) -> Any:
                out, rate = control(x[0], target, z[0], 0.0)
                return out, rate

        return BlockLaw(law)


__all__ = ["PID"]
