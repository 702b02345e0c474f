"""A lattice mast of pinned bars."""

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.framework import Framework, count
from kaneflex.structures.structure import Structure


@typed
class Mast(Structure):
    """A straight lattice mast along +x: longerons, a ring of battens at every bay's end, one diagonal per face and bay.

    The diagonals run round the mast in one sense, so that twist and stretch couple, unless `crossed`. All bars are pinned.
    Named nodes: "root" and "tip", on the axis at both ends, which the end rings follow rigidly; ring k has nodes
    "ring-k-0", "ring-k-1", ...

    Args:
        length: m.
        radius: of the circle on which the longerons stand, m.
        bays: how many, of equal length.
        EA: axial stiffness of (longerons, battens, diagonals), N.
        mass_per_length: of (longerons, battens, diagonals), kg/m.
        sides: 3 or 4 longerons; with 4 each ring has a diagonal too, of the battens' kind.
        crossed: two diagonals per face and bay.
        joint_mass: at every joint, kg.
    """

    def __init__(
        self,
        length: float,
        radius: float,
        bays: int,
        EA: tuple[float, float, float],
        mass_per_length: tuple[float, float, float],
        sides: int = 3,
        crossed: bool = False,
        joint_mass: float = 0.0,
    ) -> None:
        L, R, n = checks.positive(length, "length"), checks.positive(radius, "radius"), count(bays, "bays")
        if sides not in (3, 4):
            raise ModelError(f"sides is {sides!r}: give 3 or 4 longerons")
        stiffness = checks.array(EA, (3,), "EA of longerons, battens and diagonals")
        masses = checks.array(mass_per_length, (3,), "mass_per_length of longerons, battens and diagonals")
        longeron, batten, diagonal = zip(stiffness.tolist(), masses.tolist(), strict=True)
        frame = Framework()
        angles = 2 * np.pi * np.arange(sides) / sides
        for k in range(n + 1):
            for i, angle in enumerate(angles):
                frame.node(f"ring-{k}-{i}", (L * k / n, R * np.cos(angle), R * np.sin(angle)))
        name = lambda k, i: f"ring-{k}-{i % sides}"
        for k in range(n + 1):
            for i in range(sides):
                frame.truss(name(k, i), name(k, i + 1), *batten, name=f"batten-{k}-{i}")
            if sides == 4:
                frame.truss(name(k, 0), name(k, 2), *batten, name=f"batten-{k}-across")
        for k in range(n):
            for i in range(sides):
                frame.truss(name(k, i), name(k + 1, i), *longeron, name=f"longeron-{k}-{i}")
                frame.truss(name(k, i), name(k + 1, i + 1), *diagonal, name=f"diagonal-{k}-{i}")
                if crossed:
                    frame.truss(name(k, i + 1), name(k + 1, i), *diagonal, name=f"diagonal-{k}-{i}-back")
        if checks.not_negative(joint_mass, "joint_mass"):
            for k in range(n + 1):
                for i in range(sides):
                    frame.mass(name(k, i), joint_mass)
        for end, k, x in (("root", 0, 0.0), ("tip", n, L)):
            frame.node(end, (x, 0, 0))
            frame.link(end, *(name(k, i) for i in range(sides)))
        super().__init__(*frame.parts())
