"""A flexible body with efficient modal speeds, whose mass matrix is constant (CONSTANT_MASS), and the undeformed one
(UNDEFORMED).

As in `bodies.modal` the affine part of the body's motion is that of a few points of unit mass, here in axes of the root, and
the residual modes phi have the mass matrix E. The velocity of a material point is taken as

    sum h_k c_k' + phi sigma ,   c_k' = sqrt m v (k = 0) + omega x c_k + e_k eta-dot ,   e_k = columns_k + R_k eta        (1)

so that c_k' and sigma are speeds with which the mass matrix is constant, unit masses and E. Of omega x phi eta, which
sigma - eta-dot should be, (1) keeps what the modes span:

    E (sigma - eta-dot) = w = sum omega_a w_a ,   w_a = eta d_a ,   d_ij = int phi_i x phi_j dm .                         (2)

u holds eta-dot, with which nodes move; the kinetic energy of (1) gives the equations in them. With x = E^+ w,
y_a = eta-dot d_a and y = sum omega_a y_a, they have besides M times the accelerations

    b_k = omega x (omega x c_k + 2 e_k eta-dot) + eta-dot R_k eta-dot   (k = 0: + sqrt m omega x (omega x root)) ,
    force = sqrt m b_0 ,   mode j = sum e_kj . b_k + 2 y_j + sum omega_a (x d_a)_j ,                                      (3)
    torque = sum c_k x b_k + omega x h + n ,   h_a = w_a . (eta-dot + x) ,   n_a = w_a . E^+ y + y_a . x ;

    M: J = that of the points + w_a . E^+ w_b ,   coupling of mode j  sqrt m e_0j ,  sum c_k x e_kj + w_aj ,
       modal mass  1 + sum over the forms of (e_k e_k^T - columns_k columns_k^T) :                                       (4)

the unit matrix but for two rows per form, since E = 1 - columns^T columns. M is a sum of squares, power is the rate of
energy, and momentum and angular momentum are kept, with whatever hangs on the nodes. The body is stiffened where
accelerations of the points, by spin or along a line, meet R_k, and by loads at nodes in these nodes' own second-order
motion. Lost is what the modes do not span of omega x phi eta: see `structures.modes.efficient_speeds`.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, Flexible Multibody Dynamics, sections 8.1 and 9.1.
"""

from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    half,
    load3,
    load6,
    scale,
    skew,
    store3,
    store6,
    store33,
    sym_mul,
)
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import (
    form_columns,
    linear_columns,
    modal_rows,
    parts_at,
    rate_columns,
    row_sums,
    rows_at,
    second_order,
    six_totals,
    store_rows,
)
from kaneflex.kernels.ops import lanes, row, row_of, row_part, store_row


def constant_inertia(I, P, W, i):
    """Inertia, coupling and modal mass (4) of the flexible body i alone, and the terms (3); after `take_shape`."""
    f, shape, own, m = flexible_row(I, i), shape_par(I, i), I[flexible_row(I, i) + FLEXIBLE_W], I[body_row(i) + MODES]
    omega, root, size = load3(W, body_work(i) + OMEGA), load3(P, shape), P[shape + shape_root_mass_par()]
    eta, sigma, z = modal_work(I, i, ETA), modal_work(I, i, SIGMA), 0 * omega[0]
    J, torque = carry_residual(I, P, W, i, omega)
    store6(W, own + OWN_RESIDUAL, J)
    for k in range(I[f + FLEXIBLE_POINTS]):
        rates, columns = rate_columns(I, i, 3 + 3 * k), form_columns(I, i, 3 + 3 * k)
        moved, v, second = second_order(P, linear_columns(I, i, k), W, columns, rates, eta, sigma, m)
        if I[f + FLEXIBLE_SPEEDS] == UNDEFORMED:
            moved = scale(0, moved)
        c = add(load3(P, shape + shape_places_par() + 3 * k), moved)
        b = add(cross(omega, add(cross(omega, c), scale(2, v))), second)
        if k == 0:
            b = add(b, scale(size, cross(omega, cross(omega, root))))
        store3(W, own + OWN_C + 3 * k, c)
        store3(W, own + OWN_B + 3 * k, b)
        torque, J = add(torque, cross(c, b)), central_inertia(J, 1, c, half(c))
        arm = c
        if k == 0:  # its coupling is about the origin of M
            arm = add(c, scale(size, root))
        couple_point(I, W, i, k, arm, b)
    coupling, first = modal_work(I, i, OWN_COUPLING) + 3 * m, form_columns(I, i, 3)
    for j in range(0, m, lanes(z)):
        store_rows(W, coupling + j, m, scale(size, rows_at(z, W, first, j)), m - j)
    if I[f + FLEXIBLE_SOLVER] == UPDATE:
        first_columns(I, P, W, i)
    store_whole(I, P, W, i, J, scale(size, load3(W, own + OWN_C)), scale(size, load3(W, own + OWN_B)), torque)


def second_columns(I, i):
    """Place in W of the columns of c_k that have a form, one after the other."""
    f = flexible_row(I, i)
    return modal_work(I, i, COLUMNS) + (3 * I[f + FLEXIBLE_POINTS] - I[f + FLEXIBLE_SECOND]) * I[body_row(i) + MODES]


def first_columns(I, P, W, i):
    """The linear parts of the last MIXED of those columns to FIRST."""
    f, m, out = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, FIRST)
    count, z = I[f + FLEXIBLE_MIXED] * m, 0 * W[body_work(i) + OMEGA]
    at = shape_par(I, i) + shape_c1_par(m) + 3 * I[f + FLEXIBLE_POINTS] * m - count
    for k in range(count):
        W[out + k] = z + P[at + k]


def carry_residual(I, P, W, i, omega):
    """The share of the residual modes in J and torque; w_a to the angular coupling, their share in the modes (3) to
    MODAL_BIAS."""
    f, m, o = flexible_row(I, i), I[body_row(i) + MODES], 0 * omega[0]
    coupling, bias, sigma, x = (
        modal_work(I, i, OWN_COUPLING),
        modal_work(I, i, MODAL_BIAS),
        modal_work(I, i, SIGMA),
        modal_work(I, i, SCRATCH),
    )
    D, rates, none = form_columns(I, i, 0), rate_columns(I, i, 0), row_of(o)
    squares, pushes, flow = (none, none, none, none, none, none), (none, none, none), (none, none, none)
    for k in range(0, m, lanes(o)):
        n = m - k
        own, change = parts_at(o, W, D, k, n), parts_at(o, W, rates, k, n)
        along, push = dot(omega, own), dot(omega, change)
        squares, flow = add_square(squares, own), add(flow, scale(row_part(o, W, sigma + k, n), own))
        pushes = add(pushes, add(scale(push, own), scale(along, change)))
        store_row(W, x + k, along, n)
        store_row(W, bias + k, 2 * push, n)
        store_rows(W, coupling + k, m, own, n)
    torque, h = six_totals(pushes, flow)
    low, high = six_totals((squares[0], squares[1], squares[2]), (squares[3], squares[4], squares[5]))
    J = low + high
    if I[f + FLEXIBLE_RATE_FORMS] > I[f + FLEXIBLE_SECOND]:
        for s in range(I[f + FLEXIBLE_SPANS]):
            part, rate = spanned(P, I[f + FLEXIBLE_SPAN] + s * m, W, D, rates, m)
            W[x + m + s] = dot(omega, part)
            J, torque = add_square(J, part), add(torque, add(scale(dot(omega, rate), part), scale(dot(omega, part), rate)))
        turn_again(I, P, W, i, omega)
    return J, add(torque, cross(omega, add(h, sym_mul(J, omega))))


def spanned(P, row_of_span, W, D, rates, m):
    """A row of `span` times w_a and times y_a."""
    z = 0 * W[D[0]]
    own, change = (row_of(z), row_of(z), row_of(z)), (row_of(z), row_of(z), row_of(z))
    for k in range(0, m, lanes(z)):
        n = m - k
        part = row_part(z, P, row_of_span + k, n)
        own = add(own, scale(part, parts_at(z, W, D, k, n)))
        change = add(change, scale(part, parts_at(z, W, rates, k, n)))
    return six_totals(own, change)


def turn_again(I, P, W, i, omega):
    """Add sum omega_a (x d_a) of (3) to MODAL_BIAS, x = E^+ w, w being in SCRATCH and `span` times w behind it."""
    f, m, x, o = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SCRATCH), 0 * omega[0]
    out, bias, second = modal_work(I, i, TURNED), modal_work(I, i, MODAL_BIAS), I[f + FLEXIBLE_SECOND] * m
    row_sums(P, I[f + FLEXIBLE_SPAN], 0, m, m, I[f + FLEXIBLE_SPANS], W, x + m, x)
    both, forms = I[f + FLEXIBLE_RATE_FORMS] * m, shape_par(I, i) + shape_forms_par(m)
    for k in range(both - second):
        W[out + k] = o
    row_sums(P, forms, second, both, I[f + FLEXIBLE_FORMS] * m, m, W, x, out - second)
    for a in range(3):
        if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
            for k in range(0, m, lanes(o)):
                store_row(W, bias + k, row(o, W, bias + k) + omega[a] * row(o, W, out + k), m - k)
            out += m


def add_square(J, v):
    """J + v v^T of six numbers."""
    return (
        J[0] + v[0] * v[0],
        J[1] + v[0] * v[1],
        J[2] + v[0] * v[2],
        J[3] + v[1] * v[1],
        J[4] + v[1] * v[2],
        J[5] + v[2] * v[2],
    )


def couple_point(I, W, i, k, c, b):
    """Shares of point k, at c, in the angular coupling (4) and in the modes (3)."""
    m, coupling, out = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, MODAL_BIAS)
    columns, z = form_columns(I, i, 3 + 3 * k), 0 * c[0]
    for j in range(0, m, lanes(z)):
        n, e = m - j, rows_at(z, W, columns, j)
        store_rows(W, coupling + j, m, add(modal_rows(z, W, coupling + j, m), cross(c, e)), n)
        store_row(W, out + j, row(z, W, out + j) + dot(e, b), n)


def own_modal_mass(I, P, W, i):
    """Modal mass of the flexible body i alone, upper half: E, products of the columns that have a form and, with RATES,
    the last two terms of (5) of `bodies.modal`."""
    f, m, z = flexible_row(I, i), I[body_row(i) + MODES], 0 * W[body_work(i) + OMEGA]
    M, E, g, count = I[f + FLEXIBLE_MASS], shape_par(I, i) + shape_E_par(m), second_columns(I, i), I[f + FLEXIBLE_SECOND]
    A, Y, turns = modal_work(I, i, TURN_COLUMNS), modal_work(I, i, MOMENTUM), 0
    if I[f + FLEXIBLE_SPEEDS] == RATES:
        turns = 3
    for j in range(0, m, 2):  # two rows at a time, of which the last one of an odd number comes twice
        k = j + 1 - (j + 1) // m
        for l in range(j, m, lanes(z)):
            y, other = row_of(z) + row(z, P, E + j * m + l), row_of(z) + row(z, P, E + k * m + l)
            for s in range(count):
                entries = row(z, W, g + s * m + l)
                y, other = y + W[g + s * m + j] * entries, other + W[g + s * m + k] * entries
            for s in range(turns):
                entries, turned = row(z, W, Y + s * m + l), row(z, W, A + s * m + l)
                y = y + W[A + s * m + j] * entries + W[Y + s * m + j] * turned
                other = other + W[A + s * m + k] * entries + W[Y + s * m + k] * turned
            store_row(W, M + j * m + l, y, m - l)
            store_row(W, M + k * m + l, other, m - l)


def store_whole(I, P, W, i, J, moment, force, torque):
    """Inertia of body i and the velocity terms of its inertia force, about its root in axes of M, about the origin of M."""
    w, shape, own, omega = body_work(i), shape_par(I, i), I[flexible_row(I, i) + FLEXIBLE_W], load3(W, body_work(i) + OMEGA)
    size, root = P[shape + shape_root_mass_par()], load3(P, shape)
    J = central_inertia(J, 1, root, add(moment, scale(size * size / 2, root)))
    s, z = add(moment, scale(size * size, root)), 0 * omega[0]
    given, whole = load6(P, body_par(i) + INERTIA), load6(P, shape + shape_inertia_par())
    spun = (z + given[0] - whole[0], given[1] - whole[1], given[2] - whole[2], given[3] - whole[3], given[4] - whole[4],
            given[5] - whole[5])  # less that of rotors about their axes, whose share is counted with them  # fmt: skip
    J = (J[0] + spun[0], J[1] + spun[1], J[2] + spun[2], J[3] + spun[3], J[4] + spun[4], J[5] + spun[5])
    store6(W, own + OWN_J, J)
    store3(W, own + OWN_S, s)
    store6(W, w + J_, J)
    store33(W, w + H_, skew(s))
    store3(W, w + FORCE, force)
    store3(W, w + TORQUE, add(add(torque, cross(root, force)), cross(omega, sym_mul(spun, omega))))


def constant_mass_entry(I, W, i, k, n):
    """Entry k, n of the modal mass (4)."""
    f, m, g, c = flexible_row(I, i), I[body_row(i) + MODES], second_columns(I, i), modal_work(I, i, FIRST)
    value = 0 * W[body_work(i) + OMEGA]
    if k == n:
        value += 1
    for s in range(I[f + FLEXIBLE_SECOND]):
        value += W[g + s * m + k] * W[g + s * m + n]
    for s in range(I[f + FLEXIBLE_MIXED]):
        value -= W[c + s * m + k] * W[c + s * m + n]
    return value


def attracted_inertia(I, W, i, J):
    """J without the share of the residual modes, whose slope is not known, for what needs both."""
    if I[flexible_row(I, i) + FLEXIBLE_SPEEDS] == CONSTANT_MASS:
        own = load6(W, I[flexible_row(I, i) + FLEXIBLE_W] + OWN_RESIDUAL)
        J = (J[0] - own[0], J[1] - own[1], J[2] - own[2], J[3] - own[3], J[4] - own[4], J[5] - own[5])
    return J
