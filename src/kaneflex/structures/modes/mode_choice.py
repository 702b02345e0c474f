"""What a user says about the shapes of a flexible body."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, array, dimensions, items, known, number, positive
from kaneflex.model.typed import typed

METHODS = ("fixed", "fixed-interface", "craig-bampton", "pinned", "free")


@typed
@dataclass(frozen=True, eq=False)
class ModeChoice:
    """How the shapes of a flexible body are chosen.

    Whatever is chosen, the shapes end mass-orthonormal, diagonal in stiffness and zero at the root.

    Args:
        method: "fixed": vibration modes with the root held. "fixed-interface": with the root and the interfaces held.
            "craig-bampton": those, and six constraint modes per interface (unit displacements, statically). "pinned": for
            a straight body between pins, vibration modes that are simply supported at the root and the interfaces, moved
            rigidly so that the root rests: with the turn of the root they are what is seen from the chord. "free":
            vibration modes of the free body, moved in the same way; without a root they are the shapes in mean axes.
        count: number of vibration modes; None: as many as lie below `below`. Both: the fewer.
        total: number of shapes in all, in place of count: static shapes of the loads at `residual`, two thirds of the number
            at most and the softest where there are more, and vibration modes to make it up. The choice for bodies that
            carry others, which `Flexible` makes by itself.
        below: frequency, Hz, up to which vibration modes are kept: 1.5 to 2 times what excites the body.
        effective_mass: vibration modes whose effective mass is less than this fraction in all six directions are dropped.
        residual: nodes for whose unit forces and torques the static shapes are added, so that loads there deflect the
            body as if all modes were kept.
        loads: nodal loads (6n, k), N and N m, for which the same is done (modal truncation vectors).
        highest: frequency, Hz, above which vibration modes are dropped, whatever their count: stiff shapes cost time steps.
            Static shapes stay, and may be stiffer: choose by kind, {"bending y": ...}, to be without those that stretch.
    """

    method: str = "fixed"
    count: int | None = 6
    total: int | None = None
    below: float | None = None
    effective_mass: float = 0.0
    residual: tuple[Any, ...] = ()
    loads: Any = None
    highest: float | None = None

    def __post_init__(self) -> None:
        known(self.method, METHODS, "method")
        if self.count is None and self.below is None and self.total is None:
            raise ModelError("neither a count of modes nor a frequency is given: give count=, total= or below=")
        for value, what in ((self.count, "count of modes"), (self.total, "total of modes")):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
                raise ModelError(f"{what} is {value!r}: give a whole number")
            if value is not None and value < 0:
                raise ModelError(f"{what} is {value}: it must not be negative")
        for hertz, what in ((self.below, "below (Hz)"), (self.highest, "highest (Hz)")):
            if hertz is not None:
                positive(hertz, what)
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
