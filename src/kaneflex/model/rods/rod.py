"""What a rod or a cable is: length, section, and into how many segments it is divided."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from kaneflex.model import checks, quantities
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.rods.along import Along
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed

PLANES = {"xy": 2, "xz": 1}  # and the axis normal to each
SLENDER = 100  # lengths over radius of a rod whose section is not known: it has some inertia about its axis
ENDS = ("root", "tip")
MOST_MODES = 13  # whose damping ratios can be given


class Strand:
    """What rods and cables have in common; both are frozen dataclasses."""

    length: float
    mass_per_length: Any
    n: int
    EA: Any
    plane: str | None
    radius: float | None
    damping: float
    points: Mapping[str, float]

    def __post_init__(self) -> None:
        kind = type(self).__name__
        keep = lambda name, value: object.__setattr__(self, name, value)
        keep("length", checks.positive(self.length, f"length of a {kind}"))
        keep("n", checks.whole(self.n, f"n, the number of segments of a {kind},", least=1))
        if self.plane is not None:
            checks.known(self.plane, PLANES, f"plane of a {kind}:")
        if self.radius is not None:
            keep("radius", checks.positive(self.radius, f"radius of a {kind}"))
        keep("damping", checks.not_negative(self.damping, f"damping of a {kind}"))
        points = {}
        for name, s in self.points.items():
            points[free_point(name)] = arc_length(self, s, f'point "{name}" of a {kind}')
        keep("points", Settled(points, 'points come with the rod, or by add_point("rod", "name", arc length)'))
        for section in self.sections.values():
            section(0.0)  # says what is wrong with a function

    @cached_property
    def sections(self) -> dict[str, Along]:
        """What is given along the rod, by name."""
        return self._sections()

    def _sections(self) -> dict[str, Along]:
        found = {"mass_per_length": Along(self.mass_per_length, 1, "mass_per_length")}
        if self.EA is not None:
            found["EA"] = Along(self.EA, 1, "EA")
        return found

    @property
    def stretches(self) -> bool:
        """Whether it is extensible."""
        return self.EA is not None

    @property
    def shears(self) -> bool:
        """Whether its sections may lean."""
        return False

    def as_stored(self) -> Any:
        """The rod with tables in the place of functions, for a file."""
        s, rod = np.linspace(0, self.length, 4 * self.n + 1), cast(Any, self)
        functions = {name: one.sampled(s) for name, one in self.sections.items() if one.function is not None}
        return replace(rod, **functions) if functions else rod

    def _thickness(self, s: Vector) -> Vector:
        """Radius of the section, m."""
        return np.full(len(s), self.length / SLENDER if self.radius is None else self.radius)

    def drawn_radius(self) -> float | None:
        """Radius to draw it by, m; None where it is not known."""
        return self.radius


@typed
@dataclass(frozen=True, eq=False)
class Rod(Strand):
    """A rod that bends, twists and, where EA and GA are given, stretches and shears, by any angle: for `System.add_rod`.

    It is divided into n equal segments, rigid bodies, with springs between them that follow from the section: EI/l and GJ/l
    for a length l, and twice that at a clamped root, which stands for half a segment. Deflections, frequencies and shapes
    converge like 1/n^2. The rod's axes are those of its root: x along it, y and z across; in a segment likewise.

    What is given along the rod may be a number, a function of the arc length s (m, 0 at the root), or a table of arc lengths
    and values, with straight lines in between.

    Args:
        length: m.
        mass_per_length: kg/m.
        EI: bending stiffness, N m^2: one number, or two: about y and about z.
        GJ: torsional stiffness, N m^2; not needed in a plane.
        EA: stiffness to stretch, N; None for a rod that is inextensible.
        GA: stiffness to shear, with the shear factor, N: one number, or two: along y and along z. None for sections that
            stay normal. It needs EA.
        n: number of segments.
        plane: "xy" or "xz" of the rod's axes for a rod that stays in this plane; None for one in space.
        curvature: without load, rad/m: in a plane about its normal (z or y), in space three: about x (twist), y and z.
        rotary_inertia: of the sections, per length, kg m: one number, about y and z (about x their sum), or three, about x,
            y and z. None for none across, and about x, in space, for that of a round section.
        radius: of the section, m, for the inertia about x and for pictures; None for what EI and EA tell, or a hundredth of
            the length.
        damping: time T of the Kelvin-Voigt material, s: stresses follow strain + T strain rate.
        damping_ratio: in the place of `damping`, of the lowest bending modes of the rod by itself, straight and as it is
            held: one ratio, or one for each of at most 13 modes, in both planes. T follows as the largest time that none of
            them forbids, and moments on each mode add the rest; higher modes have what T gives, in proportion to their
            frequency.
        points: places by name and arc length, m, besides "root" and "tip".
        order: in the place of n segments, number of polynomials of its strain, or numbers by kind: the rod is then one
            body, a StrainRod. Smooth loads need six to eight where segments would be hundreds.
    """

    length: float
    mass_per_length: Any
    EI: Any
    GJ: Any = None
    EA: Any = None
    GA: Any = None
    n: int = 20
    plane: str | None = None
    curvature: Any = 0.0
    rotary_inertia: Any = None
    radius: float | None = None
    damping: float = 0.0
    damping_ratio: Any = None
    points: Mapping[str, float] = field(default_factory=dict)
    order: Any = None

    def __post_init__(self) -> None:
        if checks.dimensions(self.EI) == 0 and not checks.is_function(self.EI) and checks.number(self.EI, "EI") == 0:
            raise ModelError("EI of a Rod is 0: give its bending stiffness, or use a Cable, which has none")
        _check_order(self.order)
        if self.GJ is None and self.plane is None:
            raise ModelError('GJ of a Rod in space is missing: give its torsional stiffness, or plane="xy"')
        if self.GA is not None and self.EA is None:
            raise ModelError("a Rod has GA and no EA: give EA too, since a rod that shears stretches")
        if self.damping_ratio is not None:
            object.__setattr__(self, "damping_ratio", _ratios(self.damping_ratio))
            if self.order is not None and isinstance(self.damping_ratio, tuple):
                raise ModelError("damping_ratio of a Rod with an order is a list: give one ratio, or n segments")
            if self.damping:
                raise ModelError("a Rod has damping and damping_ratio: give one of them")
        super().__post_init__()

    def _sections(self) -> dict[str, Along]:
        found = super()._sections()
        found["EI"] = Along(self.EI, 2, "EI")
        if self.GJ is not None:
            found["GJ"] = Along(self.GJ, 1, "GJ")
        if self.GA is not None:
            found["GA"] = Along(self.GA, 2, "GA")
        found["curvature"] = Along(self.curvature, 1 if self.plane else 3, "curvature", None)
        one = found["curvature"].constant is not None and checks.dimensions(self.curvature) == 0
        if self.plane is None and one and self.curvature != 0:
            raise ModelError("curvature of a Rod in space is one number: give three, about x (twist), y and z")
        if self.rotary_inertia is not None:
            found["rotary_inertia"] = Along(self.rotary_inertia, 3, "rotary_inertia", 0)
        return found

    @property
    def shears(self) -> bool:
        """Whether its sections may lean."""
        return self.GA is not None

    def _thickness(self, s: Vector) -> Vector:
        if self.radius is None and self.EA is not None:  # of a solid round section
            return np.asarray(2 * np.sqrt(self.sections["EI"](s).mean(axis=1) / self.sections["EA"](s)[:, 0]))
        return super()._thickness(s)

    def drawn_radius(self) -> float | None:
        """Radius to draw it by, m; None where it is not known."""
        if self.radius is not None or self.EA is None:
            return self.radius
        return float(self._thickness(np.array([self.length / 2]))[0])


@typed
@dataclass(frozen=True, eq=False)
class Cable(Strand):
    """A rod without stiffness to bending and twist: for `System.add_rod`.

    Args:
        length: without load, m.
        mass_per_length: kg/m; as for Rod it may change along the cable.
        EA: stiffness to stretch, N; None for an inextensible cable.
        n: number of segments.
        plane: "xy" or "xz" of the cable's axes for one that stays in this plane; None for one in space.
        radius: of the section, m, for the inertia about its own axis and for pictures; None for a hundredth of the length.
        damping: time T of the Kelvin-Voigt material, s.
        points: places by name and arc length, m, besides "root" and "tip".
    """

    length: float
    mass_per_length: Any
    EA: Any = None
    n: int = 20
    plane: str | None = None
    radius: float | None = None
    damping: float = 0.0
    points: Mapping[str, float] = field(default_factory=dict)


def arc_length(rod: Strand, value: Any, what: str) -> float:
    """An arc length on a rod, m; `what` names the value."""
    s = checks.number(value, what)
    if not 0 <= s <= rod.length:
        raise ModelError(f"{what} is at {s:g} m: give an arc length from 0 to its length, {rod.length:g} m")
    return s


def curvature_at(rod: Strand, s: Vector) -> Vector:
    """Curvature without load about x, y and z at arc lengths, (k, 3), rad/m."""
    found = np.zeros((len(s), 3))
    if isinstance(rod, Rod):
        values = rod.sections["curvature"](s)
        found[:, slice(None) if rod.plane is None else [PLANES[rod.plane]]] = values
    return found


def rotary_inertia_at(rod: Strand, s: Vector) -> Vector:
    """Inertia of the sections per length about x, y and z at arc lengths, (k, 3), kg m."""
    if "rotary_inertia" not in rod.sections:
        found = np.zeros((len(s), 3))
        if rod.plane is None:
            found[:, 0] = rod.sections["mass_per_length"](s)[:, 0] * rod._thickness(s) ** 2 / 2
        return found
    found = rod.sections["rotary_inertia"](s)
    if checks.dimensions(rod.rotary_inertia) == 0:  # type: ignore[attr-defined]
        found[:, 0] *= 2
    return found


def _ratios(given: Any) -> float | tuple[float, ...]:
    """One damping ratio, or those of the lowest modes."""
    what = "damping_ratio of a Rod"
    if checks.dimensions(given) == 0:
        return checks.not_negative(given, what)
    if not 1 <= len(given) <= MOST_MODES:
        raise ModelError(f"{what} has {len(given)} numbers: give one to {MOST_MODES}, of its lowest modes")
    return tuple(checks.not_negative(one, what) for one in given)


def _check_order(order: Any) -> None:
    """Refuse what is no number of polynomials; which kinds there are, the body knows."""
    what = "order of a Rod, its number of polynomials,"
    if isinstance(order, Mapping):
        for kind, number in order.items():
            if not isinstance(kind, str):
                raise ModelError(f"{what} is for {checks.shown(kind)}: name kinds of strain")
            checks.whole(number, f"{what} for {checks.quoted(kind)}")
    elif order is not None:
        checks.whole(order, what, least=1)


def free_point(name: Any) -> str:
    """A name for a point of a rod."""
    quantities.free(name, "name of a point of a rod")
    if name in ENDS:
        raise ModelError(f'name of a point of a rod is "{name}", which every rod has: choose another name')
    return str(name)


__all__ = ["Cable", "Rod", "Strand"]
