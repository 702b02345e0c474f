"""One flexible body whose frame moves as prescribed: the full equations, from one kinetic energy.

`body` is anything with the arrays of a modal body: mass m, first_moment, second_moment, stiffness k, damping, B, C, E, b2,
C2, turn T and nodes. Its points are at

    r = exp(T eta) (p + phi^ eta + U zeta) ,   phi^_j = phi_j - T_j x p ,   zeta = 1/2 R eta eta                      (1)

with U the twelve affine fields e_a and p_b e_a, and R such that int g^ dm and int p g^^T dm are those of the second-order
displacements in the turned axes. So it is a body with the linear modes (phi^, U), whose kinetic energy is exact,
T = V^T M(eta) V/2 with V = (v, omega, sigma) in the body's axes, and the coordinates zeta are slaved to eta. With p = M V,
d'Alembert's and Lagrange's equations in the moving axes are

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
    m, n = len(body.stiffness), len(body.stiffness) + 12
    s, B, C, E, R = _extended(body)
    Z = R @ eta
    xi, fold = np.concatenate([eta, Z @ eta / 2]), np.vstack([np.eye(m), Z])
    X = C + np.einsum("abij,i->abj", E, xi)  # int r psi_j^T dm in turned axes
    half = C @ xi + np.einsum("abij,i,j->ab", E, xi, xi) / 2
    second = body.second_moment + half + half.T
    G = np.zeros((6 + n, 6 + n), dtype=eta.dtype)
    G[:3, :3], G[3:6, 3:6] = body.mass * np.eye(3), np.trace(second) * np.eye(3) - second
    G[3:6, :3] = cross_matrix(s + B @ xi)
    G[:3, 6:] = B
    G[3:6, 6:] = np.stack([X[1, 2] - X[2, 1], X[2, 0] - X[0, 2], X[0, 1] - X[1, 0]])
    G[:3, 3:6], G[6:, :6], G[6:, 6:] = G[3:6, :3].T, G[:6, 6:].T, np.einsum("aaij->ij", E)
    turn, A = _rotation(body.turn, eta)
    F = np.zeros((6 + n, 6 + m), dtype=eta.dtype)
    F[:3, :3] = F[3:6, 3:6] = turn.T
    F[3:6, 6:], F[6:, 6:] = A, fold
    return F.T @ G @ F


def _rotation(T: Array, eta: Array) -> tuple[Array, Array]:
    """exp(T eta), and the angular velocity in turned axes per modal speed: by their own power series."""
    W = cross_matrix(T @ eta)
    turn, tangent, power = np.eye(3) + 0 * W, np.eye(3) + 0 * W, np.eye(3) + 0 * W
    for k in range(1, 25):
        power = power @ W / k
        turn, tangent = turn + power, tangent + (-1) ** k * power / (k + 1)
    return turn, tangent @ T


def _extended(body: Any) -> tuple[Array, Array, Array, Array, Array]:
    """int p dm, int psi dm, int p psi^T dm, int psi psi^T dm of the modes and affine fields, and R (12, m, m), of (1)."""
    m, s, E0 = len(body.stiffness), body.first_moment, body.second_moment
    T = np.array([cross_matrix(t) for t in body.turn.T]).reshape(m, 3, 3)
    swept = -np.einsum("ab,jcb->acj", E0, T)  # -int p (T_j x p)^T
    B, C = body.B - np.einsum("jab,b->aj", T, s), body.C + swept
    E = body.E - np.einsum("bai,jcb->acij", body.C, T) - np.einsum("iab,bcj->acij", T, body.C)
    E = E + np.einsum("iab,bd,jcd->acij", T, E0, T)
    both = lambda x: x + x.swapaxes(-1, -2)
    b2 = body.b2 - both(np.einsum("iab,bj->aij", T, B)) - both(np.einsum("iab,jbc,c->aij", T, T, s)) / 2
    C2 = body.C2 - both(np.einsum("acj,ibc->abij", C, T)) - both(np.einsum("ad,ibc,jcd->abij", E0, T, T)) / 2
    scalar = np.block([[np.array([[body.mass]]), s[None]], [s[:, None], E0]])
    momenta = np.concatenate([b2[None], C2]).reshape(4, -1)
    size = np.sqrt(np.maximum(scalar.diagonal(), 1e-300))
    R = (np.linalg.pinv(scalar / np.outer(size, size), rcond=1e-12) @ (momenta / size[:, None])) / size[:, None]
    eye, n = np.eye(3), m + 12
    wide_B, wide_C, wide_E = np.zeros((3, n)), np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    wide_B[:, :m], wide_C[..., :m], wide_E[..., :m, :m] = B, C, E
    wide_B[:, m:] = np.einsum("b,ca->cba", scalar[0], eye).reshape(3, 12)
    wide_C[..., m:] = np.einsum("db,ca->dcba", scalar[1:], eye).reshape(3, 3, 12)
    mixed = np.einsum("bdi,ca->dciba", np.concatenate([B[None], C]), eye).reshape(3, 3, m, 12)
    wide_E[..., :m, m:], wide_E[..., m:, :m] = mixed, mixed.transpose(1, 0, 3, 2)
    wide_E[..., m:, m:] = np.einsum("be,da,cf->dcbaef", scalar, eye, eye).reshape(3, 3, 12, 12)
    return s, wide_B, wide_C, wide_E, R.reshape(12, m, m)


def kinetic_energy(body: Any, eta: Array, V: Array) -> Array:
    """V^T M(eta) V/2 for each row of eta."""
    if eta.ndim > 1:
        return np.array([kinetic_energy(body, row, V) for row in eta])
    return V @ mass_matrix(body, eta) @ V / 2


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


def node_position(body: Any, node: Any, eta: Array) -> Array:
    """Position of a node (3,), or one row per row of eta."""
    if eta.ndim > 1:
        return np.array([node_position(body, node, row) for row in eta])
    turn, _ = _rotation(body.turn, eta)
    W = cross_matrix(body.turn @ eta)
    first = node.Phi @ eta - W @ node.position
    second = node.G @ eta @ eta / 2 - W @ first - W @ W @ node.position / 2
    return turn @ (node.position + first + second)


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
