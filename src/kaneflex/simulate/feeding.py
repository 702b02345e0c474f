"""Feeds during a segment of a run: joints let go and captured, and guides that turn captured ones straight.

A release changes neither q nor u: the joint was locked in its neutral pose. At a capture the joint's rates are stopped by
an impulse within the system, whose loss of energy is booked. Then the guide brings its coordinates x to zero, from rest to
rest, with the accelerations -x/T^2 for a time T and x/T^2 for another, about one axis where the joint is a ball. 2 T is half
of the time until the next joint arrives, as it seems then; one that arrives earlier waits for the guide.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels.energy import KINETIC
from kaneflex.model.checks import ModelError
from kaneflex.model.rods.feed import CAPTURE, OUTSIDE, PHASE, SLACK, TIME, UNTIL, Feed
from kaneflex.plan.feed_tables import tables_of
from kaneflex.plan.feeds import FeedIndex
from kaneflex.plan.plan import Event, JointIndex
from kaneflex.plan.stored_rods import StoredRods
from kaneflex.simulate.contact.records import impact
from kaneflex.simulate.stepper import Stepper
from kaneflex.simulate.stepping.layout import RK_EXPLICIT

if TYPE_CHECKING:
    from kaneflex.model.model import Model
    from kaneflex.simulate.integrator import Integrator
    from kaneflex.simulate.segment import Segment

STRAIGHT = 1e-13  # rad or m: a joint that is turned by less needs no guide
NEVER = -1e12  # m: a length that nothing is captured at
AT_REST = 1e-9  # rad, m and their rates: a joint inside begins with less
RELEASES, CAPTURES = range(2)  # events of a feed, in order


def _beyond(t: Any, x: Any) -> Any:
    """Length outside less the one at which something happens."""
    return x[0] - x[1]


def feed_events(model: "Model") -> list[Event]:
    """For each feed the passing out of its next joint, and the coming back of the last one."""
    found = []
    for name, block in model.blocks.items():
        if isinstance(block, Feed):
            slide = block.sees[0]
            found.append(Event(_beyond, (slide, f"{name}.release"), 1, name=f"{name} releases"))
            found.append(Event(_beyond, (slide, f"{name}.capture"), -1, name=f"{name} captures"))
    return found


class Feeds:
    """The feeds of a segment of a run."""

    def __init__(self, segment: "Segment"):
        self.segment = segment
        self.found = list(segment.plan.index.feeds.items())
        stored = (StoredRods(segment.plan, one) for _, one in self.found)
        self.stored = next((rods for rods in stored if rods.can_rest), None)

    def begin(self, t: float, y: np.ndarray, *, fresh: bool) -> np.ndarray:
        """y with the tables as the feeds' states say; where a run begins (`fresh`), with these as the lengths are."""
        y = y.copy()
        for name, one in self.found:
            z, length = self._own(y, one), float(y[one.slide])
            if fresh:
                total = float(one.feed.exits[-1])
                if not -SLACK * total <= length <= total * (1 + SLACK):
                    raise ModelError(_beyond_ends(name, one.feed, length, t))
                z[:] = one.feed.states_at(one.feed.outside(length))
        self.segment.dynamics.set_states(y[self.segment.layout.z])
        self._check_straight(y)
        return y

    def _own(self, y: np.ndarray, one: FeedIndex) -> np.ndarray:
        """The states of a feed, a view."""
        return y[self.segment.layout.z][one.z]

    def _check_straight(self, y: np.ndarray) -> None:
        """Refuse a start at which joints inside are not straight and at rest, but for the one that a guide turns."""
        q, u, _ = self.segment.layout.split(y)
        for name, one in self.found:
            z = self._own(y, one)
            inside = one.joints - int(z[OUTSIDE]) - int(z[PHASE] > 0)
            for segment in one.feed.segments[1 : 1 + inside]:
                joint = self.segment.plan.index.joints[segment]
                moving = np.abs(u[joint.u0 : joint.u0 + joint.speeds]).max()
                if np.abs(_turned(joint, q)).max() > AT_REST or moving > AT_REST:
                    raise ModelError(
                        f'feed "{name}": segment "{segment}" is inside, but bent or moving at the start: let it begin '
                        "straight and at rest, or with a greater length outside"
                    )

    @property
    def until(self) -> float:
        """When a guide changes what it does next, s; infinity where none does."""
        z = self.segment.dynamics.z
        return min((float(z[one.z][UNTIL]) for _, one in self.found if z[one.z][PHASE] > 0), default=math.inf)

    def resting(self, stepper: "Integrator") -> AbstractContextManager[None]:
        """While steps are made: pass over the rods in the first reel where that can be done, and by explicit steps of the
        recursive formulation, whose sweeps know of it."""
        if self.stored is None or not isinstance(stepper, Stepper) or stepper.shape.kind != RK_EXPLICIT:
            return nullcontext()
        dynamics = self.segment.dynamics
        return self.stored.resting(dynamics.W, dynamics.z[self.stored.found.z])

    def happen(self, stepper: "Integrator", number: int) -> str | None:
        """A joint passes the exit: the event of this number. Why the run cannot go on, where it cannot."""
        (name, one), what = self.found[number // 2], number % 2
        y, t = stepper.y, float(stepper.t)
        z = self._own(y, one)
        outside = int(z[OUTSIDE])
        if outside == (one.joints if what == RELEASES else 0):
            return _beyond_ends(name, one.feed, float(y[one.slide]), t)
        if what == CAPTURES and one.joints - outside >= len(one.columns):
            cut = f'feed "{name}": rod "{one.feed.rod}" is drawn in up to where it was cut'
            return f"{cut}, at t = {t:.9g} s: stop there by an event"
        if what == RELEASES:
            held = self._holding(one, t, y)
            z[:] = one.feed.states_at(outside + 1)
            z[one.feed.held] = held
        elif z[PHASE] > 0:
            z[CAPTURE] = NEVER  # the joint waits until the guide is free
        else:
            y = self._captured(name, one, t, y)
        self._go_on(stepper, t, y)
        return None

    def guide(self, stepper: "Integrator") -> None:
        """Let guides that are due change what they do."""
        y, t = stepper.y, float(stepper.t)
        for name, one in self.found:
            z = self._own(y, one)
            if z[PHASE] == 0 or t < z[UNTIL]:
                continue
            if z[PHASE] == 1:
                z[PHASE], z[UNTIL] = 2, z[UNTIL] + z[TIME]
                z[one.feed.guided] *= -1
                continue
            joint = self._joint(one, one.guided(z))
            y[joint.q0 : joint.q0 + joint.coordinates] = joint.joint.facts.neutral  # but for rounding it is there
            y[self.segment.layout.u][joint.u0 : joint.u0 + joint.speeds] = 0.0
            z[:] = one.feed.states_at(int(z[OUTSIDE]))
            if z[OUTSIDE] and y[one.slide] <= z[CAPTURE]:
                y = self._captured(name, one, t, y)
        self._go_on(stepper, t, y)

    def _go_on(self, stepper: "Integrator", t: float, y: np.ndarray) -> None:
        """Go on from y, with the tables as its states say. What fluid does to a segment comes and goes with it; the energy
        that this brings, of buoyancy and of the fluid itself, is work of the feed."""
        segment, layout = self.segment, self.segment.layout
        if any(tables_of(segment.plan, one).is_wet for _, one in self.found):
            before = y.copy()
            before[layout.z] = stepper.y[layout.z]
            y[layout.applied] += segment.energy(t, y) - segment.energy(t, before)
        segment.dynamics.set_states(y[layout.z])
        stepper.start(t, y, stepper.step if stepper.steps else None)

    def _joint(self, one: FeedIndex, row: int) -> JointIndex:
        """The joint of a row of `columns`."""
        return self.segment.plan.index.joints[one.feed.segments[1 + row]]

    def _holding(self, one: FeedIndex, t: float, y: np.ndarray) -> np.ndarray:
        """What holds the joint that is let go next, along its speeds, N m or N: with the masses that it will have, as where
        a guide turns it, for of a rod in a reel the segment beyond it has been a part of what is in the exit."""
        if not one.springs:
            return np.zeros(one.feed.speeds)
        y = y.copy()
        self._own(y, one)[PHASE] = 1.0
        self.segment.dynamics.set_states(y[self.segment.layout.z])
        q, u, _ = self.segment.layout.split(y)
        self.segment.dynamics.udot_at(t, q, u)
        row = one.guided(self._own(y, one))
        return np.asarray(self.segment.dynamics.work.column.tau_reduced[one.columns[row]])

    def _captured(self, name: str, one: FeedIndex, t: float, y: np.ndarray) -> np.ndarray:
        """y after the innermost joint outside was stopped; the guide begins to turn it straight."""
        segment, layout = self.segment, self.segment.layout
        dynamics, before = segment.dynamics, y
        y = y.copy()
        q, u, _ = layout.split(y)
        z = self._own(y, one)
        z[:] = one.feed.states_at(int(z[OUTSIDE]) - 1)
        turn = _turned(self._joint(one, one.guided(z)), q)
        z[PHASE] = float(np.abs(turn).max() > STRAIGHT)
        dynamics.set_states(y[layout.z])
        columns = one.columns[one.guided(z)]
        given = np.zeros(len(u))
        given[columns] = -u[columns]
        jump = dynamics.respond(t, q, given=given)
        u += jump
        u[columns] = 0.0
        own = (dynamics, q, before[layout.u], segment.inputs), (dynamics, q, u, segment.inputs)
        segment.impacts.append(impact(f"{name} captures", {}, t, *own))
        gained = segment.impacts[-1].energy[1] - segment.impacts[-1].energy[0]
        lost = self._lost(t, q, jump)
        y[layout.dissipated] -= lost
        y[layout.applied] += gained + lost
        if z[PHASE]:
            time = self._time(one, t, y) / 4
            z[TIME], z[UNTIL] = time, t + time
            z[one.feed.guided] = -turn / time**2
        return y

    def _lost(self, t: float, q: np.ndarray, jump: np.ndarray) -> float:
        """What a capture loses, J: half of its impulse times the rate that it stops, which is the kinetic energy of the jump
        itself (Carnot); the rest of a change is work of given motions."""
        sums, _ = self.segment.dynamics.sample(
            np.array([t]), np.concatenate([q, jump])[None, :], self.segment.inputs[None, :]
        )
        return float(sums[0, KINETIC])

    def _time(self, one: FeedIndex, t: float, y: np.ndarray) -> float:
        """Time until the next joint arrives, s, at the rate and the acceleration of now."""
        layout = self.segment.layout
        q, u, _ = layout.split(y)
        way = one.feed.lengths[one.guided(self._own(y, one)) + 1]
        speed = abs(float(u[one.rate]))
        push = abs(float(self.segment.dynamics.udot_at(t, q, u)[one.rate]))
        return float(2 * way / (speed + math.sqrt(speed**2 + 2 * push * way))) if speed or push else 1.0


def _turned(joint: JointIndex, q: np.ndarray) -> np.ndarray:
    """How far a joint is from its neutral pose, along each of its speeds: rad or m; of a ball the rotation vector."""
    if joint.quaternion is None:
        return np.array(q[joint.q0 : joint.q0 + joint.coordinates])
    e = q[joint.quaternion : joint.quaternion + 4]
    size = float(np.linalg.norm(e[1:]))
    vector = 2 * math.atan2(size, e[0]) / size * e[1:] if size else np.zeros(3)
    return np.concatenate([q[joint.q0 : joint.quaternion], vector])


def _beyond_ends(name: str, feed: Feed, length: float, t: float) -> str:
    """What is wrong with a length."""
    total = float(feed.exits[-1])
    if length < total / 2:
        return (
            f'feed "{name}": rod "{feed.rod}" would be drawn in beyond its tip at t = {t:.9g} s: let its length not become '
            "negative, or stop there by an event"
        )
    return (
        f'feed "{name}": rod "{feed.rod}" is all outside at t = {t:.9g} s, {total:g} m, and goes on: let its length stay '
        "below, or stop there by an event"
    )


__all__ = ["Feeds", "feed_events"]
