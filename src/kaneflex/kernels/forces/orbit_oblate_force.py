"""What the oblateness J2 of a centre adds in a frame N that falls along a reference orbit of Kepler without turning.

The reference orbit is that of a round centre: all of the force of `oblate_force` acts, at r = R + d with R(t) the origin of
N and d the body's mass centre from there. Its potential counts from the origin of N, and changes with R(t) by

    -(f(R + d)/m - f(R)/m) . R'   per mass,                                                         (1)

which is the power that the moving frame applies.

Value: R and R', of a function of time, inertial axes. Parameters: mu, J2, R, a (unit vector, inertial axes).
"""

from kaneflex.kernels.algebra import add, dot, load3, scale, sub
from kaneflex.kernels.bodies.dispatch import mass_properties
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.oblate_force import add_oblateness, oblateness
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *

ORBIT_OBLATE_FORCE = 44
FACTS = LoadFacts(ORBIT_OBLATE_FORCE, value=6, parameters=("mu", "J2", "R"), apart=("orbit_oblate_force",))


def orbit_oblate_force(I, P, W, m):
    """Force and potential of `oblate_force`, and eq. (1)."""
    b, g = force_row(I, m), force_par(I, m)
    i, out = I[b + FORCE_BODY], I[W_LAW_OUTPUT] + I[b + FORCE_LAW_OUTPUT]
    mu, J2, radius, a = P[g + FORCE_LAW], P[g + FORCE_LAW + 1], P[g + FORCE_LAW + 2], load3(P, g + FORCE_LAW + 3)
    mass, h, _ = mass_properties(I, P, W, i)
    c, R, V = scale(1 / mass, h), load3(W, out), load3(W, out + 3)
    fall, here = oblateness(mu, J2, radius, a, add(R, point_place(W, body_work(i), c)))
    origin, there = oblateness(mu, J2, radius, a, R)
    add_oblateness(I, P, W, m, mass, c, fall, here - there, -dot(sub(fall, origin), V))
