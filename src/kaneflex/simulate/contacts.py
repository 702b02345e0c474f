"""Contacts during a run: which points strike, what a collision leaves, which points are held and let go.

A point is open, or its contact is closed: it slides, rests, or is carried. A carried point touches its plane without being
held to it, because the other closed points keep it there: so it is with the fourth foot of a rigid table when the three
others carry all of its weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import redundant_equations
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Event, Watch
from kaneflex.simulate.closed import Closed, carried_by, margin, pressing
from kaneflex.simulate.impacts import (
    RESTS,
    SLIPS,
    TOUCHES,
    ContactKinematics,
    Impact,
    Points,
    contact_events,
    friction_of,
    held,
    hold_there,
    hold_to_plane,
    let_go,
    mobility,
    pressing_row,
    rests_by_friction,
    stop_event,
)
from kaneflex.simulate.impulses import ImpactLaw, Impulse, impulses
from kaneflex.simulate.onset import eased, free_again
from kaneflex.simulate.trajectory import Options

Array = np.ndarray


@dataclass(frozen=True)
class ImpactResult:
    """What a change of contacts leaves: the model from then on, its dynamics and speeds, the points that are carried, and
    impulses on struck points (inertial axes)."""

    model: Model
    dynamics: Dynamics
    u: Array
    carried: tuple[str, ...]
    impulses: dict[str, Array]


class Contacts:
    """The contacts of one segment of a run.

    Attributes:
        open: contacts whose point is free; each has three events, see `contact_events`.
        held: contacts whose point is held; each has a watch on the forces that hold it.
        sliding: those of them that slide against friction; each has an event of coming to rest.
        carried: contacts whose point touches and is not held; nothing happens to it before something happens to others.
    """

    def __init__(self, model: Model, options: Options, carried: Sequence[str] = ()):
        self.model, self._options, self.carried = model, options, tuple(carried)
        self.held = held(model)
        self.open = [name for name in model.contacts if name not in model.constraints and name not in carried]
        events = [contact_events(name, model.contacts[name]) for name in self.open]
        self.sliding = [name for name in self.held if friction_of(name) in model.loads]
        stops = [stop_event(name, model.contacts[name]) for name in self.sliding]
        self.events: list[Event] = [*(e for three in zip(*events, strict=True) for e in three), *stops]
        self.watches = [self._watch(name) for name in self.held]
        ends = [model.loads[friction_of(name)].until for name in self.sliding]  # type: ignore[union-attr]
        self.until = min((t for t in ends if t is not None), default=None)

    def _watch(self, name: str) -> Watch:
        friction = self.model.contacts[name].friction if rests_by_friction(self.model, name) else 0.0
        return Watch(name, pressing_row(self.model, name), friction)

    def begin(self, dynamics: Dynamics, inputs: Array, functions: Mapping[str, Any]) -> None:
        """Take the segment's dynamics, its inputs as they stand at any time, and the functions that give some of them."""
        self._dynamics, self._inputs, self._functions = dynamics, inputs, functions

    def of_event(self, k: int) -> tuple[str, str | None]:
        """What event k says, and of which point: it "reaches" its plane, "stops" sliding, is no longer "held"."""
        n, sliding = len(self.open), len(self.sliding)
        if k < 3 * n:
            return "reaches", None if n <= k < 2 * n else self.open[k % n]
        return ("stops", self.sliding[k - 3 * n]) if k < 3 * n + sliding else ("held", self.held[k - 3 * n - sliding])

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
        names = []
        for name in self.open:
            touch = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            height, rate = touch.height(), touch.velocity(u)[2]
            if first and height < -TOUCHES:
                raise ModelError(
                    f'contact "{name}": its point starts {-height:.3g} m below the plane: start it above, or turn the frame'
                )
            touches = abs(height) < TOUCHES and rate <= RESTS
            strikes = (name == reached and rate < 0) or (touches and (rate < -RESTS or first))
            if strikes or (touches and self._acceleration(name, t, y) < -1e-6):
                names.append(name)
        return names

    def collide(self, t: float, y: Array, names: Sequence[str]) -> ImpactResult:
        """Let points collide in one instant, with all others that touch their planes.

        When all that strike are slow and stay, those held already stay as well, so that rocking comes to an end. Where no
        impulses satisfy all laws at once, the fastest point collides alone: the others' turn comes next.
        """
        q, u = self._parts(y)
        stay = {n: self._stays(n, t, y) for n in names}
        slow = all(stay.values()) and all(-self._rate(n, t, q, u) <= self.model.contacts[n].rest_speed for n in names)
        held_on = [*self.held, *self.carried]
        if slow and held_on:
            model, others = self.model, []
            names = [n for n in names if not carried_by(self._dynamics, self._free(), model.contacts[n], t, q)]
        else:
            model = self._without_contacts()
            others = [*held_on, *(n for n in self.open if n not in names and self._touches(n, t, q))]
        dynamics = self._dynamics if model is self.model else self._free()
        found: dict[str, Array] = {}
        closed = [*held_on] if slow else []
        closed += [n for n in stay if n not in names]
        if names:
            contacts = self.model.contacts
            strike = SimultaneousImpact(dynamics, {n: contacts[n] for n in (*names, *others)}, stay, t, q, u)
            if strike.impulses is None:
                fastest = min(names, key=lambda n: strike.velocity_of(n)[2])
                strike = SimultaneousImpact(dynamics, {fastest: contacts[fastest]}, stay, t, q, u)
            u, found = strike.after, {n: strike.impulse_on(n) for n in names}
            closed += [n for n in strike.names if strike.remains(n)]
        return self.resolve_contacts(t, q, u, closed, found)

    def _stays(self, name: str, t: float, y: Array) -> bool:
        """Whether a point that strikes is to stay on its plane: as it is told to when it is slow or its collision plastic;
        one that bounces when that would lift it by less than can be told."""
        contact = self.model.contacts[name]
        approach = -self._rate(name, t, *self._parts(y))
        if contact.after != "bounce":
            return contact.restitution == 0 or approach <= contact.rest_speed
        pressed = -self._acceleration(name, t, y)
        return pressed > 0 and (contact.restitution * max(approach, 0.0)) ** 2 <= 2 * TOUCHES * pressed

    def _rate(self, name: str, t: float, q: Array, u: Array) -> float:
        return float(ContactKinematics(self._dynamics, self.model.contacts[name], t, q).velocity(u)[2])

    def _touches(self, name: str, t: float, q: Array) -> bool:
        return abs(ContactKinematics(self._dynamics, self.model.contacts[name], t, q).height()) < TOUCHES

    def check_getting_on(self, names: Sequence[str], t: float, impacts: Sequence[Impact]) -> None:
        """Refuse collisions without end in one instant."""
        recent = [i for i in impacts if t - i.t < 1e-9 * max(1.0, t)]
        for name in names:
            if sum(name in dict(i.impulses) for i in recent) > 30:
                raise ModelError(
                    f'contact "{name}" collides again and again at t = {t:.9g} s: with after="slide" or "stick" it comes to '
                    "rest"
                )

    # -- closed contacts ---------------------------------------------------------------------------------------------

    def resolve_contacts(
        self,
        t: float,
        q: Array,
        u: Array,
        names: Sequence[str],
        struck: dict[str, Array] | None = None,
        failed: str | None = None,
    ) -> ImpactResult:
        """What becomes of points that are on their planes: they leave, rest, slide or are carried, as the forces say.

        `failed` is the point that an event found to be held no longer.
        """
        closed = Closed(self.dynamics_of, self._without_contacts(), self._free(), names, t, q, u)
        carried = closed.resolve(failed)
        model, dynamics = closed.model, closed.dynamics
        if self._is_as_now(model, carried) and not closed.begin_to_slip:
            model, dynamics = self.model, self._dynamics
        else:
            model, dynamics = self._eased(model, dynamics, t, q, closed.u)
        return ImpactResult(model, dynamics, closed.u, tuple(carried), struck or {})

    def _is_as_now(self, model: Model, carried: Sequence[str]) -> bool:
        """Whether the same points rest, slide and are carried as in this segment."""
        names = held(model)
        alike = all(n in self.held and type(model.constraints[n]) is type(self.model.constraints[n]) for n in names)
        return alike and len(names) == len(self.held) and set(carried) == set(self.carried)

    def _eased(self, model: Model, dynamics: Dynamics, t: float, q: Array, u: Array) -> tuple[Model, Dynamics]:
        other = eased(model, dynamics, t, q, u, self._options)
        return (model, dynamics) if other is model else (other, self.dynamics_of(other))

    def redundant(self, t: float, y: Array) -> bool:
        """Whether the shares of the held points in a load are not determined: multipliers at hand are then not the least."""
        if self.carried:
            return True
        names = {equation.partition("[")[0] for equation in redundant_equations(self._dynamics, t, *self._parts(y))}
        return not names.isdisjoint(self.held)

    def failing(self, t: float, y: Array) -> str | None:
        """The point whose state does not last, by multipliers of least norm: it is pulled, friction does not hold it, or it
        is carried and would be pressed on. None when all last."""
        q, u = self._parts(y)
        multipliers = self._dynamics.multipliers(t, q, u)
        least = -1e-12 * float(np.abs(multipliers).max())
        pushes = {name: pressing(self._dynamics, self.model, name, multipliers) for name in self.held}
        worst = min(pushes, key=lambda name: pushes[name])
        if pushes[worst] < least:
            return worst
        margins = {name: margin(self._dynamics, self.model, name, multipliers) for name in self.held}
        worst = min(margins, key=lambda name: margins[name])
        if margins[worst] < least and not self._may_stay(t, q, u):
            return worst
        return self._pressed_again(t, q, u)

    def _may_stay(self, t: float, q: Array, u: Array) -> bool:
        """Whether some forces within the cones of friction hold all points that rest."""
        return Closed(self.dynamics_of, self._without_contacts(), self._free(), self.held, t, q, u).all_stay()

    def _pressed_again(self, t: float, q: Array, u: Array) -> str | None:
        for name in self.carried:
            touch = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            slip = touch.velocity(u)[:2]
            slides = float(np.hypot(*slip)) > SLIPS
            model = hold_to_plane(self.model, name, slip) if slides else hold_there(self.model, name, touch)
            dynamics = self.dynamics_of(model)
            multipliers = dynamics.multipliers(t, q, u)
            if pressing(dynamics, model, name, multipliers) > 1e-9 * float(np.abs(multipliers).max()):
                return name
        return None

    def stopped(self, t: float, y: Array) -> ImpactResult:
        """After a sliding point came to rest: all that slide as slowly rest, or slide on where friction does not suffice."""
        return self.resolve_contacts(t, *self._parts(y), [*self.held, *self.carried])

    def without(self, name: str, t: float, y: Array) -> ImpactResult:
        """After a point is held no longer as it was: it slides, or is free."""
        return self.resolve_contacts(t, *self._parts(y), [*self.held, *self.carried], failed=name)

    def again(self, t: float, y: Array) -> ImpactResult:
        """After a stretch in which the direction of slip was given."""
        q, u = self._parts(y)
        model = free_again(self.model, t)
        return ImpactResult(*self._eased(model, self.dynamics_of(model), t, q, u), u, self.carried, {})

    def _without_contacts(self) -> Model:
        model = self.model
        for name in self.held:
            model = let_go(model, name)
        return model

    def _free(self) -> Dynamics:
        """The dynamics without what holds points to planes."""
        if not self.held:
            return self._dynamics
        if not hasattr(self, "_loose"):
            self._loose = self.dynamics_of(self._without_contacts())
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
        h, rate = 1e-6, self._dynamics.derivative(t, y)
        points = Points(self._dynamics, [self.model.contacts[name]])
        before, after = points.velocities(np.array([t - h, t + h]), np.array([y - h * rate, y + h * rate]))
        return float((after[0, 2] - before[0, 2]) / (2 * h))

    def first_step(self, t: float, y: Array) -> float | None:
        """A quarter of the flight of the point that comes back first: a longer step could miss that it left at all."""
        q, u = self._parts(y)
        flights = []
        for name in self.open:
            touch = ContactKinematics(self._dynamics, self.model.contacts[name], t, q)
            v = float(touch.velocity(u)[2])
            if abs(touch.height()) < TOUCHES and v > 0:
                a = self._acceleration(name, t, y)
                flights += [-2 * v / a] if a < 0 else []
        return min(flights) / 4 if flights else None


class SimultaneousImpact:
    """Points of a system that collide in one instant, and their impulses; others that touch their planes take part."""

    def __init__(
        self, dynamics: Dynamics, contacts: Mapping[str, Contact], stay: Mapping[str, bool], t: float, q: Array, u: Array
    ):
        self.names, self._contacts, self._stay = list(contacts), list(contacts.values()), stay
        self.touches = [ContactKinematics(dynamics, contact, t, q) for contact in self._contacts]
        self.K, answers = mobility(self.touches)
        self.v = np.concatenate([touch.velocity(u) for touch in self.touches])
        self.laws = [self._law(k) for k in range(len(contacts))]
        self.impulses: list[Impulse] | None = impulses(self.K, self.v, self.laws)
        if self.impulses is None:
            return
        J = np.concatenate([x.J for x in self.impulses])
        self.after = u + answers @ J
        self.v_after = self.v + self.K @ J
        self._check_met()

    def velocity_of(self, name: str) -> Array:
        """Velocity of a point before, in axes of its plane."""
        k = self.names.index(name)
        return self.v[3 * k : 3 * k + 3]

    def impulse_on(self, name: str) -> Array:
        """Impulse on a point, inertial axes; none on one that was left out."""
        if name not in self.names or self.impulses is None:
            return np.zeros(3)
        k = self.names.index(name)
        return self.touches[k].R @ self.impulses[k].J

    def _law(self, k: int) -> ImpactLaw:
        contact, approach, K = self._contacts[k], -self.v[3 * k + 2], self.K[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        if K[2, 2] <= 1e-14 * max(float(np.abs(K).max()), 1e-300):
            raise ModelError(
                f'the point "{contact.point}" cannot move away from "{contact.on}": a constraint holds it there already; '
                "take the contact out, or release what holds it"
            )
        if approach <= RESTS:  # what touches without approaching is not struck: friction must not stop its slip at once
            stays = self.names[k] in self._stay or float(np.hypot(*self.v[3 * k : 3 * k + 2])) <= 2 * SLIPS
            return ImpactLaw(min(0.0, float(-approach)), contact.friction, contact.after == "stick" and stays)
        if self._stay.get(self.names[k], True):
            return ImpactLaw(0.0, contact.friction, contact.after == "stick")
        return ImpactLaw(contact.restitution * approach, contact.friction)

    def _check_met(self) -> None:
        for k, contact in enumerate(self._contacts):
            if self.v_after[3 * k + 2] < -1e-9 * (1 + float(np.abs(self.v).max())):
                raise ModelError(
                    f'the point "{contact.point}" cannot be stopped at "{contact.on}": what is prescribed drives it into '
                    "the plane against friction that locks it; lower the friction, or release what drives it"
                )

    def remains(self, name: str) -> bool:
        """Whether a point is on its plane after the impact, and does not leave it."""
        assert self.impulses is not None
        k = self.names.index(name)
        stays = self._stay.get(name, True) or self.impulses[k].kind == "jam"
        return stays and bool(self.v_after[3 * k + 2] <= RESTS * (1 + float(np.abs(self.v).max())))
