"""Where the sun is, and what of it is seen behind a planet."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.orbits.vectors import dot, length
from kaneflex.model.typed import typed

UNIT = 1.495978707e11  # m, of astronomers
SUN_RADIUS = 6.957e8  # m
DAY = 86400.0


@typed
@dataclass(frozen=True)
class Sun:
    """The sun as seen from the Earth, in axes of N that are those of the equator and the equinox of date. The almanac's
    formula of low precision: 0.01 degrees from 1950 to 2050.

    Args:
        day: days since 2000 January 1, 12:00 (J2000.0), at the time 0.
    """

    day: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "day", checks.number(self.day, "day of a Sun"))

    def at(self, t: float) -> np.ndarray:
        """Unit vector to the sun at a time."""
        return np.array(self.law()(checks.number(t, "t"))[0])

    def law(self) -> Callable[[Any], Any]:
        """A function of t that gives the unit vector to the sun, and its distance, m, for laws.

        Ref: The Astronomical Almanac, section C, low-precision formulas for the Sun.
        """
        first, degree = self.day, math.pi / 180

        def sun(t: Any) -> Any:
            n = first + t / DAY
            g = (357.528 + 0.9856003 * n) * degree
            longitude = (280.460 + 0.9856474 * n + 1.915 * np.sin(g) + 0.020 * np.sin(2 * g)) * degree
            tilt = (23.439 - 4e-7 * n) * degree
            distance = UNIT * (1.00014 - 0.01671 * np.cos(g) - 0.00014 * np.cos(2 * g))
            return (np.cos(longitude), np.cos(tilt) * np.sin(longitude), np.sin(tilt) * np.sin(longitude)), distance

        return sun


def in_cylinder(r: Any, s: Any, radius: float) -> Any:
    """What is seen of the sun from r, 1 or 0: it is hidden in a cylinder behind the planet.

    Args:
        r: from the centre of the planet, m.
        s: unit vector to the sun.
        radius: of the planet, m.
    """
    far = dot(r, s)
    across = dot(r, r) - far * far
    return 0.0 if far.real < 0 and across.real < radius * radius else 1.0


def in_cone(r: Any, s: Any, radius: float, distance: float) -> Any:
    """The part of the sun's disk that is seen from r, 0 to 1: umbra, penumbra, and a ring of it beyond the umbra's end.

    Args:
        r: from the centre of the planet, m.
        s: unit vector from the planet to the sun.
        radius: of the planet, m.
        distance: of the sun from the planet, m.

    Ref: Montenbruck and Gill, Satellite Orbits (2000), section 3.4.2.
    """
    to_sun = s[0] * distance - r[0], s[1] * distance - r[1], s[2] * distance - r[2]
    size, far = length(r).real, length(to_sun).real
    a, b = np.arcsin(SUN_RADIUS / far), np.arcsin(min(radius / size, 1.0))
    c = np.arccos(max(-1.0, min(1.0, -dot(r, to_sun).real / (size * far))))
    if c >= a + b:
        return 1.0
    if c <= b - a:
        return 0.0
    if c <= a - b:
        return 1.0 - (b / a) ** 2
    x = (c * c + a * a - b * b) / (2 * c)
    y = np.sqrt(max(a * a - x * x, 0.0))
    hidden = a * a * np.arccos(x / a) + b * b * np.arccos((c - x) / b) - c * y
    return 1.0 - hidden / (math.pi * a * a)


__all__ = ["Sun", "in_cone", "in_cylinder"]
