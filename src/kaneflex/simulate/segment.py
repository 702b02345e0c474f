"""One segment of a run: a system integrated from its start until it ends or becomes another system."""

import inspect
import math
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import regular_rank
from kaneflex.formulations.tree_matrix import tree_pays, tree_serves
from kaneflex.kernels.progress import progress as compile_progress
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Load
from kaneflex.model.model import Model
from kaneflex.plan.plan import Event, Plan
from kaneflex.plan.state import State
from kaneflex.plan.state_layout import WORKS, StateLayout
from kaneflex.simulate.ahead import compile_ahead
from kaneflex.simulate.bar import bar_of
from kaneflex.simulate.block_events import own_events
from kaneflex.simulate.breaks import breaks_of
from kaneflex.simulate.changed_state import ChangeOfState
from kaneflex.simulate.changes import Change
from kaneflex.simulate.choice import AUTO, EXPLICIT, Choice, choose
from kaneflex.simulate.contact.contacts import Contacts, check_above_planes
from kaneflex.simulate.contact.records import Impact, ImpactResult, impact
from kaneflex.simulate.contact.thresholds import SAME_INSTANT, SOUGHT
from kaneflex.simulate.coordinates import integration_of, tables_for_derivatives
from kaneflex.simulate.failures import why_long, why_no_value, why_not_finite, why_small
from kaneflex.simulate.feeding import Feeds, feed_events
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.methods import Integrator, Problem, integrator
from kaneflex.simulate.pace import Pace
from kaneflex.simulate.removal import check_seen
from kaneflex.simulate.sampled import ControllerReader, Sampled
from kaneflex.simulate.start import Due, Start, planned
from kaneflex.simulate.trajectory import Options, SimulationError, Trajectory


def _takes_change(action: Any) -> bool:
    """Whether an event's action wants the Change as well as the State."""
    try:
        parameters = inspect.signature(action).parameters.values()
    except (TypeError, ValueError):
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(places) >= 2


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
    ) -> Trajectory:
        """Integrate from y0, or go on from `resume`; `earlier` are the segments before, `first` says that nothing came
        before, not even another run."""
        self.set_out(y0, resume, first)
        status, message = "done", "reached the end"
        with bar_of(self.plan.model.name, self.t0, self.t1, progress) as report:
            try:
                status, message = self.settle(first) or self.go_on(report)
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
        ended = self._ended(self.stepper, self._strike(self.stepper, first=first), self.start.pending)
        return ended or self.happen(self.start.pending)

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
            atol=o.atol,
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
                self.choice = choose(problem, own.seen_from_tree, self.t0, y0, stop, self.t1)
            method = self.choice.method
        stepper = own.seen_from_tree(integrator(method, problem))
        if resume is None or self.controllers or not self._goes_on_as(stepper, resume):
            stepper.start(self.t0, y0, self.contacts.first_step(self.t0, y0) if self.contacts.open else None)
            stepper.set_fired(self.start.fired)
            if own.is_tied:
                stepper.expect(*regular_rank(self.dynamics, self.t0, y0))
        stepper.begin_samples()
        return stepper

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

    def go_on(self, report: Any) -> tuple[str, str]:
        """Integrate from where the integrator stands to t1: status and message; `report` is called with times."""
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
                status = stepper.advance(stop, self.times, self.samples, bite)
            finally:  # an interrupt leaves what was computed before it
                self.sampled_inputs[before : stepper.filled] = self.inputs
            spent = time.perf_counter() - clock
            self._take_states(stepper)
            if saved and stepper.projection_failures > failures:
                self._note_failed_projection(stepper, saved, stop)
            if watched and self._is_pulled(stepper, saved, status == Status.EVENT):
                return self._let_go(stepper)
            self._note_passes(stepper)
            if self.contacts.until is not None and stepper.t >= self.contacts.until and status != Status.EVENT:
                return self._goes_on_with(stepper, self.contacts.again(stepper.t, stepper.y))
            if self.feeds is not None and stepper.t >= self.feeds.until and status != Status.EVENT:
                self.feeds.guide(stepper)
            report(stepper.t)
            if stepper.steps + stepper.rejected > self.options.max_steps and stepper.t < self.t1:
                return "failed", why_long(self, stepper)
            if status == Status.BUDGET:
                bite = int(min(1e7, max(10, bite * min(4.0, 0.1 / max(spent, 1e-4)))))
            elif status == Status.EVENT:
                ended = self.happen([self.due(k) for k in stepper.take_events()])
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

    def due(self, k: int) -> Due:
        """What the event of this number is."""
        return ("event", k) if k < len(self.events) else self.contacts.of_event(k - len(self.events))

    def happen(self, due: list[Due]) -> tuple[str, str] | None:
        """What events of one instant do, one after the other; status and message when the segment ends with them.

        Where one of them changes the system, the others act on the system as it is then.
        """
        stepper = self.stepper
        for n, (what, which) in enumerate(due):
            ended = self._event(stepper, which) if what == "event" else self._touch(stepper, what, which)
            if ended is not None:
                return self._ended(stepper, ended, due[n + 1 :])
        return None if self.stopped is None else ("event", self.stopped)

    def _ended(self, stepper: Integrator, ended: tuple[str, str] | None, pending: list[Due]) -> tuple[str, str] | None:
        """Tell the next segment, if there is one, what is left to do at the instant at which this one ended."""
        if ended is not None and self.next is not None:
            fired = {k: g for k, g in stepper.fired().items() if k < len(self.events)}
            self.next.pending, self.next.fired, self.next.stopped = list(pending), fired, self.stopped
        return ended

    def _event(self, stepper: Integrator, k: int) -> tuple[str, str] | None:
        """What a user's event does; status and message when the segment ends with it."""
        event, when = self.events[k], f"at t = {stepper.t:.9g} s"
        if k >= self.own_events:
            assert self.feeds is not None
            wrong = self.feeds.happen(stepper, k - self.own_events)
            return None if wrong is None else ("failed", wrong)
        self.happened.append((stepper.t, event.name))
        if event.terminal and self.stopped is None:
            self.stopped = f'stopped by event "{event.name}" {when}'
        if event.action is None:
            return None
        stuck = self.pace.stuck(k, event.name, stepper.t)
        if stuck is not None:
            return "failed", stuck
        return ("changed", f'changed by event "{event.name}" {when}') if self._act(stepper, event) else None

    def _touch(self, stepper: Integrator, what: str, name: str | None) -> tuple[str, str] | None:
        """What the event of a contact does, which an event of the same instant may have changed since."""
        if what == "reaches" or name is None:
            return self._strike(stepper, name)
        if what == "stops":
            return self._stop(stepper, name) if name in self.contacts.sliding else None
        if name not in self.contacts.closed:
            return None
        false_alarm = self.contacts.redundant(stepper.t, stepper.y) and not self.contacts.failing(stepper.t, stepper.y)
        return None if false_alarm else self._let_go(stepper, name)

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

    def _act(self, stepper: Integrator, event: Event) -> bool:
        """Let an event's action change the state or the system; True when it is another system from now on."""
        y, t = stepper.y.copy(), stepper.t
        q, u, z = self.layout.split(y)
        rates = self.dynamics.rates_from_speeds(q, u)
        state = State(self.plan.index, t, q, rates, z=z)
        change = Change(self.model, state, self.dynamics)
        event.action(*((state, change) if _takes_change(event.action) else (state,)))
        if not all(np.all(np.isfinite(x)) for x in (state.q, state.rates, state.z)):
            raise ModelError(f'event "{event.name}": its action left a state that is not finite')
        q[:], z[:] = state.q, state.z
        u[:] = self.dynamics.speeds_from_rates(state.q, state.rates)
        if not change.wanted:
            y[self.layout.applied] += self.energy(t, y) - self.energy(t, stepper.y)  # the jump is work of the event
            stepper.start(t, y)
            self.moved = t
            return False
        check_seen(change.model, change.removed, self.driven)
        made: list[tuple[Contacts, Plan]] = []

        def plan_of(model: Model) -> Plan:
            made.append(planned(model, self.options, self.driven))
            return made[0][1]

        inputs = dict(zip(self.plan.index.inputs, self.inputs, strict=True))
        self.dynamics.set_states(state.z)
        new, q, u, exchange = ChangeOfState(change, self.dynamics, t, inputs).lead(q, u, plan_of)
        new.check_regular(t, q, u)
        check_above_planes(new, [name for name in change.changed if name in change.model.contacts], t, q)
        given = np.array([inputs[name] for name in new.plan.index.inputs])
        before = (self.dynamics, *self._parts(stepper.y), self.inputs)
        self.impacts.append(replace(impact(event.name, {}, t, before, (new, q, u, given)), exchange=exchange))
        self._go_on(stepper, change.model, new.layout, new.layout.join(q, u, new.z, y[self.layout.works]))
        assert self.next is not None
        self.next.planned, self.next.dynamics, self.next.inputs = made[0], new, given
        return True

    def _record(
        self, stepper: Integrator, name: str, impulses: Mapping[str, np.ndarray], new: Dynamics, q: Any, u: Any
    ) -> None:
        """Note the jump to (q, u) of `new`."""
        before = (self.dynamics, *self._parts(stepper.y), self.inputs)
        self.impacts.append(impact(name, impulses, stepper.t, before, (new, q, u, self.inputs)))

    def _go_on(
        self, stepper: Integrator, model: Model, layout: StateLayout, y: np.ndarray, unloaded: tuple[str, ...] = ()
    ) -> None:
        """Begin another segment at y, laid out so, after the jump that was recorded last."""
        self.next = Start(model, stepper.t, self._with_energy_of_jump(y, layout), unloaded=unloaded)

    def _with_energy_of_jump(self, y: np.ndarray, layout: StateLayout) -> np.ndarray:
        """y with the energy of the jump recorded last booked as work: applied when gained, dissipated when lost. What came
        with bodies is not work."""
        last = self.impacts[-1]
        gained = last.energy[1] - last.energy[0] - (0.0 if last.exchange is None else last.exchange.energy)
        y[layout.applied if gained > 0 else layout.dissipated] += gained
        return y

    def _strike(self, stepper: Integrator, reached: str | None = None, first: bool = False) -> tuple[str, str] | None:
        """Let points that touch their planes and approach them collide, until none does."""
        t = stepper.t
        while names := self.contacts.striking(t, stepper.y, reached, first):
            self.contacts.check_getting_on(names, t, self.impacts)
            result = self.contacts.collide(t, stepper.y, names)
            struck = list(result.impulses)
            self.happened += [(t, name) for name in struck]
            q, _, z = self.layout.split(stepper.y)
            y = result.dynamics.layout.join(q, result.u, z, stepper.y[self.layout.works])
            self._record(stepper, ", ".join(struck), result.impulses, result.dynamics, q, result.u)
            if result.model is not self.model:
                self._go_on(stepper, result.model, result.dynamics.layout, y, result.unloaded)
                return "changed", f"changed at t = {t:.9g} s"
            y = self._with_energy_of_jump(y, self.layout)
            stepper.start(t, y, self.contacts.first_step(t, y))
            self.moved = None if first else t
            reached, first = None, False
        return None

    def _is_pulled(self, stepper: Integrator, saved: Mapping[str, np.ndarray], event: bool) -> bool:
        """Whether a contact fails after the step from `saved`; the stepper is put to where that begins. Not where that is an
        event anyway.

        The events that watch closed contacts see multipliers that are not the least ones where these are redundant.
        """
        if self.contacts.failing(stepper.t, stepper.y) is None:
            return False
        high, end_time, end = stepper.t, stepper.t, stepper.state()
        stepper.restore(saved)
        low = stepper.t
        while high - low > SOUGHT * max(1.0, abs(high)):
            middle = (low + high) / 2
            self._go_to(stepper, saved, middle)
            low, high = (low, middle) if self.contacts.failing(stepper.t, stepper.y) else (middle, high)
        if event and high >= end_time - SAME_INSTANT * max(1.0, abs(high)):
            stepper.restore(end)
            return False
        self._go_to(stepper, saved, high)
        return True

    def _go_to(self, stepper: Integrator, saved: Mapping[str, np.ndarray], t: float) -> None:
        """Put the stepper to time t from where it was `saved`, past events that were found to be none."""
        stepper.restore(saved)
        while stepper.t < t and stepper.advance(t, self.times, self.samples, self.options.max_steps) == Status.EVENT:
            pass

    def _let_go(self, stepper: Integrator, name: str | None = None) -> tuple[str, str]:
        """A closed contact opens or slips; where several are redundant, the one that fails most."""
        name = self.contacts.failing(stepper.t, stepper.y) or name
        assert name is not None
        result = self.contacts.without(name, stepper.t, stepper.y)
        if name in self.contacts.closed:
            what = "slips" if name in result.model.constraints else "lets go"
            self.happened.append((stepper.t, f"{name} {what}"))
        return self._goes_on_with(stepper, result)

    def _stop(self, stepper: Integrator, name: str) -> tuple[str, str]:
        """A point that slides has come to rest."""
        self.happened.append((stepper.t, f"{name} stops"))
        return self._goes_on_with(stepper, self.contacts.stopped(stepper.t, stepper.y))

    def _goes_on_with(self, stepper: Integrator, result: ImpactResult) -> tuple[str, str]:
        """Begin another segment after contacts changed without an impact; what slip was left is lost."""
        q, u = self._parts(stepper.y)
        before, after = (self.dynamics, q, u, self.inputs), (result.dynamics, q, result.u, self.inputs)
        lost = np.diff(impact("", {}, stepper.t, before, after).energy)
        y = result.dynamics.layout.join(q, result.u, stepper.y[self.layout.z], stepper.y[self.layout.works])
        y[result.dynamics.layout.dissipated] += lost[0]
        self.next = Start(result.model, stepper.t, y, unloaded=result.unloaded)
        return "changed", f"changed at t = {stepper.t:.9g} s"

    def _parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, u, _ = self.layout.split(y)
        return q, u

    def energy(self, t: float, y: np.ndarray) -> float:
        """Kinetic and potential energy, J."""
        sums, loads = self.dynamics.sample(np.array([t]), y[None, :], self.inputs[None, :])
        return float(sums[0, 0] + sums[0, 1] + loads[0])
