"""Loads in joints and on rotors, conjugate to the relative rate w (never to u, whose meaning the user may change)."""

from kaneflex.kernels.forces.value import record_energy, scalar_value
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import ramp, step


def joint_spring(I, P, W, m, q, z):
    """tau = -k (q - q0) - c w. Parameters: k, c, q0; a rotor has no coordinate, only damping."""
    b, g = force_row(I, m), force_par(I, m)
    c = column_work(I, I[b + FORCE_COLUMN])
    w, drag, stretch = W[c + RATE], P[g + FORCE_LAW + 1], z
    if I[b + FORCE_COORDINATE] >= 0:
        stretch = q[I[b + FORCE_COORDINATE]] - P[g + FORCE_LAW + 2]
    W[c + TAU] -= P[g + FORCE_LAW] * stretch + drag * w
    record_energy(I, W, m, P[g + FORCE_LAW] * stretch * stretch / 2, z, -drag * w * w)


def joint_stop(I, P, W, m, q, z):
    """One-sided spring and damper beyond a bound: parameters k, c, bound, side (1: upper, -1: lower)."""
    b, g = force_row(I, m), force_par(I, m)
    c, side = column_work(I, I[b + FORCE_COLUMN]), P[g + FORCE_LAW + 3]
    w, x = W[c + RATE], side * (q[I[b + FORCE_COORDINATE]] - P[g + FORCE_LAW + 2])
    drag = P[g + FORCE_LAW + 1] * step(x) * w
    W[c + TAU] -= side * P[g + FORCE_LAW] * ramp(x) + drag
    record_energy(I, W, m, P[g + FORCE_LAW] * ramp(x) * ramp(x) / 2, z, -drag * w)


def joint_load(I, P, W, m, z):
    """tau = value."""
    c = column_work(I, I[force_row(I, m) + FORCE_COLUMN])
    load = scalar_value(I, P, W, m, z)
    W[c + TAU] += load
    record_energy(I, W, m, z, load * W[c + RATE], z)


def ball_spring(I, P, W, m, q, z):
    """Isotropic spring and damper of a ball (or free) joint: V = 2 k (1 - e0^2), torque -2 k e0 e - c w.

    For small angles k is the stiffness per radian; smooth through a half turn, and the same for e and -e.
    Parameters: k, c.
    """
    b, g = force_row(I, m), force_par(I, m)
    k, drag, e = P[g + FORCE_LAW], P[g + FORCE_LAW + 1], I[b + FORCE_COORDINATE]
    loss = z
    for n in range(3):
        c = column_work(I, I[b + FORCE_COLUMN]) + n * COLUMN_WIDTH
        W[c + TAU] -= 2 * k * q[e] * q[e + 1 + n] + drag * W[c + RATE]
        loss += drag * W[c + RATE] * W[c + RATE]
    record_energy(I, W, m, 2 * k * (q[e + 1] * q[e + 1] + q[e + 2] * q[e + 2] + q[e + 3] * q[e + 3]), z, -loss)


def joint_drive(I, P, W, m, z):
    """The given w-dot of a prescribed speed; its power is known only after the solve."""
    W[column_work(I, I[force_row(I, m) + FORCE_COLUMN]) + PRESCRIBED_RATE] = scalar_value(I, P, W, m, z)
    record_energy(I, W, m, z, z, z)
