"""Attraction by a distant centre."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import central_force
from kaneflex.model import checks
from kaneflex.model.forces.contract import Load, LoadTable
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class CentralGravity(Load):
    """Attraction by a centre fixed in N, with gravity gradient (second order in the size of each body).

    Args:
        mu: gravitational parameter, m^3/s^2.
        centre: position in N, m.
        bodies: names of the bodies attracted; None for all.
    """

    mu: float
    centre: Any = (0.0, 0.0, 0.0)
    bodies: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive(self.mu, "mu"))
        object.__setattr__(self, "centre", checks.vector(self.centre, "centre"))
        if self.bodies is not None:
            object.__setattr__(self, "bodies", checks.names(self.bodies, "bodies"))
            if not self.bodies:
                raise checks.ModelError("bodies of a CentralGravity is empty: name those attracted; None for all")

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model lacks one of the bodies; `what` names the load."""
        for body in self.bodies or ():
            checks.known(body, model.parts, f"{what}: body")

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each body with mass."""
        for body in self.bodies or table.model.parts:
            if table.model.parts[body].body.mass_properties()[0] > 0:
                row = table.row(central_force.FACTS, FORCE_BODY=table.index.joints[body].row)
                row.reals[L.POINT_OTHER : L.POINT_OTHER + 3] = self.centre
                row.reals[L.VALUE] = self.mu
