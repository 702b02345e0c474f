"""Bodies whose contents flow and leave: rockets while they burn, tanks that drain, payloads that are let go."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies import variable_mass
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model import checks
from kaneflex.model.bodies import BodyBase, check_inertia, settled_frames
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed

_QUANTITY = "a number, a function of t or a profile"


@typed
@dataclass(frozen=True)
class Outlet:
    """A place through which a VariableMass loses mass.

    Args:
        at: position on the body from its origin, in body axes, m; or the name of one of the body's frames.
        flow: mass that leaves, kg/s: a number, a function of t or a profile; negative where it enters. None for what the
            body's mass says that the other outlets leave open, at one outlet of a body.
        velocity: of what leaves (or enters) relative to the body, in body axes, m/s: three numbers, functions of t or
            profiles, or a function of t that gives three numbers.
    """

    at: Any
    flow: Any = None
    velocity: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        read = checks.name if isinstance(self.at, str) else checks.vector
        object.__setattr__(self, "at", read(self.at, "at of an outlet"))
        if self.flow is not None:
            object.__setattr__(self, "flow", _quantity(self.flow, "flow of an outlet"))
        object.__setattr__(self, "velocity", _three(self.velocity, "velocity of an outlet"))


@typed
@dataclass(frozen=True)
class VariableMass(BodyBase):
    """A rigid body whose mass properties are functions of time, and which loses mass through outlets.

    The contents flow inside the body as their properties say, without swirl about the body's origin unless it is given: put
    the origin on the axis of the flow. Thrust, jet damping and the reaction to contents that are set in motion follow.
    Functions are run on symbols and differentiated there, twice: write them with NumPy's functions, without branches, or
    give profiles.

    Args:
        mass: kg: a number, a function of t or a profile. Its rate is minus the sum of the outlets' flows.
        com: mass centre from the body's origin, in body axes, m: three numbers, functions of t or profiles, or a function of
            t that gives three numbers.
        inertia: about the mass centre, in body axes, kg m^2: three principal values or a symmetric 3x3 matrix of numbers,
            functions of t or profiles; or a function of t that gives three or nine numbers.
        outlets: where mass leaves.
        frames: named frames on the body: name -> position or Frame.
        swirl: angular momentum of the contents' flow in the body, about its origin, in body axes, kg m^2/s: three numbers,
            functions of t or profiles, or a function of t that gives three numbers. A pipe with the flow m_e has 2 m_e times
            the area that it sweeps about the origin.
        start: mass, mass times mass centre and inertia about the origin at t = 0, thirteen numbers, for a body that is read
            from a file, which cannot hold functions; nothing else uses them.
    """

    mass: Any
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    outlets: Any = ()
    frames: Mapping[str, Any] = field(default_factory=dict)
    swirl: Any = (0.0, 0.0, 0.0)
    start: Any = None
    facts: ClassVar[BodyFacts] = variable_mass.FACTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", _quantity(self.mass, "mass"))
        object.__setattr__(self, "com", _three(self.com, "com (mass centre)"))
        object.__setattr__(self, "inertia", _inertia(self.inertia))
        object.__setattr__(self, "swirl", _three(self.swirl, "swirl"))
        object.__setattr__(self, "frames", settled_frames(self.frames))
        outlets = checks.items(self.outlets, "outlets of a body")
        for outlet in outlets:
            if not isinstance(outlet, Outlet):
                raise ModelError(f"outlets of a body have {checks.shown(outlet)}: give Outlet(at, flow, velocity)")
            if isinstance(outlet.at, str):
                checks.known(outlet.at, self.frames, "frame of an outlet:")
        if sum(o.flow is None for o in outlets) > 1:
            raise ModelError("several outlets have no flow: leave out the flow of one of them only")
        object.__setattr__(self, "outlets", outlets)
        if self.start is not None:
            object.__setattr__(self, "start", tuple(map(float, checks.finite(self.start, 13, "start"))))
        if not any(hasattr(f, "is_missing") for f in self.functions()):
            self._check_start()

    def _check_start(self) -> None:
        mass, moment, J = self.mass_properties()
        if not mass > 0:
            raise ModelError(f"mass is {mass:g} at t = 0: give one that is positive")
        c = moment / mass
        check_inertia(J - mass * (c @ c * np.eye(3) - np.outer(c, c)), True)

    def functions(self) -> Iterator[Callable[[float], Any]]:
        """All functions of t and profiles that the body is made of."""
        given = [self.mass, self.com, self.inertia, self.swirl, *(x for o in self.outlets for x in (o.flow, o.velocity))]
        while given:
            x = given.pop(0)
            if callable(x):
                yield x
            elif isinstance(x, tuple):
                given = [*x, *given]

    def as_stored(self) -> "VariableMass":
        """The body as a file holds it, with its properties at t = 0."""
        mass, moment, J = self.mass_properties()
        return replace(self, start=(mass, *moment, *J.ravel()))

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass (kg), mass times mass centre (kg m), and inertia (kg m^2) about the body's origin, body axes, at t = 0."""
        if self.start is not None and any(hasattr(f, "is_missing") for f in self.functions()):
            return self.start[0], np.array(self.start[1:4]), np.array(self.start[4:]).reshape(3, 3)
        mass, c = _values(self.mass, 1, "mass")[0], np.array(_values(self.com, 3, "com (mass centre)"))
        given = np.array(_values(self.inertia, (3, 9), "inertia"))
        J = np.diag(given) if len(given) == 3 else given.reshape(3, 3)
        return mass, mass * c, J + mass * (c @ c * np.eye(3) - np.outer(c, c))


def _quantity(x: Any, what: str) -> Any:
    if checks.is_function(x):
        return x
    try:
        return checks.number(x, what)
    except ModelError:
        raise ModelError(f"{what} is {checks.shown(x)}: give {_QUANTITY}") from None


def _three(x: Any, what: str) -> Any:
    if checks.is_function(x):
        return x
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, str | bytes) or not isinstance(x, Sequence) or len(x) != 3:
        raise ModelError(f"{what} is {checks.shown(x)}: give three of {_QUANTITY} each, or a function of t giving three")
    return tuple(_quantity(e, what) for e in x)


def _inertia(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, Sequence) and not isinstance(x, str | bytes) and len(x) == 3:
        if all(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in x):
            return tuple(_three(row, "a row of the inertia") for row in x)
        return _three(x, "inertia")
    if checks.is_function(x):
        return x
    raise ModelError(
        f"inertia is {checks.shown(x)}: give three principal values or a 3x3 matrix of {_QUANTITY} each, "
        "or a function of t giving three or nine numbers"
    )


def _values(x: Any, wanted: Any, what: str) -> list[float]:
    """The numbers that a quantity, or several, have at t = 0."""
    found: list[float] = []
    for part in x if isinstance(x, tuple) else (x,):
        if isinstance(part, tuple):
            found += _values(part, 3, what)
            continue
        try:
            given = part(0.0) if callable(part) else part
            found += [float(v) for v in np.ravel(np.array(given, object))]
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"{what} has no value at t = 0: its function failed ({error})") from error
    counts = wanted if isinstance(wanted, tuple) else (wanted,)
    if len(found) not in counts:
        raise ModelError(f"{what} has {len(found)} numbers at t = 0: give {' or '.join(map(str, counts))}")
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{what} is not finite at t = 0: give functions that are")
    return found


__all__ = ["Outlet", "VariableMass"]
