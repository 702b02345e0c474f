"""The same system said in other words: in another order, elsewhere, in other units (in a mirror: `mirror`; from
another root: `graphs`).

Each remake takes a `World` and gives another one; what must be the same of their motions is in the tests.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from properties.worlds import World
from trees import turn

import kaneflex as kf
from kaneflex.model.bodies import BodyBase, Rotor
from kaneflex.model.constraints import ConstraintBase
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.joints import Joint
from kaneflex.model.part import Part

Array = np.ndarray
ROTARY = {  # joints whose coordinates are turns (1) or slides (0), in order
    kf.Revolute: (1,),
    kf.Prismatic: (0,),
    kf.Cylindrical: (1, 0),
    kf.Screw: (1,),
    kf.Planar: (0, 0, 1),
    kf.Universal: (1, 1),
    kf.Translational: (0, 0, 0),
    kf.Spherical: (1, 1, 1),
    kf.Free: (0, 0, 0, 1, 1, 1),
    kf.SlidingPin: (0, 1),
    kf.SlidingBall: (0, 1, 1, 1),
}


class Remake:
    """Builds a world anew, piece by piece: as it is, but for what a subclass says otherwise."""

    def __call__(self, world: World) -> World:
        """The world remade."""
        self.world, old = world, world.system
        system = kf.System(old.name, gravity=self.gravity(np.array(old.gravity)))
        self.prepare(system)
        for kind, name in self.order(self.items()):
            if kind == "part":
                self._add(system, self.part(old.parts[name]))
            elif kind == "rotor":
                owner, rotor = old.rotors[name]
                system.add_rotor(name, owner, self.rotor(rotor))
            elif kind == "load":
                system.apply(name, self.load(old.loads[name]))
            elif kind == "input":
                system.add_input(name, self.load(old.inputs[name]))
            elif kind == "constraint":
                system.constrain(name, self.constraint(old.constraints[name]))
            else:
                system.contact(name, self.contact(old.contacts[name]))
        start = {name: self.value(name, np.asarray(x, float)) for name, x in world.start.items()}
        return world.but(system=system, start=start, span=self.span(world.span))

    def items(self) -> list[tuple[str, str]]:
        """Kind and name of all there is to add."""
        s = self.world.system
        tables = {
            "part": s.parts,
            "rotor": s.rotors,
            "load": s.loads,
            "input": s.inputs,
            "constraint": s.constraints,
            "contact": s.contacts,
        }
        return [(kind, name) for kind, table in tables.items() for name in table]

    def _add(self, system: kf.System, part: Part) -> None:
        body = self.body(part.body)
        parent = None if part.parent == "N" else part.parent
        system.add(part.name, body, part.joint, parent, part.at, hinge=part.hinge, q=part.q, rates=part.rates)
        for name, frame in self.world.system.frames[part.name].items():
            if name not in body.frames:
                system.add_frame(part.name, name, self.frame(frame))

    # what a subclass may say

    def prepare(self, system: kf.System) -> None:
        """Before anything is added."""

    def order(self, items: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The order of adding."""
        return items

    def gravity(self, g: Array) -> Array:
        return g

    def part(self, part: Part) -> Part:
        """The part with joint and places; its body is dealt with by `body`."""
        return part

    def body(self, body: BodyBase) -> BodyBase:
        return body

    def frame(self, frame: Frame) -> Frame:
        """A frame on a body."""
        return frame

    def rotor(self, rotor: Rotor) -> Rotor:
        return rotor

    def load(self, load: Any) -> Any:
        return load

    def constraint(self, constraint: ConstraintBase) -> ConstraintBase:
        return constraint

    def contact(self, contact: kf.Contact) -> kf.Contact:
        return contact

    def value(self, name: str, value: Array) -> Any:
        """A value of the start, by name."""
        return value

    def span(self, span: float) -> float:
        return span

    def joint_of(self, name: str) -> Joint | None:
        """The joint that a value of the start belongs to; None for a rotor's."""
        part = self.world.system.parts.get(name.partition(".")[0])
        return None if part is None else part.joint


class Spoiled(Remake):
    """A world that is not quite the same: each rigid body is heavier by a small part of its own, and all rates of the start
    are off by as much."""

    def __init__(self, by: float):
        self.by, self.seen = by, 0

    def body(self, body: BodyBase) -> BodyBase:
        self.seen += 1
        if isinstance(body, kf.Rigid) and body.mass > 0:
            more = 1 + self.by * self.seen
            return replace(body, mass=body.mass * more, inertia=np.array(body.inertia) * more)
        return body

    def value(self, name: str, value: Array) -> Any:
        return value * (1 + self.by) if name.endswith("rate") else value


class Reordered(Remake):
    """Bodies, rotors, loads, constraints and contacts are added in a random order, parents before children."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def order(self, items: list[tuple[str, str]]) -> list[tuple[str, str]]:
        waiting, there, found = list(items), {"N"}, []
        while waiting:
            ready = [item for item in waiting if self._needs(*item) <= there]
            item = ready[int(self.rng.integers(len(ready)))]
            waiting.remove(item)
            found.append(item)
            there.add(item[1])
        return found

    def _needs(self, kind: str, name: str) -> set[str]:
        """Bodies and rotors that must be there before."""
        s = self.world.system
        if kind == "part":
            return {s.parts[name].parent}
        if kind == "rotor":
            return {s.rotors[name][0]}
        table = {"load": s.loads, "input": s.inputs, "constraint": s.constraints, "contact": s.contacts}[kind]
        return mentioned(table[name]) & {*s.parts, *s.rotors}


def mentioned(thing: Any) -> set[str]:
    """All names before a dot in a declaration, whatever they name."""
    if isinstance(thing, str):
        return {thing.partition(".")[0]}
    if isinstance(thing, Mapping):
        return {x for key, value in thing.items() for x in mentioned(key) | mentioned(value)}
    if isinstance(thing, tuple | list):
        return {x for value in thing for x in mentioned(value)}
    if is_dataclass(thing):
        return {x for f in fields(thing) for x in mentioned(getattr(thing, f.name))}
    return set()


# -- elsewhere -------------------------------------------------------------------------------------------------------------


class Moved(Remake):
    """The whole world turned by Q and put off by p, with its gravity and planes; and with a speed v (inertial axes after the
    turn) that is given to everything, for worlds that float. Planes of N become planes of a body fixed in N."""

    def __init__(self, Q: Any = None, p: Any = (0, 0, 0), v: Any = (0, 0, 0)):
        self.Q, self.p, self.v = np.eye(3) if Q is None else np.asarray(Q), np.array(p, float), np.array(v, float)

    def prepare(self, system: kf.System) -> None:
        if any(c.on == "N" for c in self.world.system.contacts.values()):
            system.add("ground", kf.Rigid(0.0), kf.Fixed(), at=Frame(self.p, self.Q))

    def gravity(self, g: Array) -> Array:
        return self.Q @ g

    def part(self, part: Part) -> Part:
        return part if part.parent != "N" else replace(part, at=self.frame_of_N(part.at))

    def frame_of_N(self, frame: Frame) -> Frame:
        return Frame(self.p + self.Q @ frame.p, self.Q @ frame.R)

    def end(self, end: Any) -> Any:
        """An end of a constraint or spring: those in N are moved."""
        if isinstance(end, str) and end != "N":
            return end
        return self.frame_of_N(Frame() if isinstance(end, str) else end if isinstance(end, Frame) else Frame(end))

    def load(self, load: Any) -> Any:
        if isinstance(load, kf.Force) and load.axes == "inertial":
            return replace(load, value=self.Q @ load.value)
        if isinstance(load, kf.SpringDamper):
            a, b = (self.end(e) for e in (load.a, load.b))
            return replace(load, a=a if isinstance(a, str) else a.position, b=b if isinstance(b, str) else b.position)
        if isinstance(load, kf.CentralGravity):
            return replace(load, centre=self.p + self.Q @ load.centre)
        return load

    def constraint(self, constraint: ConstraintBase) -> ConstraintBase:
        names = {"a", "b", "point", "line", "plane", "on", "at", "body"} & {f.name for f in fields(constraint)}
        return replace(constraint, **{n: self.end(getattr(constraint, n)) for n in names})

    def contact(self, contact: kf.Contact) -> kf.Contact:
        return replace(contact, on="ground") if contact.on == "N" else contact

    def value(self, name: str, value: Array) -> Any:
        head, _, tail = name.partition(".")
        part = self.world.system.parts.get(head)
        if tail != "rate" or part is None or part.parent != "N" or not self.v.any():
            return value
        assert isinstance(part.joint, kf.Free | kf.Translational), "a boost is for worlds that float"
        R = self.Q @ part.at.R
        if isinstance(part.joint, kf.Translational):
            return value + R.T @ self.v
        turned = R @ rotation_of(np.asarray(self.world.start[f"{head}.q"])[3:])  # of the joint's frame on the child
        return np.concatenate([value[:3] + turned.T @ self.v, value[3:]])


def rotation_of(quaternion: Array) -> Array:
    """Rotation matrix of a unit quaternion, scalar part first."""
    w, v = quaternion[0], quaternion[1:]
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def anywhere(seed: int) -> Moved:
    """A turn about some axis and a shift of a few metres."""
    rng = np.random.default_rng([seed, 5])
    return Moved(turn(rng), 3 * rng.normal(size=3))


# -- in other units --------------------------------------------------------------------------------------------------------


class Scaled(Remake):
    """All lengths, masses and times multiplied by L, M and T. Modal coordinates (kg^1/2 m) are multiplied by L sqrt(M)."""

    def __init__(self, L: float, M: float, T: float):
        self.L, self.M, self.T = L, M, T
        self.force, self.torque = M * L / T**2, M * L**2 / T**2

    def gravity(self, g: Array) -> Array:
        return g * self.L / self.T**2

    def part(self, part: Part) -> Part:
        joint = part.joint
        if isinstance(joint, kf.Screw):
            joint = replace(joint, pitch=joint.pitch * self.L)
        return replace(part, joint=joint, at=self.frame(part.at), hinge=self.frame(part.hinge))

    def frame(self, frame: Frame) -> Frame:
        return replace(frame, position=frame.p * self.L)

    def body(self, body: BodyBase) -> BodyBase:
        if isinstance(body, kf.Rigid):
            J = np.array(body.inertia) * self.M * self.L**2
            frames = {n: self.frame(f) for n, f in body.frames.items()}
            return replace(body, mass=body.mass * self.M, com=np.array(body.com) * self.L, inertia=J, frames=frames)
        m, L, M = body.modal, self.L, self.M
        eta, w = L * np.sqrt(M), self.T**-1
        nodes = {
            n: replace(x, position=x.position * L, Phi=x.Phi * L / eta, Psi=x.Psi / eta, G=x.G * L / eta**2, H=x.H / eta**2)
            for n, x in m.nodes.items()
        }
        inertia = M * L**2
        return kf.Flexible(
            replace(
                m,
                mass=m.mass * M,
                first_moment=m.first_moment * M * L,
                second_moment=m.second_moment * inertia,
                stiffness=m.stiffness * w**2,
                damping=m.damping * w,
                B=m.B * M * L / eta,
                C=m.C * inertia / eta,
                E=m.E * inertia / eta**2,
                b2=m.b2 * M * L / eta**2,
                C2=m.C2 * inertia / eta**2,
                turn=m.turn / eta,
                nodes=nodes,
            )
        )

    def rotor(self, rotor: Rotor) -> Rotor:
        return replace(rotor, inertia=rotor.inertia * self.M * self.L**2, rate=rotor.rate / self.T)

    def _turns(self, load: Any) -> bool:
        """Whether a load in a joint acts on a turn."""
        joint = self.joint_of(load.joint)
        if joint is None or isinstance(joint, kf.Spherical | kf.Free):
            return joint is None or load.coordinate in (None, "wx", "wy", "wz")
        kinds = ROTARY[type(joint)]
        if load.coordinate is None:
            assert len(set(kinds)) == 1, "a load on turns and slides at once has no single unit"
            return bool(kinds[0])
        return bool(kinds[joint.facts.coordinate_names.index(load.coordinate)])

    def load(self, load: Any) -> Any:
        L, M, T = self.L, self.M, self.T
        if isinstance(load, kf.Force):
            unit = self.torque if isinstance(load, kf.Torque) else self.force
            return replace(load, value=np.array(load.value) * unit)
        if isinstance(load, kf.SpringDamper):
            a, b = (e if isinstance(e, str) else tuple(np.array(e) * L) for e in (load.a, load.b))
            units = {"stiffness": M / T**2, "damping": M / T, "length": L, "tension": self.force}
            return replace(load, a=a, b=b, **{n: getattr(load, n) * unit for n, unit in units.items()})
        if isinstance(load, kf.CentralGravity):
            return replace(load, mu=load.mu * L**3 / T**2, centre=np.array(load.centre) * L)
        unit, length = (self.torque, 1.0) if self._turns(load) else (self.force, L)
        if isinstance(load, kf.JointForce):
            return replace(load, value=load.value * unit)
        k, c = load.stiffness * unit / length, load.damping * unit * T / length
        if isinstance(load, kf.JointSpring):
            return replace(load, stiffness=k, damping=c, rest=load.rest * length)
        return replace(load, stiffness=k, damping=c, lower=load.lower * length, upper=load.upper * length)

    def constraint(self, constraint: ConstraintBase) -> ConstraintBase:
        changes: dict[str, Any] = {}
        for f in fields(constraint):
            x = getattr(constraint, f.name)
            if isinstance(x, Frame) and not isinstance(x, NodeFrame):
                changes[f.name] = self.frame(x)
            elif f.name == "length":
                changes[f.name] = x * self.L
            elif f.name == "radii":
                changes[f.name] = np.array(x) * self.L
            elif isinstance(x, kf.Screw):
                changes[f.name] = replace(x, pitch=x.pitch * self.L)
        if isinstance(constraint, kf.Coupler):
            units = {n: 1.0 if ROTARY[type(self.joint_of(n))][0] else self.L for n in constraint.terms}
            changes["terms"] = {n: c / units[n] for n, c in constraint.terms.items()}  # the sum stays a number
        return replace(constraint, **changes)

    def contact(self, contact: kf.Contact) -> kf.Contact:
        return replace(contact, rest_speed=contact.rest_speed * self.L / self.T)

    def value(self, name: str, value: Array) -> Any:
        tail, joint = name.partition(".")[2], self.joint_of(name)
        per_time = 1 / self.T if tail.endswith("rate") else 1.0
        if tail.startswith("modes"):
            return value * self.L * np.sqrt(self.M) * per_time
        if joint is None:
            return value * per_time
        if isinstance(joint, kf.Spherical):
            return value * per_time
        kinds = ROTARY[type(joint)]
        if isinstance(joint, kf.Free) and tail == "q":
            kinds = (0, 0, 0, 1, 1, 1, 1)
        if isinstance(joint, kf.SlidingBall) and tail == "q":
            kinds = (0, 1, 1, 1, 1)
        return value * np.array([1.0 if turns else self.L for turns in kinds]) * per_time

    def span(self, span: float) -> float:
        return span * self.T
