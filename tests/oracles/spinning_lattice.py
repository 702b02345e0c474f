"""A lattice of pinned elastic bars on a turning hub, geometrically exact: nodes are points, bars are springs at any
rotation.

With x the nodes' positions in the axes of the hub, which turns at W(t) about z, J = z x, and the bars' consistent mass
matrix M (exact for a bar whose points move linearly between its ends, whatever its rotation),

    M [x'' + 2 W J x' + (W' J - W^2 P) x] + sum of bar forces = 0 ,   force of a bar = EA (l - l0)/l0 along it ,       (1)

P taking out z. `linear=True` replaces the bar forces by those of the stiffness at rest, K u: what finite elements in a
turning frame give when nothing tells them of the centrifugal load. Time steps: average acceleration, second order, with
Newton's iteration. Nothing here knows modes, second-order displacements or geometric stiffness as such.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]


@dataclass
class Lattice:
    bays: int = 8
    bay: float = 1.5
    radius: float = 0.15
    hub: float = 0.5
    EA: tuple[float, float, float] = (2.5e5, 1e5, 1e5)  # longerons, battens, diagonals
    mass: tuple[float, float, float] = (0.05, 0.02, 0.02)  # per length
    feed: tuple[float, float, float] = (0.6, 0.3, 0.3)

    def __post_init__(self) -> None:
        places, bars = [], []
        for k in range(self.bays + 1):
            for i in range(3):
                angle = math.pi / 2 + 2 * math.pi * i / 3
                places.append((self.hub + k * self.bay, self.radius * math.cos(angle), self.radius * math.sin(angle)))
                bars.append((3 * k + i, 3 * k + (i + 1) % 3, 1))
                if k < self.bays:
                    bars.append((3 * k + i, 3 * k + 3 + i, 0))
                    bars.append((3 * k + i, 3 * k + 3 + (i + 1) % 3, 2))
                    bars.append((3 * k + (i + 1) % 3, 3 * k + 3 + i, 2))
        self.x0 = np.array(places)
        self.a, self.b, kind = np.array(bars).T
        self.l0 = np.linalg.norm(self.x0[self.b] - self.x0[self.a], axis=1)
        self.stiff = np.array(self.EA)[kind]
        per_bar = np.array(self.mass)[kind] * self.l0
        n = len(self.x0)
        scalar = np.zeros((n, n))
        for a, b, m in zip(self.a, self.b, per_bar, strict=True):
            scalar[np.ix_([a, b], [a, b])] += m / 6 * np.array([[2, 1], [1, 2]])
        scalar[range(n - 3, n), range(n - 3, n)] += self.feed
        self.M = np.kron(scalar, np.eye(3))
        self.MJ = np.kron(scalar, np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]]))
        self.MP = np.kron(scalar, np.diag([1.0, 1, 0]))
        self.free = slice(9, None)
        self.K0 = self.forces(self.x0.ravel())[1]

    def forces(self, x: Array) -> tuple[Array, Array]:
        """Forces that the bars resist with, and their tangent."""
        p = x.reshape(-1, 3)
        d = p[self.b] - p[self.a]
        l = np.linalg.norm(d, axis=1)
        e = d / l[:, None]
        N = self.stiff * (l - self.l0) / self.l0
        f = np.zeros_like(p)
        np.add.at(f, self.a, -N[:, None] * e)
        np.add.at(f, self.b, N[:, None] * e)
        along = np.einsum("ni,nj->nij", e, e)
        k = (self.stiff / self.l0)[:, None, None] * along + (N / l)[:, None, None] * (np.eye(3) - along)
        K = np.zeros((len(p), 3, len(p), 3))
        for s, t, sign in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            np.add.at(K, (s, slice(None), t, slice(None)), sign * k)
        return f.ravel(), K.reshape(x.size, x.size)

    def frequencies(self, W: float, count: int) -> Array:
        """Frequencies of small motion about steady spin, gyroscopic terms included, rad/s."""
        x = self.x0.ravel().copy()
        for part in np.linspace(0.25, 1, 4):
            for _ in range(30):
                f, K = self.forces(x)
                spin = (part * W) ** 2 * self.MP
                change = np.linalg.solve((K - spin)[9:, 9:], (spin @ x - f)[9:])
                x[9:] += change
                if np.abs(change).max() < 1e-12:
                    break
        K = (self.forces(x)[1] - W**2 * self.MP)[9:, 9:]
        M, G = self.M[9:, 9:], 2 * W * self.MJ[9:, 9:]
        n = len(K)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-linalg.solve(M, K), -linalg.solve(M, G)]])
        values = linalg.eigvals(A).imag
        return np.sort(values[values > 0])[:count]

    def spin_up(self, rate: float, time: float, duration: float, step: float, linear: bool = False) -> tuple[Array, Array]:
        """Times, and the displacements (3, 3) of the last three nodes in the hub's axes, from rest."""
        x, v, a = self.x0.ravel().copy(), np.zeros(self.x0.size), np.zeros(self.x0.size)
        free, rows = self.free, [np.zeros((3, 3))]
        count = round(duration / step)
        for k in range(1, count + 1):
            t = min(k * step, time)
            turn = 2 * math.pi * t / time
            W, dW = rate * (turn - math.sin(turn)) / (2 * math.pi), rate / time * (1 - math.cos(turn))
            carried = dW * self.MJ - W**2 * self.MP
            new = a.copy()
            for _ in range(20):
                y, u = x + step * v + step**2 / 4 * (a + new), v + step / 2 * (a + new)
                f, K = (self.K0 @ (y - self.x0.ravel()), self.K0) if linear else self.forces(y)
                out = self.M @ new + 2 * W * self.MJ @ u + carried @ y + f
                J = self.M + step * W * self.MJ + step**2 / 4 * (carried + K)
                change = np.linalg.solve(J[free, free], out[free])
                new[free] -= change
                if np.abs(change).max() < 1e-9 * max(1.0, np.abs(new).max()):
                    break
            x, v, a = y, u, new
            rows.append((x.reshape(-1, 3) - self.x0)[-3:])
        return step * np.arange(count + 1), np.array(rows)


def motion(rate: float, time: float, duration: float, step: float, linear: bool = False) -> tuple[Array, Array]:
    """Times and displacements as by `spin_up`, with steps of two lengths extrapolated to none."""
    t, coarse = Lattice().spin_up(rate, time, duration, step, linear)
    _, fine = Lattice().spin_up(rate, time, duration, step / 2, linear)
    return t, fine[::2] + (fine[::2] - coarse) / 3
