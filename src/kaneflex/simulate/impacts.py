"""Impulsive motion: places where points touch planes, and records of jumps.

An impulse changes the speeds by M^-1 J^T times it, which `Dynamics.respond` gives in order n, constraints included.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics, momentum_of
from kaneflex.kernels import energy
from kaneflex.kernels.ops import sqrt
from kaneflex.model.constraints import Closure, PointOnPlane
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Spherical
from kaneflex.model.model import GROUND, Model
from kaneflex.model.typed import typed
from kaneflex.plan.plan import Event
from kaneflex.simulate.changes import editable_copy

Array = np.ndarray
SLIPS = 1e-6  # m/s: what slides no faster has come to rest
TOUCHES = 1e-9  # m: the point is on the plane
RESTS = 1e-9  # m/s: it does not move along the normal
SUNK = 1e-8  # m: a point below its plane by so much went there unnoticed


@typed
@dataclass(frozen=True)
class Impact:
    """A jump of the speeds: a collision, a joint locked, a body attached.

    Attributes:
        t: s.
        name: of the contact or event; of the contacts that collide in one instant, with commas.
        impulse: of a collision, that of the plane on the struck point (of several, their sum), inertial axes, N s. Those of
            constraints, held points among them, are not in it. None for other jumps.
        energy: kinetic plus potential, before and after, J.
        linear_momentum, angular_momentum: before and after, inertial axes, the latter about the inertial origin.
        impulses: (contact, impulse) of every struck point.
    """

    t: float
    name: str
    impulse: tuple[float, ...] | None
    energy: tuple[float, float]
    linear_momentum: tuple[tuple[float, ...], tuple[float, ...]]
    angular_momentum: tuple[tuple[float, ...], tuple[float, ...]]
    impulses: tuple[tuple[str, tuple[float, ...]], ...] = ()


def impact(name: str, impulses: Mapping[str, Array], t: float, before: tuple[Any, ...], after: tuple[Any, ...]) -> Impact:
    """The record of a jump from (dynamics, q, u, inputs) before and after, by impulses on struck points, if any."""
    sums = []
    for dynamics, q, u, inputs in (before, after):
        row, potential = dynamics.sample(np.array([t]), np.concatenate([q, u])[None, :], inputs[None, :])
        momentum = momentum_of(row[0])
        E = float(row[0, energy.KINETIC] + row[0, energy.GRAVITY_POTENTIAL] + potential[0])
        sums.append((E, tuple(map(float, momentum.linear)), tuple(map(float, momentum.angular))))
    (E0, P0, H0), (E1, P1, H1) = sums
    each = tuple((contact, tuple(map(float, impulse))) for contact, impulse in impulses.items())
    total = tuple(map(float, sum(impulses.values(), np.zeros(3)))) if impulses else None
    return Impact(t, name, total, (E0, E1), (P0, P1), (H0, H1), each)


def gap(t: float, x: Any) -> Any:
    """Height of a point above a plane: x = position of the point, position and rotation of the plane's frame."""
    return x[8] * (x[0] - x[3]) + x[11] * (x[1] - x[4]) + x[14] * (x[2] - x[5])


def height(t: float, x: Any) -> Any:
    """Height of a point above z = 0 of N, or its rate: x = its position, or velocity."""
    return x[2]


def sinking(t: float, x: Any) -> Any:
    """`height` above a depth that no point gets to unless its way there was missed."""
    return x[2] + SUNK


def sinking_gap(t: float, x: Any) -> Any:
    """`gap` above that depth."""
    return gap(t, x) + SUNK


def gap_rate(t: float, x: Any) -> Any:
    """Rate of `gap`: x as there, then velocities of both origins and the rate of the rotation."""
    turning = x[23] * (x[0] - x[3]) + x[26] * (x[1] - x[4]) + x[29] * (x[2] - x[5])
    return turning + x[8] * (x[15] - x[18]) + x[11] * (x[16] - x[19]) + x[14] * (x[17] - x[20])


def contact_events(name: str, contact: Contact) -> tuple[Event, Event, Event]:
    """The events of a point reaching the plane, of being nearest to it, and of getting below it.

    The second does nothing itself. Both ends of a step may lie above the plane and the middle below: the search for the
    lowest point comes upon the plane first. The third is for points that begin on the plane, where rounding decides on which
    side of it: one that begins below, and goes down, does not reach the plane.
    """
    point, on = contact.point, contact.on
    if on == GROUND:
        places: tuple[str, ...] = (f"{point}.position",)
        rates: tuple[str, ...] = (f"{point}.velocity",)
        below = Event(sinking, places, -1, name=name)
        return Event(height, places, -1, name=name), Event(height, rates, 1, name=name), below
    places = (f"{point}.position", f"{on}.position", f"{on}.rotation")
    rates = (*places, f"{point}.velocity", f"{on}.velocity", f"{on}.rotation_rate")
    below = Event(sinking_gap, places, -1, name=name)
    return Event(gap, places, -1, name=name), Event(gap_rate, rates, 1, name=name), below


def slip_on_ground(t: float, x: Any) -> Any:
    """How much faster than SLIPS a point slides on z = 0 of N: x = its velocity."""
    return sqrt(x[0] * x[0] + x[1] * x[1]) - SLIPS


def slip_on_body(t: float, x: Any) -> Any:
    """How much faster than SLIPS a point slides on a plane that moves: x as for `gap_rate`."""
    dx, dy, dz = x[0] - x[3], x[1] - x[4], x[2] - x[5]
    r = (x[6] * dx + x[9] * dy + x[12] * dz, x[7] * dx + x[10] * dy + x[13] * dz, x[8] * dx + x[11] * dy + x[14] * dz)
    vx = x[15] - x[18] - x[21] * r[0] - x[22] * r[1] - x[23] * r[2]
    vy = x[16] - x[19] - x[24] * r[0] - x[25] * r[1] - x[26] * r[2]
    vz = x[17] - x[20] - x[27] * r[0] - x[28] * r[1] - x[29] * r[2]
    a, b = x[6] * vx + x[9] * vy + x[12] * vz, x[7] * vx + x[10] * vy + x[13] * vz
    return sqrt(a * a + b * b) - SLIPS


def stop_event(name: str, contact: Contact) -> Event:
    """The event of a sliding point coming to rest."""
    point, on = contact.point, contact.on
    if on == GROUND:
        return Event(slip_on_ground, (f"{point}.velocity",), -1, name=name)
    places = (f"{point}.position", f"{on}.position", f"{on}.rotation")
    rates = (f"{point}.velocity", f"{on}.velocity", f"{on}.rotation_rate")
    return Event(slip_on_body, (*places, *rates), -1, name=name)


class Points:
    """Reads the velocities of contacts' points relative to their planes."""

    def __init__(self, dynamics: Dynamics, contacts: Sequence[Contact]):
        self._dynamics, self._names = dynamics, []
        for contact in contacts:
            names = [f"{contact.point}.velocity"]
            if contact.on.partition(".")[0] != GROUND:
                names += [f"{contact.point}.position"]
                names += [f"{contact.on}.{x}" for x in ("position", "velocity", "rotation", "omega")]
            self._names.append(names)
        self._reader = ChannelReader(dynamics.plan, [n for names in self._names for n in names])

    def velocities(self, times: Array, states: Array) -> Array:
        """At every row of states (q, u, ...): of every point three components, in the axes of the plane's frame, m/s.

        A plane moves with its body; on a body that turns it is the body's point there that counts.
        """
        values = self._reader.read(self._dynamics, times, states)
        found = np.empty((len(times), len(self._names), 3))
        for k, names in enumerate(self._names):
            v, *rest = (values[name] for name in names)
            if rest:
                point, origin, carried, R, omega = rest
                omega = np.einsum("nij,nj->ni", R, omega)
                v = np.einsum("nji,nj->ni", R, v - carried - np.cross(omega, point - origin))
            found[:, k] = v
        return found


class ContactKinematics:
    """The place of a contact at one state: its axes, and how velocities and impulses act there."""

    def __init__(self, dynamics: Dynamics, contact: Contact, t: float, q: Array):
        self.dynamics, self.contact, self.t, self.q = dynamics, contact, t, q
        self.bodies = [contact.point.partition(".")[0], contact.on.partition(".")[0]]
        names = [f"{contact.point}.position"]
        if self.bodies[1] != GROUND:
            names += [f"{contact.on}.rotation", f"{contact.on}.position"]
        for place in dict.fromkeys((contact.point, contact.on, *self.bodies)):  # of the place, for a node moves in its body
            if place != GROUND:
                names += [f"{place}.position", f"{place}.rotation"]
        values = ChannelReader(dynamics.plan, names).read_one(dynamics, t, np.concatenate([q, np.zeros(dynamics.plan.nu)]))
        self.point = values[f"{contact.point}.position"]
        self.R = np.eye(3) if self.bodies[1] == GROUND else values[f"{contact.on}.rotation"]
        self.values = values

    def height(self) -> float:
        """Height of the point above the plane, m."""
        origin = np.zeros(3) if self.bodies[1] == GROUND else self.values[f"{self.contact.on}.position"]
        return float(self.R[:, 2] @ (self.point - origin))

    def velocity(self, u: Array) -> Array:
        """Velocity of the point relative to the plane's body there, in the axes of the plane's frame."""
        return velocities([self], u)[0]

    def respond(self, impulse: Array) -> tuple[Array, Array]:
        """Jump of u by an impulse on the point (axes of the plane) and its opposite, and the constraints' impulses."""
        force = self.R @ impulse
        index = self.dynamics.plan.index
        loads = np.zeros((int(self.dynamics.plan.header.bodies), 6))
        for place, sign in zip((self.contact.point, self.contact.on), (1.0, -1.0), strict=True):
            body, _, frame = place.partition(".")
            if body == GROUND:
                continue
            row, own = index.place(body, frame)
            R = self.values[f"{place}.rotation"] @ own.R.T  # of M, or of the node
            origin = self.values[f"{place}.position"] - R @ own.p
            loads[row, :3] += R.T @ np.cross(self.point - origin, sign * force)
            loads[row, 3:] += R.T @ (sign * force)
        change = self.dynamics.respond(self.t, self.q, loads)
        return change, self.dynamics.work.equation.multiplier.copy()


def velocities(touches: Sequence[ContactKinematics], u: Array) -> Array:
    """Velocities of points relative to their planes' bodies there, in axes of the planes' frames: a row for each."""
    one, state = touches[0], np.concatenate([touches[0].q, u])[None, :]
    return Points(one.dynamics, [touch.contact for touch in touches]).velocities(np.array([one.t]), state)[0]


def mobility(touches: Sequence[ContactKinematics]) -> tuple[Array, Array]:
    """K of points, three rows each, and the jumps of u, a column for each component of their impulses."""
    one, jumps = touches[0], np.array([touch.respond(e)[0] for touch in touches for e in np.eye(3)])
    rows = np.vstack([0 * jumps[:1], jumps])
    states = np.hstack([np.tile(one.q, (len(rows), 1)), rows])
    v = Points(one.dynamics, [touch.contact for touch in touches]).velocities(np.full(len(rows), one.t), states)
    return (v[1:] - v[0]).reshape(len(jumps), -1).T, jumps.T


def held(model: Model) -> list[str]:
    """Contacts whose point is held at present: there is a constraint of the same name."""
    return [name for name in model.contacts if name in model.constraints]


def friction_of(name: str) -> str:
    """Name of the load that is a contact's friction."""
    return f"{name}.friction"


def rests_by_friction(model: Model, name: str) -> bool:
    """Whether the point of a held contact stays where it is as long as friction suffices."""
    contact = model.contacts[name]
    sliding = isinstance(model.constraints[name], PointOnPlane)
    return bool(contact.after != "stick" and contact.friction > 0 and not sliding)


def pressing_row(model: Model, name: str) -> int:
    """Which equation of a held contact's constraint presses along the normal; those of the plane come before."""
    return 0 if isinstance(model.constraints[name], PointOnPlane) else 2


def hold_to_plane(model: Model, name: str, slip: Array | None = None) -> Model:
    """The model with a contact's point held to its plane, where it slides against friction: `slip` is where to, in the
    plane's axes; without friction when None."""
    other = let_go(model, name)
    contact = model.contacts[name]
    other.constraints.put(name, PointOnPlane(contact.point, contact.on))
    if slip is not None and contact.after != "stick" and contact.friction > 0:
        other.loads.put(friction_of(name), SlidingFriction(name, (float(np.arctan2(slip[1], slip[0])),)))
    return other


def hold_there(model: Model, name: str, touch: ContactKinematics) -> Model:
    """The model with a contact's point held where it is."""
    other, contact = let_go(model, name), model.contacts[name]
    body = contact.on.partition(".")[0]
    end: Any = Frame.of(touch.R, touch.point)
    if body != GROUND:
        R, p = touch.values[f"{body}.rotation"], touch.values[f"{body}.position"]
        held_at = Frame.of(R.T @ touch.R, R.T @ (touch.point - p))
        other.frames.put(body, {**other.frames[body], f"held {name}": held_at})
        end = f"{body}.held {name}"
    other.constraints.put(name, Closure(end, contact.point, Spherical()))
    return other


def let_go(model: Model, name: str) -> Model:
    """The model with a contact's point free."""
    other = editable_copy(model)
    other.constraints.pop(name, None)
    other.loads.pop(friction_of(name), None)
    return other
