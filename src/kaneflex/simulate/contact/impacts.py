"""Impacts: points that strike their planes in one instant, and others that touch theirs."""

from collections.abc import Mapping

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.simulate.contact.impact_law import ImpactLaw, Impulse, impulses
from kaneflex.simulate.contact.kinematics import ContactKinematics, mobility
from kaneflex.simulate.contact.thresholds import AT_REST, BLOCKED, MET, SLIPPING

Array = np.ndarray


class SimultaneousImpact:
    """Points of a system that collide in one instant, and their impulses; others that touch their planes take part."""

    def __init__(
        self, dynamics: Dynamics, contacts: Mapping[str, Contact], stay: Mapping[str, bool], t: float, q: Array, u: Array
    ):
        self.names, self._contacts, self._stay = list(contacts), list(contacts.values()), stay
        self.places = [ContactKinematics(dynamics, contact, t, q) for contact in self._contacts]
        self.K, answers = mobility(self.places)
        self.v = np.concatenate([place.velocity(u) for place in self.places])
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
        return self.places[k].R @ self.impulses[k].J

    def _law(self, k: int) -> ImpactLaw:
        contact, approach, K = self._contacts[k], -self.v[3 * k + 2], self.K[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        if K[2, 2] <= BLOCKED * max(float(np.abs(K).max()), 1e-300):
            raise ModelError(
                f'the point "{contact.point}" cannot move away from "{contact.on}": a constraint holds it there already; '
                "take the contact out, or release what holds it"
            )
        if approach <= AT_REST:  # what touches without approaching is not struck: friction must not stop its slip at once
            stays = self.names[k] in self._stay or float(np.hypot(*self.v[3 * k : 3 * k + 2])) <= SLIPPING
            return ImpactLaw(min(0.0, float(-approach)), contact.friction, contact.after == "stick" and stays)
        if self._stay.get(self.names[k], True):
            return ImpactLaw(0.0, contact.friction, contact.after == "stick")
        return ImpactLaw(contact.restitution * approach, contact.friction)

    def _check_met(self) -> None:
        for k, contact in enumerate(self._contacts):
            if self.v_after[3 * k + 2] < -MET * (1 + float(np.abs(self.v).max())):
                raise ModelError(
                    f'the point "{contact.point}" cannot be stopped at "{contact.on}": what is prescribed drives it into '
                    "the plane against friction that locks it; lower the friction, or release what drives it"
                )

    def remains(self, name: str) -> bool:
        """Whether a point is on its plane after the impact, and does not separate from it."""
        assert self.impulses is not None
        k = self.names.index(name)
        stays = self._stay.get(name, True) or self.impulses[k].kind == "jam"
        return stays and bool(self.v_after[3 * k + 2] <= AT_REST * (1 + float(np.abs(self.v).max())))
