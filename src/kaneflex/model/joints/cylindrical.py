"""A turn about and a slide along an axis."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import cylindrical
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import PARALLEL, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Cylindrical(AxisJoint):
    """Turn about and slide along `axis`; q = (angle, slide), rad and m.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "angle" and "slide" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = cylindrical.FACTS
    closes: ClassVar[tuple[str, ...]] = ("x", "y", *PARALLEL)
    drawn: ClassVar[str] = "pin"
