"""Constraint equations carried through the elimination of `recursive`, so that loops cost no more than their own size.

A unit multiplier of equation r loads bodies with its wrenches. On the way in, this load p_r is carried like any other,

    t_rk = c_rk - s_k . p_r ,    p_r <- p_r + D_k U_k t_rk ,                                                     (1)

and since the equation's rate is the product of the same wrenches with the accelerations, it becomes

    beta_r - p_r . a_L + sum_s A_rs lambda_s = 0 ,    A_rs = sum_k t_rk D_k t_sk ,                                (2)
    beta_r = gamma_r - sum p_r . c + sum_k t_rk D_k t_k ,                                                        (3)

on the body L where its loop closes (c: bias accelerations). There its multiplier is eliminated too. With A_cc = L L^T of the
equations c that close there, w = L^-1 P^T, b = L^-1 beta_c, and y_s = L^-1 A_cs for every equation s that shares joints with
them and closes further in,

    lambda_c = L^-T (w a_L - b - y lambda_s) ,                                                                   (4)
    I_L <- I_L + w^T w ,          p_L <- p_L - w^T b ,                                                           (5)
    p_s <- p_s - w^T y_s ,        beta_s <- beta_s - y_s . b ,        A_ss' <- A_ss' - y_s . y_s' ,              (6)

so that an equation is solved as soon as its own loop is closed: cost O(n + sum of cubes of the numbers of equations that
are open at once), without any n-by-n matrix. An equation whose pivot vanishes is redundant: A_cc = 0 says that it moves no
joint of its loop, so that its load on L and its part in the open equations have vanished too, and it is left out.
Ref: (1) to (3) are the adjoint of Eqs. (2) and (3) of `recursive`; Banerjee, Flexible Multibody Dynamics, chapter 8; (4) to
(6) are block elimination, with fronts as in Duff and Reid, ACM Trans. Math. Softw. 9 (1983) 302.
"""

from kaneflex.formulations.modal_elimination import solve_modes
from kaneflex.formulations.multipliers import (
    cluster_factor,
    cluster_height,
    equation_of,
    factor_cluster,
    raise_multipliers,
    reduce_rows,
)
from kaneflex.formulations.sliding_friction import add_friction_wrenches, begin_friction, solve_friction
from kaneflex.kernels.algebra import accumulate3, add, cross, dot, load3, load33, scale, tmul
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import product_with
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.ops import one_run, runs


def begin_loops(I, W):
    """Load the bodies with unit multipliers; nothing is carried yet."""
    z = 0 * W[OMEGA]
    for r in range(I[ROWS]):
        k = equation_work(I, r)
        for n in range(6):
            W[k + CLOSING_WRENCH + n] = z
        W[k + BETA] = W[k + GAMMA]
        W[k + SIZE_] = z
        W[k + REACH] = z
    for k in range(I[W_PATH], I[W_WRENCH]):
        W[k] = z
    for c in range(I[CLUSTERS]):
        b = cluster_row(I, c)
        for k in range(cluster_height(I, c) * cluster_height(I, c)):
            W[I[b + CLUSTER_DELASSUS] + k] = z
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        for a in range(I[b + ATTACHMENTS]):
            s = attachment_row(I, I[b + ATTACHMENT0] + a)
            for n in range(I[b + CONSTRAINT_ROWS]):
                place, at = wrench_work(I, e, n, a), I[s + ATTACHED_AT] + n * I[s + ATTACHED_STRIDE]
                r = equation_work(I, I[b + CONSTRAINT_ROW] + n)
                torque, force = load3(W, place), load3(W, place + 3)
                W[r + REACH] += dot(torque, torque) + W[r + ARM] * dot(force, force)
                for k in range(6):
                    W[at + k] -= W[place + k]
        for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
            W[I[term_row(I, m) + TERM_AT]] += W[I[W_TERM] + m]
    if I[FRICTIONS] > 0:
        begin_friction(I, W)


def close_loops(I, W, i):
    """Eqs. (5) and (6) for the clusters that close on body i."""
    b, w = body_row(i), body_work(i)
    for c in range(I[b + CLOSE0], I[b + CLOSE0] + I[b + CLOSES]):
        for run in range(runs(W)):
            factor_cluster(I, one_run(W, run), c)
            reduce_rows(I, one_run(W, run), c, CLOSING_WRENCH, 7, REDUCED_WRENCH)
        for n in range(I[cluster_row(I, c) + CLUSTER_ROWS] if i > 0 else 0):
            load_of_row(W, w, equation_of(I, c, n))
        if I[cluster_row(I, c) + CLUSTER_OPENS] > 0:
            update_open(I, W, c)


def load_of_row(W, w, r):
    """Eq. (5): what equation r, if it is a pivot, adds to inertia and load of body row w."""
    p, left = r + REDUCED_WRENCH, W[r + REDUCED_BETA]
    accumulate3(W, w + TORQUE, scale(-left, load3(W, p)))
    accumulate3(W, w + FORCE, scale(-left, load3(W, p + 3)))
    k = 0
    for i in range(3):
        for j in range(3):
            W[w + H_ + 3 * i + j] += W[p + i] * W[p + 3 + j]
        for j in range(i, 3):
            W[w + J_ + k] += W[p + i] * W[p + j]
            W[w + M_ + k] += W[p + 3 + i] * W[p + 3 + j]
            k += 1


def update_open(I, W, c):
    """Eq. (6) for the open equations of cluster c, which pass on to the next one."""
    b, h = cluster_row(I, c), cluster_height(I, c)
    m, A, L, other = I[b + CLUSTER_ROWS], I[b + CLUSTER_DELASSUS], cluster_factor(I, c), I[b + CLUSTER_NEXT]
    onto = I[cluster_row(I, other) + CLUSTER_DELASSUS]
    for i in range(I[b + CLUSTER_OPENS]):
        s = open_row(I, I[b + CLUSTER_OPEN] + i)
        y, r = L + (m + i) * m, equation_work(I, I[s + OPEN_ROW])
        for n in range(m):
            x = equation_of(I, c, n)
            W[r + BETA] -= W[y + n] * W[x + REDUCED_BETA]
            accumulate3(W, I[s + OPEN_AT], scale(-W[y + n], load3(W, x + REDUCED_WRENCH)))
            accumulate3(W, I[s + OPEN_AT] + 3, scale(-W[y + n], load3(W, x + REDUCED_WRENCH + 3)))
        row = onto + I[s + OPEN_SLOT] * cluster_height(I, other)
        for j in range(i + 1):
            left = W[A + (m + i) * h + m + j]
            for n in range(m):
                left -= W[y + n] * W[L + (m + j) * m + n]
            W[row + I[open_row(I, I[b + CLUSTER_OPEN] + j) + OPEN_SLOT]] += left


def along_column(I, W, k, p, r):
    """s_k . p for the load of equation r at place p, and the square of what it would be if the column lay along it. A load
    that has cancelled on the way, but for rounding, is measured by what it was, so that it counts as none."""
    axis, c, arm = I[column_row(I, k) + AXIS], column_work(I, k), W[r + ARM]
    n, f = load3(W, p), load3(W, p + 3)
    size = dot(n, n) + arm * dot(f, f) + W[r + REACH] / 1000000000000
    if axis < 3:
        value = W[p + axis]
    elif axis < GENERAL:
        value, size = W[p + axis], size / arm
    else:
        a, v = load3(W, c + S_), load3(W, c + S_ + 3)
        value, size = dot(a, n) + dot(v, f), (dot(a, a) + dot(v, v) / arm) * size
    return value, size


def carry_column(I, W, i, k):
    """Eqs. (1) to (3) for the free speed k of body i: its share in each path entry, and the entry without it."""
    b, c = body_row(i), column_work(I, k)
    first, path_entries, t = I[b + PATH0], I[b + PATHS], PATH_T + k - I[b + U0]
    D, left_over, Ua, Ul = W[c + D_], W[c + TAU_REDUCED], load3(W, c + U_), load3(W, c + U_ + 3)
    for j in range(first, first + path_entries):
        p, s = path_work(I, j), path_row(I, j)
        r = equation_work(I, I[s + PATH_ROW])
        value, size = along_column(I, W, k, p + PATH_P, r)
        own = W[p + t]
        left = own - value
        push = D * left
        W[p + t] = left
        W[r + BETA] += push * left_over
        W[r + SIZE_] += D * (size + own * own)
        accumulate3(W, p + PATH_P, scale(push, Ua))
        accumulate3(W, p + PATH_P + 3, scale(push, Ul))
        row = I[s + PATH_DELASSUS] + I[s + PATH_SLOT] * I[s + PATH_SIZE]
        for o in range(first, j + 1):
            W[row + I[path_row(I, o) + PATH_SLOT]] += push * W[path_work(I, o) + t]


def carry_modes(I, W, i):
    """Eqs. (1) to (3) for the modal speeds of body i together: A^-1 of `modal_elimination` in place of D_k, z = A^-1 t."""
    b = body_row(i)
    first, m, t = I[b + PATH0], I[b + MODES], PATH_T + I[b + NU]
    C, force = modal_work(I, i, COUPLING), modal_work(I, i, MODAL_FORCE)
    for j in range(first, first + I[b + PATHS]):
        p, s = path_work(I, j), path_row(I, j)
        r, z = equation_work(I, I[s + PATH_ROW]), p + t + m
        for k in range(m):
            W[z + k] = W[p + t + k]
        solve_modes(I, W, i, z)
        W[r + BETA] += product_with(W, z, force, m)
        for n in range(6):
            W[p + PATH_P + n] += product_with(W, C + n * m, z, m)
        row = I[s + PATH_DELASSUS] + I[s + PATH_SLOT] * I[s + PATH_SIZE]
        for o in range(first, j + 1):
            W[row + I[path_row(I, o) + PATH_SLOT]] += product_with(W, z, path_work(I, o) + t, m)


def carry_node(I, W, i):
    """What the loads on body i, a node, leave of the generalized forces of its flexible body's modal speeds."""
    b, flexible = body_row(i), I[body_row(i) + PARENT]
    m, T, t = I[body_row(flexible) + MODES], I[node_row(I, i) + NODE_W], PATH_T - PATH_P + I[body_row(flexible) + NU]
    for j in range(I[b + PATH0], I[b + PATH0] + I[b + PATHS]):
        p, on = path_work(I, j) + PATH_P, I[path_row(I, j) + PATH_ON]
        r = equation_work(I, I[path_row(I, j) + PATH_ROW])
        for n in range(6):
            floor = W[r + REACH] / 1000000000000 if n < 3 else W[r + REACH] / (1000000000000 * W[r + ARM])
            for k in range(m):
                column = W[T + n * m + k]
                W[on + t + k] -= column * W[p + n]
                W[r + SIZE_] += column * column * (W[p + n] * W[p + n] + floor)


def carry_loops(I, W, i):
    """Eqs. (1) to (3) through the joint of body i, whose columns have been eliminated."""
    b, w = body_row(i), body_work(i)
    first, path_entries = I[b + PATH0], I[b + PATHS]
    if I[b + MODES] > 0 and I[flexible_row(I, i) + FLEXIBLE_LOCKED] == 0:
        carry_modes(I, W, i)
    if I[b + JOINT] == NODE_JOINT:
        carry_node(I, W, i)
    bias_a, bias_l = load3(W, w + BIAS_A), load3(W, w + BIAS_L)
    for j in range(first, first + path_entries):
        p, r = path_work(I, j) + PATH_P, equation_work(I, I[path_row(I, j) + PATH_ROW])
        W[r + BETA] -= dot(load3(W, p), bias_a) + dot(load3(W, p + 3), bias_l)
    for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
        if I[column_row(I, k) + PRESCRIBED] == 0:
            carry_column(I, W, i, k)
        else:
            given, t = W[column_work(I, k) + PRESCRIBED_RATE], PATH_T + k - I[b + U0]
            for j in range(first, first + path_entries):
                p = path_work(I, j)
                r = equation_work(I, I[path_row(I, j) + PATH_ROW])
                W[p + t] -= along_column(I, W, k, p + PATH_P, r)[0]
                W[r + BETA] += W[p + t] * given
    E, r_c = load33(W, w + R_MP), load3(W, w + P_PM)
    for j in range(first, first + path_entries):
        p, on = path_work(I, j) + PATH_P, I[path_row(I, j) + PATH_ON]
        f = tmul(E, load3(W, p + 3))
        accumulate3(W, on, add(tmul(E, load3(W, p)), cross(r_c, f)))
        accumulate3(W, on + 3, f)


def find_multipliers(I, W, i):
    """Eq. (4): the multipliers of the clusters that close on body i, whose acceleration is known."""
    b, w = body_row(i), body_work(i)
    for c in range(I[b + CLOSE0], I[b + CLOSE0] + I[b + CLOSES]):
        s, L = cluster_row(I, c), cluster_factor(I, c)
        m = I[s + CLUSTER_ROWS]
        for n in range(m):
            r = equation_of(I, c, n)
            carried_rate = dot(load3(W, r + REDUCED_WRENCH), load3(W, w + ALPHA))
            carried_rate += dot(load3(W, r + REDUCED_WRENCH + 3), load3(W, w + A_))
            W[r + MULTIPLIER] = carried_rate - W[r + REDUCED_BETA]
            for k in range(m, m + I[s + CLUSTER_OPENS]):
                W[r + MULTIPLIER] -= W[L + k * m + n] * W[equation_of(I, c, k) + MULTIPLIER]
        for run in range(runs(W)):
            raise_multipliers(I, one_run(W, run), c)
        if I[s + CLUSTER_FRICTIONS] > 0:
            solve_friction(I, W, c)


def push_columns(I, W, i):
    """Add what the multipliers leave of the generalized forces in the joint of body i."""
    b = body_row(i)
    for j in range(I[b + PATH0], I[b + PATH0] + I[b + PATHS]):
        multiplier = W[equation_work(I, I[path_row(I, j) + PATH_ROW]) + MULTIPLIER]
        for k in range(I[b + NU]):
            if I[column_row(I, I[b + U0] + k) + PRESCRIBED] == 0:
                W[column_work(I, I[b + U0] + k) + TAU_REDUCED] += multiplier * W[path_work(I, j) + PATH_T + k]
        for k in range(I[b + MODES]):
            W[modal_work(I, i, SOLVED_FORCE) + k] += multiplier * W[path_work(I, j) + PATH_T + I[b + NU] + I[b + MODES] + k]


def add_constraint_wrenches(I, W):
    """Constraint forces, and friction that depends on them, as loads on single bodies, in TORQUE and FORCE (inertia less
    applied)."""
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        for a in range(I[b + ATTACHMENTS]):
            w = body_work(I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED])
            for n in range(I[b + CONSTRAINT_ROWS] if w > 0 else 0):
                place = wrench_work(I, e, n, a)
                multiplier = W[equation_work(I, I[b + CONSTRAINT_ROW] + n) + MULTIPLIER]
                accumulate3(W, w + TORQUE, scale(-multiplier, load3(W, place)))
                accumulate3(W, w + FORCE, scale(-multiplier, load3(W, place + 3)))
    if I[FRICTIONS] > 0:
        add_friction_wrenches(I, W)
