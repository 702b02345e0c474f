"""Models from MJCF files of MuJoCo: bodies with an <inertial> on hinge, slide, ball and free joints.

What has no counterpart is refused by its name and line; limits of joints and collisions of geoms are not taken over, which a
warning says.
"""

import math
from pathlib import Path

import numpy as np

from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Joint, Prismatic, Revolute, Spherical
from kaneflex.model.model import Model
from kaneflex.model.urdf.robot import words
from kaneflex.model.urdf.xml import Node, read_xml

IGNORED = ("asset", "visual", "statistic", "size", "sensor", "keyframe", "custom")
IN_BODY = ("body", "joint", "freejoint", "inertial", "geom", "site", "camera", "light")
BODY = ("name", "pos", "quat")
JOINT = ("name", "type", "axis", "pos", "damping", "stiffness", "limited", "range")


def gravity_of(root: Node) -> tuple[float, ...]:
    """Gravity of a file, m/s^2."""
    option = root.first("option")
    return (0.0, 0.0, -9.81) if option is None else option.numbers("gravity", 3, "option", (0.0, 0.0, -9.81))


def read_mjcf(path: Path) -> Node:
    """The root element of an MJCF file, looked through for what has no counterpart."""
    root = read_xml(path)
    if root.tag != "mujoco":
        root.fail(f"<{root.tag}> is no model of MuJoCo: its file begins with <mujoco>")
    for child in root.children:
        if child.tag not in ("compiler", "option", "worldbody", *IGNORED):
            child.fail(f"<{child.tag}> has no counterpart here: take it out")
        if child.tag == "compiler" and set(child.attributes) - {"angle", "inertiafromgeom", "autolimits"}:
            child.fail(f"<compiler> has {', '.join(child.attributes)}: only angle, inertiafromgeom and autolimits are read")
        if child.tag == "option" and set(child.attributes) - {"gravity", "timestep", "integrator"}:
            child.fail(f"<option> has {', '.join(child.attributes)}: only gravity has a counterpart")
    return root


def add_mjcf(model: Model, root: Node) -> None:
    """Put the bodies of a file into an empty model; a joint has the name of its body, of several the first ones are on
    massless bodies "body_1", "body_2", ..."""
    left: set[str] = set()
    for world in root.all("worldbody"):
        for node in world.all("body"):
            _add_body(model, node, None, left)
    if left:
        checks.warn(f"{root.file}: {' and '.join(sorted(left))} are not taken over")


def _add_body(model: Model, node: Node, parent: str | None, left: set[str]) -> None:
    name = "-".join(words(node.attributes.get("name", ""))) or f"body-{len(model.parts) + 1}"
    what = f'body "{name}"'
    _only(node, BODY, what)
    for child in node.children:
        if child.tag not in IN_BODY:
            child.fail(f"{what}: <{child.tag}> has no counterpart here: take it out")
        if child.tag == "geom":
            left.add("collisions of geoms")
    p, R = np.array(node.numbers("pos", 3, what, (0, 0, 0))), _rotation(node, what)
    joints = [child for child in node.children if child.tag in ("joint", "freejoint")]
    here, place = parent, Frame(p, R)
    for k, element in enumerate(joints, start=1):
        last = k == len(joints)
        own = name if last else f"{name}_{k}"
        if element.tag == "joint":
            _only(element, JOINT, what)
        at = np.array(element.numbers("pos", 3, what, (0, 0, 0)))
        body = _inertial(node, what) if last else Rigid(0.0)
        joint = _joint(element, what)
        model.add(own, body, joint, here, Frame(place.p + place.R @ at, place.R), hinge=Frame(at), q=joint.facts.neutral)
        stiffness, damping = (element.number(word, what, 0.0) for word in ("stiffness", "damping"))
        if (stiffness or damping) and joint.facts.speeds > 1:
            element.fail(f"{what}: stiffness or damping of a joint that is no hinge or slide has no counterpart here")
        if stiffness or damping:
            model.apply(f"{own}_spring", JointSpring(own, stiffness=stiffness, damping=damping))
        if "range" in element.attributes:
            left.add("limits of joints")
        here, place = own, Frame()
    if not joints:
        model.add(name, _inertial(node, what), None, here, place)
    for child in node.all("body"):
        _add_body(model, child, name, left)


def _only(node: Node, known: tuple[str, ...], what: str) -> None:
    strange = sorted(set(node.attributes) - set(known))
    if strange:
        node.fail(f"{what}: {', '.join(strange)} of <{node.tag}> has no counterpart here: take it out")


def _joint(node: Node, what: str) -> Joint:
    kind = "free" if node.tag == "freejoint" else node.attributes.get("type", "hinge")
    axis = node.numbers("axis", 3, what, (0, 0, 1))
    if kind in ("hinge", "slide"):
        return (Revolute if kind == "hinge" else Prismatic)(axis)
    if kind not in ("ball", "free"):
        node.fail(f'{what}: there is no joint of type "{kind}"')
    return Spherical() if kind == "ball" else Free()


def _inertial(node: Node, what: str) -> Rigid:
    given = node.first("inertial")
    if given is None:
        node.fail(f"{what} has no <inertial>: masses are not made of geoms here, write it out")
    _only(given, ("pos", "quat", "mass", "diaginertia", "fullinertia"), what)
    if "fullinertia" in given.attributes:
        a, b, c, d, e, f = given.numbers("fullinertia", 6, what)
        own = np.array([[a, d, e], [d, b, f], [e, f, c]])
    else:
        own = np.diag(given.numbers("diaginertia", 3, what, (0, 0, 0)))
    R = _rotation(given, what)
    try:
        return Rigid(given.number("mass", what), given.numbers("pos", 3, what, (0, 0, 0)), R @ own @ R.T)
    except ModelError as e:
        raise e if given.file in str(e) else ModelError(f"{given.file}, line {given.line}: {what}: {e}") from e


def _rotation(node: Node, what: str) -> np.ndarray:
    """Axes of an element by its quaternion, scalar first."""
    w, x, y, z = node.numbers("quat", 4, what, (1, 0, 0, 0))
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if size < 1e-9:
        node.fail(f"{what}: its quat is zero")
    w, x, y, z = w / size, x / size, y / size, z / size
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
