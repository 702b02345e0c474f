"""Beams and mooring lines that move in a plane, in neutral numbers: what the engines of the rods' benchmark are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PlaneBeam:
    """A straight, uniform beam in the plane x, y, at rest at the start.

    Args:
        name: of the case.
        length: m.
        mass: per length, kg/m.
        EI, EA, GA: stiffnesses in bending (N m^2), stretch and shear (N).
        rotary: inertia of the sections, kg m.
        root: "free", "pinned" or "driven": clamped to a hub that turns about the root by `angle`.
        duration: s.
        scale: what errors of the tip's place are relative to, m.
        start: of the root, m.
        direction: from the root to the tip at the start, rad.
        gravity: along y, m/s^2.
        angle, rate: of the driven root over time, rad and rad/s.
        force: along x at the root until `loaded`, N.
        moment: about z at the root until then, N m.
        loaded: s.
        samples: how many times, evenly spread, the tip is looked at.
    """

    name: str
    length: float
    mass: float
    EI: float
    EA: float
    GA: float
    rotary: float
    root: str
    duration: float
    scale: float
    start: tuple[float, float] = (0.0, 0.0)
    direction: float = 0.0
    gravity: float = 0.0
    angle: Callable[[float], float] | None = None
    rate: Callable[[float], float] | None = None
    force: float = 0.0
    moment: float = 0.0
    loaded: float = 0.0
    samples: int = 60

    @property
    def end(self) -> tuple[float, float]:
        """Where the tip is at the start, m."""
        c, s = math.cos(self.direction), math.sin(self.direction)
        return self.start[0] + self.length * c, self.start[1] + self.length * s

    @property
    def period(self) -> float:
        """Time between samples, s."""
        return self.duration / self.samples

    def seen(self, t: Array, tip: Array) -> Array:
        """Places of the tip (rows x, y), on a hub its deflection across: what errors are measured in, m."""
        if self.angle is None:
            return tip
        turn = np.array([self.angle(x) for x in t])
        return np.asarray(np.cos(turn) * tip[:, 1] - np.sin(turn) * tip[:, 0])


def _spin_up(t: float) -> float:
    """Angle of the ramp of Kane, Ryan and Banerjee to 6 rad/s in 15 s."""
    return 6.0 / 15.0 * (t * t / 2 + (15.0 / (2 * math.pi)) ** 2 * (math.cos(2 * math.pi * t / 15.0) - 1))


def _spin_rate(t: float) -> float:
    return 6.0 / 15.0 * (t - 15.0 / (2 * math.pi) * math.sin(2 * math.pi * t / 15.0))


#: Simo and Vu-Quoc's beam on a hub that is brought to speed; errors relative to its largest deflection.
SPIN_UP = PlaneBeam("spin-up", 10.0, 1.2, 1.4e4, 2.8e7, 1e7, 6e-4, "driven", 15.0, 0.574, angle=_spin_up, rate=_spin_rate)
#: The flexible pendulum of Exudyn's documentation (`beams.GenerateStraightBeam`), let go where it is horizontal.
PENDULUM = PlaneBeam("pendulum", 0.5, 0.02, 8e-4, 2000.0, 650.0, 8e-9, "pinned", 1.0, 0.5, gravity=-9.81)
#: Simo and Vu-Quoc's flying beam.
NOODLE = PlaneBeam(
    "noodle", 10.0, 1.0, 500.0, 1e4, 1e4, 10.0, "free", 5.0, 10.0,
    start=(6.0, 0.0), direction=math.atan2(8.0, -6.0), force=8.0, moment=-80.0, loaded=2.5,
)  # fmt: skip


@dataclass(frozen=True)
class MooringLine:
    """A chain from an anchor to a fairlead that heaves, in the plane x, z; the surface is at z = 0, the anchor at x = 0.

    Args:
        name: of the case.
        anchor: its height, m; it lies on the bed where that is minus the depth, else there is no bed.
        depth: of the water, m.
        fairlead: its place (x, z) at rest, m.
        pull: along x on it at rest, N.
        length: m.
        diameter: m.
        mass: per length, kg/m.
        EA: N.
        Cn, Ct: coefficients of drag across and along.
        density: of the water, kg/m^3.
        kbot, cbot: stiffness and damping of the bed, Pa/m and Pa s/m.
        duration: s.
        samples: how many times, evenly spread, the tension is looked at.
    """

    name: str
    anchor: float
    depth: float
    fairlead: tuple[float, float]
    pull: float = 15000.0
    length: float = 200.0
    diameter: float = 0.05
    mass: float = 20.0
    EA: float = 2.5e8
    Cn: float = 1.6
    Ct: float = 0.1
    density: float = 1025.0
    kbot: float = 3e5
    cbot: float = 3e4
    duration: float = 20.0
    samples: int = 80

    @property
    def period(self) -> float:
        """Time between samples, s."""
        return self.duration / self.samples

    @property
    def heave(self) -> Callable[[float], float]:
        """Of the fairlead over time, m: one metre in ten seconds, begun smoothly."""
        w = 2 * math.pi / 10
        return lambda t: (1 - math.exp(-((t / 3) ** 4))) * math.sin(w * t)

    def rate(self, t: float) -> float:
        """Of the heave, m/s."""
        w, rest = 2 * math.pi / 10, math.exp(-((t / 3) ** 4))
        return (1 - rest) * w * math.cos(w * t) + 4 * t**3 / 81 * rest * math.sin(w * t)

    def slopes(self, n: int) -> dict[str, float]:
        """Turns of n segments along the catenary, from which equilibria are sought; none without a bed."""
        if self.anchor != -self.depth:
            return {}
        a = self.pull / ((self.mass - self.density * math.pi * self.diameter**2 / 4) * 9.81)
        height = self.fairlead[1] - self.anchor
        s = math.sqrt(height * (height + 2 * a))
        slopes = np.arctan(np.maximum(0.0, (np.arange(n) + 0.5) * self.length / n - self.length + s) / a)
        lowered = np.diff(slopes, prepend=0.0)
        lowered[0] -= 1e-4  # into the bed, which holds nothing that only touches it
        return {f"chain_{k + 1}.q": -float(turn) for k, turn in enumerate(lowered)}


#: The chain of the gallery's mooring line between two points, free of the bed, and on it.
SAGGING = MooringLine("sagging line", -80.0, 400.0, (173.107, -10.0))
MOORING = MooringLine("mooring line on the bed", -80.0, 80.0, (173.107, -10.0))
