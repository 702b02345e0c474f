"""Attraction between bodies."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import mutual_force
from kaneflex.model import checks
from kaneflex.model.forces.attraction import Attraction
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model

NEWTON = 6.67430e-11  # m^3/(kg s^2), CODATA 2018


@typed
@dataclass(frozen=True)
class MutualGravity(Attraction):
    """Every two of the bodies attract each other, as points at their mass centres.

    Args:
        bodies: names of the bodies; None for all.
        constant: of gravitation, m^3/(kg s^2).
    """

    bodies: Sequence[str] | None = None
    constant: float = NEWTON

    def __post_init__(self) -> None:
        object.__setattr__(self, "constant", checks.positive(self.constant, "constant"))
        self.settle()

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model lacks one of the bodies, or where there are not two; `what` names the load."""
        super().check(model, what)
        if self.bodies is not None and len(set(self.bodies)) < 2:
            raise checks.ModelError(f"{what} is between {', '.join(self.bodies)} alone: name two bodies or more")

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each pair of bodies with mass."""
        for body, other in combinations(dict.fromkeys(self._rows_of_bodies(table)), 2):
            row = table.row(mutual_force.FACTS, FORCE_BODY=body, FORCE_OTHER=other)
            row.reals[L.VALUE] = self.constant

    def is_internal(self, roots: Collection[str]) -> bool:
        """It acts between bodies only, whatever the `roots`."""
        return True
