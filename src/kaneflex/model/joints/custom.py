"""A joint by its pose alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kaneflex.kernels.joints import custom
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import GENERAL
from kaneflex.model import checks, quantities
from kaneflex.model.joints.contract import Joint
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class CustomJoint(Joint):
    """A joint of your own, by its pose alone.

    Args:
        pose: function of the coordinates q (a sequence) giving (R, p): R the 3x3 rotation matrix of the child's frame in
            the parent's (components in the child's to components in the parent's), p its origin there. It is run once,
            on symbols, so use `kaneflex.sin`, `kaneflex.cos`, `kaneflex.sqrt` and arithmetic; partial velocities and
            accelerations follow by differentiation.
        coordinates: names of the coordinates, none of them a channel's word ("q", "rate", "load", "position", ...); rates
            are their time derivatives.
        motion: as for every joint.
    """

    pose: Callable[[Any], Any]
    coordinates: tuple[str, ...]

    def __post_init__(self) -> None:
        names = tuple(quantities.free(n, "coordinate of a CustomJoint") for n in self.coordinates)
        if not 1 <= len(names) <= 6 or len(set(names)) != len(names):
            raise checks.ModelError(f"coordinates of a CustomJoint are {names}: give one to six different names")
        object.__setattr__(self, "coordinates", names)

    @property
    def facts(self) -> JointFacts:  # type: ignore[override]
        """One GENERAL column per coordinate; its speeds are relative in every formulation."""
        n = len(self.coordinates)
        return JointFacts(custom.CUSTOM_JOINT, n, (GENERAL,) * n, (False,) * n, tuple(self.coordinates), (0.0,) * n)
