"""Products with the vectors and matrices of modal coordinates, whose sums run without being carried through inner loops."""

from kaneflex.kernels.layout import *


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


def row_sums(A, a, count, both, m, x, first, s, other, y, out, z, second):
    """y[out + c] = sum_i x[first + i] A[a + i count + c] for c < count, and z[second + c] the same of s[other + i] for
    c < both, in one pass over the m rows of A, two at a time."""
    none, whole = 0 * x[first] * s[other], m - m % 2
    for c in range(count):
        y[out + c] = none
    for c in range(both):
        z[second + c] = none
    for i in range(0, whole, 2):
        r, x0, x1, s0, s1 = a + i * count, x[first + i], x[first + i + 1], s[other + i], s[other + i + 1]
        for c in range(both):
            y[out + c] += x0 * A[r + c] + x1 * A[r + count + c]
            z[second + c] += s0 * A[r + c] + s1 * A[r + count + c]
        for c in range(both, count):
            y[out + c] += x0 * A[r + c] + x1 * A[r + count + c]
    for i in range(whole, m):
        r, x0, s0 = a + i * count, x[first + i], s[other + i]
        for c in range(both):
            y[out + c] += x0 * A[r + c]
            z[second + c] += s0 * A[r + c]
        for c in range(both, count):
            y[out + c] += x0 * A[r + c]


def add_outer_three(W, left, right, M, m, width):
    """M_jl += sum of left_n,j right_n,l over three vectors each, at W[left:] and W[right:], for l >= j; rows of `width`."""
    for j in range(m):
        x, y, z, row = W[left + j], W[left + m + j], W[left + 2 * m + j], M + j * width
        for l in range(j, m):
            W[row + l] += x * W[right + l] + y * W[right + m + l] + z * W[right + 2 * m + l]


def add_outer_six(W, left, right, M, m, width):
    """The same of six vectors each."""
    for j in range(m):
        row, x, y, z = M + j * width, W[left + j], W[left + m + j], W[left + 2 * m + j]
        u, v, w = W[left + 3 * m + j], W[left + 4 * m + j], W[left + 5 * m + j]
        for l in range(j, m):
            low = x * W[right + l] + y * W[right + m + l] + z * W[right + 2 * m + l]
            W[row + l] += low + u * W[right + 3 * m + l] + v * W[right + 4 * m + l] + w * W[right + 5 * m + l]


def add_outer_weighted(W, left, weight, M, m):
    """M_jl += weight times the sum of left_n,j left_n,l over three vectors at W[left:], for l >= j; rows of m."""
    for j in range(m):
        x, y, z, row = weight * W[left + j], weight * W[left + m + j], weight * W[left + 2 * m + j], M + j * m
        for l in range(j, m):
            W[row + l] += x * W[left + l] + y * W[left + m + l] + z * W[left + 2 * m + l]


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


def modal_three(W, a, m):
    """Three numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m]


def modal_six(W, a, m):
    """Six numbers, m apart."""
    return W[a], W[a + m], W[a + 2 * m], W[a + 3 * m], W[a + 4 * m], W[a + 5 * m]


def second_rates(I, W, i, n, slot):
    """sigma R sigma of the forms n, n + 1, n + 2, those before n having filled so many slots of BY_SIGMA; the next slot."""
    m, zero, sigma = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_ZERO], modal_work(I, i, SIGMA)
    at = modal_work(I, i, BY_SIGMA)
    x, y, z = 0 * W[sigma], 0 * W[sigma], 0 * W[sigma]
    if is_zero(zero, n) == 0:
        x, slot = product_with(W, at + slot * m, W, sigma, m), slot + 1
    if is_zero(zero, n + 1) == 0:
        y, slot = product_with(W, at + slot * m, W, sigma, m), slot + 1
    if is_zero(zero, n + 2) == 0:
        z, slot = product_with(W, at + slot * m, W, sigma, m), slot + 1
    return (x, y, z), slot
