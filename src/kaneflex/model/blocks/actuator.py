"""Actuators: a command that is followed with a lag, within limits of value and of rate."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.typed import typed


def within(value: Any, limit: float) -> Any:
    """The value between -limit and limit; differentiable on either side of them."""
    return np.minimum(np.maximum(value, -limit), limit)


@typed
@dataclass(frozen=True)
class FirstOrder(BlockBase):
    """z-dot = (c - z)/T, c the command that it sees; the output is z.

    With limits c stays within -limit and limit, z-dot within -rate_limit and rate_limit.

    Args:
        time_constant: T, s.
        gain: the command is gain times what the block sees.
        limit: most that the command, and with it the output, can be.
        rate_limit: most that the output changes per second.
        initial: output at the start.
        sees: one channel.
        drives: one input.
    """

    time_constant: float
    gain: float = 1.0
    limit: float = math.inf
    rate_limit: float = math.inf
    initial: float = 0.0

    def _check(self) -> None:
        checks.positive(self.time_constant, "time_constant of a FirstOrder block")
        for name in ("gain", "initial"):
            checks.number(getattr(self, name), f"{name} of a FirstOrder block")
        for name in ("limit", "rate_limit"):
            _limit(getattr(self, name), f"{name} of a FirstOrder block")

    @property
    def state_names(self) -> tuple[str, ...]:
        """The state is the output."""
        return ("lag",)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output."""
        return tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 1, what)
        T, gain, limit, fastest = float(self.time_constant), float(self.gain), float(self.limit), float(self.rate_limit)

        def rates(t: Any, x: Any, z: Any) -> Any:
            return within((within(gain * x[0], limit) - z[0]) / T, fastest)

        return BlockLaw(rates, lambda t, z: z[0])


@typed
@dataclass(frozen=True)
class SecondOrder(BlockBase):
    """z-ddot = w^2 (c - z) - 2 zeta w z-dot, c the command that it sees; the output is z.

    With limits z-ddot = 2 zeta w (r - z-dot), where c stays within its limit and r = w/(2 zeta) (c - z), the rate that the
    actuator aims at, within rate_limit: the same within the limits, and its rate never goes beyond.

    Args:
        frequency: w, undamped natural frequency, rad/s.
        damping: zeta.
        gain: the command is gain times what the block sees.
        limit: most that the command can be.
        rate_limit: most that the output changes per second.
        initial: output at the start, at rest.
        sees: one channel.
        drives: one input.
    """

    frequency: float
    damping: float = 0.7
    gain: float = 1.0
    limit: float = math.inf
    rate_limit: float = math.inf
    initial: float = 0.0

    def _check(self) -> None:
        for name in ("frequency", "damping"):
            checks.positive(getattr(self, name), f"{name} of a SecondOrder block")
        for name in ("gain", "initial"):
            checks.number(getattr(self, name), f"{name} of a SecondOrder block")
        for name in ("limit", "rate_limit"):
            _limit(getattr(self, name), f"{name} of a SecondOrder block")

    @property
    def state_names(self) -> tuple[str, ...]:
        """Output and its rate."""
        return ("lag", "lag_rate")

    @property
    def start(self) -> np.ndarray:
        """Output at the start, at rest."""
        return np.array([float(self.initial), 0.0])

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output."""
        return tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 1, what)
        w, zeta, gain = float(self.frequency), float(self.damping), float(self.gain)
        limit, fastest = float(self.limit), float(self.rate_limit)

        def rates(t: Any, x: Any, z: Any) -> Any:
            wanted = within(w / (2 * zeta) * (within(gain * x[0], limit) - z[0]), fastest)
            return z[1], 2 * zeta * w * (wanted - z[1])

        return BlockLaw(rates, lambda t, z: z[0])


def _limit(value: float, what: str) -> None:
    if value != math.inf:
        checks.positive(value, what)


__all__ = ["FirstOrder", "SecondOrder", "within"]
