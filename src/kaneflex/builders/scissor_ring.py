"""A ring of scissors: crossed bars in every side of a polygon, between hubs at its upper and lower corners."""

import math

from kaneflex.builders.counts import angle_between, at_least
from kaneflex.builders.ring_corners import corner_turns
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.constraints import Coupler
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Sphere, Tube
from kaneflex.model.typed import typed
from kaneflex.system import System


@typed
def scissor_ring(
    pairs: int,
    *,
    arm: float = 0.5,
    bar_mass: float = 1.0,
    hub_mass: float = 0.2,
    angle: float = 1.2,
    stiffness: float = 0.0,
    preload: float = 0.0,
    synchronised: bool = True,
) -> System:
    """A closed ring of so many scissors, at rest and free in space, its axis along z.

    Bar up_i rises from the hub lower_i to upper_i+1, down_i falls from upper_i to lower_i+1, pinned at the centre of up_i;
    all make the angle `angle` with the horizontal, so that the ring has sides 2 arm cos(angle) and the height 2 arm
    sin(angle). The hinges of a side have axes across it. Pins root_i close the loops between neighbours, rim and foot the
    ring. Gears (gear1, gear2, ...), or closed loops of cable over equal drums, make all angles one.

    Args:
        pairs: their number, at least 3.
        arm: from the centre of a bar to its end, m.
        bar_mass: of a uniform thin bar, kg.
        hub_mass: of a hub, a ball of a tenth of an arm, kg.
        angle: of the bars to the horizontal, rad: near pi/2 folded, near 0 unfolded.
        stiffness: of a torsion spring at every crossing, N m/rad.
        preload: angle by which these springs are still turned in the flat ring, rad.
        synchronised: whether gears make all angles one.
    """
    n, a = at_least(pairs, 3, "pairs of a scissor ring"), checks.positive(arm, "arm")
    angle = angle_between(angle, 0.0, math.pi / 2, "angle of a scissor ring")
    across = checks.positive(bar_mass, "bar_mass") * a**2 / 3
    bar = Rigid(bar_mass, inertia=(1e-3 * across, across, across), frames={"root": (-a, 0, 0), "tip": (a, 0, 0)})
    J = 0.4 * checks.positive(hub_mass, "hub_mass") * (0.1 * a) ** 2
    turns = {side: Frame((0, 0, 0), (("z", turn),)) for side, turn in corner_turns(n).items()}
    hub, hinge = Rigid(hub_mass, inertia=(J, J, J), frames=turns), Revolute("y")
    s = System("scissor ring")
    radius = a * math.cos(angle) / math.sin(math.pi / n)
    s.add("lower0", hub, Free(), q=(radius, 0, -a * math.sin(angle), 1, 0, 0, 0))
    for i in range(n):
        s.add(f"up{i}", bar, hinge, f"lower{i}", "out", hinge="root", q=-angle)
        s.add(f"down{i}", bar, hinge, f"up{i}", q=2 * angle)
        if i == 0:
            s.add("upper0", hub, hinge, "down0", "root", hinge="out", q=-angle)
        else:
            s.close(f"root{i}", f"down{i}.root", f"upper{i}.out", hinge)
        if i < n - 1:
            s.add(f"upper{i + 1}", hub, hinge, f"up{i}", "tip", hinge="in", q=angle)
            s.add(f"lower{i + 1}", hub, hinge, f"down{i}", "tip", hinge="in", q=-angle)
        else:
            s.close("rim", f"up{i}.tip", "upper0.in", hinge)
            s.close("foot", f"down{i}.tip", "lower0.in", hinge)
        if stiffness:
            s.apply(f"spring{i}", JointSpring(f"down{i}", stiffness=stiffness, rest=-2 * preload))
        if synchronised and i:
            s.constrain(f"gear{i}", Coupler({f"down{i - 1}": 1.0, f"down{i}": -1.0}, 0.0))
        for side, colour in (("up", "blue"), ("down", "silver")):
            s.show(f"{side}{i}", Tube(((-a, 0, 0), (a, 0, 0)), 0.03 * a, color=colour))
        for side in ("upper", "lower"):
            s.show(f"{side}{i}", Sphere(0.06 * a, color="grey"))
    return s
