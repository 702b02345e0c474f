"""A rod that leaves and enters a body while a run goes on: the declaration.

The rod lies straight behind its exit and slides along it, its first segment on a prismatic joint whose coordinate is the
length outside. Joints inside are locked. One that passes the exit is let go, straight and at rest: nothing jumps. One that
comes back is stopped by an impulse, and a guide turns it straight before the next one arrives.

The states of a feed say how it stands, so that a run that is saved goes on as it was:

    outside     number of joints that are outside, and free
    release     length at which the next joint leaves, m
    capture     length at which the last one comes back, m
    until       when the guide changes or ends what it does, s
    phase       1: the guide speeds up, 2: it slows down, 0: it is at rest
    time        how long each of these takes, s
    guide1 ...  accelerations that it gives the joint it turns, rad/s^2 or m/s^2
    held1 ...   what held the innermost joint outside when it was let go, N m or N

With a reel, segments inside have no mass but a trace: what is in the exit moves as one body with the slide (`FedRod`), what
is left in the reel is another (`Store`), and a segment has its own mass from its release on.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.model.blocks.contract import BlockBase, BlockLaw

SLACK = 1e-6  # of a segment's length: between the capture of a joint and its release, and beyond the ends
OUTSIDE, RELEASE, CAPTURE, UNTIL, PHASE, TIME, GUIDE = range(7)  # places of the states
NAMES = ("outside", "release", "capture", "until", "phase", "time")


@dataclass(frozen=True, kw_only=True)
class Feed(BlockBase):
    """A rod's way out of a body: made by `System.add_feed`.

    Args:
        rod: its name.
        segments: its bodies, from root to tip.
        lengths: theirs, m.
        speeds: of a segment's joint.
        initial: length outside at the start, m.
        store: body that is left in the reel; "" where the rod lies straight behind its exit.
        lead: how far outside a joint is let go, in segments: of a rod that bends where its spring begins, see `exit_spring`;
            of a cable in a reel, whose exit may turn, half of a segment, so that what is in the exit is always long enough
            to follow its pull.
        sees: length outside and its rate, channels of the first segment's joint.
    """

    rod: str
    segments: tuple[str, ...]
    lengths: tuple[float, ...]
    speeds: int
    initial: float
    store: str = ""
    lead: float = 0.0

    @cached_property
    def exits(self) -> np.ndarray:
        """Length outside at which the inboard joint of each segment is in the exit, m; the last one's comes first."""
        return np.cumsum(np.array(self.lengths)[::-1])

    @cached_property
    def releases(self) -> np.ndarray:
        """Length outside at which each of these joints is let go, m; the last one is the whole rod."""
        return np.array([*self.exits[:-1] + self.lead * self.spans, self.exits[-1]])

    @cached_property
    def spans(self) -> np.ndarray:
        """Mean length of the segments on both sides of each joint, m, in the order of `exits`."""
        lengths = np.array(self.lengths)[::-1]
        return (lengths[1:] + lengths[:-1]) / 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """How it stands."""
        return (*NAMES, *(f"{word}{k + 1}" for word in ("guide", "held") for k in range(self.speeds)))

    @property
    def held(self) -> slice:
        """Places of the last states."""
        return slice(GUIDE + self.speeds, GUIDE + 2 * self.speeds)

    @property
    def guided(self) -> slice:
        """Places of the guide's accelerations."""
        return slice(GUIDE, GUIDE + self.speeds)

    @property
    def start(self) -> np.ndarray:
        """The states with the initial length outside."""
        return self.states_at(self.outside(self.initial))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Length outside, m, and its rate, m/s."""
        return ("length", "rate")

    def outside(self, length: float) -> int:
        """Number of joints outside, of those that can be let go, with a length outside."""
        slack = SLACK * min(self.lengths)
        return int(np.searchsorted(self.releases[:-1], length + slack / 2, side="right"))

    def states_at(self, outside: int) -> np.ndarray:
        """The states with a number of joints outside and the guide at rest."""
        slack = SLACK * min(self.lengths)
        z = np.zeros(GUIDE + 2 * self.speeds)
        z[OUTSIDE] = outside
        z[RELEASE] = self.releases[outside] + (slack if outside == len(self.segments) - 1 else 0.0)
        z[CAPTURE] = (self.releases[outside - 1] if outside else 0.0) - slack
        return z

    def law(self, size: int, what: str) -> BlockLaw:
        """What it sees, handed on; its states change at releases and captures alone."""

        def law(t: Any, x: Any, z: Any) -> Any:
            return (x[0], x[1]), 0.0 * z

        return BlockLaw(law)


__all__ = ["CAPTURE", "GUIDE", "OUTSIDE", "PHASE", "RELEASE", "SLACK", "TIME", "UNTIL", "Feed"]
