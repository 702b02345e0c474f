"""A torque, in the axes of a named frame or in inertial axes."""

from kaneflex.kernels.algebra import dot, load3
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_torque, load_vector, record_energy
from kaneflex.kernels.layout import *

POINT_TORQUE = 1
FACTS = LoadFacts(POINT_TORQUE, value=3)


def point_torque(I, P, W, m, z):
    """Torque; its power is n . omega."""
    i = I[force_row(I, m) + FORCE_BODY]
    n = load_vector(I, P, W, m, z)
    apply_torque(W, i, n)
    record_energy(I, W, m, z, dot(n, load3(W, body_work(i) + OMEGA)), z)
