"""From a plan and a state to the state over time."""

import contextlib
import inspect
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
from kaneflex.simulate.changes import Change, changed_state, jump, poses
from kaneflex.simulate.impacts import Impact, Touch, collide, contact_events, held, hold_point, impact, let_go, pressing_row
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
    legs: "tuple[Trajectory, ...]" = ()  # what came before the system last changed
    impacts: list[Impact] = field(default_factory=list)
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
    rates: Any = None,
) -> Trajectory:
    """Integrate a model over `duration` seconds; see `System.simulate` for the arguments."""
    options = Options() if options is None else options
    duration = checks.positive(duration, "duration")
    given = dict(inputs or {})
    functions = {n: v for n, v in given.items() if callable(v) or isinstance(v, tuple)}
    constants = np.zeros(len(model.inputs)) if resume is None else resume.final_inputs.copy()
    numbers = {name: k for k, name in enumerate(model.inputs)}
    for name, value in given.items():
        checks.known(name, model.inputs, "input")
        if name not in functions:
            constants[numbers[name]] = checks.number(value, f'input "{name}"')
    assembly = None if resume is None else resume.assembly
    driven = {"inputs": functions, "controllers": tuple(controllers), "events": tuple(events), "rates": rates}
    start = _Start(model, 0.0, np.zeros(0))
    legs: list[Trajectory] = []
    while True:
        leg = _Run(start.model, options, constants, driven)
        if legs:
            t0, y0 = start.t, start.y
        elif resume is not None:
            t0, y0 = float(resume.t[-1]), resume.y[-1]
        else:
            state = initial if isinstance(initial, State) else initial_state(leg.plan, initial)
            if leg.plan.held:
                _check_start(leg.plan, state)
                assembly = assemble(leg.dynamics, state)
                state = assembly.state
            t0, y0 = state.t, _start(leg.dynamics, state)
        if not legs:
            clock, wanted = t0, _sample_times(t0, duration, output, times)
        else:  # the instant of the change is sampled on both sides
            wanted = np.concatenate([[t0], wanted[np.searchsorted(wanted, t0, side="right") :]])
        leg.begin(t0, clock, clock + duration, wanted)
        trajectory = leg.integrate(y0, resume if not legs else None, progress, tuple(legs))
        trajectory.assembly, trajectory.driven_by = assembly, driven
        if trajectory.status != "changed":
            return trajectory
        if leg.next is None or len(legs) > 10_000:
            raise SimulationError(f"the system keeps changing at t = {t0:.9g} s without getting on", trajectory)
        legs.append(trajectory)
        start, constants = leg.next, leg.inputs.copy()


@dataclass
class _Start:
    """Where a leg of a run begins: the model as it is from then on, time, and y."""

    model: Model
    t: float
    y: np.ndarray


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


def _takes_change(action: Any) -> bool:
    """Whether an event's action wants the Change as well as the State."""
    try:
        parameters = inspect.signature(action).parameters.values()
    except (TypeError, ValueError):
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(places) >= 2


class _Run:
    """One integration: segments between sampling instants and events, in bites short enough to be interrupted."""

    def __init__(self, model: Model, options: Options, inputs: np.ndarray, driven: dict[str, Any]):
        self.model, self.options, self.inputs = model, options, inputs
        self.controllers: list[Sampled] = list(driven["controllers"])
        self.own_events: list[Event] = list(driven["events"])
        self.rates = driven.get("rates")  # what gives y' in the place of the kernels
        self.touching = held(model)
        self.open = [name for name in model.contacts if name not in model.constraints]
        watches = [(name, pressing_row(model, name)) for name in self.touching]
        pairs = [contact_events(name, model.contacts[name]) for name in self.open]
        self.events = [*self.own_events, *(reaching for reaching, _ in pairs), *(nearest for _, nearest in pairs)]
        self.plan = build(
            model, options.formulation, options.speeds, inputs=driven["inputs"], events=self.events, watches=watches
        )
        self.directions = [e.direction for e in self.events] + [-1] * len(watches)
        self.dynamics = Dynamics(self.plan)
        self.dynamics.set_inputs(inputs)
        self.size = self.plan.nq + self.plan.nu + QUADRATURES
        self.happened: list[tuple[float, str]] = []
        self.impacts: list[Impact] = []
        self.broken: float | None = None  # the break that the stepper was last started afresh at
        self.next: _Start | None = None

    def begin(self, t0: float, clock: float, t1: float, times: np.ndarray) -> None:
        """Set times: start, the run's own start (which sampled controllers count from), end, samples."""
        self.t0, self.clock, self.t1, self.times = t0, clock, t1, times
        self.samples = np.full((len(times), self.size), np.nan)
        self.sampled_inputs = np.zeros((len(times), len(self.inputs)))

    def integrate(
        self, y0: np.ndarray, resume: Trajectory | None, progress: bool | None, earlier: "tuple[Trajectory, ...]"
    ) -> Trajectory:
        stepper = self._stepper(y0, resume)
        readers = [self._reader(c) for c in self.controllers]
        status, message = "done", "reached the end"
        started = time.perf_counter()
        compiled = compile_progress.seconds
        with _bar(self.plan.model.name, self.t0, self.t1, progress) as report:
            try:
                begun = self._touch(stepper, first=resume is None and not earlier)
                if begun is None:
                    self._check_pressed(stepper.t, stepper.y)
                status, message = begun or self._loop(stepper, readers, report)
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
            legs=earlier,
            impacts=self.impacts,
        )
        if status == "failed":
            raise SimulationError(message, trajectory)
        return trajectory

    def _stepper(self, y0: np.ndarray, resume: Trajectory | None) -> Any:
        o, plan = self.options, self.plan
        tables = (plan.I if self.rates is None else self.rates.tables(plan, self.dynamics.W), plan.P, self.dynamics.W)
        if o.method == "cvode" and plan.held:
            raise ModelError('method "cvode" keeps no constraints or prescribed motions: use dopri5, dop853 or sdirk4')
        if o.method == "cvode":
            from kaneflex.simulate.cvode import CvodeStepper

            stepper: Any = CvodeStepper(self.dynamics, self.size, o, self.directions)
        else:
            stepper = Stepper(
                o.method,
                tables,
                self.size,
                # the work of motions may be all there is to get right, and implicit stages converge in what counts only
                self.size if plan.held or METHODS[o.method].implicit else plan.nq + plan.nu,
                rtol=o.rtol,
                atol=o.atol,
                step=o.step,
                max_step=o.max_step,
                event_directions=self.directions,
                held=plan.held,
            )
        if resume is not None and resume.stepper and not self.directions and not self.controllers:
            stepper.restore(resume.stepper)
        else:
            stepper.start(self.t0, y0, self._first_step(self.t0, y0) if self.open else None)
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
        ticks = [max(0, math.ceil((self.t0 - self.clock) / c.period - 1e-9)) for c in self.controllers]
        bite = max(10, 20_000 // self.plan.nu)  # steps until the next look at the clock
        while True:
            before = stepper.filled
            stop = self._sample_controllers(stepper, readers, ticks)
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
                if stepper.event >= len(self.own_events):
                    if self._contact_event(stepper, stepper.event - len(self.own_events)):
                        return "changed", f"changed at t = {stepper.t:.9g} s"
                    another = self._touch(stepper)
                    if another is not None:
                        return another
                    self._check_pressed(stepper.t, stepper.y)
                    continue
                event = self.events[stepper.event]
                self.happened.append((stepper.t, event.name))
                if event.action is not None and self._act(stepper, event) and not event.terminal:
                    return "changed", f'changed by event "{event.name}" at t = {stepper.t:.9g} s'
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
            if due > self.t1:
                break
            if stepper.t < before:
                stop = min(stop, before)
                break
            if stepper.t <= due and self.broken != due:
                self.broken, changed = due, True
                stepper.advance(stepper.t, self.times, self.samples, 1)  # fills what is due before the jump
                stepper.start(due, stepper.y, stepper.step if stepper.steps else None)
        for k, (controller, read) in enumerate(zip(self.controllers, readers, strict=True)):
            due = self.clock + ticks[k] * controller.period
            if stepper.t >= due - 1e-12 * max(1.0, abs(due)):
                read(stepper.t, stepper.y)
                ticks[k] += 1
                due, changed = self.clock + ticks[k] * controller.period, True
            stop = min(stop, due)
        if changed:
            self.dynamics.set_inputs(self.inputs)
            # the right-hand side has jumped: keep the step size, forget the stored slope
            stepper.start(stepper.t, stepper.y, stepper.step if stepper.steps else None)
        return stop

    def _act(self, stepper: Any, event: Event) -> bool:
        """Let an event's action change the state or the system; True when it is another system from now on."""
        y, t, nq, nu = stepper.y.copy(), stepper.t, self.plan.nq, self.plan.nu
        rates = self.dynamics.rates_from_speeds(y[:nq], y[nq : nq + nu])
        state = State(self.plan.index, t, y[:nq], rates)
        change = Change(self.model, state.copy(), poses(self.dynamics, t, y[:nq]))
        event.action(*((state, change) if _takes_change(event.action) else (state,)))
        if not (np.all(np.isfinite(state.q)) and np.all(np.isfinite(state.rates))):
            raise ModelError(f'event "{event.name}": its action left a state that is not finite')
        y[:nq] = state.q
        y[nq : nq + nu] = self.dynamics.speeds_from_rates(state.q, state.rates)
        if not change.wanted:
            y[-2] += self._energy(t, y) - self._energy(t, stepper.y)  # the jump in energy is work of the event
            stepper.start(t, y)
            return False
        plan, after = changed_state(change, self.dynamics, self.options, t, y[:nq], y[nq : nq + nu])
        new = Dynamics(plan)
        new.set_inputs(self.inputs)
        new.check_regular(t, after.q, new.speeds_from_rates(after.q, after.rates))
        self._go_on(stepper, change.model, new, after.q, new.speeds_from_rates(after.q, after.rates), event.name, None)
        return True

    def _go_on(self, stepper: Any, model: Model, new: Dynamics, q: Any, u: Any, name: str, impulse: Any) -> None:
        """Note the jump to (q, u) of `new`, and begin another leg there."""
        nq, nu, t = self.plan.nq, self.plan.nu, stepper.t
        y = stepper.y
        record = impact(name, impulse, t, (self.dynamics, y[:nq], y[nq : nq + nu], self.inputs), (new, q, u, self.inputs))
        self.impacts.append(record)
        start = np.concatenate([q, u, y[nq + nu :]])
        self._book(start, record.energy[1] - record.energy[0])
        self.next = _Start(model, t, start)

    @staticmethod
    def _book(y: np.ndarray, gain: float) -> None:
        """A jump in energy is work of what caused it: applied when gained, dissipated when lost."""
        y[-2 if gain > 0 else -1] += gain

    # -- contacts ----------------------------------------------------------------------------------------------------

    def _touch(self, stepper: Any, first: bool = False) -> tuple[str, str] | None:
        """Let the points that touch their planes and approach them collide; at the first start those at rest too.

        A point that starts below its plane is refused.
        """
        for k, name in enumerate(self.open):
            q, u = stepper.y[: self.plan.nq], stepper.y[self.plan.nq : self.plan.nq + self.plan.nu]
            touch = Touch(self.dynamics, self.model.contacts[name], stepper.t, q)
            height, rate = touch.height(), touch.velocity(u)[2]
            if first and height < -1e-9:
                raise ModelError(
                    f'contact "{name}": its point starts {-height:.3g} m below the plane: start it above, or turn the frame'
                )
            if abs(height) < 1e-9 and (rate < -1e-9 or (first and rate <= 0)):
                if self._contact_event(stepper, k, resting=first):
                    return "changed", f"changed at t = {stepper.t:.9g} s"
                return self._touch(stepper)
        return None

    def _contact_event(self, stepper: Any, k: int, resting: bool = False) -> bool:
        """A collision, or a held point that begins to be pulled; True when it is another system from now on."""
        t, y, nq, nu = stepper.t, stepper.y, self.plan.nq, self.plan.nu
        q, u = y[:nq].copy(), y[nq : nq + nu].copy()
        if len(self.open) <= k < 2 * len(self.open):
            return False  # nearest to the plane, but not through it
        if k >= len(self.open):
            name = self.touching[k - 2 * len(self.open)]
            self.happened.append((t, f"{name} lets go"))
            model, dynamics = self._let_pulled_go(let_go(self.model, name), t, q, u)
            self.next = _Start(model, t, y)
            return True
        name = self.open[k]
        contact = self.model.contacts[name]
        self._check_getting_on(name, t)
        self.happened.append((t, name))
        model, dynamics = self.model, self.dynamics
        while True:
            touch = Touch(dynamics, contact, t, q)
            approach = -touch.velocity(u)[2]
            if approach < 0 or (approach == 0 and not resting):
                return False
            rests = contact.after != "bounce" and (contact.restitution == 0 or approach <= contact.rest_speed)
            e, mu = (0.0 if rests else contact.restitution), contact.friction
            after, impulse, others = collide(touch, u, e, np.inf if rests and contact.after == "stick" else mu)
            sticks = rests and contact.after == "stick"
            if impulse @ touch.R[:, 2] < 0:  # the plane would have to pull to stop it: it slips
                sticks = False
                after, impulse, others = collide(touch, u, e, mu)
            pulled = [n for n in held(model) if self._pressing(dynamics, model, n, others) < 0]
            if not pulled or (rests and approach <= contact.rest_speed):  # a rocking that is ending
                break
            model = let_go(model, min(pulled, key=lambda n: self._pressing(dynamics, model, n, others)))
            dynamics = self._dynamics_of(model)
        if rests:
            model = hold_point(model, name, touch, sticks)
            dynamics = self._dynamics_of(model)
            after = jump(dynamics, t, q, after)
            model, dynamics = self._let_pulled_go(model, t, q, after)
        if model is not self.model:
            self._go_on(stepper, model, dynamics, q, after, name, impulse)
            return True
        before = (self.dynamics, q, u, self.inputs)
        self.impacts.append(impact(name, impulse, t, before, (self.dynamics, q, after, self.inputs)))
        y[nq : nq + nu] = after
        self._book(y, self.impacts[-1].energy[1] - self.impacts[-1].energy[0])
        stepper.start(t, y, self._first_step(t, y))
        return False

    def _leaving(self, t: float, y: np.ndarray) -> Iterator[tuple[str, float, float]]:
        """Of the free points that touch their planes: name, velocity and acceleration away from the plane."""
        nq, nu = self.plan.nq, self.plan.nu
        for name in self.open:
            contact, h = self.model.contacts[name], 1e-7
            touch = Touch(self.dynamics, contact, t, y[:nq])
            if abs(touch.height()) < 1e-9:
                v = touch.velocity(y[nq : nq + nu])[2]
                ahead = y + h * self.dynamics.derivative(t, y)
                later = Touch(self.dynamics, contact, t + h, ahead[:nq])
                yield name, v, (later.velocity(ahead[nq : nq + nu])[2] - v) / h

    def _first_step(self, t: float, y: np.ndarray) -> float | None:
        """A quarter of the flight of the point that comes back first: a longer step could miss that it left at all."""
        flights = [-2 * v / a for _, v, a in self._leaving(t, y) if v > 0 and a < 0]
        return min(flights) / 4 if flights else None

    def _check_pressed(self, t: float, y: np.ndarray) -> None:
        """A point that touches its plane, at rest there, and is pressed on must be held, or it would sink in."""
        for name, v, a in self._leaving(t, y):
            if v <= 1e-9 and a < -1e-6:
                raise ModelError(
                    f'contact "{name}": at t = {t:.9g} s its point rests on the plane and is pressed on, but after="bounce" '
                    'does not hold it: use after="slide" or "stick"'
                )

    def _dynamics_of(self, model: Model) -> Dynamics:
        dynamics = Dynamics(build(model, self.options.formulation, self.options.speeds))
        dynamics.set_inputs(self.inputs)
        return dynamics

    @staticmethod
    def _pressing(dynamics: Dynamics, model: Model, name: str, multipliers: np.ndarray) -> float:
        return float(multipliers[dynamics.plan.index.constraints[name].start + pressing_row(model, name)])

    def _let_pulled_go(self, model: Model, t: float, q: np.ndarray, u: np.ndarray) -> tuple[Model, Dynamics]:
        """Without the held points that the plane would have to pull."""
        while True:
            dynamics = self._dynamics_of(model)
            names = held(model)
            if not names:
                return model, dynamics
            multipliers = dynamics.multipliers(t, q, u)
            worst = min(names, key=lambda n: self._pressing(dynamics, model, n, multipliers))
            if self._pressing(dynamics, model, worst, multipliers) >= 0:
                return model, dynamics
            model = let_go(model, worst)

    def _check_getting_on(self, name: str, t: float) -> None:
        recent = [i.t for i in self.impacts if i.name == name and t - i.t < 1e-9 * max(1.0, t)]
        if len(recent) > 30:
            raise ModelError(
                f'contact "{name}" collides again and again at t = {t:.9g} s: with after="slide" or "stick" it comes to rest'
            )

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
