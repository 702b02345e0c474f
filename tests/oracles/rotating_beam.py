"""Frequencies of a rotating cantilever beam with hub and tip mass by Ritz's method, in units of L, m L and sqrt(m L^4/EI).

Trial functions: x^2 times Legendre polynomials on 0..1. Stiffness: int v''^2 + g^2 int T v'^2 with the tension of the spin,
T = d (1 - x) + (1 - x^2)/2 + mu (d + 1); in the plane of rotation less g^2 times the mass. The beam does not stretch.
"""

import numpy as np
from numpy.polynomial import Polynomial
from scipy.linalg import eigh

TRIALS = 14


def frequencies(speed: float, hub: float = 0.0, tip_mass: float = 0.0, chord: bool = False, count: int = 3) -> np.ndarray:
    """The lowest frequencies of flap, or of chordwise motion."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    legendre = [np.polynomial.Legendre.basis(k, domain=(0, 1)).convert(kind=Polynomial) for k in range(TRIALS)]
    trials = [Polynomial([0, 0, 1]) * p for p in legendre]
    v, v1, v2 = (np.array([f.deriv(d)(x) if d else f(x) for f in trials]) for d in range(3))
    end = np.array([f(1.0) for f in trials])
    tension = hub * (1 - x) + (1 - x**2) / 2 + tip_mass * (hub + 1)
    M = (v * w) @ v.T + tip_mass * np.outer(end, end)
    K = (v2 * w) @ v2.T + speed**2 * (v1 * w * tension) @ v1.T
    if chord:
        K = K - speed**2 * M
    return np.sqrt(eigh(K, M, eigvals_only=True)[:count])
