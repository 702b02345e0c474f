"""A rigid body: mass, mass moment h = m c and inertia J about the origin of M are constants in P."""

from kaneflex.kernels.algebra import cross, dot, load3, load6, skew, store3, store6, store33, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.layout import *

RIGID_BODY = 0
FACTS = BodyFacts(RIGID_BODY)


def rigid_inertia(P, W, i):
    """Inertia of body i alone, and the brackets of (1) and (2) of `inertia`."""
    m, h, J = rigid_properties(P, W, i)
    store_inertia(W, body_work(i), m, h, J)


def rigid_properties(P, W, i):
    """Mass, mass moment and inertia about the origin of M, as P has them."""
    g, z = body_par(i), 0 * W[body_work(i) + OMEGA]
    h, J = load3(P, g + MASS_MOMENT), load6(P, g + INERTIA)
    h = (z + h[0], z + h[1], z + h[2])
    return z + P[g + MASS], h, (z + J[0], z + J[1], z + J[2], z + J[3], z + J[4], z + J[5])


def store_inertia(W, w, m, h, J):
    """Inertia of body row w alone with these properties, and the brackets of (1) and (2) of `inertia`."""
    omega = load3(W, w + OMEGA)
    z = 0 * omega[0]
    store6(W, w + J_, J)
    store33(W, w + H_, skew(h))
    store6(W, w + M_, (m, z, z, m, z, m))
    store3(W, w + TORQUE, cross(omega, sym_mul(J, omega)))
    store3(W, w + FORCE, cross(omega, cross(omega, h)))


def central_inertia(J, m, a, b):
    """J + m (2 a.b 1 - a b^T - b a^T)."""
    d = 2 * dot(a, b)
    return (
        J[0] + m * (d - 2 * a[0] * b[0]),
        J[1] - m * (a[0] * b[1] + b[0] * a[1]),
        J[2] - m * (a[0] * b[2] + b[0] * a[2]),
        J[3] + m * (d - 2 * a[1] * b[1]),
        J[4] - m * (a[1] * b[2] + b[1] * a[2]),
        J[5] + m * (d - 2 * a[2] * b[2]),
    )
