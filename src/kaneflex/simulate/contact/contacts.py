"""The contacts of one segment of a run: their states, the events that may change them, and what comes of these."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import redundant_equations
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Event, Watch
from kaneflex.simulate.contact.closed import ClosedContacts, is_kept
from kaneflex.simulate.contact.closing import (
    friction_of,
    margin,
    normal_multiplier,
    normal_row,
    release,
    slide,
    state_of,
    stick,
    sticks_by_friction,
)
from kaneflex.simulate.contact.events import contact_events, stop_event
from kaneflex.simulate.contact.impacts import SimultaneousImpact
from kaneflex.simulate.contact.kinematics import ContactKinematics, PointVelocities
from kaneflex.simulate.contact.onset import eased, free_again
from kaneflex.simulate.contact.records import Impact, ImpactResult
from kaneflex.simulate.contact.states import CLOSED, Condition, ContactState, next_state
from kaneflex.simulate.contact.thresholds import (
    AT_REST,
    DIFFERENCE,
    LOADED,
    MOST_IMPACTS,
    PRESSED,
    SAME_INSTANT,
    STOPPED,
    TENSION,
    TOUCHING,
)
from kaneflex.simulate.trajectory import Options

Array = np.ndarray


class Contacts:
    """The contacts of one segment of a run.

    Attributes:
        states: of every contact, by name; they last as long as the segment does.
        open: contacts whose point is free; each has three events, see `contact_events`.
        closed: those that slide or stick; each has a watch on the forces that keep it closed.
        sliding: those that slide against friction; each has an event of coming to rest.
        unloaded: those that touch without being held; nothing happens to one before something happens to others.
    """

    def __init__(self, model: Model, options: Options, unloaded: Sequence[str] = ()):
        self.model, self._options = model, options
        self.states = {name: state_of(model, name, unloaded) for name in model.contacts}
        self.open = self._in(ContactState.OPEN)
        self.closed = self._in(*CLOSED)
        self.unloaded = tuple(self._in(ContactState.UNLOADED))
        events = [contact_events(name, model.contacts[name]) for name in self.open]
        self.sliding = [name for name in self.closed if friction_of(name) in model.loads]
        stops = [stop_event(name, model.contacts[name]) for name in self.sliding]
        self.events: list[Event] = [*(e for three in zip(*events, strict=True) for e in three), *stops]
        self.watches = [self._watch(name) for name in self.closed]
        ends = [model.loads[friction_of(name)].until for name in self.sliding]  # type: ignore[union-attr]
        self.until = min((t for t in ends if t is not None), default=None)

    def _in(self, *states: ContactState) -> list[str]:
        return [name for name, state in self.states.items() if state in states]

    def _watch(self, name: str) -> Watch:
        friction = self.model.contacts[name].friction if sticks_by_friction(self.model, name) else 0.0
        return Watch(name, normal_row(self.model, name), friction)

    def begin(self, dynamics: Dynamics, inputs: Array, functions: Mapping[str, Any]) -> None:
        """Take the segment's dynamics, its inputs as they stand at any time, and the functions that give some of them."""
        self._dynamics, self._inputs, self._functions = dynamics, inputs, functions

    def of_event(self, k: int) -> tuple[str, str | None]:
        """What event k says, and of which point: it "reaches" its plane, "stops" sliding, is closed no longer as it was:
        "fails"."""
        n, sliding = len(self.open), len(self.sliding)
        if k < 3 * n:
            return "reaches", None if n <= k < 2 * n else self.open[k % n]
        return ("stops", self.sliding[k - 3 * n]) if k < 3 * n + sliding else ("fails", self.closed[k - 3 * n - sliding])

    def _parts(self, y: Array) -> tuple[Array, Array]:
        q, u, _ = self._dynamics.layout.split(y)
        return q.copy(), u.copy()

    # -- colliding ---------------------------------------------------------------------------------------------------

    def striking(self, t: float, y: Array, reached: str | None = None, first: bool = False) -> list[str]:
        """The points that touch their planes and approach them, or rest there and are pressed on.

        The point that an event found to have `reached` its plane counts as touching. One that starts below its plane is
        refused.
        """
        q, u = self._parts(y)
        if first:
            check_above_planes(self._dynamics, self.open, t, q)
        names = []
        for name in self.open:
            place = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            gap, rate = place.gap(), place.velocity(u)[2]
            touches = abs(gap) < TOUCHING and rate <= AT_REST
            strikes = (name == reached and rate < 0) or (touches and (rate < -AT_REST or first))
            if strikes or (touches and self._acceleration(name, t, y) < -PRESSED):
                names.append(name)
        return names

    def collide(self, t: float, y: Array, names: Sequence[str]) -> ImpactResult:
        """Let points collide in one instant, with all others that touch their planes.

        When all that strike are slow and stay, those closed already stay as well, so that rocking comes to an end. Where no
        impulses satisfy all laws at once, the fastest point collides alone: the others' turn comes next.
        """
        q, u = self._parts(y)
        stay = {n: self._stays(n, t, y) for n in names}
        slow = all(stay.values()) and all(-self._rate(n, t, q, u) <= self.model.contacts[n].rest_speed for n in names)
        on_plane = {n: self.states[n] for n in (*self.closed, *self.unloaded)}
        striking = {n: next_state(self.states[n], Condition.APPROACHES) for n in names}
        before = {}
        if slow and on_plane:
            model, others = self.model, []
            names = [n for n in names if not is_kept(self._dynamics, self._free(), model.contacts[n], t, q)]
            before = on_plane | {n: state for n, state in striking.items() if n not in names}
        else:
            model = self._all_open()
            others = [*on_plane, *(n for n in self.open if n not in names and self._touches(n, t, q))]
            striking |= {n: next_state(self.states[n], Condition.JOLTED) for n in others}
        found: dict[str, Array] = {}
        if names:
            dynamics, contacts = self._dynamics if model is self.model else self._free(), self.model.contacts
            strike = SimultaneousImpact(dynamics, {n: contacts[n] for n in (*names, *others)}, stay, t, q, u)
            if strike.impulses is None:
                fastest = min(names, key=lambda n: strike.velocity_of(n)[2])
                strike = SimultaneousImpact(dynamics, {fastest: contacts[fastest]}, stay, t, q, u)
            u, found = strike.after, {n: strike.impulse_on(n) for n in names}
            before |= {n: striking[n] for n in strike.names if strike.remains(n)}
        after = {n: next_state(state, Condition.SEPARATES) for n, state in striking.items() if n not in before}
        return self._resolve(t, q, u, before, after, found)

    def _stays(self, name: str, t: float, y: Array) -> bool:
        """Whether a striking point stays on its plane: one whose contact says so (`after`), if it is slow or its collision
        is plastic; one that bounces, if it would rise by less than the tolerance resolves."""
        contact = self.model.contacts[name]
        approach = -self._rate(name, t, *self._parts(y))
        if contact.after != "bounce":
            return contact.restitution == 0 or approach <= contact.rest_speed
        pressed = -self._acceleration(name, t, y)
        return pressed > 0 and (contact.restitution * max(approach, 0.0)) ** 2 <= 2 * TOUCHING * pressed

    def _rate(self, name: str, t: float, q: Array, u: Array) -> float:
        return float(ContactKinematics(self._dynamics, self.model.contacts[name], t, q).velocity(u)[2])

    def _touches(self, name: str, t: float, q: Array) -> bool:
        return abs(ContactKinematics(self._dynamics, self.model.contacts[name], t, q).gap()) < TOUCHING

    def check_getting_on(self, names: Sequence[str], t: float, impacts: Sequence[Impact]) -> None:
        """Refuse collisions without end in one instant."""
        recent = [i for i in impacts if t - i.t < SAME_INSTANT * max(1.0, t)]
        for name in names:
            if sum(name in dict(i.impulses) for i in recent) > MOST_IMPACTS:
                raise ModelError(
                    f'contact "{name}" collides again and again at t = {t:.9g} s: with after="slide" or "stick" it comes to '
                    "rest"
                )

    # -- closed contacts ---------------------------------------------------------------------------------------------

    def _resolve(
        self,
        t: float,
        q: Array,
        u: Array,
        before: Mapping[str, ContactState],
        after: Mapping[str, ContactState],
        struck: dict[str, Array] | None = None,
        failed: str | None = None,
    ) -> ImpactResult:
        """What becomes of contacts on their planes, by the forces there; `after` are the states of others that changed.

        `failed` is the contact that an event found to slip or to open.
        """
        on_plane = ClosedContacts(self.dynamics_of, self._all_open(), self._free(), before, t, q, u)
        on_plane.resolve(failed)
        states = self.states | dict(after) | on_plane.states
        model, dynamics = on_plane.model, on_plane.dynamics
        if states == self.states and not on_plane.begin_to_slip:
            model, dynamics = self.model, self._dynamics
        else:
            model, dynamics = self._eased(model, dynamics, t, q, on_plane.u)
        unloaded = tuple(n for n, state in states.items() if state is ContactState.UNLOADED)
        return ImpactResult(model, dynamics, on_plane.u, unloaded, struck or {})

    def _eased(self, model: Model, dynamics: Dynamics, t: float, q: Array, u: Array) -> tuple[Model, Dynamics]:
        other = eased(model, dynamics, t, q, u, self._options)
        return (model, dynamics) if other is model else (other, self.dynamics_of(other))

    def redundant(self, t: float, y: Array) -> bool:
        """Whether the shares of closed contacts in a load are not determined: multipliers at hand are then not the least."""
        if self.unloaded:
            return True
        names = {equation.partition("[")[0] for equation in redundant_equations(self._dynamics, t, *self._parts(y))}
        return not names.isdisjoint(self.closed)

    def failing(self, t: float, y: Array) -> str | None:
        """The contact whose state does not last, by multipliers of least norm: it is in tension, friction does not hold it,
        or it is unloaded and would be pressed on. None when all last."""
        q, u = self._parts(y)
        multipliers = self._dynamics.multipliers(t, q, u)
        least = -TENSION * float(np.abs(multipliers).max())
        pushes = {name: normal_multiplier(self._dynamics, self.model, name, multipliers) for name in self.closed}
        worst = min(pushes, key=lambda name: pushes[name])
        if pushes[worst] < least:
            return worst
        margins = {name: margin(self._dynamics, self.model, name, multipliers) for name in self.closed}
        worst = min(margins, key=lambda name: margins[name])
        if margins[worst] < least and not self._may_stay(t, q, u):
            return worst
        return self._loaded_again(t, q, u)

    def _may_stay(self, t: float, q: Array, u: Array) -> bool:
        """Whether some forces within the cones of friction hold all points that stick."""
        before = {n: self.states[n] for n in self.closed}
        return ClosedContacts(self.dynamics_of, self._all_open(), self._free(), before, t, q, u).can_all_stay()

    def _loaded_again(self, t: float, q: Array, u: Array) -> str | None:
        """The unloaded contact whose plane would push if it were closed."""
        for name in self.unloaded:
            place = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            slip = place.velocity(u)[:2]
            slides = float(np.hypot(*slip)) > STOPPED
            model = slide(self.model, name, slip) if slides else stick(self.model, name, place)
            dynamics = self.dynamics_of(model)
            multipliers = dynamics.multipliers(t, q, u)
            if normal_multiplier(dynamics, model, name, multipliers) > LOADED * float(np.abs(multipliers).max()):
                return name
        return None

    def stopped(self, t: float, y: Array) -> ImpactResult:
        """After a sliding point came to rest: all that slide as slowly rest, or slide on where friction does not suffice."""
        return self.without(None, t, y)

    def without(self, name: str | None, t: float, y: Array) -> ImpactResult:
        """After a closed contact failed: it begins to slip, or opens."""
        before = {n: self.states[n] for n in (*self.closed, *self.unloaded)}
        return self._resolve(t, *self._parts(y), before, {}, failed=name)

    def again(self, t: float, y: Array) -> ImpactResult:
        """After a stretch in which the direction of slip was given."""
        q, u = self._parts(y)
        model = free_again(self.model, t)
        return ImpactResult(*self._eased(model, self.dynamics_of(model), t, q, u), u, self.unloaded, {})

    def _all_open(self) -> Model:
        model = self.model
        for name in self.closed:
            model = release(model, name)
        return model

    def _free(self) -> Dynamics:
        """The dynamics with all contacts open."""
        if not self.closed:
            return self._dynamics
        if not hasattr(self, "_loose"):
            self._loose = self.dynamics_of(self._all_open())
        return self._loose

    def dynamics_of(self, model: Model) -> Dynamics:
        """The dynamics of another model, with the inputs and the states of blocks of now."""
        dynamics = Dynamics(build(model, self._options.formulation, self._options.speeds, inputs=dict(self._functions)))
        dynamics.set_inputs(self._inputs)
        dynamics.set_states(self._dynamics.z)
        return dynamics

    # -- free points -------------------------------------------------------------------------------------------------

    def _acceleration(self, name: str, t: float, y: Array) -> float:
        """Acceleration of a point away from its plane, m/s^2."""
        h, rate = DIFFERENCE, self._dynamics.derivative(t, y)
        points = PointVelocities(self._dynamics, [self.model.contacts[name]])
        before, after = points.velocities(np.array([t - h, t + h]), np.array([y - h * rate, y + h * rate]))
        return float((after[0, 2] - before[0, 2]) / (2 * h))

    def first_step(self, t: float, y: Array) -> float | None:
        """A quarter of the flight of the point that comes back first: a longer step could miss that it left at all. One that
        would rise by less than a gap that counts moves by rounding alone."""
        q, u = self._parts(y)
        flights = []
        for name in self.open:
            place = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            v = float(place.velocity(u)[2])
            if abs(place.gap()) < TOUCHING and v > 0:
                a = self._acceleration(name, t, y)
                flights += [-2 * v / a] if v * v > -2 * TOUCHING * a > 0 else []
        return min(flights) / 4 if flights else None


def check_above_planes(dynamics: Dynamics, names: Sequence[str], t: float, q: Array) -> None:
    """Refuse contacts that begin with their points below their planes: these would never reach them."""
    for name in names:
        gap = ContactKinematics(dynamics, dynamics.plan.model.contacts[name], t, q).gap()
        if gap < -TOUCHING:
            raise ModelError(
                f'contact "{name}": its point starts {-gap:.3g} m below the plane: start it above, or turn the frame'
            )
