"""A stop in a joint: conjugate to the relative rate w (never to u, whose meaning may change)."""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import ramp, step

JOINT_STOP = 5
FACTS = LoadFacts(JOINT_STOP, parameters=("k", "c"), spatial=False)


def joint_stop(I, P, W, m, q, z):
    """One-sided spring and damper beyond a bound: parameters k, c, bound, side (1: upper, -1: lower)."""
    b, g = force_row(I, m), force_par(I, m)
    c, side = column_work(I, I[b + FORCE_COLUMN]), P[g + FORCE_LAW + 3]
    w, x = W[c + RATE], side * (q[I[b + FORCE_COORDINATE]] - P[g + FORCE_LAW + 2])
    drag = P[g + FORCE_LAW + 1] * step(x) * w
    W[c + TAU] -= side * P[g + FORCE_LAW] * ramp(x) + drag
    record_energy(I, W, m, P[g + FORCE_LAW] * ramp(x) * ramp(x) / 2, z, -drag * w)
