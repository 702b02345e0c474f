"""Kinematics of contacts: gaps, velocities of points relative to planes, and how impulses change them.

An impulse changes the speeds by M^-1 J^T times it, which `Dynamics.respond` gives in order n, constraints included.
"""

from collections.abc import Sequence

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.contacts import Contact
from kaneflex.model.model import GROUND

Array = np.ndarray


class PointVelocities:
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
                point, origin, of_plane, R, omega = rest
                omega = np.einsum("nij,nj->ni", R, omega)
                v = np.einsum("nji,nj->ni", R, v - of_plane - np.cross(omega, point - origin))
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

    def gap(self) -> float:
        """Height of the point above the plane, m."""
        origin = np.zeros(3) if self.bodies[1] == GROUND else self.values[f"{self.contact.on}.position"]
        return float(self.R[:, 2] @ (self.point - origin))

    def velocity(self, u: Array) -> Array:
        """Velocity of the point relative to the plane's body there, in the axes of the plane's frame."""
        return velocities([self], u)[0]

    def respond(self, impulse: Array) -> tuple[Array, Array]:
        """Jump of u by an impulse on the point (axes of the plane) and its opposite, and the constraints' impulses."""
        force = self.R @ impulse
        index, header = self.dynamics.plan.index, self.dynamics.plan.header
        loads = np.zeros((int(header.bodies), 6))
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
        return change, self.dynamics.work.equation.multiplier[: header.rows].copy()


def velocities(touches: Sequence[ContactKinematics], u: Array) -> Array:
    """Velocities of points relative to their planes' bodies there, in axes of the planes' frames: a row for each."""
    one, state = touches[0], np.concatenate([touches[0].q, u])[None, :]
    return PointVelocities(one.dynamics, [touch.contact for touch in touches]).velocities(np.array([one.t]), state)[0]


def mobility(touches: Sequence[ContactKinematics]) -> tuple[Array, Array]:
    """K of points, three rows each, and the jumps of u, a column for each component of their impulses."""
    one, jumps = touches[0], np.array([touch.respond(e)[0] for touch in touches for e in np.eye(3)])
    rows = np.vstack([0 * jumps[:1], jumps])
    states = np.hstack([np.tile(one.q, (len(rows), 1)), rows])
    v = PointVelocities(one.dynamics, [touch.contact for touch in touches]).velocities(np.full(len(rows), one.t), states)
    return (v[1:] - v[0]).reshape(len(jumps), -1).T, jumps.T
