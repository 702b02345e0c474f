"""A flexible body: its inertia, and the inertia and elastic forces that go with its modal speeds sigma = eta-dot.

The body turns about its root by Theta = T eta, its mean rotation, exactly, and deforms in the axes that turn so.
There (see `structures.modes.mean_axes`) it is a few points of unit mass at

    c_k = c_k0 + columns_k eta + 1/2 R_k eta eta ,                                                                     (1)

k = 0 at sqrt m times the mass centre from the root, the others without a part in translation, and the residual modes
phi, linear and orthogonal to those, with E = int phi . phi dm, D = eta d, d_ij = int phi_i x phi_j dm, and the inertia
J = 1/2 eta F eta of phi eta. R_k holds the second-order displacements that keep the strain linear in eta: the source of all
stiffening by motion. Nothing is truncated once (1) is given, so that the mass matrix, a sum of squares of velocities, is
positive at any deflection, and power is the rate of energy.

With Omega = A sigma the angular velocity of the mean axes in M, A = (dexp) T, w = omega + Omega that in N,
chi = omega x Omega + A-dot sigma, all in mean axes, and e_kj = dc_k/d eta_j + A_j x c_k,

    b_k = w x (w x c_k + 2 c_k-dot) + sigma R_k sigma + chi x c_k   (k = 0: + sqrt m omega x (omega x root))            (2)
    n   = w x (J w + D sigma) + J-dot w + J chi                                                                        (3)

and the equations of motion have, besides M times the accelerations in N,

    force = sqrt m b_0 ,   torque = sum c_k x b_k + n   (about the root) ,
    mode j = sum e_kj . b_k + A_j . n + D_j . chi + 2 w . (sigma d)_j - 1/2 w . (F eta)_j w ,                             (4)

    M: coupling of mode j   sqrt m e_0j ,  sum c_k x e_kj + X_j ,   X_j = D_j + J A_j                                  (5)
       modal mass           E_jl + sum e_kj . e_kl + A_j . X_l + D_j . A_l

The elastic and damping forces are tau = -k eta - C eta-dot, mode by mode or with a full C.
Ref: Banerjee, Flexible Multibody Dynamics, chapter 5, whose geometric stiffness due to inertia loads is in R_k.
"""

from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    half,
    load3,
    load6,
    load33,
    mul,
    scale,
    store3,
    store6,
    store33,
    sub,
    sym_congruence,
    sym_mul,
    tmul,
    transpose,
)
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.constant_mass import constant_inertia, constant_mass_entry, store_whole
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import (
    add_outer_six,
    add_outer_three,
    modal_six,
    modal_three,
    row_sums,
    second_rates,
    six_products,
    three_products,
)
from kaneflex.kernels.rotation import turn_bias, turn_factors, turn_matrix, turn_rate

MODAL_BODY = 1
FACTS = BodyFacts(MODAL_BODY, force="modes", apart=("modal_rates", "modal_inertia", "modal_force"))


def modal_rates(I, W, i, u):
    """Rates of the modal coordinates of body i, for columns, and as one vector."""
    m, k, sigma = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U], modal_work(I, i, SIGMA)
    for n in range(m):
        W[column_work(I, k + n) + RATE] = u[k + n]
        W[sigma + n] = u[k + n]


def modal_inertia(I, P, W, i, q):
    """Inertia of the flexible body i alone, and what its equations have besides rates of speeds."""
    if I[flexible_row(I, i) + FLEXIBLE_SPEEDS] == RATES:
        take_shape(I, P, W, i, q)
        deformed_inertia(I, P, W, i, q)
        own_modal_mass(I, P, W, i)
    else:
        constant_inertia(I, P, W, i, q)


def take_shape(I, P, W, i, q):
    """RESIDUAL_MOMENTUM D, POINT_COLUMNS of (1) and RESIDUAL_SLOPE F eta; forms times sigma stay in BY_SIGMA."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    shape, columns = shape_par(I, i), modal_work(I, i, RESIDUAL_MOMENTUM)
    by_eta, count, z = modal_work(I, i, BY_ETA), I[f + FLEXIBLE_FORMS], 0 * W[body_work(i) + OMEGA]
    forms, both, sigma = shape + shape_forms_par(m), I[f + FLEXIBLE_RATE_FORMS] * m, modal_work(I, i, SIGMA)
    row_sums(P, forms, count * m, both, m, q, I[f + FLEXIBLE_Q], W, sigma, W, by_eta, W, modal_work(I, i, BY_SIGMA))
    for n in range(FORMS * m):
        W[columns + n] = z
    for n in range(3 * m * I[f + FLEXIBLE_POINTS]):
        W[modal_work(I, i, POINT_COLUMNS) + n] = z + P[shape + shape_c1_par(m) + n]
    slot = 0
    for n in range(FORMS):
        if is_zero(I[f + FLEXIBLE_ZERO], n) == 0:
            for k in range(m):
                W[columns + n * m + k] += W[by_eta + slot * m + k]
            slot += 1


def mean_turn(I, P, W, i, q):
    """The mean axes of body i: their rotation to OWN_R, A to TURN_COLUMNS; gives Omega and A-dot sigma."""
    m, T, columns = I[body_row(i) + MODES], shape_par(I, i) + shape_T_par(), modal_work(I, i, TURN_COLUMNS)
    theta = three_products(P, T, q, I[flexible_row(I, i) + FLEXIBLE_Q], m)
    rate = three_products(P, T, W, modal_work(I, i, SIGMA), m)
    a, b, a_slope, b_slope = turn_factors(dot(theta, theta))
    for k in range(m):
        turn = turn_rate(theta, a, b, modal_three(P, T + k, m))
        for c in range(3):
            W[columns + c * m + k] = turn[c]
    store33(W, I[flexible_row(I, i) + FLEXIBLE_W] + OWN_R, turn_matrix(theta, a, b))
    return turn_rate(theta, a, b, rate), turn_bias(theta, rate, b, a_slope, b_slope)


def deformed_inertia(I, P, W, i, q):
    """Inertia, coupling (5), and the terms (2) to (4) of the flexible body i; after `take_shape`."""
    f, w, shape, m = flexible_row(I, i), body_work(i), shape_par(I, i), I[body_row(i) + MODES]
    own, eta, sigma = I[f + FLEXIBLE_W], I[f + FLEXIBLE_Q], modal_work(I, i, SIGMA)
    columns, slopes = modal_work(I, i, POINT_COLUMNS), modal_work(I, i, RESIDUAL_SLOPE)
    omega, root = load3(W, w + OMEGA), load3(P, shape)
    Omega, bias = mean_turn(I, P, W, i, q)
    R, size = load33(W, own + OWN_R), P[shape + shape_root_mass_par()]
    carried = tmul(R, omega)
    spin, chi = add(carried, Omega), add(cross(carried, Omega), bias)
    J, growth = half_six(six_products(W, slopes, q, eta, m)), six_products(W, slopes, W, sigma, m)
    flow = three_products(W, modal_work(I, i, RESIDUAL_MOMENTUM), W, sigma, m)
    store6(W, own + OWN_RESIDUAL, J)
    n = add(cross(spin, add(sym_mul(J, spin), flow)), add(sym_mul(growth, spin), sym_mul(J, chi)))
    columns_of_residual(I, W, i, J, n, chi, spin)
    torque, slot = n, rate_slots(I[f + FLEXIBLE_ZERO])
    for k in range(I[f + FLEXIBLE_POINTS]):
        at = columns + 3 * k * m
        constant = three_products(P, shape + shape_c1_par(m) + 3 * k * m, q, eta, m)
        c, v = half(add(constant, three_products(W, at, q, eta, m))), three_products(W, at, W, sigma, m)
        c = add(load3(P, shape + shape_places_par() + 3 * k), c)
        second, slot = second_rates(I, W, i, 3 + 3 * k, slot)
        b = add(cross(spin, add(cross(spin, c), scale(2, v))), add(second, cross(chi, c)))
        if k == 0:
            b = add(b, scale(size, tmul(R, cross(omega, cross(omega, root)))))
        store3(W, own + OWN_C + 3 * k, c)
        store3(W, own + OWN_B + 3 * k, b)
        torque, J = add(torque, cross(c, b)), central_inertia(J, 1, c, half(c))
        columns_of_point(I, W, i, k, c, b)
    to_joint_axes(I, P, W, i, J, torque)


def half_six(J):
    """J/2 of six numbers."""
    return J[0] / 2, J[1] / 2, J[2] / 2, J[3] / 2, J[4] / 2, J[5] / 2


def rate_slots(zero):
    """How many of the first three forms, d, there are."""
    return 3 - is_zero(zero, 0) - is_zero(zero, 1) - is_zero(zero, 2)


def columns_of_residual(I, W, i, J, n, chi, spin):
    """X of (5) to TURNED_MOMENTUM and to the angular coupling, and what (4) has of the residual modes to MODAL_BIAS."""
    m, zero, at = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_ZERO], modal_work(I, i, BY_SIGMA)
    A, D, X = modal_work(I, i, TURN_COLUMNS), modal_work(I, i, RESIDUAL_MOMENTUM), modal_work(I, i, TURNED_MOMENTUM)
    out, coupling, F = modal_work(I, i, MODAL_BIAS), modal_work(I, i, OWN_COUPLING), modal_work(I, i, RESIDUAL_SLOPE)
    x, y, z = spin
    squares = (x * x / 2, x * y, x * z, y * y / 2, y * z, z * z / 2)
    for j in range(m):
        turn, own, slope = modal_three(W, A + j, m), modal_three(W, D + j, m), modal_six(W, F + j, m)
        momentum = add(own, sym_mul(J, turn))
        for c in range(3):
            W[X + c * m + j] = momentum[c]
            W[coupling + c * m + j] = momentum[c]
        value = dot(turn, n) + dot(own, chi) - slope[0] * squares[0] - slope[1] * squares[1] - slope[2] * squares[2]
        W[out + j] = value - slope[3] * squares[3] - slope[4] * squares[4] - slope[5] * squares[5]
    slot = 0
    for a in range(3):
        if is_zero(zero, a) == 0:
            for j in range(m):
                W[out + j] += 2 * spin[a] * W[at + slot * m + j]
            slot += 1


def columns_of_point(I, W, i, k, c, b):
    """e_kj in place of dc_k/d eta_j, and its shares in coupling (5) and in (4)."""
    m, A, at = I[body_row(i) + MODES], modal_work(I, i, TURN_COLUMNS), modal_work(I, i, POINT_COLUMNS + 3 * k)
    out, coupling = modal_work(I, i, MODAL_BIAS), modal_work(I, i, OWN_COUPLING)
    for j in range(m):
        e = add(modal_three(W, at + j, m), cross(modal_three(W, A + j, m), c))
        turn = cross(c, e)
        for n in range(3):
            W[at + n * m + j] = e[n]
            W[coupling + n * m + j] += turn[n]
        W[out + j] += dot(e, b)


def to_joint_axes(I, P, W, i, J, torque):
    """Inertia, torque, force and coupling, so far about the root in mean axes, about the origin of M in its axes."""
    own, shape, m = I[flexible_row(I, i) + FLEXIBLE_W], shape_par(I, i), I[body_row(i) + MODES]
    first, coupling, R = modal_work(I, i, POINT_COLUMNS), modal_work(I, i, OWN_COUPLING), load33(W, own + OWN_R)
    size, root = P[shape + shape_root_mass_par()], load3(P, shape)
    for j in range(m):
        shift = scale(size, mul(R, modal_three(W, first + j, m)))
        turn = add(mul(R, modal_three(W, coupling + j, m)), cross(root, shift))
        for c in range(3):
            W[coupling + c * m + j] = turn[c]
            W[coupling + (3 + c) * m + j] = shift[c]
    moment, force = scale(size, mul(R, load3(W, own + OWN_C))), scale(size, mul(R, load3(W, own + OWN_B)))
    store_whole(I, P, W, i, sym_congruence(transpose(R), J), moment, force, mul(R, torque))


def own_modal_mass(I, P, W, i):
    """Modal mass (5) of the flexible body i alone, upper half."""
    f, m, points = flexible_row(I, i), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_POINTS]
    M, E, z = I[f + FLEXIBLE_MASS], shape_par(I, i) + shape_E_par(m), 0 * W[body_work(i) + OMEGA]
    A, columns = modal_work(I, i, TURN_COLUMNS), modal_work(I, i, POINT_COLUMNS)
    for k in range(m * m):
        W[M + k] = z + P[E + k]
    add_outer_six(W, A, modal_work(I, i, TURNED_MOMENTUM), M, m, m)  # A with X, D, behind A, with A, behind X
    for k in range(0, points - points % 2, 2):
        add_outer_six(W, columns + 3 * k * m, columns + 3 * k * m, M, m, m)
    if points % 2 == 1:
        add_outer_three(W, columns + 3 * (points - 1) * m, columns + 3 * (points - 1) * m, M, m, m)


def modal_mass_entry(I, W, i, k, n):
    """Entry k, n of the modal mass matrix of the flexible body i alone."""
    f, m, value = flexible_row(I, i), I[body_row(i) + MODES], 0 * W[body_work(i) + OMEGA]
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        if k < n:
            value += W[I[f + FLEXIBLE_MASS] + k * m + n]
        else:
            value += W[I[f + FLEXIBLE_MASS] + n * m + k]
    else:
        value += constant_mass_entry(I, W, i, k, n)
    return value


def modal_properties(I, P, W, i):
    """Mass, mass moment and inertia about the origin of M as the body is deformed."""
    own = I[flexible_row(I, i) + FLEXIBLE_W]
    return 0 * W[own + OWN_S] + P[body_par(i) + MASS], load3(W, own + OWN_S), load6(W, own + OWN_J)


def modal_momentum_rate(I, P, W, i):
    """What the modal speeds and their rates add to the rate of the momentum of body i, axes of M: coupling times rates, and
    the terms in sigma of sqrt m b_0."""
    f, m, omega = flexible_row(I, i), I[body_row(i) + MODES], load3(W, body_work(i) + OMEGA)
    linear, own, first = modal_work(I, i, OWN_COUPLING) + 3 * m, I[f + FLEXIBLE_W], column_work(I, I[f + FLEXIBLE_U])
    rates, force = modal_work(I, i, SCRATCH), load3(W, own + OWN_B)
    for k in range(m):
        W[rates + k] = W[first + k * COLUMN_WIDTH + WDOT]
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        force = mul(load33(W, own + OWN_R), force)
    change = sub(scale(P[shape_par(I, i) + shape_root_mass_par()], force), cross(omega, cross(omega, load3(W, own + OWN_S))))
    return add(three_products(W, linear, W, rates, m), change)


def inertia_slopes(I, P, W, i):
    """dJ/d eta about the origin of M to J_SLOPE, after `modal_inertia`; see `attracted_inertia`."""
    f, m, shape = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i)
    own, out, coupling = I[f + FLEXIBLE_W], modal_work(I, i, J_SLOPE), modal_work(I, i, OWN_COUPLING)
    A, columns, F = modal_work(I, i, TURN_COLUMNS), modal_work(I, i, POINT_COLUMNS), modal_work(I, i, RESIDUAL_SLOPE)
    o = 0 * W[own + OWN_C]
    for j in range(m):
        slope = (o, o, o, o, o, o)
        if I[f + FLEXIBLE_SPEEDS] == RATES:
            slope = turned_six(modal_six(W, F + j, m), load6(W, own + OWN_RESIDUAL), modal_three(W, A + j, m))
        for k in range(I[f + FLEXIBLE_POINTS]):
            e = modal_three(W, columns + 3 * k * m + j, m)
            slope = central_inertia(slope, 1, load3(W, own + OWN_C + 3 * k), e)
        if I[f + FLEXIBLE_SPEEDS] == RATES:
            slope = sym_congruence(transpose(load33(W, own + OWN_R)), slope)
        slope = central_inertia(slope, 1, load3(P, shape), modal_three(W, coupling + 3 * m + j, m))
        for c in range(6):
            W[out + c * m + j] = slope[c]


def turned_six(S, J, t):
    """S + t~ J - J t~ of six numbers each: the rate of J that turns with t and changes by S."""
    x, y, z = t
    xx, xy, xz, yy, yz, zz = J
    return (
        S[0] + 2 * (y * xz - z * xy),
        S[1] + y * yz - z * yy + z * xx - x * xz,
        S[2] + y * zz - z * yz + x * xy - y * xx,
        S[3] + 2 * (z * xy - x * yz),
        S[4] + z * xz - x * zz + x * yy - y * xy,
        S[5] + 2 * (x * yz - y * xz),
    )


def modal_attraction(I, P, W, i, mass, c, n, f, k):
    """Eq. (4) of `central_force`: what a distant centre exerts on the modes."""
    inertia_slopes(I, P, W, i)
    attract_modes(I, W, i, mass, c, n, f, k)


def attract_modes(I, W, i, mass, c, n, f, k):
    """The same, with dJ/d eta in J_SLOPE."""
    own, m, first = modal_work(I, i, OWN_COUPLING), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    for mode in range(m):
        shift = modal_three(W, own + 3 * m + mode, m)
        shift = (shift[0] / mass, shift[1] / mass, shift[2] / mass)
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
