"""The part of a rod that has come out of a reel and moves along the exit: from there to its innermost joint that is free.

It slides with the body's frame M along z, by the length l of the rod outside. Of the rod L is the length, c the mass per
length, and l_0 what is beyond that joint. In M it reaches from X = L - l over s = l - l_0 and is at rest there: material
joins it at X with the velocity that it has. So its inertia force is that of a rigid body with the properties

    m = c s ,    h = c (X s + s^2/2) z ,    J = c s (X^2 + X s + s^2/3) across, and the section's own j per length,       (1)

and what it gains at a given motion is c l' (v.v/2 - G.p) of the place X, which is noted as power. The sections do not turn
in the reel: they take their own angular momentum, l' j omega, from the rod as they come.
Where all of s is inside or a joint is let go, it begins with a trace of mass, so that its mass centre is defined.

P has c as MASS; L and l_0 as MASS_MOMENT; j as INERTIA. The latter three change nothing but here.
"""

from kaneflex.kernels.algebra import accumulate3, add, cross, dot, load3, load33, mul, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import store_inertia
from kaneflex.kernels.bodies.variable_mass import attracted_change
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

FED_ROD = 5
FACTS = BodyFacts(FED_ROD, force="growth", apart=("fed_rod_inertia", "fed_rod_force"))
TRACES = 1000000000000000  # in a rod's mass


def length_outside(P, W, i):
    """l of the body i that slides, from its pose."""
    g, r = body_par(i), load3(W, body_work(i) + P_PM)
    x, y, z = r[0] - P[g + P_PF], r[1] - P[g + P_PF + 1], r[2] - P[g + P_PF + 2]
    return P[g + R_PF + 2] * x + P[g + R_PF + 5] * y + P[g + R_PF + 8] * z


def fed_rod_inertia(I, P, W, i):
    """Inertia of what is in the exit, and the velocity terms that a rigid body has."""
    m, h, J = fed_rod_properties(P, W, i)
    store_inertia(W, body_work(i), m, h, J)


def fed_rod_properties(P, W, i):
    """(1)."""
    g, l = body_par(i), length_outside(P, W, i)
    c, total, beyond, z = P[g + MASS], P[g + MASS_MOMENT], P[g + MASS_MOMENT + 1], 0 * l
    s, X = l - beyond + total / TRACES, total - l
    J = c * s * (X * X + X * s + s * s / 3)
    jx, jy, jz = s * P[g + INERTIA], s * P[g + INERTIA + 3], s * P[g + INERTIA + 5]
    return c * s, (z, z, c * s * (X + s / 2)), (J + jx, z, z, J + jy, z, jz)


def fed_rod_flow(I, P, W, i):
    """l', and rates of mass, mass moment and inertia."""
    g, l = body_par(i), length_outside(P, W, i)
    rate, z = W[column_work(I, I[body_row(i) + U0]) + RATE], 0 * l
    flow, X = P[g + MASS] * rate, P[g + MASS_MOMENT] - l
    jx, jy, jz = rate * P[g + INERTIA], rate * P[g + INERTIA + 3], rate * P[g + INERTIA + 5]
    return rate, flow, (z, z, flow * X), (flow * X * X + jx, z, z, flow * X * X + jy, z, jz)


def fed_rod_changes(I, P, W, i):
    """Rates of mass and mass moment in axes of M, and their second derivatives."""
    rate, flow, moment, _ = fed_rod_flow(I, P, W, i)
    second, z = P[body_par(i) + MASS] * W[column_work(I, I[body_row(i) + U0]) + WDOT], 0 * rate
    X = P[body_par(i) + MASS_MOMENT] - length_outside(P, W, i)
    return flow, moment, second, (z, z, second * X - flow * rate)


def fed_rod_force(I, P, W, m):
    """The torque on sections that join the body of load m, and the power of what joins."""
    i = I[force_row(I, m) + FORCE_BODY]
    w, (_, flow, _, J) = body_work(i), fed_rod_flow(I, P, W, i)
    omega, z = load3(W, w + OMEGA), 0 * flow
    at = (z, z, P[body_par(i) + MASS_MOMENT] - length_outside(P, W, i))
    v, p = add(load3(W, w + V_), cross(omega, at)), add(load3(W, w + P_NM), mul(load33(W, w + R_NM), at))
    own = (J[0] - flow * at[2] * at[2], z, z, J[3] - flow * at[2] * at[2], z, J[5])
    spin = sym_mul(own, omega)
    accumulate3(W, w + TORQUE, spin)
    power = flow * (dot(v, v) / 2 - dot(load3(P, I[P_GRAVITY]), p)) - dot(omega, spin) / 2
    record_energy(I, W, m, z, power, z)


def fed_rod_attraction(I, P, W, m, i, mass, c, n, f, k, per_mass):
    """What an attraction does to a potential that grows with the mass, see `attracted_change`."""
    _, flow, moment, J = fed_rod_flow(I, P, W, i)
    attracted_change(I, W, m, mass, c, n, f, k, per_mass, (flow, moment, J))
