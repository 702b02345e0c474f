"""The matrix of Kane's equations for points and vectors, put together, factored and solved; see `rates`.

On numbers only.
"""

from kaneflex.formulations.cartesian.envelope import factor_envelope, solve_envelope
from kaneflex.formulations.cartesian.equations import equation_at, gradient_at, result_at
from kaneflex.formulations.cartesian.layout import *
from kaneflex.formulations.cartesian.motion import own_integers, own_reals
from kaneflex.kernels.inertia import inertia_times
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset


def unknowns(C):
    """Number of free coordinates and multipliers."""
    return C[C_FREE] + C[C_EQUATIONS]


def add_to_matrix(C, X, a, b, value):
    """Add to the entry of unknowns a and b, of which b is not after a."""
    i, j = C[C[C_POSITIONS] + a], C[C[C_POSITIONS] + b]
    if i == j:
        X[C[C_DIAGONAL] + i] += value
    elif i > j:
        X[C[C_FACTOR] + C[C[C_STARTS] + i] + j - C[C[C_FIRSTS] + i]] += value


def add_body_mass(C, X, W, i):
    """Add Phi^T I Phi of body i, lower half."""
    b, phi = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    for n in range(3 * C[b + C_REFS]):
        f = phi + n
        turn = (X[f], X[f + C_MOST], X[f + 2 * C_MOST])
        slide = (X[f + 3 * C_MOST], X[f + 4 * C_MOST], X[f + 5 * C_MOST])
        torque, force = inertia_times(W, body_work(i), turn, slide)
        column = C[C[C_REF_TABLE] + C_REF_INTS * (C[b + C_REF0] + n // 3)] + n % 3
        for m in range(3 * C[b + C_REFS]):
            g = phi + m
            value = torque[0] * X[g] + torque[1] * X[g + C_MOST] + torque[2] * X[g + 2 * C_MOST]
            value += force[0] * X[g + 3 * C_MOST] + force[1] * X[g + 4 * C_MOST] + force[2] * X[g + 5 * C_MOST]
            add_to_matrix(C, X, C[C[C_REF_TABLE] + C_REF_INTS * (C[b + C_REF0] + m // 3)] + m % 3, column, value)


def equation_column(C, b, n):
    """Coordinate of the n-th entry of B of the equation at b."""
    return C[C[C_COLUMN_TABLE] + C[b + C_COLUMN0] + n // 3] + n % 3


def weigh_equations(C, X):
    """S of (1), from the diagonal of M."""
    free, total = C[C_FREE], 0.0
    for k in range(free):
        total += X[C[C_DIAGONAL] + C[C[C_POSITIONS] + k]]
    for r in range(C[C_EQUATIONS]):
        b, g, mass, square = equation_at(C, r), gradient_at(C, r), 0.0, 0.0
        for n in range(3 * C[b + C_COLUMNS]):
            s = X[g + n] * X[g + n]
            mass += s * X[C[C_DIAGONAL] + C[C[C_POSITIONS] + equation_column(C, b, n)]]
            square += s
        X[result_at(C, r) + C_WEIGHT] = 0.0
        if square > 0.0:
            X[result_at(C, r) + C_WEIGHT] = (mass / square + 1e-6 * total / free) / square


def factor_cartesian(I, T, W):
    """Assemble and factor the matrix of (1); after `cartesian_equations`."""
    C, X = own_integers(I), own_reals(I)
    n = unknowns(C)
    for k in range(C[C[C_STARTS] + n]):
        X[C[C_FACTOR] + k] = 0.0
    for k in range(n):
        X[C[C_DIAGONAL] + k] = 0.0
    for i in range(1, T[BODIES]):
        add_body_mass(C, X, W, i)
    weigh_equations(C, X)
    for r in range(C[C_EQUATIONS]):
        b, g, weight = equation_at(C, r), gradient_at(C, r), X[result_at(C, r) + C_WEIGHT]
        for m in range(3 * C[b + C_COLUMNS]):
            k = equation_column(C, b, m)
            add_to_matrix(C, X, C[C_FREE] + r, k, X[g + m])
            for j in range(3 * C[b + C_COLUMNS]):
                add_to_matrix(C, X, equation_column(C, b, j), k, weight * X[g + m] * X[g + j])
    firsts, starts, signs = offset(C, C[C_FIRSTS]), offset(C, C[C_STARTS]), offset(C, C[C_SIGNS])
    A, D, softness = offset(X, C[C_FACTOR]), offset(X, C[C_DIAGONAL]), offset(X, C[C_SOFTNESS])
    factor_envelope(n, firsts, starts, signs, A, D, softness)


def equation_place(C, r):
    """Place of equation r among the unknowns."""
    return C[C[C_POSITIONS] + C[C_FREE] + r]


def solve_cartesian(I):
    """Solve for the right side that is in C_SIDE, by sweeps with the softened matrix, Eq. (2)."""
    C, X = own_integers(I), own_reals(I)
    n, firsts, starts = unknowns(C), offset(C, C[C_FIRSTS]), offset(C, C[C_STARTS])
    A, D, side = offset(X, C[C_FACTOR]), offset(X, C[C_DIAGONAL]), offset(X, C[C_SIDE])
    given, before, softness = offset(X, C[C_GIVEN]), offset(X, C[C_BEFORE]), offset(X, C[C_SOFTNESS])
    allowed, left, sweeps = 0.0, 1.0, 0
    for k in range(n):
        given[k] = side[k]
    for r in range(C[C_EQUATIONS]):
        allowed += 1e-15 * abs(given[equation_place(C, r)])
    solve_envelope(n, firsts, starts, A, D, side)
    while left > allowed and sweeps < 40:
        for k in range(n):
            before[k] = side[k]
            side[k] = given[k]
        for r in range(C[C_EQUATIONS]):
            k = equation_place(C, r)
            side[k] -= softness[k] * before[k]
        solve_envelope(n, firsts, starts, A, D, side)
        left = 0.0
        for r in range(C[C_EQUATIONS]):
            k = equation_place(C, r)
            left += abs(softness[k] * (side[k] - before[k]))
        sweeps += 1


def clear_side(I):
    """The right side, zero."""
    C, X = own_integers(I), own_reals(I)
    for k in range(unknowns(C)):
        X[C[C_SIDE] + k] = 0.0


def set_side(C, X, r, value):
    """Want `value` of B times the unknown rates of equation r."""
    b, g, side = equation_at(C, r), gradient_at(C, r), C[C_SIDE]
    X[side + C[C[C_POSITIONS] + C[C_FREE] + r]] = value
    for n in range(3 * C[b + C_COLUMNS]):
        k = C[C[C_POSITIONS] + equation_column(C, b, n)]
        X[side + k] += X[result_at(C, r) + C_WEIGHT] * X[g + n] * value


def unknown(C, X, k):
    """The k-th of coordinates and multipliers, after `solve_cartesian`."""
    return X[C[C_SIDE] + C[C[C_POSITIONS] + k]]
