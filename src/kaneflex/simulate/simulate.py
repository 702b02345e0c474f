"""From a plan and a state to the state over time."""

import contextlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.formulations.compiling import progress as compile_progress
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import Event, Plan, build
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.laws import pending_error
from kaneflex.plan.state import State, initial_state
from kaneflex.simulate.assembly import Assembly, assemble
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.sampled import Sampled
from kaneflex.simulate.stepper import Status, Stepper

QUADRATURES = 2  # work of applied loads, work lost in dampers: carried behind q and u


class SimulationError(RuntimeError):
    """A run could not go on; what was computed is in `trajectory`."""

    def __init__(self, message: str, trajectory: "Trajectory"):
        super().__init__(message)
        self.trajectory = trajectory


@dataclass
class Options:
    """How a run is integrated; kept with the run."""

    method: str = "dopri5"
    formulation: str = "recursive"
    speeds: str = "customary"
    rtol: float = 1e-8
    atol: float = 1e-10
    step: float | None = None
    max_step: float = math.inf
    max_steps: int = 5_000_000

    def __post_init__(self) -> None:
        checks.known(self.method, [*METHODS, "cvode"], "method")
        checks.positive(self.rtol, "rtol")
        checks.positive(self.atol, "atol")
        if self.step is not None:
            checks.positive(self.step, "step")
        if not (isinstance(self.max_steps, int) and self.max_steps > 0):
            raise ModelError(f"max_steps is {self.max_steps!r}: give a positive whole number")
        if not self.max_step > 0:
            raise ModelError(f"max_step is {self.max_step}: it must be positive")
        if self.method in METHODS and not METHODS[self.method].adaptive and self.step is None:
            raise ModelError(f'method "{self.method}" has a fixed step: give step= in seconds')


@dataclass
class Trajectory:
    """What the integrator left: samples, where it stopped and why, and all it needs to go on."""

    plan: Plan
    dynamics: Dynamics
    options: Options
    t: np.ndarray
    y: np.ndarray
    inputs: np.ndarray
    status: str
    message: str
    statistics: dict[str, float]
    events: list[tuple[float, str]] = field(default_factory=list)
    stepper: dict[str, np.ndarray] = field(default_factory=dict)
    final_inputs: np.ndarray = field(default_factory=lambda: np.zeros(0))
    driven_by: dict[str, Any] = field(default_factory=dict)  # input functions, controllers and events, to go on with
    lost: tuple[str, ...] = ()  # of these, what a file could not hold
    assembly: Assembly | None = None  # how the start was made to satisfy motions and constraints


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
) -> Trajectory:
    """Integrate a model over `duration` seconds; see `System.simulate` for the arguments."""
    options = Options() if options is None else options
    duration = checks.positive(duration, "duration")
    given = dict(inputs or {})
    functions = {n: v for n, v in given.items() if callable(v) or isinstance(v, tuple)}
    plan = build(model, options.formulation, options.speeds, inputs=functions, events=events)
    dynamics = Dynamics(plan)
    constants = np.zeros(len(model.inputs)) if resume is None else resume.final_inputs.copy()
    for name, value in given.items():
        checks.known(name, model.inputs, "input")
        if name not in functions:
            constants[plan.index.inputs[name]] = checks.number(value, f'input "{name}"')
    dynamics.set_inputs(constants)
    assembly = None if resume is None else resume.assembly
    if resume is not None:
        t0, y0 = float(resume.t[-1]), resume.y[-1]
    else:
        state = initial if isinstance(initial, State) else initial_state(plan, initial)
        if plan.held:
            _check_start(plan, state)
            assembly = assemble(dynamics, state)
            state = assembly.state
        t0, y0 = state.t, _start(dynamics, state)
    run = _Run(plan, dynamics, options, t0, t0 + duration, _sample_times(t0, duration, output, times), constants)
    run.controllers, run.events = list(controllers), list(events)
    trajectory = run.integrate(y0, resume, progress)
    trajectory.assembly = assembly
    trajectory.driven_by = {"inputs": functions, "controllers": tuple(controllers), "events": tuple(events)}
    return trajectory


def _check_start(plan: Plan, state: State) -> None:
    if state.q.shape != (plan.nq,) or state.rates.shape != (plan.nu,):
        raise ModelError(
            f"the initial state has {len(state.q)} coordinates and {len(state.rates)} rates, "
            f'system "{plan.model.name}" has {plan.nq} and {plan.nu}: take it from this system'
        )
    if not (np.isfinite(state.q).all() and np.isfinite(state.rates).all()):
        raise ModelError(f"the initial state is not finite: {state}")


def _start(dynamics: Dynamics, state: State) -> np.ndarray:
    _check_start(dynamics.plan, state)
    u = dynamics.speeds_from_rates(state.q, state.rates)
    dynamics.check_regular(state.t, state.q, u)
    return np.concatenate([state.q, u, np.zeros(QUADRATURES)])


def _sample_times(t0: float, duration: float, output: float | None, times: Any) -> np.ndarray:
    if times is not None:
        t = np.atleast_1d(np.asarray(times, float))
        if t.ndim != 1 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
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


class _Run:
    """One integration: segments between sampling instants and events, in bites short enough to be interrupted."""

    def __init__(self, plan: Plan, dynamics: Dynamics, options: Options, t0: float, t1: float, times: Any, inputs: Any):
        self.plan, self.dynamics, self.options = plan, dynamics, options
        self.t0, self.t1, self.times, self.inputs = t0, t1, times, inputs
        self.size = plan.nq + plan.nu + QUADRATURES
        self.samples = np.full((len(times), self.size), np.nan)
        self.sampled_inputs = np.zeros((len(times), len(inputs)))
        self.controllers: list[Sampled] = []
        self.events: list[Event] = []
        self.happened: list[tuple[float, str]] = []
        self.broken: float | None = None  # the break that the stepper was last started afresh at

    def integrate(self, y0: np.ndarray, resume: Trajectory | None, progress: bool | None) -> Trajectory:
        stepper = self._stepper(y0, resume)
        readers = [self._reader(c) for c in self.controllers]
        status, message = "done", "reached the end"
        started = time.perf_counter()
        compiled = compile_progress.seconds
        with _bar(self.plan.model.name, self.t0, self.t1, progress) as report:
            try:
                status, message = self._loop(stepper, readers, report)
            except KeyboardInterrupt:
                status, message = "interrupted", f"interrupted at t = {stepper.t:g} s; what was computed so far is here"
        compiled = compile_progress.seconds - compiled
        seconds = time.perf_counter() - started
        n = stepper.filled
        t, y, given = self.times[:n].copy(), self.samples[:n].copy(), self.sampled_inputs[:n].copy()
        if status != "done" and (n == 0 or t[-1] < stepper.t) and np.all(np.isfinite(stepper.y)):
            t, y = np.append(t, stepper.t), np.vstack([y, stepper.y])
            given = np.vstack([given, self.inputs])
        statistics = {
            "steps": stepper.steps,
            "rejected": stepper.rejected,
            "evaluations": stepper.evaluations,
            "seconds": seconds - compiled,
            "compile_seconds": compiled,
        }
        if self.plan.held:
            statistics["astray"] = stepper.astray
        trajectory = Trajectory(
            self.plan,
            self.dynamics,
            self.options,
            t,
            y,
            given,
            status,
            message,
            statistics,
            self.happened,
            stepper.state(),
            self.inputs.copy(),
        )
        if status == "failed":
            raise SimulationError(message, trajectory)
        return trajectory

    def _stepper(self, y0: np.ndarray, resume: Trajectory | None) -> Any:
        o, plan = self.options, self.plan
        tables = (plan.I, plan.P, self.dynamics.W)
        if o.method == "cvode" and plan.held:
            raise ModelError('method "cvode" keeps no constraints or prescribed motions: use dopri5, dop853 or sdirk4')
        if o.method == "cvode":
            from kaneflex.simulate.cvode import CvodeStepper

            stepper: Any = CvodeStepper(self.dynamics, self.size, o, [e.direction for e in self.events])
        else:
            directions = [e.direction for e in self.events]
            stepper = Stepper(
                o.method,
                tables,
                self.size,
                plan.nq + plan.nu,
                rtol=o.rtol,
                atol=o.atol,
                step=o.step,
                max_step=o.max_step,
                event_directions=directions,
                held=plan.held,
            )
        if resume is not None and resume.stepper and not self.events and not self.controllers:
            stepper.restore(resume.stepper)
        else:
            stepper.start(self.t0, y0)
        stepper.begin_samples()
        return stepper

    def _reader(self, controller: Sampled) -> Any:
        for name in controller.drives:
            checks.known(name, self.plan.index.inputs, "input driven by a Sampled controller")
        table = SensorTable()
        places = [add_channel(self.plan.index, table, name) for name in controller.sees]
        integers, reals = table.arrays()
        drives = [self.plan.index.inputs[name] for name in controller.drives]

        def read(t: float, y: np.ndarray) -> None:
            values, _ = self.dynamics.channels(np.array([t]), y[None, :], integers, reals, table.size, self.inputs[None, :])
            x = np.concatenate([values[0][p] for p in places]) if places else np.zeros(0)
            result = np.atleast_1d(np.asarray(controller.law(t, x), float))
            if result.shape != (len(drives),):
                raise ModelError(
                    f"the controller of {', '.join(controller.drives)} gave {result.size} values, not {len(drives)}"
                )
            if not np.all(np.isfinite(result)):
                raise ModelError(f"the controller of {', '.join(controller.drives)} gave {result} at t = {t:g} s")
            self.inputs[drives] = result

        return read

    def _loop(self, stepper: Any, readers: list[Any], report: Any) -> tuple[str, str]:
        ticks = [0] * len(readers)
        bite = max(10, 20_000 // self.plan.nu)  # steps until the next look at the clock
        while True:
            stop = self._sample_controllers(stepper, readers, ticks)
            before = stepper.filled
            clock = time.perf_counter()
            status = stepper.advance(stop, self.times, self.samples, bite)
            spent = time.perf_counter() - clock
            self.sampled_inputs[before : stepper.filled] = self.inputs
            report(stepper.t)
            error = pending_error()
            if error is not None:
                raise error
            if stepper.steps + stepper.rejected > self.options.max_steps and stepper.t < self.t1:
                return "failed", self._why_long(stepper)
            if status == Status.BUDGET:
                bite = int(min(1e7, max(10, bite * min(4.0, 0.1 / max(spent, 1e-4)))))
            elif status == Status.EVENT:
                event = self.events[stepper.event]
                self.happened.append((stepper.t, event.name))
                if event.action is not None:
                    self._act(stepper, event)
                if event.terminal:
                    return "event", f'stopped by event "{event.name}" at t = {stepper.t:.9g} s'
            elif status == Status.STEP_TOO_SMALL:
                return "failed", self._why_small(stepper)
            elif status == Status.NOT_FINITE:
                return "failed", self._why_not_finite(stepper)
            elif stop >= self.t1:
                return "done", "reached the end"

    def _sample_controllers(self, stepper: Any, readers: list[Any], ticks: list[int]) -> float:
        """Run the controllers that are due and return the time up to which their outputs hold."""
        stop, changed = self.t1, False
        for due in self.plan.breaks:  # a given motion jumps there: end a step just before, and start afresh
            before = math.nextafter(due, -math.inf)
            if stepper.t < before:
                stop = min(stop, before)
                break
            if stepper.t <= due and self.broken != due:
                self.broken, changed = due, True
                stepper.start(due, stepper.y, stepper.step if stepper.steps else None)
        for k, (controller, read) in enumerate(zip(self.controllers, readers, strict=True)):
            due = self.t0 + ticks[k] * controller.period
            if stepper.t >= due - 1e-12 * max(1.0, abs(due)):
                read(stepper.t, stepper.y)
                ticks[k] += 1
                due, changed = self.t0 + ticks[k] * controller.period, True
            stop = min(stop, due)
        if changed:
            self.dynamics.set_inputs(self.inputs)
            # the right-hand side has jumped: keep the step size, forget the stored slope
            stepper.start(stepper.t, stepper.y, stepper.step if stepper.steps else None)
        return stop

    def _act(self, stepper: Any, event: Event) -> None:
        nq, nu = self.plan.nq, self.plan.nu
        y = stepper.y.copy()
        rates = self.dynamics.rates_from_speeds(y[:nq], y[nq : nq + nu])
        state = State(self.plan.index, stepper.t, y[:nq], rates)
        event.action(state)
        if not (np.all(np.isfinite(state.q)) and np.all(np.isfinite(state.rates))):
            raise ModelError(f'event "{event.name}": its action left a state that is not finite')
        y[:nq] = state.q
        y[nq : nq + nu] = self.dynamics.speeds_from_rates(state.q, state.rates)
        before, after = self._energy(stepper.t, stepper.y), self._energy(stepper.t, y)
        y[nq + nu] += after - before  # the jump in energy is booked as work of the event
        stepper.start(stepper.t, y)

    def _energy(self, t: float, y: np.ndarray) -> float:
        sums, loads = self.dynamics.sample(np.array([t]), y[None, :], self.inputs[None, :])
        return float(sums[0, 0] + sums[0, 1] + loads[0])

    def _culprit(self, stepper: Any) -> str:
        values = self.dynamics.derivative(stepper.t, stepper.y)
        names = [*self.plan.index.coordinates, *self.plan.index.speeds]
        n = len(names)
        bad = np.flatnonzero(~np.isfinite(values[:n]))
        k = int(bad[0]) if len(bad) else int(np.argmax(np.abs(values[:n])))
        return names[k]

    def _why_long(self, stepper: Any) -> str:
        return (
            f'{self.options.max_steps} steps were spent by t = {stepper.t:.6g} s, where "{self._culprit(stepper)}" changes '
            'fastest: look for an unstable controller or a stiff spring (method="sdirk4"), or raise max_steps'
        )

    def _why_small(self, stepper: Any) -> str:
        return (
            f'the step became too small at t = {stepper.t:.6g} s, where "{self._culprit(stepper)}" changes fastest: '
            'for stiff springs or dampers use method="sdirk4", else look for a singular position or a jump in a function'
        )

    def _why_not_finite(self, stepper: Any) -> str:
        return (
            f'the state stopped being finite at t = {stepper.t:.6g} s, first in "{self._culprit(stepper)}": '
            "look for a division by zero in a function, a singular position, or too large a fixed step"
        )


@contextlib.contextmanager
def _bar(name: str, t0: float, t1: float, wanted: bool | None) -> Iterator[Any]:
    """A progress bar that appears on a terminal when a run takes longer than two seconds."""
    import sys

    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda t: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(name, total=t1 - t0)
    started, shown = time.perf_counter(), False

    def report(t: float) -> None:
        nonlocal shown
        if not shown and time.perf_counter() - started > 2.0:
            bar.start()
            shown = True
        if shown:
            bar.update(task, completed=t - t0)

    try:
        yield report
    finally:
        if shown:
            bar.stop()


__all__ = ["Event", "Options", "SimulationError", "Trajectory", "simulate"]
