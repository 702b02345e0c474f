"""The elastic and damping forces of a flexible body's modes: tau = -k eta - C eta-dot, mode by mode or with a full C."""

from kaneflex.kernels.flexible import add_product
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import (
    AXIS_COUPLING,
    COLUMN_WIDTH,
    DIAGONAL_DAMPING,
    FLEXIBLE_P,
    FLEXIBLE_Q,
    FLEXIBLE_SPEEDS,
    FLEXIBLE_U,
    FLEXIBLE_ZERO,
    FORCE_BODY,
    MODES,
    OMEGA,
    POWER_APPLIED,
    RATE,
    RATES,
    SCRATCH,
    TAU,
    TORQUE,
    body_row,
    body_work,
    column_work,
    energy_work,
    flexible_row,
    force_row,
    is_zero,
    modal_work,
)


def modal_force(I, P, W, m, q):
    """Generalized forces, strain energy and dissipated power of all modes of load m's body."""
    i = I[force_row(I, m) + FORCE_BODY]
    f, modes, rates = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SCRATCH) + I[body_row(i) + MODES]
    k, C, eta = I[f + FLEXIBLE_P], I[f + FLEXIBLE_P] + modes, I[f + FLEXIBLE_Q]
    full = 1 - is_zero(I[f + FLEXIBLE_ZERO], DIAGONAL_DAMPING)
    z = 0 * W[OMEGA]
    energy, loss = z, z
    for n in range(modes):
        W[rates + n] = W[column_work(I, I[f + FLEXIBLE_U] + n) + RATE]
    for n in range(modes):
        drag = P[C + n * modes + n] * W[rates + n]
        if full == 1:
            drag = z
            for o in range(modes):
                drag += P[C + n * modes + o] * W[rates + o]
        stretch = q[eta + n]
        W[column_work(I, I[f + FLEXIBLE_U] + n) + TAU] -= P[k + n] * stretch + drag
        energy += P[k + n] * stretch * stretch / 2
        loss += drag * W[rates + n]
    record_energy(I, W, m, energy, z, -loss)
    if I[f + FLEXIBLE_SPEEDS] != RATES:
        stiffen(I, P, W, m, i, q)
        turn_by_modes(I, W, i)


def stiffen(I, P, W, m, i, q):
    """With CONSTANT_MASS speeds: the stiffening by the angular velocity, 1/2 omega . (J2 eta)_k omega with J2 that of the
    second-order displacements alone, as a force on each mode; its power is booked as applied."""
    f, modes, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    J2, out = I[f + FLEXIBLE_P] + 13 * modes + 7 * modes * modes, modal_work(I, i, SCRATCH)
    x, y, z = W[w + OMEGA], W[w + OMEGA + 1], W[w + OMEGA + 2]
    squares = (x * x / 2, x * y, x * z, y * y / 2, y * z, z * z / 2)
    power = 0 * x
    for n in range(modes):
        W[out + n] = 0 * x
    for c in range(6):
        if is_zero(I[f + FLEXIBLE_ZERO], 6 + c) == 0:
            for n in range(modes):
                W[out + modes + n] = squares[c] * q[I[f + FLEXIBLE_Q] + n]
            add_product(P, J2 + c * modes * modes, modes, W, out + modes, W, out)
    first = I[f + FLEXIBLE_U]
    for n in range(modes):
        W[column_work(I, first + n) + TAU] += W[out + n]
        power += W[out + n] * W[column_work(I, first + n) + RATE]
    W[energy_work(I, m) + POWER_APPLIED] += power


def turn_by_modes(I, W, i):
    """With CONSTANT_MASS speeds a modal force, conjugate to eta-dot = sigma - S eta, has a torque: -f . dS/d omega eta."""
    modes, w, carried = I[body_row(i) + MODES], body_work(i), modal_work(I, i, AXIS_COUPLING)
    first = column_work(I, I[flexible_row(I, i) + FLEXIBLE_U])
    for a in range(3):
        for n in range(modes):
            W[w + TORQUE + a] += W[carried + a * modes + n] * W[first + n * COLUMN_WIDTH + TAU]
