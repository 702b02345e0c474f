"""Places of laws from the centre of an orbit, in systems whose N is fixed there, or falls along an orbit."""

from collections.abc import Callable
from typing import Any

from kaneflex.model.orbits.kepler import KeplerOrbit


def absolute(orbit: KeplerOrbit | None) -> Callable[[Any, Any, int], Any]:
    """A function of (t, x, k) that gives the position x[k:], and that adds to it that of an orbit which N falls along."""
    if orbit is None:
        return lambda t, x, k: (x[k], x[k + 1], x[k + 2])
    motion = orbit.law()

    def place(t: Any, x: Any, k: int) -> Any:
        r, _ = motion(t)
        return x[k] + r[0], x[k + 1] + r[1], x[k + 2] + r[2]

    return place


def absolute_velocity(orbit: KeplerOrbit | None) -> Callable[[Any, Any, int], Any]:
    """The same of velocities."""
    if orbit is None:
        return lambda t, x, k: (x[k], x[k + 1], x[k + 2])
    motion = orbit.law()

    def velocity(t: Any, x: Any, k: int) -> Any:
        _, v = motion(t)
        return x[k] + v[0], x[k + 1] + v[1], x[k + 2] + v[2]

    return velocity


__all__ = ["absolute", "absolute_velocity"]
