"""A pin in a slot."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import pin_slot
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import PARALLEL, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class PinSlot(AxisJoint):
    """Slide along the slot, the frame's axis that follows `axis`, and turn about `axis`; q = (slide, angle), m and rad.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "slide" and "angle" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = pin_slot.FACTS
    closes: ClassVar[tuple[str, ...]] = ("y", "z", *PARALLEL)
    drawn: ClassVar[str] = "pin"
