"""The magnetic field of the Earth as that of a dipole."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.orbits.vectors import along, dot, minus
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Dipole:
    """Field of a dipole at a centre, which may be tilted and turn about z of N: B = B0 (R/r)^3 (k - 3 (k.n) n), k pointing
    to its northern end, where the field points down, and n outwards.

    Args:
        strength: B0, on its equator at the radius R, T.
        radius: R, m.
        tilt: of k from z of N, rad.
        longitude: of k from x of N at the time 0, rad.
        rate: at which it turns about z, rad/s; `orbits.EARTH_RATE` for the Earth's.
        centre: position in N, m; where N falls along an orbit, from the centre of that.
    """

    strength: float = 3.12e-5
    radius: float = 6378137.0
    tilt: float = 0.0
    longitude: float = 0.0
    rate: float = 0.0
    centre: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", checks.positive(self.radius, "radius of a Dipole"))
        for name in ("strength", "tilt", "longitude", "rate"):
            object.__setattr__(self, name, checks.number(getattr(self, name), f"{name} of a Dipole"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre of a Dipole"))

    def at(self, t: float, position: Any) -> np.ndarray:
        """B at a time and a position in N, T, inertial axes."""
        return np.array(self.law()(checks.number(t, "t"), checks.vector(position, "position")))

    def law(self) -> Callable[[Any, Any], Any]:
        """A function of t and position that gives B, for laws."""
        size, rate, start, centre = self.strength * self.radius**3, self.rate, self.longitude, self.centre
        ct, st = math.cos(self.tilt), math.sin(self.tilt)

        def field(t: Any, position: Any) -> Any:
            r = minus(position, centre)
            k = st * np.cos(start + rate * t), st * np.sin(start + rate * t), ct
            square = dot(r, r)
            return along(size / (square * np.sqrt(square)), minus(k, along(3 * dot(k, r) / square, r)))

        return field


__all__ = ["Dipole"]
