"""A switch of three positions with a dead band and hysteresis."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class DeadBand(BlockBase):
    """1 where x has gone above `on`, -1 below -`on`, and 0 again once its size has fallen below `off`.

    The output follows its state, which goes to the new position in `time`: short against all else, or, sampled, the
    period. Jets for one sense and the other see `up`, which is 1 or 0, and `down`.

    Args:
        on: size of x that switches on.
        off: size of x that switches off, at most `on`; `on` itself when None.
        time: constant of the switch, s.
        gain: of the output.
        sees: one channel.
        drives: one input, or two: for up and down.
    """

    on: float
    off: float | None = None
    time: float = 1e-3
    gain: float = 1.0

    def _check(self) -> None:
        checks.positive(self.on, "on of a DeadBand block")
        checks.positive(self.time, "time of a DeadBand block")
        checks.number(self.gain, "gain of a DeadBand block")
        off = self.on if self.off is None else self.off
        if checks.not_negative(off, "off of a DeadBand block") > self.on:
            raise ModelError(f"off of a DeadBand block is {off:g}: it must not be above on, {self.on:g}")
        object.__setattr__(self, "off", float(off))

    @property
    def state_names(self) -> tuple[str, ...]:
        """Position of the switch, from -1 to 1."""
        return ("switch",)

    @property
    def start(self) -> np.ndarray:
        """Off at the start."""
        return np.zeros(1)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output, or those of the two senses."""
        return ("up", "down") if len(self.drives) == 2 else tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 1, what)
        on, off, time, gain, two = (
            float(self.on),
            float(self.off or 0.0),
            float(self.time),
            float(self.gain),
            len(self.drives) == 2,
        )

        def position(z: Any) -> float:
            return 1.0 if z.real > 0.5 else -1.0 if z.real < -0.5 else 0.0

        def rates(t: Any, x: Any, z: Any) -> Any:
            goal = position(z[0])
            if x[0].real > on:
                goal = 1.0
            elif x[0].real < -on:
                goal = -1.0
            elif goal * x[0].real < off:
                goal = 0.0
            return (goal - z[0]) / time

        def outputs(t: Any, z: Any) -> Any:
            at = gain * position(z[0]) + 0 * z[0]
            return at

        def both(t: Any, z: Any) -> Any:
            at = position(z[0])
            return gain * max(at, 0.0) + 0 * z[0], gain * max(-at, 0.0) + 0 * z[0]

        return BlockLaw(rates, both if two else outputs)


__all__ = ["DeadBand"]
