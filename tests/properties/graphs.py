"""A world as a graph of bodies and joints, which may be described from any root and cut at any joint: what is not in the
tree closes a loop, down to bodies that all float and are held by closures alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from properties.worlds import World, system_of
from scipy.spatial.transform import Rotation

import kaneflex as kf
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.joints import Joint

Array = np.ndarray
Motion = tuple[Array, Array, Array, Array]  # R, p, omega, v, inertial axes
STILL: Motion = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Link:
    """A joint between a frame on body a, its inboard side, and a frame on body b; "N" is a body too."""

    name: str
    joint: Joint
    a: str
    at: Frame
    b: str
    hinge: Frame

    def turned(self) -> "Link":
        """The same joint from its other side."""
        joint = self.joint
        if isinstance(joint, kf.Universal):
            joint = replace(joint, axes=joint.axes[::-1])
        return Link(self.name, joint, self.b, self.hinge, self.a, self.at)


def links_of(world: World) -> tuple[list[Link], dict[str, Any]]:
    """All joints but free ones, those that close loops too; and the constraints that are no joints."""
    s = world.system
    found = [Link(n, p.joint, p.parent, p.at, n, p.hinge) for n, p in s.parts.items() if not isinstance(p.joint, kf.Free)]
    others = {}
    for name, c in s.constraints.items():
        if isinstance(c, kf.Closure):
            ends = [s.locate(e, name) if isinstance(e, str) else ("N", e) for e in (c.a, c.b)]
            found.append(Link(name, c.joint, *ends[0], *ends[1]))
        else:
            others[name] = c
    return found, others


def joint_values(joint: Joint, inboard: Motion, outboard: Motion) -> tuple[Array, Array]:
    """Coordinates and rates of a joint from the motions of its two frames."""
    (R_a, p_a, w_a, v_a), (R_b, p_b, w_b, v_b) = inboard, outboard
    A = joint.alignment
    R, p = A.T @ R_a.T @ R_b @ A, A.T @ R_a.T @ (p_b - p_a)
    w = A.T @ R_b.T @ (w_b - w_a)
    v = A.T @ R_a.T @ (v_b - v_a - np.cross(w_a, p_b - p_a))
    angle = np.arctan2(R[1, 0], R[0, 0])
    if isinstance(joint, kf.Spherical | kf.Free | kf.SlidingBall):
        x, y, z, s = Rotation.from_matrix(R).as_quat()
        e = np.array([s, x, y, z])
        if isinstance(joint, kf.SlidingBall):
            return np.array([p[0], *e]), np.array([v[0], *w])
        return (e, w) if isinstance(joint, kf.Spherical) else (np.array([*p, *e]), np.array([*(R.T @ v), *w]))
    if isinstance(joint, kf.Universal):
        first, second = np.arctan2(R[2, 1], R[1, 1]), np.arctan2(R[0, 2], R[0, 0])
        return np.array([first, second]), np.array([w[0] * np.cos(second) + w[2] * np.sin(second), w[1]])
    if isinstance(joint, kf.Screw):
        return np.array([2 * np.pi * p[2] / joint.pitch]), w[2:]
    found: dict[type, tuple[list[float], list[float]]] = {
        kf.Revolute: ([angle], [w[2]]),
        kf.Prismatic: ([p[2]], [v[2]]),
        kf.Cylindrical: ([angle, p[2]], [w[2], v[2]]),
        kf.Planar: ([p[0], p[1], angle], [v[0], v[1], w[2]]),
        kf.SlidingPin: ([p[0], angle], [v[0], w[2]]),
        kf.Translational: (list(p), list(v)),
        kf.Fixed: ([], []),
    }
    q, rates = found[type(joint)]
    return np.array(q), np.array(rates)


def rerooted(world: World, seed: int, most: int = 100) -> World:
    """The world described by another spanning tree of at most `most` joints. Bodies that it does not reach float, and all
    joints that are not in it close loops. Nothing may refer to a joint by its name, nor be held by a motion."""
    rng = np.random.default_rng([seed, 6])
    links, others = links_of(world)
    old = world.system
    probe = system_of(old)
    probe.take_over(frames={body: dict(frames) for body, frames in old.frames.items()})
    motions = _motions(world, probe, links)
    tree, start = _tree(links, list(old.parts), rng, most), {}
    system = kf.System(old.name, gravity=old.gravity)
    reached, waiting = {"N"}, dict(tree)
    while waiting:
        name = next(n for n, link in waiting.items() if link is None or link.a in reached)
        link = waiting.pop(name)
        reached.add(name)
        body, motion = old.parts[name].body, motions[name]
        if link is None:
            system.add(name, body, kf.Free())
            q, rates = joint_values(kf.Free(), STILL, motion)
        else:
            system.add(name, body, link.joint, link.a, link.at, hinge=link.hinge)
            q, rates = joint_values(link.joint, motions[_side(link, link.a)], motions[_side(link, name)])
        for frame, where in old.frames[name].items():
            if frame not in body.frames:
                system.add_frame(name, frame, where)
        if len(q):
            start |= {f"{name}.q": q, f"{name}.rate": rates}
    used = {link.name for link in tree.values() if link is not None}
    for link in links:
        if link.name not in used:
            ends = [_end(system, link, body, frame) for body, frame in ((link.a, link.at), (link.b, link.hinge))]
            system.close(f"cut_{link.name}", *ends, link.joint)
    for name, constraint in others.items():
        system.constrain(name, constraint)
    for name, (owner, rotor) in old.rotors.items():
        system.add_rotor(name, owner, rotor)
    for name, load in old.loads.items():
        system.apply(name, load)
    for name, load in old.inputs.items():
        system.add_input(name, load)
    for name, contact in old.contacts.items():
        system.contact(name, contact)
    kept = {
        n: x for n, x in world.start.items() if n.partition(".")[2].startswith("modes") or n.partition(".")[0] in old.rotors
    }
    return world.but(system=system, start=start | kept)


def _side(link: Link, body: str) -> str:
    return f"{link.name}.{body}"


def _motions(world: World, probe: kf.System, links: list[Link]) -> dict[str, Motion]:
    """Motions of all bodies, and of both frames of every link, as "link.body"."""
    places = {}
    for k, link in enumerate(links):
        for body, frame in ((link.a, link.at), (link.b, link.hinge)):
            if body != "N":
                name = f"probe{k}{'a' if body == link.a else 'b'}"
                probe.frames.put(body, {**probe.frames[body], name: frame})
                places[_side(link, body)] = f"{body}.{name}"
    found = world.but(system=probe).poses([*world.bodies, *places.values()])
    motions: dict[str, Motion] = {body: found[body] for body in world.bodies}
    motions |= {side: found[place] for side, place in places.items()}
    for link in links:
        for body, frame in ((link.a, link.at), (link.b, link.hinge)):
            if body == "N":
                motions[_side(link, "N")] = (frame.R, frame.p, np.zeros(3), np.zeros(3))
    return motions


def _tree(links: list[Link], bodies: list[str], rng: np.random.Generator, most: int) -> dict[str, Link | None]:
    """For every body the link that it hangs on, from its parent's side; None for one that floats."""
    parents: dict[str, Link | None] = {}
    order = [*rng.permutation(bodies)]
    taken = 0
    if any("N" in (link.a, link.b) for link in links):
        order.insert(0, "N")
    for root in map(str, order):
        if root in parents:
            continue
        if root != "N":
            parents[root] = None
        reached = [root]
        while reached and taken < most:
            here = reached[int(rng.integers(len(reached)))]
            ways = [x if x.a == here else x.turned() for x in links if here in (x.a, x.b)]
            ways = [x for x in ways if x.b not in parents and x.b != "N" and not isinstance(x.hinge, NodeFrame)]
            if not ways:
                reached.remove(here)
                continue
            link = ways[int(rng.integers(len(ways)))]
            parents[link.b] = link
            reached.append(link.b)
            taken += 1
    return parents


def _end(system: kf.System, link: Link, body: str, frame: Frame) -> Any:
    """An end of a closing joint."""
    return frame if body == "N" else system.add_frame(body, f"cut_{link.name}_{'a' if body == link.a else 'b'}", frame)
