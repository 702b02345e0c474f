"""Orbits and what is around them: Kepler's motion, fields of the Earth, the sun."""

from kaneflex.model.orbits.atmosphere import Atmosphere
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit, elements, orbit_of
from kaneflex.model.orbits.sun import Sun, in_cone, in_cylinder

#: Gravitational parameter of the Earth, m^3/s^2.
EARTH_MU = 3.986004418e14
#: Its equatorial radius, m.
EARTH_RADIUS = 6378137.0
#: Its oblateness, for that radius.
EARTH_J2 = 1.08262668e-3
#: Its turning, rad/s.
EARTH_RATE = 7.2921151467e-5

__all__ = [
    "EARTH_J2",
    "EARTH_MU",
    "EARTH_RADIUS",
    "EARTH_RATE",
    "Atmosphere",
    "Dipole",
    "KeplerOrbit",
    "Sun",
    "elements",
    "in_cone",
    "in_cylinder",
    "orbit_of",
]
