"""Products with the vectors and matrices of modal coordinates, a row of modes at a time (see `compiled_rows`): sums stay in
registers, and nothing is stored between loads."""

from kaneflex.kernels.algebra import add, half, scale
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import eight_totals, lanes, row, row_of, row_part, row_total, store_row


def row_sums(A, a, begin, end, width, m, W, x, out):
    """W[out + c] += sum_i W[x + i] A[a + i width + c], i < m, for begin <= c < end."""
    z = 0 * W[x]
    for c in range(begin, end, lanes(z)):
        y = row(z, W, out + c)
        for i in range(m):
            y = y + W[x + i] * row(z, A, a + i * width + c)
        store_row(W, out + c, y, end - c)


def row_sums_of_two(A, a, end, width, m, W, x, s, out, second):
    """`row_sums` from the first column on, and the same of W[s:] to W[second:], in one pass over A."""
    z = 0 * W[x]
    for c in range(0, end, lanes(z)):
        y, other = row(z, W, out + c), row(z, W, second + c)
        for i in range(m):
            entries = row(z, A, a + i * width + c)
            y, other = y + W[x + i] * entries, other + W[s + i] * entries
        store_row(W, out + c, y, end - c)
        store_row(W, second + c, other, end - c)


def add_squares(W, left, right, n, j, begin, end, m, out):
    """W[out + l] += sum over n vectors of left_j right_l, begin <= l < end, vectors of m entries being at W[left:] and
    W[right:]: part of row j of a matrix."""
    z = 0 * W[out + begin]
    for l in range(begin, end, lanes(z)):
        y = row(z, W, out + l)
        for s in range(n):
            y = y + W[left + s * m + j] * row(z, W, right + s * m + l)
        store_row(W, out + l, y, end - l)


def three_totals(y):
    """Sums of three rows."""
    return row_total(y[0]), row_total(y[1]), row_total(y[2])


def six_totals(y, v):
    """Sums of three rows, twice."""
    z = 0 * y[0]
    i, j, k, l, m, n, _, _ = eight_totals(y[0], y[1], y[2], v[0], v[1], v[2], z, z)
    return (i, j, k), (l, m, n)


def nine_totals(y, v, w):
    """Sums of three rows, three times."""
    i, j, k, l, m, n, o, p = eight_totals(y[0], y[1], y[2], v[0], v[1], v[2], w[0], w[1])
    return (i, j, k), (l, m, n), (o, p, row_total(w[2]))


def product_with(W, a, x, m):
    """sum_k W[a + k] W[x + k]."""
    z = 0 * W[a]
    total = row_of(z)
    for k in range(0, m, lanes(z)):
        n = m - k
        total = total + row_part(z, W, a + k, n) * row_part(z, W, x + k, n)
    return row_total(total)


def three_products(W, a, x, m):
    """The products of three vectors of m entries, from W[a] on, with W[x:]."""
    z = 0 * W[a]
    total = (row_of(z), row_of(z), row_of(z))
    for k in range(0, m, lanes(z)):
        n = m - k
        total = add(total, scale(row_part(z, W, x + k, n), parts_at(z, W, (a, a + m, a + 2 * m), k, n)))
    return three_totals(total)


def second_order(P, linear, W, columns, rates, eta, sigma, m):
    """Of three components x = x_1 eta + 1/2 eta R eta, R symmetric: x, its rate, and sigma R sigma; x_1, x_1 + R eta and
    R sigma being at the three places each of `linear` in P, `columns` and `rates` in W."""
    z = 0 * W[sigma]
    none = (row_of(z), row_of(z), row_of(z))
    place, rate, square = none, none, none
    for j in range(0, m, lanes(z)):
        n = m - j
        here, speed, g = row_part(z, W, eta + j, n), row_part(z, W, sigma + j, n), parts_at(z, W, columns, j, n)
        place = add(place, scale(here, add(g, parts_at(z, P, linear, j, n))))
        rate, square = add(rate, scale(speed, g)), add(square, scale(speed, parts_at(z, W, rates, j, n)))
    x, v, s = nine_totals(place, rate, square)
    return half(x), v, s


def parts_at(z, A, places, j, n):
    """n numbers each from the j-th on of three vectors, zeros in the rest of the rows."""
    return row_part(z, A, places[0] + j, n), row_part(z, A, places[1] + j, n), row_part(z, A, places[2] + j, n)


def rows_at(z, A, places, j):
    """Rows from the j-th number on of three vectors."""
    return row(z, A, places[0] + j), row(z, A, places[1] + j), row(z, A, places[2] + j)


def modal_rows(z, A, a, m):
    """Rows from A[a], A[a + m] and A[a + 2 m] on."""
    return row(z, A, a), row(z, A, a + m), row(z, A, a + 2 * m)


def store_rows(W, k, m, y, n):
    """Write the first n numbers of three rows from W[k], W[k + m] and W[k + 2 m] on."""
    store_row(W, k, y[0], n)
    store_row(W, k + m, y[1], n)
    store_row(W, k + 2 * m, y[2], n)


def modal_three(W, a, m):
    """Three numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m]


def modal_six(W, a, m):
    """Six numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m], W[a + 3 * m], W[a + 4 * m], W[a + 5 * m]


def numbers_at(W, places, j):
    """Numbers j of three vectors."""
    return W[places[0] + j], W[places[1] + j], W[places[2] + j]


def form_columns(I, i, n):
    """Places in W of the columns of the forms n, n + 1, n + 2 of body i: of c_k, D or F eta; zeros where there are none."""
    m, slot, at = I[body_row(i) + MODES], flexible_row(I, i) + FLEXIBLE_SLOT + n, modal_work(I, i, COLUMNS)
    return at + I[slot] * m, at + I[slot + 1] * m, at + I[slot + 2] * m


def linear_columns(I, i, k):
    """Places in P of the linear columns of c_k of body i."""
    m, slot = I[body_row(i) + MODES], flexible_row(I, i) + FLEXIBLE_SLOT + 3 + 3 * k
    at = shape_par(I, i) + shape_c1_par(m)
    return at + I[slot] * m, at + I[slot + 1] * m, at + I[slot + 2] * m


def rate_column(I, i, n):
    """Place in W of form n of body i times the modal speeds; zeros where there is none."""
    f = flexible_row(I, i)
    slot = I[f + FLEXIBLE_SLOT + n] - 3 * I[f + FLEXIBLE_POINTS] + I[f + FLEXIBLE_SECOND]
    if slot < 0 or slot > I[f + FLEXIBLE_RATE_FORMS]:
        slot = I[f + FLEXIBLE_RATE_FORMS]
    return modal_work(I, i, BY_SIGMA) + slot * I[body_row(i) + MODES]


def rate_columns(I, i, n):
    """`rate_column` of the forms n, n + 1, n + 2."""
    return rate_column(I, i, n), rate_column(I, i, n + 1), rate_column(I, i, n + 2)


def take_shape(I, P, W, i):
    """COLUMNS of body i, and its forms times the modal speeds in BY_SIGMA."""
    f, m, shape, z = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i), 0 * W[body_work(i) + OMEGA]
    columns, rates, points = modal_work(I, i, COLUMNS), modal_work(I, i, BY_SIGMA), 3 * I[f + FLEXIBLE_POINTS] * m
    count, both, second = I[f + FLEXIBLE_FORMS] * m, I[f + FLEXIBLE_RATE_FORMS] * m, I[f + FLEXIBLE_SECOND] * m
    forms, eta, sigma = shape + shape_forms_par(m), modal_work(I, i, ETA), modal_work(I, i, SIGMA)
    for k in range(points):
        W[columns + k] = z + P[shape + shape_c1_par(m) + k]
    for k in range(points, points + count - second + m):
        W[columns + k] = z
    for k in range(both + m):
        W[rates + k] = z
    if count > 0:
        first = columns + points - second
        row_sums_of_two(P, forms, both, count, m, W, eta, sigma, first, rates)
        row_sums(P, forms, both, count, count, m, W, eta, first)
