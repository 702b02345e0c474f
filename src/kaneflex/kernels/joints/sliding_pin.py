"""Pin that slides: the origin of M slides along x of F by q1, and M turns about the common z by q2. w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

SLIDING_PIN = 13
FACTS = JointFacts(SLIDING_PIN, 2, (GENERAL, 2), (False, True), ("slide", "angle"), (0.0, 0.0), at_neutral=(3, 2))


def sliding_pin_pose(q, k, P, g):
    """E = Rz(q2)^T, p = q1 x."""
    c, s, z = cos(q[k + 1]), sin(q[k + 1]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (q[k], z, z)


def sliding_pin_columns(q, k, P, g, W, c):
    """S1 = x of F, a slide, in axes of M = (cos q2, -sin q2, 0). It is fixed in F and brings no bias."""
    z = 0 * q[k]
    for m in range(6):
        W[c + S_ + m] = z
    W[c + S_ + 3] = cos(q[k + 1])
    W[c + S_ + 4] = -sin(q[k + 1])
