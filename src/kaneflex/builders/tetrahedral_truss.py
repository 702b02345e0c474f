"""A tetrahedral truss that unfolds: two triangular grids of struts hinged in the middle, and rigid struts between them."""

import math
from itertools import combinations

import numpy as np

from kaneflex.builders.counts import angle_between, at_least
from kaneflex.builders.thin_bar import thin_bar
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Coupler
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Sphere, Tube
from kaneflex.model.typed import typed
from kaneflex.system import System

Node = tuple[int, int]


@typed
def tetrahedral_truss(
    cells: int,
    *,
    link: float = 0.5,
    diagonal: float = 0.8,
    hub_mass: float = 0.2,
    link_mass: float = 0.1,
    diagonal_mass: float = 0.2,
    angle: float = 1.3,
    stiffness: float = 0.0,
    preload: float = 0.0,
    synchronised: bool = True,
) -> System:
    """A triangle of so many tetrahedra along each side, at rest and free in space, its base in the x-y plane.

    Hubs stand at the corners of a triangular grid with the mesh D = 2 link cos(angle), base_i_j at D (i + j/2, j sqrt(3)/2);
    below the middle of each triangle that points along y is another, apex_i_j, on the same grid. Rigid struts, the diagonals
    base_i_j_apex_k_l, join each apex with the corners of its triangle. Neighbours of a grid are joined by two links
    each, base_i_j_k_l_a and ..._b, hinged in the middle, which stands out by link sin(angle). All axes of hinges lie
    in the x-y plane, across their struts. Two freedoms are left besides six in space, one with gears, with
    which all links turn alike and hubs do not turn.

    Args:
        cells: number of tetrahedra along a side, at least two: the hubs of one alone could tilt as well.
        link: length of a link, m.
        diagonal: length of a diagonal, m: above 2/sqrt(3) links, so that the truss can lie flat.
        hub_mass, link_mass, diagonal_mass: of small balls and of uniform thin bars, kg.
        angle: of the links to the x-y plane, rad: near pi/2 folded, 0 unfolded.
        stiffness: of a torsion spring in the middle of every pair of links, N m/rad.
        preload: angle by which these springs are still turned in the unfolded truss, rad.
        synchronised: whether gears make all links turn alike.
    """
    n, s, d = at_least(cells, 2, "cells of a truss"), checks.positive(link, "link"), checks.positive(diagonal, "diagonal")
    angle = angle_between(angle, 0.0, math.pi / 2, "angle of a tetrahedral truss")
    if d <= 2 * s / math.sqrt(3):
        raise ModelError(f"diagonal is {d:g} m: the truss does not unfold, give more than {2 * s / math.sqrt(3):g} m")
    truss = _Truss(s, d, angle, thin_bar(s, link_mass, "link_mass"), thin_bar(d, diagonal_mass, "diagonal_mass"))
    truss.nodes(n, checks.positive(hub_mass, "hub_mass"))
    truss.grow()
    for k, name in enumerate(truss.middles):
        sign = truss.signs[name]
        if stiffness:
            truss.s.apply(f"spring{k}", JointSpring(name, stiffness=stiffness, rest=-sign * preload))
        if synchronised and k:
            first = truss.middles[0]
            truss.s.constrain(f"gear{k}", Coupler({name: float(sign), first: -float(truss.signs[first])}, 0.0))
    return truss.s


class _Truss:
    """The truss as it grows from hub to hub."""

    def __init__(self, link: float, diagonal: float, angle: float, link_bar: Rigid, diagonal_bar: Rigid):
        self.s, self.angle, self.bars = System("tetrahedral truss"), angle, (link_bar, diagonal_bar)
        self.lengths = link, diagonal
        self.slope = math.acos(2 * link * math.cos(angle) / math.sqrt(3) / diagonal)  # of the diagonals
        self.struts: list[tuple[str, str]] = []  # the hubs that each joins
        self.places: dict[str, np.ndarray] = {}  # of hubs, in meshes
        self.middles: list[str] = []
        self.signs: dict[str, int] = {}

    def nodes(self, n: int, mass: float) -> None:
        """Hubs and what joins them."""
        base, apex = _grid(n), _grid(n - 1)
        up, shift = np.array([[1, 0], [0.5, math.sqrt(3) / 2]]), np.array([0.5, math.sqrt(3) / 6])
        self.places = {f"base_{i}_{j}": (i, j) @ up for i, j in base}
        self.places |= {f"apex_{i}_{j}": (i, j) @ up + shift for i, j in apex}
        for kind, grid in (("base", base), ("apex", apex)):
            self.struts += [(f"{kind}_{i}_{j}", f"{kind}_{k}_{l}") for (i, j), (k, l) in combinations(grid, 2)
                            if (k - i, l - j) in ((1, 0), (0, 1), (1, -1), (-1, 1))]  # fmt: skip
        for i, j in apex:
            self.struts += [(f"base_{k}_{l}", f"apex_{i}_{j}") for k, l in ((i, j), (i + 1, j), (i, j + 1))]
        J = 0.4 * mass * (0.05 * self.lengths[0]) ** 2
        self.hubs = {name: Rigid(mass, inertia=(J, J, J), frames=self._frames(name)) for name in self.places}

    def _frames(self, name: str) -> dict[str, Frame]:
        """A frame for each strut at a hub: x along its way, as seen from the first of its hubs, z up."""
        frames = {}
        for pair in self.struts:
            if name in pair:
                x, y = self.places[pair[1]] - self.places[pair[0]]
                frames["__".join(pair)] = Frame((0, 0, 0), (("z", math.atan2(y, x)),))
        return frames

    def grow(self) -> None:
        """Add the struts, hubs as they are reached."""
        root = next(iter(self.hubs))
        self.s.add(root, self.hubs[root], Free())
        left, reached = list(self.struts), {root}
        while left:
            pair = next(p for p in left if p[0] in reached)
            left.remove(pair)
            self._strut(*pair, reached)
        for name in self.hubs:
            self.s.show(name, Sphere(0.06 * self.lengths[0], color="silver"))

    def _strut(self, start: str, end: str, reached: set[str]) -> None:
        """One strut from a hub that is there to another, which it adds or closes a loop with."""
        frame, grid = f"{start}__{end}", start[:4]
        name = f"{start}_{end.removeprefix(f'{grid}_')}"
        if end.startswith(grid):
            up = 1 if grid == "base" else -1  # middles stand away from the other grid
            bar, length, parts = self.bars[0], self.lengths[0], [f"{name}_a", f"{name}_b"]
            turns = [-up * self.angle, 2 * up * self.angle, -up * self.angle]
            self.middles.append(parts[1])
            self.signs[parts[1]] = up
        else:
            bar, length, parts, turns = self.bars[1], self.lengths[1], [name], [self.slope, -self.slope]
        before, at = start, frame
        for part, turn in zip(parts, turns, strict=False):
            self.s.add(part, bar, Revolute("y"), before, at, q=turn)
            self.s.show(part, Tube(((0, 0, 0), (length, 0, 0)), 0.02 * self.lengths[0], color="blue"))
            before, at = part, "tip"
        if end in reached:
            self.s.close(f"{name}_pin", f"{before}.{at}", f"{end}.{frame}", Revolute("y"))
        else:
            self.s.add(end, self.hubs[end], Revolute("y"), before, at, hinge=frame, q=turns[-1])
            reached.add(end)


def _grid(n: int) -> list[Node]:
    """Nodes of a triangle with so many meshes along a side."""
    return [(i, j) for j in range(n + 1) for i in range(n + 1 - j)]
