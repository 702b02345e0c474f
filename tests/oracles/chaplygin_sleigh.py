"""Chaplygin's sleigh: a body on a horizontal plane, on a knife edge that lets it slide along itself only.

The blade is at the point A, along the body's x axis; the mass centre is at a ahead of A. u is the velocity of A (along the
blade), w the rate of turn, m the mass and I the central inertia. With k^2 = (I + m a^2)/m,

    u' = a w^2 ,   k^2 w' = -a u w ,   side force on the blade  N = m (u w + a w') = m u w I/(I + m a^2).          (1)

Energy m (u^2 + k^2 w^2)/2 = m V^2/2 is constant, and with l = a V/k^2

    u = V tanh l(t - t0) ,  k w = V sech l(t - t0) ,  heading = heading(t0) + (k/a) gd l(t - t0)                   (2)

where gd x = arcsin tanh x. From t = 0 on the sleigh still turns by (k/a) arccos(u(0)/V), and it ends with its mass centre
leading, whatever the start.

Source: S. A. Chaplygin (1911); Neimark and Fufaev, Dynamics of Nonholonomic Systems, chapter 3. Solution derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sleigh:
    """Mass, central inertia about the vertical, distance a > 0 of the mass centre ahead of the blade; SI units.

    The start: velocity u0 of the blade along itself and rate of turn w0, heading 0, blade at the origin.
    """

    mass: float
    inertia: float
    ahead: float
    u0: float
    w0: float

    @property
    def gyration(self) -> float:
        """k, the radius of gyration about the blade."""
        return float(np.sqrt(self.inertia / self.mass + self.ahead**2))

    @property
    def speed(self) -> float:
        """V, the speed that is left when the turning has died away."""
        return float(np.hypot(self.u0, self.gyration * self.w0))

    @property
    def rate(self) -> float:
        """l = a V/k^2."""
        return self.ahead * self.speed / self.gyration**2

    @property
    def middle(self) -> float:
        """t0, when u changes its sign."""
        return -float(np.arctanh(self.u0 / self.speed)) / self.rate

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """u, w and heading at the times t, (2)."""
        x = self.rate * (np.asarray(t, dtype=float) - self.middle)
        side = np.copysign(1.0, self.w0)
        heading = side * self.gyration / self.ahead * (np.arcsin(np.tanh(x)) - np.arcsin(self.u0 / self.speed))
        return self.speed * np.tanh(x), side * self.speed / self.gyration / np.cosh(x), heading

    def position(self, t: float) -> Array:
        """Where the blade is at time t, by quadrature of u (cos heading, sin heading)."""
        parts = []
        for f in (np.cos, np.sin):
            value, _ = quad(lambda s, f=f: float(self.motion(s)[0] * f(self.motion(s)[2])), 0.0, t, epsabs=1e-13, limit=400)
            parts.append(value)
        return np.array(parts)

    def side_force(self, t: ArrayLike) -> Array:
        """Force on the blade along the body's y axis, (1)."""
        u, w, _ = self.motion(t)
        return self.mass * u * w * self.inertia / (self.inertia + self.mass * self.ahead**2)

    @property
    def total_turn(self) -> float:
        """Heading in the end, (k/a) arccos(u0/V)."""
        return float(np.copysign(self.gyration / self.ahead * np.arccos(self.u0 / self.speed), self.w0))

    def rhs(self, t: float, y: ArrayLike) -> Array:
        """Return y' of y = (x, y of the blade, heading, u, w) by (1)."""
        _, _, heading, u, w = np.asarray(y, dtype=float)
        a, k = self.ahead, self.gyration
        return np.array([u * np.cos(heading), u * np.sin(heading), w, a * w**2, -a * u * w / k**2])
