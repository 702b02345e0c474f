"""A beam that is extruded from a rigid base, in the plane: the base turns as given, or floats freely.

Outside is the length l(t), U = l'; the rest, L - l, is mass in the exit, where what leaves it takes up the speed U. The
beam outside is linear, v = sum phi_i(x/l) q_i in modes of a cantilever of the present length. A particle has moved from
them by U (1 - x/l), so that with g = U (1 - x/l)/l, ' the derivative of phi by x/l,

    Dv = phi q' + g phi' q ,   D^2 v = phi q'' + 2 g phi' q' + [g^2 phi'' + (U' - 2 U^2/l)(1 - x/l)/l phi'] q .          (1)

A is the acceleration of the base's origin in its own axes, W its rate, e the place of the exit on its x axis. Across and
along the beam, per mass, to first order in v,

    a_y = A_y + W' (e + x) + 2 W U + D^2 v - W^2 v ,   a_x = A_x + U' - W^2 (e + x) - W' v - 2 W Dv ,                  (2)

the tension is N = -int_x^l m (A_x + U' - W^2 (e + x)), and with the material's time constant tau

    m a_y = (N v')' - EI (v + tau Dv)'''' .                                                                          (3)

On a base that floats freely the force and the moment about its origin vanish, with its own mass (centred at the origin) and
inertia, the mass in the exit, and m U^2 along x of what leaves. On a base that turns as given what is inside plays no part.
Terms of second order in v are left out. No part of the package is used.
Ref: Tabarrok, Leech and Kim, J. Franklin Institute 297 (1974) 201, for the linear extruding beam.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = np.ndarray
Length = Callable[[float], tuple[float, float, float]]  # l, l' and l'' at a time


@dataclass
class Base:
    """That floats freely: mass, kg, inertia about its mass centre, kg m^2, and where on its x axis the exit is, m."""

    mass: float
    inertia: float
    exit: float = 0.0


class ExtrudingBeam:
    """Args: EI, mass per length, length of the whole beam, time constant of the material, number of modes, and the base
    (None: it turns at a constant rate, which is given to `motion`)."""

    def __init__(
        self, EI: float, m: float, total: float, tau: float = 0.0, modes: int = 8, base: Base | None = None
    ) -> None:
        self.EI, self.m, self.total, self.tau, self.base, self.n = EI, m, total, tau, base, modes
        x, w = np.polynomial.legendre.leggauss(80)
        self.x, self.w = (x + 1) / 2, w / 2
        roots = [
            brentq(lambda b: np.cos(b) + 1 / np.cosh(b), (k + 0.5) * np.pi - 1.0, (k + 0.5) * np.pi + 1.0)
            for k in range(modes)
        ]
        self.f, self.f1, self.f2 = (np.array([self._mode(b, self.x, d) for b in roots]) for d in (0, 1, 2))
        self.tip = np.array([self._mode(b, np.ones(1), 0)[0] for b in roots])
        between = lambda a, b, by=1.0: (a * (self.w * by)) @ b.T
        far = 1 - self.x
        self.M, self.K = between(self.f, self.f), between(self.f2, self.f2)
        self.C = between(self.f, self.f1, far)
        self.G = between(self.f, self.f2, far**2)
        # tension: parts of int_x^l m dx and of int_x^l m x dx over m l and m l^2
        self.N0, self.N1 = between(self.f1, self.f1, far), between(self.f1, self.f1, (1 - self.x**2) / 2)
        self.p0, self.p1 = self.f @ self.w, self.f @ (self.w * self.x)
        self.c0, self.c1 = self.f1 @ (self.w * far), self.f1 @ (self.w * far * self.x)
        self.g0, self.g1 = self.f2 @ (self.w * far**2), self.f2 @ (self.w * far**2 * self.x)
        third = np.array([self._mode(b, self.x, 3) for b in roots])
        # (g phi')'' = U/l (far phi''' - 2 phi'')
        self.D = between(self.f2, far * third - 2 * self.f2)

    @staticmethod
    def _mode(b: float, x: Array, d: int) -> Array:
        """The d-th derivative of a cantilever's mode, scaled so that its square has the integral 1."""
        # exponentials that do not overflow: cosh - s sinh = exp(-bx) + (1 - s) sinh
        s = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
        less = (np.sinh(b) + np.sin(b) - np.cosh(b) - np.cos(b)) / (np.sinh(b) + np.sin(b))  # 1 - s
        grow, fall = np.exp(b * x) * less / 2, np.exp(-b * x) * (1 + s) / 2
        waves = (
            -np.cos(b * x) + s * np.sin(b * x),
            np.sin(b * x) + s * np.cos(b * x),
            np.cos(b * x) - s * np.sin(b * x),
            -np.sin(b * x) - s * np.cos(b * x),
        )[d]
        return np.asarray(b**d * (grow + (-1) ** d * fall + waves))

    def rates(self, t: float, y: Array, length: Length, rate: float) -> Array:
        """y is q, q'; on a base that floats also X, Y, angle and their rates, X and Y in axes of N."""
        n, m, EI = self.n, self.m, self.EI
        q, p = y[:n], y[n : 2 * n]
        l, U, push = length(t)
        base = self.base
        e, W = (base.exit, y[2 * n + 5]) if base else (0.0, rate)
        k = (push - 2 * U * U / l) / l
        flow = (U / l) ** 2 * self.G + k * self.C
        # int phi (D^2 v - phi q'') over m l
        moving = 2 * U / l * self.C @ p + flow @ q
        stiff = EI / l**3 * (self.K @ q + self.tau * (self.K @ p + U / l * self.D @ q))
        pull = -(push * l * self.N0 - W**2 * (e * l * self.N0 + l * l * self.N1)) * m / l  # of N but for A_x
        left = -m * l * (moving + self.p0 * 2 * W * U - W**2 * self.M @ q) - stiff - pull @ q
        if base is None:
            return np.concatenate([p, np.linalg.solve(m * l * self.M, left)])
        return self._floating(y, l, U, push, left, k)

    def _floating(self, y: Array, l: float, U: float, push: float, left: Array, k: float) -> Array:
        """Unknown are q'', A_x, A_y, W'."""
        assert self.base is not None
        n, m, L, base = self.n, self.m, self.total, self.base
        e, (q, p), (angle, vx, vy, W) = base.exit, (y[:n], y[n : 2 * n]), y[2 * n + 2 :]
        whole, inside = m * L, m * (L - l)
        out, out1 = m * l, m * l * (e + l / 2)  # of what is outside, straight: mass, int x
        first, second = inside * e + out1, inside * e**2 + m * ((e + l) ** 3 - e**3) / 3
        arm0, arm1 = m * l * self.p0, m * l * (e * self.p0 + l * self.p1)  # int phi, int (e + x) phi
        bend = (U / l) ** 2 * self.g0 + k * self.c0, (U / l) ** 2 * self.g1 + k * self.c1
        D0 = m * l * (2 * U / l * self.c0 @ p + bend[0] @ q)  # int D^2 v - phi q''
        D1 = e * D0 + m * l * l * (2 * U / l * self.c1 @ p + bend[1] @ q)
        v0, Dv0 = arm0 @ q, m * l * (self.p0 @ p + U / l * self.c0 @ q)
        M = np.zeros((n + 3, n + 3))
        M[:n, :n] = m * l * self.M
        M[:n, n] = -m * self.N0 @ q  # N v' of A_x
        M[:n, n + 1], M[:n, n + 2] = arm0, arm1
        M[n, n], M[n, n + 2] = base.mass + whole, -v0
        M[n + 1, :n], M[n + 1, n + 1], M[n + 1, n + 2] = arm0, base.mass + whole, first
        M[n + 2, :n], M[n + 2, n], M[n + 2, n + 1] = arm1, -v0, first
        M[n + 2, n + 2] = base.inertia + second
        rest = np.concatenate(
            [
                left,
                [
                    -out * push - m * U * U + W**2 * first + 2 * W * Dv0,
                    -(out * 2 * W * U + D0 - W**2 * v0),
                    # the terms W^2 (e + x) v of both directions cancel
                    -(out1 * 2 * W * U + D1 - v0 * push),
                ],
            ]
        )
        found = np.linalg.solve(M, rest)
        c, s = np.cos(angle), np.sin(angle)
        ax, ay = found[n], found[n + 1]
        return np.concatenate([p, found[:n], [vx, vy, W, c * ax - s * ay, s * ax + c * ay, found[n + 2]]])

    def motion(self, times: Array, length: Length, rate: float, breaks: tuple[float, ...] = ()) -> Array:
        """Rows at the times: deflection of the tip; on a base that floats also X, Y and the angle.

        The beam begins straight and at rest on a base that turns with `rate`; one that floats begins at the origin with its
        axes along those of N, and the mass centre of all stays where it is. At `breaks` the length's second rate jumps.
        """
        y = np.zeros(2 * self.n)
        if self.base:
            l, U, _ = length(0.0)
            share = self.m * self.total / (self.base.mass + self.m * self.total)
            at = share * (self.base.exit + l * l / (2 * self.total))  # of the mass centre
            y = np.concatenate([y, [0, 0, 0, -share * U * l / self.total, -rate * at, rate]])
        rows, begin = [], 0.0
        for end in (*breaks, float(times[-1])):
            own = times[(times >= begin) & (times <= end if end == times[-1] else times < end)]
            given = {"args": (length, rate), "rtol": 1e-8, "atol": 1e-11, "t_eval": np.union1d(own, [end])}
            found = solve_ivp(self.rates, (begin, end), y, "Radau", **given).y.T
            rows.append(found[: len(own)])
            y, begin = found[-1], end
        found = np.concatenate(rows)
        return np.column_stack([found[:, : self.n] @ self.tip, found[:, 2 * self.n : 2 * self.n + 3]])
