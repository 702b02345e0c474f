"""Constraints as the user declares them; their mathematics is in kernels/constraints, one file each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Place
from kaneflex.model.joints import CustomJoint, Free, Joint
from kaneflex.model.joints.contract import frame_along
from kaneflex.model.profiles import motion_of
from kaneflex.model.tables import Settled
from kaneflex.model.typed import Name, typed


class ConstraintBase:
    """Something that ties bodies together beyond the joints of the tree."""

    drawn: ClassVar[str] = ""  # "rod" for a rod between its ends

    def ends(self) -> tuple[Any, ...]:
        """The places it names: "body", "body.frame", "N", or a Frame or point of N."""
        return ()

    def channels(self) -> tuple[str, ...]:
        """The channels it sees."""
        return ()

    def coordinates(self) -> tuple[str, ...]:
        """The joint coordinates ("joint.coordinate") it names."""
        return ()


@typed
@dataclass(frozen=True)
class Closure(ConstraintBase):
    """A joint that closes a loop, between frame `a` (the joint's inboard side) and frame `b` (its outboard side).

    Args:
        a, b: "body.frame", "body" (its origin), "N", or a Frame or point of N.
        joint: any joint but Free and CustomJoint (for which see `System.close`); its axis is in the axes of either frame.
    """

    a: Place
    b: Place
    joint: Joint

    def __post_init__(self) -> None:
        if not isinstance(self.joint, Joint):
            raise ModelError(f'a loop is closed by {self.joint!r}: give a joint, e.g. Revolute("z")')
        if self.joint.motion is not None:
            raise ModelError(
                "a joint that closes a loop follows no motion: put that joint into the tree and close the loop at another"
            )
        if isinstance(self.joint, Free):
            raise ModelError("a Free joint closes nothing: choose another joint, or leave the loop open")
        if isinstance(self.joint, CustomJoint):
            raise ModelError(
                "a CustomJoint is no constraint by itself: close the loop with System.close, or write a Constraint"
            )

    def ends(self) -> tuple[Any, ...]:
        """Frames a and b."""
        return (self.a, self.b)


@typed
@dataclass(frozen=True)
class Distance(ConstraintBase):
    """A massless rigid rod, or a rope that is known to stay taut, between two points.

    Args:
        a, b: its ends, as in `Closure`.
        length: m; a number, or a profile, a Motion or a function of t, as of a rope on a winch, whose work is that of the
            winch. The multiplier is the pressure in the rod, N: a rope's tension is its negative.
    """

    a: Place
    b: Place
    length: Any
    drawn: ClassVar[str] = "rod"

    def __post_init__(self) -> None:
        what = "length of a Distance"
        if checks.is_function(self.length):
            motion = motion_of(self.length, what)
            assert motion is not None
            if not hasattr(motion.functions[0], "is_missing"):
                try:
                    start = motion(0.0)
                except Exception as e:
                    raise ModelError(f"{what} is a function that fails at t = 0: {e}; give a function of t alone") from e
                checks.positive(start, f"{what} at t = 0")
            object.__setattr__(self, "length", motion)
        else:
            object.__setattr__(self, "length", checks.positive(self.length, what))

    def ends(self) -> tuple[Any, ...]:
        """Points a and b."""
        return (self.a, self.b)


@typed
@dataclass(frozen=True)
class PointOnLine(ConstraintBase):
    """The origin of frame `point` stays on the z axis of frame `line`."""

    point: Place
    line: Place

    def ends(self) -> tuple[Any, ...]:
        """Line and point."""
        return (self.line, self.point)


@typed
@dataclass(frozen=True)
class PointOnPlane(ConstraintBase):
    """The origin of frame `point` stays in the plane through the origin of frame `plane` across `normal`; the multiplier
    pushes it along the normal, N.

    Args:
        point: the point: "body.frame", "body" (its origin), or a Frame or point of N.
        plane: the frame, likewise, or "N".
        normal: "x", "y", "z" or a vector, in axes of `plane`.
    """

    point: Place
    plane: Place = "N"
    normal: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", checks.axis(self.normal, "normal of a PointOnPlane"))

    @property
    def alignment(self) -> checks.Vector:
        """R whose third column is the normal, in axes of the plane's frame."""
        return frame_along(self.normal)

    def ends(self) -> tuple[Any, ...]:
        """Plane and point."""
        return (self.plane, self.point)


@typed
@dataclass(frozen=True)
class PointOnSurface(ConstraintBase):
    """The origin of frame `point` stays on a surface fixed in frame `on`.

    Args:
        point: "body.frame" or "body".
        on: frame of the surface, likewise, or "N".
        surface: function of x, y, z (m, in the frame's axes) that is zero on the surface. It is run once, on symbols:
            use `kaneflex.sin`, `kaneflex.cos`, `kaneflex.sqrt` and arithmetic.
    """

    point: Name
    on: Name
    surface: Callable[[Any, Any, Any], Any]

    def __post_init__(self) -> None:
        for place in (self.point, self.on):
            if not isinstance(place, str):
                raise ModelError(f'a PointOnSurface has the place {place!r}: give "body.frame", "body" or "N"')
        if not checks.is_function(self.surface):
            raise ModelError(f"surface of a PointOnSurface is {self.surface!r}: give a function of x, y, z")

    def ends(self) -> tuple[Any, ...]:
        """Surface and point."""
        return (self.on, self.point)


@typed
@dataclass(frozen=True)
class Coupler(ConstraintBase):
    """A linear relation of joint coordinates: sum of coefficients times coordinates = offset.

    Args:
        terms: coefficients by name, {"joint.coordinate" or "joint": coefficient}; joints with scalar coordinates.
        offset: value of the sum; None to tie the rates only, whatever the coordinates are at the start.
    """

    terms: Mapping[Name, float]
    offset: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.terms, Mapping):
            raise ModelError(f"terms of a Coupler are {self.terms!r}: give a mapping from coordinates to coefficients")
        if not self.terms:
            raise ModelError("a Coupler without terms ties nothing: give coefficients by coordinate")
        for name, value in self.terms.items():
            if checks.number(value, f'coefficient of "{name}" in a Coupler') == 0:
                raise ModelError(f'coefficient of "{name}" in a Coupler is zero: leave the term out')
        object.__setattr__(self, "terms", Settled(self.terms, "make another Coupler"))
        if self.offset is not None:
            object.__setattr__(self, "offset", checks.number(self.offset, "offset of a Coupler"))

    def coordinates(self) -> tuple[str, ...]:
        """The coordinates it ties."""
        return tuple(self.terms)


@typed
def Gear(a: Name, b: Name, ratio: float, offset: float | None = None) -> Coupler:
    """Two joints geared together: rate of b = ratio times rate of a.

    Args:
        a, b: joints, or "joint.coordinate".
        ratio: of the rates; negative for a pair of outer gears.
        offset: coordinate of b less ratio times that of a; None to tie the rates only.
    """
    if a == b:
        raise ModelError(f'a Gear ties "{a}" to itself: name two joints')
    if checks.number(ratio, "ratio of a Gear") == 0:
        raise ModelError("ratio of a Gear is zero: give the ratio of the rates")
    return Coupler({b: 1.0, a: -ratio}, offset)


@typed
@dataclass(frozen=True)
class KnifeEdge(ConstraintBase):
    """The origin of frame `at` has no velocity along the frame's y axis, relative to body `on` (a blade, a thin wheel)."""

    at: Place
    on: Place = "N"

    def ends(self) -> tuple[Any, ...]:
        """Ground and edge."""
        return (self.on, self.at)


@typed
@dataclass(frozen=True)
class Rolling(ConstraintBase):
    """Rolling without slip of an ellipsoid on the plane z = 0 of frame `on`, above it.

    Args:
        body: frame at the ellipsoid's centre, along its axes: "body.frame" or "body".
        on: frame of the plane, z its normal.
        radii: semi-axes, m: (r, r, r) a ball, (r, r, 0) a thin disk with axis z.
    """

    body: Place
    on: Place = "N"
    radii: Any = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        radii = checks.vector(self.radii, "radii of a Rolling constraint")
        if min(radii) < 0 or sum(r > 0 for r in radii) < 2:
            raise ModelError(f"radii of a Rolling constraint are {radii}: give semi-axes, at most one of them zero")
        object.__setattr__(self, "radii", radii)

    def ends(self) -> tuple[Any, ...]:
        """Plane and ellipsoid."""
        return (self.on, self.body)


@typed
@dataclass(frozen=True)
class Constraint(ConstraintBase):
    """An equation of your own in what is seen, f(t, x) = 0.

    Args:
        function: f(t, x), giving a number, or several; x the values of `sees` in one sequence. It is run once, on
            symbols, and differentiated: use `kaneflex.sin`, `kaneflex.cos`, `kaneflex.sqrt` and arithmetic.
        sees: coordinates ("joint.coordinate"), positions ("body.position", "body.frame.position", inertial axes) and
            rotations ("body.rotation", "body.frame.rotation", nine numbers by rows, frame to inertial axes).
    """

    function: Callable[..., Any]
    sees: Sequence[str]

    def __post_init__(self) -> None:
        if not checks.is_function(self.function):
            raise ModelError(f"function of a {type(self).__name__} is {self.function!r}: give a function of t and x")
        what = f"sees of a {type(self).__name__}"
        if isinstance(self.sees, str) or not checks.items(self.sees, what):
            raise ModelError(f"{what} is {checks.shown(self.sees)}: give a tuple of channels")
        object.__setattr__(self, "sees", checks.names(self.sees, what))

    def channels(self) -> tuple[str, ...]:
        """What it sees."""
        return tuple(self.sees)


@typed
@dataclass(frozen=True)
class VelocityConstraint(Constraint):
    """An equation of your own in rates, f(t, x, v) = 0, linear in v = dx/dt.

    Args:
        function: f(t, x, v), giving a number, or several; run once, on symbols, like that of Constraint.
        sees: what x is made of, as for Constraint; v is its rate.
    """
