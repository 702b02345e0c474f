"""Named frames fixed on a body."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.typed import Rule, typed

GROUND = "N"  # the inertial frame


@typed
@dataclass(frozen=True)
class Frame:
    """A place and an orientation on a body.

    Args:
        position: origin from the body's origin, in body axes, m.
        rotation: R of the frame in the body (components in the frame to components in the body), as a 3x3 matrix or as
            turns in order, e.g. (("z", 0.3), ("x", 0.1)), angles in rad; None for the body's own axes.
    """

    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", checks.vector(self.position, "position of a frame"))
        if self.rotation is not None:
            R = checks.rotation(self.rotation, "rotation of a frame")
            object.__setattr__(self, "rotation", tuple(tuple(float(x) for x in row) for row in R))

    @classmethod
    def of(cls, R: checks.Vector, p: checks.Vector) -> "Frame":
        """A frame from a rotation matrix R and an origin p, computed ones, which are looked at for their shape only."""
        if R.shape != (3, 3) or p.shape != (3,) or not np.isfinite(R.sum() + p.sum()):
            raise checks.ModelError("a frame is made of a matrix of 3 by 3 finite numbers and of 3 finite numbers")
        return cls._of(R, p)

    @classmethod
    def _of(cls, R: checks.Vector, p: checks.Vector) -> "Frame":
        """`of` without a look at what is given: for the many frames of a plan, made of frames that were checked."""
        frame = object.__new__(cls)
        frame.__dict__.update(position=tuple(p.tolist()), rotation=tuple(map(tuple, R.tolist())))
        return frame

    @property
    def R(self) -> checks.Vector:
        """Rotation matrix, components in the frame to components in the body."""
        return np.eye(3) if self.rotation is None else np.array(self.rotation)

    @property
    def p(self) -> checks.Vector:
        """Origin in body axes, m."""
        return np.array(self.position)


@dataclass(frozen=True)
class NodeFrame(Frame):
    """A frame that moves with a node of a flexible body; position and rotation are those of the undeformed body.

    Args:
        position: of the node from the body's origin, in body axes, m.
        rotation: of the frame in the undeformed body, see Frame.
        node: name of the node.
    """

    node: str = ""


def as_frame(value: Any, what: str) -> Frame:
    """A frame from a Frame or from a position."""
    if isinstance(value, Frame):
        return value
    try:
        return Frame(value)
    except checks.ModelError as e:
        raise checks.ModelError(f"{what}: {e}") from e


def is_place(value: Any) -> bool:
    """Whether a value can name or be a place: "body", "body.frame", "N", or a Frame or point of N."""
    if isinstance(value, str):
        return value != ""
    if isinstance(value, Frame):
        return True
    try:
        checks.array(value, (3,), "a point of N")
    except checks.ModelError:
        return False
    return True


Place = Annotated[Any, Rule(is_place, 'a place: "body", "body.frame", "N", a Frame or a point of N')]
