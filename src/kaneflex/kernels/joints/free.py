"""Free joint: q = (x, y, z of M's origin in F; unit quaternion of M in F, scalar part first); w = (velocity of the
origin, angular velocity) of M in F, both in axes of M. At q = (0, 0, 0, 1, 0, 0, 0) the frames coincide."""

from kaneflex.kernels.algebra import cross, mul, quaternion_matrix, store3, transpose
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.joints.spherical import quaternion_rates
from kaneflex.kernels.layout import *

FREE = 7
FACTS = JointFacts(
    FREE,
    7,
    (3, 4, 5, 0, 1, 2),
    (False, False, False, True, True, True),
    ("x", "y", "z", "e0", "e1", "e2", "e3"),
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    scalar_rates=False,
)


def free_pose(q, k, P, g):
    """E = R(q4..q7)^T, p = (q1, q2, q3)."""
    return transpose(quaternion_matrix(q[k + 3], q[k + 4], q[k + 5], q[k + 6])), (q[k], q[k + 1], q[k + 2])


def free_bias(q, k, W, c):
    """The velocity's components turn with M: omega x v."""
    z = 0 * q[k]
    omega = (rate(W, c, 3), rate(W, c, 4), rate(W, c, 5))
    return (z, z, z), cross(omega, (rate(W, c, 0), rate(W, c, 1), rate(W, c, 2)))


def free_rates(q, k, W, c, qdot):
    """p-dot = R v; the quaternion's rate for omega."""
    R = quaternion_matrix(q[k + 3], q[k + 4], q[k + 5], q[k + 6])
    store3(qdot, k, mul(R, (rate(W, c, 0), rate(W, c, 1), rate(W, c, 2))))
    quaternion_rates(q, k + 3, rate(W, c, 3), rate(W, c, 4), rate(W, c, 5), qdot)
