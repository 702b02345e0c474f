"""Two turns, about perpendicular axes."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.joints import universal
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model import checks
from kaneflex.model.joints.contract import POINT, Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Universal(Joint):
    """Hooke joint: angle1 about the first axis, fixed in the parent, then angle2 about the second, fixed in the child.

    Args:
        axes: two perpendicular axes, each "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "angle1" and "angle2" to functions of time; None for a free joint.
    """

    axes: Any = ("x", "y")
    facts: ClassVar[JointFacts] = universal.FACTS
    closes: ClassVar[tuple[str, ...]] = (*POINT, "x.y")
    drawn: ClassVar[str] = "ball"

    def __post_init__(self) -> None:
        axes = checks.items(self.axes, "axes of a Universal joint")
        if len(axes) != 2:
            raise checks.ModelError(f"axes of a Universal joint are {checks.shown(self.axes)}: give two axes")
        first, second = (checks.axis(a, "axis of a Universal joint") for a in axes)
        if abs(float(np.dot(first, second))) > 1e-9:
            raise checks.ModelError("axes of a Universal joint are not perpendicular: give two perpendicular axes")
        object.__setattr__(self, "axes", (first, second))

    @property
    def alignment(self) -> checks.Vector:
        """The kernel's x and y along the two axes."""
        first, second = (np.array(a) for a in self.axes)
        return np.column_stack([first, second, np.cross(first, second)])
