"""Coulomb's friction on a point that slides on a plane: f = -mu N s on the point, its opposite on the plane's body there.

N is the normal force of the plane, which depends on f in turn: `formulations.evaluate.solve_normal_forces` writes it
to the law outputs. s is the direction of w v + e, v being the slip and e a unit vector. With w so large that any slip that
counts is much more than e, e says where to slip begins. With w = 0 it alone is the direction: that of a slip known
beforehand, see `simulate.onset`.

Parameters from VALUE on: mu, w, t0, then the six coefficients of the angle of e, in rad from the plane's first axis towards
its second, by powers of t - t0. The signal is N, then e in the plane's first two axes, which `aim` sets.
"""

from kaneflex.kernels.algebra import load3, load33, matmul, mul, scale, sub, tmul
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_place, point_velocity
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin, sqrt


def aim(I, P, W, m, t):
    """Set e of load m at time t, s."""
    x, g = I[W_LAW_OUTPUT] + I[force_row(I, m) + FORCE_LAW_OUTPUT], force_par(I, m) + VALUE
    angle = 0 * t
    for k in range(5, -1, -1):
        angle = P[g + 3 + k] + angle * (t - P[g + 2])
    W[x + 1] = 0 * W[x] + cos(angle)
    W[x + 2] = 0 * W[x] + sin(angle)


def sliding_friction(I, P, W, m):
    """Friction of load m, and the power that it takes."""
    b, g, z = force_row(I, m), force_par(I, m), 0 * W[OMEGA]
    i, j, p = I[b + FORCE_BODY], I[b + FORCE_OTHER], load3(P, g + POINT)
    R = load33(W, body_work(j) + R_NM)
    A = matmul(R, load33(P, g + FRAME))
    r = tmul(R, sub(point_place(W, body_work(i), p), load3(W, body_work(j) + P_NM)))
    v = tmul(A, sub(point_velocity(W, body_work(i), p), point_velocity(W, body_work(j), r)))
    N, w = I[W_LAW_OUTPUT] + I[b + FORCE_LAW_OUTPUT], P[g + VALUE + 1]
    x, y = w * v[0] + W[N + 1], w * v[1] + W[N + 2]
    size = -P[g + VALUE] * W[N] / sqrt(x * x + y * y)
    f = mul(A, (size * x, size * y, z))
    apply_force(W, i, p, tmul(load33(W, body_work(i) + R_NM), f))
    if j > 0:
        apply_force(W, j, r, tmul(R, scale(-1, f)))
    record_energy(I, W, m, z, z, size * (x * v[0] + y * v[1]))
