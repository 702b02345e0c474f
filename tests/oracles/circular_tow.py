"""A cable with a vehicle at its end behind a ship on a circle, steady: a boundary value problem in axes that turn with it.

With s from the vehicle up, r the place from the axis of the circle, F the force of what is above on what is below, t its
direction, the ship's rate w about z, a = -w^2 (x, y, 0), u = -w z x r the water relative to the cable, u_t and u_n its
parts,

    r' = t ,   F' = m a + m_a (a - (a.t) t) + W z - rho d/2 (Cn |u_n| u_n + pi Ct |u_t| u_t)                             (1)
    F(0) = M a + D z - rho A/2 |u| u ,   r(L) = (R, 0, 0) .                                                            (2)

W is the weight per length in water, D that of the vehicle, M its mass, A its drag area. By SciPy's solve_bvp; no part of the
package is used.
Ref: Choo and Casarella, J. Hydronautics 6 (1972) 51 (configuration of a towline on a circular path), for the problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_bvp

Array = np.ndarray


@dataclass
class Tow:
    """Data of (1) and (2); SI."""

    radius: float
    speed: float
    length: float
    mass: float  # per length
    moved: float  # of water, per length
    weight: float  # per length, in water
    normal: float  # rho d Cn/2
    tangential: float  # rho d pi Ct/2
    vehicle: float
    down: float
    area: float  # rho A/2

    def around(self, r: Array) -> tuple[Array, Array]:
        """a and u at places (3, n)."""
        w = self.speed / self.radius
        return -(w**2) * np.array((r[0], r[1], 0 * r[0])), -w * np.array((-r[1], r[0], 0 * r[0]))

    def slope(self, s: Array, y: Array) -> Array:
        r, F = y[:3], y[3:]
        t, (a, u) = F / np.linalg.norm(F, axis=0), self.around(r)
        ut = (u * t).sum(axis=0) * t
        un = u - ut
        drag = self.normal * np.linalg.norm(un, axis=0) * un + self.tangential * np.linalg.norm(ut, axis=0) * ut
        inertia = self.mass * a + self.moved * (a - (a * t).sum(axis=0) * t)
        up = np.array((0 * r[0], 0 * r[0], 0 * r[0] + self.weight))
        return np.concatenate([t, inertia + up - drag])

    def ends(self, low: Array, high: Array) -> Array:
        a, u = self.around(low[:3])
        load = self.vehicle * a + np.array((0, 0, self.down)) - self.area * np.linalg.norm(u) * u
        return np.concatenate([low[3:] - load, high[:3] - (self.radius, 0, 0)])

    def solve(self) -> Array:
        """Places and forces (6, n) from the vehicle up, at 101 places evenly along the cable: hanging, then by degrees."""
        s = np.linspace(0, self.length, 101)
        y = np.zeros((6, 101))
        y[0], y[2], y[5] = self.radius, s - self.length, self.down + self.weight * s
        for part in np.linspace(0.1, 1.0, 10):
            slower = Tow(**{**self.__dict__, "speed": part * self.speed})
            found = solve_bvp(slower.slope, slower.ends, s, y, tol=1e-9 if part == 1 else 1e-4, max_nodes=50000)
            assert found.success, found.message
            y = found.sol(s)
        return np.asarray(y)
