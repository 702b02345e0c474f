"""A thin disk (or hoop) that rolls on a horizontal plane without slip.

Euler angles 3-1-3: heading phi about the upward vertical, tilt theta of the disk's axis from the vertical about the
horizontal line of nodes, spin psi about the axis; upright at theta = pi/2. Axes e1 along the nodes, e2 in the disk's plane
away from the contact, e3 along the axis. They turn with W = (theta', phi' sin theta, phi' cos theta), the disk with

    w = (w1, w2, w3) = (theta', phi' sin theta, psi' + phi' cos theta).

A and C are the inertias about a diameter and about the axis, m the mass, r the radius. The contact is at -r e2 from the
centre, so that the centre has the velocity (-r w3, 0, r w1); Newton's and Euler's equations, the contact force eliminated,
are with W3 = w2 cot theta

    (A + m r^2) w1' = A W3 w2 - (C + m r^2) w2 w3 - m g r cos theta                                             (1)
              A w2' = C w1 w3 - A W3 w1                                                                         (2)
    (C + m r^2) w3' = m r^2 w1 w2                                                                               (3)

and the contact force along e1, e2, e3 is

    F = m (-r w3' + r w1 w2,  -r W3 w3 - r w1^2 + g sin theta,  r w1' + r w2 w3 + g cos theta).                 (4)

Steady turns have w1 = 0, phi' = W: A W^2 sin theta cos theta - (C + m r^2) W w3 sin theta - m g r cos theta = 0.    (5)
Upright rolling at w3 = n wobbles at the circular frequency  k^2 = [C (C + m r^2) n^2 / A - m g r] / (A + m r^2).    (6)

Source: the classical problem (Routh, Advanced Rigid Dynamics, articles 243-245); derived here by Newton and Euler.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RollingDisk:
    """Mass, radius, inertias about a diameter (A) and about the axis (C), gravity; SI units."""

    mass: float
    radius: float
    A: float
    C: float
    gravity: float = 9.81

    @classmethod
    def uniform(cls, mass: float, radius: float, gravity: float = 9.81) -> RollingDisk:
        """A uniform thin disk: A = m r^2/4, C = m r^2/2."""
        return cls(mass, radius, mass * radius**2 / 4, mass * radius**2 / 2, gravity)

    @classmethod
    def hoop(cls, mass: float, radius: float, gravity: float = 9.81) -> RollingDisk:
        """A thin ring: A = m r^2/2, C = m r^2."""
        return cls(mass, radius, mass * radius**2 / 2, mass * radius**2, gravity)

    def rhs(self, t: float, y: ArrayLike) -> Array:
        """Return y' of y = (phi, theta, psi, x, y of the centre, w1, w2, w3) by (1)-(3); theta must stay off 0 and pi."""
        phi, theta, _, _, _, w1, w2, w3 = np.asarray(y, dtype=float)
        dw1, dw2, dw3 = self._accelerations(theta, w1, w2, w3)
        heading = w2 / np.sin(theta)
        along, across = -self.radius * w3, -self.radius * w1 * np.sin(theta)  # of the centre's velocity in the plane
        return np.array(
            [
                heading,
                w1,
                w3 - heading * np.cos(theta),
                along * np.cos(phi) - across * np.sin(phi),
                along * np.sin(phi) + across * np.cos(phi),
                dw1,
                dw2,
                dw3,
            ]
        )

    def _accelerations(self, theta: float, w1: float, w2: float, w3: float) -> tuple[float, float, float]:
        m, r, A, C = self.mass, self.radius, self.A, self.C
        turn = w2 / np.tan(theta)
        dw1 = (A * turn * w2 - (C + m * r**2) * w2 * w3 - m * self.gravity * r * np.cos(theta)) / (A + m * r**2)
        return dw1, (C * w3 - A * turn) * w1 / A, m * r**2 * w1 * w2 / (C + m * r**2)

    def energy(self, y: ArrayLike) -> float:
        """Kinetic energy and weight times the centre's height, constant."""
        _, theta, _, _, _, w1, w2, w3 = np.asarray(y, dtype=float)
        mr2 = self.mass * self.radius**2
        kinetic = ((self.A + mr2) * w1**2 + self.A * w2**2 + (self.C + mr2) * w3**2) / 2
        return float(kinetic + self.mass * self.gravity * self.radius * np.sin(theta))

    def rotation(self, y: ArrayLike) -> Array:
        """R of the disk: components along its axes (x, y in its plane, z its axis) to inertial components."""
        phi, theta, psi = np.asarray(y, dtype=float)[:3]
        return _nodes(phi, theta) @ _about_z(psi)

    def contact_force(self, y: ArrayLike) -> Array:
        """Force of the plane on the disk in inertial axes, (4)."""
        phi, theta, _, _, _, w1, w2, w3 = np.asarray(y, dtype=float)
        m, r, g = self.mass, self.radius, self.gravity
        dw1, _, dw3 = self._accelerations(theta, w1, w2, w3)
        a = np.array([r * (w1 * w2 - dw3), -r * (w2 / np.tan(theta) * w3 + w1**2), r * (dw1 + w2 * w3)])
        return _nodes(phi, theta) @ (m * (a + g * np.array([0.0, np.sin(theta), np.cos(theta)])))

    def contact_point(self, y: ArrayLike) -> Array:
        """Where the disk touches, x and y in the plane."""
        phi, theta, _, x, z, *_ = np.asarray(y, dtype=float)
        return np.array([x, z]) - self.radius * _nodes(phi, theta)[:2, 1]

    def steady_spin(self, theta: float, turn: float) -> float:
        """w3 of the steady turn with tilt theta and heading rate phi' = turn, by (5)."""
        m, r = self.mass, self.radius
        s, c = np.sin(theta), np.cos(theta)
        return float((self.A * turn**2 * s * c - m * self.gravity * r * c) / ((self.C + m * r**2) * turn * s))

    def steady_turns(self, theta: float, w3: float) -> tuple[float, ...]:
        """Heading rates phi' of steady turns with tilt theta and axial rate w3, the roots of (5), smaller first."""
        a = self.A * np.sin(theta) * np.cos(theta)
        b = -(self.C + self.mass * self.radius**2) * w3 * np.sin(theta)
        c = -self.mass * self.gravity * self.radius * np.cos(theta)
        square = b**2 - 4 * a * c
        if square < 0:
            return ()
        q = -(b + np.copysign(np.sqrt(square), b)) / 2
        return tuple(sorted((float(q / a), float(c / q)), key=abs))

    def circle(self, theta: float, turn: float) -> float:
        """Radius of the centre's circle in the steady turn, r |w3 / phi'|."""
        return self.radius * abs(self.steady_spin(theta, turn) / turn)

    def wobble(self, spin: float) -> float:
        """Circular frequency of small wobbles about upright rolling at the axial rate `spin`, (6); nan if unstable."""
        mr2 = self.mass * self.radius**2
        square = self.C * (self.C + mr2) * spin**2 / self.A - self.mass * self.gravity * self.radius
        return float(np.sqrt(square / (self.A + mr2))) if square >= 0 else float("nan")


def _about_z(angle: float) -> Array:
    s, c = np.sin(angle), np.cos(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _nodes(phi: float, theta: float) -> Array:
    """Columns e1, e2, e3 in inertial axes."""
    s, c = np.sin(theta), np.cos(theta)
    return _about_z(phi) @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


#: A uniform disk and a wobbling start, y as in `RollingDisk.rhs`.
DISK = RollingDisk.uniform(2.0, 0.3)
START = (0.0, 1.2, 0.0, 0.0, 0.0, 0.5, 0.4 * np.sin(1.2), 6.0)


def reference(times: ArrayLike, disk: RollingDisk = DISK, start: ArrayLike = START) -> Array:
    """Rows (t, theta, phi, x, y, w1, w3, contact force x, y, z) of a motion."""
    times = np.asarray(times, dtype=float)
    s = solve_ivp(disk.rhs, (0, times[-1]), start, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times)
    force = [disk.contact_force(y) for y in s.y.T]
    return np.column_stack([times, s.y[[1, 0, 3, 4, 5, 7]].T, force])
