"""Added inertia: fluid that a body moves along resists its acceleration and has no weight.

    torque = J alpha + H a ,    force = H^T alpha + M a ,    T = (omega.J omega + 2 omega.H v + v.M v)/2                 (1)

about the origin of M in axes of M, with constant J, H and M, the latter a matrix that need not be isotropic. It joins the
body's own inertia, so that whatever is solved sees it. Gravity loads all inertia alike here, as an acceleration of the
inertial frame: the loads of the fluid, which put the added inertia there, take its weight off again, and have the terms in
velocities and in the motion of the fluid (`forces.morison`, `forces.added_mass`).
"""

from kaneflex.kernels.algebra import accumulate6, accumulate33, add, dot, load3, load6, load33, mul, sym_mul, tmul
from kaneflex.kernels.layout import *


def join_added_inertia(I, P, W, i):
    """Add (1) to the inertia of body i."""
    w, g = body_work(i), I[body_row(i) + ADDED]
    accumulate6(W, w + J_, load6(P, g))
    accumulate33(W, w + H_, load33(P, g + added_H_par()))
    accumulate6(W, w + M_, load6(P, g + added_M_par()))


def added_momentum(J, H, M, omega, v):
    """Angular and linear momentum of the fluid, (J omega + H v, H^T omega + M v)."""
    return add(sym_mul(J, omega), mul(H, v)), add(tmul(H, omega), sym_mul(M, v))


def added_energy(I, P, W, i):
    """T of (1) for body i."""
    w, g = body_work(i), I[body_row(i) + ADDED]
    J, H, M = load6(P, g), load33(P, g + added_H_par()), load6(P, g + added_M_par())
    omega, v = load3(W, w + OMEGA), load3(W, w + V_)
    angular, linear = added_momentum(J, H, M, omega, v)
    return (dot(omega, angular) + dot(v, linear)) / 2
