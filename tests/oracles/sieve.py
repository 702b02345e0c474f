"""A vibrating sieve with two hanging bars: three degrees of freedom.

The sieve (mass m1) slides along x on a spring k, q1 its displacement; a uniform bar (m2, l2) hangs from it and a second
(m3, l3) from the first, q2 and q3 their absolute angles from the vertical, counter-clockwise positive; u = q'. With
a = (m2/2 + m3) l2, b = m3 l3 / 2, c = m3 l2 l3 / 2:

    [m1+m2+m3   a cos q2           b cos q3       ] [u1']   [a sin q2 u2^2 + b sin q3 u3^2 - k q1]
    [a cos q2   (m2/3 + m3) l2^2   c cos(q3 - q2) ] [u2'] = [ c sin(q3 - q2) u3^2 - a g sin q2   ]            (1)
    [b cos q3   c cos(q3 - q2)     m3 l3^2 / 3    ] [u3']   [-c sin(q3 - q2) u2^2 - b g sin q3   ]

Source: the system of Stanescu and Pandrea's worked example of Kane's equations; (1) was derived anew by Kane's method
and agrees with Lagrange's equations. The equations printed there differ, see `misprinted_rhs`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sieve:
    """Data in SI units."""

    k: float = 1000.0
    l2: float = 0.2
    l3: float = 0.3
    m1: float = 1.0
    m2: float = 1.2
    m3: float = 1.4
    g: float = 9.81


SIEVE = Sieve()

#: Initial state (q1, q2, q3, u1, u2, u3).
START: tuple[float, ...] = (0.01, np.pi / 6, np.pi / 3, 0.01, 0.0, 0.0)

#: Energy, initial accelerations and small-motion circular frequencies of (1).
ENERGY = -4.378153684450
START_ACCELERATIONS = (-1.68590885, 0.34041404, -38.55858113)
FREQUENCIES = (5.268524, 13.886183, 29.834689)

#: Rows (t, q1, q2, q3, u1, u2, u3) of (1), by DOP853 at rtol 1e-13; all printed digits are good.
TABLE: tuple[tuple[float, ...], ...] = (
    (0.1, 0.0059054823, 0.5079540265, 0.8657906767, -0.0305284183, -0.6460878398, -3.4063341578),
    (0.25, 0.0130496774, 0.2311619376, 0.1530984288, -0.0531779279, -2.3475292215, -5.2117961792),
    (0.5, -0.0144089672, -0.6331579851, -0.5225007207, -0.0281910081, -1.6185648044, -2.7365510699),
    (1.0, -0.0044817222, 0.0825176581, 0.5965971623, 0.1811938751, 2.9748894134, 3.0905385487),
    (1.5, -0.0156894533, 0.0455484013, 0.2494213887, -0.0592101665, -0.7918259264, -7.0767445154),
    (2.0, -0.0210239894, -0.3661768359, -0.4740962512, 0.0986821903, 4.1664893996, 0.5003943697),
    (2.5, 0.0078765967, 0.5738555551, 0.8944039268, 0.2056629207, -1.4512982391, -1.8060688736),
    (3.0, -0.0055099271, -0.6413578777, -0.7883988648, 0.1611503859, -0.6929400688, -2.7717036441),
)

#: What the printed equations give: initial accelerations, q at t = 1, and the "energy" at t = 0, 1, 3.
MISPRINTED_START_ACCELERATIONS = (-0.31791, -17.53077, -26.50167)
MISPRINTED_Q_AT_1 = (0.0222532, 0.4920116, 0.8228361)
MISPRINTED_ENERGY = ((0.0, -4.378), (1.0, -2.970), (3.0, 24.44))


def equations(y: ArrayLike, s: Sieve) -> tuple[Array, Array]:
    """Mass matrix and right side of (1)."""
    q1, q2, q3, _, u2, u3 = np.asarray(y, dtype=float)
    a, b, c = (s.m2 / 2 + s.m3) * s.l2, s.m3 * s.l3 / 2, s.m3 * s.l2 * s.l3 / 2
    m12, m13, m23 = a * np.cos(q2), b * np.cos(q3), c * np.cos(q3 - q2)
    M = np.array(
        [
            [s.m1 + s.m2 + s.m3, m12, m13],
            [m12, (s.m2 / 3 + s.m3) * s.l2**2, m23],
            [m13, m23, s.m3 * s.l3**2 / 3],
        ]
    )
    f = np.array(
        [
            a * np.sin(q2) * u2**2 + b * np.sin(q3) * u3**2 - s.k * q1,
            c * np.sin(q3 - q2) * u3**2 - a * s.g * np.sin(q2),
            -c * np.sin(q3 - q2) * u2**2 - b * s.g * np.sin(q3),
        ]
    )
    return M, f


def rhs(t: float, y: ArrayLike, s: Sieve = SIEVE) -> Array:
    """Return y' of y = (q1, q2, q3, u1, u2, u3) by (1)."""
    M, f = equations(y, s)
    return np.concatenate((np.asarray(y, dtype=float)[3:], np.linalg.solve(M, f)))


def misprinted_rhs(t: float, y: ArrayLike, s: Sieve = SIEVE) -> Array:
    """Return y' by the paper's final equations (5.2) as printed.

    Three misprints of the second equation act on the motion:

    - (3.6), (5.2): m2 l2^2 stands where m2 l2^2 / 4 belongs, so that with J_C2 = m2 l2^2 / 12 the inertia is
      (13/12 m2 + m3) l2^2 instead of (m2/3 + m3) l2^2;
    - (3.6), (5.2): -m3 l2 (l3/2) sin(q3 - q2) u3^2 is missing on the left;
    - (4.3), (5.2): m3 g l2 sin q3 stands where m3 g l2 sin q2 belongs.

    Others stay within the derivation and do not reach (5.2): in (2.5) the x component of a_C2 lacks cos q2 on
    (l2/2) q2''; (3.2) lacks the minus sign of the inertia force; in (3.5) the partial angular velocities should be
    +k; (6.1) lists m1 twice; (6.2) leaves u2(0) and u3(0) blank, taken as zero here.
    """
    M, f = equations(y, s)
    _, q2, q3, _, _, _ = np.asarray(y, dtype=float)
    M[1, 1] = (s.m2 * (1 + 1 / 12) + s.m3) * s.l2**2
    f[1] = -(s.m2 / 2 * np.sin(q2) + s.m3 * np.sin(q3)) * s.l2 * s.g
    return np.concatenate((np.asarray(y, dtype=float)[3:], np.linalg.solve(M, f)))


def energy(y: ArrayLike, s: Sieve = SIEVE) -> float:
    """E = u^T M u / 2 + k q1^2 / 2 - a g cos q2 - b g cos q3, constant by (1)."""
    y = np.asarray(y, dtype=float)
    M, _ = equations(y, s)
    a, b = (s.m2 / 2 + s.m3) * s.l2, s.m3 * s.l3 / 2
    potential = s.k * y[0] ** 2 / 2 - s.g * (a * np.cos(y[1]) + b * np.cos(y[2]))
    return float(y[3:] @ M @ y[3:] / 2 + potential)


def frequencies(s: Sieve = SIEVE) -> Array:
    """Circular frequencies of small motions about rest, M(0) and K = diag(k, a g, b g) of (1)."""
    M, _ = equations(np.zeros(6), s)
    a, b = (s.m2 / 2 + s.m3) * s.l2, s.m3 * s.l3 / 2
    stiffness = np.diag([s.k, a * s.g, b * s.g])
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, stiffness)).real))
