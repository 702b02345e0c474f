"""What a user says about the shapes of a flexible body."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, array, dimensions, items, known, number, positive
from kaneflex.model.typed import typed

METHODS = ("fixed", "fixed-interface", "craig-bampton", "free")


@typed
@dataclass(frozen=True, eq=False)
class ModeChoice:
    """How the shapes of a flexible body are chosen.

    Whatever is chosen, the shapes end mass-orthonormal, diagonal in stiffness and zero at the root.

    Args:
        method: "fixed": vibration modes with the root held. "fixed-interface": with the root and the interfaces held.
            "craig-bampton": those, and six constraint modes per interface (unit displacements, statically): the choice
            for bodies that carry others. "free": vibration modes of the free body, moved rigidly so that the root
            rests; without a root they are the shapes in mean axes.
        count: number of vibration modes; None: as many as lie below `below`. Both: the fewer.
        below: frequency, Hz, up to which vibration modes are kept: 1.5 to 2 times what excites the body.
        effective_mass: vibration modes whose effective mass is less than this fraction in all six directions are dropped.
        residual: nodes for whose unit forces and torques the static shapes are added, so that loads there deflect the
            body as if all modes were kept.
        loads: nodal loads (6n, k), N and N m, for which the same is done (modal truncation vectors).
        highest: frequency, Hz, above which shapes of the finished set are dropped: constraint modes may be very stiff, and
            stiff shapes cost time steps.
    """

    method: str = "fixed"
    count: int | None = 6
    below: float | None = None
    effective_mass: float = 0.0
    residual: tuple[Any, ...] = ()
    loads: Any = None
    highest: float | None = None

    def __post_init__(self) -> None:
        known(self.method, METHODS, "method")
        if self.count is None and self.below is None:
            raise ModelError("neither a count of modes nor a frequency is given: give count= or below=")
        if self.count is not None and (isinstance(self.count, bool) or not isinstance(self.count, (int, np.integer))):
            raise ModelError(f"count of modes is {self.count!r}: give a whole number")
        if self.count is not None and self.count < 0:
            raise ModelError(f"count of modes is {self.count}: it must not be negative")
        for value, what in ((self.below, "below (Hz)"), (self.highest, "highest (Hz)")):
            if value is not None:
                positive(value, what)
        if not 0 <= number(self.effective_mass, "effective_mass") < 1:
            raise ModelError(f"effective_mass is {self.effective_mass}: give a fraction from 0 to less than 1")
        if isinstance(self.residual, (str, int, np.integer)):
            object.__setattr__(self, "residual", (self.residual,))
        for node in items(self.residual, "residual"):
            if isinstance(node, bool) or not isinstance(node, str | int | np.integer):
                array(node, (3,), "residual: place of a node")
        if self.loads is not None:
            rows, columns = np.shape(self.loads) if dimensions(self.loads) == 2 else (6, 1)
            array(self.loads, (rows, columns), "loads")
