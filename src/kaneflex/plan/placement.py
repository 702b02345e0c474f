"""A body as its joint sees it: frames and mass properties from the joint's frame M on the body.

They follow from the part alone, which never changes: they are worked out once, in however many plans the part is.
"""

import numpy as np

from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.part import Part

UPPER = np.triu_indices(3)
_ONE = np.eye(3)


class Placement:
    """The joint's frame M on a body, and the body from there.

    Attributes:
        R, p: orientation and origin of M, in the body's axes and from its origin, m.
        own: the body's own frame, from M.
        mass: mass (kg), mass moment (3, kg m) and inertia (6, kg m^2, upper triangle), in axes of M and about its origin.
        parameters: the body's row of a plan, and the place on the parent that it is for; None before it is made.
    """

    def __init__(self, part: Part):
        hinge, R = part.hinge, part.joint.alignment
        self.R = R if hinge.rotation is None else hinge.R @ R
        self.p = p = hinge.p
        self.own = Frame._of(self.R.T, self.R.T @ (0.0 - p))
        mass, moment, J = part.body.mass_properties()
        if mass > 0 and any(hinge.position):
            c = moment / mass
            d = c - p
            J = J + mass * ((d @ d - c @ c) * _ONE + np.outer(c, c) - np.outer(d, d))
            moment = moment - mass * p
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (self.R.T @ J @ self.R).tolist()
        self.mass = np.array([mass, *(self.R.T @ moment).tolist(), xx, xy, xz, yy, yz, zz])
        self.parameters: tuple[Frame, np.ndarray] | None = None
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
    turned = R.T if frame.rotation is None else R.T @ frame.R
    return Frame._of(turned, R.T @ (frame.p - p))


__all__ = ["UPPER", "Placement", "placement"]
