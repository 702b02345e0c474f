"""The force of a magnetic field on a tether that carries a current."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces.contract import Load, see
from kaneflex.model.forces.field_load import FieldLoad, given
from kaneflex.model.forces.force import Force
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.vectors import along, cross, minus, plus
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model

LOW, HIGH = 0.5 - 0.5 / 3**0.5, 0.5 + 0.5 / 3**0.5  # points of Gauss's rule with two, between 0 and 1


@typed
@dataclass(frozen=True)
class CurrentTether(FieldLoad):
    """Force I dl x B on a wire that runs straight from each of its places to the next, on the bodies at both ends.

    What acts on a piece goes to its ends as a uniform bar would pass it on, the sum over it by Gauss's rule with two points:
    force, torque and power are exact where B is linear along the piece.

    Args:
        places: bodies and frames along the wire, two or more, in the direction of a positive current. The name of a rod
            stands for its joints: ("rod", "rod.tip") is all of it.
        current: I, A: a number, or a function.
        field: of a Dipole.
        orbit: the orbit that N falls along, where it does.
        sees: channels that the function's x is made of.
    """

    places: Sequence[str]
    current: Any
    field: Dipole
    orbit: KeplerOrbit | None = None
    sees: Sequence[str] = ()

    def __post_init__(self) -> None:
        see(self)
        object.__setattr__(self, "places", checks.names(self.places, "places"))
        if len(self.places) < 2:
            raise ModelError(f"places of a CurrentTether are {checks.shown(self.places)}: name two or more")
        if not checks.is_function(self.current):
            object.__setattr__(self, "current", checks.number(self.current, "current"))

    def said(self, model: "Model") -> tuple[Load, ...]:
        """The forces at both ends of each piece, for a model."""
        field, place, current = self.field.law(), absolute(self.orbit), given(self.current, len(self.sees))

        def pull(near: float, far: float) -> Any:
            """The force on the end that has these parts of what acts at the two points."""

            def force(t: float, x: Any) -> Any:
                a, b = place(t, x, 0), place(t, x, 3)
                d = x[3] - x[0], x[4] - x[1], x[5] - x[2]
                B = plus(along(near, field(t, plus(a, along(LOW, d)))), along(far, field(t, minus(b, along(LOW, d)))))
                return along(current(t, x[6:]) / 2, cross(d, B))

            return self.current if hasattr(self.current, "is_missing") else force

        found = []
        for a, b in pairwise(self.places):
            sees = [f"{a}.position", f"{b}.position", *self.sees]
            found += [Force(a, pull(HIGH, LOW), "inertial", sees), Force(b, pull(LOW, HIGH), "inertial", sees)]
        return tuple(found)
