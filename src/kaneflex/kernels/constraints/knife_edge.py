"""Knife edge (Chaplygin): the origin of frame B has no velocity along B's y axis, relative to body A.

e . (v_B - v_A - omega_A x r) = 0, r from A's origin to the edge, e fixed in B; not integrable.
"""

from kaneflex.kernels.algebra import add, column, cross, dot, load3, load33, matmul, sub
from kaneflex.kernels.constraints.ends import (
    body_arm,
    body_omega,
    body_origin,
    body_speed,
    centripetal,
    end_bodies,
    set_equation,
    set_push,
)
from kaneflex.kernels.layout import *


def knife_edge_row(I, P, W, e):
    """The equation of constraint e."""
    g = constraint_par(I, e)
    wa, wb = end_bodies(I, e)
    omega_a, omega_b, v_a = body_omega(W, wa), body_omega(W, wb), body_speed(W, wa)
    arm = body_arm(W, wb, load3(P, g + POINT_B))
    r = sub(add(body_origin(W, wb), arm), body_origin(W, wa))
    v_b = add(body_speed(W, wb), cross(omega_b, arm))
    slip = sub(v_b, add(v_a, cross(omega_a, r)))
    B = matmul(load33(W, wb + R_NM), load33(P, g + FRAME_B))
    side = column(B, 1)
    gamma = dot(side, sub(centripetal(omega_b, arm), cross(omega_a, sub(v_b, v_a)))) + dot(cross(omega_b, side), slip)
    set_push(I, W, e, 0 * e, side, r, arm)
    set_equation(I, W, I[constraint_row(I, e) + CONSTRAINT_ROW], 0 * gamma, gamma)
