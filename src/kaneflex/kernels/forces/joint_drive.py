"""A speed that is prescribed: by its rate, as the value of a row among the loads."""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy, scalar_value
from kaneflex.kernels.layout import *

JOINT_DRIVE = 8
FACTS = LoadFacts(JOINT_DRIVE, spatial=False)


def joint_drive(I, P, W, m, z):
    """The given w-dot of a prescribed speed; its power is known only after the solve."""
    W[column_work(I, I[force_row(I, m) + FORCE_COLUMN]) + PRESCRIBED_RATE] = scalar_value(I, P, W, m, z)
    record_energy(I, W, m, z, z, z)
