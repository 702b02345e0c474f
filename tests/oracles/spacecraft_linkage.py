"""A spacecraft that carries a four-bar linkage on a hinge, in free space: eight degrees of freedom.

The bus A is free. The linkage's frame B turns by the angle h about an axis of A that is parallel to its x axis and goes
through the point P; in a plane of B normal to b_z lie the pins O and C = O + d b_x of a four-bar of uniform bars: crank
(a), coupler (b), rocker (c), which turn about b_z. A torsion spring holds the hinge. The speeds are the velocity v of the
mass centre of A and the angular velocity w of A, both in the axes of A, h' and the crank's rate k in B.

The loop is solved in closed form: with bars as complex numbers in B, angles t of the crank, f of the coupler, r of the
rocker,

    a e^{it} + b e^{if} = d + c e^{ir} ,                                                                        (1)

B to the left of AC, so that every body's place in A is a function of h and t alone, p(h, t) = P + Rx(h) rho(t), and turns
about b_z by the angle g(t). In the axes of A the motion of a body is

    velocity              v + w x p + h' (a_x x q) + k Rx rho1 ,   q = Rx rho ,
    angular velocity      w + h' a_x + k g1 b_z                                                                 (2)

where 1 and 2 stand for derivatives by t, and its acceleration has, besides what (2) gives with dotted speeds, the part

    w x v + w x (w x p) + 2 w x (h' (a_x x q) + k Rx rho1) + h'^2 a_x x (a_x x q) + 2 h' k a_x x Rx rho1 + k^2 Rx rho2 ,
    w x (h' a_x + k g1 b_z) + k^2 g2 b_z + k h' g1 (a_x x b_z).                                                  (3)

With V and W the partial velocities in (2), Kane's equations are

    sum V^T m a + W^T (I alpha + omega x I omega) = Q ,   Q = -(stiffness) h in the row of h'.                   (4)

`newton_euler` is a second way to the accelerations: all five bodies free, held by five revolute joints of five conditions
each, of which three follow from the others since the linkage is planar. It must give what (4) gives.

Source: the problem (spacecraft with four-bar linkage, eight degrees of freedom) is one that A. K. Banerjee, Flexible
Multibody Dynamics (Wiley, 2016), quotes for comparing methods, without data: those here are stand-ins. The tables were
made by this file at rtol 1e-13; they are in the gallery.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

#: Slices of the state y = (v, w, h', k, h, t, quaternion of A in N (scalar first), position of A in N).
V, W, HINGE_RATE, CRANK_RATE, HINGE, CRANK = slice(0, 3), slice(3, 6), 6, 7, 8, 9
QUATERNION, POSITION = slice(10, 14), slice(14, 17)
X_AXIS = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Spacecraft:
    """Stand-in data in SI units."""

    bus_mass: float = 120.0
    bus_inertia: tuple[tuple[float, float, float], ...] = ((40.0, 1.5, -1.0), (1.5, 30.0, 2.0), (-1.0, 2.0, 50.0))
    hinge: tuple[float, float, float] = (0.2, 0.7, 0.3)
    frame_mass: float = 10.0
    frame_centre: tuple[float, float, float] = (0.1, 0.15, 0.0)
    frame_inertia: tuple[float, float, float] = (0.3, 3.5, 3.7)
    pin: tuple[float, float, float] = (-0.9, 0.3, 0.1)
    ground: float = 2.0
    crank: float = 0.8
    coupler: float = 2.2
    rocker: float = 1.6
    crank_mass: float = 8.0
    coupler_mass: float = 11.0
    rocker_mass: float = 8.0
    stiffness: float = 30.0
    start: tuple[float, ...] = (0, 0, 0, 0.1, -0.2, 0.3, 0, 2.0, 0.4, 1.0, 1, 0, 0, 0, 0, 0, 0)


SPACECRAFT = Spacecraft()


def tilde(a: Array) -> Array:
    """The matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotation(e: Array) -> Array:
    """R of a unit quaternion, scalar first."""
    return (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * np.outer(e[1:], e[1:]) + 2 * e[0] * tilde(e[1:])


def loop(t: float, s: Spacecraft = SPACECRAFT) -> tuple[Array, Array, Array]:
    """Angles of crank, coupler and rocker by (1), and their first and second derivatives by t."""
    a, b, c, d = s.crank, s.coupler, s.rocker, s.ground
    A = a * np.exp(1j * t)
    D = d - A
    f = np.angle(D) + np.arccos((b**2 + abs(D) ** 2 - c**2) / (2 * b * abs(D)))
    r = np.angle(A + b * np.exp(1j * f) - d)
    e, g = np.exp(1j * f), np.exp(1j * r)
    # derivatives of (1), each one complex equation for two real unknowns
    K = np.array([[(1j * b * e).real, -(1j * c * g).real], [(1j * b * e).imag, -(1j * c * g).imag]])
    first = -1j * A
    f1, r1 = np.linalg.solve(K, [first.real, first.imag])
    second = A + b * f1**2 * e - c * r1**2 * g
    f2, r2 = np.linalg.solve(K, [second.real, second.imag])
    return np.array([t, f, r]), np.array([1.0, f1, r1]), np.array([0.0, f2, r2])


@dataclass(frozen=True)
class _Place:
    """A body in the axes of A: mass, inertia about its mass centre, place, partials (2), remainders (3) and turn R in A."""

    mass: float
    inertia: Array
    p: Array
    V: Array
    W: Array
    a: Array
    alpha: Array
    R: Array


def _members(t: float, s: Spacecraft) -> list[tuple]:
    """Frame and bars: mass, inertia (own axes), rho with two derivatives by t, turn g with two derivatives."""
    q, q1, q2 = loop(t, s)
    pin = np.array(s.pin)
    lengths, masses = (s.crank, s.coupler, s.rocker), (s.crank_mass, s.coupler_mass, s.rocker_mass)
    zero = np.zeros(3)
    members: list[tuple] = [(s.frame_mass, np.diag(s.frame_inertia), np.array(s.frame_centre), zero, zero, 0.0, 0.0, 0.0)]
    ends = [(pin, zero, zero)]
    for k, (l, m) in enumerate(zip(lengths, masses, strict=True)):
        e = np.array([np.cos(q[k]), np.sin(q[k]), 0.0])
        n = np.array([-e[1], e[0], 0.0])
        bar = (e, q1[k] * n, q2[k] * n - q1[k] ** 2 * e)
        inner = (pin + s.ground * X_AXIS, zero, zero) if k == 2 else ends[-1]
        rho = [x + l / 2 * y for x, y in zip(inner, bar, strict=True)]
        ends.append(tuple(x + l * y for x, y in zip(inner, bar, strict=True)))
        members.append((m, m * l**2 / 12 * np.diag([0.0, 1.0, 1.0]), *rho, q[k], q1[k], q2[k]))
    return members


def bodies(y: Array, s: Spacecraft = SPACECRAFT) -> list[_Place]:
    """Bus, frame, crank, coupler, rocker by (2)-(3)."""
    v, w, hdot, k, h, t = y[V], y[W], y[HINGE_RATE], y[CRANK_RATE], y[HINGE], y[CRANK]
    Rx = np.array([[1, 0, 0], [0, np.cos(h), -np.sin(h)], [0, np.sin(h), np.cos(h)]])
    bz, zero = Rx[:, 2], np.zeros(3)
    bus = _Place(s.bus_mass, np.array(s.bus_inertia), zero, np.eye(3, 8), np.eye(3, 8, 3), np.cross(w, v), zero, np.eye(3))
    found = [bus]
    for m, J, rho, rho1, rho2, g, g1, g2 in _members(t, s):
        q, q1, q2 = Rx @ rho, Rx @ rho1, Rx @ rho2
        p = np.array(s.hinge) + q
        lever = np.cross(X_AXIS, q)
        relative = hdot * lever + k * q1
        partial = np.column_stack([np.eye(3), -tilde(p), lever, q1])
        turning = np.column_stack([np.zeros((3, 3)), np.eye(3), X_AXIS, g1 * bz])
        a = np.cross(w, v) + np.cross(w, np.cross(w, p)) + 2 * np.cross(w, relative)
        a += hdot**2 * np.cross(X_AXIS, lever) + 2 * hdot * k * np.cross(X_AXIS, q1) + k**2 * q2
        alpha = np.cross(w, hdot * X_AXIS + k * g1 * bz) + k**2 * g2 * bz + k * hdot * g1 * np.cross(X_AXIS, bz)
        R = Rx @ np.array([[np.cos(g), -np.sin(g), 0], [np.sin(g), np.cos(g), 0], [0, 0, 1]])
        found.append(_Place(m, R @ J @ R.T, p, partial, turning, a, alpha, R))
    return found


def accelerations(y: Array, s: Spacecraft = SPACECRAFT) -> Array:
    """Rates of the eight speeds by (4)."""
    u = y[:8]
    M, f = np.zeros((8, 8)), np.zeros(8)
    f[HINGE_RATE] = -s.stiffness * y[HINGE]
    for b in bodies(y, s):
        w = b.W @ u
        M += b.mass * b.V.T @ b.V + b.W.T @ b.inertia @ b.W
        f -= b.mass * b.V.T @ b.a + b.W.T @ (b.inertia @ b.alpha + np.cross(w, b.inertia @ w))
    return np.linalg.solve(M, f)


def rhs(time: float, y: Array, s: Spacecraft = SPACECRAFT) -> Array:
    """Rates of the state."""
    e, w = y[QUATERNION], y[W]
    edot = np.concatenate([[-e[1:] @ w], e[0] * w + np.cross(e[1:], w)]) / 2
    return np.concatenate([accelerations(y, s), y[6:8], edot, rotation(e) @ y[V]])


def motion(times: Array, s: Spacecraft = SPACECRAFT) -> Array:
    """States at increasing times from t = 0."""
    times = np.asarray(times, float)
    found = solve_ivp(rhs, (0, times[-1]), s.start, method="DOP853", rtol=1e-13, atol=1e-14, args=(s,), t_eval=times)
    return found.y.T


def integrals(y: Array, s: Spacecraft = SPACECRAFT) -> tuple[float, Array, Array]:
    """Energy, linear momentum, and angular momentum about the origin of N, the last two in N: constants of the motion."""
    R = rotation(y[QUATERNION] / np.linalg.norm(y[QUATERNION]))
    energy, P, H = s.stiffness * y[HINGE] ** 2 / 2, np.zeros(3), np.zeros(3)
    for b in bodies(y, s):
        v, w = b.V @ y[:8], b.W @ y[:8]
        energy += b.mass * v @ v / 2 + w @ b.inertia @ w / 2
        P += b.mass * R @ v
        H += R @ (b.inertia @ w) + np.cross(y[POSITION] + R @ b.p, b.mass * R @ v)
    return float(energy), P, H


def newton_euler(y: Array, s: Spacecraft = SPACECRAFT) -> tuple[Array, Array, int]:
    """The second way: accelerations of five free bodies in the axes of A, those of (2)-(4), and the rank of the joints.

    Returns two 5 x 6 arrays (acceleration, angular acceleration) and the rank of the 25 x 30 constraint matrix.
    """
    u, parts = y[:8], bodies(y, s)
    bz = parts[1].R[:, 2]
    pin = lambda k, x: parts[k].p + parts[k].R @ np.array([x, 0.0, 0.0])
    joints = [
        (0, 1, np.array(s.hinge), X_AXIS),
        (1, 2, pin(2, -s.crank / 2), bz),
        (2, 3, pin(2, s.crank / 2), bz),
        (1, 4, pin(4, -s.rocker / 2), bz),
        (3, 4, pin(3, s.coupler / 2), bz),
    ]
    C, right = np.zeros((25, 30)), np.zeros(25)
    for row, (i, j, place, axis) in zip(range(0, 25, 5), joints, strict=True):
        normal = np.linalg.svd(axis[None])[2][1:]  # two directions across the axis, fixed in body i
        for k, sign in ((i, -1.0), (j, 1.0)):
            arm, w = place - parts[k].p, parts[k].W @ u
            C[row : row + 3, 6 * k : 6 * k + 3] = sign * np.eye(3)
            C[row : row + 3, 6 * k + 3 : 6 * k + 6] = -sign * tilde(arm)
            right[row : row + 3] -= sign * np.cross(w, np.cross(w, arm))
            C[row + 3 : row + 5, 6 * k + 3 : 6 * k + 6] = sign * normal
        wi, wj = parts[i].W @ u, parts[j].W @ u
        right[row + 3 : row + 5] = -np.cross(wi, normal) @ (wj - wi)
    M, f = np.zeros((30, 30)), np.zeros(30)
    for k, b in enumerate(parts):
        w = b.W @ u
        M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = b.mass * np.eye(3)
        M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = b.inertia
        f[6 * k + 3 : 6 * k + 6] = -np.cross(w, b.inertia @ w)
    f[3:6] += s.stiffness * y[HINGE] * X_AXIS
    f[9:12] -= s.stiffness * y[HINGE] * X_AXIS
    K = np.block([[M, C.T], [C, np.zeros((25, 25))]])
    free = np.linalg.lstsq(K, np.concatenate([f, right]), rcond=1e-12)[0][:30].reshape(5, 6)
    udot = accelerations(y, s)
    kane = np.array([np.concatenate([b.V @ udot + b.a, b.W @ udot + b.alpha]) for b in parts])
    return free, kane, int(np.linalg.matrix_rank(C, tol=1e-9))
