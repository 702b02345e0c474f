"""A mass on a spring that takes a vibration out of the body that it is on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Prismatic
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Stroke(BlockBase):
    """How far a TunedMass is from its place, and how fast it moves; made by it."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Displacement and its rate."""
        return "stroke", "stroke_rate"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "m", "m/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 2, what)

        def stroke(t: Any, x: Any, z: Any) -> Any:
            return (x[0], x[1]), ()

        return BlockLaw(stroke)


@typed
@dataclass(frozen=True)
class TunedMass(PartBase):
    """A mass on a spring and a damper along an axis. Channels: `stroke`, m, and `stroke_rate`.

    Args:
        mass: kg.
        frequency: of the mass on its spring, the body held, rad/s.
        damping: ratio.
        axis: in the part's axes.
    """

    mass: float
    frequency: float
    damping: float = 0.0
    axis: Any = (1.0, 0.0, 0.0)

    def _check(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, "axis of a TunedMass"))
        for name in ("mass", "frequency"):
            checks.positive(getattr(self, name), f"{name} of a TunedMass")
        checks.not_negative(self.damping, "damping of a TunedMass")

    def install(self, site: Site) -> None:
        """The mass, its spring, what it tells."""
        body = site.add("mass", Rigid(self.mass), Prismatic(self.axis))
        k, c = self.mass * self.frequency**2, 2 * self.damping * self.mass * self.frequency
        site.apply("spring", JointSpring(body, k, c))
        site.add_block("", Stroke(sees=(f"{body}.slide", f"{body}.slide.rate")))

    def describe(self) -> str:
        """Mass and frequency."""
        return f"{self.mass:g} kg, {self.frequency:g} rad/s"
