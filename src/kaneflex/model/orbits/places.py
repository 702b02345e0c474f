"""Places of laws from the centre of an orbit, in systems whose N is fixed there, or falls along an orbit."""

from collections.abc import Callable
from typing import Any

from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.vectors import plus


def absolute(orbit: KeplerOrbit | None, rate: bool = False) -> Callable[[Any, Any, int], Any]:
    """A function of (t, x, k) that gives the position x[k:] from the centre, or with `rate` the velocity x[k:]: as it is,
    or with that of the orbit which N falls along added to it."""
    if orbit is None:
        return lambda t, x, k: (x[k], x[k + 1], x[k + 2])
    motion, which = orbit.law(), int(rate)
    return lambda t, x, k: plus((x[k], x[k + 1], x[k + 2]), motion(t)[which])


__all__ = ["absolute"]
