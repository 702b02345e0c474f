"""Modal speeds of flexible bodies in the elimination of `recursive`.

What hangs on a node with columns t_k and leaves inertia I and load p there adds to its flexible body, besides what any joint
passes to a parent,

    C_k += X^T I t_k ,   f_k -= t_k . p ,   A_kl += t_k . I t_l ,      A = modal mass before,                             (1)

X being the transport. Then the modal speeds are eliminated, before those of the body's own joint:

    sigma-dot = A^-1 f - A^-1 C^T a ,   I <- I - C A^-1 C^T ,   p <- p + C A^-1 f .                                      (2)

A is factored, C^T and f being carried along as right-hand sides (DIRECT). With CONSTANT_MASS the modal mass is the unit
matrix and two rows per form, e and the linear part of it, see (4) of `constant_mass`. With T standing for these and for the
columns t_k of all nodes, U for the same rows, the linear parts times -1, and for the nodes' columns times the inertias
there, A = 1 + T^T U, and

    A^-1 = 1 - T^T (1 + U T^T)^-1 U ,                                                                                    (3)

six rows a node and two a form (UPDATE), where that is smaller than A; nothing is to be solved where there are none (UNIT).
Ref: Banerjee, Flexible Multibody Dynamics, chapter 8; Woodbury's identity, Golub and Van Loan (2013), section 2.1.4.
"""

from kaneflex.formulations.row_solve import factor_rows, solve_rows
from kaneflex.formulations.symmetric_solve import factor_symmetric, solve_backward, solve_forward
from kaneflex.kernels.algebra import (
    accumulate3,
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
from kaneflex.kernels.constant_mass import second_columns
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import add_squares, modal_rows, product_with, six_products, store_rows
from kaneflex.kernels.ops import lanes, row, store_row


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
        n, turn, shift = min(lanes(z), m - k), modal_rows(z, W, T + k, m), modal_rows(z, W, T + 3 * m + k, m)
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
            store_row(W, at + j, row(z, W, own + k * m + j), min(lanes(z), m - j))
        for n in range(I[f + FLEXIBLE_NODE], I[f + FLEXIBLE_NODE] + I[f + FLEXIBLE_NODES]):
            node, six = I[I_NODE] + n * NODE_INTS, 6
            add_squares(W, I[node + NODE_W], I[node + NODE_LOADED], six, k, first, m, m, at)
        for n in range(6):
            W[at + m + n] = W[C + n * m + k]
        W[at + m + 6] = W[force + k]
    factor_symmetric(W, A, m, width)


def eliminate_rows(I, W, i):
    """Eq. (2) row by row of the factors: each is a column of Eq. (2) of `recursive`, with U and t behind it and D on it."""
    w, m = body_work(i), I[body_row(i) + MODES]
    A, width, rest = I[flexible_row(I, i) + FLEXIBLE_SOLVE], m + RIGHT_SIDES, modal_work(I, i, SOLVED_FORCE)
    J, H, M = load6(W, w + J_), load33(W, w + H_), load6(W, w + M_)
    n, f = load3(W, w + TORQUE), load3(W, w + FORCE)
    for k in range(m):
        D, at = W[A + k * width + k], A + k * width + m
        Ua, Ul, push = load3(W, at), load3(W, at + 3), D * W[at + 6]
        J, H, M = sym_rank_one(J, D, Ua), rank_one(H, D, Ua, Ul), sym_rank_one(M, D, Ul)
        n, f = add(n, scale(push, Ua)), add(f, scale(push, Ul))
        W[rest + k] = 0 * push  # to which the multipliers of loops add their part
    store6(W, w + J_, J)
    store33(W, w + H_, H)
    store6(W, w + M_, M)
    store3(W, w + TORQUE, n)
    store3(W, w + FORCE, f)


def update_rows(I, i):
    """Number of rows of T and U in (3)."""
    f = flexible_row(I, i)
    return 6 * I[f + FLEXIBLE_NODES] + 2 * I[f + FLEXIBLE_SECOND]


def update_row(I, i, r, loaded):
    """Place in W of row r of T, or of U (loaded = 1), of (3) for the flexible body i."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    count, forms = 6 * I[f + FLEXIBLE_NODES], I[f + FLEXIBLE_SECOND]
    if r < count:
        node = I[I_NODE] + (I[f + FLEXIBLE_NODE] + r // 6) * NODE_INTS
        place = I[node + NODE_W + loaded * (NODE_LOADED - NODE_W)] + (r % 6) * m
    elif r < count + forms:
        place = second_columns(I, i) + (r - count) * m
    else:
        place = modal_work(I, i, FIRST) + (r - count - forms + loaded * forms) * m
    return place


def update_matrix(I, W, i):
    """1 + U T^T of the flexible body i, factored with exchange of rows (UPDATE)."""
    m, K, count = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_SOLVE], update_rows(I, i)
    for r in range(count):
        U = update_row(I, i, r, 1)
        for c in range(count):
            W[K + r * count + c] = product_with(W, U, update_row(I, i, c, 0), m)
        W[K + r * count + r] += 1
    factor_rows(W, K, count)


def solve_modes(I, W, i, x):
    """A^-1 times the m numbers at W[x:], in place."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    solver = I[f + FLEXIBLE_SOLVER]
    if solver == DIRECT:
        solve_forward(W, I[f + FLEXIBLE_SOLVE], m, m + RIGHT_SIDES, x)
        solve_backward(W, I[f + FLEXIBLE_SOLVE], m, m + RIGHT_SIDES, x)
    elif solver == UPDATE:
        K, count = I[f + FLEXIBLE_SOLVE], update_rows(I, i)
        for r in range(count):
            W[K + pivoted_b_work(count) + r] = product_with(W, update_row(I, i, r, 1), x, m)
        y = solve_rows(W, K, count)
        for r in range(count):
            T, factor = update_row(I, i, r, 0), W[y + r]
            for k in range(m):
                W[x + k] -= factor * W[T + k]


def eliminate_modes(I, W, i):
    """Eq. (2): the modal speeds of body i leave its inertia and load, unless they are held."""
    f = flexible_row(I, i)
    if I[f + FLEXIBLE_LOCKED] == 0:
        if I[f + FLEXIBLE_SOLVER] == DIRECT:
            modal_matrix(I, W, i)
            eliminate_rows(I, W, i)
        else:
            eliminate_together(I, W, i)


def eliminate_together(I, W, i):
    """Eq. (2) where A is the unit matrix, or that and a few rows."""
    w, m = body_work(i), I[body_row(i) + MODES]
    C, G = modal_work(I, i, COUPLING), modal_work(I, i, SOLVED_COUPLING)
    force, h = modal_work(I, i, MODAL_FORCE), modal_work(I, i, SOLVED_FORCE)
    for n in range(6 * m):
        W[G + n] = W[C + n]
    for k in range(m):
        W[h + k] = W[force + k]
    if I[flexible_row(I, i) + FLEXIBLE_SOLVER] == UPDATE:
        update_matrix(I, W, i)
        for n in range(7):
            solve_modes(I, W, i, G + n * m)
    load = six_products(W, C, h, m)
    accumulate3(W, w + TORQUE, (load[0], load[1], load[2]))
    accumulate3(W, w + FORCE, (load[3], load[4], load[5]))
    place = 0
    for r in range(3):
        for c in range(3):
            W[w + H_ + 3 * r + c] -= product_with(W, C + r * m, G + (3 + c) * m, m)
        for c in range(r, 3):
            W[w + J_ + place] -= product_with(W, C + r * m, G + c * m, m)
            W[w + M_ + place] -= product_with(W, C + (3 + r) * m, G + (3 + c) * m, m)
            place += 1


def back_substitute_modes(I, W, i, udot):
    """Eq. (2): rates of the modal speeds of body i, whose acceleration is known."""
    f, m, first = flexible_row(I, i), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    if I[f + FLEXIBLE_LOCKED] == 1:
        for k in range(m):
            udot[first + k] = 0 * W[body_work(i) + ALPHA]
    elif I[f + FLEXIBLE_SOLVER] == DIRECT:
        unfold_rows(I, W, i, udot)
    else:
        unfold_together(I, W, i, udot)
    for k in range(m):
        W[column_work(I, first + k) + WDOT] = udot[first + k]


def unfold_rows(I, W, i, udot):
    """sigma-dot = U^-1 (t - U a) of `eliminate_rows`, and the part of multipliers."""
    w, f, m = body_work(i), flexible_row(I, i), I[body_row(i) + MODES]
    A, width, first, rest = I[f + FLEXIBLE_SOLVE], m + RIGHT_SIDES, I[f + FLEXIBLE_U], modal_work(I, i, SOLVED_FORCE)
    alpha, a, x = load3(W, w + ALPHA), load3(W, w + A_), modal_work(I, i, SCRATCH)
    for k in range(m):
        at = A + k * width + m
        W[x + k] = W[at + 6] - dot(load3(W, at), alpha) - dot(load3(W, at + 3), a)
    solve_backward(W, A, m, width, x)
    for k in range(m):
        udot[first + k] = W[x + k] + W[rest + k]


def unfold_together(I, W, i, udot):
    """The same of `eliminate_together`."""
    w, m, first = body_work(i), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    G, h, x = modal_work(I, i, SOLVED_COUPLING), modal_work(I, i, SOLVED_FORCE), modal_work(I, i, SCRATCH)
    alpha, a = load3(W, w + ALPHA), load3(W, w + A_)
    z = 0 * alpha[0]
    for k in range(0, m, lanes(z)):
        value = row(z, W, h + k) - dot(alpha, modal_rows(z, W, G + k, m)) - dot(a, modal_rows(z, W, G + 3 * m + k, m))
        store_row(W, x + k, value, min(lanes(z), m - k))
    for k in range(m):
        udot[first + k] = W[x + k]
