"""Valid calls of parts."""

from typing import Any

from fuzz.calls_model import fixed, system
from fuzz.junk import FUNCTION, MAPPING, NAME, NOT_NEGATIVE, NUMBER, OPTIONAL, POSITIVE, Call, Given, kind

import kaneflex as kf

V = Given
AXIS = V((0, 0, 1))
LIMIT = V(1.0, POSITIVE | kind("inf"))


def some(words: str, given: Given) -> dict[str, Any]:
    """The same for several arguments."""
    return dict.fromkeys(words.split(), given)


CALLS: dict[str, Call] = {
    "parts.ReactionWheel": fixed(
        kf.parts.ReactionWheel,
        axis=AXIS,
        **some("inertia coulomb_rate", V(1.0, POSITIVE)),
        **some("torque_limit speed_limit power_limit", LIMIT),
        **some("viscous coulomb static_imbalance dynamic_imbalance", V(0.0, NOT_NEGATIVE)),
        rate=V(0.0, NUMBER),
        mass=V(1.0, NOT_NEGATIVE),
        transverse=V(None, POSITIVE | OPTIONAL),
        motion=V(None, OPTIONAL | FUNCTION | MAPPING),
    ),
    "System.add_part": Call(
        lambda: system().add_part,
        {
            "name": V("new", NAME),
            "part": V(kf.parts.ReactionWheel()),
            "on": V("rod", OPTIONAL),
            "at": V("tip", OPTIONAL),
        },
    ),
}
