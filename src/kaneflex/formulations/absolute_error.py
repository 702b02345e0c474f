"""The error of a step, measured in rotations and places of the bodies.

A long chain turns by the sum of what its joints turn by. Each of them is small, the smaller the more links there are, and a
tolerance relative to it asks for more and more digits of a motion that is the same. So errors of coordinates and speeds are
carried along the tree as displacements e_i and velocities of the bodies, rotation and place apart, and each is measured by

    |e_i| / (atol + rtol max(|z_i|, mean of all |z|)) ,                                                              (1)

z_i being what the coordinates, or speeds, themselves carry to the body: its rotation and displacement from where all
coordinates are zero, linear in them, and its velocity. In a plane z_i is the absolute rotation, in space a measure of it.
The error is the largest of the four roots of mean squares, rotation and place of coordinates and speeds, and of that of all
other entries of y (modes, rotors, states of blocks, work), each by its own tolerance. On numbers only.
"""

from kaneflex.formulations.tree_matrix import displace, displacement, relative_rates, tangent_place
from kaneflex.kernels.algebra import dot, load3
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset, sqrt

SIZE_OF_TURN = OMEGA  # of a body's row in X, where velocities are not wanted: |z| of its rotation,
SIZE_OF_PLACE = OMEGA + 1  # and of its place


def tree_error(I, P, X, y, e, atol, rtol, count, out):
    """The error e of a step from y, 1 being the tolerance, to out[0]: along the tree whose matrix is in X. The first `count`
    entries of y count."""
    nq = I[COORDINATES]
    worst = other_error(I, y, e, atol, rtol, count)
    z = offset(X, tangent_place(I) + 2 * I[SPEEDS])
    for j in range(nq):
        z[j] = y[j]
    for n in range(I[QUATERNIONS]):  # W^+ of a unit quaternion less that at rest is twice its vector part
        z[I[I[I_QUATERNION] + n]] -= 1.0
    carry_coordinates(I, X, y, z)
    keep_sizes(I, X)
    carry_coordinates(I, X, y, e)
    worst = max(worst, carried_error(I, X, atol[0], rtol))
    carry_speeds(I, X, offset(y, nq))
    keep_sizes(I, X)
    carry_speeds(I, X, offset(e, nq))
    out[0] = max(worst, carried_error(I, X, atol[nq], rtol))


def carry_coordinates(I, X, q, x):
    """Rotations and displacements of the bodies for a change x of the coordinates."""
    for i in range(1, I[BODIES]):
        b = body_row(i)
        displacement(I, X, i, q, x, offset(X, I[W_SIZE]))
        for k in range(I[b + U0], I[b + U0] + I[b + NU] + I[b + MODES]):
            X[column_work(I, k) + WDOT] = X[column_work(I, k) + TAU]
        displace(I, X, i)


def carry_speeds(I, X, u):
    """Velocities of the bodies for speeds u."""
    relative_rates(I, X, u)
    for i in range(1, I[BODIES]):
        displace(I, X, i)


def keep_sizes(I, X):
    """|z| of every body from what was carried to it."""
    for i in range(1, I[BODIES]):
        w = body_work(i)
        X[w + SIZE_OF_TURN] = length_of(load3(X, w + ALPHA))
        X[w + SIZE_OF_PLACE] = length_of(load3(X, w + A_))


def length_of(a):
    """|a|."""
    return sqrt(dot(a, a))


def carried_error(I, X, atol, rtol):
    """Eq. (1) for what was carried to the bodies: the larger of rotation and place."""
    turn, place_, bodies = 0.0, 0.0, I[BODIES] - 1
    for i in range(1, I[BODIES]):
        turn += X[body_work(i) + SIZE_OF_TURN] / bodies
        place_ += X[body_work(i) + SIZE_OF_PLACE] / bodies
    turns, places = 0.0, 0.0
    for i in range(1, I[BODIES]):
        w = body_work(i)
        d = length_of(load3(X, w + ALPHA)) / (atol + rtol * max(X[w + SIZE_OF_TURN], turn))
        r = length_of(load3(X, w + A_)) / (atol + rtol * max(X[w + SIZE_OF_PLACE], place_))
        turns += d * d
        places += r * r
    return sqrt(max(turns, places) / max(1, bodies))


def other_error(I, y, e, atol, rtol, count):
    """Root of the mean square of the error of what no joint moves: modes, rotors, states of blocks, work."""
    nq, total, number = I[COORDINATES], 0.0, 0
    for i in range(1, I[BODIES]):
        if I[body_row(i) + MODES] > 0:
            f = flexible_row(I, i)
            for k in range(I[body_row(i) + MODES]):
                total += own_error(y, e, atol, rtol, I[f + FLEXIBLE_Q] + k)
                total += own_error(y, e, atol, rtol, nq + I[f + FLEXIBLE_U] + k)
            number += 2 * I[body_row(i) + MODES]
    for m in range(I[ROTORS]):
        total += own_error(y, e, atol, rtol, nq + I[rotor_row(I, m) + ROTOR_U])
    for j in range(nq + I[SPEEDS], count):
        total += own_error(y, e, atol, rtol, j)
    return sqrt(total / max(1, number + I[ROTORS] + count - nq - I[SPEEDS]))


def own_error(y, e, atol, rtol, j):
    """Square of the error of entry j by its own tolerance."""
    r = e[j] / (atol[j] + rtol * abs(y[j]))
    return r * r
