"""The stages in order: what a right-hand side or an inverse dynamics is made of."""

from kaneflex.formulations.dense import dense_udot, independent_udot
from kaneflex.formulations.loop_elimination import add_constraint_wrenches
from kaneflex.formulations.multipliers import begin_rank
from kaneflex.formulations.recursive import drive_rotors, recursive_udot
from kaneflex.formulations.sliding_friction import friction_powers
from kaneflex.kernels.algebra import accumulate3, add, cross, dot, load3, load33, scale, store3, tmul
from kaneflex.kernels.bodies.dispatch import body_inertia
from kaneflex.kernels.bodies.modal import modal_mass_entry
from kaneflex.kernels.constraints.dispatch import constraint_equations
from kaneflex.kernels.energy import sum_groups, totals
from kaneflex.kernels.forces.dispatch import apply_forces, unit_frictions
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.inertia import add_rotor_momenta, balance
from kaneflex.kernels.joints.dispatch import joint_pose
from kaneflex.kernels.kinematics import (
    accelerate,
    coordinate_rates,
    move,
    origin_velocities,
    place,
    rest,
    rotor_rates,
    velocities,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import modal_six
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.ops import offset, sqrt
from kaneflex.kernels.sensors import evaluate_laws, load_states, rates_seen, state_rates


def forward_pass(I, P, W, t, q, u):
    """`velocities` and the inertia of every body at the time t in one sweep, so that a body's row is fetched from memory
    once."""
    rest(I, P, W, 0 * u[0])
    for i in range(1, I[BODIES]):
        if is_stored(I, i) == 1:
            continue
        joint_pose(I, P, W, i, q)
        move(I, P, W, i, q, u)
        body_inertia(I, P, W, t, i, q)
    rotor_rates(I, P, W, u)
    add_rotor_momenta(I, P, W)


def moving(I, P, W, q, u):
    """`velocities`, compiled once for all that need nothing more."""
    velocities(I, P, W, q, u)


def placed(I, P, W, t, q):
    """Places of the bodies and values of the user functions, after `velocities`."""
    place(I, W)
    if I[SUMMED] == 1:
        sum_seen(I, P, W, t, q)
    if I[LAWS] > 0:
        signals(I, P, W, t, q)


def signals(I, P, W, t, q):
    """Values of the user functions, compiled once for all that need them."""
    evaluate_laws(I, P, W, t, q)


def user_values(I, P, W, t, q, u):
    """Values of the user functions at (t, q, u) alone, with the motion of the bodies where one of them looks at it."""
    if I[LOOKING] == 1:
        moving(I, P, W, q, u)
        placed(I, P, W, t, q)
    elif I[LAWS] > 0:
        rates_seen(I, W, u)
        signals(I, P, W, t, q)


def sum_seen(I, P, W, t, q):
    """Sums over groups of bodies for the user functions that see them, with the properties of bodies of this very state,
    which what comes before `placed` may have left as they were."""
    for i in range(1, I[BODIES]):
        body_inertia(I, P, W, t, i, q)
    add_rotor_momenta(I, P, W)
    sum_groups(I, P, W, 0 * I[GROUPS])


def sum_seen_at_rest(I, P, W, t, q):
    """`sum_seen` with the properties of bodies as `forward_pass_at_rest` left them."""
    sum_groups(I, P, W, 0 * I[GROUPS])


def forward_pass_at_rest(I, P, W, t, q, u):
    """`forward_pass` without any product of speeds: inertia of the system at rest, velocities for the loads alone."""
    forward_pass(I, P, W, t, q, offset(W, I[W_ZERO]))
    moving(I, P, W, q, u)
    z = 0 * u[0]
    for i in range(1, I[BODIES]):
        store3(W, body_work(i) + BIAS_A, (z, z, z))
        store3(W, body_work(i) + BIAS_L, (z, z, z))


def prepare(I, P, W, t, q, u):
    """Everything that comes before the solve: motion, inertia, active forces, equations of constraints."""
    forward_pass(I, P, W, t, q, u)
    load_and_constrain(I, P, W, t, q)


def prepare_at_rest(I, P, W, t, q, u):
    """`prepare` without any product of speeds."""
    forward_pass_at_rest(I, P, W, t, q, u)
    load_and_constrain(I, P, W, t, q)


def load_and_constrain(I, P, W, t, q):
    """Places, user functions, active forces, equations of constraints, after `forward_pass`."""
    if I[PLACED] == 1:
        placed(I, P, W, t, q)
    apply_forces(I, P, W, t, q)
    if I[FRICTIONS] > 0:
        unit_frictions(I, P, W, t)
    if I[CONSTRAINTS] > 0:
        constraint_equations(I, P, W, q)


def accelerations(I, P, W, t, q, u, udot):
    """u-dot at (t, q, u): `prepare` and `solve`; then the power of friction, whose normal forces are found with u-dot."""
    prepare(I, P, W, t, q, u)
    solve(I, P, W, udot)
    if I[FRICTIONS] > 0:
        friction_powers(I, W)


def solve(I, P, W, udot):
    """u-dot and the loads that hold prescribed speeds, after `prepare`: in order n. A formulation may have another kernel in
    this place."""
    if I[CLUSTERS] > 0:
        begin_rank(I, W)
    recursive_udot(I, P, W, udot)
    if I[PRESCRIBED_SPEEDS] > 0:
        drives_after_elimination(I, W)
        prescribed_loads(I, W)


def solve_dense(I, P, W, udot):
    """`solve` by the mass matrix, with multipliers."""
    if I[CLUSTERS] > 0:
        begin_rank(I, W)
    dense_udot(I, P, W, udot)
    if I[PRESCRIBED_SPEEDS] > 0:
        drives_of_single_bodies(I, P, W)
        prescribed_loads(I, W)


def solve_embedded(I, P, W, udot):
    """`solve` by the mass matrix of the independent speeds; only where there are constraints."""
    begin_rank(I, W)
    independent_udot(I, P, W, udot)
    if I[PRESCRIBED_SPEEDS] > 0:
        drives_of_single_bodies(I, P, W)
        prescribed_loads(I, W)


def along(I, W, k, n, f):
    """Component along the column of speed k of a torque n and a force f on its body."""
    axis, c = I[column_row(I, k) + AXIS], column_work(I, k)
    if axis == 0:
        value = n[0]
    elif axis == 1:
        value = n[1]
    elif axis == 2:
        value = n[2]
    elif axis == 3:
        value = f[0]
    elif axis == 4:
        value = f[1]
    elif axis == 5:
        value = f[2]
    else:
        value = dot(load3(W, c + S_), n) + dot(load3(W, c + S_ + 3), f)
    return value


def gather(I, W):
    """Tip to base: force and torque that each joint carries onto its body, about M, left in TORQUE and FORCE."""
    for i in range(I[BODIES] - 1, 0, -1):
        w, wp = body_work(i), body_work(I[body_row(i) + PARENT])
        n, f = balance(W, w)
        if I[body_row(i) + MODES] > 0:
            n, f = add_modal_inertia(I, W, i, n, f)
        store3(W, w + TORQUE, n)
        store3(W, w + FORCE, f)
        if wp > 0:
            E = load33(W, w + R_MP)
            f = tmul(E, f)
            accumulate3(W, wp + FORCE, f)
            accumulate3(W, wp + TORQUE, add(tmul(E, n), cross(load3(W, w + P_PM), f)))


def add_modal_inertia(I, W, i, n, f):
    """Add to torque n and force f what the rates of the modal speeds of body i, taken alone, contribute."""
    m, own = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING)
    first = column_work(I, I[flexible_row(I, i) + FLEXIBLE_U])
    for k in range(m):
        wdot, c = W[first + k * COLUMN_WIDTH + WDOT], modal_six(W, own + k, m)
        n, f = add(n, scale(wdot, (c[0], c[1], c[2]))), add(f, scale(wdot, (c[3], c[4], c[5])))
    return n, f


def joint_load_of(I, W, i):
    """Torque and force that the joint of body i carries onto it, after the elimination: its balance with all that hangs
    on it, and the loads of multipliers whose loops pass through it."""
    b, w = body_row(i), body_work(i)
    n, f = balance(W, w)
    for j in range(I[b + PATH0], I[b + PATH0] + I[b + PATHS]):
        p, multiplier = path_work(I, j), W[equation_work(I, I[path_row(I, j) + PATH_ROW]) + MULTIPLIER]
        n, f = add(n, scale(multiplier, load3(W, p + PATH_P))), add(f, scale(multiplier, load3(W, p + PATH_P + 3)))
        for k in range(I[b + NU]):  # the path_entry's load as it was before the joint's own speeds were eliminated
            c = column_work(I, I[b + U0] + k)
            if I[column_row(I, I[b + U0] + k) + PRESCRIBED] == 0:
                push = -multiplier * W[c + D_] * W[p + PATH_T + k]
                n, f = add(n, scale(push, load3(W, c + U_))), add(f, scale(push, load3(W, c + U_ + 3)))
    return n, f


def drives_after_elimination(I, W):
    """What joints with prescribed speeds carry along these, beyond the applied loads, left in TAU_REDUCED: after the
    elimination a body's row holds its inertia with all that hangs on it, so that its balance is what the joint carries."""
    for m in range(I[FORCES]):
        if I[force_row(I, m) + FORCE_KIND] == JOINT_DRIVE:
            k = I[force_row(I, m) + FORCE_COLUMN]
            n, f = joint_load_of(I, W, I[column_row(I, k) + BODY])
            W[column_work(I, k) + TAU_REDUCED] = along(I, W, k, n, f) - W[column_work(I, k) + TAU]


def drives_of_single_bodies(I, P, W):
    """As `drives_after_elimination`, after a solve that leaves single bodies in their rows: they are gathered first."""
    drive_rotors(I, P, W)
    add_constraint_wrenches(I, W)
    gather(I, W)
    for m in range(I[FORCES]):
        if I[force_row(I, m) + FORCE_KIND] == JOINT_DRIVE:
            k = I[force_row(I, m) + FORCE_COLUMN]
            w = body_work(I[column_row(I, k) + BODY])
            carried_load = along(I, W, k, load3(W, w + TORQUE), load3(W, w + FORCE))
            W[column_work(I, k) + TAU_REDUCED] = carried_load - W[column_work(I, k) + TAU]


def prescribed_loads(I, W):
    """Loads that hold the prescribed speeds, in TAU_REDUCED, from what their joints carry along them; and their power."""
    for e in range(I[CONSTRAINTS]):  # couplers act in the joint too
        b = constraint_row(I, e)
        for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
            c = column_work(I, I[term_row(I, m) + TERM_COLUMN])
            if I[column_row(I, I[term_row(I, m) + TERM_COLUMN]) + PRESCRIBED] == 1:
                r = equation_work(I, I[b + CONSTRAINT_ROW] + I[term_row(I, m) + TERM_ROW])
                W[c + TAU_REDUCED] -= W[r + MULTIPLIER] * W[I[W_TERM] + m]
    for m in range(I[FORCES]):
        if I[force_row(I, m) + FORCE_KIND] == JOINT_DRIVE:
            c = column_work(I, I[force_row(I, m) + FORCE_COLUMN])
            W[energy_work(I, m) + POWER_APPLIED] = W[c + TAU_REDUCED] * W[c + RATE]


def derivative(I, P, W, t, y, ydot):
    """y = (q, u, z, work of applied loads, work lost in dampers) and its rate."""
    nq, nu = I[COORDINATES], I[SPEEDS]
    u, e = offset(y, nq), offset(ydot, nq + nu + I[STATES])
    load_states(I, W, y)
    accelerations(I, P, W, t, y, u, offset(ydot, nq))
    coordinate_rates(I, W, y, ydot)
    state_rates(I, W, ydot)
    work_rates(I, W, e)


def work_rates(I, W, e):
    """Power of the applied loads to e[0], that of the dampers, which is negative, to e[1]; after `solve`."""
    applied, dissipated = 0 * W[OMEGA], 0 * W[OMEGA]
    for m in range(I[FORCES]):
        applied += W[energy_work(I, m) + POWER_APPLIED]
        dissipated += W[energy_work(I, m) + POWER_DISSIPATED]
    for r in range(I[ROWS]):  # a constraint that depends on time does work
        k = equation_work(I, r)
        applied -= W[k + MULTIPLIER] * W[k + EXPLICIT]
    e[0] = applied
    e[1] = dissipated


def normalise(I, y):
    """Scale every quaternion to unit length."""
    for n in range(I[QUATERNIONS]):
        k = I[I[I_QUATERNION] + n]
        s = 1 / sqrt(y[k] * y[k] + y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2] + y[k + 3] * y[k + 3])
        for m in range(4):
            y[k + m] = y[k + m] * s


def event_values(I, P, W, t, y, g):
    """Values of the event functions: those of the user, then multipliers that are watched, as `derivative` left them."""
    for n in range(I[WATCHES]):
        row = I[watch_row(I, n) + WATCH_ROW]
        left = W[equation_work(I, row) + MULTIPLIER]
        if I[watch_row(I, n) + WATCH_FRICTION] == 1:  # what friction may hold, less what it holds in the two rows before
            across, along_ = W[equation_work(I, row - 2) + MULTIPLIER], W[equation_work(I, row - 1) + MULTIPLIER]
            left = P[I[P_WATCH] + n] * left - sqrt(across * across + along_ * along_)
        g[I[EVENTS] + n] = left
    load_states(I, W, y)
    user_values(I, P, W, t, y, offset(y, I[COORDINATES]))
    for n in range(I[EVENTS]):
        g[n] = W[I[W_LAW_OUTPUT] + I[law_row(I, I[FIRST_EVENT] + n) + LAW_OUT]]


def kinetic_energy(I, P, W, t, y, out):
    """The kinetic energy at (t, y) to out[0]."""
    forward_pass(I, P, W, t, y, offset(y, I[COORDINATES]))
    if I[PLACED] == 0:
        origin_velocities(I, W)
    place(I, W)
    totals(I, P, W, 0 * I[GROUPS])
    out[0] = W[group_work(I, 0 * I[GROUPS]) + KINETIC]


def inverse(I, P, W, udot, tau):
    """Joint forces tau (conjugate to w) beyond the applied ones that give the motion udot; after `prepare`."""
    accelerate(I, W, udot)
    for m in range(I[ROTORS]):
        b, g = rotor_row(I, m), rotor_par(I, m)
        k, w, a = I[b + ROTOR_U], body_work(I[b + ROTOR_BODY]), load3(P, g + ROTOR_AXIS)
        spin = udot[k] + (1 - I[column_row(I, k) + TOTAL]) * dot(a, load3(W, w + ALPHA))
        tau[k] = P[g + ROTOR_INERTIA] * spin - W[column_work(I, k) + TAU]
        W[column_work(I, k) + TAU] = P[g + ROTOR_INERTIA] * spin
    drive_rotors(I, P, W)
    gather(I, W)
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        for k in range(I[b + U0], I[b + U0] + I[b + NU]):
            tau[k] = along(I, W, k, load3(W, w + TORQUE), load3(W, w + FORCE)) - W[column_work(I, k) + TAU]
        if I[b + MODES] > 0:
            inverse_modes(I, W, i, tau)
    for i in range(1, I[BODIES]):
        if I[body_row(i) + JOINT] == NODE_JOINT:
            node_loads(I, W, i, tau)


def inverse_modes(I, W, i, tau):
    """Modal forces of the flexible body i beyond the applied ones, but for what its nodes carry."""
    w, m, own = body_work(i), I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING)
    first, alpha, a = I[flexible_row(I, i) + FLEXIBLE_U], load3(W, w + ALPHA), load3(W, w + A_)
    for k in range(m):
        column, c = column_work(I, first + k), modal_six(W, own + k, m)
        tau[first + k] = W[modal_work(I, i, MODAL_BIAS) + k] - W[column + TAU]
        for j in range(m):
            tau[first + k] += modal_mass_entry(I, W, i, j, k) * W[column_work(I, first + j) + WDOT]
        tau[first + k] += dot((c[0], c[1], c[2]), alpha) + dot((c[3], c[4], c[5]), a)


def node_loads(I, W, i, tau):
    """Add what body i, a node, carries to the modal forces of its flexible body."""
    w, flexible, T = body_work(i), I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, first = I[body_row(flexible) + MODES], I[flexible_row(I, flexible) + FLEXIBLE_U]
    for k in range(m):
        c = modal_six(W, T + k, m)
        tau[first + k] += dot((c[0], c[1], c[2]), load3(W, w + TORQUE)) + dot((c[3], c[4], c[5]), load3(W, w + FORCE))
