"""Soft ground below a slender straight element of a body, with friction.

Per length, with s the depth of the element's lower side in the ground, n the ground's normal, v the velocity of the axis and
v' = v - (v.n) n, e' = e - (e.n) n for the axis e,

    N = k s - c v.n   where s > 0, and never less than 0 ,                                                              (1)
    f = N n - N [mu (v'.e') e' + mu' (v' - (v'.e') e')]/sqrt(v'.v' + w^2) ,                                             (2)

so that friction is mu N along and mu' N across the element where it slips faster than w, and viscous below: an element that
should stick creeps, slower than w. The spring's energy is k s^2/2 per length; all else is lost.
The sum over the element is Gauss's rule with two points.

POINT and POINT_OTHER: Gauss's points; FRAME: its x axis is e; VALUE: n.
Parameters: length, k, c, mu, mu', w, height of the axis along n where the element touches.
"""

from kaneflex.kernels.algebra import add, dot, load3, load33, mul, scale, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_place, point_velocity
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import ramp, sqrt, step

GROUND_CONTACT = 33
FACTS = LoadFacts(GROUND_CONTACT, apart=("ground_contact",))


def ground_contact(I, P, W, m):
    """Eqs. (1) and (2) at the two points of Gauss."""
    b, g = force_row(I, m), force_par(I, m)
    i, law = I[b + FORCE_BODY], g + FORCE_LAW
    w, z, n, slip = body_work(i), 0 * W[OMEGA], load3(P, g + VALUE), P[law + 5]
    R = load33(W, w + R_NM)
    e = mul(R, (P[g + FRAME], P[g + FRAME + 3], P[g + FRAME + 6]))
    e = sub(e, scale(dot(e, n), n))
    potential, lost = z, z
    for k in range(2):
        p = load3(P, g + POINT + 3 * k)
        depth, v = P[law + 6] - dot(n, point_place(W, w, p)), point_velocity(W, w, p)
        rate = dot(v, n)
        spring = P[law + 1] * ramp(depth)
        N = step(depth) * ramp(spring - P[law + 2] * rate)
        v = sub(v, scale(rate, n))
        along_axis = scale(dot(v, e), e)
        rubbed = add(scale(P[law + 3], along_axis), scale(P[law + 4], sub(v, along_axis)))
        friction = scale(-N / sqrt(dot(v, v) + slip * slip), rubbed)
        half_length = P[law] / 2
        apply_force(W, i, p, tmul(R, scale(half_length, add(scale(N, n), friction))))
        potential += half_length * spring * ramp(depth) / 2
        lost += half_length * ((N - spring) * rate + dot(friction, v))
    record_energy(I, W, m, potential, z, lost)
