"""A massless rod (or a taut rope): the distance of two points is given.

|d| = L, rate e . (v_B - v_A) with e = d/|d|; gamma has (|v|^2 - (e . v)^2)/|d| besides the centripetal parts. A positive
multiplier pushes the points apart. Parameter: L; or a law that gives its second rate, itself and its rate, which
EXPLICIT and gamma then have.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, scale, sub
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
from kaneflex.kernels.ops import sqrt


def distance_row(I, P, W, e):
    """The equation of constraint e."""
    g = constraint_par(I, e)
    wa, wb = end_bodies(I, e)
    omega_a, omega_b = body_omega(W, wa), body_omega(W, wb)
    arm_a, arm_b = body_arm(W, wa, load3(P, g + POINT_A)), body_arm(W, wb, load3(P, g + POINT_B))
    d = sub(add(body_origin(W, wb), arm_b), add(body_origin(W, wa), arm_a))
    v = sub(add(body_speed(W, wb), cross(omega_b, arm_b)), add(body_speed(W, wa), cross(omega_a, arm_a)))
    length = sqrt(dot(d, d))
    axis = scale(1 / length, d)
    along_rod = dot(axis, v)
    gamma = dot(axis, sub(centripetal(omega_b, arm_b), centripetal(omega_a, arm_a)))
    gamma += (dot(v, v) - along_rod * along_rod) / length
    set_push(I, W, e, 0 * e, axis, arm_a, arm_b)
    b, place = constraint_row(I, e), equation_work(I, I[constraint_row(I, e) + CONSTRAINT_ROW])
    set_equation(I, W, I[b + CONSTRAINT_ROW], length - P[g + CONSTRAINT_PAR], gamma)
    if I[b + CONSTRAINT_SEEN] > 0:
        x = I[W_LAW_OUTPUT] + I[b + CONSTRAINT_LAW_OUTPUT]
        W[place + VALUE_] = length - W[x + 1]
        W[place + EXPLICIT] = -W[x + 2]
        W[place + GAMMA] = gamma - W[x]
