"""A slide along an axis."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import prismatic
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import UNTURNED, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Prismatic(AxisJoint):
    """Slide along `axis`; q = (slide,) m.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: slide as a function of time: a profile or a function of t; None for a free joint.
    """

    facts: ClassVar[JointFacts] = prismatic.FACTS
    closes: ClassVar[tuple[str, ...]] = ("x", "y", *UNTURNED)
    drawn: ClassVar[str] = "rail"
