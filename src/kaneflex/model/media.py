"""Water and air around bodies: a medium is declared once, and loads on bodies share it (`Morison`, `AddedMass`).

Heights are along -gravity, from the inertial origin; where there is no gravity, along z. Headings of waves are angles about
that direction, from the inertial x axis (from y where x is vertical).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Wave:
    """A regular wave of Airy's linear theory: the surface rises by amplitude cos(k x - frequency t + phase), x being the way
    along its heading.

    Args:
        amplitude: half its height, m.
        frequency: rad/s.
        heading: direction in which it travels, rad.
        phase: rad.
    """

    amplitude: float
    frequency: float
    heading: float = 0.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "amplitude", checks.not_negative(self.amplitude, "amplitude of a wave"))
        object.__setattr__(self, "frequency", checks.positive(self.frequency, "frequency of a wave"))
        object.__setattr__(self, "heading", checks.number(self.heading, "heading of a wave"))
        object.__setattr__(self, "phase", checks.number(self.phase, "phase of a wave"))


Profile = tuple[tuple[float, tuple[float, float, float]], ...]


class Medium:
    """What loads need to know of a medium."""

    density: float

    def profile(self) -> Profile:
        """Heights (m) and velocities (m/s, inertial axes) there, from below; straight lines between, constant beyond."""
        raise NotImplementedError

    def factor(self) -> Any:
        """What the profile is multiplied by: a number, or a function of time."""
        raise NotImplementedError

    def surface_height(self) -> float | None:
        """Height of the surface, m; None for a medium that is everywhere."""
        return None

    def wave_list(self) -> tuple[Wave, ...]:
        """Its waves."""
        return ()

    def depth_of_waves(self) -> float | None:
        """Depth of the water that waves feel, m; None for deep water."""
        return None


def settled_profile(given: Any, what: str, of: str) -> Profile:
    """A constant velocity, or pairs of a place and the velocity there, the places in ascending order."""
    rows = checks.items(given, what)
    if len(rows) == 3 and all(checks.dimensions(x) == 0 for x in rows):
        return ((0.0, checks.vector(rows, what)),)
    found = []
    for row in rows:
        pair = checks.items(row, f"a row of {what}")
        if len(pair) != 2:
            raise ModelError(f"a row of {what} is {checks.shown(row)}: give pairs of {of} and velocity")
        found.append((checks.number(pair[0], f"{of} in {what}"), checks.vector(pair[1], f"velocity in {what}")))
    if not found:
        raise ModelError(f"{what} is empty: give a velocity, or pairs of {of} and velocity")
    for (a, _), (b, _) in pairwise(found):
        if not a < b:
            raise ModelError(f"{what} has the {of} {b:g} after {a:g}: give them in ascending order, each once")
    return tuple(found)


def settled_factor(value: Any, what: str) -> Any:
    """A number, or a function of time."""
    return value if checks.is_function(value) else checks.number(value, what)


@typed
@dataclass(frozen=True)
class Sea(Medium):
    """Water with a surface, currents and waves. Outside of it, above its surface at rest, nothing acts.

    Args:
        density: kg/m^3.
        depth: from the surface to the bed, m, which waves feel; None for deep water.
        surface: height of the surface at rest, m.
        current: velocity, m/s, inertial axes; or pairs of depth below the surface (m, ascending) and velocity there, with
            straight lines between and constant beyond.
        strength: factor of the current: a number or a function of time, slow enough for the water's acceleration by it not
            to matter, which is left out.
        waves: Wave components; `kaneflex.jonswap` makes those of a sea state.
    """

    density: float = 1025.0
    depth: float | None = None
    surface: float = 0.0
    current: Any = (0.0, 0.0, 0.0)
    strength: Any = 1.0
    waves: Sequence[Wave] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", checks.positive(self.density, "density"))
        if self.depth is not None:
            object.__setattr__(self, "depth", checks.positive(self.depth, "depth"))
        object.__setattr__(self, "surface", checks.number(self.surface, "surface"))
        object.__setattr__(self, "current", settled_profile(self.current, "current", "depth"))
        object.__setattr__(self, "strength", settled_factor(self.strength, "strength"))
        object.__setattr__(self, "waves", checks.items(self.waves, "waves"))
        for wave in self.waves:
            if not isinstance(wave, Wave):
                raise ModelError(f"waves hold {checks.shown(wave)}: give Waves, or what jonswap makes")

    def profile(self) -> Profile:
        """Heights and velocities there, from below."""
        return tuple((self.surface - depth, velocity) for depth, velocity in reversed(self.current))

    def factor(self) -> Any:
        """What the current is multiplied by."""
        return self.strength

    def surface_height(self) -> float | None:
        """Height of the surface at rest, m."""
        return self.surface

    def wave_list(self) -> tuple[Wave, ...]:
        """Its waves."""
        return tuple(self.waves)

    def depth_of_waves(self) -> float | None:
        """Depth, m; None for deep water."""
        return self.depth


@typed
@dataclass(frozen=True)
class Air(Medium):
    """Air, which is everywhere, with wind.

    Args:
        density: kg/m^3.
        wind: velocity, m/s, inertial axes; or pairs of height (m, ascending) and velocity there, with straight lines between
            and constant beyond.
        gust: factor of the wind: a number or a function of time.
    """

    density: float = 1.225
    wind: Any = (0.0, 0.0, 0.0)
    gust: Any = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", checks.positive(self.density, "density"))
        object.__setattr__(self, "wind", settled_profile(self.wind, "wind", "height"))
        object.__setattr__(self, "gust", settled_factor(self.gust, "gust"))

    def profile(self) -> Profile:
        """Heights and velocities there, from below."""
        return tuple(self.wind)

    def factor(self) -> Any:
        """What the wind is multiplied by."""
        return self.gust


def upward(gravity: Any) -> checks.Vector:
    """The direction against gravity; z where there is none."""
    g = np.array(gravity, float)
    size = float(np.linalg.norm(g))
    return -g / size if size else np.array([0.0, 0.0, 1.0])


def wave_number(frequency: float, gravity: float, depth: float | None = None) -> float:
    """k of Airy's waves, w^2 = g k tanh(k h), 1/m.

    Args:
        frequency: w, rad/s.
        gravity: g, m/s^2.
        depth: h, m; None for deep water.
    """
    deep = frequency**2 / gravity
    if depth is None:
        return deep
    x = deep * depth / math.sqrt(math.tanh(deep * depth))  # k h: right for long and for short waves
    for _ in range(50):
        tanh = math.tanh(x)
        step = (x * tanh - deep * depth) / (tanh + x * (1 - tanh * tanh))
        x -= step
        if abs(step) <= 1e-15 * x:
            break
    return x / depth


@typed
def jonswap(
    height: float,
    period: float,
    peakedness: float = 3.3,
    *,
    components: int = 60,
    seed: int = 0,
    heading: float = 0.0,
    band: Sequence[float] = (0.5, 5.0),
) -> tuple[Wave, ...]:
    """Waves of a sea state by the JONSWAP spectrum, each of the same energy, with phases by chance.

    S(w) is proportional to w^-5 exp(-5/4 (wp/w)^4) times peakedness to the power exp(-((w/wp - 1)/s)^2/2), s being 0.07
    below the peak and 0.09 above (Hasselmann and others 1973); a peakedness of 1 is Pierson and Moskowitz's spectrum.

    Args:
        height: significant wave height, four times the deviation of the surface, m.
        period: of the peak, 2 pi/wp, s.
        peakedness: gamma, from 1 to 7.
        components: number of waves. Each stands for the same part of the energy.
        seed: of the phases.
        heading: rad.
        band: lowest and highest frequency, over that of the peak.
    """
    height, period = checks.not_negative(height, "height"), checks.positive(period, "period")
    n, peak = checks.whole(components, "components", 1), 2 * math.pi / period
    low, high = (checks.positive(x, "band") for x in checks.finite(band, 2, "band"))
    if not low < 1 < high:
        raise ModelError(f"band is {low:g} to {high:g}: give frequencies below and above that of the peak, which is 1")
    if not 1 <= checks.number(peakedness, "peakedness") <= 7:
        raise ModelError(f"peakedness is {peakedness:g}: give 1 to 7")
    x = np.linspace(low, high, 20_001)
    width = np.where(x < 1, 0.07, 0.09)
    density = x**-5 * np.exp(-1.25 * x**-4) * peakedness ** np.exp(-(((x - 1) / width) ** 2) / 2)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    middles = np.interp((np.arange(n) + 0.5) / n, below / below[-1], x)
    phases = np.random.default_rng(checks.whole(seed, "seed")).uniform(0.0, 2 * math.pi, n)
    amplitude = height / 4 * math.sqrt(2 / n)
    return tuple(Wave(amplitude, peak * float(w), heading, float(e)) for w, e in zip(middles, phases, strict=True))


__all__ = ["Air", "Medium", "Sea", "Wave", "jonswap", "upward", "wave_number"]
