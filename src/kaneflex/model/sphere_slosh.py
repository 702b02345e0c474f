"""The first slosh mode of a liquid in a sphere, which has no closed form: by Ritz's method.

The potential f cos(angle) of the liquid's motion is harmonic, has no normal derivative at the wall, and f_z = k f at the
surface S, frequency^2 = acceleration k. So k is least among the quotients (integral of |grad f|^2 over the liquid)/(integral
of f^2 over S), and f is sought among the solid harmonics r^n P_n^1 about the middle of the surface, n = 1 ... N; for
these the first integral is that of f times its normal derivative over wall and surface. Pressure of the mode on a tank that
moves along x is that of the mass density k (integral of x f over S)^2/(integral of f^2 over S) on a spring.
"""

from functools import lru_cache

import numpy as np
from scipy.linalg import eigh

TERMS, POINTS = 24, 120


@lru_cache(maxsize=64)
def sphere_mode(depth: float) -> tuple[float, float]:
    """k, and the mass over that of the liquid, of a sphere of radius 1 with this depth, between 0 and 2."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    level = depth - 1.0
    width = np.sqrt(depth * (2 - depth))  # radius of the surface
    unit = max(width, depth)  # lengths of the harmonics, so that they stay below one or so
    s, weights = width * (x + 1) / 2, width * w / 2
    f, _, up = _harmonics(s / unit, 0 * s)
    surface = weights * s
    B = (f * surface) @ f.T
    A = (f * surface) @ up.T / unit
    angle = np.arccos(-level) * (x + 1) / 2  # along the wall from the bottom
    across, height = np.sin(angle), -np.cos(angle)
    g, out, rise = _harmonics(across / unit, (height - level) / unit)
    A += (g * (np.arccos(-level) * w / 2 * across)) @ (out * across + rise * height).T / unit
    A = (A + A.T) / 2
    size = np.sqrt(np.diag(A))
    values, vectors = np.linalg.eigh(A / np.outer(size, size))
    kept = values > 1e-13 * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept]) / size[:, None]  # of |grad f|^2 = 1
    share, modes = eigh(basis.T @ B @ basis)
    k, c = 1 / share[-1], basis @ modes[:, -1]
    pushed = float((c @ f) @ (surface * s))
    liquid = depth**2 * (1 - depth / 3)  # over pi
    return float(k), float(k * pushed**2 / (c @ B @ c) / liquid)


def _harmonics(s: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solid harmonics of order 1 at the distance s from the axis and the height z, and their derivatives by s and z."""
    f, ds, dz = (np.zeros((TERMS + 1, len(s))) for _ in range(3))
    f[1], ds[1] = s, 1.0
    square = s * s + z * z
    for n in range(1, TERMS):
        a, b = (2 * n + 1) / n, (n + 1) / n
        f[n + 1] = a * z * f[n] - b * square * f[n - 1]
        ds[n + 1] = a * z * ds[n] - b * (2 * s * f[n - 1] + square * ds[n - 1])
        dz[n + 1] = a * (f[n] + z * dz[n]) - b * (2 * z * f[n - 1] + square * dz[n - 1])
    return f[1:], ds[1:], dz[1:]


__all__ = ["sphere_mode"]
