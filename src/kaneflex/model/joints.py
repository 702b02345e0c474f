"""Joints as the user declares them; their mathematics is in kernels/joints, one file each."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from kaneflex.kernels.joints import (
    custom,
    cylindrical,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    translational,
    universal,
)
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import GENERAL
from kaneflex.model import checks, quantities
from kaneflex.model.profiles import Profile, motion_of
from kaneflex.model.typed import Rule, typed


def _is_motion(given: Any) -> bool:
    """Whether it can be a motion: None, a profile, a function of t, or these by coordinate."""
    if isinstance(given, Mapping):
        return all(isinstance(name, str) and _is_motion(one) and one is not None for name, one in given.items())
    return given is None or isinstance(given, Profile) or checks.is_function(given)


GivenMotion = Annotated[
    Any,
    Rule(_is_motion, "a profile, e.g. profiles.hold(0.3), a function of t, a mapping from coordinates to these, or None"),
]


@typed
@dataclass(frozen=True)
class Joint:
    """A joint between a frame on the parent and a frame on the child, which coincide when q is neutral.

    `facts` are the integers of the kernel's joint type; `alignment` turns the frames so that the kernel's axes lie along
    the user's; `parameters` are the joint's reals; `motion`, by keyword, makes coordinates follow given functions of
    time: a profile or function for the one coordinate, or a mapping from coordinates to them.
    """

    motion: GivenMotion = field(default=None, kw_only=True)
    facts: ClassVar[JointFacts]

    def motions(self, what: str) -> dict[str, Profile]:
        """The motions by coordinate, checked; `what` names the joint."""
        if self.motion is None:
            return {}
        names = self.facts.coordinate_names
        if not self.facts.scalar_rates or not names:
            raise checks.ModelError(
                f"{what}: a motion needs a joint with scalar coordinates, not {type(self).__name__}: "
                "build the motion from joints like Revolute, Prismatic, Universal or Translational"
            )
        given = self.motion
        if not isinstance(given, Mapping):
            if len(names) > 1:
                raise checks.ModelError(f"{what} has coordinates {', '.join(names)}: give motion as a mapping from them")
            given = {names[0]: given}
        for name in given:
            checks.known(name, names, f"{what}: coordinate with a motion")
        return {name: motion_of(motion, f'{what}, motion of "{name}"') for name, motion in given.items()}

    @property
    def alignment(self) -> checks.Vector:
        """R whose columns are the kernel's x, y, z axes, in the axes of the joint's frames."""
        return np.eye(3)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Reals of the joint (at most two)."""
        return ()


@lru_cache(maxsize=1024)
def frame_along(a: tuple[float, float, float]) -> checks.Vector:
    """A rotation matrix with third column a; a permutation of the axes when a is one of them, so that zeros stay zero."""
    R = _frame_along(np.array(a))
    R.flags.writeable = False
    return R


def _frame_along(x: checks.Vector) -> checks.Vector:
    k = int(np.argmax(np.abs(x)))
    if np.count_nonzero(x) == 1:
        R = np.roll(np.eye(3), k + 1, axis=0)
        return R if x[k] > 0 else R @ np.diag([1.0, -1.0, -1.0])
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(x)))], x)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(x, first), x])


@dataclass(frozen=True)
class _AxisJoint(Joint):
    axis: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, f"axis of a {type(self).__name__} joint"))

    @property
    def alignment(self) -> checks.Vector:
        """The kernel's z along the axis."""
        return frame_along(self.axis)


@typed
@dataclass(frozen=True)
class Fixed(Joint):
    """No relative motion.

    Args:
        motion: None: there is no coordinate to move.
    """

    facts: ClassVar[JointFacts] = fixed.FACTS


@typed
@dataclass(frozen=True)
class Revolute(_AxisJoint):
    """Turn about `axis`; q = (angle,) rad, right-handed.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: angle as a function of time: a profile or a function of t; None for a free joint.
    """

    facts: ClassVar[JointFacts] = revolute.FACTS


@typed
@dataclass(frozen=True)
class Prismatic(_AxisJoint):
    """Slide along `axis`; q = (slide,) m.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: slide as a function of time: a profile or a function of t; None for a free joint.
    """

    facts: ClassVar[JointFacts] = prismatic.FACTS


@typed
@dataclass(frozen=True)
class Cylindrical(_AxisJoint):
    """Turn about and slide along `axis`; q = (angle, slide), rad and m.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "angle" and "slide" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = cylindrical.FACTS


@typed
@dataclass(frozen=True)
class Screw(_AxisJoint):
    """Turn about `axis` with an advance along it; q = (angle,), rad.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        pitch: advance along the axis, m per turn.
        motion: angle as a function of time: a profile or a function of t; None for a free joint.
    """

    pitch: float = 0.0
    facts: ClassVar[JointFacts] = screw.FACTS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", checks.number(self.pitch, "pitch of a Screw joint"))

    @property
    def parameters(self) -> tuple[float, ...]:
        """Advance per radian, m."""
        return (self.pitch / (2 * np.pi),)


@typed
@dataclass(frozen=True)
class Planar(_AxisJoint):
    """Motion in the plane normal to `axis`; q = (x, y, angle), x and y along the frame's axes that follow `axis`.

    Args:
        axis: "x", "y", "z" or a vector, in the joint's frames.
        motion: mapping from "x", "y" and "angle" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = planar.FACTS


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


@typed
@dataclass(frozen=True)
class Spherical(Joint):
    """Ball joint; q is a unit quaternion, scalar part first, rates are the angular velocity wx, wy, wz in the child's axes.

    Args:
        motion: None: a quaternion cannot be prescribed; use Revolute and Universal joints for that.
    """

    facts: ClassVar[JointFacts] = spherical.FACTS


@typed
@dataclass(frozen=True)
class Free(Joint):
    """Six degrees of freedom; q = (x, y, z, quaternion), rates = (velocity, angular velocity) in the child's axes.

    Its rates are called vx, vy, vz, wx, wy, wz.

    Args:
        motion: None: a quaternion cannot be prescribed; use Translational, Revolute and Universal joints for that.
    """

    facts: ClassVar[JointFacts] = free.FACTS


@typed
@dataclass(frozen=True)
class Translational(Joint):
    """Three slides without rotation; q = (x, y, z) m.

    Args:
        motion: mapping from "x", "y" and "z" to functions of time; None for a free joint.
    """

    facts: ClassVar[JointFacts] = translational.FACTS


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


def speed_names(joint: Joint) -> tuple[str, ...]:
    """Names of a joint's rates: its coordinates', or the components of angular velocity and velocity, child's axes."""
    if joint.facts.scalar_rates:
        return joint.facts.coordinate_names
    return tuple(("wx", "wy", "wz", "vx", "vy", "vz")[a] for a in joint.facts.axes)


def joint_words(joint: Joint) -> tuple[str, ...]:
    """What may stand after a body's name because of its joint."""
    rates = () if joint.facts.scalar_rates else speed_names(joint)
    return (*joint.facts.coordinate_names, *rates, *(f"{word}_dot" for word in rates))


def unit_quaternion(joint: Joint, q: tuple[float, ...], what: str) -> tuple[float, ...]:
    """q with its quaternion (if the joint has one) scaled to unit length, with a warning when that changes it."""
    if joint.facts.scalar_rates:
        return q
    e = np.array(q[-4:])
    length = float(np.linalg.norm(e))
    if length == 0:
        raise checks.ModelError(f"{what}: the quaternion is zero: give a unit quaternion, (1, 0, 0, 0) for no rotation")
    if abs(length - 1) > 1e-6:
        warnings.warn(f"{what}: the quaternion has length {length:.6g} and is normalised", UserWarning, stacklevel=4)
    return (*q[:-4], *(float(x) for x in e / length))
