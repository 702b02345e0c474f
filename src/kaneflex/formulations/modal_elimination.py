"""Modal speeds of flexible bodies in the elimination of `recursive`.

What hangs on a node with columns t_k and leaves inertia I and load p there adds to its flexible body, besides what any joint
passes to a parent,

    C_k += X^T I t_k ,   f_k -= t_k . p ,   A_kl += t_k . I t_l ,      A = modal mass before,                             (1)

X being the transport. Then the modal speeds are eliminated, before those of the body's own joint:

    sigma-dot = A^-1 f - A^-1 C^T a ,   I <- I - C A^-1 C^T ,   p <- p + C A^-1 f .                                      (2)

A is factored, C^T and f being carried along as right-hand sides (DIRECT). With CONSTANT_MASS and nothing on the nodes A is
the unit matrix and a few rows T, see (4) of `constant_mass`: A = 1 + T^T S T, S being 1 for rows of e and -1 for their
linear parts. Then (UPDATE), where that is smaller,

    A^-1 = 1 - T^T K^-1 T ,   K = S + T T^T ,                                                                            (3)

and K, with T C^T and T f behind its rows, is factored in the same way: its first rows are positive, the others negative once
these are eliminated, so that no rows need be exchanged.
Ref: Banerjee, Flexible Multibody Dynamics, chapter 8; Woodbury's identity, Golub and Van Loan (2013), section 2.1.4.
"""

from kaneflex.formulations.symmetric_solve import factor_symmetric, solve_backward, solve_forward
from kaneflex.kernels.algebra import (
    accumulate3,
    accumulate33,
    add,
    cross,
    dot,
    load3,
    load6,
    load33,
    mul,
    rank_one,
    scale,
    store3,
    store6,
    store33,
    sym_mul,
    sym_rank_one,
    tmul,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import add_squares, modal_rows, modal_three, product_with, products_of_two, store_rows
from kaneflex.kernels.modal_shape import second_columns
from kaneflex.kernels.ops import lanes, row, row_of, store_row


def begin_modes(I, W):
    """Coupling and forces of the flexible bodies alone; nothing hangs on them yet."""
    for i in range(1, I[BODIES]):
        m = I[body_row(i) + MODES]
        if m > 0:
            f = flexible_row(I, i)
            coupling, own = modal_work(I, i, COUPLING), modal_work(I, i, OWN_COUPLING)
            force, bias = modal_work(I, i, MODAL_FORCE), modal_work(I, i, MODAL_BIAS)
            for n in range(6 * m):
                W[coupling + n] = W[own + n]
            for k in range(m):
                W[force + k] = W[column_work(I, I[f + FLEXIBLE_U] + k) + TAU] - W[bias + k]


def pass_to_modes(I, W, i):
    """Eq. (1), C and f, for body i, a node, whose row holds what hangs on it; I t_k is kept for A."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, T, loaded = I[body_row(flexible) + MODES], I[n + NODE_W], I[n + NODE_LOADED]
    coupling, force = modal_work(I, flexible, COUPLING), modal_work(I, flexible, MODAL_FORCE)
    J, H, M = load6(W, w + J_), load33(W, w + H_), load6(W, w + M_)
    E, r = load33(W, w + R_MP), load3(W, w + P_PM)
    c_a, c_l = load3(W, w + BIAS_A), load3(W, w + BIAS_L)
    torque = add(load3(W, w + TORQUE), add(sym_mul(J, c_a), mul(H, c_l)))
    push = add(load3(W, w + FORCE), add(tmul(H, c_a), sym_mul(M, c_l)))
    z = 0 * torque[0]
    for k in range(0, m, lanes(z)):
        n, turn, shift = m - k, modal_rows(z, W, T + k, m), modal_rows(z, W, T + 3 * m + k, m)
        store_row(W, force + k, row(z, W, force + k) - dot(turn, torque) - dot(shift, push), n)
        Ua, Ul = add(sym_mul(J, turn), mul(H, shift)), add(tmul(H, turn), sym_mul(M, shift))
        store_rows(W, loaded + k, m, Ua, n)
        store_rows(W, loaded + 3 * m + k, m, Ul, n)
        Ul = tmul(E, Ul)
        Ua = add(tmul(E, Ua), cross(r, Ul))
        store_rows(W, coupling + k, m, add(modal_rows(z, W, coupling + k, m), Ua), n)
        store_rows(W, coupling + 3 * m + k, m, add(modal_rows(z, W, coupling + 3 * m + k, m), Ul), n)


def modal_matrix(I, W, i):
    """A of the flexible body i, upper half, with C and f behind its rows, factored (DIRECT)."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    A, width, own = I[f + FLEXIBLE_SOLVE], m + RIGHT_SIDES, I[f + FLEXIBLE_MASS]
    C, force = modal_work(I, i, COUPLING), modal_work(I, i, MODAL_FORCE)
    z = 0 * W[own]
    for k in range(m):
        at, first = A + k * width, k - k % 2  # as `factor_symmetric` wants it
        for j in range(first, m, lanes(z)):
            store_row(W, at + j, row(z, W, own + k * m + j), m - j)
        for n in range(I[f + FLEXIBLE_NODE], I[f + FLEXIBLE_NODE] + I[f + FLEXIBLE_NODES]):
            node, six = I[I_NODE] + n * NODE_INTS, 6
            add_squares(W, I[node + NODE_W], I[node + NODE_LOADED], six, k, first, m, m, at)
        for n in range(6):
            W[at + m + n] = W[C + n * m + k]
        W[at + m + 6] = W[force + k]
    factor_symmetric(W, A, m, width)


def eliminate_rows(I, W, i, n, sign):
    """Eq. (2) row by row of n factors: each is a column of Eq. (2) of `recursive`, with U and t behind it and D on it."""
    f, w = flexible_row(I, i), body_work(i)
    A, width, left, z = I[f + FLEXIBLE_SOLVE], n + RIGHT_SIDES, I[f + FLEXIBLE_W] + OWN_LEFT, 0 * W[w + J_]
    for c in range(0, RIGHT_SIDES, lanes(z)):
        turn, shift = (row_of(z), row_of(z), row_of(z)), (row_of(z), row_of(z), row_of(z))
        for k in range(n):
            at = A + k * width + n
            y = sign * W[A + k * width + k] * row(z, W, at + c)
            turn, shift = add(turn, scale(y, load3(W, at))), add(shift, scale(y, load3(W, at + 3)))
        store_rows(W, left + c, 8, turn, 8 - c)
        store_rows(W, left + 24 + c, 8, shift, 8 - c)
    take_off(W, w, left)


def take_off(W, w, k):
    """What the modal speeds take off the inertia of body row w, and add to its load: six rows of seven from W[k] on, eight
    apart."""
    J, M = load6(W, w + J_), load6(W, w + M_)
    x, y, z = load3(W, k), load3(W, k + 8), load3(W, k + 16)
    store6(W, w + J_, (J[0] - x[0], J[1] - x[1], J[2] - x[2], J[3] - y[1], J[4] - y[2], J[5] - z[2]))
    accumulate33(W, w + H_, (scale(-1, load3(W, k + 3)), scale(-1, load3(W, k + 11)), scale(-1, load3(W, k + 19))))
    x, y, z = load3(W, k + 27), load3(W, k + 35), load3(W, k + 43)
    store6(W, w + M_, (M[0] - x[0], M[1] - x[1], M[2] - x[2], M[3] - y[1], M[4] - y[2], M[5] - z[2]))
    accumulate3(W, w + TORQUE, (W[k + 6], W[k + 14], W[k + 22]))
    accumulate3(W, w + FORCE, (W[k + 30], W[k + 38], W[k + 46]))


def eliminate_units(I, W, i):
    """Eq. (2) with the unit matrix for A."""
    w, m, C, f = body_work(i), I[body_row(i) + MODES], modal_work(I, i, COUPLING), modal_work(I, i, MODAL_FORCE)
    J, H, M = load6(W, w + J_), load33(W, w + H_), load6(W, w + M_)
    torque, force = load3(W, w + TORQUE), load3(W, w + FORCE)
    for k in range(m):
        Ua, Ul, push = modal_three(W, C + k, m), modal_three(W, C + 3 * m + k, m), W[f + k]
        J, H, M = sym_rank_one(J, 1, Ua), rank_one(H, 1, Ua, Ul), sym_rank_one(M, 1, Ul)
        torque, force = add(torque, scale(push, Ua)), add(force, scale(push, Ul))
    store6(W, w + J_, J)
    store33(W, w + H_, H)
    store6(W, w + M_, M)
    store3(W, w + TORQUE, torque)
    store3(W, w + FORCE, force)


def update_rows(I, i):
    """Number of rows of T in (3)."""
    f = flexible_row(I, i)
    return I[f + FLEXIBLE_SECOND] + I[f + FLEXIBLE_MIXED]


def update_row(I, i, r):
    """Place in W of row r of T in (3) for the flexible body i."""
    forms, m = I[flexible_row(I, i) + FLEXIBLE_SECOND], I[body_row(i) + MODES]
    place = second_columns(I, i) + r * m
    if r >= forms:
        place = modal_work(I, i, FIRST) + (r - forms) * m
    return place


def update_matrix(I, W, i):
    """K of the flexible body i with T C^T and T f behind its rows, factored (UPDATE)."""
    f, m, count = flexible_row(I, i), I[body_row(i) + MODES], update_rows(I, i)
    K, width, forms = I[f + FLEXIBLE_SOLVE], count + RIGHT_SIDES, I[f + FLEXIBLE_SECOND]
    C, force, first = modal_work(I, i, COUPLING), modal_work(I, i, MODAL_FORCE), modal_work(I, i, FIRST)
    for r in range(0, count, 2):  # two rows at a time, of which the last one of an odd number comes twice
        last = r + 1 - (r + 1) // count
        x, y, at, below = update_row(I, i, r), update_row(I, i, last), K + r * width, K + last * width
        behind = r - forms  # rows of linear parts before these
        if behind < 0:
            products_of_two(W, x, y, x, forms - r, m, at + r, below + r)
            behind = 0 * behind
        products_of_two(W, x, y, first + behind * m, count - forms - behind, m, at + forms + behind, below + forms + behind)
        products_of_two(W, x, y, C, 6 + 0 * r, m, at + count, below + count)
        W[at + count + 6] = product_with(W, x, force, m)
        W[below + count + 6] = product_with(W, y, force, m)
    for r in range(count):
        if r < forms:
            W[K + r * width + r] += 1
        else:
            W[K + r * width + r] -= 1
    factor_symmetric(W, K, count, width)


def add_rows(I, W, i, y, x):
    """W[x:] -= T^T times the numbers at W[y:]."""
    m = I[body_row(i) + MODES]
    z = 0 * W[x]
    for k in range(0, m, lanes(z)):
        total = row(z, W, x + k)
        for r in range(update_rows(I, i)):
            total = total - W[y + r] * row(z, W, update_row(I, i, r) + k)
        store_row(W, x + k, total, m - k)


def solve_modes(I, W, i, x):
    """A^-1 times the m numbers at W[x:], in place."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    A = I[f + FLEXIBLE_SOLVE]
    if I[f + FLEXIBLE_SOLVER] == DIRECT:
        solve_forward(W, A, m, m + RIGHT_SIDES, x)
        solve_backward(W, A, m, m + RIGHT_SIDES, x)
    else:
        count = update_rows(I, i)
        y = A + modal_update_solution_work(count)
        for r in range(count):
            W[y + r] = product_with(W, update_row(I, i, r), x, m)
        solve_forward(W, A, count, count + RIGHT_SIDES, y)
        solve_backward(W, A, count, count + RIGHT_SIDES, y)
        add_rows(I, W, i, y, x)


def eliminate_modes(I, W, i):
    """Eq. (2): the modal speeds of body i leave its inertia and load, unless they are held."""
    f, m, rest = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SOLVED_FORCE)
    rows = I[f + FLEXIBLE_SECOND] + I[f + FLEXIBLE_MIXED]
    if I[f + FLEXIBLE_LOCKED] == 0:
        for k in range(m):
            W[rest + k] = 0 * W[body_work(i) + OMEGA]  # to which the multipliers of loops add their part
        if I[f + FLEXIBLE_SOLVER] == DIRECT:
            modal_matrix(I, W, i)
            eliminate_rows(I, W, i, m, 1)
        else:
            eliminate_units(I, W, i)
            if rows > 0:
                update_matrix(I, W, i)
                eliminate_rows(I, W, i, rows, -1)


def back_substitute_modes(I, W, i, udot):
    """Eq. (2): rates of the modal speeds of body i, whose acceleration is known."""
    f, m, first = flexible_row(I, i), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    if I[f + FLEXIBLE_LOCKED] == 1:
        for k in range(m):
            udot[first + k] = 0 * W[body_work(i) + ALPHA]
    else:
        x, rest = modal_work(I, i, SCRATCH), modal_work(I, i, SOLVED_FORCE)
        if I[f + FLEXIBLE_SOLVER] == DIRECT:
            unfold_rows(I, W, i, m, x)
        else:
            unfold_units(I, W, i, x)
        for k in range(m):
            udot[first + k] = W[x + k] + W[rest + k]
    for k in range(m):
        W[column_work(I, first + k) + WDOT] = udot[first + k]


def unfold_rows(I, W, i, n, x):
    """U^-1 (t - U a) of the n rows of `eliminate_rows` to W[x:]: sigma-dot (DIRECT)."""
    w, A, width = body_work(i), I[flexible_row(I, i) + FLEXIBLE_SOLVE], n + RIGHT_SIDES
    alpha, a = load3(W, w + ALPHA), load3(W, w + A_)
    for k in range(n):
        at = A + k * width + n
        W[x + k] = W[at + 6] - dot(load3(W, at), alpha) - dot(load3(W, at + 3), a)
    solve_backward(W, A, n, width, x)


def unfold_units(I, W, i, x):
    """sigma-dot with (3) to W[x:]."""
    w, m, f = body_work(i), I[body_row(i) + MODES], flexible_row(I, i)
    C, force, count = (
        modal_work(I, i, COUPLING),
        modal_work(I, i, MODAL_FORCE),
        I[f + FLEXIBLE_SECOND] + I[f + FLEXIBLE_MIXED],
    )
    alpha, a = load3(W, w + ALPHA), load3(W, w + A_)
    z = 0 * alpha[0]
    for k in range(0, m, lanes(z)):
        value = row(z, W, force + k) - dot(alpha, modal_rows(z, W, C + k, m)) - dot(a, modal_rows(z, W, C + 3 * m + k, m))
        store_row(W, x + k, value, m - k)
    if count > 0:
        y = I[f + FLEXIBLE_SOLVE] + modal_update_solution_work(count)
        unfold_rows(I, W, i, count, y)
        add_rows(I, W, i, y, x)
