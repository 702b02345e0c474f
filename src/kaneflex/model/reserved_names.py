"""Words that channels are made of, each with one meaning: nothing that stands beside them may be called by one.

"body.word" is a channel, or a coordinate or rate of the body's joint, or a frame of the body; "load.word" and
"constraint.word" are channels; "word" alone, or before a dot, is of the whole system.
"""

import re
from collections.abc import Iterable

from kaneflex.model.checks import ModelError, name

JOINT = ("q", "rate", "u", "load", "drive")
MOTION = ("position", "velocity", "omega", "rotation", "rotation_rate", "acceleration", "alpha")
MODAL = ("modes", "modes_rate", "strain_energy", "strain_energies", "dissipation", "section_loads")
NODAL = ("deflection", "slope")
VARIABLE = ("current_mass", "outlet_power")
LOAD = ("potential", "power", "dissipation")
CONSTRAINT = ("multipliers",)
SYSTEM = ("t", "energy", "momentum", "mass_centre")
OF_A_BODY = frozenset((*JOINT, *MOTION, *MODAL, *NODAL, *VARIABLE, *LOAD))  # a body whose joint is driven is a load too

_MODE = re.compile(r"mode\d+")  # coordinates of flexible bodies


def free(value: str, what: str, taken: Iterable[str] = ()) -> str:
    """A name that may stand after that of a body: usable, no channel's word, and none of those taken already.

    Args:
        value: the name.
        what: says in an error whose it is.
        taken: names of the coordinates and rates of the body's joint.
    """
    word = name(value, what).partition("[")[0]
    if word in OF_A_BODY or _MODE.fullmatch(word):
        raise ModelError(f'{what} is "{value}", which names a channel of every body: choose another name')
    if value in taken:
        raise ModelError(f'{what} is "{value}", which names a coordinate or rate of its joint: choose another name')
    return value


__all__ = ["CONSTRAINT", "JOINT", "LOAD", "MODAL", "MOTION", "NODAL", "OF_A_BODY", "SYSTEM", "VARIABLE", "free"]
