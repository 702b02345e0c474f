"""From a body's kind to its functions, for every file of the folder: see `kinds`. What a kind has no function for, it does
as a rigid body does."""

from kaneflex.kernels.added_inertia import join_added_inertia
from kaneflex.kernels.bodies.rigid import rigid_inertia, rigid_properties
from kaneflex.kernels.kinds import EACH, Chains, each
from kaneflex.kernels.layout import *


def body_rates(I, P, W, i, q, u):
    """Rates of the internal coordinates of body i."""
    kind = I[body_row(i) + KIND]
    if kind == EACH:
        each("rates")


def body_inertia(I, P, W, t, i, q):
    """Inertia of body i alone at the time t, and the velocity terms of its inertia force; that of fluid which it moves along
    has velocity terms in the loads of the fluid."""
    kind = I[body_row(i) + KIND]
    rigid_inertia(P, W, i)
    if kind == EACH:
        each("inertia")
    if I[body_row(i) + ADDED] > 0:
        join_added_inertia(I, P, W, i)


def mass_properties(I, P, W, i):
    """Mass, mass moment and inertia of body i about the origin of M, of this instant; after `body_inertia`."""
    kind = I[body_row(i) + KIND]
    if kind == EACH:
        m, h, J = each("properties")
    else:
        m, h, J = rigid_properties(P, W, i)
    return m, h, J


def mass_changes(I, P, W, i):
    """Rates of mass and mass moment of body i in axes of M by the time alone, and the rates of these; after
    `body_inertia`."""
    kind = I[body_row(i) + KIND]
    z = 0 * W[body_work(i) + OMEGA]
    rate, moment_rate, second, moment_second = z, (z, z, z), z, (z, z, z)
    if kind == EACH:
        rate, moment_rate, second, moment_second = each("changes")
    return rate, moment_rate, second, moment_second


def body_force(I, P, W, m, q):
    """Internal forces of the body of load m, and their energy."""
    kind = I[body_row(I[force_row(I, m) + FORCE_BODY]) + KIND]
    if kind == EACH:
        each("force")


def body_attraction(I, P, W, m, i, mass, c, n, f, k, per_mass):
    """What load m, an attraction of body i, does besides its force f at the mass centre c and its torque. That of a centre
    has a gradient: n points from there, and k = mu/r^3; else k is zero. `per_mass` is the potential of a unit mass at c."""
    kind = I[body_row(i) + KIND]
    if kind == EACH:
        each("attraction")


CHAINS = Chains(__name__, without=("rigid",))
