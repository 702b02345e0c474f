"""A system that is stepped from outside: by a controller under design, a learning program, a clock."""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.kernels import backend
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.laws import values_of_now
from kaneflex.plan.plan import Event, Plan
from kaneflex.plan.state import State, state_of
from kaneflex.plan.traced import check_arguments
from kaneflex.simulate.breaks import breaks_of
from kaneflex.simulate.choice import AUTO
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.pace import Pace
from kaneflex.simulate.sampled import Sampled
from kaneflex.simulate.segment import Segment, driven
from kaneflex.simulate.simulate import begin_run, drivers
from kaneflex.simulate.start import Start
from kaneflex.simulate.stepper import BoundLoop, Stepper
from kaneflex.simulate.trajectory import Options, SimulationError

AHEAD = 256  # steps over which jumps of functions of time are looked for at once
DONE, EVENT = int(Status.DONE), int(Status.EVENT)


class Moment(State):
    """A state that a Simulation was in: a State, and what it takes to go back there; see `Simulation.rewind`."""

    given = None

    def __init__(self, segment: Segment, t: float, y: np.ndarray, memory: tuple[float, float] | None):
        self.segment, self._t, self.y, self.memory = segment, t, y, memory

    @property
    def _index(self) -> Any:  # type: ignore[override]
        return self.segment.plan.index

    @cached_property
    def _q(self) -> np.ndarray:  # type: ignore[override]
        return self.y[self.segment.layout.q].copy()

    @cached_property
    def _rates(self) -> np.ndarray:  # type: ignore[override]
        layout = self.segment.layout
        return self.segment.dynamics.rates_from_speeds(self.y[layout.q], self.y[layout.u])

    @cached_property
    def _z(self) -> np.ndarray:  # type: ignore[override]
        return self.y[self.segment.layout.z].copy()

    @property
    def is_changed(self) -> bool:
        """Whether values were set in it since."""
        own = Moment(self.segment, self._t, self.y, None)
        return not all(np.array_equal(getattr(self, k), getattr(own, k)) for k in ("q", "rates", "z"))


class Simulation:
    """A system in motion, stepped from outside; made by `System.start`.

    Args:
        model: the system.
        options: how it is integrated.
        initial, inputs, controllers, events: as for `System.simulate`.

    Attributes:
        state: where it is.
        inputs: names of the inputs that `step` takes, in order: all that no function, block or controller drives.
        events: (time, name) of the events of the last step; impacts: its collisions and other jumps of the speeds.
        ended: why the motion has ended, a terminal event; "" where it goes on.
        lag: how far the last step of `realtime` came behind the clock, s.
    """

    def __init__(
        self,
        model: Model,
        options: Options,
        initial: Mapping[str, Any] | State | None = None,
        inputs: Mapping[str, Any] | None = None,
        controllers: Sequence[Sampled] = (),
        events: Sequence[Event] = (),
    ):
        if options.method == AUTO:
            raise ModelError('method "auto" looks at a whole run: give start the method, e.g. "dopri5" or "radau5"')
        self.model, self.options, self.lag = model.kept(), options, 0.0
        self._values = np.zeros(len(model.inputs))
        with values_of_now():
            self._driven = drivers(self.model, inputs, self._values, controllers, events)
        taken = {name for c in controllers for name in c.drives} | set(self._driven["inputs"])
        taken |= {name for block in model.blocks.values() for name in block.drives}
        self.inputs = tuple(name for name in model.inputs if name not in taken)
        numbers = {name: k for k, name in enumerate(model.inputs)}
        self._places = np.array([numbers[name] for name in self.inputs], int)
        self._pace = Pace(0.0)
        self._looked: tuple[Plan, float, float, list[float]] | None = None  # where jumps are known, from and to, and these
        self._readers: dict[tuple[str, ...], tuple[Segment, Callable[..., np.ndarray]]] = {}
        self._begin(initial)

    # -- beginning -----------------------------------------------------------------------------------------------------

    def _begin(self, initial: Mapping[str, Any] | State | None) -> None:
        """Begin at a state of the system as it was given."""
        with values_of_now():
            segment = Segment(Start(self.model, 0.0, np.zeros(0)), self.options, self._values, self._driven, self._pace)
        _, t, y = begin_run(segment, initial)
        self._clock = t
        self._enter(segment, t, y, first=True)

    def _enter(self, segment: Segment, t: float, y: np.ndarray, first: bool) -> None:
        """Let a segment begin at t and y, and what happens there happen."""
        self.events: list[tuple[float, str]] = []
        self.impacts: list[Impact] = []
        self.ended = ""
        self._open(segment, t, y, first)
        self._settle(segment.settle(first))
        self.state = self._moment()

    def _open(self, segment: Segment, t: float, y: np.ndarray, first: bool, again: bool = False) -> None:
        """Put a segment, or `again` one whose integrator is there, to t and y."""
        self.segment = segment
        segment.begin(t, t, self._clock, t, np.zeros(0))
        segment.broken = segment.moved = None
        if again:
            segment.stepper.start(t, y)
        else:
            segment.set_out(y, None, first)
        self._smooth = t  # up to where there are no jumps
        if self._looked is None or self._looked[0] is not segment.plan:
            self._looked = segment.plan, t, t, []
        stepper = segment.stepper
        quick = type(stepper) is Stepper and not stepper.shape.implicit and not segment.controllers
        quick = quick and not segment.model.contacts and segment.feeds is None and not segment.plan.index.constraints
        quick = quick and all(law.compiled for law in segment.plan.laws)
        self._inputs = segment.dynamics._inputs
        self._quick: BoundLoop | None = None
        self._taken = (-1,)  # shape of the array of inputs that needs no other look
        if quick:
            assert isinstance(stepper, Stepper)
            self._quick = BoundLoop(stepper)
            self._move, self._y = self._quick.mover(), self._quick.y
            self._taken = self._inputs.shape if len(self.inputs) == len(self._inputs) else (-1,)

    def _settle(self, ended: tuple[str, str] | None) -> None:
        """Go through the changes of the system that an instant brings, until there are none, or the motion ends."""
        while ended is not None and ended[0] == "changed":
            segment = self.segment
            start, before = segment.next, segment
            assert start is not None
            self._note(before)
            if self._pace.keeps_changing(start.t):
                raise SimulationError(
                    f"the system keeps changing at t = {start.t:.9g} s without getting on", before.left("failed", "", ())
                )
            values = before.inputs.copy() if start.inputs is None else start.inputs
            self._open(Segment(start, self.options, values, self._driven, self._pace), start.t, start.y, first=False)
            self._values = self.segment.inputs
            if start.stopped is not None:
                ended = "event", start.stopped
                break
            ended = self.segment.settle(False)
        if ended is not None and ended[0] == "event":
            self.ended = ended[1]
        elif ended is not None and ended[0] == "failed":
            raise SimulationError(ended[1], self.segment.left("failed", ended[1], ()))

    def _note(self, segment: Segment) -> None:
        """Take over what happened in a segment since this was last asked."""
        self.events += segment.happened
        self.impacts += segment.impacts
        segment.happened, segment.impacts = [], []

    def _moment(self) -> Moment:
        """Where the integrator stands, as a sample."""
        segment, stepper = self.segment, self.segment.stepper
        self._note(segment)
        y = segment.projected(stepper.t, stepper.y)
        return Moment(segment, stepper.t, y, None if self._quick is None else self._quick.memory)

    # -- stepping ------------------------------------------------------------------------------------------------------

    def step(self, dt: float, inputs: Any = None) -> Moment:
        """Go on for `dt` seconds with these values of the inputs, and return the state.

        Events, impacts, sampled controllers and blocks act within the step as they do in `System.simulate`; a terminal event
        ends it early, see `ended`.

        Args:
            dt: s.
            inputs: their values, held over the step: an array in the order of `self.inputs` (the quick way), or by name;
                None for those of the step before.
        """
        if type(dt) is not float:
            dt = checks.positive(dt, "dt")
        stop = self.state._t + dt
        if self._quick is None or self.ended or not 0.0 < dt < math.inf:
            return self._step(dt, inputs)
        if stop > self._smooth:
            self._look_ahead(self.state._t, dt)
            if stop > self._smooth:
                return self._step(dt, inputs)
        if inputs is not None:
            if type(inputs) is not np.ndarray or inputs.shape != self._taken or inputs.dtype.char != "d":
                return self._step(dt, inputs)
            self._inputs[:] = inputs
        if self.events or self.impacts:
            self.events, self.impacts = [], []
        status = self._move(stop, inputs is not None)
        if status != DONE or backend.noted:
            return self._step(dt, None, stop, status)
        self.state = state = Moment(self.segment, stop, self._y.copy(), self._quick.memory)
        return state

    def _look_ahead(self, t: float, dt: float) -> None:
        """Find jumps of what drives the system, for the steps to come."""
        segment = self.segment
        assert self._looked is not None
        _, first, last, breaks = self._looked
        if not first <= t <= t + dt <= last:
            last = t + AHEAD * dt
            breaks = breaks_of(segment.plan, t, last, t)
            self._looked = segment.plan, t, last, breaks
        segment.breaks = breaks
        k = bisect_right(breaks, t)
        self._smooth = math.nextafter(breaks[k], -math.inf) if k < len(breaks) else last

    def _step(self, dt: float, inputs: Any, stop: float | None = None, status: int | None = None) -> Moment:
        """A step by the loop of `System.simulate`; one that was begun already is to end at `stop`, and came back with
        `status`."""
        checks.positive(dt, "dt")
        if self.ended:
            raise ModelError(f"the motion has {self.ended}: rewind it to go on")
        if stop is None:
            stop = self.segment.stepper.t + float(dt)
            self.events, self.impacts = [], []
        if inputs is not None:
            self._set_inputs(inputs)
        ended = None
        if status == EVENT:
            segment = self.segment
            segment.inputs[:] = self._inputs
            ended = segment.happenings.reached()
        self._settle(ended)
        while not self.ended and self.segment.stepper.t < stop:
            segment = self.segment
            t = segment.t0 = segment.stepper.t
            self._look_ahead(t, max(stop - t, float(dt)))
            taken = segment.stepper.steps + segment.stepper.rejected
            segment.options = replace(self.options, max_steps=self.options.max_steps + taken)
            segment.t1 = stop
            reached = driven(segment.going_on(lambda t: None))
            if reached[0] != "done":
                self._settle(reached)
        self.state = self._moment()
        return self.state

    def _set_inputs(self, inputs: Any) -> None:
        """Take over values of inputs, given as an array or by name; a jump for the integrator."""
        segment = self.segment
        if isinstance(inputs, Mapping):
            values = self._inputs[self._places]
            for name, value in inputs.items():
                checks.known(name, self.inputs, "input that a step takes")
                values[self.inputs.index(name)] = checks.number(value, f'input "{name}"')
        else:
            values = checks.several(inputs, len(self.inputs), f"inputs of a step ({', '.join(self.inputs) or 'none'})")
        segment.inputs[:] = self._inputs
        segment.inputs[self._places] = values
        segment.dynamics.set_inputs(segment.inputs)
        segment.stepper.renew(segment.stepper.t)

    # -- elsewhere -----------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time, s."""
        return self.state.t

    def rewind(self, state: Mapping[str, Any] | State | None = None) -> State:
        """Go to another state, and return it: one that `step` gave, another State, or values by name; None for the start.

        From a state that `step` gave the same steps give the same numbers again, to the bit with explicit methods without
        constraints and contacts. Inputs keep the values that they had last.

        Args:
            state: where to go; its time becomes the present one.
        """
        if any(getattr(c.law, "keeps_state", False) for c in self._driven["controllers"]):
            raise ModelError("a simulation with Sampled.of or Sampled.chain cannot be rewound: their blocks keep states")
        if not isinstance(state, Moment) or state.is_changed or state.segment.plan.index.system != self.model.name:
            self._values = self._inputs.copy() if len(self._inputs) == len(self._values) else self._values
            self._begin(state_of(self.segment.plan, state, "state to go to") if isinstance(state, State) else state)
            return self.state
        segment = state.segment
        inputs = self._inputs.copy()
        if segment.model.contacts or segment.feeds is not None or segment.next is not None or segment.stopped:
            start = Start(segment.model, state.t, state.y, unloaded=segment.start.unloaded)
            segment = Segment(start, self.options, segment.inputs, self._driven, self._pace)
        self._open(segment, state.t, state.y, first=False, again=segment is state.segment)
        if len(inputs) == len(self._inputs):
            segment.inputs[:] = inputs
            segment.dynamics.set_inputs(inputs)
        self._values = segment.inputs
        if self._quick is not None and state.memory is not None:
            self._quick.recall(state.memory)
        self.ended, self.events, self.impacts = "", [], []
        self.state = state
        return state

    def read(self, *names: str) -> np.ndarray:
        """Numbers of the channels of these `names` at the present state, one after the other."""
        try:
            found = self._readers.get(names)
        except TypeError:  # lists, say, which no table can be asked for
            found = None
            checks.names(names, "names of channels")
        if found is None or found[0] is not self.segment:
            plan = self.segment.plan
            found = self._readers[names] = self.segment, ChannelReader(plan, names).bound(self.segment.dynamics, names)
        if self.segment.layout.nz:
            self.segment.dynamics.set_states(self.state.y[self.segment.layout.z])
        return found[1](self.state._t, self.state.y, self._inputs)

    def linearize(self, **arguments: Any) -> Any:
        """The exact linear model about the present state and inputs; arguments as for `System.linearize`."""
        held = dict(zip(self.segment.plan.index.inputs, map(float, self._inputs), strict=True))
        driven = {name for block in self.segment.model.blocks.values() for name in block.drives}
        inputs = {name: value for name, value in held.items() if name not in driven} | self._driven["inputs"]
        system: Any = self.segment.model
        return system.linearize(self.state.copy(), **({"inputs": inputs} | arguments))

    def realtime(
        self,
        dt: float,
        duration: float = math.inf,
        control: Callable[[State], Any] | None = None,
        speed: float = 1.0,
    ) -> Iterator[State]:
        """Steps in the pace of the clock: yields the state after each, when its time has come. A step that comes late is not
        waited for; `lag` says by how much it is behind.

        Args:
            dt: length of a step, s.
            duration: until when, s; for ever by default.
            control: gives the inputs of the next step from the state; None for those of before.
            speed: seconds of the simulation in one of the clock.
        """
        dt, speed = checks.positive(dt, "dt"), checks.positive(speed, "speed")
        if not (isinstance(duration, float) and duration == math.inf):
            duration = checks.positive(duration, "duration")
        if control is not None:
            check_arguments(control, ("state",), "control")
        return self._paced(dt, duration, control, speed)

    def _paced(self, dt: float, duration: float, control: Callable[[State], Any] | None, speed: float) -> Iterator[State]:
        """The steps of `realtime`."""
        begun, first, k = time.perf_counter(), self.t, 0
        while not self.ended and (k + 1) * dt <= duration * (1 + 1e-12):
            state = self.step(dt, None if control is None else control(self.state))
            k += 1
            left = (state.t - first) / speed - (time.perf_counter() - begun)
            if left > 0:
                time.sleep(left)
            self.lag = max(0.0, -left)
            yield state

    def __repr__(self) -> str:
        return f"Simulation({self.model.name!r}, t = {self.t:g} s, inputs: {', '.join(self.inputs) or 'none'})"


__all__ = ["Moment", "Simulation"]
