"""An ideal store of angular momentum: wheels or gyros whose workings do not matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.forces import Torque
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class StoredMomentum(BlockBase):
    """The momentum of a MomentumStore, which makes it.

    Args:
        initial: at the start, kg m^2/s.
        sees: torque that is wanted on the body, angular velocity of the store's axes.
        drives: torque on the body.
    """

    initial: Any
    only_seen: ClassVar[int] = 1

    @property
    def state_names(self) -> tuple[str, ...]:
        """Momentum, kg m^2/s."""
        return "hx", "hy", "hz"

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torque on the body, and how much is stored."""
        return "tx", "ty", "tz", "stored"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N m", "N m", "N m", "kg m²/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 6, what)

        def store(t: Any, x: Any, z: Any) -> Any:
            a = -x[0] - (x[4] * z[2] - x[5] * z[1])
            b = -x[1] - (x[5] * z[0] - x[3] * z[2])
            c = -x[2] - (x[3] * z[1] - x[4] * z[0])
            square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
            size = np.sqrt(square) if square.real > 0 else 0 * square
            return (x[0], x[1], x[2], size), (a, b, c)

        return BlockLaw(store)


@typed
@dataclass(frozen=True)
class MomentumStore(PartBase):
    """Takes up momentum as its commands say: h' + w x h = -torque, in axes that turn at w.

    The commands, inputs "name_x", "name_y", "name_z", are the torque on the body, N m, in the part's axes, and are its
    effect at once. Channels: states `hx`, `hy`, `hz`, the momentum in the part's axes, `tx`, `ty`, `tz`, `stored`, its
    size. Momentum of the system, "momentum.central", does not hold what is stored.

    Args:
        initial: momentum at the start, kg m^2/s.
    """

    initial: Any = (0.0, 0.0, 0.0)

    def _check(self) -> None:
        object.__setattr__(self, "initial", checks.vector(self.initial, "initial momentum of a MomentumStore"))

    def install(self, site: Site) -> None:
        """Commands, torques, momentum."""
        place = site.place
        commands = [site.command(word, unit="N m") for word in "xyz"]
        axes = zip("xyz", np.eye(3).tolist(), strict=True)
        drives = [site.add_input(f"torque_{word}", Torque(place, tuple(axis))) for word, axis in axes]
        site.add_block("", StoredMomentum(initial=self.initial, sees=[*commands, f"{place}.omega"], drives=drives))
        for word in ("hx", "hy", "hz"):
            site.unit(f"{site.name}.{word}", "kg m²/s")


__all__ = ["MomentumStore"]
