"""A cantilever with a mass on its tip, reduced to four functions: Ritz's method without finite elements.

Lengths are in terms of L, masses of m L, frequencies of sqrt(EI/(m L^4)); `mu` is the tip's mass.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

X, WEIGHT = np.polynomial.legendre.leggauss(40)
#: Gauss points of both halves of 0..1, and the end, with no weight.
POINTS, WEIGHTS = np.concatenate([(X + 1) / 4, (X + 3) / 4, [1.0]]), np.concatenate([WEIGHT / 4, WEIGHT / 4, [0.0]])


def roots(law, count):
    grid = np.linspace(0.5, np.pi * (count + 1), 80 * (count + 1))
    values = [law(b) for b in grid]
    at = [k for k in range(len(grid) - 1) if values[k] * values[k + 1] < 0][:count]
    return [brentq(law, grid[k], grid[k + 1], xtol=1e-14) for k in at]


def mode(b, s):
    """cosh - cos - s (sinh - sin) of b x at the points, and its second derivative."""
    z = b * POINTS
    value = np.cosh(z) - np.cos(z) - s * (np.sinh(z) - np.sin(z))
    return value, b**2 * (np.cosh(z) + np.cos(z) - s * (np.sinh(z) + np.sin(z)))


def cantilever_modes(count):
    b = roots(lambda b: np.cos(b) + 1 / np.cosh(b), count)
    return [mode(x, (np.cosh(x) + np.cos(x)) / (np.sinh(x) + np.sin(x))) for x in b]


def clamped_modes(count):
    b = roots(lambda b: np.cos(b) - 1 / np.cosh(b), count)
    return [mode(x, (np.cosh(x) - np.cos(x)) / (np.sinh(x) - np.sin(x))) for x in b]


def power(n):
    return POINTS**n, n * (n - 1) * POINTS ** (n - 2)


def cubics():
    """Deflection and slope of the middle and of the tip: cubics in each half."""
    x, found = POINTS, []
    for at in (0.5, 1.0):
        s, side = 1 - np.abs(x - at) / 0.5, np.where(x < at, 1.0, -1.0)
        inside = s >= 0
        found.append((inside * (3 * s**2 - 2 * s**3), inside * (6 - 12 * s) / 0.25))
        found.append((inside * side * (s**3 - s**2), inside * side * (6 * s - 2) / 0.25))
    return found


def functions(way):
    if way == "plain":
        return cantilever_modes(4)
    if way == "guyan":
        return cubics()
    if way == "craig-bampton":
        return [*clamped_modes(2), power(2), power(3)]
    (v, c), (w, d) = power(2), power(3)
    return [*cantilever_modes(3), (3 * v - w, 3 * c - d)]


def ritz(way, mu):
    """Frequencies of the boom and its tip mass by the functions of a way."""
    value, curved = (np.array(part) for part in zip(*functions(way), strict=True))
    M = (value * WEIGHTS) @ value.T + mu * np.outer(value[:, -1], value[:, -1])
    return np.sqrt(eigh((curved * WEIGHTS) @ curved.T, M, eigvals_only=True))
