"""Thin air about a planet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.orbits.vectors import length, minus
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Atmosphere:
    """Air whose density falls exponentially with height, density exp(-(h - height)/scale), and which turns about z of N.

    Args:
        density: at the height, kg/m^3.
        height: above the radius, m.
        scale: way up on which the density falls to 1/e, m.
        radius: of the planet, m.
        rate: at which the air turns about z, rad/s; `orbits.EARTH_RATE` for the Earth's, 0 for air at rest.
        centre: position in N, m; where N falls along an orbit, from the centre of that.
    """

    density: float
    height: float
    scale: float
    radius: float = 6378137.0
    rate: float = 7.2921151467e-5
    centre: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("density", "scale", "radius"):
            object.__setattr__(self, name, checks.positive(getattr(self, name), f"{name} of an Atmosphere"))
        for name in ("height", "rate"):
            object.__setattr__(self, name, checks.number(getattr(self, name), f"{name} of an Atmosphere"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre of an Atmosphere"))

    def law(self) -> Callable[[Any], Any]:
        """A function of a position that gives density, kg/m^3, and velocity of the air, m/s, for laws."""
        density, level, scale, rate, centre = self.density, self.radius + self.height, self.scale, self.rate, self.centre

        def air(position: Any) -> Any:
            r = minus(position, centre)
            return density * np.exp((level - length(r)) / scale), (-rate * r[1], rate * r[0], 0 * r[2])

        return air


__all__ = ["Atmosphere"]
