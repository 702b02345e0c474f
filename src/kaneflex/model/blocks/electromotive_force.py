"""The electromotive force along a tether that moves through a magnetic field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockLaw
from kaneflex.model.blocks.in_orbit import Observer, motion_of, settle_sees
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.orbits.places import absolute
from kaneflex.model.orbits.vectors import along, cross, dot, minus, plus
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class ElectromotiveForce(Observer):
    """Line integral of ((v - w x r) x B) . dl along a wire that runs straight from each of its places to the next, w about
    z: the output `emf`, V. Gauss's rule with two points on each piece.

    Args:
        places: bodies and frames along the wire, two or more, as of a CurrentTether.
        field: of a Dipole.
        rate: w, at which plasma and field turn about z, rad/s; 0 for the force that the bodies feel by their motion in N.
        orbit: the orbit that N falls along, where it does.
    """

    measured: ClassVar = {"emf": "V"}

    places: Sequence[str]
    field: Dipole
    rate: float = 0.0
    orbit: KeplerOrbit | None = None

    def _check(self) -> None:
        object.__setattr__(self, "places", checks.names(self.places, "places of an ElectromotiveForce block"))
        if len(self.places) < 2:
            raise ModelError("places of an ElectromotiveForce block: name two or more")
        object.__setattr__(self, "rate", checks.number(self.rate, "rate of an ElectromotiveForce block"))
        object.__setattr__(self, "sees", ())  # a rod among the places may have been replaced by its joints
        settle_sees(self, [channel for place in self.places for channel in motion_of(place)])

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        field, place, velocity = self.field.law(), absolute(self.orbit), absolute(self.orbit, rate=True)
        pieces, rate, point = len(self.places) - 1, self.rate, 0.5 / 3**0.5

        def integral(t: Any, x: Any, z: Any) -> Any:
            total = 0 * x[0]
            for n in range(pieces):
                k = 6 * n
                d = x[k + 6] - x[k], x[k + 7] - x[k + 1], x[k + 8] - x[k + 2]
                a, u, w = place(t, x, k), velocity(t, x, k + 3), velocity(t, x, k + 9)
                for m in range(2):
                    s = 0.5 + point * (2 * m - 1)
                    r = plus(a, along(s, d))
                    v = plus(along(1 - s, u), along(s, w))
                    v = minus(v, (-rate * r[1], rate * r[0], 0 * r[2]))
                    total += dot(cross(v, field(t, r)), d) / 2
            return (total,), ()

        return BlockLaw(integral)


__all__ = ["ElectromotiveForce"]
