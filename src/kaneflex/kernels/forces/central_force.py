"""Attraction by a distant centre on one body, to second order in its size (MacCullagh).

With r the mass centre from the attracting centre, n = r/|r|, and J the body's central inertia,

    V = -mu m/r - mu/(2 r^3) (tr J - 3 n.Jn)                                                        (1)
    f = -mu m/r^2 n - 3 mu/(2 r^4) [(tr J - 5 n.Jn) n + 2 J n]                                       (2)
    t = 3 mu/r^3 n x J n        (gravity gradient, about the mass centre)                             (3)

(2) and (3) both follow from (1), so that energy is conserved to rounding.
Mass, mass centre and J are those of the instant. On mode k of a flexible body the same (1) exerts

    f . dc/d eta_k + mu/(2 r^3) (tr J_k - 3 n.J_k n) ,    J_k = d(central inertia)/d eta_k .                          (4)

Value: (mu, 0, 0); POINT_OTHER: the attracting centre in N. The axial inertia of rotors, which the body's own data lack, is
in J.
Ref: Hughes, Spacecraft Attitude Dynamics (1986), section 8.1.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, load33, scale, sub, sym_mul, tmul
from kaneflex.kernels.bodies.dispatch import body_attraction, mass_properties
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, apply_torque, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt

CENTRAL_FORCE = 3
FACTS = LoadFacts(CENTRAL_FORCE, value=1, letter="mu")


def with_rotors(I, P, i, J):
    """The inertia J of body i with that of its rotors about their axes."""
    for n in range(I[ROTORS]):
        if I[rotor_row(I, n) + ROTOR_BODY] == i:
            g = rotor_par(I, n)
            a, j = load3(P, g + ROTOR_AXIS), P[g + ROTOR_INERTIA]
            J = (
                J[0] + j * a[0] * a[0],
                J[1] + j * a[0] * a[1],
                J[2] + j * a[0] * a[2],
                J[3] + j * a[1] * a[1],
                J[4] + j * a[1] * a[2],
                J[5] + j * a[2] * a[2],
            )
    return J


def attracted_body(I, P, W, i):
    """Mass, mass centre and central inertia of body i, as attraction sees them."""
    mass, h, J = mass_properties(I, P, W, i)
    c = scale(1 / mass, h)
    return mass, c, with_rotors(I, P, i, central_inertia(J, -mass / 2, c, c))


def gradient(k, distance, n, J):
    """What J adds to (1), to (2), and the torque (3); k = mu/r^3."""
    Jn = sym_mul(J, n)
    trace, nJn = J[0] + J[3] + J[5], dot(n, Jn)
    f = add(scale(-3 * k * (trace - 5 * nJn) / (2 * distance), n), scale(-3 * k / distance, Jn))
    return -k * (trace - 3 * nJn) / 2, f, scale(3 * k, cross(n, Jn))


def central_force(I, P, W, m, z):
    """Eqs. (1) to (4)."""
    i, g = I[force_row(I, m) + FORCE_BODY], force_par(I, m)
    w, mu = body_work(i), P[g + VALUE]
    mass, c, J = attracted_body(I, P, W, i)
    r = tmul(load33(W, w + R_NM), sub(point_place(W, w, c), load3(P, g + POINT_OTHER)))
    distance = sqrt(dot(r, r))
    n = scale(1 / distance, r)
    k = mu / (distance * distance * distance)
    energy, f, torque = gradient(k, distance, n, J)
    f = add(scale(-k * mass * distance, n), f)
    apply_force(W, i, c, f)
    apply_torque(W, i, torque)
    record_energy(I, W, m, energy - mu * mass / distance, z, z)
    body_attraction(I, P, W, m, i, mass, c, n, f, k, -mu / distance)
