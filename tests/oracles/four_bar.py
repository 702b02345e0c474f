"""A planar four-bar linkage under gravity, reduced by hand to its one coordinate, and the forces in its four pins.

Pins O (fixed, at the origin), A (crank and coupler), B (coupler and rocker), C (fixed, at (d, 0)). With plane vectors as
complex numbers, gravity -i g, and angles t of the crank, f of the coupler, s of the rocker from the line OC,

    a e^{it} + b e^{if} = d + c e^{is}.                                                                         (1)

The diagonal AC = d - a e^{it} = D e^{ih} gives the branch with B to the left of AC in closed form,

    f = h + arccos((b^2 + D^2 - c^2) / (2 b D)) ,   s = arg(a e^{it} + b e^{if} - d).                             (2)

Derivatives of (1) by t, where ' is d/dt of the crank angle, not of time:

    f' = -a sin(s - t) / (b sin(s - f)) ,     s' = a sin(f - t) / (c sin(f - s))                                 (3)
    f'' = -Re(X e^{-is}) / (b sin(f - s)) ,   s'' = -Re(X e^{-if}) / (c sin(f - s))                              (4)
    X = a e^{it} + b f'^2 e^{if} - c s'^2 e^{is}

With z(t) the mass centres and m, J their masses and inertias, Lagrange's equation of the crank angle is

    M w_t + M' w^2 / 2 + V' = 0 ,  M = sum (m |z'|^2 + J k^2) ,  V = g sum m Im z ,                               (5)

w the crank's rate and k = 1, f', s'. Newton and Euler for the three bars,

    m (z' w_t + z'' w^2) = sum F - i m g ,   J (k w_t + k' w^2) = sum Im(conj(r) F) ,                             (6)

are nine real equations for the four pin forces and w_t, whose w_t must be that of (5).

Source: textbook kinematics of the four-bar and Eksergian's form of Lagrange's equation, derived here. The data are
those of a crank-rocker (a + b < c + d); the tables of the gallery were made by this file, rtol 1e-13.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FourBar:
    """Lengths in m and masses in kg of uniform bars; the crank starts at rest at `start` (rad)."""

    ground: float = 2.0
    crank: float = 0.8
    coupler: float = 2.2
    rocker: float = 1.6
    crank_mass: float = 4.0
    coupler_mass: float = 2.5
    rocker_mass: float = 2.0
    gravity: float = 9.81
    start: float = 0.6

    @property
    def lengths(self) -> tuple[float, float, float, float]:
        """a, b, c, d of (1)."""
        return self.crank, self.coupler, self.rocker, self.ground

    @property
    def masses(self) -> Array:
        """Of crank, coupler and rocker, kg."""
        return np.array([self.crank_mass, self.coupler_mass, self.rocker_mass])

    @property
    def inertias(self) -> Array:
        """About the mass centres, kg m^2."""
        return self.masses * np.array(self.lengths[:3]) ** 2 / 12


FOUR_BAR = FourBar()

#: The crank's other angle of rest, rad, and the period, s.
TURNING, PERIOD = -3.7740505821, 2.4622835140


def angles(t: float, s: FourBar = FOUR_BAR) -> Array:
    """Crank, coupler and rocker angles by (2), rad."""
    a, b, c, d = s.lengths
    A = a * np.exp(1j * t)
    diagonal = d - A
    D = abs(diagonal)
    f = np.angle(diagonal) + np.arccos((b**2 + D**2 - c**2) / (2 * b * D))
    return np.array([t, f, np.angle(A + b * np.exp(1j * f) - d)])


def influence(t: float, s: FourBar = FOUR_BAR) -> tuple[Array, Array]:
    """First and second derivatives of the three angles by the crank angle, (3)-(4)."""
    a, b, c, _ = s.lengths
    _, f, r = angles(t, s)
    f1 = -a * np.sin(r - t) / (b * np.sin(r - f))
    r1 = a * np.sin(f - t) / (c * np.sin(f - r))
    X = a * np.exp(1j * t) + b * f1**2 * np.exp(1j * f) - c * r1**2 * np.exp(1j * r)
    f2 = -(X * np.exp(-1j * r)).real / (b * np.sin(f - r))
    r2 = -(X * np.exp(-1j * f)).real / (c * np.sin(f - r))
    return np.array([1.0, f1, r1]), np.array([0.0, f2, r2])


def centres(t: float, s: FourBar = FOUR_BAR) -> tuple[NDArray[np.complex128], ...]:
    """Mass centres of the bars and their first and second derivatives by the crank angle."""
    a, b, c, d = s.lengths
    q = angles(t, s)
    k, k1 = influence(t, s)
    arms = np.array([a, b, c]) / 2 * np.exp(1j * q)  # from the inner end of each bar to its middle
    first = 1j * k * arms
    second = (1j * k1 - k**2) * arms
    z = arms + np.array([0, a * np.exp(1j * t), d])
    z1, z2 = first.copy(), second.copy()
    z1[1] += 2 * first[0]
    z2[1] += 2 * second[0]
    return z, z1, z2


def reduced(t: float, s: FourBar = FOUR_BAR) -> tuple[float, float, float, float]:
    """M, M', V, V' of (5)."""
    m, J = s.masses, s.inertias
    k, k1 = influence(t, s)
    z, z1, z2 = centres(t, s)
    M = float(m @ abs(z1) ** 2 + J @ k**2)
    M1 = float(2 * m @ (z1.conj() * z2).real + 2 * J @ (k * k1))
    return M, M1, float(s.gravity * m @ z.imag), float(s.gravity * m @ z1.imag)


def rhs(time: float, y: Array, s: FourBar = FOUR_BAR) -> Array:
    """Rates of y = (crank angle, its rate) by (5)."""
    M, M1, _, V1 = reduced(y[0], s)
    return np.array([y[1], -(M1 * y[1] ** 2 / 2 + V1) / M])


def energy(y: Array, s: FourBar = FOUR_BAR) -> float:
    """M w^2 / 2 + V, constant by (5)."""
    M, _, V, _ = reduced(y[0], s)
    return M * y[1] ** 2 / 2 + V


def forces(y: Array, s: FourBar = FOUR_BAR) -> tuple[float, Array]:
    """Crank acceleration and the pin forces by (6).

    The rows of the forces are: on the crank at O, on the coupler at A, on the rocker at B, on the rocker at C; N, in
    the axes of the plane.
    """
    t, w = y
    a, b, _, d = s.lengths
    k, k1 = influence(t, s)
    z, z1, z2 = centres(t, s)
    A = a * np.exp(1j * t)
    B = A + b * np.exp(1j * angles(t, s)[1])
    pins = np.array([0, A, B, d])
    # which bar feels which pin force, and with which sign
    acting = {0: {0: 1, 1: -1}, 1: {1: 1, 2: -1}, 2: {2: 1, 3: 1}}
    K, right = np.zeros((9, 9)), np.zeros(9)
    for bar, parts in acting.items():
        m, J = s.masses[bar], s.inertias[bar]
        row = 3 * bar
        K[row : row + 3, 8] = [-m * z1[bar].real, -m * z1[bar].imag, -J * k[bar]]
        right[row : row + 3] = [
            m * z2[bar].real * w**2,
            m * z2[bar].imag * w**2 + m * s.gravity,
            J * k1[bar] * w**2,
        ]
        for pin, sign in parts.items():
            arm = pins[pin] - z[bar]
            K[row, 2 * pin] += sign
            K[row + 1, 2 * pin + 1] += sign
            K[row + 2, 2 * pin : 2 * pin + 2] += sign * np.array([-arm.imag, arm.real])
    x = np.linalg.solve(K, right)
    return float(x[8]), x[:8].reshape(4, 2)


def motion(times: Array, s: FourBar = FOUR_BAR) -> Array:
    """Rows (crank angle, rate) at increasing times, from rest at t = 0."""
    times = np.asarray(times, float)
    found = solve_ivp(rhs, (0, times[-1]), [s.start, 0.0], method="DOP853", rtol=1e-13, atol=1e-14, args=(s,), t_eval=times)
    return found.y.T


def turning_angle(s: FourBar = FOUR_BAR) -> float:
    """The other angle at which the crank comes to rest: V as at the start, in the direction of the first motion."""
    _, _, V0, slope = reduced(s.start, s)
    direction = -np.sign(slope)
    height = lambda x: reduced(x, s)[2] - V0
    x = s.start + direction * 1e-3
    while height(x + direction * 0.01) < 0:
        x += direction * 0.01
        if abs(x - s.start) > 2 * np.pi:
            raise ValueError("the crank turns over: there is no turning angle")
    return float(brentq(height, x, x + direction * 0.01, xtol=1e-15, rtol=1e-15))


def period(s: FourBar = FOUR_BAR) -> float:
    """Time of an oscillation between the start and the turning angle, 2 int dt / w, w from the energy."""
    one, other = s.start, turning_angle(s)
    middle, half = (one + other) / 2, (other - one) / 2
    V0 = reduced(one, s)[2]

    def integrand(x: float) -> float:
        t = middle + half * np.sin(x)
        M, _, V, _ = reduced(t, s)
        return float(abs(half) * np.cos(x) * np.sqrt(M / (2 * (V0 - V))))

    return 2 * quad(integrand, -np.pi / 2, np.pi / 2, epsabs=1e-12, epsrel=1e-12, limit=200)[0]
