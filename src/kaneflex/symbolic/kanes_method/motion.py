"""Motions of a KanesMethod's system, integrated in the package's compiled loop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine
import sympy

from kaneflex.kernels import backend
from kaneflex.kernels.tables import width, with_header
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.methods import METHODS, Integrator, Problem
from kaneflex.simulate.methods import integrator as integrator_of
from kaneflex.symbolic import export
from kaneflex.symbolic.calculus import free, jacobian, replaced, total
from kaneflex.symbolic.compiled_rates import AddressedRates
from kaneflex.symbolic.export import MatrixForm
from kaneflex.symbolic.kanes_method.side_stages import SideStages
from kaneflex.symbolic.translate import ZERO

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any


@typed
@dataclass(frozen=True)
class Crossing:
    """A zero of an expression of coordinates, speeds, parameters and time.

    Args:
        expression: of SymPy.
        direction: +1 for rising zeros, -1 for falling ones, 0 for both.
        terminal: True to stop the motion there.
    """

    expression: Any
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.expression, sympy.Expr | symengine.Basic):
            raise ModelError(f"expression of a Crossing is {checks.shown(self.expression)}: give an expression of SymPy")
        if self.direction not in (-1, 0, 1):
            raise ModelError(f"direction of a Crossing is {self.direction!r}: give -1, 0 or 1")


@typed
@dataclass
class Motion:
    """A motion of a KanesMethod's system; motion["q1"] is a coordinate, a speed or an output by name.

    Attributes:
        t, q, u: times, coordinates and speeds, a row per time.
        names: of the coordinates, then of the speeds.
        outputs: further quantities by name.
        events: (time, name) of the zeros that were found.
        drift: largest defects of the configuration and of the velocity constraints at these times.
        statistics: what it took; "projection_failures" counts steps that could not meet the configuration constraints.
    """

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    names: list[str]
    outputs: dict[str, np.ndarray]
    events: list[tuple[float, str]]
    drift: tuple[float, float]
    statistics: dict[str, int]

    def __getitem__(self, name: Any) -> np.ndarray:
        """A coordinate, speed or output at the times t; by its name, or its SymPy symbol."""
        word = str(getattr(name, "func", name)) if getattr(name, "args", ()) else str(name)
        checks.known(word, [*self.outputs, *self.names], "coordinate, speed or output")
        if word in self.outputs:
            return self.outputs[word]
        k, nq = self.names.index(word), self.q.shape[1]
        return self.q[:, k] if k < nq else self.u[:, k - nq]


@typed
def simulate(
    method: "KanesMethod",
    duration: float,
    initial: Mapping[Any, float],
    values: Mapping[Any, float] | None = None,
    *,
    events: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    integrator: str = "dopri5",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | None = None,
    max_steps: int = 1_000_000,
) -> Motion:
    """Integrate the equations of a KanesMethod in the package's compiled loop.

    Dependent coordinates and speeds are brought onto their constraints at the start and after every step, the independent
    ones being kept; `drift` of what is returned says how well.

    Args:
        method: with its equations formed; without functions of time that are not given in terms of t.
        duration: s.
        initial: coordinates and speeds at the start, all of them; those of dependent ones are guesses.
        values: numbers of all parameters, by name or symbol.
        events: by name, an expression whose zeros are recorded, or a Crossing.
        outputs: by name, expressions of coordinates, speeds, parameters and time to be evaluated along the motion.
        integrator: "dopri5", "dop853", "radau5" (for stiff equations), "sdirk4" or "cvode".
        rtol, atol: tolerances of the local error.
        output: interval of the samples, s; duration/500 when left out.
        max_steps: most steps to try.
    """
    checks.known(integrator, [n for n, m in METHODS.items() if m.adaptive], "integrator")
    duration, max_steps = checks.positive(duration, "duration"), checks.whole(max_steps, "max_steps", least=1)
    rtol, atol = checks.positive(rtol, "rtol"), checks.positive(atol, "atol")
    crossings = {n: e if isinstance(e, Crossing) else Crossing(e) for n, e in (events or {}).items()}
    zeros = [_engine(method, c.expression, f'event "{n}"') for n, c in crossings.items()]
    asked = {n: _engine(method, e, f'output "{n}"') for n, e in (outputs or {}).items()}
    tied = _tied(method)
    form = _with_parameters(export.of_method(method), [*zeros, *asked.values(), *tied.values, *tied.speeds])
    rates = AddressedRates(form, values)
    y0 = _initial(method, form, initial)
    I = with_header(np.zeros(width("header", "I"), np.int64), coordinates=len(form.q), speeds=len(form.u))
    side, tables = SideStages(form, form.numbers(values), zeros, tied), (I, np.zeros(1), np.zeros(1))
    rates.take_over(I, side.addresses(), side.notes)
    if side.constrained and backend.compiled().call_project(*tables, 0.0, y0, 50, 0.5) < 0:
        raise ModelError(
            "no dependent coordinates near the initial ones satisfy the configuration constraints: give better guesses"
        )
    directions = [c.direction for c in crossings.values()]
    problem = Problem(
        tables,
        len(y0),
        len(y0),
        rtol=rtol,
        atol=atol,
        event_directions=directions,
        constrained=side.constrained,
        coordinates=len(form.q),
    )
    stepper = integrator_of(integrator, problem)
    interval = duration / 500 if output is None else checks.positive(output, "output interval")
    t = np.linspace(0.0, duration, max(1, math.ceil(duration / interval - 1e-9)) + 1)
    stepper.start(0.0, y0)
    t, y, found = _run(stepper, t, crossings, max_steps)
    names = [str(s) for s in (*form.q, *form.u)]
    statistics = {k: getattr(stepper, k) for k in ("steps", "rejected", "evaluations", "jacobians", "projection_failures")}
    rows = side.along(t, y, [*asked.values(), *tied.values, *tied.speeds])
    drift = np.abs(rows[:, len(asked) :]).max(axis=0, initial=0.0)
    count = len(tied.values)
    worst = (float(drift[:count].max(initial=0.0)), float(drift[count:].max(initial=0.0)))
    extra = {n: rows[:, k] for k, n in enumerate(asked)}
    return Motion(t, y[:, : len(form.q)], y[:, len(form.q) :], names, extra, found, worst, statistics)


def _run(
    stepper: Integrator, t: np.ndarray, crossings: Mapping[str, Crossing], max_steps: int
) -> tuple[np.ndarray, np.ndarray, list[tuple[float, str]]]:
    """Times and states up to the end, or to an event that stops; and the events."""
    y = np.full((len(t), stepper.size), np.nan)
    names = list(crossings)
    found: list[tuple[float, str]] = []
    stepper.begin_samples()
    while True:
        left = max_steps - stepper.steps - stepper.rejected
        status = stepper.advance(float(t[-1]), t, y, left) if left > 0 else Status.BUDGET
        if status == Status.DONE:
            return t, y, found
        if status == Status.NO_VALUE:
            raise ModelError(f'event "{names[stepper.event]}" is not a number (NaN) at t = {stepper.asked:.9g} s')
        if status != Status.EVENT:
            raise ModelError(f"the integration stopped at t = {stepper.t:g} s ({status.name.lower().replace('_', ' ')})")
        happened = [names[k] for k in stepper.take_events()]
        found += [(stepper.t, name) for name in happened]
        if any(crossings[name].terminal for name in happened):
            kept = t[: stepper.filled] < stepper.t
            t = np.append(t[: stepper.filled][kept], stepper.t)
            return t, np.vstack([y[: stepper.filled][kept], stepper.y]), found


def _engine(method: "KanesMethod", expression: Any, what: str) -> Expr:
    """An expression in coordinates, speeds and time, rates of coordinates being written with speeds."""
    try:
        e = method._rates.in_speeds(method.symbols.engine(expression))
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{what} is {expression!r}: give an expression of SymPy ({error})") from error
    known = {*method.native.q, *method.native.u}
    strange = sorted(str(s) for s in free(e) if method.symbols.is_dynamic(s) and s not in known)
    if strange:
        raise ModelError(f"{what} has {', '.join(strange)} in it: write it with coordinates, speeds, parameters and time")
    return e


def _with_parameters(form: MatrixForm, more: Sequence[Expr]) -> MatrixForm:
    """The form with the parameters that only events, outputs and constraints have."""
    known = {form.t, *form.q, *form.u}
    extra = set().union(*(free(e) for e in more)) - known
    return replace(form, parameters=sorted({*form.parameters, *extra}, key=str))


def _initial(method: "KanesMethod", form: MatrixForm, initial: Mapping[Any, float]) -> np.ndarray:
    start = {str(method.symbols.engine(k)): checks.number(v, f'initial "{k}"') for k, v in initial.items()}
    names = [str(s) for s in (*form.q, *form.u)]
    for name in start:
        checks.known(name, names, "coordinate or speed")
    missing = [n for n in names if n not in start]
    if missing:
        raise ModelError(f"initial values of {', '.join(missing)} are missing")
    return np.array([start[n] for n in names])


@dataclass
class Tied:
    """Constraints: values of those of the configuration, of those of the speeds, and their derivatives by what depends."""

    values: list[Expr]
    speeds: list[Expr]
    by_q: list[list[Expr]]
    by_u: list[list[Expr]]


def _tied(method: "KanesMethod") -> Tied:
    native, plain = method.native, dict.fromkeys(method._auxiliary, ZERO)
    values = [replaced(e, plain) for e in method.ties.f_h]
    rows = [[replaced(e, plain) for e in row] for row in method.ties.k_nh]
    rest = [replaced(e, plain) for e in method.ties.f_nh]
    speeds = [total([*(k * u for k, u in zip(row, native.u, strict=True)), f]) for row, f in zip(rows, rest, strict=True)]
    by_q = jacobian(values, native.q[len(native.q) - len(values) :])
    return Tied(values, speeds, by_q, [row[len(native.u) - len(rows) :] for row in rows])


__all__ = ["Crossing", "Motion", "simulate"]
