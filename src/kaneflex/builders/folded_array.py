"""A solar array of panels in a row, folded like an accordion and drawn out together by closed loops of cable."""

import math
from typing import Any

from kaneflex.builders.counts import at_least
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.constraints import Gear
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Revolute
from kaneflex.model.shapes import Box
from kaneflex.model.typed import typed
from kaneflex.system import System


@typed
def folded_array(
    panels: int,
    *,
    width: float = 1.0,
    mass: float = 1.0,
    angle: float = 0.0,
    stiffness: float = 0.0,
    preload: float = 0.0,
    cables: bool = True,
    system: System | None = None,
    parent: str | None = None,
    at: Any = None,
    prefix: str = "",
) -> System:
    """Panels panel0, panel1, ... hinged in a row about z, panel0 on the inertial frame or on a body of a system.

    The first panel stands at the angle `angle` to the unfolded array, which lies along x, the next at minus that angle,
    and so on: its joint is at `angle`, the others at -2, 2, -2 ... times it. A closed loop of cable over the drums
    of two neighbouring hinges keeps these ratios (cable1, cable2, ...): one freedom is left.

    Args:
        panels: their number.
        width: of a panel along the array, m.
        mass: of a panel, a uniform plate, kg.
        angle: of the first panel, rad: pi/2 folded, 0 unfolded.
        stiffness: of a torsion spring in every hinge, N m/rad.
        preload: turn of a spring in the unfolded array, rad, against the angle of its hinge.
        cables: whether there are cable loops; else every hinge moves by itself.
        system: the system to add it to, which is returned; a new one unless given.
        parent, at: body that panel0 is hinged to, and place or frame there, along whose x the array unfolds; N unless given.
        prefix: of all names, for a second array.
    """
    n, w, m = at_least(panels, 1, "panels of an array"), checks.positive(width, "width"), checks.positive(mass, "mass")
    J = m * w**2 / 12
    panel = Rigid(m, com=(w / 2, 0, 0), inertia=(J, J, 2 * J), frames={"tip": (w, 0, 0)})
    s = System("folded array") if system is None else system
    for i in range(n):
        turn = 1.0 if i == 0 else 2.0 * math.cos(math.pi * i)
        name, before = f"{prefix}panel{i}", f"{prefix}panel{i - 1}"
        above = {"parent": parent, "at": at} if i == 0 else {"parent": before, "at": "tip"}
        s.add(name, panel, Revolute("z"), q=turn * angle, **above)
        if stiffness:
            s.apply(f"{prefix}spring{i}", JointSpring(name, stiffness=stiffness, rest=-math.copysign(preload, turn)))
        if cables and i:
            s.constrain(f"{prefix}cable{i}", Gear(name, before, -0.5 if i == 1 else -1.0, 0.0))
        s.show(name, Box((w, 0.03 * w, w), position=(w / 2, 0, 0), color="blue" if i % 2 else "grey"))
    return s
