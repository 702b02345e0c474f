"""A solar array of panels in a row, folded like an accordion and drawn out together by closed loops of cable."""

import math

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
) -> System:
    """Panels panel0, panel1, ... hinged in a row about z, panel0 on the inertial frame.

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
    """
    n, w, m = at_least(panels, 1, "panels of an array"), checks.positive(width, "width"), checks.positive(mass, "mass")
    J = m * w**2 / 12
    panel = Rigid(m, com=(w / 2, 0, 0), inertia=(J, J, 2 * J), frames={"tip": (w, 0, 0)})
    s = System("folded array")
    for i in range(n):
        turn = 1.0 if i == 0 else 2.0 * math.cos(math.pi * i)
        above = {} if i == 0 else {"parent": f"panel{i - 1}", "at": "tip"}
        s.add(f"panel{i}", panel, Revolute("z"), q=turn * angle, **above)
        if stiffness:
            s.apply(f"spring{i}", JointSpring(f"panel{i}", stiffness=stiffness, rest=-math.copysign(preload, turn)))
        if cables and i:
            s.constrain(f"cable{i}", Gear(f"panel{i}", f"panel{i - 1}", -0.5 if i == 1 else -1.0, 0.0))
        s.show(f"panel{i}", Box((w, 0.03 * w, w), position=(w / 2, 0, 0), color="blue" if i % 2 else "grey"))
    return s
