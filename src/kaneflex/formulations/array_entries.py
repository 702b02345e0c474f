"""What Python calls: whole arrays, turned into the pointers that the stages want; compiled once for all models."""

from kaneflex.formulations.dense import mass_matrix, partial_velocities
from kaneflex.formulations.evaluate import accelerations, derivative, forward_pass, gather, inverse, moving, prepare
from kaneflex.formulations.least_norm import spread_multipliers
from kaneflex.formulations.loop_elimination import add_constraint_wrenches
from kaneflex.formulations.recursive import drive_rotors
from kaneflex.kernels.algebra import dot, load3
from kaneflex.kernels.energy import sum_groups
from kaneflex.kernels.kinematics import accelerate, parent_component, relative_accelerations
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import call_law, integers_at, offset, pointer, reals_at
from kaneflex.kernels.sensors import load_states, measure


def call_udot(I, P, W, t, q, u, udot):
    """u-dot at (t, q, u)."""
    i, p, w, x = pointer(I), pointer(P), pointer(W), pointer(q)
    accelerations(i, p, w, t, x, pointer(u), pointer(udot))


def call_udot_at(block, q, u, tau, udot):
    """u-dot at (q, u) with joint forces tau, time 0; returns 1 when an array has the wrong length, else 0.

    `block` is the address of the addresses of I, P and W: one number costs less to pass than three arrays.
    """
    b = integers_at(block)
    i, p, w = integers_at(b[0]), reals_at(b[1]), reals_at(b[2])
    n = i[SPEEDS]
    if q.size != i[COORDINATES] or u.size != n or tau.size != n or udot.size != n:
        return 1
    for k in range(n):
        w[i[W_TAU] + k] = tau[k]
    accelerations(i, p, w, 0.0, pointer(q), pointer(u), pointer(udot))
    return 0


def call_udot_bound(block):
    """u-dot on bound arrays; `block` is the address of the addresses of I, P, W, q, u, tau and u-dot."""
    b = integers_at(block)
    i, p, w, tau = integers_at(b[0]), reals_at(b[1]), reals_at(b[2]), reals_at(b[5])
    for k in range(i[SPEEDS]):
        w[i[W_TAU] + k] = tau[k]
    accelerations(i, p, w, 0.0, reals_at(b[3]), reals_at(b[4]), reals_at(b[6]))


def call_udot_repeatedly(I, P, W, q, u, udot, count):
    """u-dot, count times: the cost of an evaluation without the cost of a call from Python."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    for _ in range(count):
        accelerations(i, p, w, 0.0, pointer(q), pointer(u), pointer(udot))


def call_derivative(I, P, W, t, y, ydot):
    """Rate of y."""
    derivative(pointer(I), pointer(P), pointer(W), t, pointer(y), pointer(ydot))


def call_inverse(I, P, W, t, q, u, udot, tau):
    """Joint forces for the motion udot."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    prepare(i, p, w, t, pointer(q), pointer(u))
    inverse(i, p, w, pointer(udot), pointer(tau))


def call_mass_matrix(I, P, W, t, q, u):
    """M at (t, q), left in W; the plan must have room for the dense formulation."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    forward_pass(i, p, w, t, pointer(q), pointer(u))
    partial_velocities(i, w)
    mass_matrix(i, p, w)


def call_speeds_from_rates(I, relative, P, W, q, rates, u):
    """u for given rates: the total components, from a pass with the tables `relative`, in which no speed is total."""
    i, w = pointer(I), pointer(W)
    moving(pointer(relative), pointer(P), w, pointer(q), pointer(rates))
    for k in range(i[SPEEDS]):
        c, b, axis = column_work(i, k), body_work(i[column_row(i, k) + BODY]), i[column_row(i, k) + AXIS]
        u[k] = rates[k]
        if i[column_row(i, k) + TOTAL] == 1 and axis != ROTOR:
            u[k] = parent_component(w, b, c, axis, OMEGA)
        if axis == MODE:
            n = i[column_row(i, k) + BODY]
            u[k] = w[modal_work(i, n, SIGMA) + k - i[flexible_row(i, n) + FLEXIBLE_U]]
    for m in range(i[ROTORS]):
        r = rotor_row(i, m)
        a, omega = load3(P, rotor_par(i, m) + ROTOR_AXIS), load3(w, body_work(i[r + ROTOR_BODY]) + OMEGA)
        u[i[r + ROTOR_U]] += i[column_row(i, i[r + ROTOR_U]) + TOTAL] * dot(a, omega)


def call_rates_from_speeds(I, P, W, q, u, rates):
    """Relative rates w for given u."""
    i, w = pointer(I), pointer(W)
    moving(i, pointer(P), w, pointer(q), pointer(u))
    for k in range(i[SPEEDS]):
        rates[k] = w[column_work(i, k) + RATE]


def call_channels(I, P, W, S, R, times, states, inputs, solved, out, sums, scratch):
    """Sensors S, R and the system's totals at every row of states; inputs are set row by row.

    With solved = 1 the accelerations are computed too, which channels of acceleration and power need.
    """
    i, p, w, s, r = pointer(I), pointer(P), pointer(W), pointer(S), pointer(R)
    nq, ns, first = i[COORDINATES], S.shape[0] // SENSOR_INTS, i[W_LAW_OUTPUT]
    for n in range(times.shape[0]):
        y = offset(pointer(states), n * states.shape[1])
        if states.shape[1] > nq + i[SPEEDS]:
            load_states(i, w, y)
        for k in range(inputs.shape[1]):
            w[first + k] = inputs[n, k]
        if solved > 0 or i[FRICTIONS] > 0:
            accelerations(i, p, w, times[n], y, offset(y, nq), pointer(scratch))
        else:
            prepare(i, p, w, times[n], y, offset(y, nq))
        if solved > 0:
            spread_multipliers(i, w)
            accelerate(i, w, pointer(scratch))
        sum_groups(i, p, w, solved)
        if solved > 0:
            relative_accelerations(i, p, w, y, pointer(scratch))
        for k in range(ns):
            measure(s, k * SENSOR_INTS, r, k * SENSOR_REALS, i, p, w, y, pointer(out), n * out.shape[1])
        for k in range(GROUP_WIDTH):
            sums[n, k] = w[group_work(i, 0) + k]


def call_loads(I, P, W, times, states, inputs, joints, ties, multipliers, scratch):
    """At every row of states: torque and force that each joint carries onto its body (axes of M, about M), the same of
    every constraint on each of its attachments, and the multipliers, of least norm where equations are redundant."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    for n in range(times.shape[0]):
        y = offset(pointer(states), n * states.shape[1])
        if states.shape[1] > i[COORDINATES] + i[SPEEDS]:
            load_states(i, w, y)
        for k in range(inputs.shape[1]):
            w[i[W_LAW_OUTPUT] + k] = inputs[n, k]
        accelerations(i, p, w, times[n], y, offset(y, i[COORDINATES]), pointer(scratch))
        spread_multipliers(i, w)
        prepare(i, p, w, times[n], y, offset(y, i[COORDINATES]))  # single bodies again; accelerations stay
        drive_rotors(i, p, w)
        add_constraint_wrenches(i, w)
        gather(i, w)
        for b in range(1, i[BODIES]):
            for k in range(3):
                joints[n, b, k] = w[body_work(b) + TORQUE + k]
                joints[n, b, 3 + k] = w[body_work(b) + FORCE + k]
        for e in range(i[CONSTRAINTS]):
            store_ties(i, w, e, pointer(ties), n * ties.shape[1] * 6)
        for r in range(i[ROWS]):
            multipliers[n, r] = w[equation_work(i, r) + MULTIPLIER]


def call_law_along(address, times, out):
    """Values of the user function of t alone at an address, a row of `out` per time."""
    for n in range(times.shape[0]):
        call_law(address, times[n], pointer(out), 0, pointer(out), n * out.shape[1])


def store_ties(I, W, e, X, x):
    """Torque and force of constraint e on each of its attachments, to X[x:] by attachment."""
    b = constraint_row(I, e)
    for a in range(I[b + ATTACHMENTS]):
        out = x + 6 * (I[b + ATTACHMENT0] + a)
        for k in range(6):
            X[out + k] = 0 * W[OMEGA]
        for m in range(I[b + CONSTRAINT_ROWS]):
            multiplier, place = W[equation_work(I, I[b + CONSTRAINT_ROW] + m) + MULTIPLIER], wrench_work(I, e, m, a)
            for k in range(6):
                X[out + k] += multiplier * W[place + k]
