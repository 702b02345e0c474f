"""Coulomb's friction on a point that slides on a plane: f = -mu N s on the point, its opposite on the plane's body there.

N is the force with which the plane presses, which depends on f in turn: `formulations.evaluate.press` finds it and leaves
it in the signal. s is the direction of v + e, v the slip and e far less than any slip that counts: where slip begins, e
alone has a direction. Parameters: mu, then e in the plane's first two axes.
"""

from kaneflex.kernels.algebra import load3, load33, matmul, mul, scale, sub, tmul
from kaneflex.kernels.forces.value import apply_force, book
from kaneflex.kernels.kinematics import point_place, point_velocity
from kaneflex.kernels.layout import (
    FORCE_BODY,
    FORCE_LAW,
    FORCE_OTHER,
    FORCE_SIGNAL,
    FRAME,
    OMEGA,
    P_NM,
    POINT,
    R_NM,
    W_SIGNAL,
    body_work,
    force_par,
    force_row,
)
from kaneflex.kernels.ops import sqrt


def sliding_friction(I, P, W, m):
    """Friction of load m, and the power that it takes."""
    b, g, z = force_row(I, m), force_par(I, m), 0 * W[OMEGA]
    i, j, p = I[b + FORCE_BODY], I[b + FORCE_OTHER], load3(P, g + POINT)
    R = load33(W, body_work(j) + R_NM)
    A = matmul(R, load33(P, g + FRAME))
    r = tmul(R, sub(point_place(W, body_work(i), p), load3(W, body_work(j) + P_NM)))
    v = tmul(A, sub(point_velocity(W, body_work(i), p), point_velocity(W, body_work(j), r)))
    x, y = v[0] + P[g + FORCE_LAW + 1], v[1] + P[g + FORCE_LAW + 2]
    size = -P[g + FORCE_LAW] * W[I[W_SIGNAL] + I[b + FORCE_SIGNAL]] / sqrt(x * x + y * y)
    f = mul(A, (size * x, size * y, z))
    apply_force(W, i, p, tmul(load33(W, body_work(i) + R_NM), f))
    if j > 0:
        apply_force(W, j, r, tmul(R, scale(-1, f)))
    book(I, W, m, z, z, size * (x * v[0] + y * v[1]))
