"""A chain of thin rods that hangs in water, by Lagrange's equations in absolute angles.

Rod i has the angle t_i from the vertical, the unit vectors e_i along it (downwards) and n_i across. A place of it, s from
its upper end, moves at v = sum_j<i l n_j t_j' + s n_i t_i' = J t'. The water that moves along has kinetic energy of the
speed across alone, so that

    T = 1/2 t'^T M(t) t' ,   M = int m J^T J + m_a (n_i.J)^T (n_i.J) ds ,   V = -int w z ds                            (1)
    M t'' = dT/dt - M' t' - dV/dt + int J^T drag ds ,   drag = -k_n |v_n| v_n n_i - k_t |v_t| v_t e_i .                  (2)

M' by a complex step along t'. With the speeds v_t and v_n along e_i and n_i, dv_t/dt_k = [i = k] v_n - n_i.J_k t_k' and
dv_n/dt_k = -[i = k] v_t + e_i.J_k t_k' give dT/dt. Integrals by six Gauss points on a rod. Nothing here is recursive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass
class Chain:
    length: float
    mass: float  # per length
    moved: float  # mass of water that goes along, per length
    weight: float  # in water, per length
    normal: float  # k_n, drag across per length and squared speed
    tangential: float  # k_t
    n: int

    def __post_init__(self) -> None:
        self.l = self.length / self.n
        self.s, self.ds = self.l * (POINTS + 1) / 2, self.l * WEIGHTS / 2
        before = np.tri(self.n, k=-1)
        self.reach = self.l * before[:, None, :] + self.s[None, :, None] * np.eye(self.n)[:, None, :]  # rod, point, angle

    def columns(self, theta: Array) -> tuple[Array, Array]:
        """Components of J along e_i and n_i, (rod, point, angle)."""
        apart = theta[:, None] - theta[None, :]  # n_j = -sin(t_j - t_i) e_i + cos(t_j - t_i) n_i
        return self.reach * np.sin(apart)[:, None, :], self.reach * np.cos(apart)[:, None, :]

    def matrix(self, theta: Array) -> Array:
        """M(t)."""
        along, across = (x.reshape(-1, self.n) for x in self.columns(theta))
        ds = np.tile(self.ds, self.n)[:, None]
        return np.asarray(self.mass * along.T @ (ds * along) + (self.mass + self.moved) * across.T @ (ds * across))

    def rhs(self, t: float, y: Array) -> Array:
        theta, rate = np.split(y, 2)
        along, across = self.columns(theta)
        vt, vn = along @ rate, across @ rate
        change = self.matrix(theta + 1e-30j * rate).imag / 1e-30 @ rate
        pt, pn = self.mass * self.ds * vt, (self.mass + self.moved) * self.ds * vn
        kinetic = (pt * vn - pn * vt).sum(axis=1)
        kinetic -= (np.einsum("ip,ipk->k", pt, across) - np.einsum("ip,ipk->k", pn, along)) * rate
        drag = -np.einsum("p,ip,ipj->j", self.tangential * self.ds, np.abs(vt) * vt, along)
        drag -= np.einsum("p,ip,ipj->j", self.normal * self.ds, np.abs(vn) * vn, across)
        beyond = self.n - 1 - np.arange(self.n)
        pull = -self.weight * self.l**2 * (beyond + 0.5) * np.sin(theta)
        return np.concatenate([rate, np.linalg.solve(self.matrix(theta), kinetic - change + pull + drag)])

    def tip(self, angle: float, times: Array) -> Array:
        """Places (x, z) of the lower end, let go straight at an angle from the vertical."""
        start = np.r_[np.full(self.n, angle), np.zeros(self.n)]
        found = solve_ivp(self.rhs, (0, times[-1]), start, "LSODA", times, rtol=1e-8, atol=1e-9).y[: self.n]
        return self.l * np.column_stack([np.sin(found).sum(axis=0), -np.cos(found).sum(axis=0)])
