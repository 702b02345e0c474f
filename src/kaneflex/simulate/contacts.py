"""Contacts during a run: which points strike, what a collision leaves, which points are held and let go."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Event, Watch
from kaneflex.simulate.assembly import redundant_equations
from kaneflex.simulate.changes import jump, variant
from kaneflex.simulate.impacts import (
    SLIPS,
    Impact,
    Touch,
    contact_events,
    friction_of,
    held,
    hold_there,
    hold_to_plane,
    let_go,
    pressing_row,
    rests_by_friction,
    stop_event,
)
from kaneflex.simulate.impulses import Impulse, Law, impulses
from kaneflex.simulate.trajectory import Options

Array = np.ndarray
TOUCHES = 1e-9  # m: the point is on the plane
RESTS = 1e-9  # m/s: it does not move along the normal


@dataclass(frozen=True)
class Landing:
    """What a collision leaves: the model from then on, its dynamics and speeds, and impulses on points (inertial axes)."""

    model: Model
    dynamics: Dynamics
    u: Array
    impulses: dict[str, Array]


class Contacts:
    """The contacts of one leg of a run.

    Attributes:
        open: contacts whose point is free; each has two events, see `contact_events`.
        held: contacts whose point is held; each has a watch on the forces that hold it.
        sliding: those of them that slide against friction; each has an event of coming to rest.
    """

    def __init__(self, model: Model, options: Options):
        self.model, self._options = model, options
        self.held = held(model)
        self.open = [name for name in model.contacts if name not in model.constraints]
        pairs = [contact_events(name, model.contacts[name]) for name in self.open]
        self.sliding = [name for name in self.held if friction_of(name) in model.loads]
        stops = [stop_event(name, model.contacts[name]) for name in self.sliding]
        self.events: list[Event] = [*(reaching for reaching, _ in pairs), *(nearest for _, nearest in pairs), *stops]
        self.watches = [self._watch(name) for name in self.held]

    def _watch(self, name: str) -> Watch:
        friction = self.model.contacts[name].friction if rests_by_friction(self.model, name) else 0.0
        return Watch(name, pressing_row(self.model, name), friction)

    def begin(self, dynamics: Dynamics, inputs: Array) -> None:
        """Take the leg's dynamics, and its inputs as they stand at any time."""
        self._dynamics, self._inputs = dynamics, inputs

    def of_event(self, k: int) -> tuple[str, str | None]:
        """What event k says, and of which point: it "reaches" its plane, "stops" sliding, is no longer "held"."""
        n, sliding = len(self.open), len(self.sliding)
        if k < 2 * n:
            return "reaches", self.open[k] if k < n else None
        return ("stops", self.sliding[k - 2 * n]) if k < 2 * n + sliding else ("held", self.held[k - 2 * n - sliding])

    def _parts(self, y: Array) -> tuple[Array, Array]:
        nq, nu = self._dynamics.plan.nq, self._dynamics.plan.nu
        return y[:nq].copy(), y[nq : nq + nu].copy()

    # -- colliding ---------------------------------------------------------------------------------------------------

    def striking(self, t: float, y: Array, reached: str | None = None, first: bool = False) -> list[str]:
        """The points that touch their planes and approach them; at the first start those at rest too.

        The point that an event found to have `reached` its plane counts as touching. One that starts below its plane is
        refused.
        """
        q, u = self._parts(y)
        names = []
        for name in self.open:
            touch = Touch(self._dynamics, self.model.contacts[name], t, q)
            height, rate = touch.height(), touch.velocity(u)[2]
            if first and height < -TOUCHES:
                raise ModelError(
                    f'contact "{name}": its point starts {-height:.3g} m below the plane: start it above, or turn the frame'
                )
            at_rest = first and rate <= RESTS
            if (name == reached and rate < 0) or (abs(height) < TOUCHES and (rate < -RESTS or at_rest)):
                names.append(name)
        return names

    def collide(self, t: float, y: Array, names: Sequence[str]) -> Landing:
        """Let points collide in one instant.

        Held points that their plane would have to pull are let go first. Where no impulses satisfy all laws at once, the
        fastest point collides alone: the others' turn comes next.
        """
        q, u = self._parts(y)
        model, dynamics = self.model, self._dynamics
        while True:
            strike = _Strike(dynamics, [model.contacts[n] for n in names], t, q, u)
            if strike.impulses is None:
                names = [names[int(np.argmin(strike.v[2::3]))]]
                continue
            pulled = [n for n in held(model) if pressing(dynamics, model, n, strike.others) < 0]
            if not pulled or strike.is_ending:
                break
            model = let_go(model, min(pulled, key=lambda n: pressing(dynamics, model, n, strike.others)))
            dynamics = self.dynamics_of(model)
        u = strike.after
        stays = [k for k in range(len(names)) if strike.stays(k)]
        for k in stays:
            if strike.comes_to_rest(k):
                model = hold_there(model, names[k], strike.touches[k])
            else:
                model = hold_to_plane(model, names[k], strike.v_after[3 * k : 3 * k + 2])
        if stays:
            u = jump(self.dynamics_of(model), t, q, u)
            model, dynamics = self._that_hold(model, t, q, u)
        found = zip(names, strike.touches, strike.impulses, strict=True)
        return Landing(model, dynamics, u, {name: touch.R @ x.J for name, touch, x in found})

    def check_getting_on(self, names: Sequence[str], t: float, impacts: Sequence[Impact]) -> None:
        """Refuse collisions without end in one instant."""
        recent = [i for i in impacts if t - i.t < 1e-9 * max(1.0, t)]
        for name in names:
            if sum(name in dict(i.impulses) for i in recent) > 30:
                raise ModelError(
                    f'contact "{name}" collides again and again at t = {t:.9g} s: with after="slide" or "stick" it comes to '
                    "rest"
                )

    # -- held points -------------------------------------------------------------------------------------------------

    def redundant(self, t: float, y: Array) -> bool:
        """Whether the shares of the held points in a load are not determined: multipliers at hand are then not the least."""
        names = {equation.partition("[")[0] for equation in redundant_equations(self._dynamics, t, *self._parts(y))}
        return not names.isdisjoint(self.held)

    def failing(self, t: float, y: Array) -> str | None:
        """The held point that is held least, by multipliers of least norm; None when all are held."""
        multipliers = self._dynamics.multipliers(t, *self._parts(y))
        margins = {name: margin(self._dynamics, self.model, name, multipliers) for name in self.held}
        worst = min(margins, key=lambda name: margins[name])
        return worst if margins[worst] < -1e-12 * float(np.abs(multipliers).max()) else None

    def without(self, name: str, t: float, y: Array) -> Model:
        """The model without what no longer holds a point: it slides, or is free."""
        q, u = self._parts(y)
        model = _loosened(self._dynamics, self.model, name, self._dynamics.multipliers(t, q, u))
        return self._that_hold(model, t, q, u)[0]

    def stopped(self, name: str, t: float, y: Array) -> Landing:
        """After a sliding point came to rest, and all that slide as slowly: they rest, or slide on where friction does
        not suffice."""
        q, u = self._parts(y)
        model = self.model
        for other in self.sliding:
            touch = Touch(self._dynamics, self.model.contacts[other], t, q)
            if other == name or float(np.hypot(*touch.velocity(u)[:2])) <= 2 * SLIPS:
                model = hold_there(model, other, touch)
        u = jump(self.dynamics_of(model), t, q, u)
        return Landing(*self._that_hold(model, t, q, u), u, {})

    def _that_hold(self, model: Model, t: float, q: Array, u: Array) -> tuple[Model, Dynamics]:
        """With held points let go that their planes would have to pull, and those sliding that friction does not hold."""
        while True:
            dynamics = self.dynamics_of(model)
            names = held(model)
            if not names:
                return model, dynamics
            multipliers = dynamics.multipliers(t, q, u)
            margins = {n: margin(dynamics, model, n, multipliers) for n in names}
            worst = min(names, key=lambda n: margins[n])
            if margins[worst] >= 0:
                return model, dynamics
            self._check_consistent(model, worst, t, q, u)
            model = _loosened(dynamics, model, worst, multipliers)

    def _check_consistent(self, model: Model, name: str, t: float, q: Array, u: Array) -> None:
        """Refuse a sliding point that would be pulled because of its own friction alone: Painleve's paradox."""
        if friction_of(name) not in model.loads:
            return
        smooth = variant(model)
        del smooth.loads[friction_of(name)]
        dynamics = self.dynamics_of(smooth)
        multipliers = dynamics.multipliers(t, q, u)
        if pressing(dynamics, smooth, name, multipliers) > 1e-9 * float(np.abs(multipliers).max()):
            raise ModelError(
                f'contact "{name}": at t = {t:.9g} s its point is pressed on, but no force along the normal agrees with '
                f"friction {model.contacts[name].friction:g} and this slip (Painleve's paradox: a rigid body would jam); "
                "lower the friction, or give the contact compliance by a spring"
            )

    def dynamics_of(self, model: Model) -> Dynamics:
        """The dynamics of another model, with the inputs of now."""
        dynamics = Dynamics(build(model, self._options.formulation, self._options.speeds))
        dynamics.set_inputs(self._inputs)
        return dynamics

    # -- free points -------------------------------------------------------------------------------------------------

    def _leaving(self, t: float, y: Array) -> Iterator[tuple[str, float, float]]:
        """Of the free points that touch their planes: name, velocity and acceleration away from the plane."""
        q, u = self._parts(y)
        for name in self.open:
            contact, h = self.model.contacts[name], 1e-7
            touch = Touch(self._dynamics, contact, t, q)
            if abs(touch.height()) < TOUCHES:
                v = touch.velocity(u)[2]
                later_q, later_u = self._parts(y + h * self._dynamics.derivative(t, y))
                later = Touch(self._dynamics, contact, t + h, later_q)
                yield name, v, (later.velocity(later_u)[2] - v) / h

    def first_step(self, t: float, y: Array) -> float | None:
        """A quarter of the flight of the point that comes back first: a longer step could miss that it left at all."""
        flights = [-2 * v / a for _, v, a in self._leaving(t, y) if v > 0 and a < 0]
        return min(flights) / 4 if flights else None

    def check_pressed(self, t: float, y: Array) -> None:
        """A point that touches its plane, at rest there, and is pressed on must be held, or it would sink in."""
        for name, v, a in self._leaving(t, y):
            if v <= RESTS and a < -1e-6:
                raise ModelError(
                    f'contact "{name}": at t = {t:.9g} s its point rests on the plane and is pressed on, but after="bounce" '
                    'does not hold it: use after="slide" or "stick"'
                )


class _Strike:
    """Points of a system that collide in one instant, and their impulses."""

    def __init__(self, dynamics: Dynamics, contacts: Sequence[Contact], t: float, q: Array, u: Array):
        self.contacts = contacts
        self.touches = [Touch(dynamics, contact, t, q) for contact in contacts]
        answers = [touch.respond(e) for touch in self.touches for e in np.eye(3)]
        self.v = np.concatenate([touch.velocity(u) for touch in self.touches])
        still = np.concatenate([touch.velocity(0 * u) for touch in self.touches])
        columns = [np.concatenate([touch.velocity(du) for touch in self.touches]) - still for du, _ in answers]
        self.K = np.column_stack(columns)
        self.laws = [self._law(k) for k in range(len(contacts))]
        self.impulses: list[Impulse] | None = impulses(self.K, self.v, self.laws)
        if self.impulses is None:
            return
        J = np.concatenate([x.J for x in self.impulses])
        self.after = u + sum(j * du for j, (du, _) in zip(J, answers, strict=True))
        self.others = np.asarray(sum(j * m for j, (_, m) in zip(J, answers, strict=True)))  # impulses of constraints
        self.v_after = self.v + self.K @ J
        self._check_met()

    def _law(self, k: int) -> Law:
        contact, approach, K = self.contacts[k], -self.v[3 * k + 2], self.K[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        if K[2, 2] <= 1e-14 * max(float(np.abs(K).max()), 1e-300):
            raise ModelError(
                f'the point "{contact.point}" cannot move away from "{contact.on}": a constraint holds it there already; '
                "take the contact out, or release what holds it"
            )
        if self._rests(k):  # what touches without approaching is not struck: friction must not stop its slip at once
            wanted = 0.0 if approach > RESTS else float(-approach)
            return Law(wanted, contact.friction, contact.after == "stick")
        return Law(contact.restitution * approach, contact.friction)

    def _rests(self, k: int) -> bool:
        contact, approach = self.contacts[k], -self.v[3 * k + 2]
        return contact.after != "bounce" and (contact.restitution == 0 or approach <= contact.rest_speed)

    def _check_met(self) -> None:
        for k, contact in enumerate(self.contacts):
            if self.v_after[3 * k + 2] < -1e-9 * (1 + float(np.abs(self.v).max())):
                raise ModelError(
                    f'the point "{contact.point}" cannot be stopped at "{contact.on}": what is prescribed drives it into '
                    "the plane against friction that locks it; lower the friction, or release what drives it"
                )

    def comes_to_rest(self, k: int) -> bool:
        """Whether a point that stays does so where it is: as it is told to, or because friction stopped it."""
        assert self.impulses is not None
        if self.contacts[k].after == "stick":
            return self.impulses[k].kind == "stick" and self.laws[k].sticks
        return self.contacts[k].friction > 0 and float(np.hypot(*self.v_after[3 * k : 3 * k + 2])) <= SLIPS

    @property
    def is_ending(self) -> bool:
        """Whether all points are slow and stay: then those held already stay as well, and rocking comes to an end."""
        slow = (-self.v[3 * k + 2] <= contact.rest_speed for k, contact in enumerate(self.contacts))
        return all(slow) and all(self._rests(k) for k in range(len(self.contacts)))

    def stays(self, k: int) -> bool:
        """Whether a point is to be held: it rests, or jams, and the others' impulses do not lift it off."""
        assert self.impulses is not None
        jams = self.contacts[k].after != "bounce" and self.impulses[k].kind == "jam"
        return (jams or self._rests(k)) and self.v_after[3 * k + 2] <= RESTS * (1 + float(np.abs(self.v).max()))


def pressing(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """Of the multipliers (or their impulses) that with which the plane presses on a held point."""
    return float(multipliers[dynamics.plan.index.constraints[name].start + pressing_row(model, name)])


def margin(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """What is left before a held point is no longer held: the force that presses it, or of what friction may hold."""
    presses = pressing(dynamics, model, name, multipliers)
    if not rests_by_friction(model, name):
        return presses
    return model.contacts[name].friction * presses - float(np.hypot(*_held_along(dynamics, name, multipliers)))


def _held_along(dynamics: Dynamics, name: str, multipliers: Array) -> Array:
    """The force along the plane, in its axes, on a point that rests."""
    first = dynamics.plan.index.constraints[name].start
    return multipliers[first : first + 2]


def _loosened(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> Model:
    """The model with a point free that was held to its plane, or sliding that rested there."""
    if rests_by_friction(model, name) and pressing(dynamics, model, name, multipliers) > 0:
        return hold_to_plane(model, name, -_held_along(dynamics, name, multipliers))
    return let_go(model, name)
