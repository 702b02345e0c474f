"""The deformed shape of a modal body: columns of what depends on eta, and sums of these with eta and eta-dot.

A body has 21 forms: three components of D, twelve of the points c_k, six of the residual inertia (see `bodies.modal`). Of
those that are there COLUMNS has the derivatives by eta, one after the other: linear ones of c_k, then those that change with
eta, of c_k, of D, of the residual inertia.
"""

from kaneflex.kernels.algebra import add, cross, load3, load6, scale, skew, store3, store6, store33, sym_mul
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import (
    add_to_four,
    clear_rows,
    four_parts,
    four_totals,
    row_sums,
    row_sums_of_two,
    store_four,
)
from kaneflex.kernels.ops import lanes, row, row_of, row_part, store_row


def take_shape(I, P, W, i):
    """COLUMNS of body i with zeros behind them, its forms times the modal speeds in BY_SIGMA, and the sums of both."""
    f, m, shape, z = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i), 0 * W[body_work(i) + OMEGA]
    columns, rates, linear = modal_work(I, i, COLUMNS), modal_work(I, i, BY_SIGMA), I[f + FLEXIBLE_LINEAR] * m
    both, rest = I[f + FLEXIBLE_RATE_FORMS] * m, (I[f + FLEXIBLE_FORMS] - I[f + FLEXIBLE_RATE_FORMS]) * m
    c1, eta, sigma, end = shape + shape_c1_par(m), modal_work(I, i, ETA), modal_work(I, i, SIGMA), linear + both + rest
    for k in range(0, linear, lanes(z)):
        store_row(W, columns + k, row_of(z) + row(z, P, c1 + k), linear - k)
    row_sums_of_two(P, shape + shape_forms_par(m), c1 + linear, both, m, W, eta, sigma, columns + linear, rates)
    row_sums(P, shape + shape_residual_par(m, tiles_of(both)), c1 + linear + both, rest, m, W, eta, columns + linear + both)
    clear_rows(W, columns + end, in_fours(I[f + FLEXIBLE_LINEAR] + I[f + FLEXIBLE_FORMS] + 1) * m - end)
    clear_rows(W, rates + both, in_fours(I[f + FLEXIBLE_SECOND]) * m - both)
    sum_columns(I, P, W, i)


def tiles_of(n):
    """Number of tiles for n numbers."""
    return (n + TILE - 1) // TILE


def in_fours(n):
    """The next multiple of four."""
    return (n + 3) // 4 * 4


def sum_columns(I, P, W, i):
    """OWN_PLACE, OWN_RATE and OWN_SQUARE of body i: of columns x_1 + R eta the sums x_1 eta + 1/2 eta R eta,
    (x_1 + R eta) sigma and sigma R sigma; four columns at a time."""
    f, m, z = flexible_row(I, i), I[body_row(i) + MODES], 0 * W[body_work(i) + OMEGA]
    columns, c1, eta, sigma = (
        modal_work(I, i, COLUMNS),
        shape_par(I, i) + shape_c1_par(m),
        modal_work(I, i, ETA),
        modal_work(I, i, SIGMA),
    )
    rates, none, linear = modal_work(I, i, BY_SIGMA), (row_of(z), row_of(z), row_of(z), row_of(z)), I[f + FLEXIBLE_LINEAR]
    own = I[f + FLEXIBLE_W]
    for s in range(0, linear + I[f + FLEXIBLE_FORMS] + 1, 4):
        place, rate = none, none
        for j in range(0, m, lanes(z)):
            n, at = m - j, s * m + j
            g, first = four_parts(z, W, columns + at, m, n), four_parts(z, P, c1 + at, m, n)
            place = add_to_four(place, row_part(z, W, eta + j, n) / 2, add_to_four(g, 1, first))
            rate = add_to_four(rate, row_part(z, W, sigma + j, n), g)
        all_places, all_rates = four_totals(place, rate)
        store_four(W, own + OWN_PLACE + s, all_places)
        store_four(W, own + OWN_RATE + s, all_rates)
    clear_rows(W, own + OWN_SQUARE, 24)
    for s in range(0, I[f + FLEXIBLE_SECOND], 4):
        square = none
        for j in range(0, m, lanes(z)):
            square = add_to_four(square, row_part(z, W, sigma + j, m - j), four_parts(z, W, rates + s * m + j, m, m - j))
        store_four(W, own + OWN_SQUARE + linear + s, four_totals(square, none)[0])


def at_forms(I, W, i, n, place):
    """Three of the sums OWN_PLACE, OWN_RATE or OWN_SQUARE of body i: of the forms n, n + 1, n + 2."""
    slot, at = flexible_row(I, i) + FLEXIBLE_SLOT + n, I[flexible_row(I, i) + FLEXIBLE_W] + place
    return W[at + I[slot]], W[at + I[slot + 1]], W[at + I[slot + 2]]


def form_columns(I, i, n):
    """Places in W of the columns of the forms n, n + 1, n + 2 of body i: of c_k, D or F eta; zeros where there are none."""
    m, slot, at = I[body_row(i) + MODES], flexible_row(I, i) + FLEXIBLE_SLOT + n, modal_work(I, i, COLUMNS)
    return at + I[slot] * m, at + I[slot + 1] * m, at + I[slot + 2] * m


def second_columns(I, i):
    """Place in W of the columns of c_k that have a form, one after the other."""
    return modal_work(I, i, COLUMNS) + I[flexible_row(I, i) + FLEXIBLE_LINEAR] * I[body_row(i) + MODES]


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
            y_turned, other_turned = row_of(z), row_of(z)
            for s in range(count):
                entries = row(z, W, g + s * m + l)
                y, other = y + W[g + s * m + j] * entries, other + W[g + s * m + k] * entries
            for s in range(turns):
                entries, turned = row(z, W, Y + s * m + l), row(z, W, A + s * m + l)
                y_turned = y_turned + W[A + s * m + j] * entries + W[Y + s * m + j] * turned
                other_turned = other_turned + W[A + s * m + k] * entries + W[Y + s * m + k] * turned
            store_row(W, M + j * m + l, y + y_turned, m - l)
            store_row(W, M + k * m + l, other + other_turned, m - l)


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
