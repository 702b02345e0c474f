"""What blocks that look at places in orbit share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from kaneflex.model.blocks.contract import BlockBase
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits.kepler import KeplerOrbit


class Observer(BlockBase):
    """A block without states: what it measures follows from what it sees."""

    measured: ClassVar[Mapping[str, str]]  #: names of the outputs, and their units

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self.measured)

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return tuple(self.measured.values())


def motion_of(place: "str | KeplerOrbit") -> tuple[str, ...]:
    """Channels of a place: position and velocity; none of an orbit that is given as a function of time."""
    if isinstance(place, KeplerOrbit):
        return ()
    if not place:
        raise ModelError('a block names a place by "": give a body, a frame, or a group\'s "name.mass_centre"')
    return f"{place}.position", f"{place}.velocity"


def settle_sees(block: BlockBase, channels: Sequence[str]) -> None:
    """Give a block the channels that follow from its places; others, if the user gave them, are refused."""
    if block.sees and tuple(block.sees) != tuple(channels):
        raise ModelError(f"a {type(block).__name__} block sees what its places say, {', '.join(channels)}: leave sees= out")
    object.__setattr__(block, "sees", tuple(channels))


def place_law(place: "str | KeplerOrbit", centre: Sequence[float]) -> Callable[[Any, Any], Any]:
    """A function of (t, x): position, from the centre, and velocity of a place whose channels are the first of x."""
    c0, c1, c2 = centre
    if isinstance(place, KeplerOrbit):
        motion = place.law()
        return lambda t, x: motion(t)
    return lambda t, x: ((x[0] - c0, x[1] - c1, x[2] - c2), (x[3], x[4], x[5]))


__all__ = ["Observer", "motion_of", "place_law", "settle_sees"]
