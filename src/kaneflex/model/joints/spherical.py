"""Any turn about a point."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import spherical
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import POINT, Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Spherical(Joint):
    """Ball joint; q is a unit quaternion, scalar part first, rates are the angular velocity wx, wy, wz in the child's axes.

    Args:
        motion: None: a quaternion cannot be prescribed; use Revolute and Universal joints for that.
    """

    facts: ClassVar[JointFacts] = spherical.FACTS
    closes: ClassVar[tuple[str, ...]] = POINT
    drawn: ClassVar[str] = "ball"
