"""What happens at an instant of a segment: events and their actions, impacts, contacts that open, slip or stop.

A `Happenings` stands between the calls of the step loop. It puts the segment's integrator where the motion goes on, or tells
in `segment.next` how another segment begins, and keeps the books: energy that an impact takes is dissipated, what an
action brings is applied.
"""

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.plan import Event, Plan
from kaneflex.plan.state import State
from kaneflex.plan.state_layout import StateLayout
from kaneflex.simulate.changed_state import ChangeOfState
from kaneflex.simulate.changes import Change
from kaneflex.simulate.contact.contacts import Contacts, check_above_planes
from kaneflex.simulate.contact.records import ImpactResult, impact
from kaneflex.simulate.contact.thresholds import SAME_INSTANT, SOUGHT
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.removal import check_seen
from kaneflex.simulate.start import Due, Start, planned

if TYPE_CHECKING:
    from kaneflex.simulate.segment import Segment

Ended = tuple[str, str] | None  # status and message of the segment, where it ends


class Happenings:
    """What happens in a segment of a run between its steps."""

    def __init__(self, segment: "Segment"):
        self.segment = segment

    def due(self, k: int) -> Due:
        """What the event of this number is."""
        segment = self.segment
        return ("event", k) if k < len(segment.events) else segment.contacts.of_event(k - len(segment.events))

    def at_start(self, first: bool) -> Ended:
        """Impacts at the instant of the start, and what was left to do there by the segment before; `first` says that there
        was none."""
        pending = self.segment.start.pending
        return self._passed_on(self._strike(first=first), pending) or self.happen(pending)

    def happen(self, due: list[Due]) -> Ended:
        """What events of one instant do, one after the other; status and message when the segment ends with them.

        Where one of them changes the system, the others act on the system as it is then.
        """
        for n, (what, which) in enumerate(due):
            ended = self._event(which) if what == "event" else self._touch(what, which)
            if ended is not None:
                return self._passed_on(ended, due[n + 1 :])
        return None if self.segment.stopped is None else ("event", self.segment.stopped)

    def reached(self) -> Ended:
        """What the events at which the integrator stands do."""
        return self.happen([self.due(k) for k in self.segment.stepper.take_events()])

    def _passed_on(self, ended: Ended, pending: list[Due]) -> Ended:
        """Tell the next segment, if there is one, what is left to do at the instant at which this one ended."""
        segment = self.segment
        if ended is not None and segment.next is not None:
            fired = {k: g for k, g in segment.stepper.fired().items() if k < len(segment.events)}
            segment.next.pending, segment.next.fired, segment.next.stopped = list(pending), fired, segment.stopped
        return ended

    # -- events of the user ----------------------------------------------------------------------------------------------

    def _event(self, k: int) -> Ended:
        """What an event of a user, a block or a feed does; status and message when the segment ends with it."""
        segment, stepper = self.segment, self.segment.stepper
        event, when = segment.events[k], f"at t = {stepper.t:.9g} s"
        if k >= segment.own_events:
            assert segment.feeds is not None
            wrong = segment.feeds.happen(stepper, k - segment.own_events)
            return None if wrong is None else ("failed", wrong)
        segment.happened.append((stepper.t, event.name))
        if event.terminal and segment.stopped is None:
            segment.stopped = f'stopped by event "{event.name}" {when}'
        if event.action is None:
            return None
        stuck = segment.pace.stuck(k, event.name, stepper.t)
        if stuck is not None:
            return "failed", stuck
        return ("changed", f'changed by event "{event.name}" {when}') if self._act(event) else None

    def _act(self, event: Event) -> bool:
        """Let an event's action change the state or the system; True when it is another system from now on."""
        segment, stepper, dynamics = self.segment, self.segment.stepper, self.segment.dynamics
        y, t = stepper.y.copy(), stepper.t
        q, u, z = segment.layout.split(y)
        state = State(segment.plan.index, t, q, dynamics.rates_from_speeds(q, u), z=z)
        change = Change(segment.model, state, dynamics)
        event.action(*((state, change) if _takes_change(event.action) else (state,)))
        if not all(np.all(np.isfinite(x)) for x in (state.q, state.rates, state.z)):
            raise ModelError(f'event "{event.name}": its action left a state that is not finite')
        q[:], z[:] = state.q, state.z
        u[:] = dynamics.speeds_from_rates(state.q, state.rates)
        if change.wanted:
            self._become(event, change, t, q, u, state.z)
            return True
        y[segment.layout.applied] += segment.energy(t, y) - segment.energy(t, stepper.y)  # the jump is work of the event
        stepper.start(t, y)
        segment.moved = t
        return False

    def _become(self, event: Event, change: Change, t: float, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> None:
        """Begin another segment with the system that an action wants."""
        segment, stepper, index = self.segment, self.segment.stepper, self.segment.plan.index
        check_seen(change.model, change.removed, segment.driven)
        made: list[tuple[Contacts, Plan]] = []

        def plan_of(model: Model) -> Plan:
            made.append(planned(model, segment.options, segment.driven))
            return made[0][1]

        inputs = dict(zip(index.inputs, segment.inputs, strict=True))
        segment.dynamics.set_states(z)
        new, q, u, exchange = ChangeOfState(change, segment.dynamics, t, inputs).lead(q, u, plan_of)
        new.check_regular(t, q, u)
        check_above_planes(new, [name for name in change.changed if name in change.model.contacts], t, q)
        given = np.array([inputs[name] for name in new.plan.index.inputs])
        after = (new, q, u, given)
        segment.impacts.append(replace(impact(event.name, {}, t, self._before(), after), exchange=exchange))
        self._begin(change.model, new.layout, new.layout.join(q, u, new.z, stepper.y[segment.layout.works]))
        assert segment.next is not None
        segment.next.planned, segment.next.dynamics, segment.next.inputs = made[0], new, given

    # -- contacts --------------------------------------------------------------------------------------------------------

    def _touch(self, what: str, name: str | None) -> Ended:
        """What the event of a contact does, which an event of the same instant may have changed since."""
        segment, stepper = self.segment, self.segment.stepper
        if what == "reaches" or name is None:
            return self._strike(name)
        if what == "stops":
            return self._stop(name) if name in segment.contacts.sliding else None
        if name not in segment.contacts.closed:
            return None
        redundant = segment.contacts.redundant(stepper.t, stepper.y)
        false_alarm = redundant and not segment.contacts.failing(stepper.t, stepper.y)
        return None if false_alarm else self.let_go(name)

    def _strike(self, reached: str | None = None, first: bool = False) -> Ended:
        """Let points that touch their planes and approach them collide, until none does."""
        segment, stepper, contacts = self.segment, self.segment.stepper, self.segment.contacts
        t = stepper.t
        while names := contacts.striking(t, stepper.y, reached, first):
            contacts.check_getting_on(names, t, segment.impacts)
            result = contacts.collide(t, stepper.y, names)
            struck = list(result.impulses)
            segment.happened += [(t, name) for name in struck]
            q, _, z = segment.layout.split(stepper.y)
            y = result.dynamics.layout.join(q, result.u, z, stepper.y[segment.layout.works])
            after = (result.dynamics, q, result.u, segment.inputs)
            segment.impacts.append(impact(", ".join(struck), result.impulses, t, self._before(), after))
            if result.model is not segment.model:
                self._begin(result.model, result.dynamics.layout, y, result.unloaded)
                return "changed", f"changed at t = {t:.9g} s"
            y = self._with_energy_of_jump(y, segment.layout)
            stepper.start(t, y, contacts.first_step(t, y))
            segment.moved = None if first else t
            reached, first = None, False
        return None

    def is_pulled(self, saved: Mapping[str, np.ndarray], event: bool) -> bool:
        """Whether a contact fails after the step from `saved`; the stepper is put to where that begins. Not where that is an
        event anyway.

        The events that watch closed contacts see multipliers that are not the least ones where these are redundant.
        """
        stepper, failing = self.segment.stepper, self.segment.contacts.failing
        if failing(stepper.t, stepper.y) is None:
            return False
        high, end_time, end = stepper.t, stepper.t, stepper.state()
        stepper.restore(saved)
        low = stepper.t
        while high - low > SOUGHT * max(1.0, abs(high)):
            middle = (low + high) / 2
            self._go_to(saved, middle)
            low, high = (low, middle) if failing(stepper.t, stepper.y) else (middle, high)
        if event and high >= end_time - SAME_INSTANT * max(1.0, abs(high)):
            stepper.restore(end)
            return False
        self._go_to(saved, high)
        return True

    def _go_to(self, saved: Mapping[str, np.ndarray], t: float) -> None:
        """Put the stepper to time t from where it was `saved`, past events that were found to be none."""
        segment, stepper = self.segment, self.segment.stepper
        stepper.restore(saved)
        limit = segment.options.max_steps
        while stepper.t < t and stepper.advance(t, segment.times, segment.samples, limit) == Status.EVENT:
            pass

    def let_go(self, name: str | None = None) -> tuple[str, str]:
        """A closed contact opens or slips, others of the same instant with it; where several are redundant, the one that
        fails most."""
        segment, stepper, contacts = self.segment, self.segment.stepper, self.segment.contacts
        name = contacts.failing(stepper.t, stepper.y) or name
        assert name is not None
        result = contacts.without(name, stepper.t, stepper.y)
        for one in contacts.closed:
            if one not in result.model.constraints and (one == name or one not in result.unloaded):
                segment.happened.append((stepper.t, f"{one} lets go"))
            elif one == name:
                segment.happened.append((stepper.t, f"{one} slips"))
        return self._goes_on_with(result)

    def _stop(self, name: str) -> tuple[str, str]:
        """A point that slides has come to rest."""
        segment, stepper = self.segment, self.segment.stepper
        segment.happened.append((stepper.t, f"{name} stops"))
        return self._goes_on_with(segment.contacts.stopped(stepper.t, stepper.y))

    def try_again(self) -> tuple[str, str]:
        """Look anew at contacts that were to be looked at again at this instant."""
        stepper = self.segment.stepper
        return self._goes_on_with(self.segment.contacts.again(stepper.t, stepper.y))

    # -- the books, and the segment after this -----------------------------------------------------------------------------

    def _before(self) -> tuple[Dynamics, np.ndarray, np.ndarray, np.ndarray]:
        """What an impact record wants of the state before a jump."""
        segment = self.segment
        q, u, _ = segment.layout.split(segment.stepper.y)
        return segment.dynamics, q, u, segment.inputs

    def _begin(self, model: Model, layout: StateLayout, y: np.ndarray, unloaded: tuple[str, ...] = ()) -> None:
        """Begin another segment at y, laid out so, after the jump that was recorded last."""
        y = self._with_energy_of_jump(y, layout)
        self.segment.next = Start(model, self.segment.stepper.t, y, unloaded=unloaded)

    def _with_energy_of_jump(self, y: np.ndarray, layout: StateLayout) -> np.ndarray:
        """y with the energy of the jump recorded last booked as work: applied when gained, dissipated when lost. What came
        with bodies is not work."""
        last = self.segment.impacts[-1]
        gained = last.energy[1] - last.energy[0] - (0.0 if last.exchange is None else last.exchange.energy)
        y[layout.applied if gained > 0 else layout.dissipated] += gained
        return y

    def _goes_on_with(self, result: ImpactResult) -> tuple[str, str]:
        """Begin another segment after contacts changed without an impact; what slip was left is lost."""
        segment, stepper = self.segment, self.segment.stepper
        before = self._before()
        q = before[1]
        lost = np.diff(impact("", {}, stepper.t, before, (result.dynamics, q, result.u, segment.inputs)).energy)
        y = result.dynamics.layout.join(q, result.u, stepper.y[segment.layout.z], stepper.y[segment.layout.works])
        y[result.dynamics.layout.dissipated] += lost[0]
        segment.next = Start(result.model, stepper.t, y, unloaded=result.unloaded)
        return "changed", f"changed at t = {stepper.t:.9g} s"


def _takes_change(action: Any) -> bool:
    """Whether an event's action wants the Change as well as the State."""
    try:
        parameters = inspect.signature(action).parameters.values()
    except (TypeError, ValueError):
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(places) >= 2


__all__ = ["Happenings"]
