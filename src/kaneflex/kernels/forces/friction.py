"""Coulomb's friction on points that slide on planes: f = -mu N s on a point, its opposite on the plane's body there.

N is the normal force of the plane, which depends on f in turn. So it is the friction of a unit normal force that is found
here; `formulations.sliding_friction` finds N with the accelerations. s is the direction of w v + e, v being the slip and e
a unit vector. With w so large that any slip that counts is much more than e, e says where to slip begins. With w = 0 it
alone is the direction: that of a slip known beforehand, see `simulate.contact.onset`.

Parameters from VALUE on: mu, w, t0, then the six coefficients of the angle of e, in rad from the plane's first axis towards
its second, by powers of t - t0.
"""

from kaneflex.kernels.algebra import cross, load3, load33, matmul, mul, scale, store3, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.kinematics import point_place, point_velocity
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin, sqrt

FRICTION = 10
FACTS = LoadFacts(FRICTION, apart=("sliding_friction",))


def slip_angle(P, g, t):
    """The angle of e at time t, s, with the coefficients from P[g] on, after t0."""
    angle = 0 * t
    for k in range(5, -1, -1):
        angle = P[g + 1 + k] + angle * (t - P[g])
    return angle


def sliding_friction(I, P, W, n, t):
    """Wrenches and power of friction under a unit normal force, of the n-th point that slides, at time t."""
    k, m, z = friction_work(I, n), I[friction_row(I, n) + FRICTION_LOAD], 0 * W[OMEGA]
    b, g = force_row(I, m), force_par(I, m)
    i, j, p = I[b + FORCE_BODY], I[b + FORCE_OTHER], load3(P, g + POINT)
    R = load33(W, body_work(j) + R_NM)
    A = matmul(R, load33(P, g + FRAME))
    r = tmul(R, sub(point_place(W, body_work(i), p), load3(W, body_work(j) + P_NM)))
    v = tmul(A, sub(point_velocity(W, body_work(i), p), point_velocity(W, body_work(j), r)))
    angle, w = slip_angle(P, g + VALUE + 2, t), P[g + VALUE + 1]
    x, y = w * v[0] + cos(angle), w * v[1] + sin(angle)
    size = -P[g + VALUE] / sqrt(x * x + y * y)
    f = mul(A, (size * x, size * y, z))
    on, back = tmul(load33(W, body_work(i) + R_NM), f), tmul(R, scale(-1, f))
    store3(W, k + FRICTION_WRENCH, cross(p, on))
    store3(W, k + FRICTION_WRENCH + 3, on)
    store3(W, k + FRICTION_OTHER, cross(r, back))
    store3(W, k + FRICTION_OTHER + 3, back)
    W[k + FRICTION_POWER] = size * (x * v[0] + y * v[1])
    record_energy(I, W, m, z, z, z)
