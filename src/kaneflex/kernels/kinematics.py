"""Base to tip: where each body is and how it moves.

For body j on parent c, in axes of j's frame M, with E = R_MP and r the origin of M from the parent's origin,

    omega_j = E omega_c + S_a w                                                                     (1)
    v_j     = E (v_c + omega_c x r) + S_l w                                                         (2)
    alpha_j = E alpha_c + S_a w-dot + [E omega_c x S_a w + c_a]                                     (3)
    a_j     = E (a_c + alpha_c x r) + S_l w-dot + [E (omega_c x (omega_c x r)) + 2 E omega_c x S_l w + c_l]   (4)

S being the joint's columns, w its rates and c its bias as seen from the parent. Accelerations are those in N (not the
derivatives of the components of v), so that a common velocity of the whole system, an orbit's say, never enters.
Ref: Kane and Levinson, Dynamics (1985), sections 2.6 to 2.8.
"""

from kaneflex.kernels.algebra import (
    accumulate3,
    add,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
    scale,
    store3,
    store33,
    transpose,
)
from kaneflex.kernels.bodies.dispatch import body_rates
from kaneflex.kernels.joints.dispatch import joint_bias, joint_pose, joint_rates
from kaneflex.kernels.joints.revolute import REVOLUTE
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT, node_motion


def rest(I, P, W, z):
    """Row 0: the inertial frame. Uniform gravity is an upward acceleration of it, which loads every body rightly."""
    g, w = I[P_GRAVITY], body_work(I[BODIES] - I[BODIES])  # 0, but not a literal: each would be compiled for
    store3(W, w + OMEGA, (z, z, z))
    store3(W, w + V_, (z, z, z))
    store3(W, w + ALPHA, (z, z, z))
    store3(W, w + A_, (z - P[g], z - P[g + 1], z - P[g + 2]))
    store3(W, w + P_NM, (z, z, z))
    store33(W, w + R_NM, ((z + 1, z, z), (z, z + 1, z), (z, z, z + 1)))


def move(I, P, W, i, q, u):
    """Velocities of body i, Eqs. (1) and (2), and the brackets of (3) and (4)."""
    b, w = body_row(i), body_work(i)
    k, z = I[b + U0], 0 * W[w + R_MP]
    Omega = mul(load33(W, w + R_MP), load3(W, body_work(I[b + PARENT]) + OMEGA))
    if I[b + JOINT] == REVOLUTE:  # the commonest joint, with its zeros in sight of the compiler
        w_k = u[k]
        if I[column_row(I, k) + TOTAL] == 1:
            w_k = u[k] - Omega[2]
        W[column_work(I, k) + RATE] = w_k
        carry_motion(I, W, i, Omega, (z, z, w_k), (z, z, z))
    else:
        relative_motion(I, W, i, Omega, u)
        carry_motion(I, W, i, Omega, load3(W, w + REL), load3(W, w + REL + 3))
        joint_bias(I, P, W, i, q)
    body_rates(I, P, W, i, q, u)


def relative_motion(I, W, i, Omega, u):
    """Rates w of body i's joint from u, and its motion S w in the parent, left in REL."""
    b, w = body_row(i), body_work(i)
    z = 0 * Omega[0]
    store3(W, w + OMEGA, Omega)
    store3(W, w + REL, (z, z, z))
    store3(W, w + REL + 3, (z, z, z))
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        c, axis, w_k = column_work(I, k), I[column_row(I, k) + AXIS], u[k]
        if I[column_row(I, k) + TOTAL] == 1:
            w_k = u[k] - parent_component(W, w, c, axis, OMEGA)
        W[c + RATE] = w_k
        if axis < GENERAL:
            W[w + REL + axis] = w_k
        else:
            for m in range(6):
                W[w + REL + m] += W[c + S_ + m] * w_k
    if I[b + JOINT] == NODE_JOINT:
        node_motion(I, W, i)


def carry_motion(I, W, i, Omega, omega_rel, v_rel):
    """Eqs. (1) and (2), and the brackets of (3) and (4) but for the joint's own bias."""
    w, wp = body_work(i), body_work(I[body_row(i) + PARENT])
    E, omega_c = load33(W, w + R_MP), load3(W, wp + OMEGA)
    omega_x_r = cross(omega_c, load3(W, w + P_PM))
    if I[PLACED] == 1:
        store3(W, w + V_, add(mul(E, add(load3(W, wp + V_), omega_x_r)), v_rel))
    store3(W, w + OMEGA, add(Omega, omega_rel))
    store3(W, w + BIAS_A, cross(Omega, omega_rel))
    store3(W, w + BIAS_L, add(mul(E, cross(omega_c, omega_x_r)), scale(2, cross(Omega, v_rel))))


def origin_velocities(I, W):
    """Eq. (2) of all bodies, where `carry_motion` left it out; after `velocities`."""
    for i in range(1, I[BODIES]):
        if is_stored(I, i) == 1:
            continue
        b, w, wp = body_row(i), body_work(i), body_work(I[body_row(i) + PARENT])
        v = add(load3(W, wp + V_), cross(load3(W, wp + OMEGA), load3(W, w + P_PM)))
        store3(W, w + V_, mul(load33(W, w + R_MP), v))
        if I[b + JOINT] != REVOLUTE:  # whose motion is a turn
            accumulate3(W, w + V_, load3(W, w + REL + 3))


def parent_component(W, w, c, axis, place):
    """Component along the axis of column c of the angular velocity or acceleration that body row w holds at `place`."""
    if axis < 3:
        value = W[w + place + axis]
    else:
        value = dot(load3(W, c + S_), load3(W, w + place))
    return value


def total_speed_bias(I, W, i, k):
    """u-dot less w-dot less the carried angular acceleration, for a speed k of body i that is a total component:
    the bracket of (3) along an axis fixed in M, nothing along one fixed in F."""
    w, axis = body_work(i), I[column_row(I, k) + AXIS]
    value = 0 * W[w + R_MP]
    if axis < 3:
        value = W[w + BIAS_A + axis]
    return value


def velocities(I, P, W, q, u):
    """Positions and velocities of all bodies and rotors."""
    rest(I, P, W, 0 * u[0])
    for i in range(1, I[BODIES]):
        if is_stored(I, i) == 1:
            continue
        joint_pose(I, P, W, i, q)
        move(I, P, W, i, q, u)
    rotor_rates(I, P, W, u)


def rotor_rates(I, P, W, u):
    """Relative rates w of the rotors."""
    for m in range(I[ROTORS]):
        b, k = rotor_row(I, m), I[rotor_row(I, m) + ROTOR_U]
        spin = dot(load3(P, rotor_par(I, m) + ROTOR_AXIS), load3(W, body_work(I[b + ROTOR_BODY]) + OMEGA))
        W[column_work(I, k) + RATE] = u[k] - I[column_row(I, k) + TOTAL] * spin


def coordinate_rates(I, W, q, qdot):
    """q-dot = W(q) w, after `velocities`."""
    for i in range(1, I[BODIES]):
        if is_stored(I, i) == 1:
            for k in range(I[body_row(i) + Q0], I[body_row(i) + Q0] + I[body_row(i) + NQ]):
                qdot[k] = 0 * W[OMEGA]
            continue
        joint_rates(I, W, i, q, qdot)
        if I[body_row(i) + MODES] > 0:
            f = flexible_row(I, i)
            for k in range(I[body_row(i) + MODES]):
                qdot[I[f + FLEXIBLE_Q] + k] = W[column_work(I, I[f + FLEXIBLE_U] + k) + RATE]


def place(I, W):
    """Orientation and origin of every body in N, after `joint_pose`."""
    for i in range(1, I[BODIES]):
        if is_stored(I, i) == 1:
            continue
        w, wp = body_work(i), body_work(I[body_row(i) + PARENT])
        R, E = load33(W, wp + R_NM), load33(W, w + R_MP)
        store3(W, w + P_NM, add(load3(W, wp + P_NM), mul(R, load3(W, w + P_PM))))
        if I[body_row(i) + JOINT] == NODE_JOINT:
            deflect(I, W, i)
        store33(W, w + R_NM, matmul(R, transpose(E)))


def deflect(I, W, i):
    """Move the place of body i, a node whose P_PM is that of the UNDEFORMED body, to where it is."""
    flexible, w = I[body_row(i) + PARENT], body_work(i)
    if I[flexible_row(I, flexible) + FLEXIBLE_SPEEDS] == UNDEFORMED:
        moved = load3(W, node_work(I, i) + NODE_MOVED)
        accumulate3(W, w + P_NM, mul(load33(W, body_work(flexible) + R_NM), moved))


def transport(W, w, wp):
    """E alpha_c and E (a_c + alpha_c x r): what the parent's acceleration carries to body row w."""
    E, alpha = load33(W, w + R_MP), load3(W, wp + ALPHA)
    return mul(E, alpha), mul(E, add(load3(W, wp + A_), cross(alpha, load3(W, w + P_PM))))


def accelerate(I, W, udot):
    """Accelerations of all bodies, Eqs. (3) and (4), for given rates of the speeds u."""
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        alpha, a = transport(W, w, body_work(I[b + PARENT]))
        store3(W, w + ALPHA, alpha)
        store3(W, w + A_, a)
        for k in range(I[b + U0], I[b + U0] + I[b + NU]):
            c, axis, wdot = column_work(I, k), I[column_row(I, k) + AXIS], udot[k]
            if I[column_row(I, k) + TOTAL] == 1:
                wdot = udot[k] - total_speed_bias(I, W, i, k) - parent_component(W, w, c, axis, ALPHA)
            W[c + WDOT] = wdot
            add_along(W, w, c, axis, wdot)
        if I[b + JOINT] == NODE_JOINT:
            add_modal_rates(I, W, i)
        accumulate3(W, w + ALPHA, load3(W, w + BIAS_A))
        accumulate3(W, w + A_, load3(W, w + BIAS_L))
        if I[b + MODES] > 0:
            k = I[flexible_row(I, i) + FLEXIBLE_U]
            for n in range(I[b + MODES]):
                W[column_work(I, k + n) + WDOT] = udot[k + n]


def relative_accelerations(I, P, W, udot):
    """Rates of all relative rates w, joints' and rotors', left in WDOT; after `accelerate` with the same u-dot."""
    for m in range(I[ROTORS]):
        b, k = rotor_row(I, m), I[rotor_row(I, m) + ROTOR_U]
        carried = dot(load3(P, rotor_par(I, m) + ROTOR_AXIS), load3(W, body_work(I[b + ROTOR_BODY]) + ALPHA))
        W[column_work(I, k) + WDOT] = udot[k] - I[column_row(I, k) + TOTAL] * carried


def add_modal_rates(I, W, i):
    """Add to the acceleration of body i, a node, its columns times the rates of the modal speeds."""
    w, flexible, columns = body_work(i), I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, first = I[body_row(flexible) + MODES], column_work(I, I[flexible_row(I, flexible) + FLEXIBLE_U])
    z = 0 * W[w + ALPHA]
    turn, shift = (z, z, z), (z, z, z)
    for k in range(m):
        rate_of_speed = W[first + k * COLUMN_WIDTH + WDOT]
        turn = add(turn, scale(rate_of_speed, (W[columns + k], W[columns + m + k], W[columns + 2 * m + k])))
        shift = add(shift, scale(rate_of_speed, (W[columns + 3 * m + k], W[columns + 4 * m + k], W[columns + 5 * m + k])))
    accumulate3(W, w + ALPHA, turn)
    accumulate3(W, w + A_, shift)


def add_along(W, w, c, axis, wdot):
    """Add w-dot times column c to the acceleration of body row w."""
    if axis < 3:
        W[w + ALPHA + axis] += wdot
    elif axis < GENERAL:
        W[w + A_ + axis - 3] += wdot
    else:
        for m in range(3):
            W[w + ALPHA + m] += W[c + S_ + m] * wdot
            W[w + A_ + m] += W[c + S_ + 3 + m] * wdot


def point_place(W, w, p):
    """Position from the inertial origin of the point at p of body row w, in inertial axes; after `place`."""
    return add(load3(W, w + P_NM), mul(load33(W, w + R_NM), p))


def point_velocity(W, w, p):
    """Velocity in N of the point at p of body row w, in inertial axes; after `place`."""
    return mul(load33(W, w + R_NM), add(load3(W, w + V_), cross(load3(W, w + OMEGA), p)))


def point_acceleration(W, w, p):
    """Acceleration in N, less uniform gravity, of the point at p of body row w, in inertial axes."""
    omega = load3(W, w + OMEGA)
    a = add(load3(W, w + A_), add(cross(load3(W, w + ALPHA), p), cross(omega, cross(omega, p))))
    return mul(load33(W, w + R_NM), a)
