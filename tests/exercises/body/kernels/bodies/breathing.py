"""A body whose inertia about the mass centre, at the origin of M, grows and shrinks as a whole: J = s(t) J_0.

What moves inside has no swirl, so that J omega is kept: torque -J-dot omega.
"""

from kaneflex.kernels.algebra import accumulate3, dot, load3, scale, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import rigid_properties, store_inertia
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import (
    BODY_LAW,
    FORCE_BODY,
    LAW_ADDRESS,
    LAW_OUT,
    LAW_X,
    OMEGA,
    TORQUE,
    W_LAW_INPUT,
    W_LAW_OUTPUT,
    body_row,
    body_work,
    force_row,
    law_row,
)
from kaneflex.kernels.ops import call_law

BREATHING = 77
FACTS = BodyFacts(BREATHING, outputs=2, force="muscles", apart=("breathing_inertia", "breathing_force"))


def breathing_outputs(I, i):
    """Place in W of s and s-dot."""
    return I[W_LAW_OUTPUT] + I[law_row(I, I[body_row(i) + BODY_LAW]) + LAW_OUT]


def breathing_inertia(I, P, W, t, i):
    """Inertia of the time t."""
    law = law_row(I, I[body_row(i) + BODY_LAW])
    call_law(I[law + LAW_ADDRESS], t, W, I[W_LAW_INPUT] + I[law + LAW_X], W, breathing_outputs(I, i))
    m, h, J = breathing_properties(I, P, W, i)
    store_inertia(W, body_work(i), m, h, J)


def breathing_properties(I, P, W, i):
    """Mass, mass moment and inertia."""
    m, h, J = rigid_properties(P, W, i)
    s = W[breathing_outputs(I, i)]
    return m, h, (s * J[0], s * J[1], s * J[2], s * J[3], s * J[4], s * J[5])


def breathing_force(I, P, W, m):
    """Torque -J-dot omega; with the energy that goes into the motion inside, its power is half of it."""
    i = I[force_row(I, m) + FORCE_BODY]
    omega = load3(W, body_work(i) + OMEGA)
    _, _, J = rigid_properties(P, W, i)
    turn = scale(W[breathing_outputs(I, i) + 1], sym_mul(J, omega))
    accumulate3(W, body_work(i) + TORQUE, turn)
    record_energy(I, W, m, 0 * omega[0], -dot(omega, turn) / 2, 0 * omega[0])
