"""A block by its function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, numbered
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Block(BlockBase):
    """Any law with states: z-dot = f(t, x, z), with outputs.

    Compiled like the functions of loads; it may use numpy and math, and is differentiated by the complex step.

    Args:
        function: f(t, x, z) -> (outputs, z-dot), each a number, a tuple or an array; with `outputs` given, f(t, x, z) ->
            z-dot alone.
        states: number of states, or their names, which become channels "block.name".
        initial: values of the states at the start; zero by default.
        gives: names of the outputs, which become channels "block.name"; by default the inputs that it drives.
        outputs: g(t, z) -> outputs, where these do not depend on what the block sees.
        sees, drives: see `contract.BlockBase`.
    """

    function: Callable[..., Any]
    states: int | str | Sequence[str] = 0
    initial: Any = None
    gives: str | Sequence[str] | None = None
    outputs: Callable[..., Any] | None = None

    def _check(self) -> None:
        for what, function in (("function", self.function), ("outputs", self.outputs)):
            if not checks.is_function(function) and not (what == "outputs" and function is None):
                raise ModelError(f"a Block's {what} is {checks.shown(function)}: give a function")
        states = self.states
        if isinstance(states, int) and not isinstance(states, bool):
            states = numbered(checks.whole(states, "states of a Block"), "z_")
        states = [states] if isinstance(states, str) else states
        object.__setattr__(self, "states", checks.names(states, "states of a Block"))
        gives = self.drives if self.gives is None else self.gives
        object.__setattr__(self, "gives", checks.names([gives] if isinstance(gives, str) else gives, "gives of a Block"))
        initial = np.zeros(len(self.state_names)) if self.initial is None else self.initial
        given = checks.several(initial, len(self.state_names), "initial values of a Block's states")
        object.__setattr__(self, "initial", tuple(float(v) for v in given))

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(self.states)  # type: ignore[arg-type]

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self.gives or ())

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        return BlockLaw(self.function, self.outputs)


__all__ = ["Block"]
