"""Orbits about a centre by Kepler's laws."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits.vectors import angle, cross, dot, length, whole_angle
from kaneflex.model.typed import typed

ITERATIONS = 30  # of Newton's method, which ends by itself
CIRCULAR = 1e-10  # eccentricity, or sine of the inclination, below which an orbit has no perigee, or no node


@typed
@dataclass(frozen=True)
class KeplerOrbit:
    """An elliptic orbit about a centre, by its elements. Angles in rad.

    Args:
        mu: gravitational parameter of the centre, m^3/s^2.
        semi_major_axis: m.
        eccentricity: 0 for a circle, below 1.
        inclination: of its plane against x, y of N.
        node: angle of the ascending node from x of N.
        perigee: argument of the perigee, from the node.
        true_anomaly: at the time 0, from the perigee.
    """

    mu: float
    semi_major_axis: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    node: float = 0.0
    perigee: float = 0.0
    true_anomaly: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mu", "semi_major_axis"):
            object.__setattr__(self, name, checks.positive(getattr(self, name), f"{name} of a KeplerOrbit"))
        for name in ("inclination", "node", "perigee", "true_anomaly"):
            object.__setattr__(self, name, checks.number(getattr(self, name), f"{name} of a KeplerOrbit"))
        e = checks.not_negative(self.eccentricity, "eccentricity of a KeplerOrbit")
        if e >= 1:
            raise ModelError(f"eccentricity of a KeplerOrbit is {e:g}: give an ellipse, 0 to below 1")
        object.__setattr__(self, "eccentricity", e)

    @property
    def rate(self) -> float:
        """Mean motion, rad/s."""
        return math.sqrt(self.mu / self.semi_major_axis**3)

    @property
    def period(self) -> float:
        """Time of one turn, s."""
        return 2 * math.pi / self.rate

    def state(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Position, m, and velocity, m/s, at a time, from the centre in axes of N."""
        r, v = self.law()(checks.number(t, "t"))
        return np.array(r), np.array(v)

    def law(self) -> Callable[[float], Any]:
        """A function of t that gives position and velocity, for laws."""
        a, e, n = self.semi_major_axis, self.eccentricity, self.rate
        side = math.sqrt(1 - e * e)
        half = self.true_anomaly / 2
        start = 2 * math.atan2(math.sqrt(1 - e) * math.sin(half), math.sqrt(1 + e) * math.cos(half))
        first, (p, q) = start - e * math.sin(start), self._axes()

        def motion(t: float) -> Any:
            E = eccentric_anomaly(first + n * t, e)
            c, s = math.cos(E), math.sin(E)
            fast = n / (1 - e * c)
            x, y, vx, vy = a * (c - e), a * side * s, -a * fast * s, a * side * fast * c
            place = x * p[0] + y * q[0], x * p[1] + y * q[1], x * p[2] + y * q[2]
            return place, (vx * p[0] + vy * q[0], vx * p[1] + vy * q[1], vx * p[2] + vy * q[2])

        return motion

    def _axes(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Unit vectors in the plane of the orbit, to the perigee and 90 degrees on."""
        ci, si, cn, sn = math.cos(self.inclination), math.sin(self.inclination), math.cos(self.node), math.sin(self.node)
        cw, sw = math.cos(self.perigee), math.sin(self.perigee)
        p = cn * cw - sn * sw * ci, sn * cw + cn * sw * ci, sw * si
        q = -cn * sw - sn * cw * ci, -sn * sw + cn * cw * ci, cw * si
        return p, q


def eccentric_anomaly(mean: float, e: float) -> float:
    """E of Kepler's equation E - e sin E = mean anomaly, rad, by Newton's method from a start that is never too small."""
    turns = np.floor(mean / (2 * math.pi) + 0.5)
    M = mean - 2 * math.pi * turns
    E = M + e * np.sin(M) / (1 - np.sin(M + e) + np.sin(M)) if e < 0.8 else (math.pi if M > 0 else -math.pi)
    for _ in range(ITERATIONS):
        step = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= step
        if abs(step) < 1e-15:
            break
    return float(E) + 2 * math.pi * float(turns)


def elements(r: Any, v: Any, mu: float) -> Any:
    """Semi-major axis (m, negative on a hyperbola), eccentricity, inclination, node, argument of the perigee, true anomaly
    and argument of latitude (rad) of an orbit. The last four are 0 to 2 pi.

    Where there is no node, the x axis of N counts as it; where there is no perigee, the node does.

    Args:
        r, v: from the centre, m, and velocity, m/s, inertial axes.
        mu: of the centre, m^3/s^2.
    """
    h, distance = cross(r, v), length(r)
    momentum = length(h)
    if momentum.real <= 1e-14 * distance.real * length(v).real:
        raise ValueError("orbital elements: the motion is along the vertical, which is no orbit with a plane")
    inverse = 2 / distance - dot(v, v) / mu  # one over the semi-major axis
    if abs(inverse.real) * distance.real < 1e-14:
        raise ValueError("orbital elements: the orbit is a parabola, which has no semi-major axis")
    k, radial = dot(v, v) / mu - 1 / distance, dot(r, v) / mu
    off = k * r[0] - radial * v[0], k * r[1] - radial * v[1], k * r[2] - radial * v[2]  # towards the perigee
    e, level = length(off), np.sqrt(h[0] * h[0] + h[1] * h[1] + 0 * r[0])
    inclination = angle(level, h[2])
    one, none = 1 + 0 * r[0], 0 * r[0]
    line = (one, none, none)
    if level.real > CIRCULAR * momentum.real:
        line = (-h[1] / level, h[0] / level, none)
    across = cross(h, line)
    node = whole_angle(line[1], line[0])
    latitude = whole_angle(dot(r, across) / momentum, dot(r, line))
    perigee, anomaly = none, latitude
    if e.real > CIRCULAR:
        perigee = whole_angle(dot(off, across) / momentum, dot(off, line))
        anomaly = whole_angle(dot(cross(off, r), h) / momentum, dot(off, r))
    return 1 / inverse, e, inclination, node, perigee, anomaly, latitude


def orbit_of(position: Any, velocity: Any, mu: float) -> KeplerOrbit:
    """The elliptic orbit of a body that is now, at the time 0, at a position (m, from the centre) with a velocity (m/s)."""
    r, v = (np.array(checks.vector(x, name)) for x, name in ((position, "position"), (velocity, "velocity")))
    mu = checks.positive(mu, "mu")
    try:
        a, e, i, node, perigee, anomaly, _ = elements(r, v, mu)
    except ValueError as error:
        raise ModelError(str(error)) from error
    if e >= 1:
        raise ModelError(f"the orbit has the eccentricity {e:g}: it is no ellipse")
    return KeplerOrbit(mu, *(float(x) for x in (a, e, i, node, perigee, anomaly)))


__all__ = ["KeplerOrbit", "eccentric_anomaly", "elements", "orbit_of"]
