"""Universal (Hooke) joint: q1 about x of F, then q2 about the turned y, which is y of M. w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

UNIVERSAL = 5
FACTS = JointFacts(UNIVERSAL, 2, (GENERAL, 1), (True, True), ("angle1", "angle2"), (0.0, 0.0), at_neutral=(0, 1))


def universal_pose(q, k, P, g):
    """E = (Rx(q1) Ry(q2))^T, p = 0."""
    c1, s1, c2, s2, z = cos(q[k]), sin(q[k]), cos(q[k + 1]), sin(q[k + 1]), 0 * q[k]
    return ((c2, s1 * s2, -c1 * s2), (z, c1, s1), (s2, -s1 * c2, c1 * c2)), (z, z, z)


def universal_columns(q, k, P, g, W, c):
    """S1 = x of F in axes of M = (cos q2, 0, sin q2)."""
    z = 0 * q[k]
    W[c + S_] = cos(q[k + 1])
    W[c + S_ + 1] = z
    W[c + S_ + 2] = sin(q[k + 1])
    W[c + S_ + 3] = z
    W[c + S_ + 4] = z
    W[c + S_ + 5] = z


def universal_bias(q, k, W, c):
    """d S1/dt w1 = w1 w2 (-sin q2, 0, cos q2)."""
    z = 0 * q[k]
    w = rate(W, c, 0) * rate(W, c, 1)
    return (-w * sin(q[k + 1]), z, w * cos(q[k + 1])), (z, z, z)
