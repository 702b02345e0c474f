"""Newton's matrix of implicit steps, with what joints do of themselves, eliminated along the tree in order n.

An implicit step wants x with (1 - g J) x = r, J = dy'/dy, g a part of the step. What makes a system stiff are, nearly
always, springs and dampers in its joints, and the modes of flexible bodies. With their tangents K and D, one number each for
every speed, and s = W^+ r_q for the displacements along the columns that belong to the change r_q of the coordinates, J is
taken as that of

    q' = W w ,    M w' = -K s - D w ,                                                                              (1)

for which x follows from r = (r_q, r_w) as

    (M + g D + g^2 K) e = -g (D r_w + K (s + g r_w)) ,    x_w = r_w + e ,    x_q = r_q + g W x_w .                   (2)

The elimination of `recursive` solves it when every pivot gets g D + g^2 K more; loads are in the joints only, so that no
product with M is wanted. All else that J holds is left to the iteration which uses this matrix (`simulate.stepping.mixing`).
K and D are found by differences of the loads in all joints at once, which is exact where a joint's load depends on its own
motion. The same source eliminates with real and with complex g, on numbers only.

The numbers are kept in an array X: a workspace like W, nq numbers, then K and D, a state for the differences, and, for
complex g, a workspace and a vector like y in complex numbers.
"""

from kaneflex.formulations.evaluate import along, prepare
from kaneflex.formulations.recursive import column_rate, pass_to_parent, times_column
from kaneflex.kernels.algebra import (
    accumulate3,
    add,
    cross,
    load3,
    load6,
    load33,
    rank_one,
    scale,
    store3,
    sym_rank_one,
    tmul,
)
from kaneflex.kernels.joints.dispatch import joint_rates
from kaneflex.kernels.kinematics import add_along, coordinate_rates, transport
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import modal_six
from kaneflex.kernels.ops import complexes, offset
from kaneflex.kernels.sensors import load_states

LARGE = 40  # numbers in y from which on the matrix pays
LARGE_FLEXIBLE = 400
FRACTION = 1000000  # one over the displacements and rates by which joints are tried


def tangent_place(I):
    """Place in X of K; D follows it, then a state (q, u)."""
    return I[W_SIZE] + I[COORDINATES]


def complex_place(I):
    """Place in X of the complex workspace; nq numbers follow it, then a vector (q, u)."""
    return tangent_place(I) + 3 * I[SPEEDS] + I[COORDINATES]


def tree_length(I):
    """Length of X."""
    return complex_place(I) + 2 * (I[W_SIZE] + 2 * I[COORDINATES] + I[SPEEDS])


def tree_pays(I, n):
    """Whether the matrix can be made, for systems without constraints in the customary speeds, and costs less than one with
    all entries for n numbers in y; flexible bodies, of which it leaves more to the iteration, make it pay later."""
    if I[CONSTRAINTS] > 0 or n < (LARGE_FLEXIBLE if I[FLEXIBLES] > 0 else LARGE):
        return False
    for k in range(I[SPEEDS]):
        if I[column_row(I, k) + TOTAL] == 1:
            return False
    return True


def joint_tangents(I, P, W, t, y, X):
    """K and D of every speed, none of them negative: what the loads in the joints lose per displacement and rate of all."""
    nq, nu = I[COORDINATES], I[SPEEDS]
    u, K = offset(y, nq), tangent_place(I)
    D, moved = K + nu, K + 2 * nu
    load_states(I, W, y)
    for k in range(nu):
        W[column_work(I, k) + RATE] = 1.0
    coordinate_rates(I, W, y, offset(X, moved))
    for j in range(nq):
        X[moved + j] = y[j] + X[moved + j] / FRACTION
    prepare(I, P, W, t, offset(X, moved), u)
    for k in range(nu):
        X[K + k] = W[column_work(I, k) + TAU]
        X[moved + nq + k] = u[k] + 1.0 / FRACTION
    prepare(I, P, W, t, y, offset(X, moved + nq))
    for k in range(nu):
        X[D + k] = W[column_work(I, k) + TAU]
    prepare(I, P, W, t, y, u)
    for k in range(nu):
        load = W[column_work(I, k) + TAU]
        X[K + k] = max(0.0, FRACTION * (load - X[K + k]))
        X[D + k] = max(0.0, FRACTION * (load - X[D + k]))


def eliminate_shifted(I, V, X, g):
    """Tip to base: U and one over the pivot s . U + g D + g^2 K of every speed, in the workspace V."""
    K, D, z = tangent_place(I), tangent_place(I) + I[SPEEDS], 0 * g
    none = (z, z, z)
    for i in range(I[BODIES] - 1, 0, -1):
        b, w = body_row(i), body_work(i)
        wp = body_work(I[b + PARENT])
        J, H, M = load6(V, w + J_), load33(V, w + H_), load6(V, w + M_)
        if I[b + MODES] > 0:
            J, H, M = eliminate_shifted_modes(I, V, X, g, i, J, H, M)
        for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
            if I[column_row(I, k) + PRESCRIBED] == 0:
                c = column_work(I, k)
                Ua, Ul, d, _ = times_column(V, c, I[column_row(I, k) + AXIS], J, H, M, none, none)
                pivot = 1 / (d + g * (X[D + k] + g * X[K + k]))
                store3(V, c + U_, Ua)
                store3(V, c + U_ + 3, Ul)
                V[c + D_] = pivot
                J, H, M = sym_rank_one(J, pivot, Ua), rank_one(H, pivot, Ua, Ul), sym_rank_one(M, pivot, Ul)
        if wp > 0:
            pass_to_parent(V, w, wp, J, H, M, none, none)


def eliminate_shifted_modes(I, V, X, g, i, J, H, M):
    """Inertia of body i without its modal speeds: columns whose U is their coupling with the body, and whose pivots are
    1 + g D + g^2 K. What hangs on nodes is left out of the coupling."""
    m, f, own = I[body_row(i) + MODES], flexible_row(I, i), modal_work(I, i, OWN_COUPLING)
    K, D = tangent_place(I), tangent_place(I) + I[SPEEDS]
    for k in range(I[f + FLEXIBLE_U], I[f + FLEXIBLE_U] + m):
        c, U = column_work(I, k), modal_six(V, own + k - I[f + FLEXIBLE_U], m)
        Ua, Ul = (U[0], U[1], U[2]), (U[3], U[4], U[5])
        pivot = (1 - I[f + FLEXIBLE_LOCKED]) / (1 + g * (X[D + k] + g * X[K + k]))
        store3(V, c + U_, Ua)
        store3(V, c + U_ + 3, Ul)
        V[c + D_] = pivot
        J, H, M = sym_rank_one(J, pivot, Ua), rank_one(H, pivot, Ua, Ul), sym_rank_one(M, pivot, Ul)
    return J, H, M


def displacement(I, V, i, q, r, room):
    """s = W^+ r_q of body i's joint and modes, left in WDOT. Columns of W are orthogonal where a joint has more coordinates
    than speeds."""
    b = body_row(i)
    first, count, c = I[b + Q0], I[b + NU], column_work(I, I[b + U0])
    for m in range(count):
        V[c + m * COLUMN_WIDTH + WDOT] = r[first + m]
    if I[b + NQ] != count:
        for m in range(count):
            for n in range(count):
                V[c + n * COLUMN_WIDTH + RATE] = 0 * r[0] + (1 if n == m else 0)
            joint_rates(I, V, i, q, room)
            total, square = 0 * r[0], 0 * r[0]
            for n in range(first, first + I[b + NQ]):
                total += room[n] * r[n]
                square += room[n] * room[n]
            V[c + m * COLUMN_WIDTH + WDOT] = total / square
    if I[b + MODES] > 0:
        f = flexible_row(I, i)
        for m in range(I[b + MODES]):
            V[column_work(I, I[f + FLEXIBLE_U] + m) + WDOT] = r[I[f + FLEXIBLE_Q] + m]


def solve_shifted(I, V, X, q, g, x, room):
    """Eq. (2): x = (x_q, x_w) in place of r, after `eliminate_shifted`."""
    nq, K, D, z = I[COORDINATES], tangent_place(I), tangent_place(I) + I[SPEEDS], 0 * g
    w_of = offset(x, nq)
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        store3(V, w + TORQUE, (z, z, z))
        store3(V, w + FORCE, (z, z, z))
        displacement(I, V, i, q, x, room)
        for k in range(I[b + U0], I[b + U0] + I[b + NU] + I[b + MODES]):  # modal speeds follow the joint's
            c = column_work(I, k)
            V[c + TAU] = -g * (X[D + k] * w_of[k] + X[K + k] * (V[c + WDOT] + g * w_of[k]))
    for i in range(I[BODIES] - 1, 0, -1):
        b, w = body_row(i), body_work(i)
        wp, n, f = body_work(I[b + PARENT]), load3(V, w + TORQUE), load3(V, w + FORCE)
        for k in range(I[b + U0] + I[b + NU], I[b + U0] + I[b + NU] + I[b + MODES]):
            c = column_work(I, k)
            push = V[c + D_] * V[c + TAU]
            n, f = add(n, scale(push, load3(V, c + U_))), add(f, scale(push, load3(V, c + U_ + 3)))
        for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
            if I[column_row(I, k) + PRESCRIBED] == 0:
                c = column_work(I, k)
                V[c + TAU_REDUCED] = V[c + TAU] - along(I, V, k, n, f)
                push = V[c + D_] * V[c + TAU_REDUCED]
                n, f = add(n, scale(push, load3(V, c + U_))), add(f, scale(push, load3(V, c + U_ + 3)))
        if wp > 0:
            E = load33(V, w + R_MP)
            f = tmul(E, f)
            accumulate3(V, wp + FORCE, f)
            accumulate3(V, wp + TORQUE, add(tmul(E, n), cross(load3(V, w + P_PM), f)))
    store3(V, body_work(I[BODIES] - I[BODIES]) + ALPHA, (z, z, z))
    store3(V, body_work(I[BODIES] - I[BODIES]) + A_, (z, z, z))
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        alpha, a = transport(V, w, body_work(I[b + PARENT]))
        store3(V, w + ALPHA, alpha)
        store3(V, w + A_, a)
        for k in range(I[b + U0], I[b + U0] + I[b + NU]):
            c = column_work(I, k)
            if I[column_row(I, k) + PRESCRIBED] == 0:
                e = column_rate(V, c, load3(V, w + ALPHA), load3(V, w + A_))
                add_along(V, w, c, I[column_row(I, k) + AXIS], e)
                w_of[k] += e
            V[c + RATE] = w_of[k]
        for k in range(I[b + U0] + I[b + NU], I[b + U0] + I[b + NU] + I[b + MODES]):
            c = column_work(I, k)
            V[c + TAU_REDUCED] = V[c + TAU]
            w_of[k] += column_rate(V, c, load3(V, w + ALPHA), load3(V, w + A_))
            V[c + RATE] = w_of[k]
    coordinate_rates(I, V, q, room)
    for j in range(nq):
        x[j] += g * room[j]


def make_tree_matrix(I, P, W, t, y, X, g, re, im):
    """The factors at (t, y) for g and, unless it is real, for re + i im."""
    joint_tangents(I, P, W, t, y, X)
    for k in range(I[W_SIZE]):
        X[k] = W[k]
    if im != 0.0:
        V = complexes(offset(X, complex_place(I)))
        for k in range(I[W_SIZE]):
            V[k] = complex(W[k], 0.0)
        eliminate_shifted(I, V, X, complex(re, im))
    eliminate_shifted(I, X, X, g)


def solve_tree_real(I, X, q, g, x):
    """x = (1 - g A)^-1 x for the real g of the factors; q is where they were made."""
    solve_shifted(I, X, X, q, g, x, offset(X, I[W_SIZE]))


def solve_tree_complex(I, X, q, re, im, x_re, x_im):
    """The same for the complex g = re + i im, parts of x apart."""
    V = complexes(offset(X, complex_place(I)))
    room, n = offset(V, I[W_SIZE]), I[COORDINATES] + I[SPEEDS]
    x = offset(room, I[COORDINATES])
    for k in range(n):
        x[k] = complex(x_re[k], x_im[k])
    solve_shifted(I, V, X, q, complex(re, im), x, room)
    for k in range(n):
        x_re[k] = x[k].real
        x_im[k] = x[k].imag
