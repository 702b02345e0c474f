"""What the declaration of a load must say; its mathematics is in kernels/forces.

A load is two files: `kernels/forces/NAME.py` and a file here whose dataclass is a subclass of `Load`. From these follow its
name in `kaneflex`, its channels, files, symbols, energy in the audit and, where the class says how, a picture.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.model import checks
from kaneflex.model.frames import GROUND, Frame
from kaneflex.model.media import Medium

if TYPE_CHECKING:
    from kaneflex.model.model import Model

Array = np.ndarray


class Row(NamedTuple):
    """A row of the table of loads."""

    kind: LoadFacts
    integers: Array  # by places of `kernels.layout`: FORCE_BODY, FORCE_COLUMN, ...
    reals: Array  # POINT, VALUE, FORCE_LAW, ...


class LoadTable(ABC):
    """The table of loads that is filled, as a load sees it."""

    model: "Model"
    index: Any  # of the plan: `joints` and `rotors` by name, with their places among coordinates and speeds

    @abstractmethod
    def row(self, kind: LoadFacts, **integers: int) -> Row:
        """A new row of the load, with integers by their names in `kernels.layout`."""

    @abstractmethod
    def set_value(self, row: Row, value: Any, sees: Sequence[str] = ()) -> None:
        """Give a row its value: constants, or a function of time and channels; an input multiplies constants."""

    @abstractmethod
    def end(self, place: Any) -> tuple[int, Frame]:
        """Body (0 for N) and frame of a place: "body", "body.frame", "N", or a point of N."""

    @abstractmethod
    def medium(self, medium: Medium) -> int:
        """Row of a medium, which all loads with the same one share."""

    @abstractmethod
    def add_inertia(self, body: int, matrix: Array) -> None:
        """Add to a body inertia without weight, (6, 6): angular part first, about the origin of M in axes of M."""

    @abstractmethod
    def check_turns(self, place: str) -> None:
        """Refuse a node of a flexible body that has no rotation."""


class Load(ABC):
    """A load, as all parts of the package see it. Subclasses are frozen dataclasses."""

    gain: ClassVar[str] = ""  # the field that a named input multiplies; "" where the load cannot be an input

    @property
    def drawn(self) -> str:
        """What is drawn between its ends: "spring", "damper", "strut" (both), "rope"; "" for nothing."""
        return ""

    @abstractmethod
    def check(self, model: "Model", what: str) -> None:
        """Raise a ModelError where the load does not fit the model; `what` names it."""

    @abstractmethod
    def fill(self, table: LoadTable) -> None:
        """Add its rows to the table."""

    def ends(self) -> tuple[Any, ...]:
        """Places that are POINT and POINT_OTHER of its rows, if it has such."""
        return ()

    def is_internal(self, roots: Collection[str]) -> bool:
        """Whether it acts between bodies of the system only, so that momentum is kept; `roots` hang on N by their joints."""
        return len(self.ends()) == 2 and all(map(on_body, self.ends()))

    def heavier(self) -> Collection[str]:
        """Bodies to which it adds inertia in every direction, so that they need no mass of their own to move."""
        return ()

    @property
    def has_power_without_force(self) -> bool:
        """Whether it may lose energy while it exerts no force: the motion then does not tell how long a step may be."""
        return False

    def channels(self) -> tuple[str, ...]:
        """Channels that `arrow` is made of."""
        return ()

    def arrow(self, t: Array, values: Mapping[str, Array]) -> tuple[Array, Array, str] | None:
        """The load as an arrow at times t, (K,): where it begins and its vector, (K, 3) in inertial axes, and its unit; None
        where there is none, or where `values` lacks a channel. An input's is that of the value 1."""
        return None


def on_body(end: Any) -> bool:
    """Whether a place is on a body, and not fixed in N."""
    return isinstance(end, str) and end != GROUND


def see(load: Any) -> None:
    """Check the channels that a load's function sees."""
    object.__setattr__(load, "sees", checks.names(load.sees, "sees"))


def value_over_time(value: Any, sees: Sequence[str], size: int, t: Array, values: Mapping[str, Array]) -> Array | None:
    """What a load's value was at times t, (K, size); None where that is not known."""
    if not callable(value):
        return np.tile(np.array(value, dtype=float), (len(t), 1))
    function: Callable[..., Any] = value
    seen = [values.get(name) for name in sees]
    if any(x is None for x in seen):
        return None
    x = np.column_stack([np.asarray(s).reshape(len(t), -1) for s in seen]) if seen else None
    try:
        rows = [function(s) for s in t] if x is None else [function(s, row) for s, row in zip(t, x, strict=True)]
        found = np.array(rows, dtype=float)
    except Exception:  # a function written for symbols or compiled code, or one that the run's file does not hold
        return None
    return found if found.shape == (len(t), size) else None
