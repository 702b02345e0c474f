"""Spring without free length between two points: the force k d along the vector d between them.

Unlike a line of some free length it needs no direction, and is smooth where the ends coincide. Parameter: stiffness k.
"""

from kaneflex.kernels.algebra import dot, load3, load33, scale, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *

ZERO_LENGTH_SPRING = 14
FACTS = LoadFacts(ZERO_LENGTH_SPRING, parameters=("k",))


def zero_length_spring(I, P, W, m, z):
    """Equal and opposite forces k d on the two bodies; V = k d.d/2."""
    b, g = force_row(I, m), force_par(I, m)
    i, j = I[b + FORCE_BODY], I[b + FORCE_OTHER]
    p, r, k = load3(P, g + POINT), load3(P, g + POINT_OTHER), P[g + FORCE_LAW]
    d = sub(point_place(W, body_work(j), r), point_place(W, body_work(i), p))
    f = scale(k, d)
    apply_force(W, i, p, tmul(load33(W, body_work(i) + R_NM), f))
    if j > 0:
        apply_force(W, j, r, tmul(load33(W, body_work(j) + R_NM), scale(-1, f)))
    record_energy(I, W, m, k * dot(d, d) / 2, z, z)
