"""A filter that lets changes through and forgets what stays."""

from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Washout(BlockBase):
    """Output x - z with z-dot = (x - z)/tau.

    Args:
        tau: time constant, s.
        initial: z at the start.
        sees: one channel.
        drives: one input, or none.
    """

    tau: float
    initial: float = 0.0

    def _check(self) -> None:
        checks.positive(self.tau, "tau of a Washout block")

    @property
    def state_names(self) -> tuple[str, ...]:
        """What has stayed."""
        return ("slow",)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output."""
        return tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 1, what)
        tau = float(self.tau)

        def washout(t: Any, x: Any, z: Any) -> Any:
            return x[0] - z[0], (x[0] - z[0]) / tau

        return BlockLaw(washout)
