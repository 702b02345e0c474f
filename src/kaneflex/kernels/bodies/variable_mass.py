"""A body whose contents flow and leave: mass, mass moment h = m c and inertia J are functions of time.

Let w be the velocity of the contents in the body, and let m_e leave per second through the outlet at r_e with the velocity
c_e there. The transport theorem for the volume that moves with the body, d/dt int f dm = int (Df/Dt) dm - sum m_e f_e, with
f = 1, r and r^2 1 - r r^T gives the sums over the flow that matter,

    m-dot = -sum m_e ,    g = int w dm = h-dot + sum m_e r_e ,                                                          (1)
    2 int r x (omega x w) dm = J-dot omega + sum m_e r_e x (omega x r_e) + omega x l ,    l = int r x w dm ,             (2)

and with f = w and r x w those over the accelerations Dw/Dt of the contents in the body, g-dot + sum m_e c_e and
l-dot + sum r_e x m_e c_e. A particle's acceleration is a + alpha x r + omega x (omega x r) + 2 omega x w + Dw/Dt: summed
over the contents, it leaves besides the inertia force of a rigid body with the properties of the instant

    force  = -2 omega x g - g-dot - sum m_e c_e                                                                        (3)
    torque = -(J-dot omega + sum m_e r_e x (omega x r_e)) - omega x l - l-dot - sum r_e x m_e c_e                      (4)

on the body, about the origin of M: thrust, jet damping, and the reaction to contents that are set in motion. The swirl l
alone does not follow from the properties: l = l_O + r_O x g, with l_O about the body's own origin O, which is zero unless it
is given (a flow that is straight or symmetric as seen from there has none: put O on its axis). Where contents circulate (a
vortex in a tank, a liquid that does not take part in the body's rotation) and l_O does not tell, their momentum is missing.

The properties change at a given place and velocity too, which takes power. With p and R the place and orientation of M and G
uniform gravity, the power noted is that of (3) and (4) and

    m-dot v.v/2 + v.(omega x h-dot) + omega.J-dot omega/2 - G.(m-dot p + R h-dot) .                                     (5)

The contents have the momentum m v + omega x h + g, and h x v + J omega + l about M; `energy` counts them without g and l.
Ref: Thomson, Introduction to Space Dynamics (1961), chapter 8; Eke and Wang, Journal of Applied Mechanics 61 (1994), 855.
"""

from kaneflex.kernels.algebra import accumulate3, add, cross, dot, load3, load6, load33, mul, scale, sub, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import central_inertia, store_inertia
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import call_law

VARIABLE_MASS = 2
# outputs of the body's function, in axes of M about its origin
VM_MASS = 0
VM_MOMENT = 1  # 3: h
VM_INERTIA = 4  # 6: J, less the axial inertia of rotors
VM_MASS_RATE = 10
VM_MOMENT_RATE = 11  # 3: h-dot
VM_INERTIA_RATE = 14  # 6: J-dot
VM_FLOW = 20  # 3: g
VM_FLOW_RATE = 23  # 3: g-dot
VM_SWIRL = 26  # 3: l
VM_SWIRL_RATE = 29  # 3: l-dot
VM_JET = 32  # 6: K, with sum m_e r_e x (omega x r_e) = K omega
VM_EXIT_FORCE = 38  # 3: sum m_e c_e
VM_EXIT_TORQUE = 41  # 3: sum r_e x m_e c_e
VM_MASS_SECOND = 44  # rate of the rate of the mass,
VM_MOMENT_SECOND = 45  # 3: and of that of h
VM_OUTPUTS = 48
FACTS = BodyFacts(VARIABLE_MASS, VM_OUTPUTS, "outlets", apart=("variable_mass_inertia", "variable_mass_force"))


def variable_mass_outputs(I, i):
    """Place in W of the outputs of the function of body i."""
    return I[W_LAW_OUTPUT] + I[law_row(I, I[body_row(i) + BODY_LAW]) + LAW_OUT]


def variable_mass_inertia(I, W, t, i):
    """Inertia of body i alone with the properties of the time t, and the velocity terms that a rigid body has."""
    law, out = law_row(I, I[body_row(i) + BODY_LAW]), variable_mass_outputs(I, i)
    call_law(I[law + LAW_ADDRESS], t, W, I[W_LAW_INPUT] + I[law + LAW_X], W, out)
    m, h, J = variable_mass_properties(I, W, i)
    store_inertia(W, body_work(i), m, h, J)


def variable_mass_properties(I, W, i):
    """Mass, mass moment and inertia about the origin of M, of this instant."""
    out = variable_mass_outputs(I, i)
    return W[out + VM_MASS], load3(W, out + VM_MOMENT), load6(W, out + VM_INERTIA)


def variable_mass_changes(I, W, i):
    """Rates of mass and mass moment in axes of M, and their second derivatives."""
    out = variable_mass_outputs(I, i)
    first = W[out + VM_MASS_RATE], load3(W, out + VM_MOMENT_RATE)
    return first[0], first[1], W[out + VM_MASS_SECOND], load3(W, out + VM_MOMENT_SECOND)


def variable_mass_force(I, P, W, m):
    """Eqs. (3) to (5) of the body of load m."""
    i = I[force_row(I, m) + FORCE_BODY]
    w, out = body_work(i), variable_mass_outputs(I, i)
    omega, v, g, l = load3(W, w + OMEGA), load3(W, w + V_), load3(W, out + VM_FLOW), load3(W, out + VM_SWIRL)
    damping = sym_mul(load6(W, out + VM_INERTIA_RATE), omega)
    force = add(add(scale(2, cross(omega, g)), load3(W, out + VM_FLOW_RATE)), load3(W, out + VM_EXIT_FORCE))
    torque = add(add(damping, sym_mul(load6(W, out + VM_JET), omega)), add(cross(omega, l), load3(W, out + VM_SWIRL_RATE)))
    torque = add(torque, load3(W, out + VM_EXIT_TORQUE))
    accumulate3(W, w + FORCE, force)
    accumulate3(W, w + TORQUE, torque)
    rate, h = W[out + VM_MASS_RATE], load3(W, out + VM_MOMENT_RATE)
    lifted = add(scale(rate, load3(W, w + P_NM)), mul(load33(W, w + R_NM), h))
    power = (rate * dot(v, v) + dot(omega, damping)) / 2 + dot(v, cross(omega, h)) - dot(load3(P, I[P_GRAVITY]), lifted)
    record_energy(I, W, m, 0 * power, power - dot(force, v) - dot(torque, omega), 0 * power)


def variable_mass_attraction(I, W, m, i, mass, c, n, f, k, per_mass):
    """What an attraction, load m, does to a potential that changes because the properties do."""
    out = variable_mass_outputs(I, i)
    rates = W[out + VM_MASS_RATE], load3(W, out + VM_MOMENT_RATE), load6(W, out + VM_INERTIA_RATE)
    attracted_change(I, W, m, mass, c, n, f, k, per_mass, rates)


def attracted_change(I, W, m, mass, c, n, f, k, per_mass, rates):
    """Add to the power of load m, an attraction, the rate of its potential at a given place, (1) of `central_force` say,

        m-dot V_1 - f . c-dot - k (tr J' - 3 n.J' n)/2 ,

    V_1 being that of a unit mass, J' the rate of the central inertia, c-dot = (h-dot - m-dot c)/m, and k = mu/r^3; `rates`
    are those of mass, mass moment and inertia.
    """
    rate = rates[0]
    drift = scale(1 / mass, sub(rates[1], scale(rate, c)))
    J = central_inertia(central_inertia(rates[2], -rate / 2, c, c), -mass, c, drift)
    W[energy_work(I, m) + POWER_APPLIED] += rate * per_mass - dot(f, drift)
    W[energy_work(I, m) + POWER_APPLIED] -= k * (J[0] + J[3] + J[5] - 3 * dot(n, sym_mul(J, n))) / 2
