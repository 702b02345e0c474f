"""Contacts on their planes at one state, and the states in which they go on by the forces there."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.model import Model
from kaneflex.simulate.changed_state import jump
from kaneflex.simulate.contact.closing import closed, friction_of, impose, normal_multiplier, slide, stick
from kaneflex.simulate.contact.friction_law import (
    ContactForces,
    ContactPoint,
    can_all_stay,
    contact_forces,
    least_normal_forces,
)
from kaneflex.simulate.contact.kinematics import ContactKinematics, mobility
from kaneflex.simulate.contact.states import Condition, ContactState, next_state
from kaneflex.simulate.contact.thresholds import FIXED, LOADED, SAME_INSTANT, SLIPPING, SOON

Array = np.ndarray


class ClosedContacts:
    """Contacts on their planes, without velocity along the normals.

    Args:
        dynamics_of: gives the dynamics of a model.
        base: the model with all contacts open.
        free: its dynamics.
        before: states of the contacts.
        t, q, u: the state; slip so slow that it counts as none is taken out of u.

    Attributes:
        conditions: what `resolve` found of each contact,
        states: and the state that it takes.
        model, dynamics, u: with which the contacts go on.
    """

    def __init__(
        self,
        dynamics_of: Callable[[Model], Dynamics],
        base: Model,
        free: Dynamics,
        before: Mapping[str, ContactState],
        t: float,
        q: Array,
        u: Array,
    ):
        self._dynamics_of, self.base, self.free = dynamics_of, base, free
        self.before, self.names = dict(before), list(before)
        self.t, self.q, self.u = t, q, u
        self.conditions: dict[str, Condition] = {}
        self.states: dict[str, ContactState] = {}
        self.contacts = [base.contacts[n] for n in self.names]
        self.places = [ContactKinematics(free, contact, t, q) for contact in self.contacts]
        self.slips = [place.velocity(u)[:2] for place in self.places]
        self.points = [self._point(c, s) for c, s in zip(self.contacts, self.slips, strict=True)]
        self.dynamics, self.model = free, base
        if self.names:
            self._set_accelerations()

    @staticmethod
    def _point(contact: Contact, slip: Array) -> ContactPoint:
        speed = float(np.hypot(*slip))
        if contact.after == "stick":
            return ContactPoint(contact.friction, sticks=True) if speed <= SLIPPING else ContactPoint(0.0)
        return ContactPoint(contact.friction, slip / speed if speed > SLIPPING and contact.friction > 0 else None)

    def _set_accelerations(self) -> None:
        """Set K, and the accelerations c that the points would have without contact forces: K times the multipliers of
        constraints that hold all of them, with the sign changed."""
        for name, point, place in zip(self.names, self.points, self.places, strict=True):
            rests = point.slides is None and (point.friction > 0 or point.sticks)
            self.model = stick(self.model, name, place) if rests else slide(self.model, name)
        self.dynamics = self._dynamics_of(self.model)
        self.u = jump(self.dynamics, self.t, self.q, self.u)
        self.K, _ = mobility(self.places)
        multipliers = self.dynamics.multipliers(self.t, self.q, self.u)
        equations = []  # which of the points' components the constraints' equations are, in their order
        for name, part in self.dynamics.plan.index.constraints.items():
            if name in self.names:
                first = 3 * self.names.index(name) + 3 - (part.stop - part.start)
                equations += [(first + k, part.start + k) for k in range(part.stop - part.start)]
        at, rows = (np.array(x) for x in zip(*equations, strict=True))
        self.c = np.zeros(len(self.K))
        self.c[at] = -self.K[np.ix_(at, at)] @ multipliers[rows]

    def can_all_stay(self) -> bool:
        """Whether some forces within the friction cones hold all points as they are."""
        return can_all_stay(self.K, self.c, self.points)

    @property
    def begin_to_slip(self) -> bool:
        """Whether a point without slip begins to slide against friction."""
        rubs = (friction_of(n) in self.model.loads for n in self.names)
        return any(r and p.slides is None for r, p in zip(rubs, self.points, strict=True))

    def resolve(self, failed: str | None = None) -> None:
        """Open contacts in tension; let sticking contacts outside the friction cone slide.

        `failed` is a contact that an event found to open or to slip: where it would stick by a hair's breadth, it slips. All
        contacts whose normal multipliers are about to become pulls in the same instant open with it.
        """
        if not self.names:
            return
        found = self._forces()
        judged = [self._judge(k, found, failed) for k in range(len(self.names))]
        self._directions = {n: direction for n, (_, direction) in zip(self.names, judged, strict=True)}
        self.conditions = {n: condition for n, (condition, _) in zip(self.names, judged, strict=True)}
        staying = [n for n, condition in self.conditions.items() if condition is not Condition.PULLED]
        self._take()
        self._open_contacts_in_tension(staying, found)
        while failed is not None and (falling := self._most_pulled_soon()) is not None:
            self._take(pulled=[falling])
        self.u = jump(self.dynamics, self.t, self.q, self.u) if closed(self.model) else self.u
        for n in staying:
            if n not in self.model.constraints and is_kept(self.dynamics, self.free, self.base.contacts[n], self.t, self.q):
                self.conditions[n] = Condition.RELIEVED
        self.states = {n: next_state(self.before[n], condition) for n, condition in self.conditions.items()}

    def _judge(self, k: int, found: ContactForces, failed: str | None) -> tuple[Condition, Array]:
        """What forces say of the k-th point, and where it slips to if it does."""
        point, x, along = self.points[k], found.x[3 * k : 3 * k + 3], found.a[3 * k : 3 * k + 2]
        rubs = np.hypot(x[0], x[1]) > 0 and not point.sticks
        direction = self.slips[k] if point.slides is not None else -x[:2] if rubs else along
        if found.does[k] == "leaves":
            return Condition.PULLED, direction
        sticks = found.does[k] == "sticks" or (found.does[k] == "touches" and point.slides is None)
        if sticks and (point.friction > 0 or point.sticks) and not (self.names[k] == failed and rubs):
            return Condition.STICKS, direction
        return Condition.SLIPS, direction

    def _forces(self) -> ContactForces:
        found = contact_forces(self.K, self.c, self.points)
        if found is None and any(p.sticks for p in self.points):
            found = contact_forces(self.K, self.c, [ContactPoint(p.friction, p.slides) for p in self.points])
        if found is not None:
            return found
        sliding = [k for k, p in enumerate(self.points) if p.slides is not None]
        name = self.names[max(sliding, key=lambda k: self.points[k].friction)] if sliding else self.names[0]
        raise ModelError(
            f'contact "{name}": at t = {self.t:.9g} s its point is pressed on, but no force along the normal agrees with '
            f"friction {self.base.contacts[name].friction:g} and this slip (Painleve's paradox: a rigid body would jam); "
            "lower the friction, or give the contact compliance by a spring"
        )

    def _take(self, pulled: Sequence[str] = ()) -> None:
        """Take the model in which the contacts have the states that follow from the conditions, `pulled` ones being in
        tension."""
        self.conditions |= dict.fromkeys(pulled, Condition.PULLED)
        self.model = self.base
        for name, place in zip(self.names, self.places, strict=True):
            state = next_state(self.before[name], self.conditions[name])
            if state is not ContactState.OPEN:
                self.model = impose(self.model, name, state, place, self._directions[name])
        self.dynamics = self._dynamics_of(self.model) if closed(self.model) else self.free

    def _open_contacts_in_tension(self, staying: list[str], found: ContactForces) -> None:
        """Open contacts that their planes would have to pull: by forces of least norm, first by those of all that do not
        pull."""
        if self._most_pulled() is not None:
            normal = [3 * self.names.index(n) + 2 for n in staying]
            K = self.K[np.ix_(normal, normal)]
            pushes = least_normal_forces(K, K @ found.x[normal])
            self._take(pulled=[n for n, push in zip(staying, pushes, strict=True) if not push > LOADED * pushes.max()])
        while (pulled := self._most_pulled()) is not None:
            self._take(pulled=[pulled])

    def _most_pulled_soon(self) -> str | None:
        """The closed contact that its plane would have to pull most a moment later, of those whose normal multipliers fall
        to zero in this instant.

        At the instant at which one falls to zero its sign is that of rounding, and so is the sign of the acceleration.
        """
        dynamics = self.dynamics
        y = dynamics.layout.join(self.q, self.u, dynamics.z)
        later = SOON * max(1.0, abs(self.t))
        q, u, z = dynamics.layout.split(y + later * dynamics.derivative(self.t, y))
        now, before = self._pushes(self.t, self.q, self.u), dynamics.z
        dynamics.set_states(z)
        soon = self._pushes(self.t + later, q, u)
        dynamics.set_states(before)
        falling = [n for n in soon if soon[n] < 0 and now[n] * SOON <= SAME_INSTANT * (now[n] - soon[n])]
        return min(falling, key=lambda n: soon[n], default=None)

    def _most_pulled(self) -> str | None:
        """The closed contact that its plane would have to pull most."""
        pushes = self._pushes(self.t, self.q, self.u)
        pulled = [n for n, push in pushes.items() if push < 0]
        return min(pulled, key=lambda n: pushes[n], default=None)

    def _pushes(self, t: float, q: Array, u: Array) -> dict[str, float]:
        """Normal multipliers of the closed contacts at a state."""
        names = closed(self.model)
        multipliers = self.dynamics.multipliers(t, q, u) if names else np.zeros(0)
        return {n: normal_multiplier(self.dynamics, self.model, n, multipliers) for n in names}


def is_kept(dynamics: Dynamics, free: Dynamics, contact: Contact, t: float, q: Array) -> bool:
    """Whether what is closed in `dynamics`, beyond what is in `free`, keeps a point from moving away from its plane."""
    answers = []
    for d in (dynamics, free):
        place = ContactKinematics(d, contact, t, q)
        change, _ = place.respond(np.array([0.0, 0.0, 1.0]))
        answers.append(float(place.velocity(change)[2] - place.velocity(0 * change)[2]))
    return answers[0] <= FIXED * answers[1]
