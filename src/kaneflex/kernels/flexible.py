"""A flexible body: its inertia, and the inertia forces that go with its modal speeds.

A point of the body is at r = p + sum phi_i eta_i + 1/2 sum g_ij eta_i eta_j from the origin O of M, g being the second-order
displacement that keeps the strain linear in eta: the source of all stiffening by motion. With V = (v, omega, sigma),
sigma = eta-dot, everything follows from one kinetic energy T = 1/2 V . M(eta) V,

    M = [ m 1   -s~   s' ]     s(eta) = s_0 + B eta + 1/2 b2 eta eta ,   s' = B + b2 eta ,
        [ s~     J    D' ]     J(eta) = J_0 + J1 eta + 1/2 J2 eta eta ,  D' = D + D2 eta ,                              (1)
        [ s'^T  D'^T   1 ]     (modes are mass-orthonormal)

and the equations of motion have, besides M times the accelerations in N (which make v drop out),

    force   = omega x (omega x s) + 2 omega x s'sigma + b2 sigma sigma                                                 (2)
    torque  = omega x (J omega + D'sigma) + J-dot omega + D2 sigma sigma                                               (3)
    mode k  = omega . (D2^T sigma - D2 sigma)_k - 1/2 omega . (dJ/d eta_k) omega                                       (4)

Ref: Banerjee, Flexible Multibody Dynamics, chapter 5, whose geometric stiffness due to inertia loads is in b2, J2 and D2.

Speeds that make M constant (MIXED). The velocity of a point is written v + omega x p + sum phi_i sigma_i, p undeformed;
where the modes span omega x (phi eta) this is the true velocity with

    eta-dot = sigma - S eta ,    S_ij = omega . d_ji ,    d_ij = int phi_i x phi_j dm ,                                 (5)

and M is that of (1) at eta = 0. Then, in place of (2) to (4),

    force = omega x (omega x s + B sigma) ,  torque = omega x J omega + sum sigma_k (J1_k omega + omega x D_k)/2 ,      (6)
    mode k = omega . (d^T sigma)_k - 1/2 omega . J1_k omega ,

and a modal force f, being conjugate to eta-dot, has the torque -f . dS/d omega eta as well. What the modes do not span is
lost: the spin rate is right to first order in eta only, the modes to (omega/omega_1)^2. Of the stiffening by motion the
part of the angular velocity is kept, as a force.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, chapter 9.
"""

from kaneflex.kernels.algebra import add, cross, half, load3, load6, scale, skew, store3, store6, store33, sym_mul
from kaneflex.kernels.layout import (
    F_,
    FLEXIBLE_P,
    FLEXIBLE_Q,
    FLEXIBLE_SPEEDS,
    FLEXIBLE_U,
    FLEXIBLE_W,
    FLEXIBLE_ZERO,
    H_,
    INERTIA,
    J_,
    MASS_MOMENT,
    MIXED,
    MODAL_BIAS,
    MODES,
    N_,
    OMEGA,
    OWN_COUPLING,
    OWN_J,
    OWN_S,
    RATE,
    RATES,
    SCRATCH,
    SIGMA,
    body_par,
    body_row,
    body_work,
    column_work,
    flexible_row,
    is_zero,
    modal_work,
)


def add_product(A, a, m, x, first, y, out):
    """y[out + j] += sum_i x[first + i] A_ij, A being m by m at A[a:], by rows: no sum is carried through the inner loop."""
    for i in range(m):
        factor = x[first + i]
        for j in range(m):
            y[out + j] += factor * A[a + i * m + j]


def subtract_rows(A, a, m, factor, x, first, y, out):
    """y[out + i] -= factor sum_j A_ij x[first + j]."""
    for i in range(m):
        total = 0 * factor
        for j in range(m):
            total += A[a + i * m + j] * x[first + j]
        y[out + i] -= factor * total


def product_with(W, a, x, first, m):
    """sum_k W[a + k] x[first + k]."""
    total = 0 * W[a]
    for k in range(m):
        total += W[a + k] * x[first + k]
    return total


def three_products(W, a, x, first, m):
    """The products of three vectors of m entries, from W[a] on, with x[first:]."""
    return product_with(W, a, x, first, m), product_with(W, a + m, x, first, m), product_with(W, a + 2 * m, x, first, m)


def six_products(W, a, x, first, m):
    """The products of six vectors of m entries, from W[a] on, with x[first:]."""
    i, j, k = three_products(W, a, x, first, m)
    l, n, o = three_products(W, a + 3 * m, x, first, m)
    return i, j, k, l, n, o


def modal_rates(I, P, W, i, q, u):
    """Rates of the modal coordinates of body i, for columns, and modal speeds as one vector."""
    f, m, sigma = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SIGMA)
    k = I[f + FLEXIBLE_U]
    for n in range(m):
        W[column_work(I, k + n) + RATE] = u[k + n]
        W[sigma + n] = u[k + n]
    if I[f + FLEXIBLE_SPEEDS] != RATES:
        carry_deflection(I, P, W, i, q)
        carried = modal_work(I, i, SCRATCH)
        for n in range(m):
            if I[f + FLEXIBLE_SPEEDS] == MIXED:
                W[column_work(I, k + n) + RATE] -= W[carried + n]
            else:
                W[sigma + n] += W[carried + n]


def carry_deflection(I, P, W, i, q):
    """S eta of Eq. (5), left in SCRATCH."""
    f, m, w, out = flexible_row(I, i), I[body_row(i) + MODES], body_work(i), modal_work(I, i, SCRATCH)
    second = I[f + FLEXIBLE_P] + m + m * m + 12 * m
    for n in range(m):
        W[out + n] = 0 * W[w + OMEGA]
    for a in range(3):
        if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
            for j in range(m):
                factor = W[w + OMEGA + a] * q[I[f + FLEXIBLE_Q] + j]
                for n in range(m):
                    W[out + n] += factor * P[second + a * m * m + j * m + n]


def constant_inertia(I, P, W, i):
    """Inertia of the flexible body i alone with MIXED speeds, and Eq. (6)."""
    f, w, g = flexible_row(I, i), body_work(i), body_par(i)
    m, own, sigma = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, SIGMA)
    linear, bias = I[f + FLEXIBLE_P] + m + m * m, modal_work(I, i, MODAL_BIAS)
    omega, s, J = load3(W, w + OMEGA), load3(P, g + MASS_MOMENT), load6(P, g + INERTIA)
    z = 0 * omega[0]
    for n in range(12 * m):
        W[own + n] = z + P[linear + n]
    store3(W, I[f + FLEXIBLE_W] + OWN_S, (z + s[0], z + s[1], z + s[2]))
    for n in range(6):
        W[I[f + FLEXIBLE_W] + OWN_J + n] = z + J[n]
    for k in range(m):
        spin = sym_mul(modal_six(W, own + 6 * m + k, m), omega)
        W[bias + k] = -(omega[0] * spin[0] + omega[1] * spin[1] + omega[2] * spin[2]) / 2
    for a in range(3):
        if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
            for j in range(m):
                factor = W[w + OMEGA + a] * W[sigma + j]
                for n in range(m):
                    W[bias + n] += factor * P[linear + 12 * m + a * m * m + j * m + n]
    turn, flow = three_products(W, own, W, sigma, m), three_products(W, own + 3 * m, W, sigma, m)
    growth = sym_mul(six_products(W, own + 6 * m, W, sigma, m), omega)
    store3(W, w + N_, add(cross(omega, sym_mul(J, omega)), half(add(growth, cross(omega, turn)))))
    store3(W, w + F_, cross(omega, add(cross(omega, s), flow)))


def modal_slopes(I, P, W, i, q):
    """D', s' and dJ/d eta of body i, then s and J themselves, in its row and in OWN_S, OWN_J: Eq. (1)."""
    b, f, g, w = body_row(i), flexible_row(I, i), body_par(i), body_work(i)
    m, eta, own = I[b + MODES], I[f + FLEXIBLE_Q], modal_work(I, i, OWN_COUPLING)
    linear = I[f + FLEXIBLE_P] + m + m * m
    z = 0 * W[w + OMEGA]
    for n in range(12 * m):
        W[own + n] = z + P[linear + n]
    for n in range(12):
        if is_zero(I[f + FLEXIBLE_ZERO], n) == 0:
            add_product(P, linear + 12 * m + n * m * m, m, q, eta, W, own + n * m)
    s, J = load3(P, g + MASS_MOMENT), load6(P, g + INERTIA)
    constant, now = three_products(P, linear + 3 * m, q, eta, m), three_products(W, own + 3 * m, q, eta, m)
    s = add(s, half(add(constant, now)))
    constant, now = six_products(P, linear + 6 * m, q, eta, m), six_products(W, own + 6 * m, q, eta, m)
    for n in range(6):
        W[I[f + FLEXIBLE_W] + OWN_J + n] = J[n] + (constant[n] + now[n]) / 2
    store3(W, I[f + FLEXIBLE_W] + OWN_S, s)
    store33(W, w + H_, skew(s))
    store6(W, w + J_, load6(W, I[f + FLEXIBLE_W] + OWN_J))


def modal_inertia(I, P, W, i, q):
    """Inertia of the flexible body i alone, and Eqs. (2) to (4), or (6)."""
    if I[flexible_row(I, i) + FLEXIBLE_SPEEDS] == RATES:
        true_inertia(I, P, W, i, q)
    else:
        constant_inertia(I, P, W, i)


def true_inertia(I, P, W, i, q):
    """Inertia of the flexible body i alone, and Eqs. (2) to (4)."""
    f, w = flexible_row(I, i), body_work(i)
    m, own, sigma = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, SIGMA)
    bias, scratch = modal_work(I, i, MODAL_BIAS), modal_work(I, i, SCRATCH)
    second = I[f + FLEXIBLE_P] + m + m * m + 12 * m
    modal_slopes(I, P, W, i, q)
    omega, s, J = load3(W, w + OMEGA), load3(W, I[f + FLEXIBLE_W] + OWN_S), load6(W, w + J_)
    z = 0 * omega[0]
    store3(W, w + N_, (z, z, z))
    store3(W, w + F_, (z, z, z))
    slope = own + 6 * m
    for k in range(m):
        spin = sym_mul(modal_six(W, slope + k, m), omega)
        W[bias + k] = -(omega[0] * spin[0] + omega[1] * spin[1] + omega[2] * spin[2]) / 2
    for n in range(6):  # D2 for the torque, b2 for the force
        if is_zero(I[f + FLEXIBLE_ZERO], n) == 0:
            for k in range(m):
                W[scratch + k] = z
            add_product(P, second + n * m * m, m, W, sigma, W, scratch)
            W[w + N_ + n] = product_with(W, scratch, W, sigma, m)
            if n < 3:
                for k in range(m):
                    W[bias + k] += W[w + OMEGA + n] * W[scratch + k]
                subtract_rows(P, second + n * m * m, m, W[w + OMEGA + n], W, sigma, W, bias)
    turn = add(sym_mul(J, omega), three_products(W, own, W, sigma, m))
    flow = three_products(W, own + 3 * m, W, sigma, m)
    growth = sym_mul(six_products(W, slope, W, sigma, m), omega)
    store3(W, w + N_, add(load3(W, w + N_), add(cross(omega, turn), growth)))
    force = add(cross(omega, add(cross(omega, s), scale(2, flow))), load3(W, w + F_))
    store3(W, w + F_, force)


def modal_six(W, a, m):
    """Six numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m], W[a + 3 * m], W[a + 4 * m], W[a + 5 * m]
