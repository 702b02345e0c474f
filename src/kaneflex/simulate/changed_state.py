"""The state after a change: what stays moves on as it did, then speeds jump by impulses."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import holding
from kaneflex.kernels.tables import Tables
from kaneflex.model.bodies import BodyBase, Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import JointIndex, Plan
from kaneflex.simulate.changes import Change
from kaneflex.simulate.exchange import (
    NOTHING,
    Exchange,
    Motion,
    Totals,
    impulse_table,
    loads_energy,
    totals,
    totals_of_body,
)
from kaneflex.simulate.transfer import Coordinates, motion_of_bodies, transfer_state

Array = np.ndarray


class Changed(NamedTuple):
    """Dynamics of the system after a change, its q and u, and what came and went (None where nothing did)."""

    dynamics: Dynamics
    q: Array
    u: Array
    exchange: Exchange | None


class ChangeOfState:
    """Leads a state through a change, and keeps the books.

    Args:
        change: what is wanted.
        old: dynamics of the system before.
        t: time, s.
        inputs: values by name.
    """

    def __init__(self, change: Change, old: Dynamics, t: float, inputs: Mapping[str, float]):
        self.change, self.old, self.t, self.inputs = change, old, t, inputs
        self.exchanged, self.within = NOTHING, NOTHING  # what came and went, and how much of it within the system

    def lead(self, q: Array, u: Array, plan_of: Callable[[Model], Plan]) -> Changed:
        """From q and u before to those after, in the plan that `plan_of` makes of the new model."""
        change, before = self.change, self.old
        others = change.let_go or change.added or change.momentum_kept
        staged = bool(change.welded) or bool(change.captured and others)
        if staged:  # a system in which bodies hang where they did, and what is new is there
            change.released.take_over(constraints={**change.released.constraints.copy(), **change.welded})
            plan = build(change.released, before.plan.formulation.name, before.plan.speeds)
            before, q, u = self._transferred(before, plan, change.freed, q, u)
            u = self._struck(before, q, u, change.momentum_kept)
            u = jump(before, self.t, q, u)
        if change.captured:
            u = self._brought_to_rest(before, q, u)
        new, q, u = self._transferred(before, plan_of(change.model), change.moved, q, u)
        kept = change.kept_at_last if staged else {**change.momentum_kept, **change.kept_at_last}
        u = self._struck(new, q, u, kept, arriving=not staged)
        _check_met(new, self.t, q, u)
        u = jump(new, self.t, q, u)
        return Changed(new, q, u, self._exchange())

    def _exchange(self) -> Exchange | None:
        if not self.change.exchanges:
            return None
        return self.exchanged.minus(self.within).exchange(self.change.changed, self.change.removed)

    def _transferred(
        self, old: Dynamics, plan: Plan, moved: Mapping[str, Coordinates], q: Array, u: Array
    ) -> tuple[Dynamics, Array, Array]:
        """The same motion in another plan; the difference in mass, momentum and energy is booked as exchanged."""
        new, q_new, u_new = transfer_state(old, plan, moved, self.inputs, self.t, q, u)
        if self.change.exchanges:
            self.exchanged = self.exchanged.plus(gained(self.t, (old, q, u), (new, q_new, u_new)))
        return new, q_new, u_new

    def _struck(
        self, dynamics: Dynamics, q: Array, u: Array, kept: Mapping[str, BodyBase], *, arriving: bool = True
    ) -> Array:
        """Speeds after impulses that keep the momentum of what was moved within the system, or give bodies that came with a
        velocity of their own its momentum.

        Momentum and kinetic energy that were booked as having come do not come from outside then: the impulse takes them
        back. Mass does come, and its potential energy with it. `kept` are bodies that keep their momentum, as they were;
        `arriving` says whether this is where bodies come. One that came and then had others come out of it came as it was.
        """
        parts, index = dynamics.plan.model.parts, dynamics.plan.index
        came = {name: kept.get(name, parts[name].body) for name in (*self.change.fed, *self.change.caught) if arriving}
        fed, caught = (self.change.fed, self.change.caught) if arriving else ([], {})
        if not (kept or caught):
            return u
        names = {*kept, *fed, *caught}
        motion = motion_of_bodies(dynamics, self.t, q, u, names)
        impulses: list[tuple[str, Motion, Totals]] = []

        def take_back(body: str, gained: Totals) -> None:
            gained = gained._replace(mass=0.0)
            self.within = self.within.plus(gained)
            impulses.append((body, motion[body], NOTHING.minus(gained)))

        for name, was in kept.items():
            now, before = (totals_of_body(body, motion[name]) for body in (parts[name].body, was))
            take_back(name, now.minus(before))
        for name in fed:
            take_back(parts[name].parent, totals_of_body(came[name], motion[name]))
        for name, (v, omega) in caught.items():
            own = motion[name]._replace(v=v, omega=omega)
            now, asked = (totals_of_body(came[name], x) for x in (motion[name], own))
            take_back(name, now.minus(asked))
        held = [k for name in fed for k in _columns(index.joints[name])]
        return u + _held_jump(dynamics, held, self.t, q, impulse_table(dynamics, impulses))

    def _brought_to_rest(self, dynamics: Dynamics, q: Array, u: Array) -> Array:
        """Speeds after the joints of bodies that vanish into their parents were stopped."""
        columns = [k for name in self.change.captured for k in _columns(dynamics.plan.index.joints[name])]
        given = np.zeros(dynamics.plan.nu)
        given[columns] = -dynamics.rates_from_speeds(q, u)[columns]
        return u + _held_jump(dynamics, columns, self.t, q, given=given)


def gained(t: float, before: tuple[Dynamics, Array, Array], after: tuple[Dynamics, Array, Array]) -> Totals:
    """Mass, momentum and energy of the bodies that came, less those of the bodies that went, a replaced body being both, and
    the potential energy of loads that came, less that of loads that went. `before` and `after` are (dynamics, q, u) of the
    same motion.

    The sum is taken over these bodies, so that it would not hide a mistake in the others. Only where they are flexible or of
    variable mass, or where rotors came or went, it is the difference between the two systems.
    """
    was, now = before[0].plan.model, after[0].plan.model
    came = [name for name in now.parts if name not in was.parts]
    went = [name for name in was.parts if name not in now.parts]
    became = [name for name, part in now.parts.items() if name in was.parts and part.body is not was.parts[name].body]
    changed = [(was, name) for name in (*went, *became)] + [(now, name) for name in (*came, *became)]
    if was.rotors.keys() != now.rotors.keys() or not all(isinstance(m.parts[name].body, Rigid) for m, name in changed):
        return totals(after[0], t, *after[1:]).minus(totals(before[0], t, *before[1:]))
    found = NOTHING._replace(energy=loads_energy(after[0], t, *after[1:]) - loads_energy(before[0], t, *before[1:]))
    for (dynamics, q, u), names, sign in ((before, (*went, *became), -1.0), (after, (*came, *became), 1.0)):
        model = dynamics.plan.model
        for name, motion in motion_of_bodies(dynamics, t, q, u, names).items():
            found = found.plus(totals_of_body(model.parts[name].body, motion, model.gravity), sign)
    return found


def _columns(joint: JointIndex) -> range:
    """Numbers of a joint's speeds."""
    return range(joint.u0, joint.u0 + joint.speeds)


def _held_jump(
    dynamics: Dynamics, columns: Sequence[int], t: float, q: Array, impulses: Array | None = None, given: Array | None = None
) -> Array:
    """Jump of the speeds by impulses, with some relative rates held, or changed as `given`.

    During the jump the held rates are taken as speeds, whatever the plan's speeds are.
    """
    if not len(columns):
        return dynamics.respond(t, q, impulses, given)
    worker = holding(dynamics, np.array(columns, int))
    Tables(worker.I, {"I": worker.I}).column.total[list(columns)] = 0
    return dynamics.speeds_from_rates(q, worker.rates_from_speeds(q, worker.respond(t, q, impulses, given)))


def jump(dynamics: Dynamics, t: float, q: Array, u: Array) -> Array:
    """Speeds after the impulses that bring prescribed joints to their rates and satisfy the constraints."""
    plan = dynamics.plan
    if not plan.is_constrained:
        return u
    target = dynamics.layout.join(q, u)
    given = np.zeros(plan.nu)
    if plan.header.motions:
        dynamics.follow(t, target)
        given = target[dynamics.layout.u] - u
        off = target[dynamics.layout.q] - q
        if np.abs(off).max() > 1e-9 * (1 + np.abs(q).max()):
            k = int(np.argmax(np.abs(off)))
            raise ModelError(
                f'the motion of "{plan.index.coordinates[k]}" begins at {target[k]:.6g}, but the joint is at {q[k]:.6g}: '
                "let it begin where the joint is"
            )
    _, speeds = dynamics.equations(t, q, u)
    return u + dynamics.respond(t, q, given=given, defects=speeds)


def _check_met(dynamics: Dynamics, t: float, q: Array, u: Array) -> None:
    """Refuse a constraint that is put on where it is not satisfied."""
    values, _ = dynamics.equations(t, q, u)
    if len(values) and np.abs(values).max() > 1e-3:
        name, _ = dynamics.plan.equations[int(np.argmax(np.abs(values)))]
        raise ModelError(
            f'constraint "{name}" is off by {np.abs(values).max():.3g} (m or rad) when it is put on: put it on where it is '
            "nearly satisfied"
        )


__all__ = ["ChangeOfState", "Changed", "jump"]
