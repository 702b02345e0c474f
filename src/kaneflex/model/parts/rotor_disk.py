"""A rotor of a helicopter as a disk: blade elements and momentum theory."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Force, Torque
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Disk(BlockBase):
    """Thrust, torque and inflow of a RotorDisk, which makes it.

    Args:
        radius, speed, blades, chord, lift_slope, drag, density, sense: as for RotorDisk.
        sees: collective pitch, velocity and rotation of the hub.
        drives: thrust along the axis, torque about it.
    """

    radius: float
    speed: float
    blades: int
    chord: float
    lift_slope: float
    drag: float
    density: float
    sense: int
    only_seen: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """Induced velocity, down through the disk."""
        return ("inflow",)

    @property
    def start(self) -> np.ndarray:
        """At rest."""
        return np.zeros(1)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Thrust, torque on the body; power at the shaft, and the thrust's coefficient."""
        return "thrust", "torque", "power", "thrust_coefficient"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "N m", "W", ""

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 13, what)
        R, tip = float(self.radius), self.speed * self.radius
        area = math.pi * R * R
        solidity = self.blades * self.chord / (math.pi * R)
        a, drag, rho, sense = float(self.lift_slope), float(self.drag), float(self.density), float(self.sense)
        lag = 8 * R / (3 * math.pi)  # apparent mass of the disk over density and area, m

        def disk(t: Any, x: Any, z: Any) -> Any:
            u = x[1] * x[4] + x[2] * x[7] + x[3] * x[10]
            v = x[1] * x[5] + x[2] * x[8] + x[3] * x[11]
            climb = x[1] * x[6] + x[2] * x[9] + x[3] * x[12]
            through = climb + z[0]
            mu2, inflow = (u * u + v * v) / (tip * tip), through / tip
            C_T = solidity * a / 2 * (x[0] * (1 + 1.5 * mu2) / 3 - inflow / 2)
            C_Q = inflow * C_T + solidity * drag / 8 * (1 + mu2)
            thrust, torque = rho * area * tip * tip * C_T, rho * area * tip * tip * R * C_Q
            flow = np.sqrt(u * u + v * v + through * through)
            rate = (thrust / (rho * area) - 2 * z[0] * flow) / lag
            return (thrust, -sense * torque, torque * tip / R, C_T), rate

        return BlockLaw(disk)


@typed
@dataclass(frozen=True)
class RotorDisk(PartBase):
    """A lifting rotor, as the thrust and torque of its disk; its hub is the part's place, its axis z of the part's axes.

    Blades without twist of constant chord by blade elements, with uniform inflow: C_T = (s a/2)(theta (1 + 3 mu^2/2)/3
    - lambda/2), C_Q = lambda C_T + (s drag/8)(1 + mu^2), s = blades chord/(pi R), lambda = (climb + inflow)/(speed R),
    mu = speed of flight across the axis/(speed R). The induced velocity `inflow` is a state: the air of the disk, 8
    R/(3 pi) deep, is set in motion by the thrust less 2 density A inflow sqrt(across^2 + (climb + inflow)^2), which is
    Glauert's momentum theory when steady. Left out are the forces and moments of the disk across its axis, flapping,
    stall, and descent into the own wake.

    The command, the input of the part's name, is the collective pitch theta, rad. The shaft turns at a constant speed
    relative to the body, whose engine takes the torque. Channels: `thrust`, `torque` on the body about the axis
    (against the sense of turn), `power` of the shaft, `thrust_coefficient`, the state `inflow`.

    Args:
        radius: m.
        speed: of rotation, rad/s.
        blades: their number.
        chord: m.
        lift_slope: of a section, per rad.
        drag: coefficient of a section.
        density: of the air, kg/m^3.
        sense: 1 where it turns about its axis in the positive sense, else -1.
        inertia: about the axis, kg m^2, for its gyroscopic moments; mass and inertia of the body include it as if it
            were locked.
    """

    radius: float
    speed: float
    blades: int = 4
    chord: float = 0.3
    lift_slope: float = 5.7
    drag: float = 0.01
    density: float = 1.225
    sense: int = 1
    inertia: float = 0.0

    def _check(self) -> None:
        for name in ("radius", "speed", "chord", "lift_slope", "density"):
            checks.positive(getattr(self, name), f"{name} of a RotorDisk")
        for name in ("drag", "inertia"):
            checks.not_negative(getattr(self, name), f"{name} of a RotorDisk")
        checks.whole(self.blades, "blades of a RotorDisk", least=1)
        if self.sense not in (1, -1):
            raise ModelError(f"sense of a RotorDisk is {self.sense!r}: give 1 or -1")
        if self.blades * self.chord > math.pi * self.radius:
            raise ModelError(f"blades of a RotorDisk with the chord {self.chord:g} m cover more than its disk: give less")

    def describe(self) -> str:
        """Radius and speed."""
        return f"{self.blades} blades of {self.radius:g} m at {self.speed:g} rad/s"

    def install(self, site: Site) -> None:
        """Command, thrust, torque, and the wheel that its spin is."""
        place, command = site.place, site.command(unit="rad")
        if self.inertia:
            site.add_rotor("spin", Rotor(site.axis((0, 0, 1)), self.inertia, self.sense * self.speed))
        drives = site.add_input("thrust", Force(place, (0, 0, 1))), site.add_input("torque", Torque(place, (0, 0, 1)))
        sees = (command, f"{place}.velocity", f"{place}.rotation")
        site.add_block("", Disk(**shared(self, Disk), sees=sees, drives=drives))
        site.unit(f"{site.name}.inflow", "m/s")


__all__ = ["RotorDisk"]
