"""One flexible body whose frame moves as prescribed: the full equations, from one kinetic energy.

`body` is anything with the arrays of a modal body: mass m, first_moment, inertia, stiffness k, damping C, B, D, J1, b2, J2,
D2 and nodes. With V = (v, omega, sigma) in the body's axes and T = V^T M(eta) V/2,

    M = [ m U  -s~  B ; s~  J  D ; B^T  D^T  1 ] ,   s = s0 + B eta + b2 eta eta/2 ,   J = J0 + J1 eta + J2 eta eta/2
    B_j = B_j + sum_i b2_ij eta_i ,   D_j = D_j + sum_i eta_i D2_ij                                             (1)

and p = M V, d'Alembert's and Lagrange's equations in the moving axes are

    p_v' + omega x p_v = F ,   p_w' + omega x p_w + v x p_v = torque about O ,   p_s' - dT/deta = -k eta - C sigma   (2)

F and the torque are those that the base puts on the body. M' and dT/deta are complex-step derivatives of (1), so that
nothing here is derived by hand. v is set to zero and v' to the acceleration of O: by Galilei nothing depends on v.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[Any]
#: t -> (acceleration of O less gravity, omega, alpha), in the body's axes
Motion = Callable[[float], tuple[Any, Any, Any]]
STEP = 1e-30


def cross_matrix(v: Array) -> Array:
    x, y, z = v
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def symmetric(six: Array) -> Array:
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def mass_matrix(body: Any, eta: Array) -> Array:
    """M of (1), for real or complex eta."""
    m = len(body.stiffness)
    s = body.first_moment + body.B @ eta + body.b2 @ eta @ eta / 2
    J = body.inertia + symmetric(body.J1 @ eta + body.J2 @ eta @ eta / 2)
    M = np.eye(6 + m, dtype=eta.dtype)
    M[:3, :3] *= body.mass
    M[3:6, :3] = cross_matrix(s)
    M[3:6, 3:6] = J
    M[:3, 6:] = body.B + body.b2 @ eta
    M[3:6, 6:] = body.D + np.einsum("i,aij->aj", eta, body.D2)
    M[:3, 3:6], M[6:, :6] = M[3:6, :3].T, M[:6, 6:].T
    return M


def kinetic_energy(body: Any, eta: Array, V: Array) -> Array:
    """V^T M(eta) V/2 for each row of eta."""
    v, w, sigma = V[:3], V[3:6], V[6:]
    s = body.first_moment + eta @ body.B.T + np.einsum("...i,aij,...j->...a", eta, body.b2, eta) / 2
    six = eta @ body.J1.T + np.einsum("...i,aij,...j->...a", eta, body.J2, eta) / 2
    products = np.array([w[a] * w[b] * (1 if a == b else 2) for a in range(3) for b in range(a, 3)])
    B = sigma @ body.B.T + np.einsum("...i,aij,j->...a", eta, body.b2, sigma)
    D = sigma @ body.D.T + np.einsum("...i,aij,j->...a", eta, body.D2, sigma)
    rigid = body.mass * v @ v / 2 + s @ (cross_matrix(v) @ w) + (w @ body.inertia @ w + six @ products) / 2
    return rigid + B @ v + D @ w + sigma @ sigma / 2


def respond(body: Any, eta: Any, sigma: Any, acceleration: Any, omega: Any, alpha: Any) -> tuple[Array, Array, Array]:
    """eta'', and the force (N) and torque about O (N m) that the base puts on the body, in its axes."""
    eta, sigma = np.asarray(eta, dtype=float), np.asarray(sigma, dtype=float)
    w = np.asarray(omega, dtype=float)
    V = np.concatenate([np.zeros(3), w, sigma])
    M = mass_matrix(body, eta)
    bias = mass_matrix(body, eta + 1j * STEP * sigma).imag / STEP @ V
    along = kinetic_energy(body, eta + 1j * STEP * np.eye(len(eta)), V).imag / STEP
    known = np.concatenate([np.asarray(acceleration, dtype=float), np.asarray(alpha, dtype=float)])
    rhs = along - bias[6:] - body.stiffness * eta - body.damping @ sigma - M[6:, :6] @ known
    eta2 = np.linalg.solve(M[6:, 6:], rhs)
    p = M @ V
    rate = M[:6] @ np.concatenate([known, eta2]) + bias[:6]
    return eta2, rate[:3] + cross_matrix(w) @ p[:3], rate[3:] + cross_matrix(w) @ p[3:6]


def base_driven(body: Any, motion: Motion, times: Any, rtol: float = 1e-9, atol: float = 1e-11) -> tuple[Array, Array]:
    """eta and eta' (one row per time) from rest, while the base moves as prescribed."""
    m = len(body.stiffness)

    def rates(t: float, y: Array) -> Array:
        return np.concatenate([y[m:], respond(body, y[:m], y[m:], *motion(t))[0]])

    times = np.asarray(times, dtype=float)
    found = solve_ivp(rates, (0.0, times[-1]), np.zeros(2 * m), "DOP853", times, rtol=rtol, atol=atol)
    return found.y[:m].T, found.y[m:].T


def node_position(node: Any, eta: Array) -> Array:
    """Position of a node (3,), or one row per row of eta."""
    return node.position + eta @ node.Phi.T + np.einsum("aij,...i,...j->...a", node.G, eta, eta) / 2


def small_motion(body: Any, acceleration: Any, omega: Any) -> Array:
    """Frequencies (rad/s, ascending, those of conjugate pairs once) of small motion about eta = 0 in a steady motion.

    Linearised from (2) by differences of its own right-hand side, gyroscopic terms included; damping is left in.
    """
    m = len(body.stiffness)
    A = np.zeros((2 * m, 2 * m))
    A[:m, m:] = np.eye(m)
    h = 1e-6
    for k in range(2 * m):
        y = np.zeros(2 * m)
        y[k] = h
        plus = respond(body, y[:m], y[m:], acceleration, omega, np.zeros(3))[0]
        minus = respond(body, -y[:m], -y[m:], acceleration, omega, np.zeros(3))[0]
        A[m:, k] = (plus - minus) / (2 * h)
    values = np.linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 0])
