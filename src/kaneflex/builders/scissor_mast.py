"""A scissor mast, pantograph or lift: pairs of crossed bars, pinned at their centres and, from pair to pair, at the ends."""

import math

import numpy as np

from kaneflex.builders.counts import angle_between, at_least
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.constraints import PointOnPlane
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Planar, Revolute
from kaneflex.model.shapes import Tube
from kaneflex.model.typed import typed
from kaneflex.system import System

_ALONG_X = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))  # axes whose z lies along x,
_ALONG_Y = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))  # and along y


@typed
def scissor_mast(
    bays: int, *, arm: float = 1.0, mass: float = 1.0, angle: float = 1.0, rate: float = 0.0, wall: bool = True
) -> System:
    """Bars a0, b0, a1, b1, ... of length 2 arm at angles +angle and -angle to x, one bay after the other along x.

    The tree is one chain: b_j turns on the centre of a_j, and a_j on the end of b_j-1; the pins pin1, pin2, ... close
    the loops between neighbours, so that the cost grows with their number. Frames of a bar: "root" and "tip", its
    ends.

    Args:
        bays: number of pairs.
        arm: from the centre of a bar to its end, m.
        mass: of a bar, uniform and thin, kg.
        angle: of the bars a to the x axis, rad, between 0 (drawn out) and pi/2 (folded).
        rate: of that angle, rad/s.
        wall: whether the first ends slide on a wall, x = 0, and the first crossing along x; else it is free in the plane.
    """
    n, arm, mass = at_least(bays, 1, "bays of a scissor mast"), checks.positive(arm, "arm"), checks.positive(mass, "mass")
    angle = angle_between(angle, 0.0, math.pi / 2, "angle of a scissor mast")
    across = mass * arm**2 / 3
    bar = Rigid(mass, inertia=(1e-3 * across, across, across), frames={"root": (-arm, 0, 0), "tip": (arm, 0, 0)})
    turns = [1.0, *np.tile([-2.0, 2.0], n)[: 2 * n - 1]]  # of the joints, in terms of the angle
    s = System("scissor mast")
    place, speed = (arm * math.cos(angle), 0.0, angle), (-arm * math.sin(angle) * rate, 0.0, rate)
    for j in range(n):
        q, u = ([x * turn for turn in turns[2 * j : 2 * j + 2]] for x in (angle, rate))
        if j == 0:
            s.add("a0", bar, Planar("z"), q=place, rates=speed)
        else:
            s.add(f"a{j}", bar, Revolute("z"), f"b{j - 1}", "tip", hinge="root", q=q[0], rates=u[0])
        s.add(f"b{j}", bar, Revolute("z"), f"a{j}", q=q[1], rates=u[1])
        if j > 0:
            s.close(f"pin{j}", f"a{j - 1}.tip", f"b{j}.root", Revolute("z"))
        for side, colour in (("a", "blue"), ("b", "silver")):
            s.show(f"{side}{j}", Tube(((-arm, 0, 0), (arm, 0, 0)), 0.03 * arm, color=colour))
    if wall:
        for name, at, axes in (("wall_a", "a0.root", _ALONG_X), ("wall_b", "b0.root", _ALONG_X), ("axis", "a0", _ALONG_Y)):
            s.constrain(name, PointOnPlane(at, Frame((0, 0, 0), axes)))
    return s
