"""A system at rest: what its joints must hold, and the loads on bodies that are put where one wants."""

from kaneflex.formulations.evaluate import inverse, prepare
from kaneflex.formulations.loop_elimination import add_constraint_wrenches
from kaneflex.kernels.algebra import store3
from kaneflex.kernels.constraints.dispatch import constraint_equations
from kaneflex.kernels.forces.dispatch import apply_forces
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import pointer


def call_hold(I, P, W, t, q, rest, multipliers, tau):
    """Joint forces that hold the system at q beside its loads and given multipliers; `rest` are zeros, one for each speed.
    What the joints carry is left in TORQUE and FORCE, what acts along them in TAU."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    prepare(i, p, w, t, pointer(q), pointer(rest))
    for r in range(i[ROWS]):
        w[equation_work(i, r) + MULTIPLIER] = multipliers[r]
    for n in range(i[FRICTIONS]):
        b = friction_row(i, n)
        w[equation_work(i, i[b + FRICTION_ROW]) + MULTIPLIER] = w[equation_work(i, i[b + FRICTION_NORMAL]) + MULTIPLIER]
    add_constraint_wrenches(i, w)
    inverse(i, p, w, pointer(rest), pointer(tau))


def call_load_in_place(I, P, W, t, q):
    """Loads and equations of constraints with the bodies where R_NM and P_NM say, wherever the joints would put them: TORQUE
    and FORCE are what is applied, but for the sign."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    z = 0 * W[OMEGA]
    for b in range(i[BODIES]):
        store3(w, body_work(b) + TORQUE, (z, z, z))
        store3(w, body_work(b) + FORCE, (z, z, z))
    apply_forces(i, p, w, t, pointer(q))
    if i[CONSTRAINTS] > 0:
        constraint_equations(i, p, w, pointer(q))
