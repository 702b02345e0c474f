"""Drag of air at rest on a point: f = -c sqrt(v.v + e^2) v, with v its velocity and e a speed below which drag is linear.

Parameters: c, e.
"""

from kaneflex.kernels.algebra import dot, load3, load33, scale, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_velocity
from kaneflex.kernels.layout import FORCE_BODY, FORCE_LAW, POINT, R_NM, body_work, force_par, force_row
from kaneflex.kernels.ops import sqrt

QUADRATIC_DRAG = 40
FACTS = LoadFacts(QUADRATIC_DRAG, parameters=("c", "e"))


def quadratic_drag(I, P, W, m, z):
    """The force at the point, and the power that it takes."""
    i, g = I[force_row(I, m) + FORCE_BODY], force_par(I, m)
    p, c, e = load3(P, g + POINT), P[g + FORCE_LAW], P[g + FORCE_LAW + 1]
    v = point_velocity(W, body_work(i), p)
    f = scale(-c * sqrt(dot(v, v) + e * e), v)
    apply_force(W, i, p, tmul(load33(W, body_work(i) + R_NM), f))
    record_energy(I, W, m, z, z, dot(f, v))
