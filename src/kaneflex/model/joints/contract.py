"""What the declaration of a joint must say; its mathematics is in the file of the same name in kernels/joints.

A joint is two files: `kernels/joints/NAME.py` and `model/joints/NAME.py`, whose dataclass, a subclass of `Joint`, names the
kernel's FACTS as `facts`. Everything else follows from these: names in `kaneflex`, files, closing of loops, pictures.

Loops. With frame A on one body and B on the other, turned by `alignment`, and d from A's origin to B's, a joint that
closes a loop imposes equations, each a word in `closes`:

    "x", "y", "z"          d has no component along this axis of A
    "x.y", "y.z", ...      the first axis, of A, is perpendicular to the second, of B
    "screw"                d along the third axis is the first of `parameters` times the angle about it
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.model import checks
from kaneflex.model.profiles import Profile, motion_of
from kaneflex.model.typed import Rule, typed

POINT = ("x", "y", "z")  # the origins coincide
PARALLEL = ("x.z", "y.z")  # the third axes are along one another
UNTURNED = ("x.y", "y.z", "z.x")  # all axes are


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

    `closes` are the equations by which the joint closes a loop, in the words above; a joint without some is refused there.
    `drawn` is how it looks: "pin" and "rail" lie along the kernel's third axis, a "ball" is round; "" is not drawn.
    """

    motion: GivenMotion = field(default=None, kw_only=True)
    facts: ClassVar[JointFacts]
    closes: ClassVar[tuple[str, ...]] = ()
    drawn: ClassVar[str] = ""

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
    def equations(self) -> tuple[str, ...]:
        """The words of `closes`, where they are meant for these facts: not those of a class whose joint moves otherwise."""
        owner = next(kind for kind in type(self).__mro__ if "closes" in vars(kind))
        return self.closes if getattr(owner, "facts", None) == self.facts else ()

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
class AxisJoint(Joint):
    """A joint with an axis, "x", "y", "z" or a vector in its frames, which is the third axis of the kernel's."""

    axis: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, f"axis of a {type(self).__name__} joint"))

    @property
    def alignment(self) -> checks.Vector:
        """The kernel's z along the axis."""
        return frame_along(self.axis)


def speed_names(joint: Joint) -> tuple[str, ...]:
    """Names of a joint's rates: its coordinates', or the components of angular velocity and velocity, child's axes."""
    if joint.facts.scalar_rates:
        return joint.facts.coordinate_names
    return tuple(("wx", "wy", "wz", "vx", "vy", "vz")[a] for a in joint.facts.at_neutral or joint.facts.axes)


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
