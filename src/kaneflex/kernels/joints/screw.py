"""Screw joint: M turns about the common z axis by q and advances along it by P[g + JOINT_PAR] q. w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

SCREW = 4
FACTS = JointFacts(SCREW, 1, (GENERAL,), (True,), ("angle",), (0.0,), at_neutral=(2,))


def screw_pose(q, k, P, g):
    """E = Rz(q)^T, p = (advance per radian) q z."""
    c, s, z = cos(q[k]), sin(q[k]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (z, z, P[g + JOINT_PAR] * q[k])


def screw_columns(q, k, P, g, W, c):
    """S = (z, advance z)."""
    z = 0 * q[k]
    W[c + S_] = z
    W[c + S_ + 1] = z
    W[c + S_ + 2] = z + 1
    W[c + S_ + 3] = z
    W[c + S_ + 4] = z
    W[c + S_ + 5] = z + P[g + JOINT_PAR]
