"""Equations between points, vectors and bodies: what each says of the rates of the coordinates.

An equation c(y, t) = 0 has B y' + e = 0 for its rate, and B y'' + gamma = 0 for that of the latter. B of an equation between
bodies comes from the wrenches of a unit multiplier on them and from their partial velocities, B = sum Phi^T (torque, force).
Five kinds: lengths and angles of the bases of bodies, what joints say that is not shared, what joints without words, which
have columns alone, do not let move, motions that joints follow, and equations of constraints as the tree has them.
On numbers only.
"""

from kaneflex.formulations.cartesian.layout import *
from kaneflex.formulations.cartesian.motion import (
    dual,
    feature_place,
    feature_rate,
    own_integers,
    own_reals,
)
from kaneflex.kernels.algebra import add, column, cross, dot, load3, load33, matmul, scale, sub, tmul
from kaneflex.kernels.constraints.closure import ALIGN_ROW, SCREW_ROW, align_gamma, screw_value
from kaneflex.kernels.constraints.ends import body_arm, body_omega, body_origin, body_speed, centripetal
from kaneflex.kernels.layout import *


def equation_at(C, r):
    """Place of the integers of equation r."""
    return C[C_EQUATION_TABLE] + C_EQUATION_INTS * r


def result_at(C, r):
    """Place of what is found of equation r."""
    return C[C_RESULTS] + C_RESULT_WIDTH * r


def gradient_at(C, r):
    """Place of B of equation r: three numbers for each of its points and vectors."""
    return C[C_GRADIENTS] + 3 * C[equation_at(C, r) + C_COLUMN0]


def set_result(C, X, r, value, gamma, explicit):
    """Value, gamma and the part of the rate that depends on time alone; B and gamma of bodies are added."""
    k = result_at(C, r)
    X[k + C_VALUE] = value
    X[k + C_GAMMA] = gamma
    X[k + C_EXPLICIT] = explicit
    b, g = equation_at(C, r), gradient_at(C, r)
    for n in range(3 * C[b + C_COLUMNS]):
        X[g + n] = 0.0


def add_gradient(C, X, r, k, v):
    """Add v to what equation r has of the point or vector k, unless that is a constant."""
    b, g = equation_at(C, r), gradient_at(C, r)
    for n in range(C[b + C_COLUMNS]):
        if C[C[C_COLUMN_TABLE] + C[b + C_COLUMN0] + n] == k:
            for m in range(3):
                X[g + 3 * n + m] += v[m]


def add_wrench(C, X, r, i, turn, push):
    """Add to equation r what it has of the motion of body i: a torque and a force, about M in axes of M."""
    b, g = equation_at(C, r), gradient_at(C, r)
    for p in range(C[b + C_PAIRS]):
        pair = C[C_PAIR_TABLE] + 2 * (C[b + C_PAIR0] + p)
        if C[pair] == i:
            phi, places = C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i, C[C_MAP_TABLE] + C[pair + 1]
            for n in range(C[C[C_BODY_TABLE] + C_BODY_INTS * i + C_REFS]):
                at = g + 3 * C[places + n]
                for m in range(3):
                    f = phi + 3 * n + m
                    X[at + m] += (
                        turn[0] * X[f]
                        + turn[1] * X[f + C_MOST]
                        + turn[2] * X[f + 2 * C_MOST]
                        + push[0] * X[f + 3 * C_MOST]
                        + push[1] * X[f + 4 * C_MOST]
                        + push[2] * X[f + 5 * C_MOST]
                    )
            bias = dot(turn, load3(X, phi + C_BIAS)) + dot(push, load3(X, phi + C_BIAS + 3))
            X[result_at(C, r) + C_GAMMA] += bias


def rigid_equation(I, C, X, y, r):
    """x . y of two directions keeps its value."""
    b, g = equation_at(C, r), C[C_EQUATION_NUMBERS] + C_EQUATION_REALS * r
    speeds, size = I[COORDINATES], X[g + 1]
    u = sub(feature_place(C, X, y, C[b + C_A]), feature_place(C, X, y, C[b + C_B]))
    v = sub(feature_place(C, X, y, C[b + C_C]), feature_place(C, X, y, C[b + C_D]))
    u_rate = sub(feature_rate(y, speeds, C[b + C_A]), feature_rate(y, speeds, C[b + C_B]))
    v_rate = sub(feature_rate(y, speeds, C[b + C_C]), feature_rate(y, speeds, C[b + C_D]))
    set_result(C, X, r, (dot(u, v) - X[g]) / size, 2 * dot(u_rate, v_rate) / size, 0.0)
    add_gradient(C, X, r, C[b + C_A], scale(1 / size, v))
    add_gradient(C, X, r, C[b + C_B], scale(-1 / size, v))
    add_gradient(C, X, r, C[b + C_C], scale(1 / size, u))
    add_gradient(C, X, r, C[b + C_D], scale(-1 / size, u))


def add_pair(C, X, W, r, torque_a, torque_b, force):
    """Wrenches in inertial axes: a force on B and its opposite on A, with torques about their origins."""
    b = equation_at(C, r)
    Ra, Rb = load33(W, body_work(C[b + C_A]) + R_NM), load33(W, body_work(C[b + C_B]) + R_NM)
    add_wrench(C, X, r, C[b + C_A], tmul(Ra, torque_a), tmul(Ra, scale(-1, force)))
    add_wrench(C, X, r, C[b + C_B], tmul(Rb, torque_b), tmul(Rb, force))


def tie_equation(C, X, W, r):
    """One of the equations of `kernels.constraints.closure`, between frames A and B of two bodies."""
    b, g = equation_at(C, r), C[C_EQUATION_NUMBERS] + C_EQUATION_REALS * r
    wa, wb, code = body_work(C[b + C_A]), body_work(C[b + C_B]), C[b + C_C]
    omega_a, omega_b = body_omega(W, wa), body_omega(W, wb)
    A, B = matmul(load33(W, wa + R_NM), load33(X, g + 3)), matmul(load33(W, wb + R_NM), load33(X, g + 15))
    arm_a, arm_b = body_arm(W, wa, load3(X, g)), body_arm(W, wb, load3(X, g + 12))
    d = sub(add(body_origin(W, wb), arm_b), add(body_origin(W, wa), arm_a))
    reach = add(arm_a, d)
    v = sub(add(body_speed(W, wb), cross(omega_b, arm_b)), add(body_speed(W, wa), cross(omega_a, reach)))
    c = sub(centripetal(omega_b, arm_b), add(centripetal(omega_a, reach), scale(2, cross(omega_a, v))))
    if code < ALIGN_ROW:
        axis = column(A, code)
        set_result(C, X, r, dot(axis, d), dot(axis, c), 0.0)
        add_pair(C, X, W, r, cross(axis, reach), cross(arm_b, axis), axis)
    elif code < SCREW_ROW:
        x, y = column(A, (code - ALIGN_ROW) // 3), column(B, (code - ALIGN_ROW) % 3)
        turn = cross(y, x)
        set_result(C, X, r, dot(x, y), align_gamma(omega_a, omega_b, x, y), 0.0)
        add_pair(C, X, W, r, scale(-1, turn), turn, scale(0, turn))
    else:
        axis, h, turn = column(A, 2), X[g + 24], sub(omega_b, omega_a)
        twist = scale(h, axis)
        set_result(C, X, r, screw_value(A, B, d, h), dot(axis, c) - h * dot(cross(omega_a, axis), turn), 0.0)
        add_pair(C, X, W, r, add(cross(axis, reach), twist), sub(cross(arm_b, axis), twist), axis)


def add_joint_rate(C, X, T, W, r, k, factor):
    """Add to equation r a multiple of the rate w of speed k."""
    torque, force = dual(C, X, T, W, k)
    add_joint_motion(C, X, T, W, r, T[column_row(T, k) + BODY], scale(factor, torque), scale(factor, force))


def add_joint_motion(C, X, T, W, r, i, s, d):
    """Add to equation r the motion of body i beside its parent along s, a turn, and d, a way, in M."""
    w = body_work(i)
    X[result_at(C, r) + C_GAMMA] -= dot(s, load3(W, w + BIAS_A)) + dot(d, load3(W, w + BIAS_L))
    add_wrench(C, X, r, i, s, d)
    E, p = load33(W, w + R_MP), load3(W, w + P_PM)
    push = tmul(E, d)
    add_wrench(C, X, r, T[body_row(i) + PARENT], scale(-1, add(tmul(E, s), cross(p, push))), scale(-1, push))


def drive_equation(C, X, T, W, x, r):
    """A joint coordinate follows its motion."""
    b = equation_at(C, r)
    k, coordinate, given = C[b + C_A], C[b + C_B], T[W_LAW_OUTPUT] + C[b + C_C]
    value, explicit = 0.0, 0.0
    if coordinate >= 0:
        value, explicit = x[coordinate] - W[given + 1], -W[given + 2]
    set_result(C, X, r, value, -W[column_work(T, k) + PRESCRIBED_RATE], explicit)
    add_joint_rate(C, X, T, W, r, k, 1.0)


def joint_equation(C, X, T, W, r):
    """Bodies do not move beside each other but along the columns of their joint."""
    b = equation_at(C, r)
    i = C[b + C_A]
    at = C[C[C_JOINT_TABLE] + i]
    s, d = load3(X, at + 6 * C[b + C_B]), load3(X, at + 6 * C[b + C_B] + 3)
    set_result(C, X, r, dot(s, load3(X, at + C_OFF)) + dot(d, load3(X, at + C_OFF + 3)), 0.0, 0.0)
    add_joint_motion(C, X, T, W, r, i, s, d)


def user_equation(C, X, T, W, r):
    """An equation of a constraint, as `constraint_equations` left it."""
    b = equation_at(C, r)
    place, e, n = equation_work(T, C[b + C_A]), C[b + C_B], C[b + C_C]
    k = constraint_row(T, e)
    holonomic = T[equation_row(T, C[b + C_A]) + ROW_HOLONOMIC]
    set_result(C, X, r, holonomic * W[place + VALUE_], W[place + GAMMA], W[place + EXPLICIT])
    for a in range(T[k + ATTACHMENTS]):
        wrench = wrench_work(T, e, n, a)
        i = T[attachment_row(T, T[k + ATTACHMENT0] + a) + ATTACHED]
        add_wrench(C, X, r, i, load3(W, wrench), load3(W, wrench + 3))
    for m in range(T[k + TERM0], T[k + TERM0] + T[k + TERMS]):
        if T[term_row(T, m) + TERM_ROW] == n:
            add_joint_rate(C, X, T, W, r, T[term_row(T, m) + TERM_COLUMN], W[T[W_TERM] + m])


def cartesian_equations(I, T, W, y, x):
    """B, value and gamma of all equations; after `place_bodies` and `constraint_equations`."""
    C, X = own_integers(I), own_reals(I)
    for r in range(C[C_EQUATIONS]):
        kind = C[equation_at(C, r) + C_KIND]
        if kind == C_RIGID_ROW:
            rigid_equation(I, C, X, y, r)
        elif kind == C_TIE_ROW:
            tie_equation(C, X, W, r)
        elif kind == C_DRIVE_ROW:
            drive_equation(C, X, T, W, x, r)
        elif kind == C_JOINT_ROW:
            joint_equation(C, X, T, W, r)
        else:
            user_equation(C, X, T, W, r)


def equation_sum(C, X, y, first, r):
    """B of equation r times the rates of points and vectors in y from `first` on."""
    b, g, total = equation_at(C, r), gradient_at(C, r), 0.0
    for n in range(C[b + C_COLUMNS]):
        k = first + C[C[C_COLUMN_TABLE] + C[b + C_COLUMN0] + n]
        total += X[g + 3 * n] * y[k] + X[g + 3 * n + 1] * y[k + 1] + X[g + 3 * n + 2] * y[k + 2]
    return total


def rate_defect(C, X, y, speeds, r):
    """What equation r says of the rates, in y from `speeds` on; nothing where an acceleration alone is given."""
    b, value = equation_at(C, r), 0.0
    if C[b + C_KIND] != C_DRIVE_ROW or C[b + C_B] >= 0:
        value = equation_sum(C, X, y, speeds, r) + X[result_at(C, r) + C_EXPLICIT]
    return value
