"""Where every number lives, as kernels see it: the constants and places that follow from `schema`, and the few places that
need more than one table."""

from kaneflex.kernels.block_offsets import *
from kaneflex.kernels.offsets import *


def is_zero(mask, n):
    """1 when bit n is set: that matrix is zero."""
    return (mask >> n) & 1


def is_stored(I, i):
    """1 when sweeps pass over body i, see `plan.stored_rods`."""
    return 1 if I[STORED] <= i and i < I[STORED_END] else 0


def flexible_row(I, i):
    """Place in I of the flexible body that is body i."""
    return I[I_FLEXIBLE] + I[body_row(i) + FLEXIBLE] * FLEXIBLE_INTS


def node_row(I, i):
    """Place in I of the node that is body i."""
    return I[I_NODE] + I[body_row(i) + FLEXIBLE] * NODE_INTS


def modal_work(I, i, vector):
    """Place in W of a vector (COUPLING, ...) of the flexible body i."""
    return I[flexible_row(I, i) + FLEXIBLE_W] + MODAL + vector * I[body_row(i) + MODES]


def shape_par(I, i):
    """Place in P of the shape (RATES) or the constant integrals of the flexible body i."""
    return I[flexible_row(I, i) + FLEXIBLE_SHAPE]


def node_work(I, i):
    """Place in W of the scalars (NODE_THETA, ...) of the node that is body i."""
    return I[node_row(I, i) + NODE_W] + node_theta_work(I[body_row(I[body_row(i) + PARENT]) + MODES])


def section_par(I, i, j):
    """Place in P of section j of the strain rod i: its mass, and the given strain of the step that leads to it; j > 0."""
    return shape_par(I, i) + rod_steps_par() + (j - 1) * STEP_WIDTH


def rod_step_par(I, i, j):
    """Place in P of the polynomials of the strain rod i in the step after section j: b_k of a1, a2 and a3."""
    return shape_par(I, i) + rod_B_par(I[flexible_row(I, i) + FLEXIBLE_SECTIONS]) + 3 * j * I[body_row(i) + MODES]


def section_work(I, i, j):
    """Place in W of section j of the strain rod i."""
    return I[flexible_row(I, i) + FLEXIBLE_ROD] + j * SECTION_WIDTH


def section_columns_work(I, i, j):
    """Place in W of the partial velocities of section j of the strain rod i, angular first."""
    f = flexible_row(I, i)
    return I[f + FLEXIBLE_ROD] + rod_columns_work(I[f + FLEXIBLE_SECTIONS] + 1) + 6 * j * I[body_row(i) + MODES]


def rate(W, c, m):
    """w of the m-th speed after the one at c."""
    return W[c + m * COLUMN_WIDTH + RATE]


def path_work(I, j):
    """Place in W of path entry j."""
    return I[path_row(I, j) + PATH_AT]


def wrench_work(I, e, n, a):
    """Place in W of the wrench (torque, force; in body axes, about M) of constraint e's n-th equation, a-th attachment."""
    b = constraint_row(I, e)
    return I[W_WRENCH] + I[b + CONSTRAINT_WRENCH] + WRENCH_WIDTH * (n * I[b + ATTACHMENTS] + a)


def partial_work(I, i, r):
    """Place in W of the partial velocities (angular, linear) of body i for speed r."""
    return I[W_PARTIAL] + PARTIAL_WIDTH * (i * I[SPEEDS] + r)
