"""A constraint that the user wrote, holonomic or of the speeds, in coordinates, positions and rotations.

Its law gives for every equation: value, derivatives by what it sees (of the rates, for one of the speeds), the part that
depends on time alone, and gamma without the second derivatives of what it sees. A position's second derivative is
a + alpha x r + omega x (omega x r); a rotation's columns x turn with omega: omega x x, alpha x x + omega x (omega x x).
The inertial frame takes the reaction, see the package's docstring.
"""

from kaneflex.kernels.algebra import accumulate3, add, column, cross, dot, load3, load33, matmul, scale, tmul
from kaneflex.kernels.constraints.ends import body_arm, body_omega, body_origin, centripetal
from kaneflex.kernels.layout import *
from kaneflex.kernels.sensors import SENSE_POSITION, SENSE_ROTATION


def user_rows(I, P, W, e):
    """The equations of constraint e; its law has been evaluated."""
    b = constraint_row(I, e)
    seen = I[b + CONSTRAINT_SEEN]
    for n in range(I[b + CONSTRAINT_ROWS]):
        place = equation_work(I, I[b + CONSTRAINT_ROW] + n)
        x = I[W_LAW_OUTPUT] + I[b + CONSTRAINT_LAW_OUTPUT] + n * (seen + 3)
        W[place + VALUE_] = W[x]
        W[place + EXPLICIT] = W[x + 1 + seen]
        W[place + GAMMA] = W[x + 2 + seen]
        for a in range(I[b + ATTACHMENTS]):
            for k in range(6):
                W[wrench_work(I, e, n, a) + k] = 0 * W[x]
        for m in range(I[b + CONSTRAINT_SENSORS]):
            s = sensor_row(I, I[b + CONSTRAINT_SENSOR] + m)
            if I[s + SENSOR_KIND] == SENSE_POSITION or I[s + SENSOR_KIND] == SENSE_ROTATION:
                user_wrench(I, P, W, e, n, I[b + CONSTRAINT_SENSOR] + m, x + 1 + I[s + SENSOR_OUT])


def attachment_of(I, e, sensor):
    """Which of constraint e's attachments is on the sensor's body."""
    b, s = constraint_row(I, e), sensor_row(I, sensor)
    found = 0 * I[b + ATTACHMENTS]
    for a in range(I[b + ATTACHMENTS]):
        if I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED] == I[s + SENSOR_BODY]:
            found = a
    return found


def user_wrench(I, P, W, e, n, sensor, x):
    """Wrench from the derivatives at x by a position or a rotation, and what it adds to gamma. Attachment 0 is N."""
    s, g = sensor_row(I, sensor), sensor_par(I, sensor)
    w, z = body_work(I[s + SENSOR_BODY]), 0 * W[x]
    omega = body_omega(W, w)
    torque, force, base = (z, z, z), (z, z, z), (z, z, z)
    if I[s + SENSOR_KIND] == SENSE_POSITION:
        arm, force = body_arm(W, w, load3(P, g + SENSOR_POINT)), load3(W, x)
        torque = cross(arm, force)
        base = cross(add(body_origin(W, w), arm), force)
        gamma = dot(force, centripetal(omega, arm))
    else:
        R, gamma = matmul(load33(W, w + R_NM), load33(P, g + SENSOR_FRAME)), z
        for k in range(3):
            axis, slope = column(R, k), (W[x + k], W[x + 3 + k], W[x + 6 + k])
            torque = add(torque, cross(axis, slope))
            gamma += dot(slope, centripetal(omega, axis))
        base = torque
    W[equation_work(I, I[constraint_row(I, e) + CONSTRAINT_ROW] + n) + GAMMA] += gamma
    place, ground = wrench_work(I, e, n, attachment_of(I, e, sensor)), wrench_work(I, e, n, 0 * e)
    R = load33(W, w + R_NM)
    accumulate3(W, place, tmul(R, torque))
    accumulate3(W, place + 3, tmul(R, force))
    accumulate3(W, ground, scale(-1, base))
    accumulate3(W, ground + 3, scale(-1, force))


def user_terms(I, W, e):
    """Coefficients of constraint e's terms: the derivatives by coordinates that its law gave."""
    b = constraint_row(I, e)
    for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
        s = term_row(I, m)
        x = I[b + CONSTRAINT_LAW_OUTPUT] + I[s + TERM_ROW] * (I[b + CONSTRAINT_SEEN] + 3) + 1 + I[s + TERM_SEEN]
        W[I[W_TERM] + m] = W[I[W_LAW_OUTPUT] + x]
