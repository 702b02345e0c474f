"""What tension makes of rotations: the geometric stiffness of a body, on its own rotation alone.

Forces P that act on a body at r, fixed in space, have the torque r x P about its origin. When the body turns by theta, it
changes by

    (theta x r) x P = (r P^T - (r . P) 1) theta ,                                                                    (1)

and what the lever arms of all bodies further in change by is in the P of their own. So the power of all forces in a tree
has, in rotations of the bodies, a tangent with one block a body: G = sum ((r . P) 1 - r P^T), in which P at a joint is what
all bodies beyond it pull with. Of P only the part along r is taken, and what pushes takes its share off what pulls:

    G = s sum+ (r . P) (1 - r r^T / r^2) ,    s = max(0, sum r . P) / sum+ (r . P) ,                                 (2)

sum+ being over forces that pull, r . P > 0. In a plane that is (1) itself; in space the part across r, which is not
symmetric, is left out. A body that is pushed has no G: what pushes is not stiff. G is positive, and so is an inertia of
rotation to which a multiple of it is added. Bodies that no free speed turns against each other turn as one and have one G:
of a line in its reel the pull of a long part inside is that of nothing, since the exit is pushed back by as much.
Inertia forces and applied ones act at the mass centre here, wherever they do, and those of constraints at r of

    sum (f^2 1 - f f^T) r = sum f x n ,                                                                              (3)

over the equations of a constraint, n = r x f being the torque of a unit multiplier: where three of them hold a point. Loops
can be stressed in themselves, some bodies pulled as others are pushed, and turn as if they were not: where the sum of all
r . P that push is more than half of that of those that pull, there is no G. On numbers only.
Ref: Banerjee, Flexible Multibody Dynamics, chapter 10, for chains of rods; (1) is the static part of their tangent.
"""

from kaneflex.formulations.evaluate import joint_load_of
from kaneflex.kernels.algebra import (
    accumulate3,
    accumulate6,
    add,
    cross,
    dot,
    load3,
    load6,
    load33,
    mul,
    scale,
    store3,
    sub,
    sym_congruence,
    sym_rank_one,
    tmul,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.ops import offset

TENSION_WIDTH = 13  # numbers of a body: G, the force that its children take, that in its joint, the sum of all r . P
TENSION_G = 6
TENSION_JOINT = 9
TENSION_SUM = 12
TENSION_INERTIA = 21  # numbers of a body's inertia, from J_ on: J, H = h~, M
TENSION_H = 6
TENSION_M = 15


def joint_pulls(I, W, G):
    """Forces in all joints, after `solve`, and what constraints do."""
    for k in range(TENSION_WIDTH * I[BODIES]):
        G[k] = 0.0
    pull_attachments(I, W, G)
    for i in range(1, I[BODIES]):
        store3(G, TENSION_WIDTH * i + TENSION_JOINT, joint_load_of(I, W, i)[1])


def tension_stiffness(I, W, own, G):
    """G of every body in its own axes, Eq. (2), after `joint_pulls`; `own` holds the inertias of the bodies alone."""
    for i in range(I[BODIES] - 1, 0, -1):
        w, parent = body_work(i), I[body_row(i) + PARENT]
        f = load3(G, TENSION_WIDTH * i + TENSION_JOINT)
        m, h = own[TENSION_INERTIA * i + TENSION_M], offset(own, TENSION_INERTIA * i + TENSION_H)
        if m > 0.0:  # at the mass centre acts what is left of the forces at the joints
            c = (h[7] / m, h[2] / m, h[3] / m)
            add_pull(c, sub(load3(G, TENSION_WIDTH * i + TENSION_G), f), G, i)
        if parent > 0:
            f = tmul(load33(W, w + R_MP), f)
            accumulate3(G, TENSION_WIDTH * parent + TENSION_G, f)
            add_pull(load3(W, w + P_PM), scale(-1.0, f), G, parent)
        if parent > 0 and turns_with_parent(I, i) == 1:
            hand_over(W, w, G, i, parent)
        else:
            weigh_pulls(G, i)
    if I[CLUSTERS] > 0 and 2.0 * G[1] > G[0]:
        for k in range(TENSION_WIDTH * I[BODIES]):
            G[k] = 0.0


def turns_with_parent(I, i):
    """1 where no free speed of body i's joint turns it: a slide, or one that is locked or prescribed."""
    b = body_row(i)
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        axis = I[column_row(I, k) + AXIS]
        if I[column_row(I, k) + PRESCRIBED] == 0 and (axis < 3 or axis > 5):
            return 0
    return 1 if I[b + JOINT] != NODE_JOINT else 0


def hand_over(W, w, G, i, parent):
    """What pulls at body i, row w, counts for its parent, in whose axes it is then."""
    at, to = TENSION_WIDTH * i, TENSION_WIDTH * parent
    accumulate6(G, to, sym_congruence(load33(W, w + R_MP), load6(G, at)))
    G[to + TENSION_SUM] += G[at + TENSION_SUM]
    for k in range(at, at + TENSION_G):
        G[k] = 0.0


def weigh_pulls(G, i):
    """The factor s of (2): the trace of what pulls is twice its sum."""
    at = TENSION_WIDTH * i
    pulls = (G[at] + G[at + 3] + G[at + 5]) / 2.0
    for k in range(at, at + TENSION_G if pulls > 0.0 else at):
        G[k] = G[k] * max(0.0, G[at + TENSION_SUM]) / pulls


def pull_attachments(I, W, G):
    """What constraints pull with at the points that they hold, Eq. (3)."""
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        for a in range(I[b + ATTACHMENTS]):
            i = I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED]
            A, v, P = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            for n in range(I[b + CONSTRAINT_ROWS]):
                place = wrench_work(I, e, n, a)
                f = load3(W, place + 3)
                A = sym_rank_one(A, 1.0, f)
                v = add(v, cross(f, load3(W, place)))
                P = add(P, scale(W[equation_work(I, I[b + CONSTRAINT_ROW] + n) + MULTIPLIER], f))
            square = -A[0] - A[3] - A[5]
            A = (A[0] + square, A[1], A[2], A[3] + square, A[4], A[5] + square)
            x, y, z = (
                (A[3] * A[5] - A[4] * A[4], A[2] * A[4] - A[1] * A[5], A[1] * A[4] - A[2] * A[3]),
                (A[2] * A[4] - A[1] * A[5], A[0] * A[5] - A[2] * A[2], A[1] * A[2] - A[0] * A[4]),
                (A[1] * A[4] - A[2] * A[3], A[1] * A[2] - A[0] * A[4], A[0] * A[3] - A[1] * A[1]),
            )
            det = A[0] * x[0] + A[1] * x[1] + A[2] * x[2]
            if i > 0 and det > square * square * square / 1000000:
                add_pull(scale(1.0 / det, mul((x, y, z), v)), P, G, i)
                accumulate3(G, TENSION_WIDTH * i + TENSION_G, scale(-1.0, P))


def add_pull(r, P, G, i):
    """Add what the force P at r makes of G of body i; all that pulls and all that pushes is summed in row 0."""
    along_r, square, at = dot(r, P), dot(r, r), TENSION_WIDTH * i
    G[0] += max(0.0, along_r)
    G[1] += max(0.0, -along_r)
    G[at + TENSION_SUM] += along_r
    if along_r > 0.0 and square > 0.0:
        x = along_r / square
        G[at] += x * (square - r[0] * r[0])
        G[at + 1] -= x * r[0] * r[1]
        G[at + 2] -= x * r[0] * r[2]
        G[at + 3] += x * (square - r[1] * r[1])
        G[at + 4] -= x * r[1] * r[2]
        G[at + 5] += x * (square - r[2] * r[2])
