"""The centre that a system goes around, and its path, for a small picture to scale beside the drawing."""

from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.forces import CentralGravity, OrbitGravity
from kaneflex.model.model import Model
from kaneflex.model.orbits import orbit_of

Array = np.ndarray
#: Bodies in the sky by their gravitational parameters, m^3/s^2, and their mean or equatorial radii, m (IAU 2015, DE440).
KNOWN = {
    "Sun": (1.32712440041e20, 6.957e8), "Earth": (3.986004418e14, 6.3781e6), "Moon": (4.902800118e12, 1.7374e6),
    "Mars": (4.282837362e13, 3.3962e6), "Venus": (3.24858592e14, 6.0518e6), "Jupiter": (1.26686534e17, 7.1492e7),
}  # fmt: skip
POINTS = 97  # of a whole orbit
ALIKE = 2e-3  # relative difference of gravitational parameters that are meant to be the same


def path_around(model: Model, t: Array, place: Array, velocity: Array) -> dict[str, Any] | None:
    """Name and radius of the centre (None where nobody knows it), the path around it, (K, 3), m, and points of the whole
    orbit that it begins on, (n, 3), m; None without a centre.

    Args:
        model: the model.
        t: times, s.
        place, velocity: of the system in N at these times, (K, 3), m and m/s.
    """
    for load in model.loads.values():
        if isinstance(load, CentralGravity):
            return _told(load.mu, load.radius, place - np.array(load.centre), velocity[0])
        if isinstance(load, OrbitGravity):
            reference = [load.orbit.law()(float(x)) for x in t]
            path = place + np.array([r for r, _ in reference])
            return _told(load.orbit.mu, load.radius, path, velocity[0] + np.array(reference[0][1]))
    return None


def _told(mu: float, radius: float, path: Array, velocity: Array) -> dict[str, Any]:
    name = next((name for name, (known, _) in KNOWN.items() if abs(mu / known - 1) < ALIKE), None)
    own = radius or (KNOWN[name][1] if name else None)
    return {"name": name or "centre", "radius": own, "path": path, "ellipse": _whole(mu, path[0], velocity)}


def _whole(mu: float, place: Array, velocity: Array) -> Array | None:
    """Points of an orbit; None of one that does not close."""
    try:
        orbit = orbit_of(place, velocity, mu)
    except ModelError:
        return None
    motion = orbit.law()
    return np.array([motion(x)[0] for x in np.linspace(0.0, orbit.period, POINTS)])


__all__ = ["path_around"]
