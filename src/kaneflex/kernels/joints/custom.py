"""Custom joint: the user gives the pose of M in F as a function of q; w = q-dot.

The model differentiates that pose once, in symbols, and hands two functions to the kernels: from q, the pose and the
columns; from (q, w), the bias. They are called by address, so that a new joint needs no new compilation of the kernels.
The pose is written out as E by rows (9), p (3), and column after column (6 each); the bias as angular, then linear.
"""

from kaneflex.kernels.algebra import load3, load33
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import call_law

CUSTOM_JOINT = 10
CUSTOM_POSE = 12  # entries before the columns
FACTS = JointFacts(CUSTOM_JOINT, 0, (), (), (), ())  # coordinates and columns are those that the user gives


def custom_pose(I, W, i, q):
    """Pose from the user's function; writes the columns on the way."""
    b = body_row(i)
    law, c = law_row(I, I[b + CUSTOM]), column_work(I, I[b + U0])
    x, out = I[W_LAW_INPUT] + I[law + LAW_X], I[W_LAW_OUTPUT] + I[law + LAW_OUT]
    for m in range(I[b + NQ]):
        W[x + m] = q[I[b + Q0] + m]
    call_law(I[law + LAW_ADDRESS], 0.0, W, x, W, out)
    for m in range(I[b + NU]):
        for n in range(6):
            W[c + m * COLUMN_WIDTH + S_ + n] = W[out + CUSTOM_POSE + 6 * m + n]
    return load33(W, out), load3(W, out + 9)


def custom_bias(I, W, i):
    """Bias from the user's function of (q, w); q was left in place by `custom_pose`."""
    b = body_row(i)
    pose, c = law_row(I, I[b + CUSTOM]), column_work(I, I[b + U0])
    law = pose + LAW_INTS
    x, out = I[W_LAW_INPUT] + I[pose + LAW_X], I[W_LAW_OUTPUT] + I[law + LAW_OUT]
    for m in range(I[b + NU]):
        W[x + I[b + NQ] + m] = rate(W, c, m)
    call_law(I[law + LAW_ADDRESS], 0.0, W, x, W, out)
    return load3(W, out), load3(W, out + 3)
