"""Applied loads as the user declares them.

A load's value is a constant or a function of time and of measured quantities: f(t), or f(t, x) with x the values of the
channels named in `sees`, one after another. `at`, `a` and `b` name a body ("arm") or a frame on it ("arm.tip").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.frames import Place
from kaneflex.model.typed import Name, typed


def _sees(load: Any) -> None:
    object.__setattr__(load, "sees", checks.names(load.sees, "sees"))


@typed
@dataclass(frozen=True)
class Force:
    """A force at a frame's origin.

    Args:
        at: body or frame.
        value: three components, N, or a function giving them.
        axes: "body" (the frame's own axes) or "inertial".
        sees: channels that the function's x is made of.
    """

    at: Name
    value: Any
    axes: str = "body"
    sees: Sequence[str] = ()

    def __post_init__(self) -> None:
        checks.known(self.axes, ("body", "inertial"), "axes")
        _sees(self)
        if not checks.is_function(self.value):
            object.__setattr__(self, "value", checks.vector(self.value, "value"))


@typed
@dataclass(frozen=True)
class Torque(Force):
    """A torque on the body that carries a frame.

    Args:
        at: body or frame.
        value: three components, N m, or a function giving them.
        axes: "body" (the frame's own axes) or "inertial".
        sees: channels that the function's x is made of.
    """


@typed
@dataclass(frozen=True)
class SpringDamper:
    """Spring and damper on the line between two points: tension = stiffness (l - length) + damping l-dot + tension.

    Args:
        a, b: the ends; "N" is the inertial origin, a position (three numbers) a point fixed in N.
        stiffness: N/m. damping: N s/m. length: free length, m.
        slack: True for a rope, which only pulls.
        tension: extra tension, N, constant or a function.
        sees: channels that the function's x is made of.
    """

    a: Place
    b: Place
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    slack: bool = False
    tension: Any = 0.0
    sees: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field in ("stiffness", "damping", "length"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        _sees(self)
        if not checks.is_function(self.tension):
            object.__setattr__(self, "tension", checks.number(self.tension, "tension"))


@typed
@dataclass(frozen=True)
class JointSpring:
    """Spring and damper in a joint (or drag on a rotor): -stiffness (q - rest) - damping rate.

    Args:
        joint: body whose inboard joint it is, or a rotor.
        stiffness: N m/rad or N/m. damping: N m s/rad or N s/m. rest: rad or m.
        coordinate: which coordinate of a joint with several, by name; None for all of them. On ball and free joints
            stiffness and damping act on the rotation, isotropically.
    """

    joint: Name
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    coordinate: Name | None = None

    def __post_init__(self) -> None:
        for field in ("stiffness", "damping"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        object.__setattr__(self, "rest", checks.number(self.rest, "rest"))


@typed
@dataclass(frozen=True)
class JointStop:
    """One-sided spring and damper beyond bounds of a coordinate.

    Args:
        joint: body whose inboard joint it is.
        lower, upper: bounds, rad or m; None for no bound.
        stiffness: N m/rad or N/m. damping: N m s/rad or N s/m, beyond the bound only.
        coordinate: which coordinate of a joint with several, by name.
    """

    joint: Name
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    coordinate: Name | None = None

    def __post_init__(self) -> None:
        for field in ("lower", "upper"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, checks.number(getattr(self, field), field))
        if self.lower is None and self.upper is None:
            raise checks.ModelError("a JointStop has no bound: give lower, upper or both")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise checks.ModelError(f"bounds of a JointStop are {self.lower:g} and {self.upper:g}: lower must be below")
        object.__setattr__(self, "stiffness", checks.positive(self.stiffness, "stiffness"))
        object.__setattr__(self, "damping", checks.not_negative(self.damping, "damping"))


@typed
@dataclass(frozen=True)
class JointForce:
    """Force or torque in a joint, conjugate to one of its rates (or to a rotor's).

    Args:
        joint: body whose inboard joint it is, or a rotor.
        value: N m or N, constant or a function.
        coordinate: which rate, by the coordinate's name; for ball and free joints "wx", "wy", "wz" are the components of
            the angular velocity (a torque) and "vx", "vy", "vz" those of the velocity (a force), in the body's axes.
        sees: channels that the function's x is made of.
    """

    joint: Name
    value: Any = 1.0
    coordinate: Name | None = None
    sees: Sequence[str] = ()

    def __post_init__(self) -> None:
        _sees(self)
        if not checks.is_function(self.value):
            object.__setattr__(self, "value", checks.number(self.value, "value"))


@typed
@dataclass(frozen=True)
class CentralGravity:
    """Attraction by a centre fixed in N, with gravity gradient (second order in the size of each body).

    Args:
        mu: gravitational parameter, m^3/s^2.
        centre: position in N, m.
        bodies: names of the bodies attracted; None for all.
    """

    mu: float
    centre: Any = (0.0, 0.0, 0.0)
    bodies: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive(self.mu, "mu"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre"))
        if self.bodies is not None:
            object.__setattr__(self, "bodies", checks.names(self.bodies, "bodies"))
            if not self.bodies:
                raise checks.ModelError("bodies of a CentralGravity is empty: name those attracted; None for all")


@typed
@dataclass(frozen=True)
class MovingBase:
    """A base with prescribed acceleration that carries the bodies attached to nothing else.

    Args:
        acceleration: of the base's origin in N, inertial axes, m/s^2: three numbers or a function of t.
        angular_acceleration: in base axes, rad/s^2: three numbers or a function of t; None for a base that does not turn.
        velocity, angular_velocity: at the start, inertial axes and base axes.
    """

    acceleration: Any = (0.0, 0.0, 0.0)
    angular_acceleration: Any = None
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for field in ("acceleration", "angular_acceleration"):
            value = getattr(self, field)
            given = checks.is_function(value) or (value is None and field == "angular_acceleration")
            if not given:
                object.__setattr__(self, field, checks.vector(value, field.replace("_", " ") + " of the base"))
        for field in ("velocity", "angular_velocity"):
            object.__setattr__(self, field, checks.vector(getattr(self, field), field.replace("_", " ") + " of the base"))


@dataclass(frozen=True)
class SlidingFriction:
    """The friction of a contact whose point slides; a run puts it on and off by itself.

    Args:
        contact: its name.
        angle: direction of the slip where it begins, rad from the first axis of the plane's frame towards the second; up to
            six coefficients by powers of t - since.
        since: s.
        until: s; up to then friction has the direction that `angle` says, which is that of the slip beforehand. None: it
            has the direction of the slip, and `angle` counts only where there is none.
    """

    contact: str
    angle: tuple[float, ...]
    since: float = 0.0
    until: float | None = None


Load = Force | Torque | SpringDamper | JointSpring | JointStop | JointForce | CentralGravity
