"""Kinetic energy, gravity's potential, momentum and mass centre of groups of bodies, the whole system being the first.

    T = 1/2 sum (m v.v + 2 v.(omega x h) + omega.J omega) + 1/2 sum J_s s^2 ,   P = sum (m v + omega x h) ,
    H = sum (p x P_i + h x v + J omega) + sum J_s s a_s      about the inertial origin,                                (1)

with the properties of the instant, to which a flexible body adds the momenta s'sigma and D'sigma of its modal speeds and
their own, by the modal mass matrix; T alone counts the fluid that bodies move along, by their added inertia. J is
without the rotors' axial inertia, whose share is in s (see `inertia`).

The mass centre c = sum (m p + h)/M has the velocity and the acceleration

    c-dot  = (P + sum (m-dot (p - c) + h-dot))/M ,                                                                    (2)
    c-ddot = sum (P-dot_i + 2 m-dot (v - c-dot) + 2 omega x h-dot + m-ddot (p - c) + h-ddot)/M ,                      (3)

P-dot_i = m a + alpha x h + omega x (omega x h) being the inertia force of a body with the properties of the instant, (2) of
`modal` for a flexible one. Rates of m and h in the body's axes are those of bodies of variable mass: where there are none,
P = M c-dot. Sums about c take p - c first, so that nothing cancels far from the origin.
"""

from kaneflex.kernels.added_inertia import added_energy
from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    load3,
    load33,
    mul,
    scale,
    store3,
    store33,
    sub,
    sym_add,
    sym_congruence,
    sym_full,
    sym_mul,
    sym_rank_one,
    transpose,
)
from kaneflex.kernels.bodies.dispatch import mass_changes, mass_properties
from kaneflex.kernels.bodies.modal import modal_mass_entry, modal_momentum_rate
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.inertia import rotor_momentum
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import three_products


def body_momentum(I, P, W, i):
    """Momentum of body i and its angular momentum about the origin of M but for rotors, in axes of M, and the parts of
    both that its modal speeds have."""
    w, (m, h, J) = body_work(i), mass_properties(I, P, W, i)
    v, omega = load3(W, w + V_), load3(W, w + OMEGA)
    z = 0 * omega[0]
    flow, turn = (z, z, z), (z, z, z)
    if I[body_row(i) + MODES] > 0:
        modes, sigma, own = I[body_row(i) + MODES], modal_work(I, i, SIGMA), modal_work(I, i, OWN_COUPLING)
        turn, flow = three_products(W, own, sigma, modes), three_products(W, own + 3 * modes, sigma, modes)
    linear = add(add(scale(m, v), cross(omega, h)), flow)
    return linear, add(add(sym_mul(J, omega), turn), cross(h, v)), flow, turn


def group_body(I, m, n):
    """The n-th body of group m."""
    return I[I[I_MEMBER] + I[group_row(I, m) + GROUP_BODY] + n]


def group_rotor(I, m, n):
    """The n-th rotor of group m."""
    return I[I[I_MEMBER] + I[group_row(I, m) + GROUP_ROTOR] + n]


def totals(I, P, W, m):
    """Eq. (1) and mass times mass centre of group m; after `forward_pass` and `place`."""
    z, out = 0 * W[OMEGA], group_work(I, m)
    T, momentum, angular, moment, total = z, (z, z, z), (z, z, z), (z, z, z), z
    for n in range(I[group_row(I, m) + GROUP_BODIES]):
        i = group_body(I, m, n)
        w, (mass, h, J) = body_work(i), mass_properties(I, P, W, i)
        R, p, v, omega = load33(W, w + R_NM), load3(W, w + P_NM), load3(W, w + V_), load3(W, w + OMEGA)
        linear, own, flow, turn = body_momentum(I, P, W, i)
        T += (dot(v, add(linear, add(cross(omega, h), flow))) + dot(omega, add(add(sym_mul(J, omega), turn), turn))) / 2
        if I[body_row(i) + ADDED] > 0:
            T += added_energy(I, P, W, i)
        if I[body_row(i) + MODES] > 0:
            modes, sigma = I[body_row(i) + MODES], modal_work(I, i, SIGMA)
            for j in range(modes):
                for k in range(modes):
                    T += modal_mass_entry(I, W, i, j, k) * W[sigma + j] * W[sigma + k] / 2
        linear = mul(R, linear)
        momentum = add(momentum, linear)
        angular = add(angular, add(cross(p, linear), mul(R, own)))
        moment = add(moment, add(scale(mass, p), mul(R, h)))
        total += mass
    for n in range(I[group_row(I, m) + GROUP_ROTORS]):
        k = group_rotor(I, m, n)
        w, spin = body_work(I[rotor_row(I, k) + ROTOR_BODY]), rotor_momentum(I, P, W, k)
        T += spin * spin / (2 * P[rotor_par(I, k) + ROTOR_INERTIA])
        angular = add(angular, mul(load33(W, w + R_NM), scale(spin, load3(P, rotor_par(I, k) + ROTOR_AXIS))))
    W[out + KINETIC] = T
    W[out + GRAVITY_POTENTIAL] = -dot(moment, load3(P, I[P_GRAVITY]))
    W[out + TOTAL_MASS] = total
    store3(W, out + LINEAR_MOMENTUM, momentum)
    store3(W, out + ANGULAR_MOMENTUM, angular)
    store3(W, out + TOTAL_MOMENT, moment)


def centre(I, P, W, m):
    """Mass centre of group m, Eq. (2), and angular momentum and inertia about it; after `totals`."""
    z, out = 0 * W[OMEGA], group_work(I, m)
    c = scale(1 / W[out + TOTAL_MASS], load3(W, out + TOTAL_MOMENT))
    angular, inertia, drift = (z, z, z), (z, z, z, z, z, z), load3(W, out + LINEAR_MOMENTUM)
    for n in range(I[group_row(I, m) + GROUP_BODIES]):
        i = group_body(I, m, n)
        w, (mass, h, J) = body_work(i), mass_properties(I, P, W, i)
        R, arm = load33(W, w + R_NM), sub(load3(W, w + P_NM), c)
        linear, own, _, _ = body_momentum(I, P, W, i)
        angular = add(angular, add(cross(arm, mul(R, linear)), mul(R, own)))
        J = central_inertia(sym_congruence(transpose(R), J), mass / 2, arm, arm)
        J = central_inertia(J, 1, arm, mul(R, h))
        inertia = sym_add(inertia, J)
        mass_rate, moment_rate, _, _ = mass_changes(I, P, W, i)
        drift = add(drift, add(scale(mass_rate, arm), mul(R, moment_rate)))
    for n in range(I[group_row(I, m) + GROUP_ROTORS]):
        k = group_rotor(I, m, n)
        w = body_work(I[rotor_row(I, k) + ROTOR_BODY])
        axis = mul(load33(W, w + R_NM), load3(P, rotor_par(I, k) + ROTOR_AXIS))
        angular = add(angular, scale(rotor_momentum(I, P, W, k), axis))
        inertia = sym_rank_one(inertia, -P[rotor_par(I, k) + ROTOR_INERTIA], axis)
    store3(W, out + CENTRE, c)
    store3(W, out + CENTRE_VELOCITY, scale(1 / W[out + TOTAL_MASS], drift))
    store3(W, out + CENTRAL_MOMENTUM, angular)
    store33(W, out + CENTRAL_INERTIA, sym_full(inertia))


def accelerate_centre(I, P, W, m):
    """Eq. (3) for group m; after `centre` and `accelerate`."""
    z, out = 0 * W[OMEGA], group_work(I, m)
    force, c, drift = (z, z, z), load3(W, out + CENTRE), load3(W, out + CENTRE_VELOCITY)
    for n in range(I[group_row(I, m) + GROUP_BODIES]):
        i = group_body(I, m, n)
        w, (mass, h, _) = body_work(i), mass_properties(I, P, W, i)
        R, omega = load33(W, w + R_NM), load3(W, w + OMEGA)
        mass_rate, moment_rate, mass_second, moment_second = mass_changes(I, P, W, i)
        f = add(scale(mass, load3(W, w + A_)), cross(load3(W, w + ALPHA), h))
        f = add(f, cross(omega, add(cross(omega, h), scale(2, moment_rate))))
        if I[body_row(i) + MODES] > 0:
            f = add(f, modal_momentum_rate(I, P, W, i))
        force = add(force, mul(R, add(f, moment_second)))
        away, apart = sub(load3(W, w + P_NM), c), sub(mul(R, load3(W, w + V_)), drift)
        force = add(force, add(scale(2 * mass_rate, apart), scale(mass_second, away)))
    store3(W, out + CENTRE_ACCELERATION, add(scale(1 / W[out + TOTAL_MASS], force), load3(P, I[P_GRAVITY])))


def sum_groups(I, P, W, solved):
    """The rows of all groups; their accelerations where the equations are solved."""
    for m in range(I[GROUPS]):
        totals(I, P, W, m)
        centre(I, P, W, m)
        if solved > 0:
            accelerate_centre(I, P, W, m)
