"""Points that are on their planes at one state, and what becomes of them by the forces there."""

from collections.abc import Callable, Sequence

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.model import Model
from kaneflex.simulate.changed_state import jump
from kaneflex.simulate.coulomb import Grip, Grips, grips, least, may_stay
from kaneflex.simulate.impacts import (
    SLIPS,
    ContactKinematics,
    friction_of,
    held,
    hold_there,
    hold_to_plane,
    let_go,
    mobility,
    pressing_row,
    rests_by_friction,
)

Array = np.ndarray

SOON = 1e-6  # s, or in parts of the time: when the sign of a force that is zero now is looked at


class Closed:
    """Points on their planes, without velocity along the normals.

    Args:
        dynamics_of: gives the dynamics of a model.
        base: the model without what holds points to planes.
        free: its dynamics.
        names: of the contacts.
        t, q, u: the state; slip so slow that it counts as none is taken out of u.
    """

    def __init__(
        self,
        dynamics_of: Callable[[Model], Dynamics],
        base: Model,
        free: Dynamics,
        names: Sequence[str],
        t: float,
        q: Array,
        u: Array,
    ):
        self._dynamics_of, self.base, self.free, self.names = dynamics_of, base, free, list(names)
        self.t, self.q, self.u = t, q, u
        self.contacts = [base.contacts[n] for n in self.names]
        self.touches = [ContactKinematics(free, contact, t, q) for contact in self.contacts]
        self.slips = [touch.velocity(u)[:2] for touch in self.touches]
        self.points = [self._grip(c, s) for c, s in zip(self.contacts, self.slips, strict=True)]
        self.dynamics, self.model = free, base
        if not self.names:
            return
        for name, point, touch in zip(self.names, self.points, self.touches, strict=True):
            rests = point.slides is None and (point.friction > 0 or point.sticks)
            self.model = hold_there(self.model, name, touch) if rests else hold_to_plane(self.model, name)
        self.dynamics = dynamics_of(self.model)
        self.u = jump(self.dynamics, t, q, u)
        self.K, _ = mobility(self.touches)
        multipliers = self.dynamics.multipliers(t, q, self.u)
        equations = []  # which of the points' components the constraints' equations are, in their order
        for name, part in self.dynamics.plan.index.constraints.items():
            if name in self.names:
                first = 3 * self.names.index(name) + 3 - (part.stop - part.start)
                equations += [(first + k, part.start + k) for k in range(part.stop - part.start)]
        at, rows = (np.array(x) for x in zip(*equations, strict=True))
        self.c = np.zeros(len(self.K))
        self.c[at] = -self.K[np.ix_(at, at)] @ multipliers[rows]

    @staticmethod
    def _grip(contact: Contact, slip: Array) -> Grip:
        speed = float(np.hypot(*slip))
        if contact.after == "stick":
            return Grip(contact.friction, sticks=True) if speed <= 2 * SLIPS else Grip(0.0)
        return Grip(contact.friction, slip / speed if speed > 2 * SLIPS and contact.friction > 0 else None)

    def all_stay(self) -> bool:
        """Whether some forces hold all points as they are."""
        return may_stay(self.K, self.c, self.points)

    @property
    def begin_to_slip(self) -> bool:
        """Whether a point slides against friction from now on that has no slip."""
        rubs = (friction_of(n) in self.model.loads for n in self.names)
        return any(r and p.slides is None for r, p in zip(rubs, self.points, strict=True))

    def resolve(self, failed: str | None = None) -> list[str]:
        """Set the model, dynamics and speeds with which the points go on, and return those that are carried.

        `failed` is a point that an event found to be held no longer: where it would stick by a hair's breadth, it slips, and
        where its normal force is about to become a pull, it leaves.
        """
        if not self.names:
            return []
        found = self._forces()
        model, staying = self.base, []
        for k, name in enumerate(self.names):
            if found.does[k] == "leaves":
                continue
            staying.append(name)
            point, x, along = self.points[k], found.x[3 * k : 3 * k + 3], found.a[3 * k : 3 * k + 2]
            sticks = found.does[k] == "sticks" or (found.does[k] == "touches" and point.slides is None)
            rubs = np.hypot(x[0], x[1]) > 0 and not point.sticks
            if sticks and (point.friction > 0 or point.sticks) and not (name == failed and rubs):
                model = hold_there(model, name, self.touches[k])
            elif point.slides is not None:
                model = hold_to_plane(model, name, self.slips[k])
            else:
                model = hold_to_plane(model, name, -x[:2] if rubs else along)
        self._hold(model, staying, found)
        if failed in held(self.model) and self._is_pulled_soon(failed):
            self._take(let_go(self.model, failed))
        self.u = jump(self.dynamics, self.t, self.q, self.u) if held(self.model) else self.u
        loose = [n for n in staying if n not in self.model.constraints]
        return [n for n in loose if carried_by(self.dynamics, self.free, self.base.contacts[n], self.t, self.q)]

    def _forces(self) -> Grips:
        found = grips(self.K, self.c, self.points)
        if found is None and any(p.sticks for p in self.points):
            found = grips(self.K, self.c, [Grip(p.friction, p.slides) for p in self.points])
        if found is not None:
            return found
        sliding = [k for k, p in enumerate(self.points) if p.slides is not None]
        name = self.names[max(sliding, key=lambda k: self.points[k].friction)] if sliding else self.names[0]
        raise ModelError(
            f'contact "{name}": at t = {self.t:.9g} s its point is pressed on, but no force along the normal agrees with '
            f"friction {self.base.contacts[name].friction:g} and this slip (Painleve's paradox: a rigid body would jam); "
            "lower the friction, or give the contact compliance by a spring"
        )

    def _hold(self, model: Model, staying: Sequence[str], found: Grips) -> None:
        """Take a model, without what would hold points that their planes would have to pull: by forces of least norm, first
        by those of all that do not pull."""
        self._take(model)
        if self._pulled() is not None:
            normal = [3 * self.names.index(n) + 2 for n in staying]
            K = self.K[np.ix_(normal, normal)]
            pushes = least(K, K @ found.x[normal])
            for name, push in zip(staying, pushes, strict=True):
                model = model if push > 1e-9 * pushes.max() else let_go(model, name)
            self._take(model)
        while (pulled := self._pulled()) is not None:
            self._take(let_go(self.model, pulled))

    def _take(self, model: Model) -> None:
        self.model = model
        self.dynamics = self._dynamics_of(model) if held(model) else self.free

    def _is_pulled_soon(self, name: str) -> bool:
        """Whether the normal multiplier of a held point is negative a moment later.

        At the instant at which it falls to zero its sign is that of rounding, and so is the sign of the acceleration.
        """
        dynamics = self.dynamics
        y = dynamics.layout.join(self.q, self.u, dynamics.z)
        later = SOON * max(1.0, abs(self.t))
        q, u, z = dynamics.layout.split(y + later * dynamics.derivative(self.t, y))
        before = dynamics.z
        dynamics.set_states(z)
        multipliers = dynamics.multipliers(self.t + later, q, u)
        dynamics.set_states(before)
        return pressing(dynamics, self.model, name, multipliers) < 0

    def _pulled(self) -> str | None:
        """The held point that its plane would have to pull most."""
        names = held(self.model)
        if not names:
            return None
        multipliers = self.dynamics.multipliers(self.t, self.q, self.u)
        pushes = {n: pressing(self.dynamics, self.model, n, multipliers) for n in names}
        worst = min(names, key=lambda n: pushes[n])
        return worst if pushes[worst] < 0 else None


def carried_by(dynamics: Dynamics, free: Dynamics, contact: Contact, t: float, q: Array) -> bool:
    """Whether what is held in `dynamics`, beyond what is in `free`, keeps a point from moving away from its plane."""
    answers = []
    for d in (dynamics, free):
        touch = ContactKinematics(d, contact, t, q)
        change, _ = touch.respond(np.array([0.0, 0.0, 1.0]))
        answers.append(float(touch.velocity(change)[2] - touch.velocity(0 * change)[2]))
    return answers[0] <= 1e-9 * answers[1]


def pressing(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """Of the multipliers (or their impulses) that with which the plane presses on a held point."""
    return float(multipliers[dynamics.plan.index.constraints[name].start + pressing_row(model, name)])


def margin(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """What is left before a held point is no longer held: the force that presses it, or of what friction may hold."""
    presses = pressing(dynamics, model, name, multipliers)
    if not rests_by_friction(model, name):
        return presses
    first = dynamics.plan.index.constraints[name].start
    return model.contacts[name].friction * presses - float(np.hypot(*multipliers[first : first + 2]))
