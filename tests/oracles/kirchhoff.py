"""A rigid body in a perfect fluid at rest without gravity, by Kirchhoff's equations.

With v the velocity of the body's origin and w its angular velocity in body axes, B the 6x6 inertia of body and fluid, and
(P, L) = B (v, w): P' = P x w, L' = L x w + P x v. Ref: Lamb, Hydrodynamics (1932), section 124.
"""

import numpy as np
from scipy.integrate import solve_ivp


def skew(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def body_inertia(mass, com, inertia):
    """6x6 inertia of a rigid body about its origin, linear part first."""
    c = skew(np.array(com))
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, np.diag(inertia) - mass * c @ c]])


def motion(B, v, w, times):
    """Place of the origin, (K, 3), and rotation matrices, (K, 3, 3), at times, from the origin and no rotation at 0."""

    def rates(t, y):
        R, P, L = y[3:12].reshape(3, 3), y[12:15], y[15:]
        v, w = np.split(np.linalg.solve(B, y[12:]), 2)
        return np.concatenate([R @ v, (R @ skew(w)).ravel(), np.cross(P, w), np.cross(L, w) + np.cross(P, v)])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel(), B @ np.concatenate([v, w])])
    found = solve_ivp(rates, (0, times[-1]), start, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13)
    return found.y[:3].T, found.y[3:12].T.reshape(-1, 3, 3)
