"""The linear sail in closed form: hub angle and boom bending in their coupled modes, under a torque that switches sign.

With g_k = int x phi_k dm of the mass-normalised cantilever modes of two booms and p_k = phi_k(L), twist modes likewise with
int phi_k dI, the hub turned by the angle a and booms +y, -y in opposite phase,

    I a'' + sum g_k y_k'' = T ,   y_k'' + 2 zeta w_k y_k' + w_k^2 y_k + g_k a'' = 0 .

Uniform Euler-Bernoulli cantilevers and rods in torsion: shapes from cosh, cos, sinh, sin, integrals by Gauss quadrature.
Independent of kaneflex.
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

HUB, LENGTH, EI, GJ, LINE, POLAR, TORQUE, HALF = 40.0, 56.57, 5000.0, 500.0, 0.2414, 0.04, 0.7920695, 150.0
BENDING, TWISTING = 5, 1


def booms() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frequencies (rad/s), coupling g and tip displacement p of the modes that turning about x excites: two booms bending,
    two booms twisting."""
    x, weight = np.polynomial.legendre.leggauss(200)
    x, weight = (x + 1) / 2, weight / 2
    w, g, p = [], [], []
    for k in range(BENDING):
        b = brentq(lambda s: np.cos(s) + 1 / np.cosh(s), np.pi * k + 0.3 + 1e-9, np.pi * (k + 1) - 1e-9)
        ratio = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
        shape = lambda s, b=b, ratio=ratio: np.cosh(b * s) - np.cos(b * s) - ratio * (np.sinh(b * s) - np.sin(b * s))
        norm = np.sqrt(2 * LINE * LENGTH * weight @ shape(x) ** 2)  # both booms
        w.append(b**2 * np.sqrt(EI / (LINE * LENGTH**4)))
        g.append(2 * LINE * LENGTH**2 * weight @ (x * shape(x)) / norm)
        p.append(shape(1.0) / norm)
    for k in range(TWISTING):
        c = (2 * k + 1) * np.pi / 2
        norm = np.sqrt(2 * POLAR * LENGTH / 2)
        w.append(c / LENGTH * np.sqrt(GJ / POLAR))
        g.append(2 * POLAR * LENGTH / c / norm)
        p.append(0.0)
    return np.array(w), np.array(g), np.array(p)


def response(times: np.ndarray, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Hub angle (degrees) and tip deflection of the +y boom from its root tangent (m) at equally spaced times from 0 on, of
    which one is at the switch; ratio is the damping of each cantilever mode."""
    w, g, p = booms()
    n = len(w) + 1
    M, K, C = np.eye(n), np.diag([0.0, *w**2]), np.diag([0.0, *(2 * ratio * w)])
    M[0, 0] = HUB + 2 * LINE * LENGTH**3 / 3 + 2 * POLAR * LENGTH
    M[0, 1:] = M[1:, 0] = g
    inverse = np.linalg.inv(M)
    A = np.zeros((2 * n + 1, 2 * n + 1))  # the last state is the torque
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n], A[n : 2 * n, 2 * n] = -inverse @ K, -inverse @ C, inverse[:, 0]
    step = expm(A * (times[1] - times[0]))
    y, rows = np.zeros(2 * n + 1), []
    for t in times:
        y[-1] = TORQUE if t < HALF - 1e-9 else -TORQUE
        rows.append(y[:n].copy())
        y = step @ y
    found = np.array(rows)
    return np.degrees(found[:, 0]), found[:, 1:] @ p


def numbers(ratio: float) -> tuple[float, float, float, float]:
    """Least tip deflection of +y while speeding up, largest while slowing down (m); hub at 150 and 300 s (degrees)."""
    t = np.linspace(0, 2 * HALF, 30001)
    angle, tip = response(t, ratio)
    middle = 15000
    return float(tip[: middle + 1].min()), float(tip[middle:].max()), float(angle[middle]), float(angle[-1])
