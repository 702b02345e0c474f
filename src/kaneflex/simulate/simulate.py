"""From a plan and a state to the state over time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import Assembly, assemble
from kaneflex.kernels import helper
from kaneflex.kernels.progress import progress as compile_progress
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.inputs import drives_of
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.laws import values_of_now
from kaneflex.plan.plan import Event
from kaneflex.plan.state import State, put_in, state_of
from kaneflex.simulate.pace import Pace
from kaneflex.simulate.sampled import Sampled, check_drivers
from kaneflex.simulate.segment import Going, Segment, driven
from kaneflex.simulate.start import Start
from kaneflex.simulate.trajectory import Options, SimulationError, Trajectory


@typed
def simulate(
    model: Model,
    duration: float,
    *,
    initial: Mapping[str, Any] | State | None = None,
    options: Options | None = None,
    output: float | None = None,
    times: Any = None,
    inputs: Mapping[str, Any] | None = None,
    controllers: Sequence[Sampled] = (),
    events: Sequence[Event] = (),
    progress: bool | None = None,
    resume: Trajectory | None = None,
    rates: Any = None,
) -> Trajectory:
    """Integrate a model over `duration` seconds; see `System.simulate` for the arguments."""
    words = {"initial": initial, "options": options, "output": output, "times": times, "inputs": inputs}
    words |= {"controllers": controllers, "events": events, "progress": progress, "resume": resume, "rates": rates}
    with integrating():
        trajectory: Trajectory = driven(simulation(model, duration, **words))
    return trajectory


@contextmanager
def integrating() -> Iterator[None]:
    """Around runs: what compiles meanwhile is told, functions of the user's are as they are now."""
    with compile_progress.call(), values_of_now():
        try:
            yield
        except KeyboardInterrupt:
            helper.stop()
            raise


def simulation(
    model: Model,
    duration: float,
    *,
    initial: Mapping[str, Any] | State | None = None,
    options: Options | None = None,
    output: float | None = None,
    times: Any = None,
    inputs: Mapping[str, Any] | None = None,
    controllers: Sequence[Sampled] = (),
    events: Sequence[Event] = (),
    progress: bool | None = None,
    resume: Trajectory | None = None,
    rates: Any = None,
) -> Going:
    """The run that `simulate` makes, whose steps are taken by who drives it, see `segment.driven`; to a Trajectory."""
    options = Options() if options is None else options
    duration = checks.positive(duration, "duration")
    constants = np.zeros(len(model.inputs)) if resume is None else resume.final_inputs.copy()
    driven = drivers(model, inputs, constants, controllers, events, rates)
    assembly = None if resume is None else resume.assembly
    start, pace = Start(model, 0.0, np.zeros(0)), Pace(duration)
    segments: list[Trajectory] = []
    while True:
        segment = Segment(start, options, constants, driven, pace)
        before = segments[-1] if segments else resume
        if before is not None and before.choice is not None:  # what was found out once serves on
            segment.choice = replace(before.choice, evaluations=0)
        if segments:
            t0, y0 = start.t, start.y
        elif resume is not None and initial is not None:
            assembly, t0, y0 = _moved(segment, resume, initial)
        elif resume is not None:
            t0, y0 = resume.at_end
        else:
            assembly, t0, y0 = begin_run(segment, initial)
            if assembly is not None:
                assembly.warn()
        if not segments:
            begun, clock, end = t0, t0 if resume is None else resume.clock, t0 + duration
            wanted = _sample_times(t0, duration, output, times)
        else:  # the instant of the change is sampled on both sides
            wanted = np.concatenate([[t0], wanted[np.searchsorted(wanted, t0, side="right") :]])
        if start.stopped is None:
            segment.begin(t0, begun, clock, end, wanted)
        else:  # a terminal event changed the system: all there is of this segment is its start
            segment.begin(t0, begun, clock, t0, wanted[:1])
        goes_on = resume if not segments and initial is None else None
        first = not segments and resume is None
        trajectory = yield from segment.integrate(y0, goes_on, progress, tuple(segments), first=first)
        trajectory.assembly, trajectory.driven_by = assembly, driven
        if trajectory.status != "changed":
            return trajectory
        assert segment.next is not None
        if pace.keeps_changing(segment.next.t):
            raise SimulationError(f"the system keeps changing at t = {segment.next.t:.9g} s without getting on", trajectory)
        trajectory.segments = ()  # the last one has them all
        segments.append(trajectory)
        start = segment.next
        constants = segment.inputs.copy() if start.inputs is None else start.inputs


def drivers(
    model: Model,
    inputs: Mapping[str, Any] | None,
    constants: np.ndarray,
    controllers: Sequence[Sampled],
    events: Sequence[Event],
    rates: Any = None,
) -> dict[str, Any]:
    """What drives a run, with the functions among its inputs; those that are numbers are put into `constants`."""
    given = drives_of(inputs, model.inputs)
    functions = {n: v for n, v in given.items() if not isinstance(v, float)}
    numbers = {name: k for k, name in enumerate(model.inputs)}
    check_drivers(model.inputs, given, controllers, model.blocks)
    for name, value in given.items():
        if name not in functions:
            constants[numbers[name]] = value
    return {"inputs": functions, "controllers": tuple(controllers), "events": tuple(events), "rates": rates}


def _moved(
    segment: Segment, resume: Trajectory, initial: Mapping[str, Any] | State
) -> tuple[Assembly | None, float, np.ndarray]:
    """Go on from the end of a run with some values put in by name, or with a State: its assembly, time and y.

    What this changes of the energy is work applied.
    """
    plan, dynamics, (t, y) = segment.plan, segment.dynamics, resume.at_end
    q, u, z = plan.layout.split(y)
    if not isinstance(initial, Mapping):
        given = state_of(plan, initial, "state to go on from")
        state = State(plan.index, t, given.q, given.rates, given.given, given.z)
    else:
        state = State(plan.index, t, q, dynamics.rates_from_speeds(q, u), z=z)
        put_in(plan.model, state, initial)
    assembly = assemble(dynamics, state) if plan.is_constrained else None
    after = _start(dynamics, state if assembly is None else assembly.state)
    after[plan.layout.works] = y[plan.layout.works]
    after[plan.layout.applied] += segment.energy(t, after) - segment.energy(t, y)
    return assembly, t, after


def begin_run(segment: Segment, initial: Mapping[str, Any] | State | None) -> tuple[Assembly | None, float, np.ndarray]:
    """The assembly of a start, its time and its y. The plan remembers the last start, which many runs may have in common;
    not where user functions take part that may give something else the next time."""
    plan = segment.plan
    state = state_of(plan, initial, "initial state")
    given = b"" if state.given is None else np.concatenate(state.given).tobytes()
    key = (state.t, state.q.tobytes(), state.rates.tobytes(), state.z.tobytes(), given, segment.inputs.tobytes())
    if plan.begun is None or plan.begun[0] != key:
        assembly = assemble(segment.dynamics, state) if plan.is_constrained else None
        y = _start(segment.dynamics, state if assembly is None else assembly.state)
        if not plan.is_repeatable:
            return assembly, state.t, y
        plan.begun = (key, assembly, y)
    _, assembly, y = plan.begun
    if assembly is not None:
        assembly = replace(assembly, state=assembly.state.copy())
    return assembly, state.t, y.copy()


def _start(dynamics: Dynamics, state: State) -> np.ndarray:
    u = dynamics.speeds_from_rates(state.q, state.rates)
    dynamics.set_states(state.z)
    dynamics.check_regular(state.t, state.q, u)
    return dynamics.layout.join(state.q, u, state.z)


def _sample_times(t0: float, duration: float, output: float | None, times: Any) -> np.ndarray:
    if times is not None:
        count = len(checks.items([times] if checks.dimensions(times) == 0 else times, "times"))
        t: np.ndarray = checks.several(times, max(count, 1), "times")
        if np.any(np.diff(t) <= 0):
            raise ModelError("times must be finite and ascending")
        if t[0] < t0 or t[-1] > t0 + duration * (1 + 1e-12):
            raise ModelError(f"times reach from {t[0]:g} to {t[-1]:g} s: they must lie in {t0:g} to {t0 + duration:g} s")
        return np.minimum(t, t0 + duration)
    interval = duration / 500 if output is None else checks.positive(output, "output interval")
    n = max(1, math.floor(duration / interval * (1 + 1e-12)))
    if n > 20_000_000:
        raise ModelError(f"output every {interval:g} s makes {n} samples: choose a longer interval")
    t = t0 + interval * np.arange(n + 1)
    if t[-1] < t0 + duration - 1e-9 * interval:
        t = np.append(t, t0 + duration)
    t[-1] = t0 + duration
    return t


__all__ = [
    "Event",
    "Options",
    "SimulationError",
    "Trajectory",
    "begin_run",
    "drivers",
    "integrating",
    "simulate",
    "simulation",
]
