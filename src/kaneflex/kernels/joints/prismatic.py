"""Prismatic joint: M slides in F along the common z axis by q; at q = 0 they coincide. w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts

PRISMATIC = 2
FACTS = JointFacts(PRISMATIC, 1, (5,), (False,), ("slide",), (0.0,))


def prismatic_pose(q, k, P, g):
    """E = 1, p = q z."""
    z = 0 * q[k]
    return ((z + 1, z, z), (z, z + 1, z), (z, z, z + 1)), (z, z, q[k])
