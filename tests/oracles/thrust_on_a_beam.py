"""Small vibration of a uniform beam under an axial force by Ritz's method, in units of L, m L and sqrt(m L^4/EI): w^2.

Trial functions are Legendre polynomials on 0..1, times x^2 where x = 0 is clamped. Stiffness: int v''^2 + int N v'^2 with
the tension N, and for a thrust P on x = 1 that stays along the beam's own end, -P (1, v'), besides
P v(1) v'(1), of no symmetry.
"""

import numpy as np
from numpy.polynomial import Polynomial
from scipy.linalg import eigvals

TRIALS = 14


def squares(tension, follower: float = 0.0, clamped: bool = True, count: int = 2) -> np.ndarray:
    """The lowest squares of frequencies, complex where they flutter, but those of rigid motion; `tension` is given by x."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    legendre = [np.polynomial.Legendre.basis(k, domain=(0, 1)).convert(kind=Polynomial) for k in range(TRIALS)]
    trials = [Polynomial([0, 0, 1]) * p if clamped else p for p in legendre]
    v, v1, v2 = (np.array([f.deriv(d)(x) if d else f(x) for f in trials]) for d in range(3))
    end, slope = (np.array([f.deriv(d)(1.0) if d else f(1.0) for f in trials]) for d in range(2))
    K = (v2 * w) @ v2.T + (v1 * w * tension(x)) @ v1.T + follower * np.outer(end, slope)
    found = eigvals(K, (v * w) @ v.T)
    return np.sort_complex(found[np.abs(found) > 0.5])[:count]


def accelerated(a: float) -> np.ndarray:
    """Of a cantilever whose base is accelerated by a along it, away from the beam's tip to its root: compressed."""
    return squares(lambda x: -a * (1 - x))


def beck(thrust: float) -> np.ndarray:
    """Of a cantilever under a thrust on its tip that stays along it (Beck, 1952: flutter at 20.05)."""
    return squares(lambda x: -thrust + 0 * x, thrust)


def rocket(thrust: float) -> np.ndarray:
    """Of a free beam pushed at its end x = 1 along that end (Beal, 1965)."""
    return squares(lambda x: -thrust * x, thrust, clamped=False)
