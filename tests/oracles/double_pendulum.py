"""The double pendulum that opens Banerjee's book: two massless rods of length l, two particles of mass m.

q1 is the angle of the first rod from the downward vertical, q2 the angle of the second rod relative to the first;
the speeds are the absolute rates u1 = q1', u2 = q1' + q2'. Kane's equations are

    [2       cos q2] [u1']   [ u2^2 sin q2]         [2 sin q1    ]
    [cos q2  1     ] [u2'] = [-u1^2 sin q2] - (g/l) [sin(q1 + q2)] ,    q1' = u1 ,  q2' = u2 - u1.        (1)

The book prints sin(q1 + q1) for the last entry; `misprinted_rhs` keeps that error, as a check that a test can see it.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), eqs (1.10)-(1.21).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A motion from rest: initial state (q1, q2, u1, u2), its energy, and reference rows (t, q1, q2, u1, u2)."""

    start: tuple[float, float, float, float]
    energy: float
    table: tuple[tuple[float, float, float, float, float], ...]


#: Reference motions for m = l = 1, g = 9.81, from (1) by DOP853 at rtol 1e-13; all printed digits are good.
CASES: dict[str, Case] = {
    "A": Case(
        start=(np.pi / 6, np.pi / 6, 0.0, 0.0),
        energy=-21.8964184223,
        table=(
            (0.5, 0.331208244, -0.067380894, -0.881668734, -2.507770283),
            (1.0, -0.519130089, 0.062815096, -1.532876347, -0.821932300),
            (2.0, -0.075937690, 0.054693714, 0.357897872, 3.492465522),
            (5.0, 0.458557093, -0.060159157, 1.062310653, 1.828246306),
            (10.0, -0.295564491, 0.135334645, 1.213197931, 2.206072322),
        ),
    ),
    "B": Case(
        start=(np.pi / 2, 0.0, 0.0, 0.0),
        energy=0.0,
        table=(
            (0.5, 0.570472051, 0.633403060, -2.789645766, -3.188062747),
            (1.0, -0.625087700, -0.409497386, -3.922279573, -1.303099249),
            (2.0, -0.482971534, -0.841077178, 3.065288192, 2.949271548),
            (5.0, -0.627186705, -0.674128845, 2.125408674, 3.881888727),
            (10.0, -0.568474664, 0.042080936, 6.078384886, -9.681360682),
        ),
    ),
}

#: What the misprinted equations give from case A at t = 1: q1, q2 and the "energy".
MISPRINTED_AT_1 = (-0.568893, -0.656712, -10.459)


def _rhs(y: ArrayLike, g: float, l: float, misprinted: bool) -> Array:
    q1, q2, u1, u2 = np.asarray(y, dtype=float)
    last_gravity_entry = np.sin(q1 + q1) if misprinted else np.sin(q1 + q2)
    M = np.array([[2.0, np.cos(q2)], [np.cos(q2), 1.0]])
    f = np.array([u2**2 * np.sin(q2) - g / l * 2.0 * np.sin(q1), -(u1**2) * np.sin(q2) - g / l * last_gravity_entry])
    return np.concatenate(([u1, u2 - u1], np.linalg.solve(M, f)))


def rhs(t: float, y: ArrayLike, g: float = 9.81, l: float = 1.0) -> Array:
    """Return y' of y = (q1, q2, u1, u2) by (1), the corrected (1.21)."""
    return _rhs(y, g, l, misprinted=False)


def misprinted_rhs(t: float, y: ArrayLike, g: float = 9.81, l: float = 1.0) -> Array:
    """Return y' by (1.21) as printed, with sin(q1 + q1) where sin(q1 + q2) belongs."""
    return _rhs(y, g, l, misprinted=True)


def energy(y: ArrayLike, m: float = 1.0, l: float = 1.0, g: float = 9.81) -> float:
    """E = m l^2 (u1^2 + u2^2 / 2 + u1 u2 cos q2) - m g l (2 cos q1 + cos(q1 + q2)), constant by (1)."""
    q1, q2, u1, u2 = np.asarray(y, dtype=float)
    kinetic = m * l**2 * (u1**2 + u2**2 / 2 + u1 * u2 * np.cos(q2))
    return float(kinetic - m * g * l * (2 * np.cos(q1) + np.cos(q1 + q2)))


def small_angle_frequencies(g: float = 9.81, l: float = 1.0) -> tuple[float, float]:
    """Circular frequencies of small motions, omega^2 = (2 -+ sqrt 2) g / l."""
    return float(np.sqrt((2 - np.sqrt(2)) * g / l)), float(np.sqrt((2 + np.sqrt(2)) * g / l))
