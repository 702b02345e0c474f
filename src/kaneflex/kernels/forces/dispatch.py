"""Applied loads, one by one. Adding a kind means a function in a file here and one line in the chain."""

from kaneflex.kernels.bodies.dispatch import body_force
from kaneflex.kernels.forces.central import central_force
from kaneflex.kernels.forces.friction import sliding_friction
from kaneflex.kernels.forces.joint import ball_spring, joint_drive, joint_load, joint_spring, joint_stop
from kaneflex.kernels.forces.line import line_force
from kaneflex.kernels.forces.point import point_force, point_torque
from kaneflex.kernels.layout import *

POINT_FORCE = 0
POINT_TORQUE = 1
LINE = 2
CENTRAL = 3
JOINT_SPRING = 4
JOINT_STOP = 5
JOINT_LOAD = 6
BALL_SPRING = 7
JOINT_DRIVE = 8
BODY_FORCE = 9  # internal forces of a body, by its kind
FRICTION = 10  # of a point that slides: it depends on the normal force, which is found with the accelerations


def unit_frictions(I, P, W, t):
    """Friction of all points that slide, under unit normal forces, at time t."""
    for n in range(I[FRICTIONS]):
        sliding_friction(I, P, W, n, t)


def apply_forces(I, P, W, q):
    """Generalized active forces: joint loads into TAU, everything else into the bodies' force and torque; but not friction,
    see `unit_frictions`."""
    z = 0 * W[OMEGA]
    for k in range(I[SPEEDS]):
        W[column_work(I, k) + TAU] = z + W[I[W_TAU] + k]
    for m in range(I[FORCES]):
        kind = I[force_row(I, m) + FORCE_KIND]
        if kind == POINT_FORCE:
            point_force(I, P, W, m, z)
        elif kind == POINT_TORQUE:
            point_torque(I, P, W, m, z)
        elif kind == LINE:
            line_force(I, P, W, m, z)
        elif kind == CENTRAL:
            central_force(I, P, W, m, z)
        elif kind == JOINT_SPRING:
            joint_spring(I, P, W, m, q, z)
        elif kind == JOINT_STOP:
            joint_stop(I, P, W, m, q, z)
        elif kind == JOINT_LOAD:
            joint_load(I, P, W, m, z)
        elif kind == BALL_SPRING:
            ball_spring(I, P, W, m, q, z)
        elif kind == BODY_FORCE:
            body_force(I, P, W, m, q)
        elif kind == JOINT_DRIVE:
            joint_drive(I, P, W, m, z)
