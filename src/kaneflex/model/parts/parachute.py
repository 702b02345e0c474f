"""A parachute: a canopy on a rigid line, with its air."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import AddedMass, Force
from kaneflex.model.joints import Universal
from kaneflex.model.media import Air
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.typed import typed

SLOW = 1e-9  # m/s: below it directions of the velocity mean nothing, and forces are none


def coefficients(given: Any, what: str) -> tuple[tuple[float, float], ...]:
    """A coefficient by angle: pairs of angle (rad, ascending) and value; a number for one that does not change."""
    if checks.dimensions(given) == 0:
        return ((0.0, checks.number(given, what)),)
    rows = [checks.items(row, f"a row of {what}") for row in checks.items(given, what)]
    if not rows or any(len(row) != 2 for row in rows):
        raise ModelError(f"{what} is {checks.shown(given)}: give a number, or pairs of angle (rad) and value")
    found = tuple((checks.number(a, f"angle in {what}"), checks.number(c, f"value in {what}")) for a, c in rows)
    if any(b[0] <= a[0] for a, b in pairwise(found)):
        raise ModelError(f"{what} has angles that do not ascend: give each angle once, in ascending order")
    return found


@typed
@dataclass(frozen=True)
class Canopy(BlockBase):
    """The air's force on the canopy of a Parachute, which makes it.

    Args:
        area, density, axial, normal, wind: as for Parachute.
        sees: velocity and rotation of the canopy.
        drives: forces along x, y and z of the line.
    """

    area: float
    density: float
    axial: Any
    normal: Any
    wind: Any
    only_seen: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Forces in axes of the line; angle of attack, and speed through the air."""
        return "fx", "fy", "fz", "attack", "speed"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "N", "N", "rad", "m/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 12, what)
        half = self.area * self.density / 2
        A, N = np.array(self.axial, float), np.array(self.normal, float)
        one, two, three = (float(w) for w in self.wind)

        def by_angle(rows: Any, alpha: Any) -> Any:
            value = rows[0, 1] + 0 * alpha
            for k in range(len(rows) - 1):
                if alpha.real > rows[k, 0]:
                    part = np.minimum((alpha - rows[k, 0]) / (rows[k + 1, 0] - rows[k, 0]), 1.0)
                    value = rows[k, 1] + part * (rows[k + 1, 1] - rows[k, 1])
            return value

        def force(t: Any, x: Any, z: Any) -> Any:
            u, v, w = x[0] - one, x[1] - two, x[2] - three
            a = u * x[3] + v * x[6] + w * x[9]
            b = u * x[4] + v * x[7] + w * x[10]
            c = u * x[5] + v * x[8] + w * x[11]
            across = np.sqrt(a * a + b * b + SLOW * SLOW)
            speed = np.sqrt(a * a + b * b + c * c + SLOW * SLOW)
            alpha = 2 * np.arctan(across / (speed - c + SLOW * SLOW))  # half angle: for any direction of the flow
            Q = half * speed * speed
            pull = -Q * by_angle(N, alpha) / across
            return (pull * a, pull * b, Q * by_angle(A, alpha), alpha, speed), ()

        return BlockLaw(force)


@typed
@dataclass(frozen=True)
class Parachute(PartBase):
    """A canopy at the end of a rigid line, which hangs on a universal joint at the part's place.

    The line is along z of the part's axes where both angles of the joint are zero: z points from the body to the
    canopy. With the canopy's velocity through the air at the angle alpha from the line, and Q = density speed^2 area/2,
    the air pulls by Q axial(alpha) along the line, away from the body, and by Q normal(alpha) across it, against the
    velocity across; where normal is zero and rises, alpha is trimmed. The air that moves along is inertia without
    weight (`AddedMass`, with Munk's moment).

    Channels: `fx`, `fy`, `fz`, forces in axes of the line (N), `attack`, the angle alpha (rad), `speed` (m/s); "name.q"
    are the angles.

    Args:
        line: from the joint to the canopy, m.
        area: that the coefficients refer to, m^2.
        axial, normal: coefficients by angle: a number, or pairs of angle (rad, ascending) and value, with straight lines
            between and constant beyond.
        mass: of the canopy, kg, which weighs.
        apparent: mass of the air that moves along, kg, along the line and across it.
        density: of the air, kg/m^3.
        wind: velocity of the air, inertial axes, m/s.
        angles: of the joint at the start, about x and y, rad.
    """

    line: float
    area: float
    axial: Any = 0.85
    normal: Any = 0.0
    mass: float = 0.0
    apparent: Any = (0.0, 0.0)
    density: float = 1.225
    wind: Any = (0.0, 0.0, 0.0)
    angles: Any = (0.0, 0.0)

    def _check(self) -> None:
        for name in ("line", "area", "density"):
            object.__setattr__(self, name, checks.positive(getattr(self, name), f"{name} of a Parachute"))
        object.__setattr__(self, "mass", checks.not_negative(self.mass, "mass of a Parachute"))
        for name in ("axial", "normal"):
            object.__setattr__(self, name, coefficients(getattr(self, name), f"{name} of a Parachute"))
        object.__setattr__(self, "wind", checks.vector(self.wind, "wind of a Parachute"))
        for name in ("apparent", "angles"):
            given = checks.finite(getattr(self, name), 2, f"{name} of a Parachute")
            object.__setattr__(self, name, tuple(float(x) for x in given))
        if min(self.apparent) < 0:
            raise ModelError(f"apparent of a Parachute is {self.apparent}: masses of air are not negative")
        if not self.mass and not min(self.apparent):
            raise ModelError("a Parachute has neither a mass nor apparent masses both ways: give one of them")

    def describe(self) -> str:
        """Area and line."""
        return f"{self.area:g} m^2 on {self.line:g} m"

    def install(self, site: Site) -> None:
        """Line with canopy, its air, the forces."""
        canopy = (0.0, 0.0, self.line)
        body = site.add("", Rigid(self.mass, com=canopy, frames={"canopy": canopy}), Universal(("x", "y")), q=self.angles)
        along, across = self.apparent
        if along or across:
            air = Air(self.density, wind=self.wind)
            site.apply("air", AddedMass(body, np.diag([across, across, along]), air, at=canopy))
        place = f"{body}.canopy"
        axes = zip("xyz", np.eye(3), strict=True)
        forces = [site.add_input(f"f{axis}", Force(place, tuple(row))) for axis, row in axes]
        sees = (f"{place}.velocity", f"{place}.rotation")
        site.add_block("", Canopy(**shared(self, Canopy), sees=sees, drives=forces))


__all__ = ["Parachute"]
