"""The torque of a magnetic field on a magnet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.forces.contract import Load, see
from kaneflex.model.forces.field_load import FieldLoad, given
from kaneflex.model.forces.torque import Torque
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.vectors import cross, dot
from kaneflex.model.typed import Name, typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class MagneticTorque(FieldLoad):
    """Torque m x B on a magnet or coil of a body.

    Args:
        at: body or frame.
        moment: m, A m^2, in axes of the place: three numbers, or a function giving them.
        field: of a Dipole.
        orbit: the orbit that N falls along, where it does.
        sees: channels that the function's x is made of.
    """

    at: Name
    moment: Any
    field: Dipole
    orbit: KeplerOrbit | None = None
    sees: Sequence[str] = ()

    def __post_init__(self) -> None:
        see(self)
        if not checks.is_function(self.moment):
            object.__setattr__(self, "moment", checks.vector(self.moment, "moment"))

    def said(self, model: "Model") -> tuple[Load, ...]:
        """The torque, for a model."""
        field, place, moment = self.field.law(), absolute(self.orbit), given(self.moment, len(self.sees))

        def torque(t: float, x: Any) -> Any:
            B = field(t, place(t, x, 0))
            own = dot(x[3:12:3], B), dot(x[4:12:3], B), dot(x[5:12:3], B)
            return cross(moment(t, x[12:]), own)

        law = self.moment if hasattr(self.moment, "is_missing") else torque
        return (Torque(self.at, law, sees=[f"{self.at}.position", f"{self.at}.rotation", *self.sees]),)

    def ends(self) -> tuple[Any, ...]:
        """The place."""
        return (self.at,)
