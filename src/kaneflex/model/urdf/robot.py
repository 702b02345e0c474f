"""A robot as a URDF file describes it: links, joints and what they look like. Reads the file; builds nothing."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame
from kaneflex.model.typed import typed
from kaneflex.model.urdf.xml import Node, read_xml

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
GEOMETRIES = {"box": ("size", 3), "cylinder": ("radius length", 1), "capsule": ("radius length", 1), "sphere": ("radius", 1)}
TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass(frozen=True)
class Visual:
    """What a link looks like, or a part of it.

    Args:
        kind: "box", "cylinder", "capsule", "sphere" or "mesh".
        origin: of the geometry in the link's frame.
        size: edges of a box, radius and length (along z) of a cylinder or capsule, radius of a sphere, scale of a mesh.
        file: address of a mesh, as written.
        color: red, green, blue and opacity, each 0 to 1; None where none is given.
    """

    kind: str
    origin: Frame
    size: tuple[float, ...]
    file: str = ""
    color: tuple[float, ...] | None = None


@dataclass(frozen=True)
class UrdfLink:
    """A link.

    Args:
        name: as written.
        mass: kg. com: mass centre in the link's frame, m.
        inertia: about the mass centre, in the link's axes, kg m^2.
        has_inertial: whether the file gives mass and inertia.
        visuals: what it looks like.
    """

    name: str
    mass: float = 0.0
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: Any = field(default_factory=lambda: np.zeros((3, 3)))
    has_inertial: bool = False
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True)
class Limit:
    """Bounds of a joint, which no simulation enforces by itself.

    Args:
        lower, upper: of the coordinate, rad or m; None for a continuous joint or where not given.
        effort: largest drive torque or force, N m or N. velocity: largest rate, rad/s or m/s.
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class UrdfJoint:
    """A joint.

    Args:
        name: as written.
        kind: "fixed", "revolute", "continuous", "prismatic", "planar" or "floating".
        parent, child: links, as written.
        origin: of the joint (and of the child where the coordinates are zero) in the parent's frame.
        axis: unit vector in the joint's frame; the plane's normal for a planar joint.
        limit: bounds, or None.
        damping: N m s/rad or N s/m. friction: Coulomb friction, N m or N.
        mimic: (other joint, multiplier, offset) of a joint that follows another, or None.
        line: where it stands in the file.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Frame
    axis: tuple[float, float, float]
    limit: Limit | None
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None
    line: int


@typed
@dataclass(frozen=True)
class Robot:
    """What a URDF file says.

    Args:
        name: of the robot.
        path: of the file.
        links: by name, as written.
        joints: by name, as written, in an order in which every link comes after its parent.
        root: the link without parent.
        bodies: name of the body in the system, by link: the link's own, with "_" for dots, spaces and slashes.
    """

    name: str
    path: Path
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    root: str
    bodies: Mapping[str, str]

    def body(self, joint: str) -> str:
        """Body whose coordinates are those of a joint: the channels are f"{body}.q" and f"{body}.rate"."""
        return self.bodies[self.joints[checks.known(joint, self.joints, "joint")].child]

    def initial(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Coordinates by joint as `simulate(initial=...)` and `state(...)` take them.

        Args:
            values: coordinate (rad or m), or coordinates, by joint. Joints not named start at zero; those that mimic one
                follow it.
        """
        given = {self.body(name): value for name, value in values.items()}
        for joint in self.joints.values():
            if joint.mimic is not None and joint.name not in values and self.master(joint.name)[0] in values:
                master, ratio, offset = self.master(joint.name)
                given[self.body(joint.name)] = ratio * values[master] + offset
        return {f"{body}.q": value for body, value in given.items()}

    def master(self, joint: str) -> tuple[str, float, float]:
        """The joint that another one follows in the end, with multiplier and offset: coordinate = multiplier q + offset."""
        ratio, offset, seen = 1.0, 0.0, [checks.known(joint, self.joints, "joint")]
        while (mimic := self.joints[seen[-1]].mimic) is not None:
            offset, ratio = offset + ratio * mimic[2], ratio * mimic[1]
            if mimic[0] in seen:
                raise ModelError(
                    f'{self.path.name}: joint "{joint}" mimics itself, by way of {seen}: let one of them be free'
                )
            seen.append(mimic[0])
        return seen[-1], ratio, offset


def read_urdf(path: Path) -> Robot:
    """Read a file.

    Args:
        path: of the file.
    """
    root = read_xml(path)
    _check_kind(root)
    colors = {m.attributes.get("name", ""): _color(m) for m in root.all("material")}
    links: dict[str, UrdfLink] = {}
    for node in root.all("link"):
        name = node.word("name", "a link")
        if name in links:
            node.fail(f'there is a link "{name}" already: give every link its own name')
        links[name] = _link(node, name, colors)
    if not links:
        root.fail("the robot has no link: add one")
    joints: dict[str, UrdfJoint] = {}
    for node in root.all("joint"):
        name = node.word("name", "a joint")
        if name in joints:
            node.fail(f'there is a joint "{name}" already: give every joint its own name')
        joints[name] = _joint(node, name, links)
    top, ordered = _tree(path.name, links, joints)
    robot = Robot(root.attributes.get("name", "robot"), path, links, ordered, top, _bodies(path.name, links))
    _check_mimics(robot)
    return robot


def _check_kind(root: Node) -> None:
    if root.tag != "robot":
        root.fail(f"this is a <{root.tag}>, not a URDF's <robot>: convert it to URDF first")
    for node in root.below():
        if node.space.endswith("xacro") or any("${" in v or "$(" in v for v in node.attributes.values()):
            node.fail(f"<{node.tag}> is written in xacro: run xacro first (`xacro robot.urdf.xacro > robot.urdf`)")


def _frame(node: Node | None, what: str) -> Frame:
    """The frame of an <origin>; roll, pitch and yaw are turns about fixed x, y, z in this order."""
    if node is None:
        return Frame()
    roll, pitch, yaw = node.numbers("rpy", 3, what, (0.0, 0.0, 0.0))
    turned = (("z", yaw), ("y", pitch), ("x", roll)) if roll or pitch or yaw else None
    return Frame(node.numbers("xyz", 3, what, (0.0, 0.0, 0.0)), turned)


def _link(node: Node, name: str, colors: Mapping[str, Any]) -> UrdfLink:
    what = f'link "{name}"'
    visuals = tuple(_visual(v, what, colors) for v in node.all("visual"))
    inertial = node.first("inertial")
    if inertial is None:
        return UrdfLink(name, visuals=visuals)
    origin = _frame(inertial.first("origin"), what)
    mass, tensor = inertial.first("mass"), inertial.first("inertia")
    if mass is None or tensor is None:
        inertial.fail(f"{what}: its <inertial> has no <{'mass' if mass is None else 'inertia'}>: give both or no <inertial>")
    kilograms = mass.number("value", what)
    if kilograms < 0:
        mass.fail(f"{what}: its mass is {kilograms:g}: it must not be negative")
    xx, yy, zz, xy, xz, yz = (tensor.number(k, what, 0.0 if k in ("ixy", "ixz", "iyz") else None) for k in TENSOR)
    R = origin.R
    J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return UrdfLink(name, kilograms, origin.position, (J + J.T) / 2, True, visuals)


def _visual(node: Node, what: str, colors: Mapping[str, Any]) -> Visual:
    geometry, material = node.first("geometry"), node.first("material")
    if geometry is None or not geometry.children:
        node.fail(f"{what}: a <visual> has no geometry: give a <box>, <cylinder>, <sphere> or <mesh>")
    color = None
    if material is not None:
        color = _color(material) or colors.get(material.attributes.get("name", ""))
    shape, origin = geometry.children[0], _frame(node.first("origin"), what)
    if shape.tag == "mesh":
        size = shape.numbers("scale", 3, what, (1.0, 1.0, 1.0))
        return Visual("mesh", origin, size, shape.word("filename", what), color)
    if shape.tag not in GEOMETRIES:
        shape.fail(f"{what}: geometry <{shape.tag}> is not known: there are {', '.join(GEOMETRIES)} and mesh")
    names, count = GEOMETRIES[shape.tag]
    size = tuple(x for n in names.split() for x in shape.numbers(n, count, what))
    if min(size) <= 0:
        shape.fail(f"{what}: <{shape.tag}> has the size {size}: sizes must be positive")
    return Visual(shape.tag, origin, size, color=color)


def _color(material: Node) -> tuple[float, ...] | None:
    node = material.first("color")
    if node is None:
        return None
    values = node.numbers("rgba", 4, f'material "{material.attributes.get("name", "")}"')
    return tuple(min(max(x, 0.0), 1.0) for x in values)


def _joint(node: Node, name: str, links: Mapping[str, UrdfLink]) -> UrdfJoint:
    what = f'joint "{name}"'
    kind = node.word("type", what)
    if kind not in KINDS:
        node.fail(f'{what}: its type is "{kind}": there are {", ".join(KINDS)}')
    ends = []
    for tag in ("parent", "child"):
        end = node.first(tag)
        if end is None:
            node.fail(f'{what} has no {tag}: write <{tag} link="..."/>')
        link = end.word("link", what)
        if link not in links:
            end.fail(f'{what}: its {tag} "{link}" is not a link of the file: add the link, or correct the name')
        ends.append(link)
    axis = node.first("axis")
    direction = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3, what, (1.0, 0.0, 0.0))
    if not any(direction) and kind not in ("fixed", "floating"):
        (axis or node).fail(f"{what}: its axis is zero: give a direction")
    dynamics = node.first("dynamics")
    damping, friction = 0.0, 0.0
    if dynamics is not None:
        damping, friction = (dynamics.number(n, what, 0.0) for n in ("damping", "friction"))
        if min(damping, friction) < 0:
            dynamics.fail(f"{what}: damping {damping:g}, friction {friction:g}: they must not be negative")
    return UrdfJoint(
        name,
        kind,
        ends[0],
        ends[1],
        _frame(node.first("origin"), what),
        checks.axis(direction, what) if any(direction) else (1.0, 0.0, 0.0),
        _limit(node.first("limit"), kind, what),
        damping,
        friction,
        _mimic(node.first("mimic"), what),
        node.line,
    )


def _limit(node: Node | None, kind: str, what: str) -> Limit | None:
    if node is None:
        return None
    found: dict[str, float] = {
        n: node.number(n, what) for n in ("lower", "upper", "effort", "velocity") if n in node.attributes
    }
    if kind in ("revolute", "prismatic"):
        found = {"lower": 0.0, "upper": 0.0} | found  # what the format says of bounds that are not written
        if found["lower"] > found["upper"]:
            node.fail(f"{what}: its limits are {found['lower']:g} and {found['upper']:g}: lower must not be above upper")
    else:
        found = {n: x for n, x in found.items() if n in ("effort", "velocity")}
    return Limit(**found)


def _mimic(node: Node | None, what: str) -> tuple[str, float, float] | None:
    if node is None:
        return None
    return node.word("joint", what), node.number("multiplier", what, 1.0), node.number("offset", what, 0.0)


def _tree(file: str, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> tuple[str, dict[str, UrdfJoint]]:
    """The root, and the joints from it outwards; a file that is no tree is refused."""
    inboard: dict[str, UrdfJoint] = {}
    outboard: dict[str, list[UrdfJoint]] = {name: [] for name in links}
    for joint in joints.values():
        if joint.child in inboard:
            raise ModelError(
                f'{file}, line {joint.line}: link "{joint.child}" has two parents, by joints "{inboard[joint.child].name}" '
                f'and "{joint.name}": a URDF is a tree; leave one joint out and close the loop with System.close'
            )
        inboard[joint.child] = joint
        outboard[joint.parent].append(joint)
    roots = [name for name in links if name not in inboard]
    if not roots:
        raise ModelError(f"{file}: no link is the root, for every link is some joint's child: leave out a joint of the loop")
    if len(roots) > 1:
        raise ModelError(
            f"{file}: links {listed(roots)} have no parent: a URDF has one root; tie the others to it by joints"
        )
    waiting, ordered = [roots[0]], {}
    while waiting:
        for joint in outboard[waiting.pop()]:
            ordered[joint.name] = joint
            waiting.append(joint.child)
    lost = [joint.name for joint in joints.values() if joint.name not in ordered]
    if lost:
        raise ModelError(
            f'{file}: joints {listed(lost)} go round in a loop that does not reach the root "{roots[0]}": open it'
        )
    return roots[0], ordered


def words(text: str) -> list[str]:
    """What stands between the dots, spaces and slashes of a name."""
    return re.sub(r"[./\\]", " ", text).split()


def _bodies(file: str, links: Iterable[str]) -> dict[str, str]:
    """Names that the package can use: no dots, spaces or slashes."""
    names = {link: "_".join(words(link)) for link in links}
    for link, name in names.items():
        twins = [other for other, n in names.items() if n == name and other != link]
        if twins:
            raise ModelError(f'{file}: links "{link}" and "{twins[0]}" would both be named "{name}": rename one of them')
    return names


def _check_mimics(robot: Robot) -> None:
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        what = f'{robot.path.name}, line {joint.line}: joint "{joint.name}"'
        if joint.mimic[0] not in robot.joints:
            raise ModelError(f'{what} mimics "{joint.mimic[0]}", which is not a joint of the file: correct the name')
        for name in (joint.name, joint.mimic[0]):
            if robot.joints[name].kind in ("planar", "floating"):
                raise ModelError(
                    f'{what} mimics "{joint.mimic[0]}", but "{name}" is {robot.joints[name].kind}, with several '
                    "coordinates: take <mimic> out, and tie them with a Coupler"
                )
        robot.master(joint.name)


def listed(names: list[str]) -> str:
    """Names for a message."""
    shown = ", ".join(f'"{n}"' for n in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown
