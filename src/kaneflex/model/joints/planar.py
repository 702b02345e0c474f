"""Motion in a plane."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import planar
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import PARALLEL, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Planar(AxisJoint):
    """Motion in the plane normal to `axis`; q = (x, y, angle), x and y along the frame's axes that follow `axis`.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "x", "y" and "angle" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = planar.FACTS
    closes: ClassVar[tuple[str, ...]] = ("z", *PARALLEL)
