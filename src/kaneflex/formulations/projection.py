"""Back onto the constraints: the smallest change of coordinates and speeds, in the sense of kinetic energy.

A correction delta of the speeds that satisfies J delta = -defect with least (1/2) delta . M delta is what an unloaded
system at rest would answer to: M delta = J^T lambda. So it comes from the same elimination as accelerations do, with no
loads, no velocities, and the defect in place of gamma. Coordinates are corrected by Newton's method with such steps,
speeds by one step; an impulse is answered in the same way. Coordinates that follow a motion are set to it.

These kernels compare magnitudes, so they run on floats only.
"""

from kaneflex.formulations.dense import dense_udot
from kaneflex.formulations.evaluate import move_and_load, normalise
from kaneflex.formulations.recursive import recursive_udot
from kaneflex.kernels.algebra import store3
from kaneflex.kernels.constraints.dispatch import constraint_equations, equation_speeds
from kaneflex.kernels.forces.dispatch import JOINT_DRIVE
from kaneflex.kernels.kinematics import coordinate_rates, place, velocities
from kaneflex.kernels.layout import (
    A_,
    BIAS_A,
    BIAS_L,
    BODIES,
    CONSTRAINT_PAR,
    CONSTRAINTS,
    COORDINATES,
    DENSE,
    F_,
    FORCE_COLUMN,
    FORCE_COORDINATE,
    FORCE_KIND,
    FORCE_SIGNAL,
    FORCES,
    FORMULATION,
    GAMMA,
    GIVEN,
    LAWS,
    MOTIONS,
    N_,
    ROW_CONSTRAINT,
    ROW_HOLONOMIC,
    ROWS,
    SPEED_,
    SPEEDS,
    TAU,
    VALUE_,
    W_SIGNAL,
    W_ZERO,
    body_work,
    column_work,
    constraint_par,
    equation_row,
    equation_work,
    force_row,
)
from kaneflex.kernels.ops import offset, pointer
from kaneflex.kernels.sensors import evaluate_laws


def settle_rest(I, P, W, t, q):
    """The system at q, at rest and unloaded, with the equations of its constraints."""
    move_and_load(I, P, W, q, offset(W, I[W_ZERO]))
    store3(W, body_work(0 * I[SPEEDS]) + A_, (0.0, 0.0, 0.0))
    place(I, W)
    if I[LAWS] > 0:
        evaluate_laws(I, P, W, t, q)
    for k in range(I[SPEEDS]):
        W[column_work(I, k) + TAU] = 0.0
        W[column_work(I, k) + GIVEN] = 0.0
    constraint_equations(I, P, W, q)


def respond(I, P, W, change):
    """Change of the speeds that satisfies the equations' GAMMA, after `settle_rest`, with the loads that are there."""
    if I[FORMULATION] == DENSE:
        dense_udot(I, P, W, change)
    else:
        recursive_udot(I, P, W, change)


def follow_motions(I, P, W, t, y):
    """Coordinates and rates that are functions of time take their values."""
    u = offset(y, I[COORDINATES])
    velocities(I, P, W, y, u)
    place(I, W)
    evaluate_laws(I, P, W, t, y)
    for m in range(I[FORCES]):
        b = force_row(I, m)
        if I[b + FORCE_KIND] == JOINT_DRIVE and I[b + FORCE_COORDINATE] >= 0:
            x = I[W_SIGNAL] + I[b + FORCE_SIGNAL]
            y[I[b + FORCE_COORDINATE]] = W[x + 1]
            u[I[b + FORCE_COLUMN]] = W[x + 2]


def worst_value(I, P, W):
    """Largest defect of the coordinates, as a multiple of what rounding explains."""
    worst = 0.0
    for r in range(I[ROWS]):
        b = equation_row(I, r)
        if I[b + ROW_HOLONOMIC] == 1:
            allowed = P[constraint_par(I, I[b + ROW_CONSTRAINT]) + CONSTRAINT_PAR + 3]
            worst = max(worst, abs(W[equation_work(I, r) + VALUE_]) / allowed)
    return worst


def step_coordinates(I, P, W, q, limit):
    """One Newton step of the coordinates, of at most `limit` in any rate; after `settle_rest`."""
    n = I[SPEEDS]
    change = offset(W, I[W_ZERO] + n)
    rates = offset(W, I[W_ZERO] + 2 * n)
    for r in range(I[ROWS]):
        k = equation_work(I, r)
        W[k + GAMMA] = I[equation_row(I, r) + ROW_HOLONOMIC] * W[k + VALUE_]
    respond(I, P, W, change)
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(change[k]))
    if largest > limit:
        for k in range(n):
            change[k] = change[k] * (limit / largest)
    velocities(I, P, W, q, change)
    coordinate_rates(I, W, q, rates)
    for k in range(I[COORDINATES]):
        q[k] += rates[k]
    normalise(I, q)


def correct_speeds(I, P, W, y):
    """Speeds that satisfy the equations, at coordinates that do; after `settle_rest` there."""
    u = offset(y, I[COORDINATES])
    change = offset(W, I[W_ZERO] + I[SPEEDS])
    velocities(I, P, W, y, u)
    equation_speeds(I, W)
    for i in range(I[BODIES]):  # at rest again
        store3(W, body_work(i) + BIAS_A, (0.0, 0.0, 0.0))
        store3(W, body_work(i) + BIAS_L, (0.0, 0.0, 0.0))
    store3(W, body_work(0 * I[SPEEDS]) + A_, (0.0, 0.0, 0.0))
    for r in range(I[ROWS]):
        k = equation_work(I, r)
        W[k + GAMMA] = W[k + SPEED_]
    respond(I, P, W, change)
    for k in range(I[SPEEDS]):
        u[k] += change[k]


def project(I, P, W, t, y, sweeps, limit):
    """Project y = (q, u, ...) onto motions and constraints; returns the Newton steps taken, -1 without convergence."""
    if I[MOTIONS] > 0:
        follow_motions(I, P, W, t, y)
    taken = 0
    if I[CONSTRAINTS] > 0:
        settle_rest(I, P, W, t, y)
        while taken < sweeps and worst_value(I, P, W) > 1.0:
            step_coordinates(I, P, W, y, limit)
            settle_rest(I, P, W, t, y)
            taken += 1
        if not worst_value(I, P, W) <= 1.0:
            taken = -1
        correct_speeds(I, P, W, y)
    return taken


def call_project(I, P, W, t, y, sweeps, limit):
    """`project` on whole arrays."""
    return project(pointer(I), pointer(P), pointer(W), t, pointer(y), sweeps, limit)


def call_equations(I, P, W, t, q, u, out):
    """Values and speeds of all equations, two numbers each."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    velocities(i, p, w, pointer(q), pointer(u))
    place(i, w)
    evaluate_laws(i, p, w, t, pointer(q))
    constraint_equations(i, p, w, pointer(q))
    equation_speeds(i, w)
    for r in range(i[ROWS]):
        out[r, 0] = w[equation_work(i, r) + VALUE_]
        out[r, 1] = w[equation_work(i, r) + SPEED_]


def call_respond(I, P, W, t, q, impulses, given, defects, change):
    """Jump of the speeds: impulses (torque, force in body axes about M) on bodies, jumps `given` to prescribed speeds,
    and `defects` of the equations' speeds that are to vanish. Multipliers are left in W."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    settle_rest(i, p, w, t, pointer(q))
    for k in range(i[SPEEDS]):
        w[column_work(i, k) + GIVEN] = given[k]
    for b in range(impulses.shape[0]):
        for k in range(3):
            w[body_work(b) + N_ + k] -= impulses[b, k]
            w[body_work(b) + F_ + k] -= impulses[b, 3 + k]
    for r in range(i[ROWS]):
        w[equation_work(i, r) + GAMMA] = defects[r]
    respond(i, p, w, pointer(change))


def call_follow(I, P, W, t, y):
    """`follow_motions` on whole arrays."""
    follow_motions(pointer(I), pointer(P), pointer(W), t, pointer(y))
