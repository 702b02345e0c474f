"""The torque-free asymmetric body: Euler's equations solved exactly in Jacobi's elliptic functions.

    I1 w1' = (I2 - I3) w2 w3   and cyclic.                                                                   (1)

Let b be the axis of the middle inertia. If H^2 > 2 T I_b the angular velocity circles the axis of the greatest inertia,
otherwise that of the least: call it c, and the remaining axis a. Then

    w_a = A cn(tau, m) ,  w_b = s B sn(tau, m) ,  w_c = s D dn(tau, m) ,   tau = tau_0 + n t                  (2)

    A^2 = (2 T I_c - H^2) / (I_a (I_c - I_a)) ,  B^2 = (2 T I_c - H^2) / (I_b (I_c - I_b)) ,
    D^2 = (H^2 - 2 T I_a) / (I_c (I_c - I_a)) ,  n^2 = (I_c - I_b) (H^2 - 2 T I_a) / (I_a I_b I_c) ,
    m = (I_b - I_a) (2 T I_c - H^2) / ((I_c - I_b) (H^2 - 2 T I_a)) ,                                         (3)

s the sign of w_c(0). The sign of n is that of I_c - I_b, times -1 if (a, b, c) is an odd permutation of (1, 2, 3).

Source: L. D. Landau and E. M. Lifshitz, Mechanics (3rd ed.), section 37, generalised here to any
order of the inertias and any initial angular velocity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipk, ellipkinc

Array = NDArray[np.float64]


class TorqueFreeBody:
    """Exact rotation rates of a body with three distinct principal inertias, started at omega0 (body axes)."""

    def __init__(self, inertia: ArrayLike, omega0: ArrayLike) -> None:
        """Sort the axes and evaluate the constants (3); raise ValueError if two inertias are equal."""
        self.inertia = np.asarray(inertia, dtype=float)
        self.omega0 = np.asarray(omega0, dtype=float)
        least, middle, greatest = (int(i) for i in np.argsort(self.inertia))
        if not self.inertia[least] < self.inertia[middle] < self.inertia[greatest]:
            raise ValueError(f"the three principal inertias must differ, got {self.inertia}")

        # H^2 - 2 T I_b, written without the terms that cancel
        I, w = self.inertia, self.omega0
        surplus = float(np.sum(I * (I - I[middle]) * w**2))
        a, b, c = (least, middle, greatest) if surplus > 0 else (greatest, middle, least)
        self.axes = (a, b, c)
        self._constants(a, b, c)

    def _constants(self, a: int, b: int, c: int) -> None:
        I, w = self.inertia, self.omega0
        k_a, k_b = I[a] * (I[c] - I[a]), I[b] * (I[c] - I[b])
        wobble = k_a * w[a] ** 2 + k_b * w[b] ** 2  # 2 T I_c - H^2
        spin = I[b] * (I[b] - I[a]) * w[b] ** 2 + I[c] * (I[c] - I[a]) * w[c] ** 2  # H^2 - 2 T I_a
        self.sign = 1.0 if w[c] >= 0 else -1.0
        self.amplitudes = (
            float(np.sqrt(wobble / k_a)),
            float(np.sqrt(wobble / k_b)),
            float(np.sqrt(spin / (I[c] * (I[c] - I[a])))),
        )
        self.constant = bool(np.count_nonzero(w) <= 1)
        if self.constant:
            self.m, self.rate, self.tau0 = 0.0, 0.0, 0.0
            return
        self.m = float(np.clip((I[b] - I[a]) * wobble / ((I[c] - I[b]) * spin), 0.0, 1.0))
        direction = np.sign(I[c] - I[b]) * (1.0 if (a, b, c) in {(0, 1, 2), (1, 2, 0), (2, 0, 1)} else -1.0)
        self.rate = float(direction * np.sqrt((I[c] - I[b]) * spin / (I[a] * I[b] * I[c])))
        phase = np.arctan2(self.sign * w[b] * np.sqrt(abs(k_b)), w[a] * np.sqrt(abs(k_a)))
        self.tau0 = float(ellipkinc(phase, self.m))

    @property
    def period(self) -> float:
        """Time in which the angular velocity repeats in body axes, 4 K(m) / |n|; infinite on the separatrix."""
        return float("inf") if self.rate == 0 else float(4 * ellipk(self.m) / abs(self.rate))

    def omega(self, t: ArrayLike) -> Array:
        """Angular velocity in body axes at the times t, by (2); shape (*t.shape, 3)."""
        t = np.asarray(t, dtype=float)
        if self.constant:
            return np.broadcast_to(self.omega0, (*t.shape, 3)).copy()
        sn, cn, dn, _ = ellipj(self.tau0 + self.rate * t, self.m)
        a, b, c = self.axes
        A, B, D = self.amplitudes
        result = np.empty((*t.shape, 3))
        result[..., a], result[..., b], result[..., c] = A * cn, self.sign * B * sn, self.sign * D * dn
        return result

    def kinetic_energy(self) -> float:
        """T = w . I w / 2."""
        return float(self.inertia @ self.omega0**2 / 2)

    def momentum(self) -> float:
        """H = |I w|."""
        return float(np.linalg.norm(self.inertia * self.omega0))


def rhs(t: float, w: ArrayLike, inertia: ArrayLike) -> Array:
    """Euler's equations (1)."""
    w, inertia = np.asarray(w, dtype=float), np.asarray(inertia, dtype=float)
    return np.cross(inertia * w, w) / inertia
