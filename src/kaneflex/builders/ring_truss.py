"""A ring truss that unfolds, as rims of mesh antennas do: parallelograms between upright battens, in a closed ring."""

import math

from kaneflex.builders.counts import angle_between, at_least
from kaneflex.builders.ring_corners import corner_turns
from kaneflex.builders.thin_bar import thin_bar
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Coupler
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Tube
from kaneflex.model.typed import typed
from kaneflex.system import System


@typed
def ring_truss(
    bays: int,
    *,
    length: float = 1.0,
    height: float = 0.5,
    batten_mass: float = 1.0,
    longeron_mass: float = 1.0,
    angle: float = 1.3,
    stiffness: float = 0.0,
    preload: float = 0.0,
    synchronised: bool = True,
) -> System:
    """A ring of so many bays, at rest and free in space, its axis along z.

    Upright battens batten0, batten1, ... stand at the corners of a regular polygon; between two of them the longerons
    top_i and bottom_i turn by the same angle, up in one bay and down in the next, so that the polygon has sides
    length cos(angle). Each bay is a loop (foot_i closes it), and so is the ring, which "rim" and "foot" of the last
    bay close. Without synchronising gears the ring has bays - 3 freedoms besides those in space; with them (gear1,
    gear2, ...) it has one. A closed loop of cable over equal drums of neighbouring hinges says the same as a gear.

    Args:
        bays: an even number, at least 4.
        length: of a longeron, m.
        height: of a batten, m.
        batten_mass, longeron_mass: of uniform thin bars, kg.
        angle: of the longerons to the horizontal, rad: near pi/2 folded, 0 unfolded.
        stiffness: of a torsion spring at the root of every upper longeron, N m/rad.
        preload: angle by which these springs are still turned in the unfolded ring, rad.
        synchronised: whether gears, or loops of cable, at the battens make all angles one.
    """
    n = at_least(bays, 4, "bays of a ring truss")
    if n % 2:
        raise ModelError(f"a ring truss of {n} bays does not close: bays go up and down in turn, give an even number")
    l, h = checks.positive(length, "length"), checks.positive(height, "height")
    angle = angle_between(angle, -math.pi / 2, math.pi / 2, "angle of a ring truss")
    batten, longeron = _batten(n, h, batten_mass), thin_bar(l, longeron_mass, "longeron_mass")
    radius = l * math.cos(angle) / (2 * math.sin(math.pi / n))
    s = System("ring truss")
    s.add("batten0", batten, Free(), q=(radius, 0, -l / 2 * math.sin(angle), 1, 0, 0, 0))
    for i in range(n):
        sign = 1 if i % 2 == 0 else -1  # up, down
        down, back = -sign * angle, sign * angle
        s.add(f"top{i}", longeron, Revolute("y"), f"batten{i}", "top_out", q=down)
        s.add(f"bottom{i}", longeron, Revolute("y"), f"batten{i}", "bottom_out", q=down)
        if i < n - 1:
            s.add(f"batten{i + 1}", batten, Revolute("y"), f"top{i}", "tip", hinge="top_in", q=back)
        else:
            s.close("rim", f"top{i}.tip", "batten0.top_in", Revolute("y"))
        s.close(f"foot{i}", f"bottom{i}.tip", f"batten{(i + 1) % n}.bottom_in", Revolute("y"))
        if stiffness:
            s.apply(f"spring{i}", JointSpring(f"top{i}", stiffness=stiffness, rest=sign * preload))
        if synchronised and i:
            s.constrain(f"gear{i}", Coupler({f"top{i - 1}": 1.0, f"top{i}": 1.0}, 0.0))
        s.show(f"batten{i}", Tube(((0, 0, -h / 2), (0, 0, h / 2)), 0.02 * l, color="silver"))
        for side in ("top", "bottom"):
            s.show(f"{side}{i}", Tube(((0, 0, 0), (l, 0, 0)), 0.015 * l, color="blue"))
    return s


def _batten(n: int, h: float, mass: float) -> Rigid:
    """A batten with the frames of its four hinges: x along the bay, y across it, z up; its own x points outwards."""
    m = checks.positive(mass, "batten_mass")
    J = m * h**2 / 12
    frames = {
        f"{end}_{side}": Frame((0, 0, z), (("z", turn),))
        for side, turn in corner_turns(n).items()
        for end, z in (("top", h / 2), ("bottom", -h / 2))
    }
    return Rigid(m, inertia=(J, J, 1e-3 * J), frames=frames)
