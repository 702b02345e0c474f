"""Fixed joint: M coincides with F. No coordinates, no speeds."""

from kaneflex.kernels.joints.contract import JointFacts

FIXED = 0
FACTS = JointFacts(FIXED, 0, (), (), (), ())


def fixed_pose(z):
    """E = 1, p = 0; z is a zero of the run's scalar type, there being no coordinate to make one from."""
    return ((z + 1, z, z), (z, z + 1, z), (z, z, z + 1)), (z, z, z)
