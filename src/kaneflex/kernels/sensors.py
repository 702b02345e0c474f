"""Measured quantities: what user functions, events, channels and outputs of a linear model are made of.

A sensor's row may lie in the plan's own tables (user functions) or in tables of its own (channels of a run).
"""

from kaneflex.kernels.algebra import add, load3, load33, matmul, skew, store3, store33, tmul
from kaneflex.kernels.kinematics import point_acceleration, point_place, point_velocity
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import call_law

SENSE_Q = 0  # coordinates
SENSE_RATE = 1  # relative rates w
SENSE_POSITION = 2  # of the frame's origin, inertial axes
SENSE_VELOCITY = 3  # of the frame's origin in N, inertial axes
SENSE_OMEGA = 4  # angular velocity in N, axes of the frame
SENSE_ROTATION = 5  # R of the frame in N by rows: components in the frame to inertial components
SENSE_SIGNAL = 6  # inputs and values of user functions
SENSE_ACCELERATION = 7  # of the frame's origin in N, inertial axes; needs the accelerations
SENSE_ALPHA = 8  # angular acceleration in N, axes of the frame; needs the accelerations
SENSE_ENERGY = 9  # energy row of an applied load: potential, applied power, and lost power, positive where energy is lost
SENSE_TAU = 10  # generalized forces in joints: active ones and those that hold prescribed speeds
SENSE_ROTATION_RATE = 11  # d/dt of SENSE_ROTATION
SENSE_DRIVE = 13  # generalized forces that hold prescribed speeds; need the accelerations
SENSE_DEFLECTION = 14  # of a node from its place in the undeformed body, axes of the body's own frame
SENSE_SLOPE = 15  # rotation of a node against its flexible body, rotation vector to second order, axes likewise
SENSE_STATE = 16  # states z of blocks
SENSE_WDOT = 17  # rates of the relative rates w; need the accelerations
SENSE_SPEED = 18  # generalized speeds u, which follow q in the state: of channels only
SENSE_MODE_ENERGY = 19  # strain energy of each mode of a flexible body
SENSE_SUM = 20  # entries of the rows of groups of bodies
SENSE_MULTIPLIER = 12  # Lagrange multipliers of constraint equations; needs the accelerations


def measure(S, s, R, r, I, P, W, q, X, x):
    """Write the value of the sensor whose row is S[s:], R[r:] to X[x + SENSOR_OUT:]; after `velocities` and `place`."""
    kind, w, index, x = S[s + SENSOR_KIND], body_work(S[s + SENSOR_BODY]), S[s + SENSOR_INDEX], x + S[s + SENSOR_OUT]
    if kind == SENSE_Q:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = q[index + n]
    elif kind == SENSE_RATE:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[column_work(I, index + n) + RATE]
    elif kind == SENSE_WDOT:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[column_work(I, index + n) + WDOT]
    elif kind == SENSE_SPEED:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = q[I[COORDINATES] + index + n]
    elif kind == SENSE_SUM:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[I[W_GROUP] + index + n]
    elif kind == SENSE_MODE_ENERGY:
        f = flexible_row(I, S[s + SENSOR_BODY])
        for n in range(S[s + SENSOR_SIZE]):
            stretch = q[I[f + FLEXIBLE_Q] + n]
            X[x + n] = P[I[f + FLEXIBLE_P] + n] * stretch * stretch / 2
    elif kind == SENSE_POSITION:
        store3(X, x, point_place(W, w, load3(R, r + SENSOR_POINT)))
    elif kind == SENSE_VELOCITY:
        store3(X, x, point_velocity(W, w, load3(R, r + SENSOR_POINT)))
    elif kind == SENSE_OMEGA:
        store3(X, x, tmul(load33(R, r + SENSOR_FRAME), load3(W, w + OMEGA)))
    elif kind == SENSE_ROTATION:
        store33(X, x, matmul(load33(W, w + R_NM), load33(R, r + SENSOR_FRAME)))
    elif kind == SENSE_ROTATION_RATE:
        turn = matmul(skew(load3(W, w + OMEGA)), load33(R, r + SENSOR_FRAME))
        store33(X, x, matmul(load33(W, w + R_NM), turn))
    elif kind == SENSE_MULTIPLIER:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[equation_work(I, index + n) + MULTIPLIER]
    elif kind == SENSE_DEFLECTION:
        moved = load3(W, node_work(I, S[s + SENSOR_BODY]) + NODE_MOVED)
        store3(X, x, tmul(load33(R, r + SENSOR_FRAME), moved))
    elif kind == SENSE_SLOPE:
        theta = load3(W, node_work(I, S[s + SENSOR_BODY]) + NODE_THETA)
        store3(X, x, tmul(load33(R, r + SENSOR_FRAME), theta))
    elif kind == SENSE_SIGNAL:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[I[W_LAW_OUTPUT] + index + n]
    elif kind == SENSE_STATE:
        for n in range(S[s + SENSOR_SIZE]):
            X[x + n] = W[I[W_STATE] + index + n]
    elif kind == SENSE_ACCELERATION:
        store3(X, x, add(point_acceleration(W, w, load3(R, r + SENSOR_POINT)), load3(P, I[P_GRAVITY])))
    elif kind == SENSE_ALPHA:
        store3(X, x, tmul(load33(R, r + SENSOR_FRAME), load3(W, w + ALPHA)))
    elif kind == SENSE_ENERGY:
        for n in range(ENERGY_WIDTH):
            X[x + n] = W[energy_work(I, index) + n]
        X[x + POWER_DISSIPATED] = 0 - X[x + POWER_DISSIPATED]
    else:
        for n in range(S[s + SENSOR_SIZE]):
            c = column_work(I, index + n)
            X[x + n] = 0 * W[c + RATE]
            if kind == SENSE_TAU:
                X[x + n] += W[c + TAU]
            if I[column_row(I, index + n) + PRESCRIBED] == 1:
                X[x + n] += W[c + TAU_REDUCED]


def load_states(I, W, y):
    """Put the states z of blocks in y = (q, u, z, ...) where user functions find them."""
    first = I[COORDINATES] + I[SPEEDS]
    for n in range(I[STATES]):
        W[I[W_STATE] + n] = y[first + n]


def state_rates(I, W, ydot):
    """Rates of the states of blocks into y-dot, after `evaluate_laws`."""
    first = I[COORDINATES] + I[SPEEDS]
    for n in range(I[STATES]):
        ydot[first + n] = W[I[W_LAW_OUTPUT] + I[I[I_STATE] + n]]


def rates_seen(I, W, u):
    """The rates that user functions see, all of which are speeds, where they are wanted without `velocities`."""
    for m in range(I[LAWS]):
        law = law_row(I, m)
        for n in range(I[law + LAW_SENSORS]):
            s = sensor_row(I, I[law + LAW_SENSOR] + n)
            if I[s + SENSOR_KIND] == SENSE_RATE:
                for k in range(I[s + SENSOR_INDEX], I[s + SENSOR_INDEX] + I[s + SENSOR_SIZE]):
                    W[column_work(I, k) + RATE] = u[k]


def evaluate_laws(I, P, W, t, q):
    """Every user function out = f(t, x) of the quantities it names. Rows of custom joints have LAW_SENSORS < 0."""
    for m in range(I[LAWS]):
        law = law_row(I, m)
        for n in range(I[law + LAW_SENSORS]):
            k = I[law + LAW_SENSOR] + n
            measure(I, sensor_row(I, k), P, sensor_par(I, k), I, P, W, q, W, I[W_LAW_INPUT] + I[law + LAW_X])
        if I[law + LAW_SENSORS] >= 0:
            call_law(I[law + LAW_ADDRESS], t, W, I[W_LAW_INPUT] + I[law + LAW_X], W, I[W_LAW_OUTPUT] + I[law + LAW_OUT])
        for n in range(I[law + LAW_WIRES]):
            wire = wire_row(I, I[law + LAW_WIRE] + n)
            W[I[W_LAW_OUTPUT] + I[wire + WIRE_TO]] = W[I[W_LAW_OUTPUT] + I[wire + WIRE_FROM]]
