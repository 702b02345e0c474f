"""A given force or torque in a joint or on a rotor, conjugate to the relative rate w (never to u, whose meaning may
change)."""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy, scalar_value
from kaneflex.kernels.layout import *

JOINT_LOAD = 6
FACTS = LoadFacts(JOINT_LOAD, value=1, spatial=False)


def joint_load(I, P, W, m, z):
    """tau = value."""
    c = column_work(I, I[force_row(I, m) + FORCE_COLUMN])
    load = scalar_value(I, P, W, m, z)
    W[c + TAU] += load
    record_energy(I, W, m, z, load * W[c + RATE], z)
