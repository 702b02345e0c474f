"""Lagrange's top: a symmetric body with one point fixed, under gravity.

A and C are the transverse and axial inertias about the fixed point, W = m g l the weight's moment. Euler angles 3-1-3:
precession phi about the upward vertical, tilt theta about the line of nodes, spin psi about the axis of symmetry. The
axial angular velocity n = psi' + phi' cos theta is constant, and Lagrange's equations are

    A theta'' = A phi'^2 sin theta cos theta - C n phi' sin theta + W sin theta                               (1)
    A sin theta phi'' = theta' (C n - 2 A phi' cos theta)                                                     (2)
    psi'' = phi' theta' sin theta - phi'' cos theta ,  that is  n' = 0.                                       (3)

Conserved: p_phi = A phi' sin^2 theta + C n cos theta, p_psi = C n and
E = A (theta'^2 + phi'^2 sin^2 theta) / 2 + C n^2 / 2 + W cos theta.

Source: H. Goldstein, Classical Mechanics (2nd ed.), the heavy symmetrical top with one point fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeavyTop:
    """Inertias about the fixed point, mass, distance from the fixed point to the mass centre, and gravity."""

    transverse: float
    axial: float
    mass: float
    length: float
    gravity: float = 9.81

    @property
    def weight_moment(self) -> float:
        """W = m g l."""
        return self.mass * self.gravity * self.length

    def steady_precession(self, theta: float, axial_rate: float) -> tuple[float, float]:
        """Slow and fast phi' of a steady motion at tilt theta with total axial angular velocity n.

        (1) with theta'' = 0: A cos(theta) phi'^2 - C n phi' + W = 0. Raise ValueError if the top spins too slowly,
        C^2 n^2 < 4 A W cos(theta), or if it is horizontal, where there is one rate only, W / (C n).
        """
        return _ordered_roots(self.transverse * np.cos(theta), -self.axial * axial_rate, self.weight_moment)

    def steady_precession_of_spin(self, theta: float, spin: float) -> tuple[float, float]:
        """Slow and fast phi' of a steady motion at tilt theta with spin psi' relative to the line of nodes.

        n = psi' + phi' cos(theta) in (1): (A - C) cos(theta) phi'^2 - C psi' phi' + W = 0.
        """
        coefficient = (self.transverse - self.axial) * np.cos(theta)
        return _ordered_roots(coefficient, -self.axial * spin, self.weight_moment)

    def rhs(self, t: float, y: ArrayLike) -> Array:
        """Return y' of y = (phi, theta, psi, phi', theta', psi') by (1)-(3); theta must stay off 0 and pi."""
        _, theta, _, phi_dot, theta_dot, psi_dot = np.asarray(y, dtype=float)
        s, c = np.sin(theta), np.cos(theta)
        h = self.axial * (psi_dot + phi_dot * c)  # C n
        phi_ddot = theta_dot * (h - 2 * self.transverse * phi_dot * c) / (self.transverse * s)
        theta_ddot = phi_dot**2 * s * c + (self.weight_moment - h * phi_dot) * s / self.transverse
        psi_ddot = phi_dot * theta_dot * s - phi_ddot * c
        return np.array([phi_dot, theta_dot, psi_dot, phi_ddot, theta_ddot, psi_ddot])

    def conserved(self, y: ArrayLike) -> tuple[float, float, float]:
        """Return (E, p_phi, p_psi) of the state y."""
        _, theta, _, phi_dot, theta_dot, psi_dot = np.asarray(y, dtype=float)
        s, c = np.sin(theta), np.cos(theta)
        n = psi_dot + phi_dot * c
        energy = self.transverse * (theta_dot**2 + (phi_dot * s) ** 2) / 2 + self.axial * n**2 / 2
        p_psi = self.axial * n
        return (
            float(energy + self.weight_moment * c),
            float(self.transverse * phi_dot * s**2 + p_psi * c),
            float(p_psi),
        )

    def nutation_bounds(self, y: ArrayLike) -> tuple[float, float]:
        """Least and greatest theta of the motion through the state y.

        They are the roots in [-1, 1] of the cubic in z = cos(theta), z'^2 = f(z):
        f = (1 - z^2) (alpha - beta z) - (b - a z)^2 with alpha = (2 E - C n^2) / A, beta = 2 W / A, a = p_psi / A,
        b = p_phi / A; the third root lies at or beyond z = 1. The roots double in steady precession, where they are
        good to the square root of rounding only.
        """
        energy, p_phi, p_psi = self.conserved(y)
        alpha = (2 * energy - p_psi**2 / self.axial) / self.transverse
        beta = 2 * self.weight_moment / self.transverse
        a, b = p_psi / self.transverse, p_phi / self.transverse
        cubic = [beta, -(alpha + a**2), 2 * a * b - beta, alpha - b**2]
        low, high, _ = np.sort(np.roots(cubic).real)
        return float(np.arccos(np.clip(high, -1, 1))), float(np.arccos(np.clip(low, -1, 1)))


def _ordered_roots(a: float, b: float, c: float) -> tuple[float, float]:
    """Real roots of a x^2 + b x + c = 0, the smaller magnitude first; free of cancellation."""
    discriminant = b**2 - 4 * a * c
    if discriminant < 0:
        raise ValueError("no steady precession: the top spins too slowly at this tilt")
    if abs(a) < 1e-14 * abs(b):
        raise ValueError("the quadratic has one root only at this tilt")
    q = -(b + np.copysign(np.sqrt(discriminant), b)) / 2
    slow, fast = sorted((q / a, c / q), key=abs)
    return float(slow), float(fast)
