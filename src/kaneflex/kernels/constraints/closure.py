"""A joint that closes a loop: frame A on one body, frame B on the other, equations as the joint's type needs them.

With d from A's origin to B's, e_i the axes of A, a_i and b_j those of A and B:

- POINT_ROW + i: e_i . d = 0. Rate e_i . (v_B - v_A - omega_A x d), velocities at the frames' origins.
- ALIGN_ROW + 3 i + j: a_i . b_j = 0. Rate (b_j x a_i) . (omega_B - omega_A).
- SCREW_ROW: e_3 . d = h theta, written h sin(d_3 / h - theta) = 0, so that turns need not be counted. Parameter: h.

Ref: Roberson and Schwertassek, Dynamics of Multibody Systems (1988), chapter 8, for the equations.
"""

from kaneflex.kernels.algebra import add, column, cross, dot, load3, load33, matmul, scale, sub
from kaneflex.kernels.constraints.ends import (
    body_arm,
    body_omega,
    body_origin,
    body_speed,
    centripetal,
    end_bodies,
    set_equation,
    set_pair,
    set_push,
    set_turn,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

POINT_ROW = 0
ALIGN_ROW = 3
SCREW_ROW = 12


def closure_rows(I, P, W, e):
    """Equations of constraint e, a joint between two frames."""
    b, g = constraint_row(I, e), constraint_par(I, e)
    wa, wb = end_bodies(I, e)
    omega_a, omega_b = body_omega(W, wa), body_omega(W, wb)
    arm_a, arm_b = body_arm(W, wa, load3(P, g + POINT_A)), body_arm(W, wb, load3(P, g + POINT_B))
    A, B = matmul(load33(W, wa + R_NM), load33(P, g + FRAME_A)), matmul(load33(W, wb + R_NM), load33(P, g + FRAME_B))
    d = sub(add(body_origin(W, wb), arm_b), add(body_origin(W, wa), arm_a))
    reach = add(arm_a, d)
    v = sub(add(body_speed(W, wb), cross(omega_b, arm_b)), add(body_speed(W, wa), cross(omega_a, reach)))
    c = sub(centripetal(omega_b, arm_b), add(centripetal(omega_a, reach), scale(2, cross(omega_a, v))))
    for n in range(I[b + CONSTRAINT_ROWS]):
        r = I[b + CONSTRAINT_ROW] + n
        code = I[equation_row(I, r) + ROW_CODE]
        if code < ALIGN_ROW:
            axis = column(A, code)
            set_push(I, W, e, n, axis, reach, arm_b)
            set_equation(I, W, r, dot(axis, d), dot(axis, c))
        elif code < SCREW_ROW:
            x, y = column(A, (code - ALIGN_ROW) // 3), column(B, (code - ALIGN_ROW) % 3)
            set_turn(I, W, e, n, cross(y, x))
            set_equation(I, W, r, dot(x, y), align_gamma(omega_a, omega_b, x, y))
        else:
            axis, h, turn = (A[0][2], A[1][2], A[2][2]), P[g + CONSTRAINT_PAR], sub(omega_b, omega_a)
            twist = scale(h, axis)
            set_pair(I, W, e, n, add(cross(axis, reach), twist), sub(cross(arm_b, axis), twist), axis)
            gamma = dot(axis, c) - h * dot(cross(omega_a, axis), turn)
            set_equation(I, W, r, screw_value(A, B, d, h), gamma)


def align_gamma(omega_a, omega_b, x, y):
    """What the second derivative of x . y has besides angular accelerations."""
    return dot(centripetal(omega_a, x), y) + 2 * dot(cross(omega_a, x), cross(omega_b, y)) + dot(x, centripetal(omega_b, y))


def screw_value(A, B, d, h):
    """h sin(d_3 / h - theta), theta being the turn of B in A about their common third axis."""
    x, y, u, v = column(A, 0), column(A, 1), column(B, 0), column(B, 1)
    slide = (A[0][2] * d[0] + A[1][2] * d[1] + A[2][2] * d[2]) / h
    return h * (sin(slide) * (dot(x, u) + dot(y, v)) - cos(slide) * (dot(y, u) - dot(x, v))) / 2
