"""Cylindrical joint: M turns about and slides along the common z axis. q = (angle, slide), w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.ops import cos, sin

CYLINDRICAL = 3
FACTS = JointFacts(CYLINDRICAL, 2, (2, 5), (True, False), ("angle", "slide"), (0.0, 0.0))


def cylindrical_pose(q, k, P, g):
    """E = Rz(q1)^T, p = q2 z."""
    c, s, z = cos(q[k]), sin(q[k]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (z, z, q[k + 1])
