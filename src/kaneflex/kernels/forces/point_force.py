"""A force at a point, in the axes of a named frame or in inertial axes."""

from kaneflex.kernels.algebra import add, cross, dot, load3
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, load_vector, record_energy
from kaneflex.kernels.layout import *

POINT_FORCE = 0
FACTS = LoadFacts(POINT_FORCE, value=3)


def point_force(I, P, W, m, z):
    """Force at a point; its power is f . v of that point."""
    i, p = I[force_row(I, m) + FORCE_BODY], load3(P, force_par(I, m) + POINT)
    w = body_work(i)
    f = load_vector(I, P, W, m, z)
    apply_force(W, i, p, f)
    record_energy(I, W, m, z, dot(f, add(load3(W, w + V_), cross(load3(W, w + OMEGA), p))), z)
