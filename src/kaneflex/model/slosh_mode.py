"""The first slosh mode of what is in a tank, as functions of its depth that follow the level while it falls."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kaneflex.model.sphere_slosh import sphere_mode

XI = 1.8411837813406593  # first zero of the derivative of Bessel's function J1
FULLEST = 0.95  # fill of a sphere: above, hardly anything sloshes
_TERMS = 16  # of the polynomials for a sphere


def upright(shape: str, r: float) -> tuple[float, float]:
    """Wave number k, 1/m, and the share of the liquid that sloshes in a shallow tank, of a cylinder or a square box."""
    return (XI / r, 2 / (XI**2 - 1)) if shape == "cylinder" else (math.pi / (2 * r), 8 / math.pi**2)


def mode_of(shape: str, r: float, rho: float) -> Callable[[Any], Any]:
    """A function of the depth d that gives the mass m of the mode, m' and m'' by d, its height s above the bottom, s' and
    s'', and the length of its pendulum."""
    k, share = upright(shape, r)
    area = math.pi * r * r if shape == "cylinder" else 4 * r * r
    c = rho * area * share / k
    if shape == "sphere":
        return _in_a_sphere(r, rho)

    def level(d: Any) -> Any:
        T, t = np.tanh(k * d), np.tanh(k * d / 2)
        steep, half = 1 - T * T, t * (1 - t * t)
        return c * T, c * k * steep, -2 * c * k * k * T * steep, d - 2 / k * t, t * t, k * half, 1 / (k * T)

    return level


def _in_a_sphere(r: float, rho: float) -> Callable[[Any], Any]:
    """The same by polynomials of the depth over the radius through points of `sphere_mode`."""
    x = np.cos(np.pi * (np.arange(_TERMS) + 0.5) / _TERMS)
    at = FULLEST * (1 + x)
    found = np.array([sphere_mode(float(depth)) for depth in at])
    fits = [np.polynomial.Polynomial.fit(at, y, _TERMS - 1, domain=[0, 2 * FULLEST]) for y in (found[:, 1], 1 / found[:, 0])]
    rows = np.array([[np.pad(f.deriv(n).coef if n else f.coef, (0, n)) for n in range(3)] for f in fits])
    whole, middle = rho * math.pi * r**3, FULLEST

    def level(d: Any) -> Any:
        z = d / r
        y = z / middle - 1
        share, length = [0 * d, 0 * d, 0 * d], [0 * d, 0 * d, 0 * d]
        for n in range(3):
            for j in range(_TERMS):
                share[n] = share[n] * y + rows[0, n, _TERMS - 1 - j]
                length[n] = length[n] * y + rows[1, n, _TERMS - 1 - j]
        m, m1, m2 = z * z * (1 - z / 3), 2 * z - z * z, 2 - 2 * z  # of all that is in it, over rho pi r^3
        one = m1 * share[0] + m * share[1]
        two = m2 * share[0] + 2 * m1 * share[1] + m * share[2]
        return (
            whole * m * share[0], whole / r * one, whole / (r * r) * two,
            r * (1 - length[0]), -length[1], -length[2] / r, r * length[0],
        )  # fmt: skip

    return level


__all__ = ["FULLEST", "XI", "mode_of", "upright"]
