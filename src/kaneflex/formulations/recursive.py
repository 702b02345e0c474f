"""Order-n accelerations: forward (velocities), backward (eliminate joint speeds), forward (accelerations).

Kane's equation of one speed says that its column s is in balance with what the joint carries,

    s . (I a + p) = tau ,      a = a' + s w-dot ,                                                     (1)

a' being the acceleration without this speed. Eliminating w-dot leaves the same shape with

    U = I s ,  D = 1/(s . U) ,  I <- I - D U U^T ,  p <- p + D U (tau - s . p) ,                       (2)
    w-dot = D (tau - s . p - U . a') .                                                               (3)

Columns go one by one, so that a joint with six speeds needs no more code than a joint with one, and a prescribed speed
is one that is not eliminated. What is left of a body acts on its parent at the joint. With efficient speeds nothing
changes in this pass: I U-column = 0 afterwards, so that I sees only what the joint does not free; u-dot differs from
w-dot by the carried acceleration, added on the way out.
Ref: Kane and Levinson (1985) Eq. 6.1.1 for (1); Banerjee, Flexible Multibody Dynamics, chapters 8 and 9.
"""

from kaneflex.formulations.loop_elimination import begin_loops, carry_loops, close_loops, find_multipliers, push_columns
from kaneflex.formulations.modal_elimination import back_substitute_modes, begin_modes, eliminate_modes, pass_to_modes
from kaneflex.kernels.algebra import (
    accumulate3,
    accumulate6,
    accumulate33,
    add,
    congruence,
    cross,
    dot,
    load3,
    load6,
    load33,
    madd,
    mul,
    rank_one,
    scale,
    shift_inertia,
    skew_mul,
    store3,
    sub,
    sym_congruence,
    sym_full,
    sym_mul,
    sym_rank_one,
    tmul,
)
from kaneflex.kernels.joints.revolute import REVOLUTE
from kaneflex.kernels.kinematics import add_along, add_modal_rates, parent_component, total_speed_bias, transport
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT


def times_column(W, c, axis, J, H, M, n, f):
    """U = I s (angular, linear part), s . U and s . p for the column c, with I = (J, H, M) and p = (n, f)."""
    if axis == 2:
        Ua, Ul, d, p = (J[2], J[4], J[5]), H[2], J[5], n[2]
    elif axis == 0:
        Ua, Ul, d, p = (J[0], J[1], J[2]), H[0], J[0], n[0]
    elif axis == 1:
        Ua, Ul, d, p = (J[1], J[3], J[4]), H[1], J[3], n[1]
    elif axis == 3:
        Ua, Ul, d, p = (H[0][0], H[1][0], H[2][0]), (M[0], M[1], M[2]), M[0], f[0]
    elif axis == 4:
        Ua, Ul, d, p = (H[0][1], H[1][1], H[2][1]), (M[1], M[3], M[4]), M[3], f[1]
    elif axis == 5:
        Ua, Ul, d, p = (H[0][2], H[1][2], H[2][2]), (M[2], M[4], M[5]), M[5], f[2]
    else:
        sa, sl = load3(W, c + S_), load3(W, c + S_ + 3)
        Ua, Ul = add(sym_mul(J, sa), mul(H, sl)), add(tmul(H, sa), sym_mul(M, sl))
        d, p = dot(sa, Ua) + dot(sl, Ul), dot(sa, n) + dot(sl, f)
    return Ua, Ul, d, p


def pass_to_parent(W, w, wp, J, H, M, n, f):
    """Add what is left of body row w to its parent's inertia and load, about the parent's origin in its axes.

    With G = H + r~ M (all turned into the parent's axes): J + r~ H^T - G r~, G, M, and n + r x f, f.
    """
    E, r = load33(W, w + R_MP), load3(W, w + P_PM)
    J, H, M = sym_congruence(E, J), congruence(E, H), sym_congruence(E, M)
    G = madd(H, skew_mul(r, sym_full(M)))
    f = tmul(E, f)
    n = add(tmul(E, n), cross(r, f))
    accumulate6(W, wp + J_, shift_inertia(J, H, G, r))
    accumulate33(W, wp + H_, G)
    accumulate6(W, wp + M_, M)
    accumulate3(W, wp + TORQUE, n)
    accumulate3(W, wp + FORCE, f)


def keep_column(W, c, Ua, Ul, d, t):
    """Store U, D and t of column c for the way out; gives D."""
    D = 1 / d
    store3(W, c + U_, Ua)
    store3(W, c + U_ + 3, Ul)
    W[c + D_] = D
    W[c + TAU_REDUCED] = t
    return D


def eliminate_turn(W, c, J, H, M, n, f):
    """Eq. (2) for a turn about z: row z of what is left is zero, and said so, which the compiler makes use of."""
    Ua, Ul, t = (J[2], J[4], J[5]), H[2], W[c + TAU] - n[2]
    D = keep_column(W, c, Ua, Ul, J[5], t)
    x, y, z = D * J[2], D * J[4], 0 * J[5]
    return (
        (J[0] - x * J[2], J[1] - x * J[4], z, J[3] - y * J[4], z, z),
        (sub(H[0], scale(x, Ul)), sub(H[1], scale(y, Ul)), (z, z, z)),
        sym_rank_one(M, D, Ul),
        (n[0] + x * t, n[1] + y * t, W[c + TAU]),
        add(f, scale(D * t, Ul)),
    )


def eliminate_columns(I, W, b, J, H, M, n, f):
    """Eq. (2) column by column for any joint. A prescribed speed is kept: its given w-dot acts as a bias."""
    for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
        c = column_work(I, k)
        Ua, Ul, d, p = times_column(W, c, I[column_row(I, k) + AXIS], J, H, M, n, f)
        push = W[c + PRESCRIBED_RATE]
        if I[column_row(I, k) + PRESCRIBED] == 0:
            D = keep_column(W, c, Ua, Ul, d, W[c + TAU] - p)
            J, H, M = sym_rank_one(J, D, Ua), rank_one(H, D, Ua, Ul), sym_rank_one(M, D, Ul)
            push = D * (W[c + TAU] - p)
        n, f = add(n, scale(push, Ua)), add(f, scale(push, Ul))
    return J, H, M, n, f


def eliminate(I, W):
    """Tip to base: the body's bias joins its load, its speeds are eliminated, the rest goes to the parent."""
    for i in range(I[BODIES] - 1, 0, -1):
        if is_stored(I, i) == 1:
            continue
        b, w = body_row(i), body_work(i)
        k, wp = I[b + U0], body_work(I[b + PARENT])
        if I[b + CLOSES] > 0:
            close_loops(I, W, i)
        if I[b + MODES] > 0:
            eliminate_modes(I, W, i)
        J, H, M = load6(W, w + J_), load33(W, w + H_), load6(W, w + M_)
        c_a, c_l = load3(W, w + BIAS_A), load3(W, w + BIAS_L)
        n = add(load3(W, w + TORQUE), add(sym_mul(J, c_a), mul(H, c_l)))
        f = add(load3(W, w + FORCE), add(tmul(H, c_a), sym_mul(M, c_l)))
        if I[b + JOINT] == REVOLUTE and I[column_row(I, k) + PRESCRIBED] == 0:  # zeros in sight of the compiler
            J, H, M, n, f = eliminate_turn(W, column_work(I, k), J, H, M, n, f)
            if wp > 0:
                pass_to_parent(W, w, wp, J, H, M, n, f)
        else:
            J, H, M, n, f = eliminate_columns(I, W, b, J, H, M, n, f)
            if wp > 0:
                pass_to_parent(W, w, wp, J, H, M, n, f)
            if I[b + JOINT] == NODE_JOINT:
                pass_to_modes(I, W, i)
        if I[b + PATHS] > 0:
            carry_loops(I, W, i)


def column_rate(W, c, alpha, a):
    """Eq. (3) for column c."""
    return W[c + D_] * (W[c + TAU_REDUCED] - dot(load3(W, c + U_), alpha) - dot(load3(W, c + U_ + 3), a))


def substitute_turn(I, W, w, k, alpha, a, udot):
    """Eq. (3) for a turn about z, and the body's acceleration; the bracket of (3) of `kinematics` has no z there."""
    wdot = column_rate(W, column_work(I, k), alpha, a)
    udot[k] = wdot + I[column_row(I, k) + TOTAL] * alpha[2]
    store3(W, w + ALPHA, (alpha[0] + W[w + BIAS_A], alpha[1] + W[w + BIAS_A + 1], alpha[2] + wdot))
    store3(W, w + A_, add(a, load3(W, w + BIAS_L)))


def substitute_columns(I, W, i, alpha, a, udot):
    """Eq. (3) speed by speed for any joint, then the body's acceleration; total speeds add the carried part."""
    b, w = body_row(i), body_work(i)
    store3(W, w + ALPHA, alpha)
    store3(W, w + A_, a)
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        c, axis = column_work(I, k), I[column_row(I, k) + AXIS]
        wdot = W[c + PRESCRIBED_RATE]
        if I[column_row(I, k) + PRESCRIBED] == 0:
            wdot = column_rate(W, c, load3(W, w + ALPHA), load3(W, w + A_))
        udot[k] = wdot
        if I[column_row(I, k) + TOTAL] == 1:
            udot[k] = wdot + parent_component(W, w, c, axis, ALPHA) + total_speed_bias(I, W, i, k)
        add_along(W, w, c, axis, wdot)
    if I[b + JOINT] == NODE_JOINT:
        add_modal_rates(I, W, i)
    accumulate3(W, w + ALPHA, load3(W, w + BIAS_A))
    accumulate3(W, w + A_, load3(W, w + BIAS_L))


def back_substitute(I, W, udot):
    """Base to tip: rates of the speeds and accelerations of the bodies."""
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        k = I[b + U0]
        if is_stored(I, i) == 1:
            for n in range(k, k + I[b + NU]):
                udot[n] = W[column_work(I, n) + PRESCRIBED_RATE]
            continue
        if I[b + PATHS] > 0:
            push_columns(I, W, i)
        alpha, a = transport(W, w, body_work(I[b + PARENT]))
        if I[b + JOINT] == REVOLUTE and I[column_row(I, k) + PRESCRIBED] == 0:
            substitute_turn(I, W, w, k, alpha, a, udot)
        else:
            substitute_columns(I, W, i, alpha, a, udot)
        if I[b + MODES] > 0:
            back_substitute_modes(I, W, i, udot)
        if I[b + CLOSES] > 0:
            find_multipliers(I, W, i)


def drive_rotors(I, P, W):
    """The motor torque of a rotor acts on its body: torque (2) of `inertia` with J_s s-dot = tau."""
    for m in range(I[ROTORS]):
        b = rotor_row(I, m)
        torque = W[column_work(I, I[b + ROTOR_U]) + TAU]
        accumulate3(W, body_work(I[b + ROTOR_BODY]) + TORQUE, scale(torque, load3(P, rotor_par(I, m) + ROTOR_AXIS)))


def spin_rotors(I, P, W, udot):
    """J_s s-dot = tau, with u = s (total) or u = s - a_s . omega (relative)."""
    for m in range(I[ROTORS]):
        b, g = rotor_row(I, m), rotor_par(I, m)
        k = I[b + ROTOR_U]
        udot[k] = W[column_work(I, k) + TAU] / P[g + ROTOR_INERTIA]
        if I[column_row(I, k) + TOTAL] == 0:
            udot[k] -= dot(load3(P, g + ROTOR_AXIS), load3(W, body_work(I[b + ROTOR_BODY]) + ALPHA))


def recursive_udot(I, P, W, udot):
    """u-dot by elimination, after velocities, inertia and forces are in the workspace. Cost O(n)."""
    drive_rotors(I, P, W)
    if I[FLEXIBLES] > 0:
        begin_modes(I, W)
    if I[CLUSTERS] > 0:
        begin_loops(I, W)
    eliminate(I, W)
    if I[CLUSTERS] > 0:
        close_loops(I, W, 0 * I[CLUSTERS])
        find_multipliers(I, W, 0 * I[CLUSTERS])
    back_substitute(I, W, udot)
    spin_rotors(I, P, W, udot)
