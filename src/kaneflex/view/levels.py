"""Heights that a page draws as planes: the surface of the water, and the bed or ground below."""

import numpy as np

from kaneflex.model.forces import Morison, SoftGround
from kaneflex.model.media import Sea
from kaneflex.model.model import Model
from kaneflex.view.fittings import is_ground, planes_of


def levels_of(model: Model) -> dict[str, float]:
    """Heights "water" and "bed", where the model has them, m against gravity from the inertial origin.

    Args:
        model: the model.
    """
    found: dict[str, float] = {}
    g = np.array(model.gravity)
    up = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])
    for load in model.loads.values():
        if isinstance(load, Morison) and isinstance(load.medium, Sea):
            found.setdefault("water", float(load.medium.surface))
            if load.medium.depth is not None:
                found.setdefault("bed", float(load.medium.surface - load.medium.depth))
        elif isinstance(load, SoftGround) and (load.normal is None or np.allclose(load.normal, up)):
            found["bed"] = float(load.level)
    for body, frame in planes_of(model):
        if is_ground(model, body, frame):
            found.setdefault("bed", float(frame.p @ up))
    return found


__all__ = ["levels_of"]
