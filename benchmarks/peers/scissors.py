"""A scissor lift of n bays: loops that share bodies. The model, and its motion in closed form.

Bars of length 2, mass 1, cross in pairs at angles +-θ to the x axis, pinned at their centres and, from pair to pair, at
their ends. Bar a_j rises, b_j falls. The lift is free in the plane, or stands on a wall, x = 0: there both bars of the
first pair begin, and their crossing slides along x; then a force along x acts on the last ends. With the pairs 2 cos θ
apart, the first cos θ from the wall, or the middle of a free lift at rest,

    T = θ'^2 M/2 ,    M = (2n/3) (k sin^2 θ + 1) ,    k = 4 n^2 - 1 on a wall, n^2 - 1 free,                              (1)
    M θ'' + θ'^2 M'/2 = -2 n F sin θ .                                                                                 (2)

The tree is one chain, a_0 b_0 a_1 b_1 ...: b_j on the centre of a_j, a_j on the end of the bar before; the ends of a_j and
b_j+1 close the loops, between neighbours. Two chains from end to end, closed at the crossings, would have all loops open at
once. Units: SI, rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

import kaneflex as kf

Array = NDArray[np.float64]

#: How a loop is closed: by the five equations of its revolute joint, of which three are redundant in the plane, by the
#: three of a point, as Pinocchio does, or by the two that it needs.
CLOSINGS: dict[str, Callable[[str, str], kf.Closure | kf.PointOnLine]] = {
    "by a revolute joint": lambda a, b: kf.Closure(a, b, kf.Revolute("z")),
    "in a point": lambda a, b: kf.Closure(a, b, kf.Spherical()),
    "in the plane": lambda a, b: kf.PointOnLine(a, b),
}
FORCE = 1.0  # on the last ends together, away from the wall, N
TO_X = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))  # axes whose z lies along x,
TO_Y = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))  # and along y


def state(n: int, angle: float, rate: float) -> tuple[Array, Array]:
    """Coordinates and rates of all joints: place and angle of the first bar, then the angles of the others."""
    turns = [1.0, *np.tile([-2.0, 2.0], n)[: 2 * n - 1]]
    q, u = np.multiply.outer((angle, rate), [0.0, 0.0, *turns])
    q[0], u[0] = math.cos(angle), -math.sin(angle) * rate
    return q, u


def lift(n: int, closing: str, angle: float, rate: float = 0.0, wall: bool = True, tip: float = 1.0) -> kf.System:
    """The lift as a kaneflex system; the ends away from the wall are `tip` from the crossings."""
    bar = kf.Rigid(1.0, inertia=(1e-3, 1 / 3, 1 / 3), frames={"root": (-1, 0, 0), "tip": (tip, 0, 0)})
    q, u = (x.tolist() for x in state(n, angle, rate))
    s = kf.System("scissor lift")
    s.add("a0", bar, kf.Planar("z"), q=q[:3], rates=u[:3])
    for j in range(n):
        if j > 0:
            s.add(f"a{j}", bar, kf.Revolute("z"), f"b{j - 1}", "tip", hinge="root", q=q[2 * j + 2], rates=u[2 * j + 2])
        s.add(f"b{j}", bar, kf.Revolute("z"), f"a{j}", q=q[2 * j + 3], rates=u[2 * j + 3])
        if j > 0:
            s.constrain(f"pin{j}", CLOSINGS[closing](f"a{j - 1}.tip", f"b{j}.root"))
    if wall:
        for name, at, axes in (("wall_a", "a0.root", TO_X), ("wall_b", "b0.root", TO_X), ("axis", "a0", TO_Y)):
            s.constrain(name, kf.PointOnPlane(at, kf.Frame((0, 0, 0), axes)))
        for side in "ab":
            s.apply(f"pull_{side}", kf.Force(f"{side}{n - 1}.tip", (FORCE / 2, 0, 0), axes="inertial"))
    return s


def acceleration(n: int, angle: float, rate: float, wall: bool = True) -> float:
    """θ'' by (2)."""
    k, s = (4 * n * n if wall else n * n) - 1, math.sin(angle)
    return (-2 * n * FORCE * wall * s - 2 * n / 3 * k * s * math.cos(angle) * rate**2) / (2 * n / 3 * (k * s * s + 1))


def duration(n: int, start: float, end: float) -> float:
    """Time that a lift on a wall takes from rest at one angle to another one, from T = 2 n F (cos θ - cos θ_start)."""

    def slowness(x: float) -> float:  # dt/dx with θ = start - x^2, which has no singularity at the start
        angle = start - x * x
        M = 2 * n / 3 * ((4 * n * n - 1) * math.sin(angle) ** 2 + 1)
        fall = 2 * math.sin((angle + start) / 2) * math.sin(x * x / 2)  # cos θ - cos θ_start
        return 2 * x * math.sqrt(M / (4 * n * FORCE * fall))

    return float(quad(slowness, 0.0, math.sqrt(start - end), epsabs=0, epsrel=1e-13, limit=200)[0])
