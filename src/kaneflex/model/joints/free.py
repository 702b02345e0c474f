"""Six degrees of freedom."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import free
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Free(Joint):
    """Six degrees of freedom; q = (x, y, z, quaternion), rates = (velocity, angular velocity) in the child's axes.

    Its rates are called vx, vy, vz, wx, wy, wz.

    Args:
        motion: None: a quaternion cannot be prescribed; use Translational, Revolute and Universal joints for that.
    """

    facts: ClassVar[JointFacts] = free.FACTS
