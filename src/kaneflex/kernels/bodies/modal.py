"""A flexible body: its inertia, and the inertia and elastic forces that go with its modal speeds sigma = eta-dot.

The body turns about its root by Theta = T eta, its mean rotation, exactly, and deforms in the axes that turn so.
There (see `structures.modes.mean_axes`) it is a few points of unit mass at

    c_k = c_k0 + columns_k eta + 1/2 R_k eta eta ,                                                                     (1)

k = 0 at sqrt m times the mass centre from the root, the others without a part in translation, and the residual modes
phi, linear and orthogonal to those, with E = int phi . phi dm, D = eta d, d_ij = int phi_i x phi_j dm, and the inertia
J = 1/2 eta F eta of phi eta. R_k holds the second-order displacements that keep the strain linear in eta: the source of all
stiffening by motion. Nothing is truncated once (1) is given, so that the mass matrix, a sum of squares of velocities, is
positive at any deflection, and power is the rate of energy.

With Omega = A sigma the angular velocity of the mean axes in M, A = G T of `rotation`, w = omega + Omega that in N,
chi = omega x Omega + A-dot sigma, all in mean axes, and g_kj = dc_k/d eta_j,

    b_k = w x (w x c_k + 2 c_k-dot) + sigma R_k sigma + chi x c_k   (k = 0: + sqrt m omega x (omega x root))            (2)
    n   = w x (J w + D sigma) + J-dot w + J chi                                                                        (3)

and the equations of motion have, besides M times the accelerations in N,

    force = sqrt m b_0 ,   torque = sum c_k x b_k + n   (about the root) ,
    mode j = sum g_kj . b_k + A_j . torque + D_j . chi + 2 w . (sigma d)_j - 1/2 w . (F eta)_j w .                       (4)

With the whole inertia J_c = J + that of the points, Y_j = D_j + sum c_k x g_kj + 1/2 J_c A_j,

    M: coupling of mode j   sqrt m (g_0j + A_j x c_0) ,  Y_j + 1/2 J_c A_j                                              (5)
       modal mass           E_jl + sum g_kj . g_kl + A_j . Y_l + Y_j . A_l

where products of such parts of g_k as R_k leaves constant are in E already.
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
from kaneflex.kernels.constant_mass import constant_mass_entry, first_columns
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import (
    modal_rows,
    modal_six,
    modal_three,
    numbers_at,
    parts_at,
    rows_at,
    six_totals,
    store_rows,
    three_products,
)
from kaneflex.kernels.modal_shape import at_forms, form_columns, own_modal_mass, store_whole, take_shape
from kaneflex.kernels.ops import lanes, row, row_of, row_part, store_row
from kaneflex.kernels.rotation import rate_matrix, turn_bias, turn_factors, turn_matrix

MODAL_BODY = 1
FACTS = BodyFacts(MODAL_BODY, force="modes", apart=("modal_rates", "modal_inertia", "modal_force"))


def modal_rates(I, P, W, i, q, u):
    """Rates of the modal coordinates of body i, for columns, and as one vector, as are the coordinates; its mean axes."""
    m, f, eta, sigma = I[body_row(i) + MODES], flexible_row(I, i), modal_work(I, i, ETA), modal_work(I, i, SIGMA)
    first, k = I[f + FLEXIBLE_Q], I[f + FLEXIBLE_U]
    for n in range(m):
        W[sigma + n] = u[k + n]
        W[eta + n] = q[first + n]
    for n in range(m):
        W[column_work(I, k + n) + RATE] = u[k + n]
    if I[BODIES] > I[f + FLEXIBLE_TURNING]:
        mean_turn(I, P, W, i)


def mean_turn(I, P, W, i):
    """The mean axes of body i: their rotation to OWN_R, A to TURN_COLUMNS, Omega and A-dot sigma."""
    m, T, A = I[body_row(i) + MODES], shape_par(I, i) + shape_T_par(), modal_work(I, i, TURN_COLUMNS)
    own, eta, sigma = I[flexible_row(I, i) + FLEXIBLE_W], modal_work(I, i, ETA), modal_work(I, i, SIGMA)
    z = 0 * W[sigma]
    angles, rates = (row_of(z), row_of(z), row_of(z)), (row_of(z), row_of(z), row_of(z))
    for k in range(0, m, lanes(z)):
        n = m - k
        turn = parts_at(z, P, (T, T + m, T + 2 * m), k, n)
        angles = add(angles, scale(row_part(z, W, eta + k, n), turn))
        rates = add(rates, scale(row_part(z, W, sigma + k, n), turn))
    theta, rate = six_totals(angles, rates)
    a, b = turn_factors(dot(theta, theta))
    G = rate_matrix(theta, a, b)
    for k in range(0, m, lanes(z)):
        store_rows(W, A + k, m, mul(G, modal_rows(z, P, T + k, m)), m - k)
    store33(W, own + OWN_R, turn_matrix(theta, a, b))
    store3(W, own + OWN_OMEGA, mul(G, rate))
    store3(W, own + OWN_CHANGE, turn_bias(theta, rate, b))


def modal_inertia(I, P, W, i):
    """Inertia of the flexible body i alone, and what its equations have besides rates of speeds; after `modal_rates`."""
    take_shape(I, P, W, i)
    deformed_inertia(I, P, W, i)
    if I[flexible_row(I, i) + FLEXIBLE_SOLVER] == DIRECT:
        own_modal_mass(I, P, W, i)
    else:
        first_columns(I, P, W, i)


def deformed_inertia(I, P, W, i):
    """Inertia, coupling (5), and the terms (2) to (4) of the flexible body i; after `take_shape`."""
    f, shape, omega = flexible_row(I, i), shape_par(I, i), load3(W, body_work(i) + OMEGA)
    own, root, size, spin, z = I[f + FLEXIBLE_W], load3(P, shape), P[shape + shape_root_mass_par()], omega, 0 * omega[0]
    chi, pull = (z, z, z), scale(size, cross(omega, cross(omega, root)))
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        R, Omega = load33(W, own + OWN_R), load3(W, own + OWN_OMEGA)
        carried = tmul(R, omega)
        spin, chi, pull = add(carried, Omega), add(cross(carried, Omega), load3(W, own + OWN_CHANGE)), tmul(R, pull)
    J = at_forms(I, W, i, 15, OWN_PLACE) + at_forms(I, W, i, 18, OWN_PLACE)
    growth, flow = at_forms(I, W, i, 15, OWN_RATE) + at_forms(I, W, i, 18, OWN_RATE), at_forms(I, W, i, 0, OWN_RATE)
    torque = add(cross(spin, add(sym_mul(J, spin), flow)), add(sym_mul(growth, spin), sym_mul(J, chi)))
    for k in range(I[f + FLEXIBLE_POINTS]):
        n = 3 + 3 * k
        moved, v, second = at_forms(I, W, i, n, OWN_PLACE), at_forms(I, W, i, n, OWN_RATE), at_forms(I, W, i, n, OWN_SQUARE)
        if I[f + FLEXIBLE_SPEEDS] == UNDEFORMED:
            moved = scale(0, moved)
        c = add(load3(P, shape + shape_places_par() + 3 * k), moved)
        b = add(cross(spin, add(cross(spin, c), scale(2, v))), add(second, cross(chi, c)))
        if k == 0:
            b = add(b, pull)
        store3(W, own + OWN_C + 3 * k, c)
        store3(W, own + OWN_B + 3 * k, b)
        point_factors(W, own + OWN_FACTOR + 12 + 12 * k, c, b)
        torque, J = add(torque, cross(c, b)), central_inertia(J, 1, c, half(c))
    spin_factors(W, own, spin, chi)
    columns_of_modes(I, P, W, i, J, torque)
    moment, force = scale(size, load3(W, own + OWN_C)), scale(size, load3(W, own + OWN_B))
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        R = load33(W, own + OWN_R)
        J, moment, force, torque = sym_congruence(transpose(R), J), mul(R, moment), mul(R, force), mul(R, torque)
    store_whole(I, P, W, i, J, moment, force, torque)


def point_factors(W, k, c, b):
    """What the columns of a point at c along x, y and z are multiplied by: b in (4), c x in Y."""
    z = 0 * c[0]
    W[k] = b[0]
    store3(W, k + 1, (z, c[2], -c[1]))
    W[k + 4] = b[1]
    store3(W, k + 5, (-c[2], z, c[0]))
    W[k + 8] = b[2]
    store3(W, k + 9, (c[1], -c[0], z))


def spin_factors(W, own, spin, chi):
    """What D and the residual inertia are multiplied by in (4) and Y."""
    x, y, z = spin
    k, o = own + OWN_FACTOR, 0 * x
    W[k] = chi[0]
    store3(W, k + 1, (1 + o, o, o))
    W[k + 4] = chi[1]
    store3(W, k + 5, (o, 1 + o, o))
    W[k + 8] = chi[2]
    store3(W, k + 9, (o, o, 1 + o))
    store3(W, own + OWN_SPIN, scale(2, spin))
    store6(W, own + OWN_SPIN + 3, (-x * x / 2, -x * y, -x * z, -y * y / 2, -y * z, -z * z / 2))


def columns_of_modes(I, P, W, i, J, torque):
    """Y to MOMENTUM, (4) to MODAL_BIAS, and coupling (5), about the origin of M in its axes."""
    f, m, shape = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i)
    own, A, coupling, columns = (
        I[f + FLEXIBLE_W],
        modal_work(I, i, TURN_COLUMNS),
        modal_work(I, i, OWN_COUPLING),
        modal_work(I, i, COLUMNS),
    )
    second, linear, turns = I[f + FLEXIBLE_SECOND], I[f + FLEXIBLE_LINEAR], I[f + FLEXIBLE_RATE_FORMS]
    form, first, rates, o = f + FLEXIBLE_FORM, form_columns(I, i, 3), modal_work(I, i, BY_SIGMA), 0 * torque[0]
    size, root = P[shape + shape_root_mass_par()], load3(P, shape)
    for j in range(0, m, lanes(o)):
        n, value, momentum = m - j, row_of(o), (row_of(o), row_of(o), row_of(o))
        for s in range(linear + turns):
            g, k = row(o, W, columns + s * m + j), own + OWN_FACTOR + 4 * I[form + s]
            value, momentum = value + W[k] * g, add(momentum, scale(g, load3(W, k + 1)))
        for s in range(second, turns):
            value = value + W[own + OWN_SPIN + I[form + linear + s]] * row(o, W, rates + s * m + j)
        for s in range(linear + turns, linear + I[f + FLEXIBLE_FORMS]):
            value = value + W[own + OWN_SPIN - 12 + I[form + s]] * row(o, W, columns + s * m + j)
        shift, arm = rows_at(o, W, first, j), momentum
        if I[f + FLEXIBLE_SPEEDS] == RATES:
            turn, R, c = modal_rows(o, W, A + j, m), load33(W, own + OWN_R), load3(W, own + OWN_C)
            carried = half(sym_mul(J, turn))
            momentum, value = add(momentum, carried), value + dot(turn, torque)
            shift, arm = mul(R, add(shift, cross(turn, c))), mul(R, add(momentum, carried))
            store_rows(W, modal_work(I, i, MOMENTUM) + j, m, momentum, n)
        shift = scale(size, shift)
        store_row(W, modal_work(I, i, MODAL_BIAS) + j, value, n)
        store_rows(W, coupling + j, m, add(arm, cross(root, shift)), n)
        store_rows(W, coupling + 3 * m + j, m, shift, n)


def modal_mass_entry(I, W, i, k, n):
    """Entry k, n of the modal mass matrix of the flexible body i alone."""
    f, m, value = flexible_row(I, i), I[body_row(i) + MODES], 0 * W[body_work(i) + OMEGA]
    if I[f + FLEXIBLE_SOLVER] != DIRECT:
        value += constant_mass_entry(I, W, i, k, n)
    elif k < n:
        value += W[I[f + FLEXIBLE_MASS] + k * m + n]
    else:
        value += W[I[f + FLEXIBLE_MASS] + n * m + k]
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
    return add(three_products(W, linear, rates, m), change)


def inertia_slopes(I, P, W, i):
    """dJ/d eta about the origin of M to J_SLOPE, after `modal_inertia`."""
    f, m, shape = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i)
    own, out, coupling = I[f + FLEXIBLE_W], modal_work(I, i, J_SLOPE), modal_work(I, i, OWN_COUPLING)
    A, F, G, o = modal_work(I, i, TURN_COLUMNS), form_columns(I, i, 15), form_columns(I, i, 18), 0 * W[own + OWN_C]
    J = at_forms(I, W, i, 15, OWN_PLACE) + at_forms(I, W, i, 18, OWN_PLACE)
    for j in range(m):
        slope, turn = numbers_at(W, F, j) + numbers_at(W, G, j), (o, o, o)
        if I[f + FLEXIBLE_SPEEDS] == RATES:
            turn = modal_three(W, A + j, m)
            slope = turned_six(slope, J, turn)
        for k in range(I[f + FLEXIBLE_POINTS]):
            at = load3(W, own + OWN_C + 3 * k)
            e = add(numbers_at(W, form_columns(I, i, 3 + 3 * k), j), cross(turn, at))
            slope = central_inertia(slope, 1, at, e)
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
