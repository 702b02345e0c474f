"""Impacts of rigid bodies in closed form: two bodies, balls, rods, a two-link chain, locked joints and docking.

The general case: bodies a and b meet at a point; n is the unit normal from b to a, v the velocity of a's point relative to
b's, v.n < 0. The impulse P on a (and -P on b) changes v by K P,

    K = sum over both bodies of  1/m - r~ I^-1 r~ ,   r from the mass centre to the point, r~ its cross matrix.   (1)

Newton's restitution e wants (v + K P).n = -e v.n. Sticking wants no tangential velocity afterwards,

    P = -K^-1 (v + e (v.n) n) ,                                                                                   (2)

and is possible when |P - (P.n) n| <= mu P.n; otherwise the point slips along t, the unit vector of the tangential velocity
before the impact, and P = J (n - mu t) with

    J = -(1 + e) v.n / (n.K n - mu n.K t).                                                                        (3)

Whatever the law, the energy lost is -P.(v + v+)/2, half the impulse times the sum of the velocities before and after.

Sources: generalized impulse and momentum as in T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications (1985); the
special cases by hand, from the momentum balances of each body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def cross_matrix(r: ArrayLike) -> Array:
    """The matrix r~ with r~ x = r x x."""
    x, y, z = np.asarray(r, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@dataclass(frozen=True)
class Body:
    """A free rigid body: mass, central inertia matrix, mass centre, its velocity, angular velocity; inertial axes."""

    mass: float
    inertia: Array
    centre: Array
    velocity: Array
    omega: Array

    def velocity_of(self, point: ArrayLike) -> Array:
        """Velocity of the body's point at a place."""
        return self.velocity + np.cross(self.omega, np.asarray(point, dtype=float) - self.centre)

    def mobility(self, point: ArrayLike) -> Array:
        """This body's part of K, (1)."""
        r = cross_matrix(np.asarray(point, dtype=float) - self.centre)
        return np.eye(3) / self.mass - r @ np.linalg.solve(self.inertia, r)

    def struck(self, point: ArrayLike, impulse: ArrayLike) -> Body:
        """The body after an impulse at a point."""
        P = np.asarray(impulse, dtype=float)
        turn = np.linalg.solve(self.inertia, np.cross(np.asarray(point, dtype=float) - self.centre, P))
        return replace(self, velocity=self.velocity + P / self.mass, omega=self.omega + turn)

    @property
    def energy(self) -> float:
        """Kinetic energy."""
        return float(self.mass * self.velocity @ self.velocity + self.omega @ self.inertia @ self.omega) / 2

    @property
    def momentum(self) -> Array:
        """Linear momentum, and angular momentum about the origin: six numbers."""
        linear = self.mass * self.velocity
        return np.concatenate([linear, np.cross(self.centre, linear) + self.inertia @ self.omega])


@dataclass(frozen=True)
class Collision:
    """Impulse on body a, whether the point sticks, the bodies afterwards (b None for the ground), and the energy lost."""

    impulse: Array
    sticks: bool
    a: Body
    b: Body | None
    lost: float


def collide(
    a: Body, b: Body | None, point: ArrayLike, normal: ArrayLike, restitution: float, friction: float = 0.0
) -> Collision:
    """Two bodies, or one and the ground (b None), meet at a point; the normal is a unit vector from b to a. (1)-(3)."""
    n = np.asarray(normal, dtype=float)
    K = a.mobility(point) + (b.mobility(point) if b is not None else 0.0)
    v = a.velocity_of(point) - (b.velocity_of(point) if b is not None else 0.0)
    P = -np.linalg.solve(K, v + restitution * (v @ n) * n)
    sticks = bool(np.linalg.norm(P - (P @ n) * n) <= friction * (P @ n))
    if not sticks:
        slip = v - (v @ n) * n
        size = np.linalg.norm(slip)
        t = slip / size if size > 0 else np.zeros(3)
        P = -(1 + restitution) * (v @ n) / (n @ K @ (n - friction * t)) * (n - friction * t)
    lost = -float(P @ (2 * v + K @ P)) / 2
    return Collision(P, sticks, a.struck(point, P), b.struck(point, -P) if b is not None else None, lost)


def central(m1: float, m2: float, v1: float, v2: float, e: float) -> tuple[float, float, float]:
    """Velocities of two bodies after a central collision, and the energy lost."""
    u = v1 - v2
    mean = (m1 * v1 + m2 * v2) / (m1 + m2)
    return mean - e * m2 * u / (m1 + m2), mean + e * m1 * u / (m1 + m2), (1 - e**2) * m1 * m2 / (m1 + m2) * u**2 / 2


def particle_on_rod(m1: float, m2: float, length: float, arm: float, v: float, e: float) -> tuple[float, float, float]:
    """A particle (m1, speed v) strikes a resting free uniform rod squarely at `arm` from its middle, without friction.

    Returns the particle's velocity, that of the rod's middle, and the rod's rate of turn afterwards.
    """
    J = (1 + e) * v / (1 / m1 + 1 / m2 + 12 * arm**2 / (m2 * length**2))
    return v - J / m1, J / m2, 12 * J * arm / (m2 * length**2)


def disks(m: float, r: float, vn: float, vt: float, w: float, e: float, mu: float) -> tuple[bool, Array, Array]:
    """A uniform disk (m, r) meets an equal one at rest; vn > 0 approach speed, vt its centre's tangential speed, w its spin.

    n points from the first to the second disk, t is n turned by a quarter counter-clockwise, as w is counted. The contact
    slips at vt + r w before. Returns whether it sticks, and (vn, vt, w) of the first and of the second disk.
    K.nn = 2/m, K.tt = 6/m, no coupling: J = m (1 + e) vn/2, and sticking needs m |slip|/6 <= mu J.
    """
    slip = vt + r * w
    J = m * (1 + e) * vn / 2
    T = m * slip / 6
    sticks = abs(T) <= mu * J
    if not sticks:
        T = np.copysign(mu * J, slip)
    return sticks, np.array([vn - J / m, vt - T / m, w - 2 * T / (m * r)]), np.array([J / m, T / m, -2 * T / (m * r)])


def ball_on_floor(r: float, vn: float, vt: float, w: float, e: float, mu: float) -> tuple[bool, float, float, float]:
    """A uniform ball (any mass) meets the floor at vn > 0 downward and vt along it, w its rate with r w = vt in rolling.

    Returns whether it sticks, and the upward speed, the speed along the floor and the rate afterwards.
    """
    slip = vt - r * w
    T = 2 * slip / 7  # impulse per mass that stops the slip: K.tt = 7/2 per mass
    sticks = abs(T) <= mu * (1 + e) * vn
    if not sticks:
        T = np.copysign(mu * (1 + e) * vn, slip)
    return sticks, e * vn, vt - T, w + 5 * T / (2 * r)


@dataclass(frozen=True)
class RodStrike:
    """A rod's end after it met the floor: impulse (x, y), velocity of the middle (x, y), rate of turn, energy lost."""

    impulse: tuple[float, float]
    velocity: tuple[float, float]
    rate: float
    lost: float


def falling_rod(m: float, length: float, angle: float, v: float, e: float, *, stick: bool = False) -> RodStrike:
    """A uniform rod that falls without turning at speed v strikes the floor with its left end.

    `angle` is from the floor up to the rod, counter-clockwise. Smooth floor: J = (1 + e) m v/(1 + 3 cos^2 angle), rate
    -6 J cos(angle)/(m length). Edge or rough floor (stick): for the end's velocity to be (0, e v), the angular momentum
    about it gives the rate -3 (1 + e) v cos(angle)/(2 length).
    """
    c, s = np.cos(angle), np.sin(angle)
    if not stick:
        J = (1 + e) * m * v / (1 + 3 * c**2)
        w = -6 * J * c / (m * length)
        after = (0.0, J / m - v)
        return RodStrike((0.0, J), after, w, J * (1 - e) * v / 2)
    w = -1.5 * (1 + e) * v * c / length
    after = (-w * length / 2 * s, e * v + w * length / 2 * c)
    impulse = (m * after[0], m * (after[1] + v))
    return RodStrike(impulse, after, w, impulse[1] * (1 - e) * v / 2)


def falling_chain(m: float, v: float) -> tuple[float, tuple[float, float, float], float]:
    """Two equal uniform rods (m each), hinged and straight, fall level at v; the free end of the first strikes, plastic.

    A rod's end gives way by 4/m at itself and by -2/m at the other end. The hinge impulse X = J/4, the struck end gives
    way by 7/(2 m): J = 2 m v/7. Returns J, the upward velocities of struck end, hinge and far end, and the energy lost.
    """
    J = 2 * m * v / 7
    X = J / 4
    return J, (0.0, -v - 4 * X / m, -v + 2 * X / m), J * v / 2


def bent_chain(
    m: float, length: float, angles: tuple[float, float], v: float, e: float, *, stick: bool = False
) -> tuple[Array, Array, float]:
    """Two equal uniform rods, hinged, at absolute angles from the floor, fall without turning at v; the first's end strikes.

    Maximal coordinates (x, y, angle of each rod), the hinge and the struck end as constraints of the velocities after:
    M (V+ - V-) = G^T impulses, G V+ = (0, 0 at the hinge; e v upward at the end, and 0 along the floor if it sticks).
    Returns V+ (six numbers), the impulses (hinge x, y on the first rod, floor y, floor x if it sticks), the energy lost.
    """
    I = m * length**2 / 12
    M = np.diag([m, m, I, m, m, I])
    (s1, s2), (c1, c2) = np.sin(angles) * length / 2, np.cos(angles) * length / 2
    hinge = [[1.0, 0, -s1, -1, 0, -s2], [0, 1.0, c1, 0, -1, c2]]
    end = [[0, 1.0, -c1, 0, 0, 0], [1.0, 0, s1, 0, 0, 0]]
    G = np.array(hinge + end[: 2 if stick else 1])
    before = np.array([0, -v, 0, 0, -v, 0], dtype=float)
    wanted = np.array([0, 0, e * v, 0][: len(G)])
    impulses = np.linalg.solve(G @ np.linalg.solve(M, G.T), wanted - G @ before)
    after = before + np.linalg.solve(M, G.T @ impulses)
    return after, impulses, float(before @ M @ before - after @ M @ after) / 2


def lock_on_axis(I1: float, w1: float, I2: float, w2: float) -> tuple[float, float]:
    """Two bodies on one free axis are locked together: the common rate, and the energy lost."""
    return (I1 * w1 + I2 * w2) / (I1 + I2), I1 * I2 / (I1 + I2) * (w1 - w2) ** 2 / 2


def dock(a: Body, b: Body) -> tuple[Body, float]:
    """Two free bodies become one (docking, or a joint between them that locks): both momenta stay. The energy lost too."""
    mass = a.mass + b.mass
    centre = (a.mass * a.centre + b.mass * b.centre) / mass
    velocity = (a.mass * a.velocity + b.mass * b.velocity) / mass
    inertia, spin = np.zeros((3, 3)), np.zeros(3)
    for body in (a, b):
        r = body.centre - centre
        inertia = inertia + body.inertia - body.mass * cross_matrix(r) @ cross_matrix(r)
        spin = spin + body.inertia @ body.omega + body.mass * np.cross(r, body.velocity - velocity)
    one = Body(mass, inertia, centre, velocity, np.linalg.solve(inertia, spin))
    return one, a.energy + b.energy - one.energy


def lock_in_plane(
    m1: float, I1: float, arm1: float, w1: float, m2: float, I2: float, arm2: float, w2: float, angle: float
) -> tuple[float, float]:
    """Two free bodies hinged in the plane, mass centres at arm1 and arm2 from the hinge, are locked at an angle.

    `angle` is between the directions from the hinge to the two mass centres. Returns the common rate, and the energy lost:
    with the reduced mass m, J_i = I_i + m arm_i^2 and the coupling c = m arm1 arm2 cos(angle), the energy about the common
    mass centre is (J1 w1^2 + J2 w2^2 - 2 c w1 w2)/2 and the momentum (J1 - c) w1 + (J2 - c) w2 stays.
    """
    m = m1 * m2 / (m1 + m2)
    J1, J2, c = I1 + m * arm1**2, I2 + m * arm2**2, m * arm1 * arm2 * np.cos(angle)
    w = ((J1 - c) * w1 + (J2 - c) * w2) / (J1 + J2 - 2 * c)
    return float(w), float((J1 * J2 - c**2) / (J1 + J2 - 2 * c) * (w1 - w2) ** 2 / 2)
