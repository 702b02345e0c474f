"""What every block is: a law with states of its own, between channels that it sees and inputs that it drives.

    z-dot = f(t, x, z) ,      outputs = g(t, x, z)

x are the values of the channels it sees. Where the outputs do not depend on x, a block may stand in a feedback loop with
blocks or functions whose outputs depend on what they see at the same instant.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError

STATES = "z"  # the channel of all states of a block


class BlockLaw(NamedTuple):
    """The functions of a block.

    `outputs` is g(t, z) where the outputs do not depend on x; `rates` is f(t, x, z) then. Otherwise `outputs` is None and
    `rates` is a function of (t, x, z) that returns both: (outputs, z-dot).
    """

    rates: Callable[..., Any]
    outputs: Callable[..., Any] | None = None


class Crossing(NamedTuple):
    """An event that a block brings along: one of its own states or outputs falls through zero.

    Attributes:
        falls: name of the state or output.
        sets: values that states of the block then take.
        word: what the run's list of events says behind the block's name.
    """

    falls: str
    sets: dict[str, float]
    word: str


@dataclass(frozen=True, kw_only=True)
class BlockBase(ABC):
    """What all blocks are given.

    Args:
        sees: channels whose values are x, one after the other; also states and outputs of other blocks.
        drives: inputs of the system that follow the outputs, one for each output in their order; () where the outputs are
            only seen by others, as channels.
    """

    sees: str | Sequence[str] = ()
    drives: str | Sequence[str] = ()
    only_seen: ClassVar[int] = 0  # how many of the outputs, the last ones, drive nothing

    def __post_init__(self) -> None:
        what = f"a {type(self).__name__} block"
        for field in ("sees", "drives"):
            given = getattr(self, field)
            given = [given] if isinstance(given, str) else given
            object.__setattr__(self, field, checks.names(given, f"{what}: {field}"))
        self._check()
        driving = len(self.output_names) - self.only_seen
        if self.drives and len(self.drives) != driving:
            raise ModelError(f"{what} drives {len(self.drives)} inputs and has {driving} outputs: name one input for each")
        if len(set(self.drives)) != len(self.drives):
            raise ModelError(f"{what} drives an input twice: {', '.join(self.drives)}")
        names = [*self.state_names, *self.output_names, STATES]
        for name in names:
            checks.name(name, f"{what}: name of a state or output")
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise ModelError(f'{what} has two states or outputs "{twice}", or one called "{STATES}": give other names')

    def _check(self) -> None:  # noqa: B027
        """Check the arguments of the kind of block, before all others."""

    @property
    @abstractmethod
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""

    @property
    def start(self) -> np.ndarray:
        """Values of the states at the start: the block's `initial`, unless it says otherwise."""
        return np.atleast_1d(np.array(vars(self).get("initial", ()), float))

    @property
    def period(self) -> float:
        """Time at whose multiples the law jumps, s: steps end there; 0 for a law that does not jump."""
        return 0.0

    @property
    def sums(self) -> tuple[str, ...]:
        """States that only add up what has been used, which nothing depends on: they may grow where all else rests."""
        return ()

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Events at which states of the block jump."""
        return ()

    @property
    @abstractmethod
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""

    @property
    def output_units(self) -> Sequence[str]:
        """Units of the outputs, SI; () where only the user knows them."""
        return ()

    @abstractmethod
    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, and `what` names the block in messages."""


def numbered(count: int, letter: str) -> tuple[str, ...]:
    """Names of things that have none: letter1, letter2, ..., or the letter where there is one."""
    return (letter,) if count == 1 else tuple(f"{letter}{k + 1}" for k in range(count))


def entries(count: int) -> Callable[[Any], Any]:
    """A function that gives the first entries of an array as a tuple: code that returns arrays is not kept on disk."""
    space: dict[str, Any] = {"__name__": __name__}
    exec(f"def first(a):\n    return ({''.join(f'a[{k}], ' for k in range(count))})", space)
    made: Callable[[Any], Any] = space["first"]
    return made


def seen(size: int, wanted: int, what: str) -> None:
    """Raise an error where a block sees another number of values than it takes."""
    if size != wanted:
        raise ModelError(f"{what} takes {wanted} values and the channels that it sees hold {size}: name others in sees=")


__all__ = ["STATES", "BlockBase", "BlockLaw", "Crossing", "entries", "numbered", "seen"]
