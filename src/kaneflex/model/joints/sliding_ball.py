"""A ball in a straight slot."""

from dataclasses import dataclass
from typing import Any, ClassVar

from kaneflex.kernels.joints import sliding_ball
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model import checks
from kaneflex.model.joints.contract import AxisJoint, frame_along
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class SlidingBall(AxisJoint):
    """A ball joint whose ball slides along an axis of the parent; q = (slide, quaternion), the slide first.

    Its rates are called vx, that of the slide along the parent's axis, and wx, wy, wz, the angular velocity in the child's
    axes, which are turned so that x lies along `axis` when q is neutral.

    Args:
        axis: of the slot, "x", "y", "z" or a vector, in the joint's frames.
        motion: None: a quaternion cannot be prescribed.
    """

    axis: Any = "x"
    facts: ClassVar[JointFacts] = sliding_ball.FACTS
    closes: ClassVar[tuple[str, ...]] = ("y", "z")
    drawn: ClassVar[str] = "ball"

    @property
    def alignment(self) -> checks.Vector:
        """The kernel's x along the axis."""
        return frame_along(self.axis)[:, [2, 0, 1]]
