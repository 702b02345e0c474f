"""A body whose contents are a state of a block, and flow off as the block says: a tank that engines draw from.

It is a `variable_mass` whose function sees the contents z and their rate z' instead of the time: what it returns has the
same places. z is known before the motion, z' after the laws of blocks. So the function is called twice: for the inertia,
where nothing depends on z', and before the forces. What follows from z'', the reaction to a flow that grows, is left out.
"""

from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.variable_mass import (
    VM_OUTPUTS,
    variable_mass_attraction,
    variable_mass_changes,
    variable_mass_force,
    variable_mass_inertia,
    variable_mass_outputs,
    variable_mass_properties,
)
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import call_law

DRAINED = 7
FACTS = BodyFacts(DRAINED, VM_OUTPUTS, "outlets", apart=("drained_inertia", "drained_force"))


def drained_inertia(I, W, t, i):
    """Inertia of body i alone with its contents of now, and the velocity terms that a rigid body has."""
    law = law_row(I, I[body_row(i) + BODY_LAW])
    x, z = I[W_LAW_INPUT] + I[law + LAW_X], W[I[W_STATE] + I[law + LAW_SENSOR]]
    W[x] = z
    W[x + 1] = 0 * z
    variable_mass_inertia(I, W, t, i)


def drained_properties(I, W, i):
    """Mass, mass moment and inertia about the origin of M, of this instant."""
    return variable_mass_properties(I, W, i)


def drained_changes(I, W, i):
    """Rates of mass and mass moment in axes of M, and their second derivatives, as far as these are known."""
    return variable_mass_changes(I, W, i)


def drained_force(I, P, W, m):
    """What the flow does to the body of load m."""
    i = I[force_row(I, m) + FORCE_BODY]
    law = law_row(I, I[body_row(i) + BODY_LAW])
    x = I[W_LAW_INPUT] + I[law + LAW_X]
    W[x + 1] = W[I[W_LAW_OUTPUT] + I[I[I_STATE] + I[law + LAW_SENSOR]]]
    call_law(I[law + LAW_ADDRESS], 0.0, W, x, W, variable_mass_outputs(I, i))  # no function of the time
    variable_mass_force(I, P, W, m)


def drained_attraction(I, W, m, i, mass, c, n, f, k, per_mass):
    """What an attraction does to a potential that goes with the contents."""
    variable_mass_attraction(I, W, m, i, mass, c, n, f, k, per_mass)
