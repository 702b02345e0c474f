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


def row_sums(A, a, stride, count, m, x, first, y, out):
    """y[out + c] = sum_i x[first + i] A[a + i stride + c] for c < count: four of m rows at a time."""
    z, whole = 0 * x[first], m - m % 4
    for c in range(count):
        y[out + c] = z
    for i in range(0, whole, 4):
        r, x0, x1, x2, x3 = a + i * stride, x[first + i], x[first + i + 1], x[first + i + 2], x[first + i + 3]
        for c in range(count):
            low = x0 * A[r + c] + x1 * A[r + stride + c]
            y[out + c] += low + x2 * A[r + 2 * stride + c] + x3 * A[r + 3 * stride + c]
    for i in range(whole, m):
        r, x0 = a + i * stride, x[first + i]
        for c in range(count):
            y[out + c] += x0 * A[r + c]


def add_outer(W, left, right, M, m):
    """M_jl += sum of left_n,j right_n,l over three vectors each, from W[left] and W[right] on, for l >= j."""
    for j in range(m):
        x, y, z, row = W[left + j], W[left + m + j], W[left + 2 * m + j], M + j * m
        for l in range(j, m):
            W[row + l] += x * W[right + l] + y * W[right + m + l] + z * W[right + 2 * m + l]


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
