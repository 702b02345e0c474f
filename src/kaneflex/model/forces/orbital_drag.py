"""Drag of thin air in orbit."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.forces.contract import Load
from kaneflex.model.forces.field_load import FieldLoad
from kaneflex.model.forces.force import Force
from kaneflex.model.orbits.atmosphere import Atmosphere
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.vectors import along, dot, length, minus
from kaneflex.model.typed import Name, typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class OrbitalDrag(FieldLoad):
    """Drag at a place: half of density, coefficient, area and the square of the velocity relative to the air, against this
    velocity; of a plate the area counts as it is seen from ahead.

    Args:
        at: body or frame: the centre of pressure.
        atmosphere: the air.
        area: m^2.
        coefficient: of drag, about 2.2 in free molecular flow.
        normal: of a plate, in axes of the place; None for a sphere, or a body that looks alike from all sides.
        orbit: the orbit that N falls along, where it does.
    """

    at: Name
    atmosphere: Atmosphere
    area: float
    coefficient: float = 2.2
    normal: Any = None
    orbit: KeplerOrbit | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "area", checks.positive(self.area, "area"))
        object.__setattr__(self, "coefficient", checks.not_negative(self.coefficient, "coefficient"))
        if self.normal is not None:
            object.__setattr__(self, "normal", checks.axis(self.normal, "normal of a plate"))

    def said(self, model: "Model") -> tuple[Load, ...]:
        """The force, for a model."""
        air, place, velocity = self.atmosphere.law(), absolute(self.orbit), absolute(self.orbit, rate=True)
        k, n = -self.coefficient * self.area / 2, self.normal

        def on_sphere(t: float, x: Any) -> Any:
            density, wind = air(place(t, x, 0))
            u = minus(velocity(t, x, 3), wind)
            return along(k * density * length(u), u)

        def on_plate(t: float, x: Any) -> Any:
            density, wind = air(place(t, x, 0))
            u = minus(velocity(t, x, 3), wind)
            normal = dot(x[6:9], n), dot(x[9:12], n), dot(x[12:15], n)
            ahead = dot(normal, u)
            return along(k * density * np.sign(ahead.real) * ahead, u)

        sees = [f"{self.at}.{word}" for word in ("position", "velocity", "rotation")]
        law = on_sphere if n is None else on_plate
        return (Force(self.at, law, axes="inertial", sees=sees[: 2 if n is None else 3]),)

    def ends(self) -> tuple[Any, ...]:
        """The place."""
        return (self.at,)
