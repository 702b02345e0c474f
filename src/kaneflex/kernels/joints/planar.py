"""Planar joint: M moves in the x-y plane of F. q = (x, y of the origin in F, angle about the common z), w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

PLANAR = 8
FACTS = JointFacts(
    PLANAR, 3, (GENERAL, GENERAL, 2), (False, False, True), ("x", "y", "angle"), (0.0, 0.0, 0.0), at_neutral=(3, 4, 2)
)


def planar_pose(q, k, P, g):
    """E = Rz(q3)^T, p = (q1, q2, 0)."""
    c, s, z = cos(q[k + 2]), sin(q[k + 2]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (q[k], q[k + 1], z)


def planar_columns(q, k, P, g, W, c):
    """S1 = x of F, S2 = y of F, slides in axes of M; fixed in F, so that they bring no bias."""
    z = 0 * q[k]
    for m in range(6):
        W[c + S_ + m] = z
        W[c + COLUMN_WIDTH + S_ + m] = z
    W[c + S_ + 3] = cos(q[k + 2])
    W[c + S_ + 4] = -sin(q[k + 2])
    W[c + COLUMN_WIDTH + S_ + 3] = sin(q[k + 2])
    W[c + COLUMN_WIDTH + S_ + 4] = cos(q[k + 2])
