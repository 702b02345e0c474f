"""Rolling without slip of an ellipsoid B (ball, thin disk and wheel among them) on the plane z = 0 of frame A.

With n the plane's normal, n_B its components in B, D = diag(a^2, b^2, c^2) of the semi-axes, the contact is at

    s = -D n_B / kappa ,   kappa = sqrt(n_B . D n_B)                                                             (1)

from the centre. Equations: slip along A's x, y (not integrable) and z, the last being the derivative of
n . d - kappa = 0. Slip = v_B + omega_B x s - v_A - omega_A x r; the derivative needs the motion of the contact over the
ellipsoid, s' = -D n_B'/kappa + D n_B (n_B . D n_B')/kappa^3, n_B' = (omega_A - omega_B) x n. Parameters: a, b, c.
"""

from kaneflex.kernels.algebra import add, column, cross, dot, load3, load33, matmul, mul, scale, sub, tmul
from kaneflex.kernels.constraints.ends import (
    body_arm,
    body_omega,
    body_origin,
    body_speed,
    end_bodies,
    set_equation,
    set_push,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt


def semi_axes_times(P, g, x):
    """D x."""
    a, b, c = P[g + CONSTRAINT_PAR], P[g + CONSTRAINT_PAR + 1], P[g + CONSTRAINT_PAR + 2]
    return (a * a * x[0], b * b * x[1], c * c * x[2])


def rolling_rows(I, P, W, e):
    """The three equations of constraint e."""
    g = constraint_par(I, e)
    wa, wb = end_bodies(I, e)
    omega_a, omega_b, v_a = body_omega(W, wa), body_omega(W, wb), body_speed(W, wa)
    A, B = matmul(load33(W, wa + R_NM), load33(P, g + FRAME_A)), matmul(load33(W, wb + R_NM), load33(P, g + FRAME_B))
    normal = (A[0][2], A[1][2], A[2][2])
    n = tmul(B, normal)
    turn = tmul(B, cross(sub(omega_a, omega_b), normal))
    Dn, Dturn = semi_axes_times(P, g, n), semi_axes_times(P, g, turn)
    kappa = sqrt(dot(n, Dn))
    wander = sub(scale(dot(n, Dturn) / (kappa * kappa * kappa), Dn), scale(1 / kappa, Dturn))
    centre = body_arm(W, wb, load3(P, g + POINT_B))
    arm = add(centre, mul(B, scale(-1 / kappa, Dn)))
    r = sub(add(body_origin(W, wb), arm), body_origin(W, wa))
    d = sub(add(body_origin(W, wb), centre), add(body_origin(W, wa), body_arm(W, wa, load3(P, g + POINT_A))))
    arm_rate = add(cross(omega_b, arm), mul(B, wander))
    v_contact = add(body_speed(W, wb), arm_rate)
    slip = sub(add(body_speed(W, wb), cross(omega_b, arm)), add(v_a, cross(omega_a, r)))
    c = sub(cross(omega_b, arm_rate), cross(omega_a, sub(v_contact, v_a)))
    for k in range(3):
        row = I[constraint_row(I, e) + CONSTRAINT_ROW] + k
        code = I[equation_row(I, row) + ROW_CODE]
        axis = column(A, code)
        value = 0 * kappa
        if code == 2:
            value = dot(normal, d) - kappa
        set_push(I, W, e, k, axis, r, arm)
        set_equation(I, W, row, value, dot(axis, c) + dot(cross(omega_a, axis), slip))
