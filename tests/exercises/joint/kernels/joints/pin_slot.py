"""Pin in a slot: the origin of M slides along x of F by q1, and M turns about the common z by q2, right-handed; w = q-dot.
At q = 0 the frames coincide."""

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import GENERAL, S_
from kaneflex.kernels.ops import cos, sin

PIN_SLOT = 40
FACTS = JointFacts(PIN_SLOT, 2, (GENERAL, 2), (False, True), ("slide", "angle"), (0.0, 0.0), at_neutral=(3, 2))


def pin_slot_pose(q, k):
    """E = Rz(q2)^T, p = q1 x."""
    c, s, z = cos(q[k + 1]), sin(q[k + 1]), 0 * q[k]
    return ((c, s, z), (-s, c, z), (z, z, z + 1)), (q[k], z, z)


def pin_slot_columns(q, k, W, c):
    """S1 = x of F, a slide in axes of M; fixed in F, so that it brings no bias."""
    for m in range(6):
        W[c + S_ + m] = 0 * q[k]
    W[c + S_ + 3] = cos(q[k + 1])
    W[c + S_ + 4] = -sin(q[k + 1])
