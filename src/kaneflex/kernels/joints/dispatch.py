"""From a joint's integer code to its functions. Adding a joint type means one file and one line in each chain here."""

from kaneflex.kernels.algebra import accumulate3, add, load3, load33, matmul, mul, store3, store33, transpose
from kaneflex.kernels.joints.custom import CUSTOM_JOINT, custom_bias, custom_pose
from kaneflex.kernels.joints.cylindrical import CYLINDRICAL, cylindrical_pose
from kaneflex.kernels.joints.fixed import FIXED, fixed_pose
from kaneflex.kernels.joints.free import FREE, free_bias, free_pose, free_rates
from kaneflex.kernels.joints.planar import PLANAR, planar_columns, planar_pose
from kaneflex.kernels.joints.prismatic import PRISMATIC, prismatic_pose
from kaneflex.kernels.joints.revolute import REVOLUTE, revolute_pose
from kaneflex.kernels.joints.screw import SCREW, screw_columns, screw_pose
from kaneflex.kernels.joints.spherical import SPHERICAL, spherical_pose, spherical_rates
from kaneflex.kernels.joints.translational import TRANSLATIONAL, translational_pose
from kaneflex.kernels.joints.universal import UNIVERSAL, universal_bias, universal_columns, universal_pose
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
    b, g = body_row(i), body_par(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == REVOLUTE:
        compose_pose(P, W, i, revolute_pose(q, k, P, g))
    elif code == PRISMATIC:
        compose_pose(P, W, i, prismatic_pose(q, k, P, g))
    elif code == CYLINDRICAL:
        compose_pose(P, W, i, cylindrical_pose(q, k, P, g))
    elif code == SCREW:
        screw_columns(q, k, P, g, W, c)
        compose_pose(P, W, i, screw_pose(q, k, P, g))
    elif code == UNIVERSAL:
        universal_columns(q, k, P, g, W, c)
        compose_pose(P, W, i, universal_pose(q, k, P, g))
    elif code == SPHERICAL:
        compose_pose(P, W, i, spherical_pose(q, k, P, g))
    elif code == FREE:
        compose_pose(P, W, i, free_pose(q, k, P, g))
    elif code == PLANAR:
        planar_columns(q, k, P, g, W, c)
        compose_pose(P, W, i, planar_pose(q, k, P, g))
    elif code == TRANSLATIONAL:
        compose_pose(P, W, i, translational_pose(q, k, P, g))
    elif code == FIXED:
        compose_pose(P, W, i, fixed_pose(0 * W[OMEGA]))
    elif code == NODE_JOINT:
        node_pose(I, P, W, i, q)
    else:
        compose_pose(P, W, i, custom_pose(I, W, i, q))


def joint_bias(I, P, W, i, q):
    """Add to the bias of body i the accelerations of M in F without the rates of w."""
    b = body_row(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == UNIVERSAL:
        add_bias(W, i, universal_bias(q, k, W, c))
    elif code == FREE:
        add_bias(W, i, free_bias(q, k, W, c))
    elif code == CUSTOM_JOINT:
        add_bias(W, i, custom_bias(I, W, i))
    elif code == NODE_JOINT:
        node_bias(I, P, W, i)


def add_bias(W, i, bias):
    """Add an angular acceleration and an acceleration to the bias of body i."""
    w = body_work(i)
    accumulate3(W, w + BIAS_A, bias[0])
    accumulate3(W, w + BIAS_L, bias[1])


def joint_rates(I, W, i, q, qdot):
    """q-dot = W(q) w of body i's joint."""
    b = body_row(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == SPHERICAL:
        spherical_rates(q, k, W, c, qdot)
    elif code == FREE:
        free_rates(q, k, W, c, qdot)
    else:
        for m in range(I[b + NU]):
            qdot[k + m] = rate(W, c, m)
