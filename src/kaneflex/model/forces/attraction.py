"""What attractions of bodies have in common."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.forces.contract import Load, LoadTable

if TYPE_CHECKING:
    from kaneflex.model.model import Model


class Attraction(Load):
    """A load on the mass of bodies: of those named, or of all."""

    bodies: Sequence[str] | None

    def settle(self) -> None:
        """Check the names of the bodies."""
        if self.bodies is not None:
            object.__setattr__(self, "bodies", checks.names(self.bodies, "bodies"))
            if not self.bodies:
                kind = type(self).__name__
                raise checks.ModelError(f"bodies of a {kind} is empty: name those attracted; None for all")

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model lacks one of the bodies; `what` names the load."""
        for body in self.bodies or ():
            checks.known(body, model.parts, f"{what}: body")

    def _rows_of_bodies(self, table: LoadTable) -> Iterator[int]:
        """Rows of the bodies with mass that are attracted."""
        for body in self.bodies or table.model.parts:
            if table.model.parts[body].body.mass_properties()[0] > 0:
                yield table.index.joints[body].row


class ByACentre(Attraction):
    """Attraction by a centre that may be oblate about an axis of N."""

    j2: float
    radius: float
    axis: Any

    def settle(self) -> None:
        """Check the names of the bodies and what is given of the centre's shape."""
        super().settle()
        kind = type(self).__name__
        object.__setattr__(self, "j2", checks.number(self.j2, "j2"))
        object.__setattr__(self, "radius", checks.not_negative(self.radius, "radius"))
        object.__setattr__(self, "axis", checks.axis(self.axis, f"axis of a {kind}"))
        if self.j2 and not self.radius:
            raise checks.ModelError(f"j2 of a {kind} is {self.j2:g}: give the radius it is for too, radius=")
