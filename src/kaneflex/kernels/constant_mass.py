"""A flexible body with modal speeds that make its mass matrix constant (CONSTANT_MASS), and the undeformed one (UNDEFORMED).

The velocity of a point is v + omega x p + sum phi_i sigma_i, p undeformed; where the modes span omega x (phi eta) this is
the true velocity with

    eta-dot = sigma - S eta ,    S_ij = omega . d_ji ,    d_ij = int phi_i x phi_j dm ,                                 (1)

and M is that of the undeformed body, s_0, J_0, B = int phi dm and D = int p x phi dm about the origin of M, the unit
matrix for the modes. Then, with J1 the derivative of the inertia matrix,

    force = omega x (omega x s + B sigma) ,  torque = omega x J omega + sum sigma_k (J1_k omega + omega x D_k)/2 ,      (2)
    mode k = omega . (d^T sigma)_k - 1/2 omega . J1_k omega ,

and a modal force f, being conjugate to eta-dot, has the torque -f . dS/d omega eta as well. What the modes do not span is
lost: the spin rate is right to first order in eta only, the modes to (omega/omega_1)^2. Of the stiffening by motion the
part of the angular velocity is kept, as a force.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, chapter 9.
"""

from kaneflex.kernels.algebra import add, cross, half, load3, load6, store3, sym_mul
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import add_product, add_products, modal_six, six_products, three_products


def carry_deflection(I, P, W, i, q):
    """d_a^T eta for each axis a and omega . d^T sigma of Eq. (2), to AXIS_COUPLING, and S eta of (1) to SCRATCH; sigma is
    what u holds, which is right for CONSTANT_MASS speeds."""
    f, m, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    out, sigma, bias = modal_work(I, i, SCRATCH), modal_work(I, i, SIGMA), modal_work(I, i, AXIS_COUPLING) + 3 * m
    carried, second = modal_work(I, i, AXIS_COUPLING), shape_par(I, i) + constant_d_par(m)
    z = 0 * W[w + OMEGA]
    for n in range(m):
        W[out + n] = z
        W[bias + n] = z
    for a in range(3):
        for n in range(m):
            W[carried + a * m + n] = z
        if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
            moved = out + m
            for n in range(m):
                W[moved + n] = W[w + OMEGA + a] * W[sigma + n]
            add_products(P, second + a * m * m, m, q, I[f + FLEXIBLE_Q], W, moved, W, carried + a * m, W, bias)
            for n in range(m):
                W[out + n] += W[w + OMEGA + a] * W[carried + a * m + n]


def constant_inertia(I, P, W, i):
    """Inertia of the flexible body i alone with CONSTANT_MASS speeds, and Eq. (2)."""
    f, w, g = flexible_row(I, i), body_work(i), body_par(i)
    m, own, sigma = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, SIGMA)
    linear, bias = shape_par(I, i), modal_work(I, i, MODAL_BIAS)
    carried = modal_work(I, i, AXIS_COUPLING) + 3 * m
    omega, s, J = load3(W, w + OMEGA), load3(P, g + MASS_MOMENT), load6(P, g + INERTIA)
    z = 0 * omega[0]
    for n in range(12 * m):
        W[own + n] = z + P[linear + n]
    store3(W, I[f + FLEXIBLE_W] + OWN_S, (z + s[0], z + s[1], z + s[2]))
    for n in range(6):
        W[I[f + FLEXIBLE_W] + OWN_J + n] = z + J[n]
    for k in range(m):
        spin = sym_mul(modal_six(W, own + 6 * m + k, m), omega)
        W[bias + k] = W[carried + k] - (omega[0] * spin[0] + omega[1] * spin[1] + omega[2] * spin[2]) / 2
    turn, flow = three_products(W, own, W, sigma, m), three_products(W, own + 3 * m, W, sigma, m)
    growth = sym_mul(six_products(W, own + 6 * m, W, sigma, m), omega)
    store3(W, w + TORQUE, add(cross(omega, sym_mul(J, omega)), half(add(growth, cross(omega, turn)))))
    store3(W, w + FORCE, cross(omega, add(cross(omega, s), flow)))


def carried_accelerations(I, P, W, i, q):
    """eta-ddot = sigma-dot - d(S eta)/dt of Eq. (1) in place of the rates of the speeds of body i."""
    f, m, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    d, eta, first = shape_par(I, i) + constant_d_par(m), I[f + FLEXIBLE_Q], column_work(I, I[f + FLEXIBLE_U])
    for a in range(3):
        for j in range(m):
            carried = W[w + ALPHA + a] * q[eta + j] + W[w + OMEGA + a] * W[first + j * COLUMN_WIDTH + RATE]
            for k in range(m):
                W[first + k * COLUMN_WIDTH + WDOT] -= carried * P[d + (a * m + j) * m + k]


def stiffen(I, P, W, m, i, q):
    """The stiffening by the angular velocity, 1/2 omega . (J2 eta)_k omega with J2 that of the second-order displacements
    alone, as a force on each mode; its power is booked as applied."""
    f, modes, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    J2, out = shape_par(I, i) + constant_J2_par(modes), modal_work(I, i, SCRATCH)
    x, y, z = W[w + OMEGA], W[w + OMEGA + 1], W[w + OMEGA + 2]
    squares = (x * x / 2, x * y, x * z, y * y / 2, y * z, z * z / 2)
    power = 0 * x
    for n in range(modes):
        W[out + n] = 0 * x
    for c in range(6):
        if is_zero(I[f + FLEXIBLE_ZERO], FORMS - 6 + c) == 0:
            for n in range(modes):
                W[out + modes + n] = squares[c] * q[I[f + FLEXIBLE_Q] + n]
            add_product(P, J2 + c * modes * modes, modes, W, out + modes, W, out)
    first = I[f + FLEXIBLE_U]
    for n in range(modes):
        W[column_work(I, first + n) + TAU] += W[out + n]
        power += W[out + n] * W[column_work(I, first + n) + RATE]
    W[energy_work(I, m) + POWER_APPLIED] += power


def turn_by_modes(I, W, i):
    """A modal force, conjugate to eta-dot = sigma - S eta, has a torque: -f . dS/d omega eta."""
    modes, w, carried = I[body_row(i) + MODES], body_work(i), modal_work(I, i, AXIS_COUPLING)
    first = column_work(I, I[flexible_row(I, i) + FLEXIBLE_U])
    for a in range(3):
        for n in range(modes):
            W[w + TORQUE + a] += W[carried + a * modes + n] * W[first + n * COLUMN_WIDTH + TAU]
