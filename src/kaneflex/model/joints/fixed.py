"""No relative motion."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.joints import fixed
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model.joints.contract import POINT, UNTURNED, Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Fixed(Joint):
    """No relative motion.

    Args:
        motion: None: there is no coordinate to move.
    """

    facts: ClassVar[JointFacts] = fixed.FACTS
    closes: ClassVar[tuple[str, ...]] = (*POINT, *UNTURNED)
