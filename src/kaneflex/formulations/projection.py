"""Back onto the constraints: the smallest change of coordinates and speeds, in the sense of kinetic energy.

A correction delta of the speeds that satisfies J delta = -defect with least (1/2) delta . M delta is what an unloaded
system at rest would answer to: M delta = J^T lambda. So it comes from the same elimination as accelerations do, with no
loads, no velocities, and the defect in place of gamma. Coordinates are corrected by Newton's method with such steps,
speeds by one step; an impulse is answered in the same way. Coordinates that follow a motion are set to it.

These kernels compare magnitudes, so they run on floats only.
"""

from kaneflex.formulations.evaluate import forward_pass, moving, normalise, placed, solve, user_values
from kaneflex.formulations.sliding_friction import unload_friction
from kaneflex.kernels.algebra import store3
from kaneflex.kernels.constraints.dispatch import constraint_equations, equation_speeds
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.kinematics import coordinate_rates
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset, pointer


def evaluate_unloaded(I, P, W, t, q):
    """The system at q, at rest and unloaded, with the equations of its constraints."""
    forward_pass(I, P, W, t, q, offset(W, I[W_ZERO]))
    store3(W, body_work(0 * I[SPEEDS]) + A_, (0.0, 0.0, 0.0))
    placed(I, P, W, t, q)
    for k in range(I[SPEEDS]):
        W[column_work(I, k) + TAU] = 0.0
        W[column_work(I, k) + PRESCRIBED_RATE] = 0.0
    if I[FRICTIONS] > 0:
        unload_friction(I, W)
    constraint_equations(I, P, W, q)


def follow_motions(I, P, W, t, y):
    """Coordinates and rates that are functions of time take their values."""
    u = offset(y, I[COORDINATES])
    user_values(I, P, W, t, y, u)
    for m in range(I[FORCES]):
        b = force_row(I, m)
        if I[b + FORCE_KIND] == JOINT_DRIVE and I[b + FORCE_COORDINATE] >= 0:
            x = I[W_LAW_OUTPUT] + I[b + FORCE_LAW_OUTPUT]
            y[I[b + FORCE_COORDINATE]] = W[x + 1]
            u[I[b + FORCE_COLUMN]] = W[x + 2]


def span(W, x):
    """Sum of the magnitudes of the three numbers from x on."""
    return abs(W[x]) + abs(W[x + 1]) + abs(W[x + 2])


def blur(I, W, q):
    """How far rounding blurs place (m) and direction (rad) of every body, in units of the spacing of doubles at 1.

    A place is blurred as numbers of its size are, and by the directions before it; a direction by the angles, however many
    turns they count. Left at ALPHA and after, where accelerations come later.
    """
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        up, place, turn = body_work(I[b + PARENT]), 0.0, 0.0
        if up > 0:
            place, turn = W[up + ALPHA], W[up + ALPHA + 1]
        W[w + ALPHA] = max(place + turn * span(W, w + P_PM), 4 * span(W, w + P_NM))
        if I[b + NQ] == I[b + NU]:
            for k in range(I[b + NU]):
                if I[column_row(I, I[b + U0] + k) + AXIS] < 3:
                    turn += abs(q[I[b + Q0] + k])
        W[w + ALPHA + 1] = turn


def rounding_of(I, P, W, q, r):
    """What rounding may leave of equation r in the coordinates, after `blur`: that of the places, directions and coordinates
    it contains, by its derivatives."""
    e = I[equation_row(I, r) + ROW_CONSTRAINT]
    b = constraint_row(I, e)
    n, total = r - I[b + CONSTRAINT_ROW], 0.0
    for a in range(I[b + ATTACHMENTS]):
        w, x = body_work(I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED]), wrench_work(I, e, n, a)
        if w > 0:
            total += span(W, x + 3) * W[w + ALPHA] + span(W, x) * W[w + ALPHA + 1]
    for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
        k = I[term_row(I, m) + TERM_COORDINATE]
        if I[term_row(I, m) + TERM_ROW] == n and k >= 0:
            total += abs(W[I[W_TERM] + m] * q[k])
    return P[constraint_par(I, e) + CONSTRAINT_ROUNDING] + 2.2e-16 * total


def worst_value(I, P, W, q):
    """Largest defect of the coordinates, as a multiple of what rounding explains."""
    blur(I, W, q)
    worst = 0.0
    for r in range(I[ROWS]):
        if I[equation_row(I, r) + ROW_HOLONOMIC] == 1:
            worst = max(worst, abs(W[equation_work(I, r) + VALUE_]) / rounding_of(I, P, W, q, r))
    return worst


def add_rates(I, W, q, rates):
    """q + W(q) w, with the rates w that are in the workspace; quaternions of unit length."""
    coordinate_rates(I, W, q, rates)
    for k in range(I[COORDINATES]):
        q[k] += rates[k]
    normalise(I, q)


def shorten(n, change, limit):
    """Scale a step so that no entry exceeds `limit`; returns the largest before."""
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(change[k]))
    if largest > limit:
        for k in range(n):
            change[k] = change[k] * (limit / largest)
    return largest


def set_residuals(I, P, W, y, speeds):
    """Set GAMMA to the defects of the coordinates, or, with speeds = 1, of the speeds in y; after `evaluate_unloaded`."""
    if speeds == 1:
        moving(I, P, W, y, offset(y, I[COORDINATES]))
        equation_speeds(I, W)
        for i in range(I[BODIES]):  # at rest again
            store3(W, body_work(i) + BIAS_A, (0.0, 0.0, 0.0))
            store3(W, body_work(i) + BIAS_L, (0.0, 0.0, 0.0))
        store3(W, body_work(0 * I[SPEEDS]) + A_, (0.0, 0.0, 0.0))
    for r in range(I[ROWS]):
        k = equation_work(I, r)
        W[k + GAMMA] = W[k + SPEED_] if speeds == 1 else I[equation_row(I, r) + ROW_HOLONOMIC] * W[k + VALUE_]


def project(I, P, W, t, y, sweeps, limit, slack):
    """Project y = (q, u, ...) onto motions and constraints; returns the Newton steps taken, -1 without convergence.

    A Newton step changes no rate by more than `limit`; when the coordinates are done, one more step corrects the speeds.
    Done they are at rounding level, or after a Newton step of less than `slack`, which leaves defects of its square.
    """
    if I[MOTIONS] > 0:
        follow_motions(I, P, W, t, y)
    if I[CONSTRAINTS] == 0:
        return 0
    n, taken, speeds = I[SPEEDS], 0, 0
    u, change = offset(y, I[COORDINATES]), offset(W, I[W_ZERO] + projection_change_work(n))
    rates = offset(W, I[W_ZERO] + projection_rates_work(n))
    met, largest = 0, slack + 1.0
    while speeds == 0:
        evaluate_unloaded(I, P, W, t, y)
        met = 1 if largest < slack or worst_value(I, P, W, y) <= 1.0 else 0
        speeds = 1 if met == 1 or taken == sweeps else 0
        set_residuals(I, P, W, y, speeds)
        solve(I, P, W, change)
        if speeds == 0:
            largest = shorten(n, change, limit)
            moving(I, P, W, y, change)
            add_rates(I, W, y, rates)
            taken += 1
    for k in range(n):
        u[k] += change[k]
    return taken if met == 1 else -1


def branches_meet(I, P, W, t, q):
    """1 when a position that was interpolated between others satisfies the constraints, but for a thousand times what
    rounding explains, else 0."""
    evaluate_unloaded(I, P, W, t, q)
    return 1 if worst_value(I, P, W, q) <= 1000.0 else 0


def moves_in_time(I, W):
    """1 when motions or constraints depend on time, as the last evaluation tells, else 0."""
    found = 1 if I[MOTIONS] > 0 else 0
    for r in range(I[ROWS]):
        if W[equation_work(I, r) + EXPLICIT] != 0.0:
            found = 1
    return found


def call_project(I, P, W, t, y, sweeps, limit):
    """`project` on whole arrays."""
    return project(pointer(I), pointer(P), pointer(W), t, pointer(y), sweeps, limit, 0.0)


def call_equations(I, P, W, t, q, u, out):
    """Values and speeds of all equations, two numbers each; on complex numbers as well."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    moving(i, p, w, pointer(q), pointer(u))
    placed(i, p, w, t, pointer(q))
    constraint_equations(i, p, w, pointer(q))
    equation_speeds(i, w)
    for r in range(i[ROWS]):
        out[r, 0] = w[equation_work(i, r) + VALUE_]
        out[r, 1] = w[equation_work(i, r) + SPEED_]


def call_rounding(I, P, W, t, q, out):
    """What rounding may leave of every equation in the coordinates."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    evaluate_unloaded(i, p, w, t, pointer(q))
    blur(i, w, pointer(q))
    for r in range(i[ROWS]):
        out[r] = rounding_of(i, p, w, pointer(q), r)


def call_respond(I, P, W, t, q, impulses, given, defects, change):
    """Jump of the speeds: impulses (torque, force in body axes about M) on bodies, jumps `given` to prescribed speeds,
    and `defects` of the equations' speeds that are to vanish. Multipliers are left in W."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    evaluate_unloaded(i, p, w, t, pointer(q))
    for k in range(i[SPEEDS]):
        w[column_work(i, k) + PRESCRIBED_RATE] = given[k]
    for b in range(1, impulses.shape[0]):
        for k in range(3):
            w[body_work(b) + TORQUE + k] -= impulses[b, k]
            w[body_work(b) + FORCE + k] -= impulses[b, 3 + k]
    for r in range(i[ROWS]):
        w[equation_work(i, r) + GAMMA] = defects[r]
    solve(i, p, w, pointer(change))


def call_follow(I, P, W, t, y):
    """`follow_motions` on whole arrays."""
    follow_motions(pointer(I), pointer(P), pointer(W), t, pointer(y))
