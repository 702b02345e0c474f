"""A flexible body: its inertia, and the inertia and elastic forces that go with its modal speeds.

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

Speeds that make M constant (CONSTANT_MASS). The velocity of a point is v + omega x p + sum phi_i sigma_i, p undeformed;
where the modes span omega x (phi eta) this is the true velocity with

    eta-dot = sigma - S eta ,    S_ij = omega . d_ji ,    d_ij = int phi_i x phi_j dm ,                                 (5)

and M is that of (1) at eta = 0. Then, in place of (2) to (4),

    force = omega x (omega x s + B sigma) ,  torque = omega x J omega + sum sigma_k (J1_k omega + omega x D_k)/2 ,      (6)
    mode k = omega . (d^T sigma)_k - 1/2 omega . J1_k omega ,

and a modal force f, being conjugate to eta-dot, has the torque -f . dS/d omega eta as well. What the modes do not span is
lost: the spin rate is right to first order in eta only, the modes to (omega/omega_1)^2. Of the stiffening by motion the
part of the angular velocity is kept, as a force.

The elastic and damping forces are tau = -k eta - C eta-dot, mode by mode or with a full C.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, chapter 9.
"""

from kaneflex.kernels.algebra import add, cross, dot, half, load3, load6, scale, skew, store3, store6, store33, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

MODAL_BODY = 1
FACTS = BodyFacts(MODAL_BODY, force="modes", apart=("modal_rates", "modal_inertia", "modal_accelerations", "modal_force"))


def add_product(A, a, m, x, first, y, out):
    """y[out + j] += sum_i x[first + i] A_ij, A being m by m at A[a:], by rows: no sum is carried through the inner loop."""
    for i in range(m):
        factor = x[first + i]
        for j in range(m):
            y[out + j] += factor * A[a + i * m + j]


def add_products(A, a, m, x, first, s, other, y, out, z, second):
    """y += A^T x and z += A^T s in one pass over A, see `add_product`."""
    for i in range(m):
        factor, rate_factor = x[first + i], s[other + i]
        for j in range(m):
            entry = A[a + i * m + j]
            y[out + j] += factor * entry
            z[second + j] += rate_factor * entry


def row_products(A, a, m, x, first, y, out):
    """y[out + i] -= sum_j A_ij x[first + j]."""
    for i in range(m):
        total = 0 * x[first]
        for j in range(m):
            total += A[a + i * m + j] * x[first + j]
        y[out + i] -= total


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


def quadratic_form(A, a, x, first, m):
    """x . A x for A, m by m at A[a:], and x of m entries from x[first] on."""
    total = 0 * x[first]
    for i in range(m):
        for j in range(m):
            total += x[first + i] * A[a + i * m + j] * x[first + j]
    return total


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
            if I[f + FLEXIBLE_SPEEDS] == CONSTANT_MASS:
                W[column_work(I, k + n) + RATE] -= W[carried + n]
            else:
                W[sigma + n] += W[carried + n]


def carry_deflection(I, P, W, i, q):
    """d_a^T eta for each axis a and omega . d^T sigma of Eq. (6), to AXIS_COUPLING, and S eta of (5) to SCRATCH; sigma is
    what u holds, which is right for CONSTANT_MASS speeds."""
    f, m, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    out, sigma, bias = modal_work(I, i, SCRATCH), modal_work(I, i, SIGMA), modal_work(I, i, AXIS_COUPLING) + 3 * m
    carried, second = modal_work(I, i, AXIS_COUPLING), I[f + FLEXIBLE_P] + modal_D2_par(m)
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
    """Inertia of the flexible body i alone with CONSTANT_MASS speeds, and Eq. (6)."""
    f, w, g = flexible_row(I, i), body_work(i), body_par(i)
    m, own, sigma = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, SIGMA)
    linear, bias = I[f + FLEXIBLE_P] + modal_D_par(m), modal_work(I, i, MODAL_BIAS)
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


def modal_inertia(I, P, W, i, q):
    """Inertia of the flexible body i alone, and Eqs. (2) to (4), or (6)."""
    if I[flexible_row(I, i) + FLEXIBLE_SPEEDS] == RATES:
        true_inertia(I, P, W, i, q)
    else:
        constant_inertia(I, P, W, i)


def true_inertia(I, P, W, i, q):
    """Eq. (1) of the flexible body i alone: D', s', dJ/d eta, s and J; and Eqs. (2) to (4)."""
    f, w, g = flexible_row(I, i), body_work(i), body_par(i)
    m, eta, zero = I[body_row(i) + MODES], I[f + FLEXIBLE_Q], I[f + FLEXIBLE_ZERO]
    own, sigma = modal_work(I, i, OWN_COUPLING), modal_work(I, i, SIGMA)
    slope, bias, rates = own + 6 * m, modal_work(I, i, MODAL_BIAS), modal_work(I, i, SCRATCH)
    linear, second = I[f + FLEXIBLE_P] + modal_D_par(m), I[f + FLEXIBLE_P] + modal_D2_par(m)
    omega = load3(W, w + OMEGA)
    z = 0 * omega[0]
    for n in range(12 * m):
        W[own + n] = z + P[linear + n]
    for k in range(m):
        W[bias + k] = z
    for n in range(12):
        A = second + n * m * m
        if n < 6:
            W[w + TORQUE + n] = z  # D2 gives the torque, b2 the force
        if is_zero(zero, n) == 0:
            if n < 6:
                for k in range(m):
                    W[rates + k] = z
                add_products(P, A, m, q, eta, W, sigma, W, own + n * m, W, rates)
                W[w + TORQUE + n] = product_with(W, rates, W, sigma, m)
            else:
                add_product(P, A, m, q, eta, W, own + n * m)
            if n < 3:
                row_products(P, A, m, W, sigma, W, rates)
                for k in range(m):
                    W[bias + k] += W[w + OMEGA + n] * W[rates + k]
    for k in range(m):
        spin = sym_mul(modal_six(W, slope + k, m), omega)
        W[bias + k] -= (omega[0] * spin[0] + omega[1] * spin[1] + omega[2] * spin[2]) / 2
    constant, now = three_products(P, linear + 3 * m, q, eta, m), three_products(W, own + 3 * m, q, eta, m)
    s, J = add(load3(P, g + MASS_MOMENT), half(add(constant, now))), load6(P, g + INERTIA)
    constant, now = six_products(P, linear + 6 * m, q, eta, m), six_products(W, slope, q, eta, m)
    for n in range(6):
        W[w + J_ + n] = J[n] + (constant[n] + now[n]) / 2
    J = load6(W, w + J_)
    store6(W, I[f + FLEXIBLE_W] + OWN_J, J)
    store3(W, I[f + FLEXIBLE_W] + OWN_S, s)
    store33(W, w + H_, skew(s))
    turn = add(sym_mul(J, omega), three_products(W, own, W, sigma, m))
    flow = three_products(W, own + 3 * m, W, sigma, m)
    growth = sym_mul(six_products(W, slope, W, sigma, m), omega)
    store3(W, w + TORQUE, add(load3(W, w + TORQUE), add(cross(omega, turn), growth)))
    store3(W, w + FORCE, add(cross(omega, add(cross(omega, s), scale(2, flow))), load3(W, w + FORCE)))


def modal_momentum_rate(I, P, W, i):
    """What the modal speeds and their rates add to the rate of the momentum of body i, axes of M: s' sigma-dot, and of (2)
    or (6) the terms in sigma."""
    f, m, omega = flexible_row(I, i), I[body_row(i) + MODES], load3(W, body_work(i) + OMEGA)
    linear, sigma, b2 = modal_work(I, i, OWN_COUPLING) + 3 * m, modal_work(I, i, SIGMA), I[f + FLEXIBLE_P] + m * (13 + 4 * m)
    first, rates = column_work(I, I[f + FLEXIBLE_U]), modal_work(I, i, SCRATCH)
    for k in range(m):
        W[rates + k] = W[first + k * COLUMN_WIDTH + WDOT]
    flow = cross(omega, three_products(W, linear, W, sigma, m))
    change = add(three_products(W, linear, W, rates, m), flow)
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        x, y = quadratic_form(P, b2, W, sigma, m), quadratic_form(P, b2 + m * m, W, sigma, m)
        change = add(change, add(flow, (x, y, quadratic_form(P, b2 + 2 * m * m, W, sigma, m))))
    return change


def modal_accelerations(I, P, W, i, q):
    """Second derivatives of the modal coordinates of body i in place of the rates of its speeds, where these are others:
    eta-ddot = sigma-dot - d(S eta)/dt of Eq. (5)."""
    f, m, w = flexible_row(I, i), I[body_row(i) + MODES], body_work(i)
    d, eta, first = I[f + FLEXIBLE_P] + m * (13 + m), I[f + FLEXIBLE_Q], column_work(I, I[f + FLEXIBLE_U])
    if I[f + FLEXIBLE_SPEEDS] == CONSTANT_MASS:
        for a in range(3):
            for j in range(m):
                carried = W[w + ALPHA + a] * q[eta + j] + W[w + OMEGA + a] * W[first + j * COLUMN_WIDTH + RATE]
                for k in range(m):
                    W[first + k * COLUMN_WIDTH + WDOT] -= carried * P[d + (a * m + j) * m + k]


def modal_six(W, a, m):
    """Six numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m], W[a + 3 * m], W[a + 4 * m], W[a + 5 * m]


def modal_properties(I, P, W, i):
    """Mass, mass moment and inertia about the origin of M as the body is deformed."""
    own = I[flexible_row(I, i) + FLEXIBLE_W]
    return 0 * W[own + OWN_S] + P[body_par(i) + MASS], load3(W, own + OWN_S), load6(W, own + OWN_J)


def modal_attraction(I, W, i, mass, c, n, f, k):
    """Eq. (4) of `central_force`: what a distant centre exerts on the modes."""
    own, m, first = modal_work(I, i, OWN_COUPLING), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    for mode in range(m):
        shift = modal_six(W, own + mode, m)
        shift = (shift[3] / mass, shift[4] / mass, shift[5] / mass)
        J = central_inertia(modal_six(W, own + 6 * m + mode, m), -mass, c, shift)
        W[column_work(I, first + mode) + TAU] += dot(f, shift) + k / 2 * (J[0] + J[3] + J[5] - 3 * dot(n, sym_mul(J, n)))


def modal_force(I, P, W, m, q):
    """Generalized forces, strain energy and dissipated power of all modes of load m's body."""
    i = I[force_row(I, m) + FORCE_BODY]
    f, modes, rates = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SCRATCH) + I[body_row(i) + MODES]
    k, C, eta = I[f + FLEXIBLE_P], I[f + FLEXIBLE_P] + modal_C_par(modes), I[f + FLEXIBLE_Q]
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
    J2, out = I[f + FLEXIBLE_P] + modal_J2_par(modes), modal_work(I, i, SCRATCH)
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
