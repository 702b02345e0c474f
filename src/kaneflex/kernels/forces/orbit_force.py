"""Attraction by a centre in a frame N that falls along a reference orbit without turning: the difference of two attractions.

With R(t) the origin of N from the centre, and d the body's mass centre from there, r = R + d,

    f = -mu m (r/|r|^3 - R/|R|^3) = -mu m/|R|^3 (d + g r) ,                                                              (1)
    g = (1 + q)^(-3/2) - 1 = -q (3 + 3 q + q^2)/(s (1 + s)) ,   q = d.(d + 2 R)/R^2 ,   s = (1 + q)^(3/2) ,

in which nothing cancels: 1e-9 m count beside 7e6 m. It has the potential

    V = -mu m (1/|r| - 1/|R| + d.R/|R|^3) = -mu m/|R| (x q (1 + 1/(1 + w)) - y)/(w (1 + w)) ,                            (2)
    x = d.R/R^2 ,   y = d.d/R^2 ,   w = (1 + q)^(1/2) ,

which changes with R(t). Its rate at a given d is the power that the moving frame applies,

    mu m/|R|^3 ((g + 3 x) R.R' + g d.R') ,                                                                              (3)
    g + 3 x = q^2 (3 (3 + 3 q + q^2)/(1 + s) + 3 + 7 q + 3 q^2)/(2 s (1 + s)) - 3 y/2 .

Gradient of gravity, torque, and forces on modes are those of `central_force`.

Value: R and R', of a function of time, inertial axes. Parameter: mu.
Ref: Battin, An Introduction to the Mathematics and Methods of Astrodynamics (1987), section 9.6 (Encke's method).
"""

from kaneflex.kernels.algebra import add, dot, load3, load33, scale, tmul
from kaneflex.kernels.bodies.dispatch import body_attraction
from kaneflex.kernels.forces.central_force import attracted_body, gradient
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, apply_torque, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt

ORBIT_FORCE = 41
FACTS = LoadFacts(ORBIT_FORCE, value=6, parameters=("mu",), apart=("orbit_force",))


def orbit_force(I, P, W, m):
    """Eqs. (1) to (3)."""
    i, out = I[force_row(I, m) + FORCE_BODY], I[W_LAW_OUTPUT] + I[force_row(I, m) + FORCE_LAW_OUTPUT]
    w, mu = body_work(i), P[force_par(I, m) + FORCE_LAW]
    mass, c, J = attracted_body(I, P, W, i)
    axes, R, V, d = load33(W, w + R_NM), load3(W, out), load3(W, out + 3), point_place(W, w, c)
    square = dot(R, R)
    size, x, y = sqrt(square), dot(d, R) / square, dot(d, d) / square
    q = 2 * x + y
    root = sqrt(1 + q)
    cube, k0, r, series = (1 + q) * root, mu / (square * size), add(R, d), 3 + 3 * q + q * q
    g = -q * series / (cube * (1 + cube))
    fall = scale(-k0, add(d, scale(g, r)))
    distance = size * root
    n, k = tmul(axes, scale(1 / distance, r)), k0 / cube
    energy, own, torque = gradient(k, distance, n, J)
    f = add(scale(mass, tmul(axes, fall)), own)
    per_mass = -mu / size * (x * q * (1 + 1 / (1 + root)) - y) / (root * (1 + root))
    apply_force(W, i, c, f)
    apply_torque(W, i, torque)
    bend = q * q * (3 * series / (1 + cube) + 3 + 7 * q + 3 * q * q) / (2 * cube * (1 + cube)) - 3 * y / 2
    moved = mass * k0 * (bend * dot(R, V) + g * dot(d, V)) - dot(own, tmul(axes, V))
    record_energy(I, W, m, energy + mass * per_mass, moved, 0 * moved)
    body_attraction(I, P, W, m, i, mass, c, n, f, k, per_mass)
