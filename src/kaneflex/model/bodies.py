"""Bodies: frozen declarations of mass and shape."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies import rigid
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model import checks
from kaneflex.model.frames import Frame, as_frame
from kaneflex.model.profiles import motion_of
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed


class BodyBase(ABC):
    """What a system needs to know of any body."""

    frames: Mapping[str, Any]
    start: Any = 0.0  # internal coordinates that a system starts from, where a body has some
    facts: ClassVar[BodyFacts] = rigid.FACTS
    is_flexible: ClassVar[bool] = False

    @abstractmethod
    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass (kg), mass times mass centre (kg m), and inertia (kg m^2) about the body's origin, body axes; at t = 0 where
        they change."""

    def carrying(self, node: str, what: str) -> "BodyBase":
        """The body with what it needs where a joint or a constraint acts at a node that deforms; itself where nothing.

        Args:
            node: its name.
            what: how messages call the body.
        """
        return self

    def describe(self) -> str:
        """What a description of the system says of the body beyond its mass; empty for nothing."""
        return ""

    def drawn(self, coordinates: checks.Vector) -> checks.Vector:
        """What moves the skin of a flexible body, (k, n), for k rows of its internal coordinates.

        Args:
            coordinates: (k, m).
        """
        return coordinates

    def law(self, R: checks.Vector, p: checks.Vector) -> Callable[..., Any] | None:
        """A function of t giving the numbers that the body's kernels read (`facts.outputs` of them), or None.

        Args:
            R: orientation of the joint's frame M on the body: components in M to components in the body.
            p: origin of M from the body's origin, in body axes, m.
        """
        return None


@typed
@dataclass(frozen=True)
class Rigid(BodyBase):
    """A rigid body.

    Args:
        mass: kg; 0 is allowed for an intermediate body whose joints' inertia comes from what hangs on it, and for a body of
            inertia alone, such as a gear, where its joint does no more than turn it about axes that have inertia.
        com: mass centre from the body's origin, in body axes, m.
        inertia: about the mass centre, in body axes, kg m^2: three principal values or a symmetric 3x3 matrix;
            0 (the default) makes a point mass.
        frames: named frames on the body: name -> position or Frame.
        points: extra point masses (mass, position), added to the above.
    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    frames: Mapping[str, Any] = field(default_factory=dict)
    points: Any = ()
    must_be_real: ClassVar[bool] = True

    def __post_init__(self) -> None:
        mass = checks.not_negative(self.mass, "mass")
        dimensions = checks.dimensions(self.inertia)
        three = (self.inertia,) * 3 if dimensions == 0 else self.inertia
        J = checks.array(three, (3, 3), "inertia") if dimensions == 2 else np.diag(checks.array(three, (3,), "inertia"))
        check_inertia(J, self.must_be_real)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "com", checks.vector(self.com, "com (mass centre)"))
        object.__setattr__(self, "inertia", tuple(tuple(float(x) for x in row) for row in J))
        object.__setattr__(self, "frames", settled_frames(self.frames))
        for point in checks.items(self.points, "points of a body"):
            if not isinstance(point, Sequence) or len(point) != 2:
                raise checks.ModelError(f"points of a body have {checks.shown(point)}: give pairs of mass and position")
        points = tuple(
            (checks.positive(m, "mass of a point"), checks.vector(p, "position of a point mass")) for m, p in self.points
        )
        object.__setattr__(self, "points", points)

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass, mass times mass centre, and inertia about the body's origin (point masses included), body axes."""
        return self._mass_properties

    @cached_property
    def _mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        if not self.points:  # on plain numbers, which costs a third: a large system has many bodies
            m, (x, y, z) = self.mass, self.com
            (Jxx, Jxy, Jxz), (Jyx, Jyy, Jyz), (Jzx, Jzy, Jzz) = self.inertia
            xx, yy, zz, xy, yz, zx = m * x * x, m * y * y, m * z * z, m * x * y, m * y * z, m * z * x
            J = (
                (Jxx + yy + zz, Jxy - xy, Jxz - zx),
                (Jyx - xy, Jyy + zz + xx, Jyz - yz),
                (Jzx - zx, Jzy - yz, Jzz + xx + yy),
            )
            return m, np.array((m * x, m * y, m * z)), np.array(J)
        parts = [(self.mass, np.array(self.com), np.array(self.inertia))]
        parts += [(m, np.array(p), np.zeros((3, 3))) for m, p in self.points]
        mass = sum(m for m, _, _ in parts)
        moment = sum((m * c for m, c, _ in parts), np.zeros(3))
        inertia = sum((J + m * (c @ c * np.eye(3) - np.outer(c, c)) for m, c, J in parts), np.zeros((3, 3)))
        return float(mass), moment, inertia


def settled_frames(frames: Mapping[str, Any]) -> Settled:
    """The frames of a body, checked, as a table that stays as it is."""
    made = {checks.name(n, "name of a frame"): as_frame(f, f'frame "{n}"') for n, f in frames.items()}
    return Settled(made, "give frames= when the body is made, or add them in the system")


def check_inertia(J: checks.Vector, must_be_real: bool) -> None:
    """Refuse a central inertia that is not symmetric or, where it must be real, that no distribution of mass has."""
    if np.abs(J - J.T).max() > 1e-9 * np.abs(J).max():
        raise checks.ModelError("inertia is not symmetric: give a symmetric 3x3 matrix")
    if not must_be_real:
        return
    a, b, c = np.linalg.eigvalsh(J)
    tiny = 1e-9 * max(abs(c), abs(a))
    if a < -tiny:
        raise checks.ModelError(f"inertia has a negative principal value {a:g}: give a positive semidefinite matrix")
    if c > a + b + tiny:
        raise checks.ModelError(
            f"inertia violates the triangle inequality: principal values {a:g}, {b:g}, {c:g}, "
            "the largest exceeds the sum of the others, which no mass distribution has"
        )


@typed
@dataclass(frozen=True)
class RigidAsGiven(Rigid):
    """A rigid body whose inertia need not be one that a distribution of mass can have; arguments as for Rigid.

    Data of real robots are often such. The motion is that of the equations with these numbers: it is sound as long as the
    mass matrix of the system stays positive definite.
    """

    must_be_real: ClassVar[bool] = False


@typed
@dataclass(frozen=True)
class PointMass(Rigid):
    """A particle: mass at the body's origin and no rotational inertia. Mount it on a joint that does not turn it.

    Args:
        mass: kg.
        com, inertia, frames, points: as for Rigid; a particle needs none of them.
    """


@typed
@dataclass(frozen=True)
class Rotor:
    """An axisymmetric wheel on a body, by its spin alone: no extra rotation matrix and no angle.

    The body's own mass and inertia include the wheel as if it were locked.

    Args:
        axis: spin axis in body axes.
        inertia: about the axis, kg m^2.
        rate: initial spin rate in the body, rad/s.
        motion: angle in the body as a function of time, rad: a profile or a function of t, for a wheel on a Rigid body whose
            drive does whatever that takes; None for a wheel that turns freely. Then `rate` is left at 0.
    """

    axis: Any
    inertia: float
    rate: float = 0.0
    motion: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", checks.axis(self.axis, "axis of a rotor"))
        object.__setattr__(self, "inertia", checks.positive(self.inertia, "inertia of a rotor"))
        object.__setattr__(self, "rate", checks.number(self.rate, "rate of a rotor"))
        if self.motion is not None:
            if self.rate:
                raise checks.ModelError("a rotor with a motion has a rate too: leave the rate out, which follows from it")
            object.__setattr__(self, "motion", motion_of(self.motion, "motion of a rotor"))


def without_wheel(body: BodyBase, rotor: Rotor, what: str, name: str) -> Rigid:
    """A rigid body without the axial inertia of a wheel on it.

    Args:
        body: whose inertia includes the wheel's.
        rotor: the wheel.
        what: how messages call the wheel.
        name: of the body, for messages.
    """
    if not isinstance(body, Rigid):
        raise checks.ModelError(
            f'{what} has a motion, and body "{name}" is not Rigid: put it on a Rigid body that is fixed there'
        )
    left = np.array(body.inertia) - rotor.inertia * np.outer(rotor.axis, rotor.axis)
    if np.linalg.eigvalsh(left)[0] < -1e-9 * rotor.inertia:
        raise checks.ModelError(
            f'{what} has more inertia about its axis than body "{name}", which must include it: raise the body\'s inertia'
        )
    return RigidAsGiven(body.mass, com=body.com, inertia=left, frames=body.frames, points=body.points)


__all__ = ["Frame", "PointMass", "Rigid", "RigidAsGiven", "Rotor"]
