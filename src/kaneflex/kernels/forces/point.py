"""A force at a point or a torque, in the axes of a named frame or in inertial axes."""

from kaneflex.kernels.algebra import add, cross, dot, load3, load33, mul, tmul
from kaneflex.kernels.forces.value import apply_force, apply_torque, record_energy, vector_value
from kaneflex.kernels.layout import *


def load_vector(I, P, W, m, z):
    """The value of load m in axes of M."""
    b, g = force_row(I, m), force_par(I, m)
    x = vector_value(I, P, W, m, z)
    if I[b + FORCE_AXES] == 1:
        x = tmul(load33(W, body_work(I[b + FORCE_BODY]) + R_NM), x)
    else:
        x = mul(load33(P, g + FRAME), x)
    return x


def point_force(I, P, W, m, z):
    """Force at a point; its power is f . v of that point."""
    i, p = I[force_row(I, m) + FORCE_BODY], load3(P, force_par(I, m) + POINT)
    w = body_work(i)
    f = load_vector(I, P, W, m, z)
    apply_force(W, i, p, f)
    record_energy(I, W, m, z, dot(f, add(load3(W, w + V_), cross(load3(W, w + OMEGA), p))), z)


def point_torque(I, P, W, m, z):
    """Torque; its power is n . omega."""
    i = I[force_row(I, m) + FORCE_BODY]
    n = load_vector(I, P, W, m, z)
    apply_torque(W, i, n)
    record_energy(I, W, m, z, dot(n, load3(W, body_work(i) + OMEGA)), z)
