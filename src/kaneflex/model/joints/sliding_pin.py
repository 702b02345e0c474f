"""A pin in a straight slot."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.joints import sliding_pin
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model import checks
from kaneflex.model.joints.contract import PARALLEL, Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class SlidingPin(Joint):
    """A pin that slides along the first axis, fixed in the parent, and turns about the second; q = (slide, angle).

    Args:
        axes: two perpendicular axes, of the slot and of the pin, each "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "slide" and "angle" to functions of time; None for a free joint.
    """

    axes: Any = ("x", "z")
    facts: ClassVar[JointFacts] = sliding_pin.FACTS
    closes: ClassVar[tuple[str, ...]] = ("y", "z", *PARALLEL)
    drawn: ClassVar[str] = "pin"

    def __post_init__(self) -> None:
        axes = checks.items(self.axes, "axes of a SlidingPin joint")
        if len(axes) != 2:
            raise checks.ModelError(f"axes of a SlidingPin joint are {checks.shown(self.axes)}: give two axes")
        slot, pin = (checks.axis(a, "axis of a SlidingPin joint") for a in axes)
        if abs(float(np.dot(slot, pin))) > 1e-9:
            raise checks.ModelError("axes of a SlidingPin joint are not perpendicular: give two perpendicular axes")
        object.__setattr__(self, "axes", (slot, pin))

    @property
    def alignment(self) -> checks.Vector:
        """The kernel's x along the slot and its z along the pin."""
        slot, pin = (np.array(a) for a in self.axes)
        return np.column_stack([slot, np.cross(pin, slot), pin])
