"""Attraction between two bodies, each as a point at its mass centre: f = G m m'/r^2 along the line, V = -G m m'/r.

On a mode the force acts by what it moves the mass centre.
Value: G. FORCE_BODY and FORCE_OTHER: the bodies.
"""

from kaneflex.kernels.algebra import dot, load33, scale, sub, tmul
from kaneflex.kernels.bodies.dispatch import body_attraction, mass_properties
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt

MUTUAL_FORCE = 43
FACTS = LoadFacts(MUTUAL_FORCE, value=1, letter="G", apart=("mutual_force",))


def mutual_force(I, P, W, m):
    """Equal and opposite forces at the two mass centres."""
    i, j, G = I[force_row(I, m) + FORCE_BODY], I[force_row(I, m) + FORCE_OTHER], P[force_par(I, m) + VALUE]
    (mass, h, _), (other, h_other, _) = mass_properties(I, P, W, i), mass_properties(I, P, W, j)
    c, c_other = scale(1 / mass, h), scale(1 / other, h_other)
    d = sub(point_place(W, body_work(j), c_other), point_place(W, body_work(i), c))
    square = dot(d, d)
    distance = sqrt(square)
    f = scale(G * mass * other / (square * distance), d)
    n = scale(1 / distance, d)
    first = tmul(load33(W, body_work(i) + R_NM), f)
    second = tmul(load33(W, body_work(j) + R_NM), scale(-1, f))
    apply_force(W, i, c, first)
    apply_force(W, j, c_other, second)
    zero = 0 * distance
    record_energy(I, W, m, -G * mass * other / distance, zero, zero)
    body_attraction(I, P, W, m, i, mass, c, n, first, zero, -G * other / distance)
    body_attraction(I, P, W, m, j, other, c_other, n, second, zero, -G * mass / distance)
