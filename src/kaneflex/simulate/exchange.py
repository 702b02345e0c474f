"""What a system gains and loses when bodies are added, removed or replaced during a run: mass, momentum and energy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.totals import momentum_of
from kaneflex.kernels import energy
from kaneflex.kernels.algebra import cross
from kaneflex.model.bodies import BodyBase
from kaneflex.model.typed import typed

Array = np.ndarray


@typed
@dataclass(frozen=True)
class Exchange:
    """What came into a system, less what left it, at a change of its bodies or loads.

    Between the systems before and after: mass after - before = `mass`; momentum after - before = what is said here plus
    impulses from outside (of joints and constraints on N); energy after - before = `energy` plus the work of impulses, which
    is booked as applied or dissipated work.

    Attributes:
        mass: kg.
        linear_momentum: inertial axes, kg m/s.
        angular_momentum: about the inertial origin, inertial axes, kg m^2/s.
        energy: kinetic and potential, of loads that were put on or went too, J.
        added: names of what was added or replaced.
        removed: names of what was removed, and of all that went with it.
    """

    mass: float
    linear_momentum: tuple[float, ...]
    angular_momentum: tuple[float, ...]
    energy: float
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Totals(NamedTuple):
    """Mass, linear momentum, angular momentum about the inertial origin, and energy, of a system or of a body."""

    mass: float
    linear: Array
    angular: Array
    energy: float

    def plus(self, other: "Totals", sign: float = 1.0) -> "Totals":
        """The sum with another, or the difference."""
        return Totals(
            self.mass + sign * other.mass,
            self.linear + sign * other.linear,
            self.angular + sign * other.angular,
            self.energy + sign * other.energy,
        )

    def minus(self, other: "Totals") -> "Totals":
        """The difference."""
        return self.plus(other, -1.0)

    def exchange(self, added: Sequence[str], removed: Sequence[str]) -> Exchange:
        """As the record of a change."""
        P, H = (tuple(map(float, x)) for x in (self.linear, self.angular))
        return Exchange(float(self.mass), P, H, float(self.energy), tuple(added), tuple(removed))


NOTHING = Totals(0.0, np.zeros(3), np.zeros(3), 0.0)


class Motion(NamedTuple):
    """Motion of a body's own frame in N, inertial axes: orientation, origin, angular velocity, velocity of the origin."""

    R: Array
    p: Array
    omega: Array
    v: Array


AT_REST = Motion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def totals(dynamics: Dynamics, t: float, q: Array, u: Array) -> Totals:
    """Of a system, with its inputs and states of blocks as they are set."""
    sums, loads = dynamics.sample(np.array([t]), np.concatenate([q, u])[None, :])
    momentum = momentum_of(sums[0])
    E = float(sums[0, energy.KINETIC] + sums[0, energy.GRAVITY_POTENTIAL] + loads[0])
    return Totals(float(sums[0, energy.TOTAL_MASS]), momentum.linear, momentum.angular, E)


def loads_energy(dynamics: Dynamics, t: float, q: Array, u: Array) -> float:
    """Potential energy of the loads, J."""
    if not dynamics.plan.header.forces:
        return 0.0
    return float(dynamics.sample(np.array([t]), np.concatenate([q, u])[None, :])[1][0])


def totals_of_body(body: BodyBase, motion: Motion, gravity: Sequence[float] = (0.0, 0.0, 0.0)) -> Totals:
    """Of a rigid body that moves so, in uniform gravity (m/s^2); without gravity the energy is kinetic alone."""
    mass, moment, J = body.mass_properties()
    R, p, omega, v = motion
    s = R @ moment
    P = mass * v + cross(omega, s)
    H = R @ (J @ (R.T @ omega)) + cross(s, v)  # about the body's origin
    E = (v @ P + omega @ H) / 2 - np.asarray(gravity) @ (mass * p + s)
    return Totals(mass, P, H + cross(p, P), float(E))


def impulse_table(dynamics: Dynamics, impulses: Sequence[tuple[str, Motion, Totals]]) -> Array:
    """Impulses on bodies as `Dynamics.respond` takes them: each a body, its motion, and momentum that it gains."""
    table = np.zeros((int(dynamics.plan.header.bodies), 6))
    for name, motion, gained in impulses:
        row, own = dynamics.plan.index.place(name)
        R = motion.R @ own.R.T  # of the joint's frame M
        origin = motion.p - R @ own.p
        table[row, :3] += R.T @ (gained.angular - np.cross(origin, gained.linear))
        table[row, 3:] += R.T @ gained.linear
    return table


__all__ = ["AT_REST", "NOTHING", "Exchange", "Motion", "Totals", "impulse_table", "loads_energy", "totals", "totals_of_body"]
