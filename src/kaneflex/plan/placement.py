"""A body as its joint sees it: frames and mass properties from the joint's frame M on the body.

They follow from the part alone, which never changes: they are worked out once, in however many plans the part is.
"""

import numpy as np

from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.model import Part

UPPER = np.triu_indices(3)
_ONE = np.eye(3)
_BODY = Frame()  # a body's own


class Placement:
    """The joint's frame M on a body, and the body from there.

    Attributes:
        R, p: orientation and origin of M, in the body's axes and from its origin, m.
        own: the body's own frame, from M.
        mass: mass (kg), mass moment (3, kg m) and inertia (6, kg m^2, upper triangle), in axes of M and about its origin.
    """

    def __init__(self, part: Part):
        self.R, self.p = part.hinge.R @ part.joint.alignment, part.hinge.p
        self.own = _moved(_BODY, self.R, self.p)
        mass, moment, J = part.body.mass_properties()
        if mass > 0:
            c = moment / mass
            d = c - self.p
            J = J + mass * ((d @ d - c @ c) * _ONE + np.outer(c, c) - np.outer(d, d))
        self.mass = np.array([mass, *(self.R.T @ (moment - mass * self.p)), *(self.R.T @ J @ self.R)[UPPER]])
        self._frames: dict[int, tuple[Frame, Frame]] = {}

    def frame(self, frame: Frame) -> Frame:
        """A frame given from the body's origin, from M."""
        known = self._frames.get(id(frame))
        if known is None:  # the frame is kept with what is made of it, so that its id stays its own
            known = self._frames[id(frame)] = frame, _moved(frame, self.R, self.p)
        return known[1]


def placement(part: Part) -> Placement:
    """The placement of a part; made anew where functions give its mass, which count as they are now."""
    if part.body.facts.outputs:
        return Placement(part)
    known: Placement | None = part.__dict__.get("placement")
    if known is None:
        known = part.__dict__["placement"] = Placement(part)
    return known


def _moved(frame: Frame, R: np.ndarray, p: np.ndarray) -> Frame:
    """A frame given from the body's origin, as seen from the joint's frame M with orientation R and origin p."""
    if isinstance(frame, NodeFrame):
        return NodeFrame((0.0, 0.0, 0.0), R.T @ frame.R, frame.node)
    return Frame.of(R.T @ frame.R, R.T @ (frame.p - p))


__all__ = ["UPPER", "Placement", "placement"]
