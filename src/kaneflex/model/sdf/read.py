"""Models from SDF files (SDFormat): links with their <inertial> on revolute, continuous, prismatic, ball, universal and
fixed joints; a link that is no joint's child moves freely.

What has no counterpart is refused by its name and line; limits, friction, collisions and plugins are not taken over, which a
warning says.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical, Universal
from kaneflex.model.model import Model
from kaneflex.model.sdf.poses import MODEL, Pose, Poses, after, inverse, text_of, written_pose
from kaneflex.model.urdf.robot import words
from kaneflex.model.urdf.xml import Node, read_xml

LOST = {"collision": "collisions", "plugin": "plugins", "sensor": "sensors", "physics": "settings of physics"}
IN_WORLD = ("model", "gravity", "physics", "plugin", "light", "scene", "magnetic_field", "atmosphere", "gui", "wind")
IN_MODEL = ("pose", "static", "link", "joint", "frame", "plugin", "self_collide", "allow_auto_disable", "enable_wind")
IN_LINK = (
    *("pose", "inertial", "visual", "collision", "sensor", "self_collide", "gravity", "kinematic", "enable_wind"),
    *("must_be_base_link", "light", "velocity_decay"),
)
IN_JOINT = ("parent", "child", "pose", "axis", "axis2", "sensor", "physics")
IN_AXIS = ("xyz", "limit", "dynamics", "use_parent_model_frame")
TURNS = {"revolute": 1, "continuous": 1, "prismatic": 1, "universal": 2, "ball": 0, "fixed": 0}  # axes of a joint
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_sdf(path: Path) -> Node:
    """The root element of an SDF file, which holds models or one world of them."""
    root = read_xml(path)
    if root.tag != "sdf":
        root.fail(f"<{root.tag}> is no model of SDF: its file begins with <sdf>")
    return root


def holder_of(root: Node) -> Node:
    """What holds the models: the world, or the file itself."""
    worlds = root.all("world")
    if len(worlds) > 1:
        worlds[1].fail("the file has several worlds: leave one in it")
    holder = worlds[0] if worlds else root
    for child in holder.children:
        if child.tag not in IN_WORLD:
            child.fail(f"<{child.tag}> has no counterpart here: take it out")
    if not holder.all("model"):
        root.fail("there is no <model> in the file")
    return holder


def gravity_of(root: Node) -> tuple[float, ...]:
    """Gravity of a file, m/s^2."""
    node = holder_of(root).first("gravity")
    return (0.0, 0.0, -9.8) if node is None else node.written(3, "gravity")


def name_of(root: Node) -> str:
    """Name of the world, or of the first model."""
    holder = holder_of(root)
    named = holder if holder.tag == "world" else holder.all("model")[0]
    return "-".join(words(named.attributes.get("name", ""))) or "model"


def add_sdf(model: Model, root: Node) -> None:
    """Put the links of a file into an empty model; the joint of a link is the one whose child it is. Of several models the
    names of links begin with those of their model."""
    holder = holder_of(root)
    left: set[str] = set()
    found = holder.all("model")
    for node in found:
        _Reader(model, node, f"{node.word('name', 'model')}-" if len(found) > 1 else "", left).add()
    left |= {LOST[child.tag] for child in holder.children if child.tag in LOST}
    if left:
        checks.warn(f"{root.file}: {' and '.join(sorted(left))} are not taken over")


class _Reader:
    """Reads one model."""

    def __init__(self, model: Model, node: Node, prefix: str, left: set[str]):
        self.model, self.node, self.prefix, self.left = model, node, prefix, left
        self._only(node, IN_MODEL, "model")
        self.links, self.joints, frames = (self._named(tag) for tag in ("link", "joint", "frame"))
        self.poses = Poses(node, self.links, self.joints, frames)
        pose, _ = written_pose(node, "model")
        anchor = node.attributes.get("placement_frame", "").strip()
        self.at: Pose = after(pose, inverse(self.poses.of(anchor, node, "model"))) if anchor else pose
        static = node.first("static")
        self.is_static = static is not None and static.text.strip() in ("true", "1")

    def _only(self, node: Node, known: tuple[str, ...], what: str) -> None:
        for child in node.children:
            if child.tag not in known:
                child.fail(f"{what}: <{child.tag}> has no counterpart here: take it out")
            if child.tag in LOST:
                self.left.add(LOST[child.tag])

    def _named(self, tag: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for node in self.node.all(tag):
            name = node.word("name", tag)
            if name in found:
                node.fail(f'there are two {tag}s "{name}": rename one of them')
            found[name] = node
        return found

    def add(self) -> None:
        """Put in each link after the one that carries it."""
        carried: dict[str, tuple[str, str]] = {}  # by link: its joint, and the link that carries it, "" for the world
        for name, node in self.joints.items():
            what = f'joint "{name}"'
            child, parent = (self.poses.link_of(text_of(node, tag, what), node, what) for tag in ("child", "parent"))
            if not child or child in carried:
                other = f'the child of joint "{carried[child][0]}" already: loops have no counterpart here' if child else ""
                node.fail(f"{what}: its child is {other or 'the world: exchange parent and child'}")
            carried[child] = name, parent
        for link in self._in_order(carried):
            name, parent = carried.get(link, ("", ""))
            if name and not self.is_static:
                self._hang(link, name, parent)
            else:
                free: Joint = Fixed() if self.is_static else Free()
                R, p = after(self.at, self.poses.of(link, self.links[link], f'link "{link}"'))
                self.model.add(self._body(link), self._rigid(link), free, None, Frame(p, R), q=free.facts.neutral or None)

    def _in_order(self, carried: dict[str, tuple[str, str]]) -> Iterator[str]:
        done = {""}
        left = list(self.links)
        while left:
            ready = [link for link in left if carried.get(link, ("", ""))[1] in done]
            if not ready:
                self.joints[carried[left[0]][0]].fail(f"the links {', '.join(left)} hang on one another in a ring")
            yield from ready
            done |= set(ready)
            left = [link for link in left if link not in done]

    def _hang(self, link: str, name: str, parent: str) -> None:
        """A link on its joint."""
        node, what = self.joints[name], f'joint "{name}"'
        self._only(node, IN_JOINT, what)
        here = self.poses.of(name, node, what)
        carrier = self.poses.of(parent, node, what) if parent else inverse(self.at)
        (R, p), (S, s) = after(inverse(carrier), here), after(inverse(self.poses.of(link, node, what)), here)
        joint = self._joint(node, name, here)
        mother = self._body(parent) if parent else None
        own = self._body(link)
        self.model.add(own, self._rigid(link), joint, mother, Frame(p, R), hinge=Frame(s, S), q=joint.facts.neutral or None)
        for axis in node.all("axis")[:1]:
            self._spring(axis, own, joint, what)

    def _joint(self, node: Node, name: str, here: Pose) -> Joint:
        what, kind = f'joint "{name}"', node.word("type", f'joint "{name}"')
        if kind not in TURNS:
            node.fail(f'{what}: joints of type "{kind}" have no counterpart here')
        axes = [axis for tag in ("axis", "axis2")[: TURNS[kind]] for axis in node.all(tag)[:1]]
        if len(axes) != TURNS[kind]:
            node.fail(f"{what} of type {kind} has {len(axes)} <axis>: give {TURNS[kind]}")
        directions = [self._axis(axis, here, what) for axis in axes]
        if kind == "universal":
            try:
                return Universal(tuple(directions))
            except ModelError as e:
                node.fail(f"{what}: {e}")
        if kind in ("ball", "fixed"):
            return Spherical() if kind == "ball" else Fixed()
        return (Prismatic if kind == "prismatic" else Revolute)(directions[0])

    def _axis(self, node: Node, here: Pose, what: str) -> tuple[float, ...]:
        """An axis in the joint's frame."""
        self._only(node, IN_AXIS, what)
        if node.first("limit") is not None:
            self.left.add("limits of joints")
        xyz = node.first("xyz")
        if xyz is None:
            return (0.0, 0.0, 1.0)
        direction, old = np.array(xyz.written(3, what)), node.first("use_parent_model_frame")
        frame = xyz.attributes.get("expressed_in", "").strip()
        if old is not None and old.text.strip() in ("true", "1"):
            frame = MODEL
        if frame:
            direction = here[0].T @ self.poses.of(frame, xyz, what)[0] @ direction
        return tuple(direction.tolist())

    def _spring(self, axis: Node, body: str, joint: Joint, what: str) -> None:
        given = axis.first("dynamics")
        if given is None:
            return
        self._only(given, ("damping", "friction", "spring_stiffness", "spring_reference"), what)
        values = {child.tag: child.written(1, what)[0] for child in given.children}
        if values.get("friction"):
            self.left.add("frictions of joints")
        damping, stiffness = (values.get(word, 0.0) for word in ("damping", "spring_stiffness"))
        if not (damping or stiffness) or not joint.facts.speeds:
            return
        if joint.facts.speeds > 1:
            given.fail(
                f"{what}: damping or stiffness of a joint that neither turns nor slides alone has no counterpart here"
            )
        rest = values.get("spring_reference", 0.0)
        self.model.apply(f"{body}_spring", JointSpring(body, stiffness=stiffness, damping=damping, rest=rest))

    def _body(self, link: str) -> str:
        return self.prefix + "-".join(words(link))

    def _rigid(self, link: str) -> Rigid:
        node, what = self.links[link], f'link "{link}"'
        self._only(node, IN_LINK, what)
        for tag, good in (("gravity", ("true", "1")), ("kinematic", ("false", "0"))):
            found = node.first(tag)
            if found is not None and found.text.strip() not in good:
                found.fail(f"{what}: <{tag}> {found.text.strip()} has no counterpart here")
        for child in (c for c in node.children if c.tag == "velocity_decay" for c in c.children):
            if child.written(1, what)[0]:
                child.fail(f"{what}: <velocity_decay> has no counterpart here: use dampers")
        given = node.first("inertial")
        if given is None:
            return Rigid(1.0, inertia=(1.0, 1.0, 1.0))  # as the format has it
        self._only(given, ("pose", "mass", "inertia"), what)
        if given.attributes.get("auto", "false").strip() in ("true", "1"):
            given.fail(f"{what}: its inertia is to follow from its shapes, which has no counterpart here: write it out")
        (R, p), frame = written_pose(given, what)
        if frame:
            given.fail(f"{what}: the pose of its <inertial> is relative to {frame}: write it in the link's own frame")
        mass, moments = given.first("mass"), given.first("inertia")
        values = dict(zip(MOMENTS, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), strict=True))
        for child in [] if moments is None else moments.children:
            checks.known(child.tag, values, f"{child.file}, line {child.line}: {what}: moment")
            values[child.tag] = child.written(1, what)[0]
        xx, yy, zz, xy, xz, yz = values.values()
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        try:
            return Rigid(1.0 if mass is None else mass.written(1, what)[0], tuple(p.tolist()), R @ own @ R.T)
        except ModelError as e:
            given.fail(f"{what}: {e}")


__all__ = ["add_sdf", "gravity_of", "name_of", "read_sdf"]
