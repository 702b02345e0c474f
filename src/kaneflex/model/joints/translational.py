"""Three slides."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import translational
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import UNTURNED, Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Translational(Joint):
    """Three slides without rotation; q = (x, y, z) m.

    Args:
        motion: mapping from "x", "y" and "z" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = translational.FACTS
    closes: ClassVar[tuple[str, ...]] = UNTURNED
