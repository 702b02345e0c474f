"""A symmetric matrix factored by supernodes: K = L D L^T, with runs of pivots whose rows of L^T have the same columns.

K = [[H, B^T], [B, 0]] with H positive definite, and every equation after all of its coordinates: then pivots of
coordinates are positive and those of equations negative, whatever came before, and no row has to be exchanged. An
equation that follows from those before it leaves a pivot of rounding: it is left out, and its multiplier is zero.

A supernode has p pivots that follow each other and q columns behind them, and of U = D L^T its p rows, of as many numbers as
are whole vectors; what is at the pivots and before them in a row is zero when that row is done, and 1/D stands apart. A row
beyond the pivots is added up by itself and goes to the supernode that has it as a pivot, by a list of that one's columns.
Ref: Duff, Erisman and Reid, Direct Methods for Sparse Matrices (2017), chapters 11 and 12; Ng and Peyton, Block sparse
Cholesky algorithms on advanced uniprocessor computers, SIAM J. Sci. Comput. 14 (1993) 1034.
On numbers only.
"""

from kaneflex.formulations.cartesian.layout import *
from kaneflex.kernels.ops import lanes, row, row_of, row_total, store_row

SMALL_PIVOT = 10_000_000_000  # of an equation: one over the part of what it is made of below which it is rounding or error


def supernode_at(C, s):
    """Place of the integers of supernode s."""
    return C[C_SUPERNODE_TABLE] + SN_INTS * s


def row_multipliers(C, X, b, i):
    """Entries of row i of L in the pivots before it of the supernode at b, to C_MULTIPLIERS; returns the sum of the sizes of
    what they take from the pivot of that row."""
    rows, width, D, T = C[b + SN_ROWS], C[b + SN_WIDTH], C[C_DIAGONAL] + C[b + SN_FIRST], C[C_MULTIPLIERS]
    taken = 0.0
    for k in range(min(i, C[b + SN_PIVOTS])):
        u = X[rows + k * width + i]
        X[T + k] = u * X[D + k]
        taken += abs(X[T + k] * u)
    return taken


def subtract_rows(C, X, b, count, first, onto):
    """Take the multiples in C_MULTIPLIERS of the first `count` rows of the supernode at b from the row at `onto`, from the
    vector on in which column `first` is."""
    z = 0.0
    width, T = C[b + SN_WIDTH], C[C_MULTIPLIERS]
    c, rows = first - first % lanes(z), C[b + SN_ROWS]
    while c + 4 * lanes(z) <= width:
        s0, s1, s2, s3 = row_of(z), row_of(z), row_of(z), row_of(z)
        for k in range(count):
            at, t = rows + k * width + c, X[T + k]
            s0 = s0 + t * row(z, X, at)
            s1 = s1 + t * row(z, X, at + lanes(z))
            s2 = s2 + t * row(z, X, at + 2 * lanes(z))
            s3 = s3 + t * row(z, X, at + 3 * lanes(z))
        store_row(X, onto + c, row(z, X, onto + c) - s0, lanes(z))
        store_row(X, onto + c + lanes(z), row(z, X, onto + c + lanes(z)) - s1, lanes(z))
        store_row(X, onto + c + 2 * lanes(z), row(z, X, onto + c + 2 * lanes(z)) - s2, lanes(z))
        store_row(X, onto + c + 3 * lanes(z), row(z, X, onto + c + 3 * lanes(z)) - s3, lanes(z))
        c += 4 * lanes(z)
    while c < width:
        s0 = row_of(z)
        for k in range(count):
            s0 = s0 + X[T + k] * row(z, X, rows + k * width + c)
        store_row(X, onto + c, row(z, X, onto + c) - s0, lanes(z))
        c += lanes(z)


def finish_pivot(C, X, b, k):
    """1/D of pivot k of the supernode at b, whose row is done but for the zeros up to the pivot."""
    at, position = C[b + SN_ROWS] + k * C[b + SN_WIDTH], C[b + SN_FIRST] + k
    d, size = X[at + k], X[C[C_SIZES] + position]
    left_out = size == 0.0 or (C[C[C_SIGNS] + position] < 0 and abs(d) * SMALL_PIVOT <= size)
    X[C[C_DIAGONAL] + position] = 0.0 if left_out else 1 / d
    for c in range(k + 1):
        X[at + c] = 0.0


def pass_row_on(C, X, b, i):
    """Take what the pivots of the supernode at b say of row i, one beyond them, from where that row is a pivot's."""
    z = 0.0
    scratch, target = C[C_ROW], C[b + SN_TARGETS] + 2 * (i - C[b + SN_PIVOTS])
    for c in range(i - i % lanes(z), C[b + SN_WIDTH]):
        X[scratch + c] = 0.0
    subtract_rows(C, X, b, C[b + SN_PIVOTS], i, scratch)
    onto, columns = C[target], C[target + 1]
    for c in range(i, C[b + SN_SIZE]):
        X[onto + C[columns + c]] += X[scratch + c]


def factor_supernodes(C, X):
    """U and 1/D in the place of K, after the sizes of its diagonal have been put in C_SIZES."""
    for s in range(C[C_SUPERNODES]):
        b = supernode_at(C, s)
        for i in range(C[b + SN_SIZE]):
            taken = row_multipliers(C, X, b, i)
            if i < C[b + SN_PIVOTS]:
                X[C[C_SIZES] + C[b + SN_FIRST] + i] += taken
                subtract_rows(C, X, b, i, i, C[b + SN_ROWS] + i * C[b + SN_WIDTH])
                finish_pivot(C, X, b, i)
            else:
                X[C[C_SIZES] + C[C[b + SN_INDEX] + i]] += taken
                pass_row_on(C, X, b, i)


def gather_side(C, X, b, side):
    """Entries of the vector at `side` in the columns of the supernode at b, to C_ROW."""
    scratch, p = C[C_ROW], C[b + SN_PIVOTS]
    for k in range(p):
        X[scratch + k] = X[side + C[b + SN_FIRST] + k]
    for k in range(p, C[b + SN_SIZE]):
        X[scratch + k] = X[side + C[C[b + SN_INDEX] + k]]
    for k in range(C[b + SN_SIZE], C[b + SN_WIDTH]):
        X[scratch + k] = 0.0


def solve_supernodes(C, X, side, count):
    """The vector of so many numbers at `side` <- K^-1 times it, after `factor_supernodes`."""
    z = 0.0
    scratch = C[C_ROW]
    for s in range(C[C_SUPERNODES]):
        b = supernode_at(C, s)
        p, width = C[b + SN_PIVOTS], C[b + SN_WIDTH]
        gather_side(C, X, b, side)
        for k in range(p):
            x, at = X[scratch + k] * X[C[C_DIAGONAL] + C[b + SN_FIRST] + k], C[b + SN_ROWS] + k * width
            for c in range(k - k % lanes(z), width, lanes(z)):
                store_row(X, scratch + c, row(z, X, scratch + c) - x * row(z, X, at + c), lanes(z))
        for k in range(p):
            X[side + C[b + SN_FIRST] + k] = X[scratch + k]
        for k in range(p, C[b + SN_SIZE]):
            X[side + C[C[b + SN_INDEX] + k]] = X[scratch + k]
    for k in range(count):
        X[side + k] = X[side + k] * X[C[C_DIAGONAL] + k]
    for n in range(C[C_SUPERNODES]):
        b = supernode_at(C, C[C_SUPERNODES] - 1 - n)
        p, width = C[b + SN_PIVOTS], C[b + SN_WIDTH]
        gather_side(C, X, b, side)
        for m in range(p):
            k = p - 1 - m
            total, at = row_of(z), C[b + SN_ROWS] + k * width
            for c in range(k - k % lanes(z), width, lanes(z)):
                total = total + row(z, X, at + c) * row(z, X, scratch + c)
            x = X[scratch + k] - X[C[C_DIAGONAL] + C[b + SN_FIRST] + k] * row_total(total)
            X[scratch + k] = x
            X[side + C[b + SN_FIRST] + k] = x
