"""What the name of a channel stands for: sensors, and how the channel's numbers are made of theirs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kaneflex.model import quantities as Q
from kaneflex.model.quantities import Quantity

XYZ, NINE = ("x", "y", "z"), tuple(f"R{i}{j}" for i in "123" for j in "123")


@dataclass(frozen=True)
class Channel:
    """What a channel's name stands for.

    Args:
        quantity: its row of the registry.
        units: of each of its numbers, or one for all; "" where nobody knows.
        sensors: kind, index and size of each sensor that it is made of.
        at: body and frame that its sensor looks at.
        weights: the channel's numbers are weights @ those of the sensors; None where they are these.
        parts: what its numbers are called.
        places: body and frame of each sensor, in the place of `at`.
        form: shape of its numbers at a time, where it is not one row of them.
        function: makes the channel's numbers of those of the sensors, or of what its joints carry, in the place of weights.
        joints: bodies whose inboard joints' torques and forces, about and in axes of M, it is made of.
        stateful: whether its function takes the states, rows (q, u, z), after what its joints carry.
    """

    quantity: Quantity
    units: tuple[str, ...]
    sensors: tuple[tuple[int, int, int], ...]
    at: tuple[str, str] | None = None
    weights: np.ndarray | None = None
    parts: tuple[str, ...] = ()
    places: tuple[tuple[str, str], ...] = ()
    form: tuple[int, ...] = ()
    function: Callable[..., np.ndarray] | None = None
    joints: tuple[str, ...] = ()
    stateful: bool = False

    @property
    def size(self) -> int:
        """How many numbers it has."""
        if self.form:
            return math.prod(self.form)
        if self.function is not None and self.parts:
            return len(self.parts)
        return sum(size for _, _, size in self.sensors) if self.weights is None else len(self.weights)

    @property
    def unit(self) -> str:
        """The unit of all its numbers; "" where they differ or nobody knows."""
        return self.units[0] if len(set(self.units)) == 1 else ""

    @property
    def is_seen(self) -> bool:
        """Whether user functions may see it: it is known with the motion, before the forces are."""
        plain = self.weights is None and self.function is None and not self.form
        return self.quantity.stage == Q.MOTION and plain and len(self.sensors) == 1

    @property
    def components(self) -> tuple[str, ...]:
        """What its numbers are called, by their own names, axes or numbers."""
        named = self.parts or {3: XYZ, 9: NINE}.get(self.size)
        return named or tuple(str(k + 1) for k in range(self.size))

    def rows(self, values: np.ndarray) -> np.ndarray:
        """Its numbers, the first axis, from those of its sensors."""
        return values if self.weights is None else self.weights @ values

    def shaped(self, values: np.ndarray) -> np.ndarray:
        """Its numbers over time from a row of those of its sensors for each time: (n,), (n, k), (n, 3, 3), or its form."""
        found = self.rows(values.T).T if self.function is None else self.function(values)
        if self.form:
            return found.reshape(len(values), *self.form)
        if self.quantity.size == 9:
            return found.reshape(-1, 3, 3)
        return found[:, 0] if found.shape[1] == 1 else found


def place_channels(prefix: str, at: tuple[str, str]) -> dict[str, Channel]:
    """Channels of a body, or of a frame on it, whose names begin with `prefix`."""
    rows = [q for q in Q.QUANTITIES if q.owner == Q.PLACE]
    name = lambda q: f"{prefix}.{q.word}" if prefix else q.word
    return {name(q): Channel(q, (q.unit,), ((q.sensor, 0, q.size),), at) for q in rows}


__all__ = ["Channel", "place_channels"]
