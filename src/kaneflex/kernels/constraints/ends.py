"""What all constraints between two frames need: where the ends are and how they move, in inertial axes."""

from kaneflex.kernels.algebra import cross, load3, load33, mul, scale, store3, tmul
from kaneflex.kernels.layout import *


def end_bodies(I, e):
    """Places in W of the bodies A and B of constraint e."""
    k = attachment_row(I, I[constraint_row(I, e) + ATTACHMENT0])
    return body_work(I[k + ATTACHED]), body_work(I[k + ATTACHMENT_INTS + ATTACHED])


def body_omega(W, w):
    """Angular velocity of body row w, inertial axes."""
    return mul(load33(W, w + R_NM), load3(W, w + OMEGA))


def body_speed(W, w):
    """Velocity of the origin of M of body row w, inertial axes."""
    return mul(load33(W, w + R_NM), load3(W, w + V_))


def body_arm(W, w, p):
    """The point at p (body axes) from the origin of M of body row w, inertial axes."""
    return mul(load33(W, w + R_NM), p)


def body_origin(W, w):
    """Origin of M of body row w, inertial axes."""
    return load3(W, w + P_NM)


def centripetal(omega, r):
    """omega x (omega x r)."""
    return cross(omega, cross(omega, r))


def set_wrench(W, place, w, torque, force):
    """Store a wrench on body row w, given in inertial axes, at its place."""
    R = load33(W, w + R_NM)
    store3(W, place, tmul(R, torque))
    store3(W, place + 3, tmul(R, force))


def set_pair(I, W, e, n, torque_a, torque_b, force):
    """Wrenches of constraint e's n-th equation: a force on B and its opposite on A, with torques about their origins."""
    wa, wb = end_bodies(I, e)
    place = wrench_work(I, e, n, 0 * n)
    set_wrench(W, place, wa, torque_a, scale(-1, force))
    set_wrench(W, place + 6, wb, torque_b, force)


def set_push(I, W, e, n, axis, arm_a, arm_b):
    """Wrenches of a unit force along axis on B at arm_b and of its opposite on A at arm_a."""
    set_pair(I, W, e, n, cross(axis, arm_a), cross(arm_b, axis), axis)


def set_turn(I, W, e, n, torque):
    """Wrenches of a torque on B and its opposite on A."""
    set_pair(I, W, e, n, scale(-1, torque), torque, scale(0, torque))


def set_equation(I, W, r, value, gamma):
    """Value and gamma of equation r, which does not depend on time explicitly."""
    place = equation_work(I, r)
    W[place + VALUE_] = value
    W[place + GAMMA] = gamma
    W[place + EXPLICIT] = 0 * gamma
