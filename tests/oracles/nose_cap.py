"""A nose cap that has left its rails tips over and strikes a parachute package with its rim.

In the axes of the booster, whose motion is uniform: x forward along the rails, no gravity. The cap (mass m, principal
central inertias I, mass centre on the origin at t = 0) leaves the rails at the speed sqrt(2 W/m) that the pusher's work W
gives it, with a drift across and a tip-off rate about its principal y axis. The package is a free body at rest. Up to the
impact the cap turns about a principal axis, so that its rim is at

    c(t) = v t + R(t) rim ,  R(t) a turn by rate t about y                                                        (1)

and it reaches the plane of the package's face, point f and unit normal n, when n.(c(t) - f) = 0. The impulse is that of
two free bodies with restitution and Coulomb friction, `collisions.collide`.

Source: the problem of A. K. Banerjee, Flexible Multibody Dynamics: Efficient Formulations and Applications, appendix 2.A,
with stand-in data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from oracles.collisions import Body, Collision, collide

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NoseCap:
    """Stand-in data in SI units.

    work: of the pusher, J. drift: velocity across the rails along y and z. tip_off: rate about y, rad/s. rim: of the cap,
    from its mass centre. package_centre: mass centre. face: point of the face from the package's mass centre; its normal
    is x turned by -`slope` about y, then by `skew` about x, i.e. (cos slope, -sin slope sin skew, sin slope cos skew).
    """

    mass: float = 150.0
    inertia: tuple[float, float, float] = (60.0, 45.0, 48.0)
    work: float = 48.0
    drift: tuple[float, float] = (0.4, 0.1)
    tip_off: float = 3.5
    rim: tuple[float, float, float] = (-0.1, 0.3, -1.0)
    package_mass: float = 320.0
    package_inertia: tuple[float, float, float] = (40.0, 70.0, 65.0)
    package_centre: tuple[float, float, float] = (-1.1, 0.1, -0.6)
    face: tuple[float, float, float] = (0.6, 0.0, 0.0)
    slope: float = 0.25
    skew: float = 0.4
    restitution: float = 0.4
    friction: float = 0.2

    @property
    def velocity(self) -> Array:
        """Of the cap's mass centre when it leaves the rails."""
        return np.array([np.sqrt(2 * self.work / self.mass), *self.drift])

    @property
    def normal(self) -> Array:
        """Of the package's face, outward."""
        s, c = np.sin(self.slope), np.cos(self.slope)
        return np.array([c, -s * np.sin(self.skew), s * np.cos(self.skew)])

    def attitude(self, t: float) -> Array:
        """R of the cap before the impact."""
        s, c = np.sin(self.tip_off * t), np.cos(self.tip_off * t)
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    def rim_at(self, t: float) -> Array:
        """(1)."""
        return self.velocity * t + self.attitude(t) @ np.array(self.rim)

    def gap(self, t: float) -> float:
        """Distance of the rim from the plane of the face."""
        return float(self.normal @ (self.rim_at(t) - np.array(self.package_centre) - np.array(self.face)))

    @property
    def impact_time(self) -> float:
        """First time at which the gap closes."""
        t = np.linspace(0.0, 2.0, 4001)
        gaps = [self.gap(x) for x in t]
        k = next(i for i in range(len(t) - 1) if gaps[i] > 0 >= gaps[i + 1])
        return float(brentq(self.gap, t[k], t[k + 1], xtol=1e-15, rtol=1e-14))

    def bodies(self, t: float) -> tuple[Body, Body]:
        """Cap and package at a time up to the impact."""
        R = self.attitude(t)
        cap = Body(
            self.mass, R @ np.diag(self.inertia) @ R.T, self.velocity * t, self.velocity, np.array([0.0, self.tip_off, 0.0])
        )
        centre = np.array(self.package_centre)
        return cap, Body(self.package_mass, np.diag(self.package_inertia), centre, np.zeros(3), np.zeros(3))

    def impact(self, restitution: float | None = None, friction: float | None = None) -> Collision:
        """The collision, with other coefficients if given; body a is the cap."""
        t = self.impact_time
        e = self.restitution if restitution is None else restitution
        mu = self.friction if friction is None else friction
        return collide(*self.bodies(t), self.rim_at(t), self.normal, e, mu)


def matrix(data: NoseCap) -> Array:
    """K at the rim and the time of the impact, (1) of `collisions`."""
    t = data.impact_time
    cap, package = data.bodies(t)
    K: Array = cap.mobility(data.rim_at(t)) + package.mobility(data.rim_at(t))
    return K


def approach(data: NoseCap) -> ArrayLike:
    """Velocity of the rim relative to the package just before the impact."""
    t = data.impact_time
    cap, package = data.bodies(t)
    return cap.velocity_of(data.rim_at(t)) - package.velocity_of(data.rim_at(t))
