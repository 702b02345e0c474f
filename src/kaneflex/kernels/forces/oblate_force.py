"""What the oblateness J2 of a centre adds to its attraction of one body, at its mass centre.

With r the mass centre from the attracting centre, n = r/|r|, a the centre's axis, R its radius, s = a.n,

    V = mu m J2 R^2/(2 r^3) (3 s^2 - 1)                                                             (1)
    f = -3/2 mu m J2 R^2/r^4 [(1 - 5 s^2) n + 2 s a]                                                (2)

The body's own size is left out here. On a mode the force acts by what it moves the mass centre.

Value: mu; POINT_OTHER: the attracting centre in N. Parameters: J2, R, a (unit vector, inertial axes).
Ref: Vallado, Fundamentals of Astrodynamics and Applications, section 8.6.
"""

from kaneflex.kernels.algebra import add, dot, load3, load33, scale, sub, tmul
from kaneflex.kernels.bodies.dispatch import body_attraction, mass_properties
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt

OBLATE_FORCE = 42
FACTS = LoadFacts(OBLATE_FORCE, value=1, letter="mu", parameters=("J2", "R"), apart=("oblate_force",))


def oblateness(mu, J2, radius, a, r):
    """(2) and (1) at a place r, both over m."""
    square = dot(r, r)
    distance = sqrt(square)
    n = scale(1 / distance, r)
    s, k = dot(a, n), mu * J2 * radius * radius / (2 * square * distance)
    return scale(-3 * k / distance, add(scale(1 - 5 * s * s, n), scale(2 * s, a))), k * (3 * s * s - 1)


def add_oblateness(I, P, W, m, mass, c, fall, per_mass, power):
    """Put the force on the body of load m, at its mass centre c; note its energy, and its power in a frame that moves."""
    i = I[force_row(I, m) + FORCE_BODY]
    f, zero = tmul(load33(W, body_work(i) + R_NM), scale(mass, fall)), 0 * power
    apply_force(W, i, c, f)
    record_energy(I, W, m, mass * per_mass, mass * power, zero)
    body_attraction(I, P, W, m, i, mass, c, f, f, zero, per_mass)  # without gravity gradient, no direction is read


def oblate_force(I, P, W, m):
    """Eqs. (1) and (2)."""
    i, g = I[force_row(I, m) + FORCE_BODY], force_par(I, m)
    mass, h, _ = mass_properties(I, P, W, i)
    c = scale(1 / mass, h)
    r = sub(point_place(W, body_work(i), c), load3(P, g + POINT_OTHER))
    a = load3(P, g + FORCE_LAW + 2)
    fall, per_mass = oblateness(P[g + VALUE], P[g + FORCE_LAW], P[g + FORCE_LAW + 1], a, r)
    add_oblateness(I, P, W, m, mass, c, fall, per_mass, 0 * per_mass)
