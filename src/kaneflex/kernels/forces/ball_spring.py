"""Spring and damper in a ball or free joint: conjugate to its angular velocity in the axes of M."""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

BALL_SPRING = 7
FACTS = LoadFacts(BALL_SPRING, parameters=("k", "c"), spatial=False)


def ball_spring(I, P, W, m, q, z):
    """Isotropic spring and damper of a ball (or free) joint: V = 2 k (1 - e0^2), torque -2 k e0 e - c w.

    For small angles k is the stiffness per radian; smooth through a half turn, and the same for e and -e.
    Parameters: k, c.
    """
    b, g = force_row(I, m), force_par(I, m)
    k, drag, e = P[g + FORCE_LAW], P[g + FORCE_LAW + 1], I[b + FORCE_COORDINATE]
    loss = z
    for n in range(3):
        c = column_work(I, I[b + FORCE_COLUMN]) + n * COLUMN_WIDTH
        W[c + TAU] -= 2 * k * q[e] * q[e + 1 + n] + drag * W[c + RATE]
        loss += drag * W[c + RATE] * W[c + RATE]
    record_energy(I, W, m, 2 * k * (q[e + 1] * q[e + 1] + q[e + 2] * q[e + 2] + q[e + 3] * q[e + 3]), z, -loss)
