"""Poses of an SDF model: each is relative to some frame by its name, and all are led back to the model's own.

Ref: SDFormat, "Pose Frame Semantics" (sdformat.org), versions 1.5 to 1.11.
"""

import math

import numpy as np

from kaneflex.model.urdf.xml import Node

MODEL = "__model__"
Pose = tuple[np.ndarray, np.ndarray]  # R and p: x in the frame of reference = R x + p
HERE: Pose = np.eye(3), np.zeros(3)


def after(first: Pose, then: Pose) -> Pose:
    """The pose of a frame that is at `then` in a frame that is at `first`."""
    return first[0] @ then[0], first[0] @ then[1] + first[1]


def inverse(pose: Pose) -> Pose:
    """That of the frame of reference, seen from the frame."""
    return pose[0].T, -pose[0].T @ pose[1]


def written_pose(owner: Node, what: str) -> tuple[Pose, str]:
    """The <pose> of an element, and the frame that it names, "" where it names none."""
    node = owner.first("pose")
    if node is None:
        return HERE, ""
    frame = node.attributes.get("relative_to", node.attributes.get("frame", "")).strip()
    form = node.attributes.get("rotation_format", "euler_rpy")
    if form == "quat_xyzw":
        values = node.written(7, what)
        x, y, z, w = np.array(values[3:]) / (math.hypot(*values[3:]) or math.nan)
        if not math.isfinite(w):
            node.fail(f"{what}: the quaternion of its <pose> is zero")
        v = np.array([x, y, z])
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return ((w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross, np.array(values[:3])), frame
    if form != "euler_rpy":
        node.fail(f'{what}: there is no rotation_format "{form}"')
    values = node.written(6, what) if node.text.strip() else (0.0,) * 6
    degrees = node.attributes.get("degrees", "false").strip() in ("true", "1")
    roll, pitch, yaw = np.radians(values[3:]) if degrees else values[3:]
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    R = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return (R, np.array(values[:3])), frame


class Poses:
    """Frames of a model by name: links, joints and frames of their own.

    Args:
        model: the element.
        links, joints, frames: its elements by name.
    """

    def __init__(self, model: Node, links: dict[str, Node], joints: dict[str, Node], frames: dict[str, Node]):
        self.model, self.links, self.joints, self.frames = model, links, joints, frames
        self._known: dict[str, Pose] = {MODEL: HERE}
        self._open: list[str] = []

    def of(self, name: str, asking: Node, what: str) -> Pose:
        """Where a frame is in the model."""
        if name in self._known:
            return self._known[name]
        node = next((table[name] for table in (self.links, self.joints, self.frames) if name in table), None)
        if node is None:
            asking.fail(f'{what}: there is no link, joint or frame "{name}"')
        if name in self._open:
            asking.fail(f'{what}: the pose of "{name}" is relative to itself, by way of {" and ".join(self._open)}')
        self._open.append(name)
        pose, frame = written_pose(node, f'{node.tag} "{name}"')
        if not frame and name in self.joints:
            frame = child_of(node, name)
        elif not frame:
            frame = node.attributes.get("attached_to", "").strip() or MODEL
        self._known[name] = after(self.of(frame, node, f'{node.tag} "{name}"'), pose)
        self._open.pop()
        return self._known[name]

    def link_of(self, name: str, asking: Node, what: str) -> str:
        """The link that a frame is on; "" for the model's own frame, and for the world."""
        seen: list[str] = []
        while name not in self.links:
            if name in ("world", MODEL) or name in seen:
                return ""
            seen.append(name)
            if name in self.joints:
                name = child_of(self.joints[name], name)
            elif name in self.frames:
                name = self.frames[name].attributes.get("attached_to", "").strip() or MODEL
            else:
                asking.fail(f'{what}: there is no link, joint or frame "{name}"')
        return name


def child_of(joint: Node, name: str) -> str:
    """What a joint names as its child."""
    return text_of(joint, "child", f'joint "{name}"')


def text_of(node: Node, tag: str, what: str) -> str:
    """The text of an element that must be there."""
    found = node.first(tag)
    text = "" if found is None else found.text.strip()
    if not text:
        node.fail(f"{what} has no <{tag}>: write it out")
    return text


__all__ = ["MODEL", "Pose", "Poses", "after", "inverse", "text_of", "written_pose"]
