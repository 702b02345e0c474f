"""Motion of one node of a flexible body with its modes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True, eq=False)
class NodeModes:
    """Motion of one node: position + Phi eta + 1/2 G eta eta; rotation vector Psi eta + 1/2 H eta eta.

    In the body's axes, m and rad; G and H are symmetric in the modes. A node without rotations (solids, bars) has Psi = 0.
    """

    position: Vector  # (3,) of the undeformed node, from O
    Phi: Vector  # (3, m)
    Psi: Vector  # (3, m)
    G: Vector  # (3, m, m)
    H: Vector  # (3, m, m)

    def __post_init__(self) -> None:
        own_arrays(self)
        m = np.shape(self.Phi)[-1] if np.ndim(self.Phi) else 0
        check_shapes(self, {"position": (3,), "Phi": (3, m), "Psi": (3, m), "G": (3, m, m), "H": (3, m, m)})


def own_arrays(owner: Any) -> None:
    """Gives an object its own read-only copies of the arrays it is made of."""
    for part in fields(owner):
        if part.type is Vector:
            value = np.array(getattr(owner, part.name), dtype=float)
            value.setflags(write=False)
            object.__setattr__(owner, part.name, value)


def check_shapes(owner: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuses arrays of another shape than they must have."""
    for name, shape in shapes.items():
        if getattr(owner, name).shape != shape:
            raise ModelError(f"{name} of a {type(owner).__name__} has shape {getattr(owner, name).shape}: give {shape}")
