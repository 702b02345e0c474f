"""The matrix of Kane's equations for points and vectors, put together, factored and solved; see `rates`.

On numbers only.
"""

from kaneflex.formulations.cartesian.equations import equation_at, gradient_at, result_at
from kaneflex.formulations.cartesian.layout import *
from kaneflex.formulations.cartesian.motion import own_integers, own_reals
from kaneflex.formulations.cartesian.supernodes import factor_supernodes, solve_supernodes
from kaneflex.kernels.algebra import add, load3, scale
from kaneflex.kernels.inertia import inertia_times
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import lanes, row, store_row

REFINEMENTS = 200  # of a solution at most


def unknowns(C):
    """Number of free coordinates and multipliers."""
    return C[C_FREE] + C[C_EQUATIONS]


def add_block(X, at, stride, s, a, b):
    """Add s a b^T, three rows `stride` apart, from `at` on."""
    for m in range(3):
        x = s * a[m]
        X[at] += x * b[0]
        X[at + 1] += x * b[1]
        X[at + 2] += x * b[2]
        at += stride


def add_body_mass(C, X, W, i):
    """Add Phi^T I Phi of body i: its points and vectors are in the order of their places in the matrix."""
    z = 0.0
    b, phi = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    k, refs, scratch = C[C_PLACE_TABLE] + C[b + C_BODY_PLACES], C[b + C_REFS], C[C_INERTIA_TIMES]
    for n in range(refs):
        for m in range(3):
            f = phi + 3 * n + m
            turn = (X[f], X[f + C_MOST], X[f + 2 * C_MOST])
            slide = (X[f + 3 * C_MOST], X[f + 4 * C_MOST], X[f + 5 * C_MOST])
            torque, force = inertia_times(W, body_work(i), turn, slide)
            for c in range(3 * n - 3 * n % lanes(z), 3 * refs, lanes(z)):
                g = phi + c
                y = torque[0] * row(z, X, g) + torque[1] * row(z, X, g + C_MOST) + torque[2] * row(z, X, g + 2 * C_MOST)
                y = y + force[0] * row(z, X, g + 3 * C_MOST) + force[1] * row(z, X, g + 4 * C_MOST)
                store_row(X, scratch + c, y + force[2] * row(z, X, g + 5 * C_MOST), lanes(z))
            for o in range(n, refs):
                at, c = C[k + 1 + o - n] + m * C[k], scratch + 3 * o
                X[at] += X[c]
                X[at + 1] += X[c + 1]
                X[at + 2] += X[c + 2]
        k += 1 + refs - n


def equation_column(C, b, n):
    """Coordinate of the n-th entry of B of the equation at b."""
    return C[C[C_COLUMN_TABLE] + C[b + C_COLUMN0] + n // 3] + n % 3


def diagonal_entry(C, X, k):
    """Entry of the diagonal of M for coordinate k, before factors take its place."""
    return X[C[C[C_DIAGONAL_TABLE] + C[C[C_POSITIONS] + k]]]


def weigh_equations(C, X):
    """S of (1), from the diagonal of M."""
    free, total = C[C_FREE], 0.0
    for k in range(free):
        total += diagonal_entry(C, X, k)
    for r in range(C[C_EQUATIONS]):
        b, g, mass, square = equation_at(C, r), gradient_at(C, r), 0.0, 0.0
        for n in range(3 * C[b + C_COLUMNS]):
            s = X[g + n] * X[g + n]
            mass += s * diagonal_entry(C, X, equation_column(C, b, n))
            square += s
        X[result_at(C, r) + C_WEIGHT] = 0.0
        if square > 0.0:
            X[result_at(C, r) + C_WEIGHT] = (mass / square + 1e-6 * total / free) / square


def add_equation(C, X, r):
    """Add B of equation r, and its share of B^T S B."""
    b, g, weight = equation_at(C, r), gradient_at(C, r), X[result_at(C, r) + C_WEIGHT]
    k, columns = C[C_PLACE_TABLE] + C[b + C_PLACES], C[b + C_COLUMNS]
    for n in range(columns):
        stride, at, v = C[k], C[k + 1], load3(X, g + 3 * n)
        X[at] += v[0]
        X[at + stride] += v[1]
        X[at + 2 * stride] += v[2]
        for m in range(n, columns):
            add_block(X, C[k + 2 + m - n], stride, weight, v, load3(X, g + 3 * m))
        k += 2 + columns - n


def soften_equations(C, X):
    """Let equations of constraints give way a little, all alike: where some follow from others their multipliers are then of
    least norm, and refining, which takes the rest of it out again, leaves that. Where multipliers decide what happens."""
    total, count = 0.0, 0
    for r in range(C[C_EQUATIONS]):
        weight = X[result_at(C, r) + C_WEIGHT]
        if C[equation_at(C, r) + C_KIND] == C_USER_ROW and weight > 0.0:
            total += 1 / weight
            count += 1
    for r in range(C[C_EQUATIONS]):
        if C[equation_at(C, r) + C_KIND] == C_USER_ROW and count > 0:
            X[C[C[C_DIAGONAL_TABLE] + equation_place(C, r)]] -= 1e-6 * total / count


def factor_cartesian(I, T, W):
    """Assemble and factor the matrix of (1); after `cartesian_equations`."""
    C, X = own_integers(I), own_reals(I)
    for k in range(C[C_FACTOR], C[C_FACTOR] + C[C_FACTOR_SIZE]):
        X[k] = 0.0
    for i in range(1, T[BODIES]):
        add_body_mass(C, X, W, i)
    weigh_equations(C, X)
    for r in range(C[C_EQUATIONS]):
        add_equation(C, X, r)
    if T[FRICTIONS] + T[WATCHES] > 0:
        soften_equations(C, X)
    for k in range(unknowns(C)):
        X[C[C_SIZES] + k] = abs(X[C[C[C_DIAGONAL_TABLE] + k]])
    factor_supernodes(C, X)


def coordinate_place(C, k):
    """Place of coordinate k among the unknowns."""
    return C[C[C_POSITIONS] + k]


def equation_place(C, r):
    """Place of equation r among the unknowns."""
    return C[C[C_POSITIONS] + C[C_FREE] + r]


def weigh_side(C, X):
    """Add B^T S c to the right side, c being what it wants of the equations."""
    side = C[C_SIDE]
    for r in range(C[C_EQUATIONS]):
        b, g = equation_at(C, r), gradient_at(C, r)
        push = X[result_at(C, r) + C_WEIGHT] * X[side + equation_place(C, r)]
        for n in range(3 * C[b + C_COLUMNS]):
            X[side + coordinate_place(C, equation_column(C, b, n))] += push * X[g + n]


def solve_once(I):
    """Solve for the right side that is in C_SIDE, to the digits that the factors have; the solution takes its place."""
    C, X = own_integers(I), own_reals(I)
    weigh_side(C, X)
    solve_supernodes(C, X, C[C_SIDE], unknowns(C))


def solve_cartesian(I, T, W):
    """Solve for the right side that is in C_SIDE, refined by Eq. (2) of `rates` until the next change would be rounding or
    changes do not fall any more; not a number where these are not small by then."""
    C, X = own_integers(I), own_reals(I)
    n, side, given, found = unknowns(C), C[C_SIDE], C[C_GIVEN], C[C_FOUND]
    for k in range(n):
        X[given + k] = X[side + k]
        X[found + k] = 0.0
    change = add_change(I)
    size, falls, times = max(change, largest_multiplier(C, X)), 1, 0
    while falls == 1:
        before, times = change, times + 1
        set_residual(C, X, T, W)
        change = add_change(I)
        if change * change <= 1e-14 * size * before:  # the next one is smaller by change/before
            falls = 0
        elif times == REFINEMENTS or (times > 1 and not change < 0.95 * before):  # the first undoes softness
            falls = 0 if change <= max(1e-6 * largest_acceleration(C, X), 1e-10 * size) else -1
    for k in range(n):
        X[side + k] = X[found + k] if falls == 0 else X[found + k] / 0.0 * 0.0


def add_change(I):
    """Solve for the right side that is in C_SIDE and add the solution to C_FOUND; returns its largest coordinate."""
    C, X, largest = own_integers(I), own_reals(I), 0.0
    solve_once(I)
    for k in range(unknowns(C)):
        X[C[C_FOUND] + k] += X[C[C_SIDE] + k]
    for k in range(C[C_FREE]):
        largest = max(largest, abs(X[C[C_SIDE] + coordinate_place(C, k)]))
    return largest


def largest_acceleration(C, X):
    """Largest of the coordinates' accelerations in C_FOUND."""
    largest = 0.0
    for k in range(C[C_FREE]):
        largest = max(largest, abs(X[C[C_FOUND] + coordinate_place(C, k)]))
    return largest


def largest_multiplier(C, X):
    """Largest of the multipliers in C_FOUND over S: the accelerations that they prevent."""
    largest = 0.0
    for r in range(C[C_EQUATIONS]):
        if X[result_at(C, r) + C_WEIGHT] > 0.0:
            largest = max(largest, abs(X[C[C_FOUND] + equation_place(C, r)]) / X[result_at(C, r) + C_WEIGHT])
    return largest


def set_residual(C, X, T, W):
    """What (1) of `rates` leaves of the right side in C_GIVEN at the solution in C_FOUND, to C_SIDE."""
    side, found = C[C_SIDE], C[C_FOUND]
    for k in range(unknowns(C)):
        X[side + k] = X[C[C_GIVEN] + k]
    for i in range(1, T[BODIES]):
        subtract_inertia(C, X, W, i)
    for r in range(C[C_EQUATIONS]):
        b, g, place, total = equation_at(C, r), gradient_at(C, r), equation_place(C, r), 0.0
        multiplier = X[found + place]
        for n in range(3 * C[b + C_COLUMNS]):
            k = coordinate_place(C, equation_column(C, b, n))
            total += X[g + n] * X[found + k]
            X[side + k] -= X[g + n] * multiplier
        X[side + place] -= total


def subtract_inertia(C, X, W, i):
    """Take Phi^T I Phi y'' of body i from the right side, y'' in C_FOUND."""
    b, phi = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    turn, slide, refs = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), C[C_REF_TABLE]
    for n in range(3 * C[b + C_REFS]):
        f = phi + n
        x = X[C[C_FOUND] + coordinate_place(C, C[refs + C_REF_INTS * (C[b + C_REF0] + n // 3)] + n % 3)]
        turn = add(turn, scale(x, (X[f], X[f + C_MOST], X[f + 2 * C_MOST])))
        slide = add(slide, scale(x, (X[f + 3 * C_MOST], X[f + 4 * C_MOST], X[f + 5 * C_MOST])))
    torque, force = inertia_times(W, body_work(i), turn, slide)
    add_load(C, X, i, scale(-1, torque), scale(-1, force))


def clear_side(I):
    """The right side, zero."""
    C, X = own_integers(I), own_reals(I)
    for k in range(unknowns(C)):
        X[C[C_SIDE] + k] = 0.0


def add_load(C, X, i, torque, force):
    """Add Phi^T of a load on body i, about M in axes of M, to the right side; nothing for the inertial frame."""
    b, phi = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    for n in range(3 * C[b + C_REFS]):
        f = phi + n
        value = torque[0] * X[f] + torque[1] * X[f + C_MOST] + torque[2] * X[f + 2 * C_MOST]
        value += force[0] * X[f + 3 * C_MOST] + force[1] * X[f + 4 * C_MOST] + force[2] * X[f + 5 * C_MOST]
        k = C[C[C_REF_TABLE] + C_REF_INTS * (C[b + C_REF0] + n // 3)] + n % 3
        X[C[C_SIDE] + coordinate_place(C, k)] += value


def set_side(C, X, r, value):
    """Want `value` of B times the unknown rates of equation r."""
    X[C[C_SIDE] + equation_place(C, r)] = value


def unknown(C, X, k):
    """The k-th of coordinates and multipliers, after a solution."""
    return X[C[C_SIDE] + C[C[C_POSITIONS] + k]]
