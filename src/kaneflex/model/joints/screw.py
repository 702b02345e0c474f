"""A turn about an axis with an advance along it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kaneflex.kernels.joints import screw
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model import checks
from kaneflex.model.joints.contract import PARALLEL, AxisJoint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Screw(AxisJoint):
    """Turn about `axis` with an advance along it; q = (angle,), rad.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        pitch: advance along the axis, m per turn.
        motion: angle as a function of time: a profile or a function of t; None for a free joint.
    """

    pitch: float = 0.0
    facts: ClassVar[JointFacts] = screw.FACTS
    closes: ClassVar[tuple[str, ...]] = ("x", "y", "screw", *PARALLEL)
    drawn: ClassVar[str] = "pin"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", checks.number(self.pitch, "pitch of a Screw joint"))

    @property
    def equations(self) -> tuple[str, ...]:
        """As of every joint; without pitch nothing advances."""
        return tuple("z" if word == "screw" and self.pitch == 0 else word for word in super().equations)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Advance per radian, m."""
        return (self.pitch / (2 * np.pi),)
