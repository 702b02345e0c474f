"""Functions of bodies of their own: properties that change in time, as laws that the bodies' kernels call."""

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.model import checks
from kaneflex.model.drained import DrainedMass
from kaneflex.model.variable_mass import VariableMass
from kaneflex.plan.laws.profiles import breaks_in

if TYPE_CHECKING:
    from kaneflex.model.part import Part
    from kaneflex.plan.build import _Builder


def add_body_law(builder: "_Builder", row: int, part: "Part", R: np.ndarray, p: np.ndarray) -> None:
    """The function of a body's own as a law that its kernels call themselves, before all others.

    Args:
        builder: whose tables are filled.
        row: of the body.
        part: the body in its system.
        R, p: orientation and origin of its joint's frame M on the body.
    """
    what = f'body "{part.name}"'
    if isinstance(part.body, VariableMass):
        from kaneflex.plan.variable_mass_law import variable_mass_law  # brings SymPy, which takes half a second

        rotors = [(R.T @ np.array(r.axis), r.inertia) for owner, r in builder.model.rotors.values() if owner == part.name]
        law = variable_mass_law(part.body, R, p, rotors, what)
        for function in part.body.functions():
            builder.breaks |= breaks_in(function)
    else:
        law = part.body.law(R, p)
    place = builder.law(law, (), part.body.facts.outputs, what, inputs=2 if isinstance(part.body, DrainedMass) else 0)
    builder.law_rows[-1][L.LAW_SENSORS] = -1  # `evaluate_laws` leaves it to the kernels
    builder.body_rows[row][L.BODY_LAW] = len(builder.law_rows) - 1
    builder.index.own_outputs[part.name] = place


def add_contents(builder: "_Builder") -> None:
    """Tell the functions of bodies with contents which states of blocks these are, after the states have their numbers."""
    for part in builder.model.parts.values():
        if isinstance(part.body, DrainedMass):
            checks.known(part.body.contents, builder.index.states, f'contents of body "{part.name}":')
            row = builder.body_rows[builder.index.joints[part.name].row][L.BODY_LAW]
            builder.law_rows[row][L.LAW_SENSOR] = builder.index.states.index(part.body.contents)
