"""Momentum of a system that floats: after a step it is what it was, and the impulse of the loads.

Momentum P and angular momentum H about the inertial origin are not linear in the state, so that a method which takes means
of speeds, as Newmark's does, keeps them to its order only. What a step of length h must leave is

    P_1 = P_0 + h/2 (F_0 + F_1) ,    H_1 = H_0 + h/2 (N_0 + N_1) ,                                                   (1)

F and N being force and torque of all loads on the system at the ends of the step, no joint's among them: nothing where
there are none. What the step left less than that is dP and dH, of third order in h. The system as a rigid body, of mass M,
mass centre c and inertia J about it, is given it by

    dv_c = dP/M ,    domega = J^-1 (dH - c x dP) ,                                                                   (2)

which is a change of the speeds of the joint by which all else hangs on N, and of no others: shape and vibration stay as they
are. Systems of rigid bodies on one `Free` or `Planar` joint are held so, without rotors, constraints or fluid. On numbers
only.
"""

from kaneflex.formulations.evaluate import forward_pass, placed
from kaneflex.kernels.algebra import add, cross, dot, load3, load33, mul, scale, store3, sub
from kaneflex.kernels.bodies.rigid import RIGID_BODY
from kaneflex.kernels.energy import centre, totals
from kaneflex.kernels.forces.dispatch import apply_forces
from kaneflex.kernels.joints.free import FREE
from kaneflex.kernels.joints.planar import PLANAR
from kaneflex.kernels.kinematics import origin_velocities, place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset
from kaneflex.kernels.sensors import load_states


def root_row(I):
    """Row of the body by which all others hang on N, the first; not a literal, for each would be compiled for."""
    return I[BODIES] - I[BODIES] + 1


def floats(I):
    """1 where momentum is held: see above."""
    if I[CONSTRAINTS] + I[FLEXIBLES] + I[ROTORS] + I[FRICTIONS] > 0 or I[BODIES] < 2:
        return 0
    r = body_row(root_row(I))
    if I[r + JOINT] != FREE and I[r + JOINT] != PLANAR:
        return 0
    for k in range(I[r + U0], I[r + U0] + I[r + NU]):
        if I[column_row(I, k) + PRESCRIBED] == 1:
            return 0
    for i in range(1, I[BODIES]):
        b = body_row(i)
        if I[b + KIND] != RIGID_BODY or I[b + ADDED] > 0 or (i > 1 and I[b + PARENT] == 0):
            return 0
    return 1


def root_column(I, W, k):
    """Column of speed k of the root, angular and linear part, inertial axes."""
    axis, c, R = I[column_row(I, k) + AXIS], column_work(I, k), load33(W, body_work(root_row(I)) + R_NM)
    turn, slide = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if axis < 3:
        turn = (R[0][axis], R[1][axis], R[2][axis])
    elif axis < GENERAL:
        slide = (R[0][axis - 3], R[1][axis - 3], R[2][axis - 3])
    else:
        turn, slide = mul(R, load3(W, c + S_)), mul(R, load3(W, c + S_ + 3))
    return turn, slide


def flight(I, P, W, t, y):
    """P, H, F and N at (t, y), about the inertial origin."""
    whole, g = group_work(I, 0 * I[GROUPS]), load3(P, I[P_GRAVITY])
    load_states(I, W, y)
    forward_pass(I, P, W, t, y, offset(y, I[COORDINATES]))
    if I[PLACED] == 0:
        origin_velocities(I, W)
    place(I, W)
    totals(I, P, W, 0 * I[GROUPS])
    for i in range(1, I[BODIES]):
        store3(W, body_work(i) + TORQUE, (0.0, 0.0, 0.0))
        store3(W, body_work(i) + FORCE, (0.0, 0.0, 0.0))
    if I[PLACED] == 1:
        placed(I, P, W, t, y)
    apply_forces(I, P, W, t, y)
    force, torque = scale(W[whole + TOTAL_MASS], g), cross(load3(W, whole + TOTAL_MOMENT), g)
    for i in range(1, I[BODIES]):  # rows hold inertia less loads
        w = body_work(i)
        R = load33(W, w + R_NM)
        f = mul(R, load3(W, w + FORCE))
        force = sub(force, f)
        torque = sub(torque, add(mul(R, load3(W, w + TORQUE)), cross(load3(W, w + P_NM), f)))
    b, origin = body_row(root_row(I)), load3(W, body_work(root_row(I)) + P_NM)
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        (turn, slide), tau = root_column(I, W, k), W[column_work(I, k) + TAU]
        force = add(force, scale(tau, slide))
        torque = add(torque, scale(tau, add(turn, cross(origin, slide))))
    return load3(W, whole + LINEAR_MOMENTUM), load3(W, whole + ANGULAR_MOMENTUM), force, torque


def hold_momentum(I, P, W, t, y, t_new, new, h):
    """Speeds of the root in `new`, h after y, by Eq. (2), where the system floats."""
    if floats(I) == 0:
        return
    P0, H0, F0, N0 = flight(I, P, W, t, y)
    P1, H1, F1, N1 = flight(I, P, W, t_new, new)
    dP = sub(add(P0, scale(h / 2, add(F0, F1))), P1)
    dH = sub(add(H0, scale(h / 2, add(N0, N1))), H1)
    whole, b, w = group_work(I, 0 * I[GROUPS]), body_row(root_row(I)), body_work(root_row(I))
    centre(I, P, W, 0 * I[GROUPS])
    c, J, R = load3(W, whole + CENTRE), load33(W, whole + CENTRAL_INERTIA), load33(W, w + R_NM)
    dH = sub(dH, cross(c, dP))
    domega = (0.0, 0.0, 0.0)
    if I[b + JOINT] == PLANAR:
        normal = (R[0][2], R[1][2], R[2][2])
        dP = sub(dP, scale(dot(normal, dP), normal))
        domega = scale(dot(normal, dH) / dot(normal, mul(J, normal)), normal)
    else:
        det, size = dot(J[0], cross(J[1], J[2])), J[0][0] + J[1][1] + J[2][2]
        if det * 1000000000000 > size * size * size:  # else one axis has no inertia, and no momentum
            columns = (cross(J[1], J[2]), cross(J[2], J[0]), cross(J[0], J[1]))
            total = add(scale(dH[0], columns[0]), add(scale(dH[1], columns[1]), scale(dH[2], columns[2])))
            domega = scale(1 / det, total)
    dv = add(scale(1 / W[whole + TOTAL_MASS], dP), cross(domega, sub(load3(W, w + P_NM), c)))
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        turn, slide = root_column(I, W, k)
        new[I[COORDINATES] + k] += dot(turn, domega) + dot(slide, dv)
