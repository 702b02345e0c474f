"""From a joint's integer code to its functions, for every file of the folder: see `kinds`."""
# ruff: noqa: F841 (functions of joints take what they name)

from kaneflex.kernels.algebra import accumulate3, add, load3, load33, matmul, mul, store3, store33, transpose
from kaneflex.kernels.kinds import EACH, Chains, each
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT, node_bias, node_pose


def compose_pose(P, W, i, pose):
    """E = R_MF R_FP and r = p_PF + R_PF p_FM of body i from the pose (R_MF, p_FM) of its joint."""
    w, g = body_work(i), body_par(i)
    R = load33(P, g + R_PF)
    store33(W, w + R_MP, matmul(pose[0], transpose(R)))
    store3(W, w + P_PM, add(load3(P, g + P_PF), mul(R, pose[1])))


def joint_pose(I, P, W, i, q):
    """E and r of body i, from its joint's pose; columns that change with q are written to the workspace on the way.

    Each branch composes its own pose with the joint's place on the parent, so that the compiler sees its zeros.
    """
    b, g, z = body_row(i), body_par(i), 0 * W[OMEGA]
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == EACH:
        each("columns")
        compose_pose(P, W, i, each("pose"))
    else:  # NODE_JOINT; planning lets no others through, and to compare once more takes a hundredth of the time of u-dot
        node_pose(I, P, W, i)


def joint_bias(I, P, W, i, q):
    """Add to the bias of body i the accelerations of M in F without the rates of w."""
    b = body_row(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == NODE_JOINT:
        node_bias(I, W, i)
    elif code == EACH:
        add_bias(W, i, each("bias"))


def add_bias(W, i, bias):
    """Add an angular acceleration and an acceleration to the bias of body i."""
    w = body_work(i)
    accumulate3(W, w + BIAS_A, bias[0])
    accumulate3(W, w + BIAS_L, bias[1])


def joint_rates(I, W, i, q, qdot):
    """q-dot = W(q) w of body i's joint."""
    b = body_row(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == EACH:
        each("rates")
    else:
        for m in range(I[b + NU]):
            qdot[k + m] = rate(W, c, m)


CHAINS = Chains(__name__)
