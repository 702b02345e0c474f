"""A straight beam."""

from typing import Any

from kaneflex.model import checks
from kaneflex.model.typed import typed
from kaneflex.structures.framework import Framework, count
from kaneflex.structures.section import Section
from kaneflex.structures.structure import Structure


@typed
class Beam(Structure):
    """A straight uniform beam along +x from node "root" at the origin to node "tip".

    Args:
        length: m.
        EA: axial stiffness, N.
        EI: bending stiffness, N m^2: one number, or (about y, about z); bending in the x-y plane is about z.
        mass_per_length: kg/m.
        elements: how many of equal length; nodes are numbered from root to tip.
        GJ: torsional stiffness, N m^2; None for that of a circular section, (EIy + EIz)/2.6.
        GA: shear stiffness, N: one number, or (along y, along z); None for no shear deformation (Euler-Bernoulli).
        rotary: mass moment of inertia per length, kg m: one number, or (about y, about z); None for that of a homogeneous
            section, mass_per_length * EI/EA.
        polar: about x, kg m; None for the sum of the two.
        shear_centre: from the centroid, on which the nodes are, (y, z), m.
    """

    def __init__(
        self,
        length: float,
        EA: float,
        EI: Any,
        mass_per_length: float,
        elements: int = 20,
        GJ: float | None = None,
        GA: Any = None,
        rotary: Any = None,
        polar: float | None = None,
        shear_centre: Any = (0.0, 0.0),
    ) -> None:
        L, n = checks.positive(length, "length"), count(elements, "elements")
        mass_per_length = checks.positive(mass_per_length, "mass_per_length")
        section = Section(EA, EI, mass_per_length, GJ, GA, rotary, polar, shear_centre)
        frame = Framework()
        for k in range(n + 1):
            frame.node({0: "root", n: "tip"}.get(k), (L * k / n, 0, 0))
        for k in range(n):
            frame.beam(k, k + 1, section, name=f"beam-{k}")
        super().__init__(*frame.parts())
