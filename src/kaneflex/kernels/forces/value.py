"""What loads share: their value (a constant, what a user function returned, or a constant times a named input), how they
get on bodies, and where their energy is noted."""

from kaneflex.kernels.algebra import accumulate3, cross, load3, load33, mul, scale, tmul
from kaneflex.kernels.layout import *


def vector_value(I, P, W, m, z):
    """The three components of load m."""
    g, mode, s = force_par(I, m), I[force_row(I, m) + FORCE_MODE], I[W_LAW_OUTPUT] + I[force_row(I, m) + FORCE_LAW_OUTPUT]
    x = (z + P[g + VALUE], z + P[g + VALUE + 1], z + P[g + VALUE + 2])
    if mode == ALONG:
        x = scale(W[s], x)
    elif mode == VECTOR:
        x = load3(W, s)
    return x


def scalar_value(I, P, W, m, z):
    """The one component of load m."""
    g, mode, s = force_par(I, m), I[force_row(I, m) + FORCE_MODE], I[W_LAW_OUTPUT] + I[force_row(I, m) + FORCE_LAW_OUTPUT]
    x = z + P[g + VALUE]
    if mode == ALONG:
        x = x * W[s]
    elif mode == VECTOR:
        x = z + W[s]
    return x


def load_vector(I, P, W, m, z):
    """The value of load m in axes of M."""
    b, g = force_row(I, m), force_par(I, m)
    x = vector_value(I, P, W, m, z)
    if I[b + FORCE_AXES] == 1:
        x = tmul(load33(W, body_work(I[b + FORCE_BODY]) + R_NM), x)
    else:
        x = mul(load33(P, g + FRAME), x)
    return x


def apply_force(W, i, p, f):
    """Force f (axes of M) at point p of body i."""
    w = body_work(i)
    accumulate3(W, w + FORCE, scale(-1, f))
    accumulate3(W, w + TORQUE, cross(f, p))


def apply_torque(W, i, n):
    """Torque n (axes of M) on body i."""
    accumulate3(W, body_work(i) + TORQUE, scale(-1, n))


def record_energy(I, W, m, potential, applied, dissipated):
    """Note the potential energy of load m, J, and its power by applied and by dissipative action, W."""
    e = energy_work(I, m)
    W[e + POTENTIAL] = potential
    W[e + POWER_APPLIED] = applied
    W[e + POWER_DISSIPATED] = dissipated
