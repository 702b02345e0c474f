"""What is left of a rod in the reel that it comes out of: a ring whose mass goes as the rod does.

With l the length outside, of L, and c the mass per length, it has the mass m = c (L - l) at its centre O, the origin of M,
and on a drum of radius r and inertia j that turns about z of M

    J = m r^2 about z and j beside it, m r^2/2 across.                                                                 (1)

O is in the exit. The ring turns with the drum, so that its inertia force is that of a rigid body with the properties of the
instant, and of one more term: c l'^2 along the exit, the momentum that leaves with the velocity l', which is the sum of the
accelerations of a ring's part that is not whole. The angular momentum that leaves with it, c l' r^2 of its turning, is
handed to the parent, where the rod that runs off at the distance r from the axis would bring it. So all momentum is
kept. What the ring loses at a given motion, c l' (v.v/2 - G.p) and half of c l' r^2 of its turning, is noted as power. The
powers of ring and rod add up to c l'^3/2 where no drum turns, whose motion would have been the rod's, else to
nothing but terms in c l' r^2 omega^2.

P has c as MASS, L and r as MASS_MOMENT, j as the last of INERTIA; SLIDER is the body that slides out.
"""

from kaneflex.kernels.algebra import accumulate3, dot, load3, load33, mul, scale, tmul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.fed_rod import TRACES, length_outside
from kaneflex.kernels.bodies.rigid import store_inertia
from kaneflex.kernels.bodies.variable_mass import attracted_change
from kaneflex.kernels.forces.value import apply_torque, record_energy
from kaneflex.kernels.layout import *

REEL = 6
FACTS = BodyFacts(REEL, force="outflow", apart=("reel_inertia", "reel_force"))


def reel_inertia(I, P, W, i):
    """Inertia of the ring and its drum, and the velocity terms that a rigid body has."""
    m, h, J = reel_properties(I, P, W, i)
    store_inertia(W, body_work(i), m, h, J)


def reel_properties(I, P, W, i):
    """(1)."""
    g = body_par(i)
    l, total, r = length_outside(P, W, I[body_row(i) + SLIDER]), P[g + MASS_MOMENT], P[g + MASS_MOMENT + 1]
    m, z = P[g + MASS] * (total - l + total / TRACES), 0 * l
    J = m * r * r
    return m, (z, z, z), (J / 2, z, z, J / 2, z, J + P[g + INERTIA + 5])


def reel_flow(I, P, W, i):
    """l', and c l'."""
    rate = W[column_work(I, I[body_row(I[body_row(i) + SLIDER]) + U0]) + RATE]
    return rate, P[body_par(i) + MASS] * rate


def reel_changes(I, P, W, i):
    """Rates of mass and mass moment in axes of M, and their second derivatives."""
    _, flow = reel_flow(I, P, W, i)
    z, c = 0 * flow, column_work(I, I[body_row(I[body_row(i) + SLIDER]) + U0])
    return -flow, (z, z, z), -P[body_par(i) + MASS] * W[c + WDOT], (z, z, z)


def reel_force(I, P, W, m):
    """The momentum that leaves, on the body of load m, and its power."""
    i = I[force_row(I, m) + FORCE_BODY]
    w, r, (rate, flow) = body_work(i), P[body_par(i) + MASS_MOMENT + 1], reel_flow(I, P, W, i)
    z = 0 * flow
    exit_ = tmul(load33(W, w + R_NM), mul(load33(W, body_work(I[body_row(i) + SLIDER]) + R_NM), (z, z, z + 1)))
    thrust = scale(flow * rate, exit_)
    accumulate3(W, w + FORCE, thrust)
    v, o = load3(W, w + V_), load3(W, w + OMEGA)
    spin = scale(flow * r * r, (o[0] / 2, o[1] / 2, o[2]))
    lost = flow * (dot(v, v) / 2 - dot(load3(P, I[P_GRAVITY]), load3(W, w + P_NM))) + dot(spin, o) / 2
    j, kept = I[body_row(i) + PARENT], z
    if j > 0:
        spin = tmul(load33(W, w + R_MP), spin)
        apply_torque(W, j, spin)
        kept = dot(spin, load3(W, body_work(j) + OMEGA))
    record_energy(I, W, m, z, kept - lost - dot(thrust, v), z)


def reel_attraction(I, P, W, m, i, mass, c, n, f, k, per_mass):
    """What an attraction does to a potential that goes with the mass, see `attracted_change`."""
    _, flow = reel_flow(I, P, W, i)
    r, z = P[body_par(i) + MASS_MOMENT + 1], 0 * flow
    J = -flow * r * r
    attracted_change(I, W, m, mass, c, n, f, k, per_mass, (-flow, (z, z, z), (J / 2, z, z, J / 2, z, J)))
