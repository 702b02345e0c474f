"""Small tools of the Ritz method on polynomials: trial functions, quadrature, modes, and linear equations driven in time."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from scipy import linalg
from scipy.integrate import solve_ivp

from kaneflex.model.checks import ModelError, Vector, array

#: t -> (acceleration of O less gravity, angular velocity, angular acceleration) of the moving frame, in its own axes.
BaseMotion = Callable[[float], tuple[Any, Any, Any]]


def gauss(count: int) -> tuple[Vector, Vector]:
    """Points and weights of Gauss's rule on 0..1."""
    x, w = legendre.leggauss(count)
    return (x + 1) / 2, w / 2


def polynomials(count: int, x: Vector, power: int = 0) -> tuple[Vector, Vector, Vector]:
    """x^power times Legendre's polynomials of 2x - 1 on 0..1, with first and second derivatives, each (count, points)."""
    base = np.eye(count)
    P, P1, P2 = (np.stack([legendre.legval(2 * x - 1, legendre.legder(c, d)) * 2**d for c in base]) for d in (0, 1, 2))
    s, s1, s2 = x**power, power * x ** max(power - 1, 0), power * (power - 1) * x ** max(power - 2, 0)
    return s * P, s1 * P + s * P1, s2 * P + 2 * s1 * P1 + s * P2


def modes_of(K: Vector, M: Vector, count: int, what: str) -> tuple[Vector, Vector]:
    """omega^2 and mass-orthonormal columns of the lowest modes of dense matrices."""
    if count > len(K):
        raise ModelError(f"{what}: {count} modes are asked for, there are {len(K)} trial functions; ask for fewer")
    if count == 0:
        return np.zeros(0), np.zeros((len(K), 0))
    squares, columns = linalg.eigh(K, M, subset_by_index=[0, count - 1])
    return squares, columns


def rates_matrix(omega: Vector, alpha: Vector) -> Vector:
    """z of the acceleration a_O + z p of a point p fixed in the moving frame: alpha x p + omega x (omega x p)."""
    W, A = (np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]) for a, b, c in (omega, alpha))
    return np.asarray(A + W @ W)


def frequencies_of(stiffness: Vector, gyroscopic: Vector) -> Vector:
    """Frequencies, rad/s, ascending, of q'' + gyroscopic q' + stiffness q = 0; those that diverge are left out."""
    m = len(stiffness)
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-stiffness, -gyroscopic]])
    values = linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 1e-9 * np.abs(values).max(initial=1.0)])


def driven(equations: Callable[[Any, Any, Any], tuple[Vector, Vector, Vector]], motion: BaseMotion, times: Any) -> Vector:
    """q over time (one row per time), from rest, of q'' + G q' + K q = Q with (K, G, Q) = equations(a, omega, alpha)."""
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or not len(t) or t[0] < 0 or np.any(np.diff(t) <= 0):
        raise ModelError("times must rise and not begin before 0")
    m = len(equations(*(np.zeros(3),) * 3)[2])
    unit = np.hstack([np.zeros((m, m)), np.eye(m)])

    def matrix(at: float, _: Vector) -> Vector:
        K, G, _load = equations(*base(at))
        return np.vstack([unit, np.hstack([-K, -G])])

    def base(at: float) -> list[Vector]:
        return [array(v, (3,), "the base's motion") for v in motion(at)]

    def rates(at: float, y: Vector) -> Vector:
        K, G, Q = equations(*base(at))
        return np.concatenate([y[m:], Q - G @ y[m:] - K @ y[:m]])

    # implicit, as stretch vibrates much faster than anything that matters
    found = solve_ivp(rates, (0.0, float(t[-1])), np.zeros(2 * m), "Radau", t, jac=matrix, rtol=1e-6, atol=1e-8)
    if not found.success:
        raise ModelError(
            f"the equations could not be integrated beyond t = {found.t[-1] if len(found.t) else 0:g} s: {found.message}"
        )
    return np.asarray(found.y[:m].T)
