"""A turn about an axis."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import revolute
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import PARALLEL, POINT, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Revolute(AxisJoint):
    """Turn about `axis`; q = (angle,) rad, right-handed.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: angle as a function of time: a profile or a function of t; None for a free joint.
    """

    facts: ClassVar[JointFacts] = revolute.FACTS
    closes: ClassVar[tuple[str, ...]] = (*POINT, *PARALLEL)
    drawn: ClassVar[str] = "pin"
