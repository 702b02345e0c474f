"""What a benchmark asks of an engine."""

from __future__ import annotations

import timeit
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from .tree import Tree

Array = NDArray[np.float64]

#: Each timing runs at least this long, in seconds, so that the clock and the loop do not count.
SHORTEST_RUN = 0.02


def best_mean_time(call: Callable[[], object], repeat: int) -> float:
    """Seconds of one call: the mean over a run of at least `SHORTEST_RUN`, the best of `repeat` such runs."""
    timer = timeit.Timer(call)
    number, elapsed = 1, timer.timeit(1)
    while elapsed < SHORTEST_RUN:
        number = max(2 * number, int(1.2 * number * SHORTEST_RUN / max(elapsed, 1e-9)))
        elapsed = timer.timeit(number)
    return min([elapsed, *timer.repeat(repeat, number)]) / number


class Peer(ABC):
    """One engine holding one tree. `name` and `version` say which; `variants` are the ways to evaluate it."""

    name: str
    version: str

    def __init__(self, tree: Tree) -> None:
        """Keep the tree; subclasses build the engine's own model."""
        self.tree = tree

    @abstractmethod
    def accelerations(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics: u' of the joint angles q, rates u and joint torques tau."""

    @abstractmethod
    def variant_seconds(self, repeat: int = 5) -> Mapping[str, float]:
        """Seconds of one evaluation by each way of calling the engine."""

    def seconds_per_call(self, repeat: int = 5) -> float:
        """Seconds of one evaluation through the Python interface, by the engine's fastest way."""
        return min(self.variant_seconds(repeat).values())

    @abstractmethod
    def call_overhead(self, repeat: int = 5) -> float:
        """Seconds of one evaluation that belong to the Python binding (or solver loop), measured."""
