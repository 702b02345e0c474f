"""A rattleback: a body with an ellipsoidal bottom and skewed inertia axes that rolls without slip on a plane.

In body axes: g the unit vector of the upward vertical, w the angular velocity, s the mass centre from the ellipsoid's
centre, a = (a1, a2, a3) the semi-axes. The lowest point is at p and the contact from the mass centre at r,

    p = -(a1^2 g1, a2^2 g2, a3^2 g3)/e ,  e = |(a1 g1, a2 g2, a3 g3)| ,  r = p - s ,   g' = g x w.               (1)

No slip: the mass centre moves with v = r x w. With the central inertia matrix I, mass m and the contact force F,
m (v' + w x v) = F - m G g and I w' + w x I w = r x F, so that

    [I + m (r.r 1 - r r^T)] w' = -w x I w + m r x [r' x w + w x (r x w) + G g]                                    (2)
    F = m [r' x w + r x w' + w x (r x w) + G g].

Energy w.Iw/2 + m v.v/2 - m G r.g is constant. The spin is w.g.

Source: equations by Newton and Euler; data of the class of T. R. Kane and D. A. Levinson, "Realistic mathematical modeling
of the rattleback", Int. J. Non-Linear Mechanics 17 (1982) 175: semi-axes 20, 3, 2 cm, mass centre 1 cm below the
ellipsoid's centre, inertia 2, 16, 17 kg cm^2 with a product 0.2 kg cm^2 in the horizontal plane, 1 kg; no damping here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rattleback:
    """Mass, semi-axes, mass centre from the ellipsoid's centre, central inertia (I11, I22, I33, I12); SI units."""

    mass: float = 1.0
    axes: tuple[float, float, float] = (0.2, 0.03, 0.02)
    centre: tuple[float, float, float] = (0.0, 0.0, -0.01)
    inertia: tuple[float, float, float, float] = (2e-4, 1.6e-3, 1.7e-3, -2e-5)
    gravity: float = 9.81

    @property
    def matrix(self) -> Array:
        """Central inertia matrix, body axes."""
        a, b, c, d = self.inertia
        return np.array([[a, d, 0.0], [d, b, 0.0], [0.0, 0.0, c]])

    def contact(self, g: ArrayLike, rate: ArrayLike | None = None) -> tuple[Array, Array]:
        """r of (1), and its derivative in body axes for g' = rate."""
        up = np.asarray(g, dtype=float)
        squares = np.array(self.axes) ** 2
        e = np.sqrt(squares @ up**2)
        r = -squares * up / e - np.array(self.centre)
        if rate is None:
            return r, np.zeros(3)
        d = np.asarray(rate, dtype=float)
        return r, -squares * d / e + squares * up * (squares @ (up * d)) / e**3

    def rhs(self, t: float, y: ArrayLike) -> Array:
        """Return y' of y = (R of the body by rows, x, y, z of the mass centre, w) by (1) and (2)."""
        y = np.asarray(y, dtype=float)
        R, w = y[:9].reshape(3, 3), y[12:]
        r, _, dw, _ = self._motion(R[2], w)
        skew = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        return np.concatenate([(R @ skew).ravel(), R @ np.cross(r, w), dw])

    def _motion(self, g: Array, w: Array) -> tuple[Array, Array, Array, Array]:
        """r, r', w' and F in body axes."""
        r, dr = self.contact(g, np.cross(g, w))
        rest = np.cross(dr, w) + np.cross(w, np.cross(r, w)) + self.gravity * g
        about = self.matrix + self.mass * (r @ r * np.eye(3) - np.outer(r, r))
        dw = np.linalg.solve(about, -np.cross(w, self.matrix @ w) + self.mass * np.cross(r, rest))
        return r, dr, dw, self.mass * (rest + np.cross(r, dw))

    def start(self, roll: float, pitch: float, w: ArrayLike) -> Array:
        """The state turned by `roll` about x, then by `pitch` about the body's y, above the origin, with body rates w."""
        s1, c1, s2, c2 = np.sin(roll), np.cos(roll), np.sin(pitch), np.cos(pitch)
        R = np.array([[1, 0, 0], [0, c1, -s1], [0, s1, c1]]) @ np.array([[c2, 0, s2], [0, 1, 0], [-s2, 0, c2]])
        r, _ = self.contact(R[2])
        return np.concatenate([R.ravel(), [0.0, 0.0, -r @ R[2]], np.asarray(w, dtype=float)])

    def energy(self, y: ArrayLike) -> float:
        """Kinetic energy and weight times height, constant."""
        y = np.asarray(y, dtype=float)
        g, w = y[6:9], y[12:]
        r, _ = self.contact(g)
        v = np.cross(r, w)
        return float((w @ self.matrix @ w + self.mass * v @ v) / 2 - self.mass * self.gravity * r @ g)

    def spin(self, y: ArrayLike) -> float:
        """Angular velocity about the vertical, w.g."""
        y = np.asarray(y, dtype=float)
        return float(y[6:9] @ y[12:])

    def contact_force(self, y: ArrayLike) -> Array:
        """Force of the plane on the body, inertial axes."""
        y = np.asarray(y, dtype=float)
        R = y[:9].reshape(3, 3)
        return R @ self._motion(R[2], y[12:])[3]

    def small_frequencies(self) -> Array:
        """Circular frequencies of rocking about rest on the long axis's plane, by (2) linearised at w = 0, g = z.

        With small turns (p, q) about x and y, g = (-q, p, 1): the torque about the contact is that of the mass centre's
        shift over the contact, -m G diag(R2 - h, R1 - h) (p, q), R_i = a_i^2/a3 and h the height of the mass centre.
        """
        h = self.axes[2] + self.centre[2]
        about = self.matrix[:2, :2] + self.mass * h**2 * np.eye(2)
        radii = np.array([self.axes[1] ** 2, self.axes[0] ** 2]) / self.axes[2]
        K = self.mass * self.gravity * np.diag(radii - h)
        return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(about, K)).real))


def reference(
    times: ArrayLike, spin: float = -2.0, tilt: float = np.radians(0.5), stone: Rattleback | None = None
) -> tuple[Array, Array]:
    """Rows (t, spin, w1, w2, w3, g1, g2, contact force up) of a motion, and the zeros of the spin up to the last time.

    It starts turned by `tilt` about x, then about the body's y, with w = (0, 0, spin).
    """
    stone = Rattleback() if stone is None else stone
    times = np.asarray(times, dtype=float)
    start = stone.start(tilt, tilt, (0.0, 0.0, spin))

    def zero(t: float, y: Array) -> float:
        return stone.spin(y)

    s = solve_ivp(stone.rhs, (0, times[-1]), start, method="DOP853", rtol=1e-13, atol=1e-15, t_eval=times, events=zero)
    rows = [[stone.spin(y), *y[12:], *y[6:8], stone.contact_force(y)[2]] for y in s.y.T]
    return np.column_stack([times, rows]), s.t_events[0]
