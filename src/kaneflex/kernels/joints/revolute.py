"""Revolute joint: M turns in F about the common z axis by q, right-handed; at q = 0 they coincide. w = q-dot.

The commonest joint: `kinematics.move`, `recursive.eliminate` and `recursive.back_substitute` have branches of their own
for it, which know that its column is the unit one about z and that its bias is zero, and would not call a function of it.
"""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.ops import cos, sin

REVOLUTE = 1
FACTS = JointFacts(REVOLUTE, 1, (2,), (True,), ("angle",), (0.0,))


def revolute_pose(q, k, P, g):
    """E = Rz(q)^T, p = 0."""
    c, s, z = cos(q[k]), sin(q[k]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (z, z, z)
