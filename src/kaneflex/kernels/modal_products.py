"""Products with the vectors and matrices of modal coordinates, a row of modes at a time (see `compiled_rows`): sums stay in
registers, and nothing is stored between loads."""

from kaneflex.kernels.algebra import add, half, scale
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import eight_totals, lanes, row, row_of, row_part, row_total, store_row


def row_sums(P, a, first, end, m, W, x, out):
    """W[out + c] = P[first + c] + sum_i W[x + i] A_ic, i < m, c < end, A being in tiles at P[a:]."""
    z = 0 * W[x]
    for c in range(0, end, lanes(z)):
        y, at = row_of(z) + row(z, P, first + c), a + (c - c % TILE) * m + c % TILE
        for i in range(m):
            y = y + W[x + i] * row(z, P, at + i * TILE)
        store_row(W, out + c, y, end - c)


def row_sums_of_two(P, a, first, end, m, W, x, s, out, second):
    """`row_sums`, and in one pass over A W[second + c] = sum_i W[s + i] A_ic."""
    z = 0 * W[x]
    for c in range(0, end, lanes(z)):
        y, other, at = row_of(z) + row(z, P, first + c), row_of(z), a + (c - c % TILE) * m + c % TILE
        for i in range(m):
            entries = row(z, P, at + i * TILE)
            y, other = y + W[x + i] * entries, other + W[s + i] * entries
        store_row(W, out + c, y, end - c)
        store_row(W, second + c, other, end - c)


def clear_rows(W, k, n):
    """W[k:] = 0, n numbers."""
    z = 0 * W[OMEGA]
    for j in range(0, n, lanes(z)):
        store_row(W, k + j, row_of(z), n - j)


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


def products_of_two(W, x, y, a, n, m, out, second):
    """The products of n vectors of m entries, from W[a] on, with W[x:] to W[out:], and with W[y:] to W[second:]: four
    vectors at a time, the last four of which may have come before."""
    z = 0 * W[x]
    if n < 4:
        for c in range(n):
            W[out + c] = product_with(W, a + c * m, x, m)
            W[second + c] = product_with(W, a + c * m, y, m)
    else:
        for begin in range(0, n, 4):
            c = begin
            if c > n - 4:
                c = n - 4
            one, two = (row_of(z), row_of(z), row_of(z), row_of(z)), (row_of(z), row_of(z), row_of(z), row_of(z))
            for j in range(0, m, lanes(z)):
                g = four_parts(z, W, a + c * m + j, m, m - j)
                one = add_to_four(one, row_part(z, W, x + j, m - j), g)
                two = add_to_four(two, row_part(z, W, y + j, m - j), g)
            one_totals, two_totals = four_totals(one, two)
            store_four(W, out + c, one_totals)
            store_four(W, second + c, two_totals)


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


def four_parts(z, A, a, m, n):
    """n numbers each from A[a], A[a + m], ... on, of four vectors, zeros in the rest of the rows."""
    return row_part(z, A, a, n), row_part(z, A, a + m, n), row_part(z, A, a + 2 * m, n), row_part(z, A, a + 3 * m, n)


def add_to_four(y, x, g):
    """y + x g, of four."""
    return y[0] + x * g[0], y[1] + x * g[1], y[2] + x * g[2], y[3] + x * g[3]


def four_totals(y, v):
    """Sums of four rows, twice."""
    a, b, c, d, e, f, g, h = eight_totals(y[0], y[1], y[2], y[3], v[0], v[1], v[2], v[3])
    return (a, b, c, d), (e, f, g, h)


def store_four(W, k, y):
    """Write four numbers from W[k] on."""
    W[k] = y[0]
    W[k + 1] = y[1]
    W[k + 2] = y[2]
    W[k + 3] = y[3]


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
