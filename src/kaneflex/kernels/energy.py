"""Kinetic energy, gravity's potential, momentum and mass centre of the whole system.

    T = 1/2 sum (m v.v + 2 v.(omega x h) + omega.J omega) + 1/2 sum J_s s^2 ,   P = sum (m v + omega x h) ,
    H = sum (p x P_i + h x v + J omega) + sum J_s s a_s      about the inertial origin,

with the properties of the instant, to which a flexible body adds the momenta s'sigma and D'sigma of its modal speeds and
their own, by the modal mass matrix;
J without the rotors' axial inertia, whose share is in s (see `inertia`).
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, load33, mul, scale, sym_mul
from kaneflex.kernels.bodies.dispatch import mass_properties
from kaneflex.kernels.bodies.modal import modal_mass_entry
from kaneflex.kernels.inertia import rotor_momentum
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import three_products

KINETIC = 0
GRAVITY_POTENTIAL = 1
LINEAR_MOMENTUM = 2  # 3
ANGULAR_MOMENTUM = 5  # 3, about the inertial origin
TOTAL_MASS = 8
TOTAL_MOMENT = 9  # 3: mass times mass centre
TOTALS = 12


def totals(I, P, W, out, o):
    """Sums over all bodies and rotors, inertial axes, to out[o:o + TOTALS]; after
    `forward_pass` and `place`."""
    z = 0 * W[OMEGA]
    T, momentum, angular, moment, mass = z, (z, z, z), (z, z, z), (z, z, z), z
    for i in range(1, I[BODIES]):
        w, (m, h, J) = body_work(i), mass_properties(I, P, W, i)
        R = load33(W, w + R_NM)
        v, omega, p = load3(W, w + V_), load3(W, w + OMEGA), load3(W, w + P_NM)
        flow, turn = (z, z, z), (z, z, z)
        if I[body_row(i) + MODES] > 0:
            modes, sigma = I[body_row(i) + MODES], modal_work(I, i, SIGMA)
            turn = three_products(W, modal_work(I, i, OWN_COUPLING), W, sigma, modes)
            flow = three_products(W, modal_work(I, i, OWN_COUPLING) + 3 * modes, W, sigma, modes)
            for j in range(modes):
                for k in range(modes):
                    T += modal_mass_entry(I, W, i, j, k) * W[sigma + j] * W[sigma + k] / 2
        own = add(sym_mul(J, omega), turn)
        linear = add(add(scale(m, v), cross(omega, h)), flow)
        T += (dot(v, add(linear, add(cross(omega, h), flow))) + dot(omega, add(own, turn))) / 2
        linear = mul(R, linear)
        momentum = add(momentum, linear)
        angular = add(angular, add(cross(p, linear), mul(R, add(own, cross(h, v)))))
        moment = add(moment, add(scale(m, p), mul(R, h)))
        mass += m
    for k in range(I[ROTORS]):
        g, w = rotor_par(I, k), body_work(I[rotor_row(I, k) + ROTOR_BODY])
        spin = rotor_momentum(I, P, W, k)
        T += spin * spin / (2 * P[g + ROTOR_INERTIA])
        angular = add(angular, mul(load33(W, w + R_NM), scale(spin, load3(P, g + ROTOR_AXIS))))
    out[o + KINETIC] = T
    out[o + GRAVITY_POTENTIAL] = -dot(moment, load3(P, I[P_GRAVITY]))
    out[o + TOTAL_MASS] = mass
    for n in range(3):
        out[o + LINEAR_MOMENTUM + n] = momentum[n]
        out[o + ANGULAR_MOMENTUM + n] = angular[n]
        out[o + TOTAL_MOMENT + n] = moment[n]
