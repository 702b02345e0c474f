"""Spherical (ball) joint: q is the unit quaternion of M in F, scalar part first; w is the angular velocity of M in F
in axes of M. At q = (1, 0, 0, 0) the frames coincide."""

from kaneflex.kernels.algebra import quaternion_matrix, transpose
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *

SPHERICAL = 6
FACTS = JointFacts(
    SPHERICAL, 4, (0, 1, 2), (True, True, True), ("e0", "e1", "e2", "e3"), (1.0, 0.0, 0.0, 0.0), scalar_rates=False
)


def spherical_pose(q, k, P, g):
    """E = R(q)^T, p = 0."""
    z = 0 * q[k]
    return transpose(quaternion_matrix(q[k], q[k + 1], q[k + 2], q[k + 3])), (z, z, z)


def quaternion_rates(q, k, w1, w2, w3, qdot):
    """e-dot = 1/2 e (0, w): linear in e, so that |e| is constant."""
    e0, e1, e2, e3 = q[k], q[k + 1], q[k + 2], q[k + 3]
    qdot[k] = (-e1 * w1 - e2 * w2 - e3 * w3) / 2
    qdot[k + 1] = (e0 * w1 + e2 * w3 - e3 * w2) / 2
    qdot[k + 2] = (e0 * w2 + e3 * w1 - e1 * w3) / 2
    qdot[k + 3] = (e0 * w3 + e1 * w2 - e2 * w1) / 2


def spherical_rates(q, k, W, c, qdot):
    """The quaternion's rate for the angular velocity w."""
    quaternion_rates(q, k, rate(W, c, 0), rate(W, c, 1), rate(W, c, 2), qdot)
