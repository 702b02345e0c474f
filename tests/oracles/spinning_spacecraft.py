"""A spinning spacecraft with three rotors, slosh pendulum, nutation damper and thrust: 12 degrees of freedom.

The gyrostat G (carrier and rotors, mass centre G*, axes g1 g2 g3) has three rotors along its axes. P is a particle on a
massless rod of length L_p, hinged at z0 g3 from G*, hanging along -g3; Q is a particle that slides along g3 at
distance b g1, on a spring and a dashpot, sigma being the spring's nominal length l plus its stretch. A thrust F g3 acts at
r_N. The speeds are

    u1-3 = v(G*) . g_i ,  u4-6 = omega(G) . g_i ,  u7-9 = rotor rates in G ,  u10,11 = psi1', psi2' ,  u12 = sigma'.

With v, w the first two triples, W the rotor rates, I the central inertia of G with rotors locked, J = diag(J_i):

    translation   m_G (v' + w x v)                                                                            (1)
    rotation      I w' + J W' + w x (I w + J W)                                                               (2)
    rotor i       J_i (w_i' + W_i') = T_i                                                                     (3)

and each particle k at r from G*, with B = [1, -r~, dr/dpsi1, dr/dpsi2, dr/dsigma], adds

    M += m_k B^T B ,   C += m_k B^T [w x v + w x (w x r) + 2 w x r' + (r'' without psi'', sigma'')]           (4)

    P:  r = z0 g3 + L_p e ,  e = (-s2, s1 c2, -c1 c2) ;    Q:  r = b g1 + (sigma - l) g3.                     (5)

M u' + C = F, with F1-3 = F g3, F4-6 = r_N x F g3, F12 = -k (sigma - l) - c sigma'. Three-axis control has the motors
turn the rotors by

    T_i = 2 kp e0 e_i + kd w_i                                                                                (6)

with the quaternion e of G in N, so that the carrier, which -T_i acts on, comes to the axes of N.

Source: the speeds are those of A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), eqs (1.22)-(1.26), which
prints no data: those of `Spacecraft` are stand-ins, and the reference numbers below were computed from (1)-(5) by
DOP853, where two tolerances agree to 3e-12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

#: Slices of the state y = (u, psi, sigma, quaternion of G in N (scalar first), position of G* in N).
U, PSI, SIGMA, QUATERNION, POSITION = slice(0, 12), slice(12, 14), 14, slice(15, 19), slice(19, 22)


@dataclass(frozen=True)
class Spacecraft:
    """Stand-in data in SI units; `thrust` and `damping` are those of case B, zero in case A; `gains` (kp, kd) of case C."""

    mass: float = 1000.0
    inertia: tuple[tuple[float, float, float], ...] = ((600.0, 10.0, 0.0), (10.0, 500.0, -5.0), (0.0, -5.0, 800.0))
    rotor_inertia: tuple[float, float, float] = (0.5, 0.5, 0.5)
    slosh_mass: float = 50.0
    slosh_length: float = 0.5
    slosh_pivot: float = 0.2
    damper_mass: float = 5.0
    damper_arm: float = 1.0
    stiffness: float = 20.0
    damping: float = 2.0
    thrust: float = 2000.0
    thrust_point: tuple[float, float, float] = (0.002, 0.0, -1.0)
    nominal: float = 0.8
    gains: tuple[float, float] = (0.0, 0.0)


CASE_A = Spacecraft(thrust=0.0, damping=0.0)
CASE_B = Spacecraft()
CASE_C = Spacecraft(thrust=0.0, gains=(150.0, 480.0))

#: Initial state of cases A and B: identity attitude at the origin, psi = (0.1, -0.05), no stretch.
START: tuple[float, ...] = (
    *(0.0, 0.0, 0.0, 0.05, 0.0, 1.0, 10.0, -5.0, 20.0, 0.0, 0.0, 0.0),
    *(0.1, -0.05, 0.8),
    *(1.0, 0.0, 0.0, 0.0),
    *(0.0, 0.0, 0.0),
)

#: That of case C: turned by 0.4 rad about (2, -1, 2)/3, tumbling at (0.02, -0.03, 0.01) rad/s.
START_C: tuple[float, ...] = (
    *(0.0, 0.0, 0.0, 0.02, -0.03, 0.01, 10.0, -5.0, 20.0, 0.0, 0.0, 0.0),
    *START[12:15],
    *(float(np.cos(0.2)), *(float(np.sin(0.2)) * np.array([2.0, -1.0, 2.0]) / 3.0).tolist()),
    *(0.0, 0.0, 0.0),
)

#: Constants of case A: energy, linear momentum, angular momentum about the origin, the last two in N.
CASE_A_ENERGY = 544.851959580
CASE_A_MOMENTUM = (-2.49271627, 6.99168007, 0.12463581)
CASE_A_ANGULAR_MOMENTUM = (35.59750428, -6.26307616, 815.17404395)

#: Reference values by case and time: "u" maps a speed's number (1-12) to its value.
REFERENCE: dict[str, dict[float, dict[str, object]]] = {
    "A": {
        10.0: {
            "u": {
                1: -2.61115662e-3, 2: -1.05196620e-2, 3: -2.91891637e-3,
                4: 4.71398704e-2, 5: -4.87857678e-2, 6: 0.999076410,
                7: 10.0028601, 8: -4.95121423, 9: 20.0009236,
                10: -0.280144455, 11: 0.874810974, 12: -2.10122807e-2,
            },
            "psi": (-1.16253653, -0.32425866),
            "sigma": 0.79258787,
        },
        20.0: {
            "u": {4: -6.61582100e-3, 5: -4.55038980e-2, 6: 0.999982476},
            "psi": (2.484326, -0.05597762),
            "sigma": 0.79030296,
        },
    },
    "B": {
        5.0: {
            "u": {
                1: -0.107059165, 2: -0.260947599, 3: 9.47236326,
                4: -3.20498070e-2, 5: -1.15791098e-2, 6: 1.00049970,
                10: 3.24339140e-2, 11: 7.08380159e-2, 12: 0.196000747,
            },
            "psi": (-0.03286079, -0.05747518),
            "sigma": 0.17453991,
        },
        10.0: {
            "u": {
                1: 0.61557861, 2: -0.82657143, 3: 18.91858167,
                4: 0.03430125, 5: -0.06525607, 6: 0.99737167,
                10: 0.08396247, 11: -0.11506832, 12: -0.12122377,
            },
            "psi": (-0.08319178, 0.00790279),
            "sigma": 0.35149289,
            "energy": 189892.318526,
        },
        20.0: {
            "u": {3: 37.8521774, 4: -3.03490560e-2, 5: -4.72275736e-2, 6: 0.997204500},
            "psi": (0.02220979, 0.06241123),
            "sigma": 0.3244619,
        },
    },
    "C": {
        10.0: {
            "u": {
                1: -1.92345484e-5, 2: 1.31909050e-5, 3: 1.26307677e-4,
                4: -1.69819751e-3, 5: 1.00714768e-3, 6: -5.73661980e-4,
                7: 40.6700321, 8: -34.9957260, 9: 32.7150208, 10: 1.87280942e-2, 11: -1.22779252e-2, 12: 4.55751212e-3,
            },
            "psi": (0.454451244, -0.199711798),
            "sigma": 0.799603367,
            "e": (-8.63945073e-4, 2.73798371e-5, -7.03562446e-3),
        },
        20.0: {
            "u": {
                4: 7.87404777e-5, 5: 2.61532504e-5, 6: 3.71348914e-5, 7: 38.0325048, 8: -34.5841817, 9: 31.7701940,
                12: 1.95626473e-4,
            },
            "psi": (0.629143322, -0.324162482),
            "sigma": 0.800249704,
            "e": (-6.35311122e-5, -5.05978746e-5, 3.61014039e-4),
            "energy": 912.974971646,
        },
    },
}  # fmt: skip


def _tilde(a: Array) -> Array:
    """Return the matrix a~ of the cross product, a~ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _rotation(e: Array) -> Array:
    """R_NG of the unit quaternion e, scalar first."""
    return (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * np.outer(e[1:], e[1:]) + 2 * e[0] * _tilde(e[1:])


def _particles(s: Spacecraft, y: Array) -> list[tuple[float, Array, Array, Array, Array]]:
    """Per particle (4)-(5): mass, r, r' in G, remainder of r'' in G, and the 3 x 12 partial velocities B."""
    u, (psi1, psi2), sigma = y[U], y[PSI], y[SIGMA]
    s1, c1, s2, c2 = np.sin(psi1), np.cos(psi1), np.sin(psi2), np.cos(psi2)
    a, b = u[9], u[10]

    e = np.array([-s2, s1 * c2, -c1 * c2])
    e_1 = np.array([0.0, c1 * c2, s1 * c2])
    e_2 = np.array([-c2, -s1 * s2, c1 * s2])
    e_11 = np.array([0.0, -s1 * c2, c1 * c2])
    e_12 = np.array([0.0, -c1 * s2, -s1 * s2])
    e_22 = -e
    L = s.slosh_length
    r_P = np.array([0.0, 0.0, s.slosh_pivot]) + L * e
    B_P = np.zeros((3, 12))
    B_P[:, 0:3], B_P[:, 3:6], B_P[:, 9], B_P[:, 10] = np.eye(3), -_tilde(r_P), L * e_1, L * e_2
    remainder_P = L * (e_11 * a**2 + 2 * e_12 * a * b + e_22 * b**2)

    r_Q = np.array([s.damper_arm, 0.0, sigma - s.nominal])
    B_Q = np.zeros((3, 12))
    B_Q[:, 0:3], B_Q[:, 3:6], B_Q[2, 11] = np.eye(3), -_tilde(r_Q), 1.0

    return [
        (s.slosh_mass, r_P, L * (e_1 * a + e_2 * b), remainder_P, B_P),
        (s.damper_mass, r_Q, np.array([0.0, 0.0, u[11]]), np.zeros(3), B_Q),
    ]


def equations(y: ArrayLike, s: Spacecraft) -> tuple[Array, Array, Array]:
    """Return M, C, F of M u' + C = F, equations (1)-(5)."""
    y = np.asarray(y, dtype=float)
    u = y[U]
    v, w, W = u[0:3], u[3:6], u[6:9]
    inertia, J = np.array(s.inertia), np.diag(s.rotor_inertia)

    M, C, F = np.zeros((12, 12)), np.zeros(12), np.zeros(12)
    M[0:3, 0:3] = s.mass * np.eye(3)  # (1)
    C[0:3] = s.mass * np.cross(w, v)
    M[3:6, 3:6], M[3:6, 6:9] = inertia, J  # (2)
    C[3:6] = np.cross(w, inertia @ w + J @ W)
    M[6:9, 3:6], M[6:9, 6:9] = J, J  # (3)
    for m, r, r_dot, remainder, B in _particles(s, y):  # (4)
        M += m * B.T @ B
        C += m * B.T @ (np.cross(w, v) + np.cross(w, np.cross(w, r)) + 2 * np.cross(w, r_dot) + remainder)

    thrust = np.array([0.0, 0.0, s.thrust])
    F[0:3], F[3:6] = thrust, np.cross(s.thrust_point, thrust)
    F[6:9] = 2 * s.gains[0] * y[QUATERNION][0] * y[QUATERNION][1:] + s.gains[1] * w  # (6)
    F[11] = -s.stiffness * (y[SIGMA] - s.nominal) - s.damping * u[11]
    return M, C, F


def rhs(t: float, y: ArrayLike, s: Spacecraft) -> Array:
    """Return y' of the 22 states: M u' = F - C and the kinematical equations."""
    y = np.asarray(y, dtype=float)
    M, C, F = equations(y, s)
    u, e = y[U], y[QUATERNION]
    w = u[3:6]
    e_dot = np.concatenate(([-e[1:] @ w], e[0] * w + np.cross(e[1:], w))) / 2
    return np.concatenate((np.linalg.solve(M, F - C), u[9:11], [u[11]], e_dot, _rotation(e) @ u[0:3]))


def energy(y: ArrayLike, s: Spacecraft) -> float:
    """E = u^T M u / 2 + k (sigma - l)^2 / 2, constant without thrust, damping and motor torque."""
    y = np.asarray(y, dtype=float)
    M, _, _ = equations(y, s)
    return float(y[U] @ M @ y[U] / 2 + s.stiffness * (y[SIGMA] - s.nominal) ** 2 / 2)


def momenta(y: ArrayLike, s: Spacecraft) -> tuple[Array, Array]:
    """Linear momentum, and angular momentum about the origin of N, both in N."""
    y = np.asarray(y, dtype=float)
    u, R, p = y[U], _rotation(y[QUATERNION]), y[POSITION]
    P = s.mass * u[0:3]
    H = np.array(s.inertia) @ u[3:6] + np.array(s.rotor_inertia) * u[6:9]  # about G*
    for m, r, _, _, B in _particles(s, y):
        P = P + m * B @ u
        H = H + np.cross(r, m * B @ u)
    return R @ P, R @ H + np.cross(p, R @ P)
