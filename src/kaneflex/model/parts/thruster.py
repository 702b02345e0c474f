"""A thruster: a valve that opens and closes, thrust, propellant used."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Force
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.typed import typed

G0 = 9.80665  # m/s^2, by which a specific impulse in s is one


@typed
@dataclass(frozen=True)
class Valve(BlockBase):
    """The valve of a Thruster, which makes it.

    Args:
        thrust, specific_impulse, rise, fall, minimum_impulse, cycle, fed: as for Thruster.
        sees: the command, and the supply of one that is fed.
        drives: the thrust.
    """

    thrust: float
    specific_impulse: float
    rise: float
    fall: float
    minimum_impulse: float
    cycle: float
    fed: bool = False
    only_seen: ClassVar[int] = 2

    @property
    def period(self) -> float:
        """Pulses begin at its multiples."""
        return float(self.cycle)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Propellant used, kg; how far the valve is open where that takes time."""
        return ("propellant", "valve") if self.rise or self.fall else ("propellant",)

    @property
    def sums(self) -> tuple[str, ...]:
        """Propellant used."""
        return ("propellant",)

    @property
    def start(self) -> np.ndarray:
        """Nothing used, and closed."""
        return np.zeros(len(self.state_names))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Thrust; mass flow, and 1 where the valve is told to be open."""
        return "thrust", "flow", "open"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "kg/s", ""

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 1 + self.fed, what)
        whole, exhaust, T, fed = float(self.thrust), self.specific_impulse * G0, float(self.cycle), bool(self.fed)
        rise, fall = float(self.rise or self.fall), float(self.fall or self.rise)
        least = self.minimum_impulse / whole / T if T else 0.0  # part of a cycle, or nothing

        def told(t: Any, x: Any) -> Any:
            level = np.minimum(np.maximum(x, 0.0), 1.0)
            if T == 0.0:
                return level
            phase = t.real / T + 1e-9
            on = phase - np.floor(phase) < level.real and level.real >= least
            return 0 * level + (1.0 if on else 0.0)

        def at_once(t: Any, x: Any, z: Any) -> Any:
            level, F = told(t, x[0]), whole * x[1] if fed else whole
            return (F * level, F * level / exhaust, level), (F * level / exhaust,)

        def in_time(t: Any, x: Any, z: Any) -> Any:
            level, F = told(t, x[0]), whole * x[1] if fed else whole
            rate = (level - z[1]) / (rise if level.real > z[1].real else fall)
            return (F * z[1], F * z[1] / exhaust, level), (F * z[1] / exhaust, rate)

        return BlockLaw(in_time if len(self.state_names) == 2 else at_once)


@typed
@dataclass(frozen=True)
class Thruster(PartBase):
    """Thrust at its place along a direction, in the body's axes; the mass of the body stays as it is, unless a `Tank` feeds
    it.

    The command, the input of the part's name, is a level from 0 to 1. Without a cycle the thrust is that part of the whole.
    With a cycle it is pulsed: full for this part of each cycle, from its beginning on, and not at all where that would be
    less than the minimum impulse. Thrust grows and falls as 1 - exp(-t/rise) and exp(-t/fall) after the valve's moves.

    Channels: `thrust`, `flow`, `open`, and the states `propellant`, what was used since the start, kg, and `valve`.

    Args:
        thrust: in vacuum, N.
        specific_impulse: s.
        direction: of the force on the body, in the part's axes.
        rise, fall: time constants of the thrust, s; 0 for at once, both or none.
        minimum_impulse: of a pulse, N s; needs a cycle.
        cycle: of pulses, s; 0 for a throttle.
        fed: True where a `Tank` feeds it, without which there is no thrust.
    """

    thrust: float
    specific_impulse: float = 220.0
    direction: Any = (1.0, 0.0, 0.0)
    rise: float = 0.0
    fall: float = 0.0
    minimum_impulse: float = 0.0
    cycle: float = 0.0
    fed: bool = False

    def _check(self) -> None:
        object.__setattr__(self, "direction", checks.axis(self.direction, "direction of a Thruster"))
        for name in ("thrust", "specific_impulse"):
            checks.positive(getattr(self, name), f"{name} of a Thruster")
        for name in ("rise", "fall", "minimum_impulse", "cycle"):
            checks.not_negative(getattr(self, name), f"{name} of a Thruster")
        if self.minimum_impulse and not self.cycle:
            raise ModelError("a Thruster with a minimum_impulse is pulsed: give its cycle, s")
        if self.minimum_impulse > self.thrust * self.cycle:
            raise ModelError(
                f"minimum_impulse of a Thruster is {self.minimum_impulse:g} N s: one cycle of full thrust gives only "
                f"{self.thrust * self.cycle:g}"
            )
        if bool(self.rise) != bool(self.fall):
            raise ModelError("a Thruster has a rise without a fall, or the reverse: give both")

    def describe(self) -> str:
        """Thrust and specific impulse."""
        return f"{self.thrust:g} N, {self.specific_impulse:g} s" + (f", pulsed every {self.cycle:g} s" if self.cycle else "")

    def install(self, site: Site) -> None:
        """Command, force, valve."""
        place, command = site.place, site.command()
        force = site.add_input("force", Force(place, self.direction))
        sees = [command, *([site.supply()] if self.fed else [])]
        site.add_block("", Valve(**shared(self, Valve), sees=sees, drives=force))
        site.unit(f"{site.name}.propellant", "kg")


__all__ = ["G0", "Thruster"]
