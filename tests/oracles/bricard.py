"""The trihedral Bricard ring of six equal bars, the invertible cube: closed-form angles and its motion under gravity.

Six bars of length a in a ring; bar i turns by t_i about the z axis of its own end, lies along its x axis, and carries the
axis of the next bar, turned by +90 or -90 degrees about x, in turns. The ring is closed when

    H_1 H_2 H_3 H_4 H_5 H_6 = 1 ,   H_i = Rot(z, t_i) Trans(x, a) Rot(x, +-90 deg).                              (1)

Six conditions on six angles: a ring without freedom, by the count. But with t_1 = t_3 = t_5 = t, t_2 = t_4 = t_6 = v
three-fold symmetry leaves one condition,

    cos t + cos v + cos t cos v = 0 ,   i.e.  cos^2(t/2) cos^2(v/2) = 1/4 ,                                        (2)

and the ring moves on a closed curve through (120, 0), (0, 120), (-120, 0), (0, -120) degrees, as

    tan(t/2) = p cos s ,  tan(v/2) = p sin s ,  p^2 = 6 / (1 + sqrt(1 + 3 sin^2 2s))                              (3)

for any s. That (3) solves (1), and that the six axes then have rank 5, is checked by `ring` and `screws`.

The sixth bar is fixed in space, with the axis of bar 1 as the z axis of N through its origin. With the velocities that (3)
gives the bars per s', and heights for the potential, Lagrange's equation is

    M(s) s'' + M'(s) s'^2 / 2 + V'(s) = 0 ,   M' and V' by complex step.                                          (4)

Source: R. Bricard's trihedral linkage (1897) in the notation of J. Denavit and R. S. Hartenberg; (2)-(4) derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp

Array = NDArray[Any]


@dataclass(frozen=True)
class Ring:
    """Length (m) and mass (kg) of a thin uniform bar, gravity vector (m/s^2), and the rate of v (rad/s) at s = 0."""

    length: float = 0.5
    mass: float = 0.8
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    rate: float = 12.0


RING = Ring()

#: Rows (time, s, s', t, v), the angles within half a turn.
TABLE = (
    (0.25, 1.1294930656, 4.2870545490, 1.1389743884, 1.8702968240),
    (0.5, 1.8617341101, 3.4479959014, -0.8546572932, 1.9782896794),
    (1.0, 4.4833619187, 5.4180525632, -0.7086699592, -2.0170275870),
    (1.5, 7.1218165023, 5.3472377563, 1.5160671981, 1.6226843246),
    (2.0, 9.0577970924, 4.4438737984, -1.9256439589, 1.0093113858),
    (2.5, 11.9237003777, 8.3777146336, 1.7046143420, -1.4162213060),
    (3.0, 14.1044886724, 2.4295149621, 0.1128806541, 2.0925530127),
)

#: Time in which s grows by a full turn, s.
TURNOVER = 1.3095089666


def angles(s: complex) -> tuple[Array, Array]:
    """The angles (t, v) of (3) and their derivatives by s; s may be complex."""
    w = np.sqrt(1 + 3 * np.sin(2 * s) ** 2)
    p = np.sqrt(6 / (1 + w))
    p1 = -3 * (3 * np.sin(4 * s) / w) / (1 + w) ** 2 / p
    x, y = p * np.cos(s), p * np.sin(s)
    x1, y1 = p1 * np.cos(s) - y, p1 * np.sin(s) + x
    return 2 * np.arctan(np.array([x, y])), 2 * np.array([x1, y1]) / (1 + np.array([x, y]) ** 2)


def step(t: complex, a: float, twist: float) -> Array:
    """H of (1): turn by t about z, a along x, turn by `twist` about x."""
    c, s, k, j = np.cos(t), np.sin(t), round(np.cos(twist)), round(np.sin(twist))
    return np.array([[c, -s * k, s * j, a * c], [s, c * k, -c * j, a * s], [0, j, k, 0], [0, 0, 0, 1]])


def places(t: Array, a: float) -> list[Array]:
    """Poses of the ends of the bars, before their own turns, for six angles t; the seventh is the identity if closed."""
    H = [np.eye(4, dtype=np.asarray(t).dtype)]
    for k, angle in enumerate(t):
        H.append(H[-1] @ step(angle, a, np.pi / 2 if k % 2 == 0 else -np.pi / 2))
    return H


def ring(s: float, r: Ring = RING) -> Array:
    """The left side of (1) less 1 on the curve (3): zero."""
    t, _ = angles(s)
    return places(np.tile(t, 3), r.length)[-1] - np.eye(4)


def screws(t: Array, a: float) -> Array:
    """The axes of the six joints as columns (direction, moment about the origin in units of a) for six angles."""
    H = places(t, a)[:6]
    return np.array([np.concatenate([h[:3, 2], np.cross(h[:3, 3], h[:3, 2]) / a]) for h in H]).T


def reduced(s: complex, r: Ring = RING) -> tuple[Any, Any]:
    """M and V of (4); the potential is zero at the origin of N."""
    a, m = r.length, r.mass
    t, t1 = angles(s)
    H = places(np.tile(t, 3), a)
    M, V = 0.0, 0.0
    w = np.zeros(3, dtype=t.dtype)
    v = np.zeros(3, dtype=t.dtype)  # of the end of the bar
    for k in range(5):
        w = w + t1[k % 2] * H[k][:3, 2]
        along = H[k + 1][:3, 0]
        centre = v + np.cross(w, a / 2 * along)
        across = w - along * np.dot(along, w)
        M = M + m * np.dot(centre, centre) + m * a**2 / 12 * np.dot(across, across)
        V = V - m * np.dot(np.array(r.gravity), H[k][:3, 3] + a / 2 * along)
        v = v + np.cross(w, a * along)
    return M, V


def slopes(s: float, r: Ring = RING) -> tuple[float, float, float, float]:
    """M, M', V, V' of (4)."""
    M, V = reduced(s + 1e-30j, r)
    return float(M.real), float(M.imag) * 1e30, float(V.real), float(V.imag) * 1e30


def rhs(time: float, y: Array, r: Ring = RING) -> Array:
    """Rates of y = (s, s') by (4)."""
    M, M1, _, V1 = slopes(y[0], r)
    return np.array([y[1], -(M1 * y[1] ** 2 / 2 + V1) / M])


def energy(y: Array, r: Ring = RING) -> float:
    """M s'^2 / 2 + V, constant by (4)."""
    M, _, V, _ = slopes(y[0], r)
    return float(M * y[1] ** 2 / 2 + V)


def start(r: Ring = RING) -> Array:
    """(s, s') at the start: t = 120 degrees and at rest, v = 0 with its rate."""
    return np.array([0.0, r.rate / angles(0.0)[1][1]])


def motion(times: Array, r: Ring = RING) -> Array:
    """Rows (s, s') at increasing times from t = 0."""
    times = np.asarray(times, float)
    found = solve_ivp(rhs, (0, times[-1]), start(r), method="DOP853", rtol=1e-13, atol=1e-14, args=(r,), t_eval=times)
    return found.y.T


def turnover(r: Ring = RING) -> float:
    """Time in which the ring turns once inside out and back, the integral of ds / s' by the energy."""
    E = energy(start(r), r)
    if max(slopes(s, r)[2] for s in np.linspace(0, 2 * np.pi, 721)) >= E:
        raise ValueError("the ring has not the energy to turn over")

    def integrand(s: float) -> float:
        M, _, V, _ = slopes(s, r)
        return float(np.sqrt(M / (2 * (E - V))))

    corners = np.linspace(0, 2 * np.pi, 9)
    return float(sum(quad(integrand, a, b, epsabs=1e-13, epsrel=1e-13)[0] for a, b in pairwise(corners)))
