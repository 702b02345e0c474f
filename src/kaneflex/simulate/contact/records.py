"""Records of jumps: what a run tells of an impact, and what an impact leaves to go on with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.totals import momentum_of
from kaneflex.kernels import energy
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.simulate.exchange import Exchange

Array = np.ndarray


@typed
@dataclass(frozen=True)
class Impact:
    """A jump of the speeds: a collision, a joint locked, a body attached.

    Attributes:
        t: s.
        name: of the contact or event; of the contacts that collide in one instant, with commas.
        impulse: of a collision, that of the plane on the struck point (of several, their sum), inertial axes, N s. Those of
            constraints, closed contacts among them, are not in it. None for other jumps.
        energy: kinetic plus potential, before and after, J.
        linear_momentum, angular_momentum: before and after, inertial axes, the latter about the inertial origin.
        impulses: (contact, impulse) of every struck point.
        exchange: what came and went, where bodies or loads were added, removed or replaced; None for other jumps.
    """

    t: float
    name: str
    impulse: tuple[float, ...] | None
    energy: tuple[float, float]
    linear_momentum: tuple[tuple[float, ...], tuple[float, ...]]
    angular_momentum: tuple[tuple[float, ...], tuple[float, ...]]
    impulses: tuple[tuple[str, tuple[float, ...]], ...] = ()
    exchange: Exchange | None = None


@dataclass(frozen=True)
class ImpactResult:
    """What a change of contacts leaves: the model from then on, its dynamics and speeds, the contacts that are unloaded, and
    impulses on struck points (inertial axes)."""

    model: Model
    dynamics: Dynamics
    u: Array
    unloaded: tuple[str, ...]
    impulses: dict[str, Array]


def impact(name: str, impulses: Mapping[str, Array], t: float, before: tuple[Any, ...], after: tuple[Any, ...]) -> Impact:
    """The record of a jump from (dynamics, q, u, inputs) before and after, by impulses on struck points, if any."""
    sums = []
    for dynamics, q, u, inputs in (before, after):
        row, potential = dynamics.sample(np.array([t]), np.concatenate([q, u])[None, :], inputs[None, :])
        momentum = momentum_of(row[0])
        E = float(row[0, energy.KINETIC] + row[0, energy.GRAVITY_POTENTIAL] + potential[0])
        sums.append((E, tuple(map(float, momentum.linear)), tuple(map(float, momentum.angular))))
    (E0, P0, H0), (E1, P1, H1) = sums
    each = tuple((contact, tuple(map(float, impulse))) for contact, impulse in impulses.items())
    total = tuple(map(float, sum(impulses.values(), np.zeros(3)))) if impulses else None
    return Impact(t, name, total, (E0, E1), (P0, P1), (H0, H1), each)
