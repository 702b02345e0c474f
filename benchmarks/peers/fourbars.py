"""A chain of four-bars, each mounted on the coupler of the one before: the model, and its motion from closed forms.

A four-bar has pivots A and D = A + d x on its base, a crank AB of length a, a coupler BC of length b and a rocker DC of
length c, all joints with parallel axes z. The base of the first is the ground; that of any other is fixed to the coupler
before, at `MOUNT` and turned by `TURN`. The shortest link is the crank, and a + b < c + d: it can turn fully, nowhere is a
four-bar singular, and the crank angle tells the rest. Every link has its origin at its first pivot and its x axis towards
the other one.

A state has three joint angles per four-bar, in this order: crank against base, coupler against crank, rocker against base.

`Reference` needs no joint, constraint or multiplier: the loops are solved by hand,

    a e(α) + b e(θ) = d e(0) + c e(ψ) ,   e(x) = (cos x, sin x)                                                          (1)
    θ' = -a sin(ψ - α) / (b sin(ψ - θ)) ,   ψ' = a sin(θ - α) / (c sin(θ - ψ))     (derivatives by α)                    (2)

and Newton's equations are projected on the crank angles, with complex numbers for points of the plane. Units: SI, rad.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

CRANK, COUPLER, ROCKER, BASE = 0.30, 0.68, 0.56, 0.60  # a, b, c, d, m
MOUNT = (0.05, -0.20)  # pivot A of the next four-bar, in the axes of the coupler, m
TURN = 0.39  # of the next base against the coupler, rad: the chain then hangs down straight
MASS = (0.6, 2.0, 1.0)  # crank, coupler, rocker, kg
COM = ((CRANK / 2, 0.0), (COUPLER / 2, -0.08), (ROCKER / 2, 0.0))  # m
THICKNESS = 0.05  # of the links, square, m
GRAVITY = 9.81  # along -y, m/s^2
START = (-1.6, 0.2)  # crank angles at the start: those of a chain that hangs at rest, and the amplitude of the deviations


def inertia(link: int) -> tuple[float, float, float]:
    """Central moments of inertia of crank (0), coupler (1) or rocker (2): those of a bar along x, kg m^2."""
    m, l = MASS[link], (CRANK, COUPLER, ROCKER)[link]
    across = m * (l**2 + THICKNESS**2) / 12
    return m * THICKNESS**2 / 6, across, across


def loop_angles(alpha: Array) -> tuple[Array, Array]:
    """Angles θ of the coupler and ψ of the rocker against the base, in the branch that hangs, by (1)."""
    x, y = BASE - CRANK * np.cos(alpha), -CRANK * np.sin(alpha)  # from B to D
    r2 = x**2 + y**2
    psi = np.pi + np.arctan2(y, x) + np.arccos((r2 + ROCKER**2 - COUPLER**2) / (2 * np.sqrt(r2) * ROCKER))
    theta = np.arctan2(y + ROCKER * np.sin(psi), x + ROCKER * np.cos(psi))
    return theta, psi


def slopes(alpha: Array, theta: Array, psi: Array) -> tuple[Array, Array]:
    """θ' and ψ' by (2)."""
    dtheta = -CRANK * np.sin(psi - alpha) / (COUPLER * np.sin(psi - theta))
    dpsi = CRANK * np.sin(theta - alpha) / (ROCKER * np.sin(theta - psi))
    return dtheta, dpsi


def curvatures(alpha: Array, theta: Array, psi: Array, dtheta: Array, dpsi: Array) -> tuple[Array, Array]:
    """θ'' and ψ'', from (1) differentiated twice."""
    a, b, c = CRANK, COUPLER, ROCKER
    ddtheta = (a * np.cos(psi - alpha) + b * dtheta**2 * np.cos(psi - theta) - c * dpsi**2) / (b * np.sin(psi - theta))
    ddpsi = (c * dpsi**2 * np.cos(theta - psi) - a * np.cos(theta - alpha) - b * dtheta**2) / (c * np.sin(theta - psi))
    return ddtheta, ddpsi


def start(n: int) -> Array:
    """Crank angles at the start, where everything is at rest: a wave along the chain."""
    return START[0] + START[1] * np.cos(np.arange(n))


def state(alpha: Array, rates: Array) -> tuple[Array, Array]:
    """The 3n joint angles and their rates that belong to crank angles and rates."""
    theta, psi = loop_angles(alpha)
    dtheta, dpsi = slopes(alpha, theta, psi)
    q = np.column_stack((alpha, theta - alpha, psi)).ravel()
    u = np.column_stack((rates, (dtheta - 1) * rates, dpsi * rates)).ravel()
    return q, u


def accelerations(alpha: Array, rates: Array, second: Array) -> Array:
    """Second derivatives of the 3n joint angles that belong to those of the crank angles."""
    theta, psi = loop_angles(alpha)
    dtheta, dpsi = slopes(alpha, theta, psi)
    ddtheta, ddpsi = curvatures(alpha, theta, psi, dtheta, dpsi)
    coupler = (dtheta - 1) * second + ddtheta * rates**2
    rocker = dpsi * second + ddpsi * rates**2
    return np.column_stack((second, coupler, rocker)).ravel()


def violation(q: Array) -> float:
    """Largest gap of the loops, m."""
    alpha, coupler, psi = q.reshape(-1, 3).T
    gap = CRANK * np.exp(1j * alpha) + COUPLER * np.exp(1j * (alpha + coupler)) - BASE - ROCKER * np.exp(1j * psi)
    return float(np.abs(gap).max())


@dataclass(frozen=True)
class Ending:
    """Where a run ends: joint angles and rates, and the seconds it took."""

    q: Array
    u: Array
    seconds: float

    def error(self, exact: Ending) -> float:
        """Largest difference of the angles (rad), or of the rates as a fraction of the largest rate."""
        angles, rates = np.abs(self.q - exact.q).max(), np.abs(self.u - exact.u).max() / np.abs(exact.u).max()
        return float(max(angles, rates))


@dataclass(frozen=True)
class Poses:
    """Absolute angle, and position of the mass centre, of each link: crank, coupler, rocker of the first four-bar, ..."""

    angle: Array
    position: Complex


def poses(q: Array) -> Poses:
    """Where the links are, for joint angles that need not close the loops; the couplers carry on the chain."""
    alpha, coupler, psi = q.reshape(-1, 3).T
    base = np.concatenate(([0.0], np.cumsum(alpha + coupler + TURN)))[:-1]
    angle = np.column_stack((base + alpha, base + alpha + coupler, base + psi))
    arms = CRANK * np.exp(1j * angle[:, 0])
    pivots = np.concatenate(([0.0], np.cumsum(arms + complex(*MOUNT) * np.exp(1j * angle[:, 1]))))[:-1]
    origin = np.column_stack((pivots, pivots + arms, pivots + BASE * np.exp(1j * base)))
    com = np.array([complex(*c) for c in COM])
    return Poses(angle.ravel(), (origin + com * np.exp(1j * angle)).ravel())


class Reference:
    """The chain in its crank angles alone."""

    def __init__(self, n: int) -> None:
        """Say how many four-bars."""
        self.n = n

    def accelerations(self, alpha: Array, rates: Array) -> Array:
        """Second derivatives of the crank angles."""
        theta, psi = loop_angles(alpha)
        dtheta, dpsi = slopes(alpha, theta, psi)
        ddtheta, ddpsi = curvatures(alpha, theta, psi, dtheta, dpsi)
        below, one, squares = np.tri(self.n, k=-1), np.eye(self.n), rates**2
        # angle, its gradient, its second derivative at constant rates
        base = (below @ (theta + TURN), below * dtheta, below @ (ddtheta * squares))
        crank = (base[0] + alpha, base[1] + one, base[2])
        coupler = (base[0] + theta, base[1] + one * dtheta, base[2] + ddtheta * squares)
        rocker = (base[0] + psi, base[1] + one * dpsi, base[2] + ddpsi * squares)
        arm, step = _turned(CRANK, crank, rates), _turned(complex(*MOUNT), coupler, rates)
        pivot = tuple(np.concatenate((0 * x[:1], np.cumsum(x + y, axis=0)[:-1])) for x, y in zip(arm, step, strict=True))
        to_rocker = _turned(BASE, base, rates)
        M, force = np.zeros((self.n, self.n)), np.zeros(self.n)
        for link, (angle, offsets) in enumerate(((crank, ()), (coupler, (arm,)), (rocker, (to_rocker,)))):
            parts = (pivot, *offsets, _turned(complex(*COM[link]), angle, rates))
            gradient, bias = (sum(p[k] for p in parts) for k in (0, 1))
            m, I = MASS[link], inertia(link)[2]
            M += m * (gradient.conj().T @ gradient).real + I * angle[1].T @ angle[1]
            force -= m * (gradient.conj().T @ (bias + 1j * GRAVITY)).real + I * angle[1].T @ angle[2]
        return np.linalg.solve(M, force)

    def end(self, duration: float, tolerance: float = 1e-12) -> Ending:
        """The end of a run from `start`, by DOP853."""
        n = self.n

        def rates_of(t: float, y: Array) -> Array:
            return np.concatenate((y[n:], self.accelerations(y[:n], y[n:])))

        y0 = np.concatenate((start(n), np.zeros(n)))
        begun = time.perf_counter()
        found = solve_ivp(rates_of, (0.0, duration), y0, method="DOP853", rtol=tolerance, atol=tolerance)
        if not found.success:
            raise RuntimeError(found.message)
        return Ending(*state(found.y[:n, -1], found.y[n:, -1]), time.perf_counter() - begun)


def _turned(length: complex, angle: tuple[Array, Array, Array], rates: Array) -> tuple[Complex, Complex]:
    """Gradient, and second derivative at constant rates, of vectors fixed in turning links."""
    z = length * np.exp(1j * angle[0])
    return 1j * z[:, None] * angle[1], z * (1j * angle[2] - (angle[1] @ rates) ** 2)
