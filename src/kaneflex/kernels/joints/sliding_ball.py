"""Ball that slides: the origin of M slides along x of F by q1, and M turns about it like a ball. q = (slide; unit quaternion
of M in F, scalar part first); w = (rate of the slide, angular velocity of M in F in axes of M). At q = (0, 1, 0, 0, 0) the
frames coincide."""

from kaneflex.kernels.algebra import quaternion_matrix, transpose
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.joints.spherical import quaternion_rates
from kaneflex.kernels.layout import *

SLIDING_BALL = 12
FACTS = JointFacts(
    SLIDING_BALL,
    5,
    (GENERAL, 0, 1, 2),
    (False, True, True, True),
    ("slide", "e0", "e1", "e2", "e3"),
    (0.0, 1.0, 0.0, 0.0, 0.0),
    scalar_rates=False,
    at_neutral=(3, 0, 1, 2),
)


def sliding_ball_pose(q, k, P, g):
    """E = R(q2..q5)^T, p = q1 x."""
    z = 0 * q[k]
    return transpose(quaternion_matrix(q[k + 1], q[k + 2], q[k + 3], q[k + 4])), (q[k], z, z)


def sliding_ball_columns(q, k, P, g, W, c):
    """S1 = x of F, a slide, in axes of M: the first row of R. It is fixed in F and brings no bias."""
    z = 0 * q[k]
    R = quaternion_matrix(q[k + 1], q[k + 2], q[k + 3], q[k + 4])
    for m in range(3):
        W[c + S_ + m] = z
    W[c + S_ + 3] = R[0][0]
    W[c + S_ + 4] = R[0][1]
    W[c + S_ + 5] = R[0][2]


def sliding_ball_rates(q, k, W, c, qdot):
    """The slide's rate, and the quaternion's for the angular velocity."""
    qdot[k] = rate(W, c, 0)
    quaternion_rates(q, k + 1, rate(W, c, 1), rate(W, c, 2), rate(W, c, 3), qdot)
