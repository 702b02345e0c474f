"""From a body's kind to its functions. Adding a kind means one file, its place in the lists and one line in each chain here
that it has a function for."""

from kaneflex.kernels.backend import Stage
from kaneflex.kernels.bodies import modal, variable_mass
from kaneflex.kernels.bodies.modal import (
    MODAL_BODY,
    modal_attraction,
    modal_force,
    modal_inertia,
    modal_properties,
    modal_rates,
)
from kaneflex.kernels.bodies.rigid import RIGID_BODY, rigid_inertia, rigid_properties
from kaneflex.kernels.bodies.variable_mass import (
    VARIABLE_MASS,
    variable_mass_attraction,
    variable_mass_force,
    variable_mass_inertia,
    variable_mass_properties,
)
from kaneflex.kernels.layout import *

KINDS = (modal, variable_mass)  # files of all kinds but the rigid body, whose code is in the callers'
BODY_STAGES = {  # functions that are compiled when a system first needs them
    "modal_rates": Stage("IPwnww"),
    "modal_inertia": Stage("IPwnw"),
    "modal_force": Stage("IPwnw"),
    "variable_mass_inertia": Stage("Iwtn"),
    "variable_mass_force": Stage("IPwn"),
}


def body_rates(I, P, W, i, q, u):
    """Rates of the internal coordinates of body i."""
    if I[body_row(i) + KIND] == MODAL_BODY:
        modal_rates(I, P, W, i, q, u)


def body_inertia(I, P, W, t, i, q):
    """Inertia of body i alone at the time t, and the velocity terms of its inertia force."""
    kind = I[body_row(i) + KIND]
    rigid_inertia(P, W, i)
    if kind == MODAL_BODY:
        modal_inertia(I, P, W, i, q)
    elif kind == VARIABLE_MASS:
        variable_mass_inertia(I, W, t, i)


def mass_properties(I, P, W, i):
    """Mass, mass moment and inertia of body i about the origin of M, of this instant; after `body_inertia`."""
    kind = I[body_row(i) + KIND]
    if kind == RIGID_BODY:
        m, h, J = rigid_properties(P, W, i)
    elif kind == MODAL_BODY:
        m, h, J = modal_properties(I, P, W, i)
    else:
        m, h, J = variable_mass_properties(I, W, i)
    return m, h, J


def body_force(I, P, W, m, q):
    """Internal forces of the body of load m, and their energy."""
    kind = I[body_row(I[force_row(I, m) + FORCE_BODY]) + KIND]
    if kind == MODAL_BODY:
        modal_force(I, P, W, m, q)
    elif kind == VARIABLE_MASS:
        variable_mass_force(I, P, W, m)


def body_attraction(I, P, W, m, i, mass, c, r, n, f, k):
    """What load m, the attraction of body i by a centre, does besides its force f at the mass centre c and its torque; the
    mass centre is at r n from the attracting one, and k = mu/r^3."""
    kind = I[body_row(i) + KIND]
    if kind == MODAL_BODY:
        modal_attraction(I, P, W, i, mass, c, n, f, k)
    elif kind == VARIABLE_MASS:
        variable_mass_attraction(I, W, m, i, mass, c, r, n, f, k)
