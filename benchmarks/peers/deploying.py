"""Structures that unfold by springs, for all engines: a scissor lift and a ring truss, and their motion in closed form.

Both have one freedom t, the angle of their bars, and begin at rest:

    M t'' + M' t'^2/2 = -Q ,                                                                                        (1)

    lift:  M = (2n/3) ((n^2 - 1) sin^2 t + 1) ,   Q = 4 n k t ,          torsion springs k at the n crossings;
    ring:  M as in `kaneflex.gallery.ring_truss` ,  Q = n k (t + t_p) ,  torsion springs k in the n bays.

k grows with the square of the number of bays, so that all sizes move alike. Units: SI, rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from kaneflex import JointSpring, System
from kaneflex.builders import ring_truss, scissor_mast
from kaneflex.gallery import ring_truss as gallery_ring

Array = NDArray[np.float64]

LIFT_DURATION, RING_DURATION = 0.5, 0.4  # s: until 0.72 and 0.68 rad; flat rings are singular, and pass there within 1/n s
LIFT_START, RING_START, PRELOAD = 1.3, 1.3, 0.3


@dataclass(frozen=True)
class Deploying:
    """A structure of n bays.

    Attributes:
        name: "lift" or "ring".
        n: number of bays.
        system: as kaneflex has it.
        stiffness: of one spring, N m/rad.
        joint, sign: t is `sign` times the angle of this joint.
        duration: of the run, s.
        exact: t at the end, rad.
    """

    name: str
    n: int
    system: System
    stiffness: float
    joint: str
    sign: float
    duration: float
    exact: float

    @property
    def bodies(self) -> int:
        """Their number."""
        return len(self.system.parts)


def lift(n: int) -> Deploying:
    """A lift that is free in the plane."""
    k = 0.5 * n * n
    s = scissor_mast(n, angle=LIFT_START, wall=False)
    for j in range(n):
        s.apply(f"spring{j}", JointSpring(f"b{j}", stiffness=k))
    more = 2 * n / 3 * (n * n - 1)
    mass = lambda t: (more * math.sin(t) ** 2 + 2 * n / 3, more * math.sin(2 * t))
    exact = _end(mass, lambda t: 4 * n * k * t, LIFT_START, LIFT_DURATION)
    return Deploying("lift", n, s, k, "b0", -0.5, LIFT_DURATION, exact)


def ring(n: int) -> Deploying:
    """A ring that is free in space, its bays synchronised by gears."""
    k = 0.1 * n * n
    p = {**gallery_ring.DEFAULTS, "bays": n}
    s = ring_truss(
        n, length=p["length"], height=p["height"], batten_mass=p["batten_mass"], longeron_mass=p["longeron_mass"],
        angle=RING_START, stiffness=k, preload=PRELOAD,
    )  # fmt: skip
    mass = lambda t: tuple(float(x) for x in gallery_ring.mass(t, p))
    exact = _end(mass, lambda t: n * k * (t + PRELOAD), RING_START, RING_DURATION)
    return Deploying("ring", n, s, k, "top0", -1.0, RING_DURATION, exact)


def _end(
    mass: Callable[[float], tuple[float, float]], load: Callable[[float], float], start: float, duration: float
) -> float:
    """t at the end by (1)."""

    def slope(_: float, y: Array) -> list[float]:
        M, M1 = mass(float(y[0]))
        return [float(y[1]), (-load(float(y[0])) - M1 * float(y[1]) ** 2 / 2) / M]

    return float(solve_ivp(slope, (0.0, duration), [start, 0.0], "DOP853", rtol=1e-11, atol=1e-13).y[0, -1])


STRUCTURES = {"lift": lift, "ring": ring}
