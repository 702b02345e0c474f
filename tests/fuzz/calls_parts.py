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
    "parts.Parachute": fixed(
        kf.parts.Parachute,
        **some("line area density", V(1.0, POSITIVE)),
        **some("axial normal", V(0.5, NUMBER)),
        mass=V(1.0, NOT_NEGATIVE),
        **some("apparent angles", V((0.0, 0.0))),
        wind=V((0, 0, 0)),
    ),
    "parts.RotorDisk": fixed(
        kf.parts.RotorDisk,
        **some("radius speed chord lift_slope density", V(1.0, POSITIVE)),
        **some("drag inertia", V(0.0, NOT_NEGATIVE)),
        blades=V(2),
        sense=V(1),
    ),
    "parts.Engine": fixed(
        kf.parts.Engine,
        **some("thrust specific_impulse mass stiffness angle_limit torque_limit", V(1.0, POSITIVE)),
        **some("arm damping rise", V(0.0, NOT_NEGATIVE)),
        inertia=V((1.0, 1.0)),
    ),
    "parts.SloshTank": fixed(
        kf.parts.SloshTank,
        shape=V("box"),
        model=V("spring"),
        **some("radius height fill density acceleration", V(1.0, POSITIVE)),
        **some("damping shell", V(0.0, NOT_NEGATIVE)),
        inertia=V((0.0, 0.0, 0.0)),
    ),
    "parts.Transfer": fixed(
        kf.parts.Transfer,
        **some("amount time left contents", V(1.0, POSITIVE)),
        pipe=V(((1.0, 0.0, 0.0),)),
        start=V(0.0, NOT_NEGATIVE),
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
