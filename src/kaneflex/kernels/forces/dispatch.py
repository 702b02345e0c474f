"""Applied loads, one by one, for every file of the folder: see `kinds`."""

from kaneflex.kernels.bodies.dispatch import body_force
from kaneflex.kernels.forces.friction import sliding_friction
from kaneflex.kernels.kinds import EACH, Chains, each
from kaneflex.kernels.layout import *

BODY_FORCE = 9  # internal forces of a body, by its kind


def unit_frictions(I, P, W, t):
    """Friction of all points that slide, under unit normal forces, at time t."""
    for n in range(I[FRICTIONS]):
        sliding_friction(I, P, W, n, t)


def apply_forces(I, P, W, t, q):
    """Generalized active forces at the time t: joint loads into TAU, everything else into the bodies' force and torque; but
    not friction, see `unit_frictions`."""
    z = 0 * W[OMEGA]
    for k in range(I[SPEEDS]):
        W[column_work(I, k) + TAU] = z + W[I[W_TAU] + k]
    for m in range(I[FORCES]):
        if is_stored(I, I[force_row(I, m) + FORCE_BODY]) == 1:
            continue
        kind = I[force_row(I, m) + FORCE_KIND]
        if kind == BODY_FORCE:
            body_force(I, P, W, m, q)
        elif kind == EACH:
            each()


CHAINS = Chains(__name__)
