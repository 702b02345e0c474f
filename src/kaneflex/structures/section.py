"""Cross-sections of beams."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Section:
    """Stiffness and mass of a beam's cross-section, in local axes: x along the beam, y and z across it.

    Axial force stiffens twist as it does in a homogeneous section, by N (EIy + EIz)/EA on top of GJ.

    Args:
        EA: axial stiffness, N.
        EI: bending stiffness, N m^2: one number, or (about y, about z); bending in the x-y plane is about z.
        mass_per_length: kg/m.
        GJ: torsional stiffness, N m^2; None for that of a circular section with Poisson's ratio 0.3, (EIy + EIz)/2.6; give
            it when torsion matters and the section is another, above all an open or flat one.
        GA: shear stiffness, shear factor included, N: one number, or (along y, along z) (Timoshenko); with None sections
            stay normal to the axis (Euler-Bernoulli).
        rotary: mass moment of inertia per length, kg m: one number, or (about y, about z); None for that of a homogeneous
            section, mass_per_length * EI/EA.
        polar: about x, kg m; None for the sum of the two.
        shear_centre: place of the shear centre from the centroid, (y, z), m. Where they are apart, as in a channel, a load
            through the centroid twists as it bends.
    """

    EA: float
    EI: Any
    mass_per_length: float
    GJ: float | None = None
    GA: Any = None
    rotary: Any = None
    polar: float | None = None
    shear_centre: Any = (0.0, 0.0)

    def __post_init__(self) -> None:
        EA = checks.positive(self.EA, "EA (axial stiffness)")
        m = checks.not_negative(self.mass_per_length, "mass_per_length")
        EIy, EIz = _two(self.EI, "EI (bending stiffness)", checks.positive)
        GJ = (EIy + EIz) / 2.6 if self.GJ is None else checks.positive(self.GJ, "GJ (torsional stiffness)")
        GA = (math.inf, math.inf) if self.GA is None else _two(self.GA, "GA (shear stiffness)", checks.positive)
        given = (m * EIy / EA, m * EIz / EA) if self.rotary is None else self.rotary
        rotary = _two(given, "rotary (mass moment of inertia per length)", checks.not_negative)
        polar = sum(rotary) if self.polar is None else checks.not_negative(self.polar, "polar (mass moment of inertia)")
        e = checks.array(self.shear_centre, (2,), "shear_centre (y, z from the centroid)")
        object.__setattr__(self, "_values", (EA, *GA, GJ, EIy, EIz, m, polar, *rotary, *e))

    def values(self) -> Vector:
        """EA, GAy, GAz, GJ, EIy, EIz, mass, polar, rotary_y, rotary_z, e_y, e_z."""
        return np.array(self._values)  # type: ignore[attr-defined]

    @classmethod
    def rectangle(cls, width: float, height: float, E: float, nu: float, density: float) -> "Section":
        """A solid rectangle.

        Args:
            width: along local y, m.
            height: along local z, m.
            E: Young's modulus, Pa.
            nu: Poisson's ratio.
            density: kg/m^3.
        """
        b, h = checks.positive(width, "width"), checks.positive(height, "height")
        E, G = moduli(E, nu)
        A = b * h
        # torsion of a rectangle: the series of Saint-Venant, summed to rounding
        long, short = max(b, h), min(b, h)
        k = np.arange(1, 400, 2)
        series = np.sum(np.tanh(k * np.pi * long / (2 * short)) / k**5)
        J = long * short**3 / 3 * (1 - 192 * short / (np.pi**5 * long) * series)
        rho = checks.positive(density, "density")
        return cls(E * A, (E * b * h**3 / 12, E * h * b**3 / 12), rho * A, GJ=G * float(J), GA=5 / 6 * G * A)

    @classmethod
    def tube(cls, radius: float, wall: float, E: float, nu: float, density: float) -> "Section":
        """A round tube, or a solid round bar when wall equals radius.

        Args:
            radius: outer radius, m.
            wall: thickness, m.
            E: Young's modulus, Pa.
            nu: Poisson's ratio.
            density: kg/m^3.
        """
        R = checks.positive(radius, "radius")
        t = checks.positive(wall, "wall")
        if t > R:
            raise ModelError(f"wall is {t:g}: it cannot exceed the radius {R:g}")
        E, G = moduli(E, nu)
        r = R - t
        A, I = np.pi * (R**2 - r**2), np.pi / 4 * (R**4 - r**4)
        q = r / R  # shear factor after Cowper, for any wall
        factor = 6 * (1 + nu) * (1 + q**2) ** 2 / ((7 + 6 * nu) * (1 + q**2) ** 2 + (20 + 12 * nu) * q**2)
        rho = checks.positive(density, "density")
        return cls(float(E * A), float(E * I), float(rho * A), GJ=float(2 * G * I), GA=float(factor * G * A))

    @classmethod
    def channel(cls, height: float, width: float, wall: float, E: float, nu: float, density: float) -> "Section":
        """A channel of thin walls of one thickness: a web along local z, two flanges along +y from it. Its sections stay
        normal to the axis, and warp freely. The shear centre is on the side of the web where there are no flanges.

        Args:
            height: between the middles of the flanges, m.
            width: of a flange from the middle of the web, m.
            wall: thickness, m.
            E: Young's modulus, Pa.
            nu: Poisson's ratio.
            density: kg/m^3.
        """
        h, b, t = checks.positive(height, "height"), checks.positive(width, "width"), checks.positive(wall, "wall")
        if t > min(h, b) / 2:
            raise ModelError(f"wall is {t:g}: it cannot exceed half of height {h:g} and width {b:g}")
        E, G = moduli(E, nu)
        A, web = (2 * b + h) * t, b * b / (2 * b + h)  # distance of the centroid from the web
        Iy = t * h**3 / 12 + 2 * b * t * h * h / 4
        Iz = 2 * t * (b**3 / 12 + b * (b / 2 - web) ** 2) + h * t * web * web
        apart = web + b * b * h * h * t / (4 * Iy)
        rho, J = checks.positive(density, "density"), (2 * b + h) * t**3 / 3
        return cls(E * A, (E * Iy, E * Iz), rho * A, GJ=G * J, shear_centre=(-apart, 0.0))


def _two(value: Any, what: str, check: Any) -> tuple[float, float]:
    if checks.dimensions(value) == 0:
        x = check(value, what)
        return x, x
    if len(value) != 2:
        raise ModelError(f"{what} has {len(value)} values: give one number, or two (for y and z)")
    return check(value[0], f"{what}, first value"), check(value[1], f"{what}, second value")


def moduli(E: float, nu: float) -> tuple[float, float]:
    """Checked Young's modulus E, and the shear modulus G = E/(2(1 + nu)), Pa."""
    E = checks.positive(E, "E (Young's modulus)")
    nu = checks.number(nu, "nu (Poisson's ratio)")
    if not -1 < nu < 0.5:
        raise ModelError(f"nu (Poisson's ratio) is {nu:g}: give a value between -1 and 0.5")
    return E, E / (2 * (1 + nu))
