"""From what a URDF says to bodies, joints, loads, couplers and shapes of a model."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model import checks, shapes
from kaneflex.model.bodies import BodyBase, Rigid, RigidAsGiven
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Coupler
from kaneflex.model.forces import JointForce, JointSpring
from kaneflex.model.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from kaneflex.model.model import Model
from kaneflex.model.urdf.collada import read_collada
from kaneflex.model.urdf.paths import find_mesh
from kaneflex.model.urdf.robot import Robot, UrdfJoint, UrdfLink, Visual, listed

MOVING = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "planar": Planar}


def add_robot(
    model: Model,
    robot: Robot,
    *,
    floating: bool,
    bodies: Mapping[str, BodyBase],
    locked: Sequence[str],
    friction_rate: float | None,
) -> None:
    """Put a robot into an empty model: one body for each link, under the link's name.

    Args:
        model: to be filled.
        robot: what the file says.
        floating: True for a root on a Free joint, False for one fixed in N.
        bodies: by link, in place of what the file gives.
        locked: joints that stay at zero.
        friction_rate: rate at which Coulomb friction is near its full value, rad/s or m/s; None to leave it out.
    """
    for name in bodies:
        checks.known(name, robot.links, f"{robot.path.name}: link with a body of your own:")
    for name in locked:
        checks.known(name, robot.joints, f"{robot.path.name}: joint to be locked:")
    still = {joint.name for joint in robot.joints.values() if joint.kind == "fixed" or joint.name in locked}
    unreal: list[str] = []
    made = {name: bodies.get(name) or _body(link, unreal) for name, link in robot.links.items()}
    if unreal:
        _warn(f"{robot.path.name}: no distribution of mass has the inertia of {listed(unreal)}: taken as given")
    root: Joint = Free() if floating else Fixed()
    model.add(robot.bodies[robot.root], made[robot.root], root, q=root.facts.neutral or None)
    for joint in robot.joints.values():
        kind = _joint(joint, joint.name in still)
        q = robot.master(joint.name)[2] if joint.mimic is not None and kind.facts.coordinates else None
        model.add(
            robot.bodies[joint.child],
            made[joint.child],
            kind,
            robot.bodies[joint.parent],
            joint.origin,
            q=kind.facts.neutral or None if q is None else q,
        )
    for joint in robot.joints.values():
        if joint.name not in still:
            _resist(model, robot, joint, friction_rate)
            _follow(model, robot, joint, still)
    rubbing = [joint.name for joint in robot.joints.values() if joint.friction and joint.name not in still]
    if rubbing and friction_rate is None:
        _warn(f"{robot.path.name}: Coulomb friction of {listed(rubbing)} is left out: give friction_rate to have it")


def _body(link: UrdfLink, unreal: list[str]) -> BodyBase:
    try:
        return Rigid(link.mass, link.com, link.inertia)
    except ModelError:
        unreal.append(link.name)
        return RigidAsGiven(link.mass, link.com, link.inertia)


def _joint(joint: UrdfJoint, still: bool) -> Joint:
    if still:
        return Fixed()
    return Free() if joint.kind == "floating" else MOVING[joint.kind](joint.axis)


def _resist(model: Model, robot: Robot, joint: UrdfJoint, friction_rate: float | None) -> None:
    """Damping and friction of a joint."""
    body = robot.bodies[joint.child]
    if joint.damping:
        model.apply(f"{body}_damping", JointSpring(body, damping=joint.damping))
    if not joint.friction or friction_rate is None:
        return
    if joint.kind in ("planar", "floating"):
        raise ModelError(
            f'{robot.path.name}, line {joint.line}: joint "{joint.name}" is {joint.kind} and has Coulomb friction, whose '
            "direction the format does not tell: leave friction_rate out, and apply a force of your own"
        )
    rubbing = partial(_friction, joint.friction, checks.positive(friction_rate, "friction_rate") ** 2)
    model.apply(f"{body}_friction", JointForce(body, rubbing, sees=[f"{body}.rate"]))


def _friction(force: float, square: float, t: Any, x: Any) -> Any:
    """Coulomb friction, smooth where the rate changes its sign; `square` is that of the rate where it is 71 % there."""
    return -force * x[0] / (x[0] * x[0] + square) ** 0.5


def _follow(model: Model, robot: Robot, joint: UrdfJoint, still: set[str]) -> None:
    """The coupler of a joint that mimics another; one that stands still is at zero."""
    if joint.mimic is None:
        return
    other, ratio, offset = joint.mimic
    terms = {robot.bodies[joint.child]: 1.0}
    if ratio and other not in still:
        terms[robot.body(other)] = -ratio
    model.constrain(f"{robot.bodies[joint.child]}_mimic", Coupler(terms, offset))


def show_robot(model: Model, robot: Robot, packages: Mapping[str, str | Path], meshes: bool) -> None:
    """Give the bodies of a robot the shapes of its visuals.

    Args:
        model: that holds the robot.
        robot: what the file says.
        packages: folders by package.
        meshes: False to leave mesh files unread.
    """
    lacking: list[str] = []
    surfaces: dict[str, Any] = {}
    for link in robot.links.values():
        for visual in link.visuals:
            if visual.kind != "mesh":
                model.show(robot.bodies[link.name], *_shapes(visual))
            elif meshes:
                if visual.file not in surfaces:
                    surfaces[visual.file] = _surface(visual.file, robot.path, packages, lacking)
                if surfaces[visual.file] is not None:
                    model.show(robot.bodies[link.name], _mesh(visual, *surfaces[visual.file]))
    if lacking:
        _warn(f"{robot.path.name}: not shown: {'; '.join(lacking[:8])}" + (" and more" if len(lacking) > 8 else ""))


def _look(visual: Visual) -> dict[str, Any]:
    look: dict[str, Any] = {"position": visual.origin.position, "rotation": visual.origin.rotation}
    if visual.color is not None:
        look["color"] = "#" + "".join(f"{round(255 * x):02x}" for x in visual.color[:3])
        look["opacity"] = visual.color[3]
    return look


def _shapes(visual: Visual) -> list[shapes.Shape]:
    look = _look(visual)
    if visual.kind == "box":
        return [shapes.Box(visual.size, **look)]
    if visual.kind == "sphere":
        return [shapes.Sphere(visual.size[0], **look)]
    found: list[shapes.Shape] = [shapes.Cylinder(visual.size[0], visual.size[1], **look)]
    if visual.kind == "capsule":
        for side in (-0.5, 0.5):
            end = visual.origin.p + visual.origin.R @ np.array([0.0, 0.0, side * visual.size[1]])
            found.append(shapes.Sphere(visual.size[0], **(look | {"position": end})))
    return found


def _surface(address: str, urdf: Path, packages: Mapping[str, str | Path], lacking: list[str]) -> Any:
    path = find_mesh(address, urdf, packages)
    if path is None:
        lacking.append(f"{address} is not found (give packages, or set ROS_PACKAGE_PATH)")
        return None
    try:
        if path.suffix.lower() == ".dae":
            return read_collada(path)
        mesh = shapes.Mesh.from_file(path)
        return mesh.vertices, mesh.triangles
    except ModelError as e:
        lacking.append(f"{address}: {e}")
        return None


def _mesh(visual: Visual, vertices: Any, triangles: Any) -> shapes.Mesh:
    mirrored = np.prod(visual.size) < 0
    return shapes.Mesh(vertices * np.array(visual.size), triangles[:, ::-1] if mirrored else triangles, **_look(visual))


def _warn(words: str) -> None:
    checks.warn(words)
