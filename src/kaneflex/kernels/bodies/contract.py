"""What a kind of body must say, and the functions its file must have.

A body's row in I has its KIND, the code that `dispatch` branches on, and BODY_LAW, the row of a function of its own, or -1.
With `name` the kind's name, i the body and w = body_work(i), a kind's file holds these functions, each with those of the
arguments that it needs, in any order:

    name_inertia(I, P, W, t, i, q)   writes inertia (J_, H_, M_) and the velocity terms of the inertia force (TORQUE, FORCE)
                                     of the body alone, about the origin of M in axes of M, at the time t; calls BODY_LAW
    name_properties(I, P, W, i)      -> mass, mass moment, inertia of this instant, after `name_inertia`, for whatever else
                                     needs them: energy, momentum, the attraction by a centre
    name_changes(I, W, i)            -> rates of mass and mass moment by the time alone, and the rates of these
    name_force(I, P, W, m, q)        internal forces: adds them to TORQUE and FORCE, or to TAU of internal speeds, and
                                     notes their energy in row m of the loads; bodies that have some have a row there
    name_attraction(I, P, W, ...)    what a distant centre does to the body besides its force and torque, see `central_force`
    name_rates(I, P, W, i, q, u)     rates of internal coordinates, from the internal speeds

Only `properties` is always there. Before any `inertia` the row holds what `rigid_inertia` makes of P: a kind writes what
differs. Rotors on a body have their axial inertia outside of all of this, see `inertia`.

Internal speeds follow those of the joint in u; their number is MODES. A kind that has some writes OWN_COUPLING (their
coupling with the motion of M), their mass matrix (see `modal_mass_entry`), MODAL_BIAS and SIGMA; then `modal_elimination`
solves for them, `dense` and `energy` count them, and nodes (`node`) carry what is attached to moving material. `modal` and
`strain_rod` are such kinds; the mass matrix of either changes with its coordinates.

A function of the body's own, BODY_LAW, gives its properties and their rates as outputs. It is a function of the time; of
further states as well where planning gives it inputs, which then are in W, from W_LAW_INPUT + LAW_X on, before the forward
pass begins. The kind's file reads the outputs and does not know: rates among them are total ones, of time and of states.
"""

from typing import NamedTuple


class BodyFacts(NamedTuple):
    """The integers of a kind of body that planning needs."""

    code: int
    outputs: int = 0  # of the body's own function
    force: str = ""  # what its row in the table of loads is called after the body's name, where it has one
    apart: tuple[str, ...] = ()  # its functions that are compiled by themselves, when a system first needs them
    has_symbols: bool = True  # False: its equations are sums of long series, which nobody could read
