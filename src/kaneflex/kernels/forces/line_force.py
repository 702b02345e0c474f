"""Spring and damper between two points: tension T = k (l - l0) + c l-dot + (value), along the line.

With the slack option the line only pulls: T = 0 while l < l0, and never negative.
Parameters: stiffness k, damping c, free length l0, slack (1 or 0).
"""

from kaneflex.kernels.algebra import dot, load3, load33, scale, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy, scalar_value
from kaneflex.kernels.kinematics import point_place, point_velocity
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import ramp, sqrt, step

LINE_FORCE = 2
FACTS = LoadFacts(LINE_FORCE, value=1, parameters=("k", "c", "l"))


def line_force(I, P, W, m, z):
    """Equal and opposite forces on the two bodies; the spring's energy, the damper's and the value's power."""
    b, g = force_row(I, m), force_par(I, m)
    i, j = I[b + FORCE_BODY], I[b + FORCE_OTHER]
    p, r = load3(P, g + POINT), load3(P, g + POINT_OTHER)
    k, c, rest, slack = P[g + FORCE_LAW], P[g + FORCE_LAW + 1], P[g + FORCE_LAW + 2], P[g + FORCE_LAW + 3]
    d = sub(point_place(W, body_work(j), r), point_place(W, body_work(i), p))
    length = sqrt(dot(d, d))
    n = scale(1 / length, d)
    speed = dot(n, sub(point_velocity(W, body_work(j), r), point_velocity(W, body_work(i), p)))
    stretch, pull = length - rest, scalar_value(I, P, W, m, z)
    spring = k * (slack * ramp(stretch) + (1 - slack) * stretch)
    damper = c * speed
    clipped = step(stretch) * ramp(spring + damper) - spring
    damper = slack * clipped + (1 - slack) * damper
    f = scale(spring + damper + pull, n)
    apply_force(W, i, p, tmul(load33(W, body_work(i) + R_NM), f))
    if j > 0:
        apply_force(W, j, r, tmul(load33(W, body_work(j) + R_NM), scale(-1, f)))
    record_energy(I, W, m, spring * (slack * ramp(stretch) + (1 - slack) * stretch) / 2, -pull * speed, -damper * speed)
