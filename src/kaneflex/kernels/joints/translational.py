"""Translational joint: M keeps the orientation of F; q = (x, y, z) of its origin in F, w = q-dot."""

from kaneflex.kernels.joints.contract import JointFacts

TRANSLATIONAL = 9
FACTS = JointFacts(TRANSLATIONAL, 3, (3, 4, 5), (False, False, False), ("x", "y", "z"), (0.0, 0.0, 0.0))


def translational_pose(q, k, P, g):
    """E = 1, p = q."""
    z = 0 * q[k]
    return ((z + 1, z, z), (z, z + 1, z), (z, z, z + 1)), (q[k], q[k + 1], q[k + 2])
