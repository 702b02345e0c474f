"""Spring and damper in a joint, or drag on a rotor: conjugate to the relative rate w (never to u, whose
meaning may change)."""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

JOINT_SPRING = 4
FACTS = LoadFacts(JOINT_SPRING, parameters=("k", "c", "q0"), spatial=False)


def joint_spring(I, P, W, m, q, z):
    """tau = -k (q - q0) - c w. Parameters: k, c, q0; a rotor has no coordinate, only damping."""
    b, g = force_row(I, m), force_par(I, m)
    c = column_work(I, I[b + FORCE_COLUMN])
    w, drag, stretch = W[c + RATE], P[g + FORCE_LAW + 1], z
    if I[b + FORCE_COORDINATE] >= 0:
        stretch = q[I[b + FORCE_COORDINATE]] - P[g + FORCE_LAW + 2]
    W[c + TAU] -= P[g + FORCE_LAW] * stretch + drag * w
    record_energy(I, W, m, P[g + FORCE_LAW] * stretch * stretch / 2, z, -drag * w * w)
