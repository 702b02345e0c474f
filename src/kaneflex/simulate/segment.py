"""One segment of a run: a system integrated from its start until it ends or becomes another system."""

import math
import time
from bisect import bisect_left
from collections.abc import Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import regular_rank
from kaneflex.formulations.tree_matrix import tree_pays, tree_serves
from kaneflex.kernels.progress import progress as compile_progress
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Load
from kaneflex.plan.plan import Event
from kaneflex.plan.state_layout import WORKS
from kaneflex.simulate.ahead import compile_ahead
from kaneflex.simulate.bar import bar_of
from kaneflex.simulate.block_events import own_events
from kaneflex.simulate.breaks import breaks_of
from kaneflex.simulate.choice import AUTO, EXPLICIT, Choice, choose, few_steps
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.coordinates import integration_of, tables_for_derivatives
from kaneflex.simulate.failures import why_long, why_no_value, why_not_finite, why_small
from kaneflex.simulate.feeding import Feeds, feed_events
from kaneflex.simulate.happenings import Happenings
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.methods import Integrator, Problem, integrator
from kaneflex.simulate.pace import Pace
from kaneflex.simulate.sampled import ControllerReader, Sampled
from kaneflex.simulate.start import Start, planned
from kaneflex.simulate.trajectory import Options, SimulationError, Trajectory


@dataclass(frozen=True, eq=False)
class Want:
    """Steps that a segment waits for.

    Args:
        segment: which waits.
        stop: time beyond which it must not look, s.
        bite: steps to try at most.
    """

    segment: "Segment"
    stop: float
    bite: int

    def advance(self) -> Status:
        """Take them."""
        return self.segment.stepper.advance(self.stop, self.segment.times, self.segment.samples, self.bite)


Going = Generator[Want, Status, Any]


def driven(going: Going) -> Any:
    """What becomes of a segment, or a run, whose steps are taken as it wants them."""
    try:
        want = next(going)
        while True:
            try:
                status = want.advance()
            except BaseException as error:  # what is to be kept of the run is kept there
                want = going.throw(error)
            else:
                want = going.send(status)
    except StopIteration as end:
        return end.value


class Segment:
    """One integration: segments between sampling instants and events, in bites short enough to be interrupted.

    `next` is where the next segment begins when the status is "changed".
    """

    def __init__(self, start: Start, options: Options, inputs: np.ndarray, driven: Mapping[str, Any], pace: Pace):
        self.began, self.compiled = time.perf_counter(), compile_progress.seconds
        model = start.model
        self.start, self.model, self.options, self.inputs, self.pace = start, model, options, inputs, pace
        self.controllers: list[Sampled] = list(driven["controllers"])
        own = own_events(model, driven)
        self.events: list[Event] = [*own, *feed_events(model)]
        self.own_events = len(own)  # those of the user come first, then those of blocks
        self.rates = driven.get("rates")  # what gives y' in the place of the kernels
        self.driven = driven
        self.contacts, self.plan = start.planned or planned(model, options, driven, start.unloaded)
        self.directions = [e.direction for e in (*self.events, *self.contacts.events)] + [-1] * len(self.contacts.watches)
        compile_ahead(
            EXPLICIT if options.method == AUTO else options.method, self.plan.is_constrained, bool(self.directions)
        )
        self.dynamics = Dynamics(self.plan) if start.dynamics is None else start.dynamics
        self.dynamics.set_inputs(inputs)
        self.contacts.begin(self.dynamics, inputs, driven["inputs"])
        self.layout = self.plan.layout
        self.feeds = Feeds(self) if self.plan.index.feeds else None
        self.happenings = Happenings(self)
        self.happened: list[tuple[float, str]] = []
        self.impacts: list[Impact] = []
        self.projection_failures: list[tuple[float, str]] = []
        self.singular: list[tuple[float, str, float]] = []
        self.broken: float | None = None  # the break that the stepper was last started afresh at
        self.stopped = start.stopped  # why the run ends at the present instant
        self.moved: float | None = None  # when an event last moved the state
        self.next: Start | None = None
        self.choice: Choice | None = None  # of method="auto"; made at the start unless one before made it

    def begin(self, t0: float, begun: float, clock: float, t1: float, times: np.ndarray) -> None:
        """Set times: start, start of the run's first segment, the time that sampled controllers count from, end, samples."""
        self.t0, self.clock, self.t1, self.times = t0, clock, t1, times
        self.breaks = breaks_of(self.plan, t0, t1, begun)
        self.samples = np.empty((len(times), self.layout.size))
        self.sampled_inputs = np.zeros((len(times), len(self.inputs)))

    def integrate(
        self,
        y0: np.ndarray,
        resume: Trajectory | None,
        progress: bool | None,
        earlier: "tuple[Trajectory, ...]",
        first: bool,
    ) -> Going:
        """Integrate from y0, or go on from `resume`, to a Trajectory; `earlier` are the segments before, `first` says that
        nothing came before, not even another run."""
        self.set_out(y0, resume, first)
        status, message = "done", "reached the end"
        with bar_of(self.plan.model.name, self.t0, self.t1, progress) as report:
            try:
                status, message = self.settle(first) or (yield from self.going_on(report))
            except KeyboardInterrupt:
                status, message = "interrupted", f"interrupted at t = {self.stepper.t:g} s; what was computed so far is here"
        trajectory = self.left(status, message, earlier)
        if status == "failed":
            raise SimulationError(message, trajectory)
        return trajectory

    def set_out(self, y0: np.ndarray, resume: Trajectory | None, first: bool) -> None:
        """Make the integrator, at y0, and what reads for controllers."""
        if self.feeds is not None:
            y0 = self.feeds.begin(self.t0, y0, fresh=first)
        self.stepper = self._stepper(y0, resume)
        self.readers = [ControllerReader(c, self.dynamics, self.inputs) for c in self.controllers]

    def settle(self, first: bool) -> tuple[str, str] | None:
        """What happens at the instant of the start; status and message when the segment ends with it."""
        self._take_states(self.stepper)
        return self.happenings.at_start(first)

    def left(self, status: str, message: str, earlier: "tuple[Trajectory, ...]") -> Trajectory:
        """What the integration leaves, with this status."""
        stepper = self.stepper
        compiled = compile_progress.seconds - self.compiled
        seconds = time.perf_counter() - self.began
        n = stepper.filled
        t, y, given = self.times[:n].copy(), self.samples[:n].copy(), self.sampled_inputs[:n].copy()
        late = n == 0 or (t[-1] < stepper.t and status != "done") or t[-1] == stepper.t == self.moved
        if late and np.all(np.isfinite(stepper.y)):
            t, y = np.append(t, stepper.t), np.vstack([y, self.projected(stepper.t, stepper.y)])
            given = np.vstack([given, self.inputs])
        statistics = {
            "steps": stepper.steps,
            "rejected": stepper.rejected,
            "evaluations": stepper.evaluations,
            "jacobians": stepper.jacobians,
            "corrections": stepper.corrections,
            "seconds": seconds - compiled,
            "compile_seconds": compiled,
        }
        if self.choice is not None:
            statistics["tried"] = self.choice.evaluations
        if self.plan.is_constrained:
            statistics["projection_failures"] = stepper.projection_failures
        return Trajectory(
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
            {} if status == "changed" else stepper.state(),  # nothing goes on from there
            self.inputs.copy(),
            segments=earlier,
            impacts=self.impacts,
            projection_failures=self.projection_failures,
            unseen=self._unseen(stepper),
            clock=self.clock,
            end=(stepper.t, stepper.y),
            singular=self.singular,
            choice=self.choice,
        )

    def projected(self, t: float, y: np.ndarray) -> np.ndarray:
        """A state of the integrator as a sample: on the constraints to rounding, where steps leave a hundredth of the
        tolerance. Where that would move it far, at a singular position, the state as it is."""
        if not self.plan.index.constraints or self.rates is not None:
            return y
        on = y.copy()
        taken = self.dynamics.project(t, on)
        near = np.abs(on - y).max() <= 0.1 * math.sqrt(self.options.rtol) * (1 + np.abs(y).max())
        return on if taken >= 0 and near else y

    def _unseen(self, stepper: Integrator) -> list[tuple[float, str]]:
        """Time and name of the first event that changed too fast to be followed, in a list, or none."""
        return [] if stepper.unseen is None else [(stepper.unseen[1], self.events[stepper.unseen[0]].name)]

    def _stepper(self, y0: np.ndarray, resume: Trajectory | None) -> Integrator:
        o, plan = self.options, self.plan
        own = integration_of(self.dynamics, self.rates)
        # the work of motions may be all there is to get right, and that of a load without force is seen nowhere else
        loads = [*self.model.loads.values(), *self.model.inputs.values()]
        weighed = own.is_constrained or any(isinstance(x, Load) and x.has_power_without_force for x in loads)
        has_tree = own.has_tree_matrix and tree_serves(plan.I)
        problem = Problem(
            (own.I, plan.P, self.dynamics.W),
            own.layout.size,
            own.layout.size if weighed else own.layout.states,
            rtol=o.rtol,
            atol=own.tolerances(self.t0, y0, o.atol),
            step=o.step,
            max_step=o.max_step,
            event_directions=self.directions,
            constrained=own.is_constrained,
            tied=own.is_tied,
            # a joint that comes out and is back within one step need not be let go: feeds alone are looked at between steps
            scanned=len(self.events) if self.own_events else 0,
            watched=bool(self.contacts.watches),
            weighed=weighed,
            works=WORKS,
            coordinates=own.layout.nq,
            speeds=own.moved_by(o.speeds),
            timed=bool(plan.laws),
            is_tree=has_tree and tree_pays(plan.I, self.layout.size),
            has_tree=has_tree,
            complex_tables=lambda: tables_for_derivatives(plan, o.method),
            check=plan.raise_errors,
        )
        method = o.method
        if method == AUTO:
            if self.choice is None:
                stop = math.nextafter(self.breaks[0], -math.inf) if self.breaks else self.t1
                self.choice = choose(problem, own.seen_from_tree, self.t0, y0, stop, self.t1, few_steps(self.model))
            method = self.choice.method
        stepper = own.seen_from_tree(integrator(method, problem))
        if resume is None or self.controllers or not self._goes_on_as(stepper, resume):
            stepper.start(self.t0, y0, self.contacts.first_step(self.t0, y0) if self.contacts.open else None)
            stepper.set_fired(self.start.fired)
            if own.is_tied:
                stepper.expect(*self._regular_rank(y0))
        stepper.begin_samples()
        return stepper

    def _regular_rank(self, y0: np.ndarray) -> tuple[int, float]:
        """Independent equations at the start and their least share. The plan remembers them, as it does the last start."""
        plan, key = self.plan, (self.t0, y0.tobytes(), self.inputs.tobytes())
        if plan.regular is None or plan.regular[0] != key:
            found = regular_rank(self.dynamics, self.t0, y0)
            if not plan.is_repeatable:
                return found
            plan.regular = key, found
        return plan.regular[1]

    def _goes_on_as(self, stepper: Integrator, resume: Trajectory) -> bool:
        """Let the integrator go on with what another one left, of the same method and tolerances, without events; whether it
        can."""
        left = resume.stepper
        if not left or left.keys() != stepper.state().keys() or resume.options != self.options or self.directions:
            return False
        try:
            stepper.restore(left)
        except ModelError:
            raise
        except ValueError:  # of another system
            return False
        return True

    def going_on(self, report: Any) -> Going:
        """Integrate from where the integrator stands to t1: status and message; `report` is called with times. Who drives
        this takes the steps that it wants, so that several runs may be under way at once."""
        stepper, readers = self.stepper, self.readers
        ticks = [max(0, math.ceil((self.t0 - self.clock) / c.period - 1e-9)) for c in self.controllers]
        bite = max(10, min(20_000 // self.plan.nu, self.options.max_steps))  # steps until the next look at the clock
        watched = bool(self.contacts.closed) and self.contacts.redundant(stepper.t, stepper.y)
        while True:
            before = stepper.filled
            stop = self._sample_controllers(stepper, readers, ticks)
            bite = 1 if watched else bite
            saved = stepper.state() if self.plan.index.constraints else {}
            failures = stepper.projection_failures if saved else 0
            clock = time.perf_counter()
            try:
                with nullcontext() if self.feeds is None else self.feeds.resting(stepper):
                    status = yield Want(self, stop, bite)
            finally:  # an interrupt leaves what was computed before it
                self.sampled_inputs[before : stepper.filled] = self.inputs
            spent = time.perf_counter() - clock
            self._take_states(stepper)
            if saved and stepper.projection_failures > failures:
                self._note_failed_projection(stepper, saved, stop)
            if watched and self.happenings.is_pulled(saved, status == Status.EVENT):
                return self.happenings.let_go()
            self._note_passes(stepper)
            if self.contacts.until is not None and stepper.t >= self.contacts.until and status != Status.EVENT:
                return self.happenings.try_again()
            if self.feeds is not None and stepper.t >= self.feeds.until and status != Status.EVENT:
                self.feeds.guide(stepper)
            report(stepper.t)
            if stepper.steps + stepper.rejected > self.options.max_steps and stepper.t < self.t1:
                return "failed", why_long(self, stepper)
            if status == Status.BUDGET:
                bite = int(min(1e7, max(10, bite * min(4.0, 0.1 / max(spent, 1e-4)))))
            elif status == Status.EVENT:
                ended = self.happenings.reached()
                if ended is not None:
                    return ended
            elif status == Status.NO_VALUE:
                return "failed", why_no_value(self, stepper)
            elif status == Status.STEP_TOO_SMALL:
                return "failed", why_small(self, stepper)
            elif status == Status.NOT_FINITE:
                return "failed", why_not_finite(self, stepper)
            elif stop >= self.t1 and stepper.t >= self.t1:
                return "done", "reached the end"

    def _take_states(self, stepper: Integrator) -> None:
        """Let the dynamics see the states of blocks of now."""
        if self.layout.nz:
            self.dynamics.set_states(stepper.y[self.layout.z])

    def _note_passes(self, stepper: Integrator) -> None:
        """Take over which singular positions were passed."""
        if self.plan.index.constraints:
            self.singular += [(t, self.plan.equations[row][0], share) for t, row, share in stepper.passes()]

    def _note_failed_projection(self, stepper: Integrator, saved: Mapping[str, np.ndarray], stop: float) -> None:
        """Note the first step since `saved` after which the constraints could not be met, by going there again."""
        end = stepper.state()
        stepper.restore(saved)
        before = stepper.projection_failures
        while stepper.projection_failures == before:
            stepper.advance(stop, self.times, self.samples, 1)
        q, u, _ = self.layout.split(stepper.y)
        values, _ = self.dynamics.equations(stepper.t, q, u)
        self.projection_failures.append((stepper.t, self.plan.equations[int(np.argmax(np.abs(values)))][0]))
        stepper.restore(end)

    def _sample_controllers(self, stepper: Integrator, readers: Sequence[ControllerReader], ticks: list[int]) -> float:
        """Run the controllers that are due and return the time up to which their outputs hold."""
        stop, changed = self.t1 if self.contacts.until is None else min(self.t1, self.contacts.until), False
        if self.feeds is not None:
            stop = min(stop, self.feeds.until)
        k = bisect_left(self.breaks, stepper.t)
        if k < len(self.breaks):  # what drives the system is not smooth there: end a step just before, and start afresh
            due = self.breaks[k]
            before = math.nextafter(due, -math.inf)
            if stepper.t >= before and self.broken != due:
                self.broken = due
                stepper.advance(stepper.t, self.times, self.samples, 1)  # fills what is due before the jump
                stepper.renew(due)
                k += 1
            elif stepper.t >= before:
                k += 1
            if k < len(self.breaks):
                stop = min(stop, math.nextafter(self.breaks[k], -math.inf))
        for k, (controller, read) in enumerate(zip(self.controllers, readers, strict=True)):
            due = self.clock + ticks[k] * controller.period
            if stepper.t >= due - 1e-12 * max(1.0, abs(due)):
                read.run(stepper.t, stepper.y)
                ticks[k] += 1
                due, changed = self.clock + ticks[k] * controller.period, True
            stop = min(stop, due)
        if changed:
            self.dynamics.set_inputs(self.inputs)
            stepper.renew(stepper.t)
        return stop

    def energy(self, t: float, y: np.ndarray) -> float:
        """Kinetic and potential energy, J."""
        sums, loads = self.dynamics.sample(np.array([t]), y[None, :], self.inputs[None, :])
        return float(sums[0, 0] + sums[0, 1] + loads[0])
