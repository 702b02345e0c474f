"""A run's problem as it would be at other values of a parameter or of an initial value, and differences between them.

What a model's numbers are as functions of its parameters is found by making the plan at six values on either side,

    d/dp F = sum_k c_k [F(p + k h) - F(p - k h)] / h ,   k = 1, 2, 3,   c = (3/4, -3/20, 1/60),                          (1)

whose error is of order h^6: with h = 3e-4 of p that of rounding alone, some 1e-12 of F.
Ref: Fornberg, Math. Comp. 51 (1988) 699, table 1.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.layout import HEADER
from kaneflex.kernels.tables import Tables
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.inputs import drives_of
from kaneflex.model.model import Model
from kaneflex.model.recipes import nominal, parameters_in, revalued, with_numbers
from kaneflex.model.said import Asked
from kaneflex.model.typed import Rule
from kaneflex.plan.plan import Event, Plan
from kaneflex.simulate.pace import Pace
from kaneflex.simulate.segment import Segment
from kaneflex.simulate.simulate import begin_run
from kaneflex.simulate.start import Start
from kaneflex.simulate.trajectory import Options

Array = np.ndarray
CENTRAL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60), (-1, -3 / 4), (-2, 3 / 20), (-3, -1 / 60))
FORWARD = ((0, -49 / 20), (1, 6.0), (2, -15 / 2), (3, 20 / 3), (4, -15 / 4), (5, 6 / 5), (6, -1 / 6))
Stencil = tuple[tuple[int, float], ...]
STEP = 3e-4  # of the value
AnySystem = Annotated[Any, Rule(lambda value: isinstance(value, Model), "a System")]  # whose class this folder does not know


class NotDifferentiable(ModelError):
    """A derivative that was asked for does not exist, or is not known here; the message names what and when."""


@dataclass
class Posed:
    """A run's problem at certain values: its plan, its start, its events."""

    model: Any
    plan: Plan
    dynamics: Dynamics
    t0: float
    y0: Array
    duration: float
    inputs: Array
    events: list[Event]

    def rate(self, t: float, y: Array) -> Array:
        """y-dot."""
        out = np.empty(len(y))
        self.dynamics.kernels.call_derivative(self.plan.I, self.plan.P, self.dynamics.W, t, y, out)
        return out


def pose(asked: Asked, options: Options, values: Mapping[str, float], initial: Mapping[str, float]) -> Posed:
    """The problem of a run that was asked for, at values of parameters and with some initial values put in."""
    arguments, words = with_numbers((asked.arguments, asked.words), values)
    if words.get("inputs"):  # whose functions go on saying which parameters are in them
        words["inputs"] = nominal(revalued(asked.words["inputs"], values))
    own = asked.system.parameters
    at = {name: value for name, value in values.items() if name in own}
    model = asked.system.beyond(at) if at else asked.system
    if words.get("controllers"):
        raise NotDifferentiable("the run has sampled controllers, which are called in the interpreter: make them blocks")
    drives = drives_of(words.get("inputs"), model.inputs)
    constants = np.array([drives[n] if isinstance(drives.get(n), float) else 0.0 for n in model.inputs], float)
    functions = {n: v for n, v in drives.items() if not isinstance(v, float)}
    events = list(words.get("events", ()))
    driven = {"inputs": functions, "controllers": (), "events": events, "rates": None}
    duration = float(arguments[0] if arguments else words["duration"])
    segment = Segment(Start(model, 0.0, np.zeros(0)), options, constants, driven, Pace(duration))
    if segment.feeds is not None or segment.contacts.closed:
        raise NotDifferentiable("the run begins with rods that are fed, or with contacts that are closed")
    start = words.get("initial")
    if initial:
        if not (start is None or isinstance(start, Mapping)):
            raise NotDifferentiable("the run began at a State: give its initial values by name to have derivatives by them")
        start = dict(start or {}) | dict(initial)
    _, t0, y0 = begin_run(segment, start)
    return Posed(model, segment.plan, segment.dynamics, t0, y0, duration, constants, list(segment.events))


class Point:
    """A run's problem and those beside it.

    Args:
        asked: how the run was asked for.
        options: of the run.
        names: of parameters and initial values.
        base: the problem of the run.

    Attributes:
        values: of the names.
        steps: of differences by them.
    """

    def __init__(self, asked: Asked, options: Options, names: Sequence[str], base: Posed):
        self.asked, self.options, self.base = asked, options, base
        self._known = parameters_in((asked.arguments, asked.words)) | asked.system.parameters
        known = {name: self._known[name].at(asked.values).value for name in names if name in self._known}
        self.values = {n: known[n] if n in known else _initial_value(base, n, self._known) for n in names}
        self.steps = {name: STEP * (abs(value) or 1.0) for name, value in self.values.items()}

    def parameters(self, moved: Mapping[str, float]) -> dict[str, float]:
        """Values of parameters with some of them moved by so many steps."""
        own = {n: self.values[n] + k * self.steps[n] for n, k in moved.items() if n in self._known}
        return {**self.asked.values, **own}

    def posed(self, moved: Mapping[str, float]) -> Posed:
        """The problem with some values moved by so many steps."""
        initial = {n: self.values[n] + k * self.steps[n] for n, k in moved.items() if n not in self._known}
        found = pose(self.asked, self.options, self.parameters(moved), initial)
        _check_alike(self.base, found, ", ".join(moved))
        return found


Weighed = list[tuple[float, Posed]]


@dataclass
class Varied:
    """The problem at several values of one parameter or initial value.

    Where corners of profiles move with it, a time may be before a corner at one value and behind it at another. The smooth
    pieces on either side are then told apart by values on one side only.

    Args:
        name: of it.
        sets: problems with their weights, by eq. (1) and divided by h; of several sets each does.
        is_start: whether nothing but the start depends on it.
    """

    name: str
    sets: list[Weighed]
    is_start: bool

    def difference(self, function: Callable[[Posed], Any], t: float | None = None, corners: Sequence[float] = ()) -> Any:
        """Derivative of a function of the problem; with t at a time t, s, in the piece between corners that t is in."""
        return sum(weight * np.asarray(function(posed)) for weight, posed in self.sets[self.which(t, corners)])

    def which(self, t: float | None, corners: Sequence[float]) -> int:
        """Number of the set whose problems all have t in the same piece."""
        if len(self.sets) == 1 or t is None:
            return 0
        piece = bisect_right(corners, t)
        for n, weighed in enumerate(self.sets):
            if all(bisect_right(posed.plan.breaks, t) == piece for _, posed in weighed):
                return n
        raise NotDifferentiable(
            f'no derivative by "{self.name}" at t = {t:.6g} s: corners of profiles are too close together'
        )


def vary(asked: Asked, options: Options, name: str, base: Posed) -> Varied:
    """The problem on either side of the value that a parameter or an initial value has."""
    point = Point(asked, options, [name], base)
    value, h, made = point.values[name], point.steps[name], dict[int, Posed]()

    def weighed(stencil: Stencil, sign: int) -> Weighed:
        for k, _ in stencil:
            if sign * k not in made:
                made[sign * k] = point.posed({name: sign * k})
        return [(sign * weight / h, made[sign * k]) for k, weight in stencil]

    sets, wrong = list[Weighed](), None
    for stencil, sign in ((CENTRAL, 1), (FORWARD, 1), (FORWARD, -1)):
        if not sets or any(other.plan.breaks != base.plan.breaks for other in made.values()):
            try:
                sets.append(weighed(stencil, sign))
            except NotDifferentiable:
                raise
            except ModelError as e:
                wrong = e
    if not sets:
        raise NotDifferentiable(f'no derivative by "{name}": on neither side of {value:g} are values allowed: {wrong}')
    return Varied(name, sets, all(_same_numbers(base, other) for other in made.values()))


def _initial_value(base: Posed, name: str, known: Mapping[str, Any]) -> float:
    """What a coordinate, rate or state of a block begins with."""
    try:
        value = ChannelReader(base.plan, [name]).read_one(base.dynamics, base.t0, base.y0)[name]
    except ModelError as e:
        checks.known(name, known, f"neither an initial value ({e}) nor a parameter:")
        raise
    if np.size(value) != 1:
        raise ModelError(f'"{name}" is {np.size(value)} numbers: name one of them, as initial= takes it')
    return float(np.ravel(value)[0])


def _topology(plan: Plan) -> Array:
    """I behind its header, in which addresses of compiled stages are, and without those of user functions."""
    I = plan.I.copy()
    Tables(I, {"I": I}).law.address[:] = 0
    return I[HEADER:]


def _check_alike(base: Posed, other: Posed, name: str) -> None:
    alike = len(base.plan.I) == len(other.plan.I) and len(base.plan.P) == len(other.plan.P)
    if not alike or not np.array_equal(_topology(base.plan), _topology(other.plan)):
        raise NotDifferentiable(
            f'no derivative by "{name}": beside its value the system is built otherwise (a spring without damping '
            "and length, say, is another kind of spring): give it another value"
        )
    if len(base.plan.breaks) != len(other.plan.breaks):
        raise NotDifferentiable(f'no derivative by "{name}": the number of corners of profiles depends on it')


def _same_numbers(base: Posed, other: Posed) -> bool:
    fingerprints = [[law.fingerprint for law in posed.plan.laws] for posed in (base, other)]
    same = np.array_equal(base.plan.P, other.plan.P) and np.array_equal(base.inputs, other.inputs)
    return same and fingerprints[0] == fingerprints[1] and base.plan.breaks == other.plan.breaks


def along(function: Callable[[float], Any], size: float) -> Any:
    """Derivative at 0 of a function of one number, by eq. (1) with h = STEP size."""
    h = STEP * size
    return sum(weight / h * np.asarray(function(k * h)) for k, weight in CENTRAL)


def names_of(names: str | Sequence[str]) -> list[str]:
    """Names of parameters and initial values, in a list; one at least."""
    found = list(checks.names([names] if isinstance(names, str) else names, "names of parameters"))
    if not found:
        raise ModelError("names of parameters: there are none: give one or more")
    return found


__all__ = [
    "CENTRAL",
    "STEP",
    "AnySystem",
    "NotDifferentiable",
    "Point",
    "Posed",
    "Varied",
    "along",
    "names_of",
    "pose",
    "vary",
]
