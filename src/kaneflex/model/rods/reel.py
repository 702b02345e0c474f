"""Reels that rods are wound on: what the user says of one, and the bodies that a rod in it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies import fed_rod, reel
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model import checks
from kaneflex.model.bodies import BodyBase, settled_frames
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Reel:
    """What the part of a fed rod that is inside is wound on.

    Without a radius the rod inside is a point mass in the exit. With one it is a ring on a drum, which turns as the rod
    runs: a body "name_store" of its own, of which the drum's own mass counts with the body that it is on.

    Args:
        radius: of the drum, m; None where its turning does not count.
        inertia: of the empty drum about its axis, kg m^2.
        axis: of the drum, "y" or "z" of the exit, whose x is along the rod: it turns about it as the rod runs out. None for
            the normal of a rod's plane, and for z in space.
    """

    radius: float | None = None
    inertia: float = 0.0
    axis: str | None = None

    def __post_init__(self) -> None:
        if self.radius is not None:
            object.__setattr__(self, "radius", checks.positive(self.radius, "radius of a reel"))
        object.__setattr__(self, "inertia", checks.not_negative(self.inertia, "inertia of a reel"))
        if self.axis is not None:
            checks.known(self.axis, ("y", "z"), "axis of a reel")
        if self.radius is None and (self.inertia or self.axis is not None):
            raise ModelError("a reel without a radius does not turn: give a radius, or neither inertia nor axis")


@dataclass(frozen=True)
class FedRod(BodyBase):
    """What of a rod is in the exit of its reel; made by `System.add_feed`.

    Args:
        per_length: mass, kg/m.
        total: length of the rod, m.
        outside: length outside at the start, m.
        beyond: length beyond the innermost joint that is free then, m.
        section: inertia per length about the rod's x, y and z, kg m.
        frames: named frames on the segment.
    """

    per_length: float
    total: float
    outside: float
    beyond: float
    section: tuple[float, float, float]
    frames: Mapping[str, Any] = field(default_factory=dict)
    facts: ClassVar[BodyFacts] = fed_rod.FACTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", settled_frames(self.frames))

    def mass_properties(self) -> tuple[float, Vector, Vector]:
        """At the start; about the inner end of the rod."""
        s, X = self.outside - self.beyond + self.total / fed_rod.TRACES, self.total - self.outside
        mass = self.per_length * s
        across = mass * (X * X + X * s + s * s / 3)
        J = np.diag(np.array(self.section) * s + (0.0, across, across))
        return mass, np.array((mass * (X + s / 2), 0.0, 0.0)), J

    def parameters(self, R: Vector) -> Vector:
        """The ten numbers that the kernel reads; R are the axes of the joint on the body."""
        j = R.T @ np.diag(self.section) @ R
        return np.array((self.per_length, self.total, self.beyond, 0.0, *j[np.triu_indices(3)]))


@dataclass(frozen=True)
class Store(BodyBase):
    """What of a rod is left in its reel; made by `System.add_feed`.

    Args:
        per_length: mass, kg/m.
        total: length of the rod, m.
        outside: length outside at the start, m.
        radius: of the drum, m; 0 for a point.
        inertia: of the drum about its axis, kg m^2.
        axis: number of that axis, 1 (y) or 2 (z).
        frames: named frames on it.
    """

    per_length: float
    total: float
    outside: float
    radius: float
    inertia: float
    axis: int
    frames: Mapping[str, Any] = field(default_factory=dict)
    facts: ClassVar[BodyFacts] = reel.FACTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", settled_frames(self.frames))

    def mass_properties(self) -> tuple[float, Vector, Vector]:
        """At the start; about the drum's centre."""
        mass = self.per_length * (self.total - self.outside + self.total / fed_rod.TRACES)
        J = np.full(3, mass * self.radius**2 / 2)
        J[self.axis] = mass * self.radius**2 + self.inertia
        return mass, np.zeros(3), np.diag(J)

    def parameters(self) -> Vector:
        """The ten numbers that the kernel reads."""
        return np.array((self.per_length, self.total, self.radius, 0.0, *(0.0,) * 5, self.inertia))


__all__ = ["FedRod", "Reel", "Store"]
