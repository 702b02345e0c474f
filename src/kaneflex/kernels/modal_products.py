"""Products with the vectors and matrices of modal coordinates. Sums stay in registers, eight columns at a time or as many as
an equation has, without a store between loads, so that the compiler need not ask what overlaps."""

from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import add_row, row, store_row


def row_sums(A, a, begin, end, width, m, x, first, W, out):
    """W[out + c] += sum_i x[first + i] A[a + i width + c], i < m, for begin <= c < end: eight columns at a time."""
    for c in range(begin, end, 8):
        n = min(8, end - c)
        y = row(W, out + c, n)
        for i in range(m):
            y = add_row(y, x[first + i], A, a + i * width + c, n)
        store_row(W, out + c, y, n)


def row_sums_of_two(A, a, end, width, m, x, first, W, other, out, second):
    """`row_sums` from the first column on, and the same of s = W[other:] to W[second:], in one pass over A."""
    for c in range(0, end, 8):
        n = min(8, end - c)
        y, z = row(W, out + c, n), row(W, second + c, n)
        for i in range(m):
            at = a + i * width + c
            y, z = add_row(y, x[first + i], A, at, n), add_row(z, W[other + i], A, at, n)
        store_row(W, out + c, y, n)
        store_row(W, second + c, z, n)


def add_squares(W, left, right, n, j, begin, end, m, out):
    """W[out + l] += sum over n vectors of left_j right_l, begin <= l < end, vectors of m entries being at W[left:] and
    W[right:]: part of row j of a matrix."""
    for l in range(begin, end, 8):
        count = min(8, end - l)
        y = row(W, out + l, count)
        for s in range(n):
            y = add_row(y, W[left + s * m + j], W, right + s * m + l, count)
        store_row(W, out + l, y, count)


def product_with(W, a, x, first, m):
    """sum_k W[a + k] x[first + k]."""
    total = 0 * W[a]
    for k in range(m):
        total += W[a + k] * x[first + k]
    return total


def three_products(W, a, x, first, m):
    """The products of three vectors of m entries, from W[a] on, with x[first:]."""
    i, j, k = 0 * W[a], 0 * W[a], 0 * W[a]
    for n in range(m):
        y = x[first + n]
        i, j, k = i + W[a + n] * y, j + W[a + m + n] * y, k + W[a + 2 * m + n] * y
    return i, j, k


def six_products(W, a, x, first, m):
    """The products of six vectors of m entries, from W[a] on, with x[first:]."""
    h, i, j, k, l, o = 0 * W[a], 0 * W[a], 0 * W[a], 0 * W[a], 0 * W[a], 0 * W[a]
    for n in range(m):
        y = x[first + n]
        h, i, j = h + W[a + n] * y, i + W[a + m + n] * y, j + W[a + 2 * m + n] * y
        k, l, o = k + W[a + 3 * m + n] * y, l + W[a + 4 * m + n] * y, o + W[a + 5 * m + n] * y
    return h, i, j, k, l, o


def second_order(P, linear, W, columns, rates, q, eta, sigma, m):
    """Of three components x = x_1 eta + 1/2 eta R eta, R symmetric: x, its rate, and sigma R sigma; x_1, x_1 + R eta and
    R sigma being at the three places each of `linear` in P, `columns` and `rates` in W."""
    ax, ay, az = linear
    bx, by, bz = columns
    cx, cy, cz = rates
    o = 0 * W[sigma]
    x, y, z, u, v, w, r, s, t = o, o, o, o, o, o, o, o, o
    for j in range(m):
        here, speed, i, k, l = q[eta + j], W[sigma + j], W[bx + j], W[by + j], W[bz + j]
        x, y, z = x + (P[ax + j] + i) * here, y + (P[ay + j] + k) * here, z + (P[az + j] + l) * here
        u, v, w = u + i * speed, v + k * speed, w + l * speed
        r, s, t = r + W[cx + j] * speed, s + W[cy + j] * speed, t + W[cz + j] * speed
    return (x / 2, y / 2, z / 2), (u, v, w), (r, s, t)


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


def take_shape(I, P, W, i, q):
    """COLUMNS of body i, and its forms times the modal speeds in BY_SIGMA."""
    f, m, shape, z = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i), 0 * W[body_work(i) + OMEGA]
    columns, rates, points = modal_work(I, i, COLUMNS), modal_work(I, i, BY_SIGMA), 3 * I[f + FLEXIBLE_POINTS] * m
    count, both, second = I[f + FLEXIBLE_FORMS] * m, I[f + FLEXIBLE_RATE_FORMS] * m, I[f + FLEXIBLE_SECOND] * m
    forms, eta, sigma = shape + shape_forms_par(m), I[f + FLEXIBLE_Q], modal_work(I, i, SIGMA)
    for k in range(points):
        W[columns + k] = z + P[shape + shape_c1_par(m) + k]
    for k in range(points, points + count - second + m):
        W[columns + k] = z
    for k in range(both + m):
        W[rates + k] = z
    if count > 0:
        first = columns + points - second
        row_sums_of_two(P, forms, both, count, m, q, eta, W, sigma, first, rates)
        row_sums(P, forms, both, count, count, m, q, eta, W, first)
