"""Rods of high order: strain along the arc as polynomials, whose coefficients are the generalized coordinates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.strain_rod import FACTS
from kaneflex.model import checks, codec
from kaneflex.model.bodies import BodyBase
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed
from kaneflex.structures.rod_tables import (
    IN_PLANE,
    KINDS,
    LEAST_MASSES,
    MORE,
    Along,
    RodData,
    Strains,
    along,
    is_function,
    rod_data,
)

BENDING = ("bending y", "bending z")
NO_MASS = 1e-13  # least eigenvalue of the mass matrix, scaled to unit diagonal, that is not taken for zero


@typed
@dataclass(frozen=True)
class StrainRod(BodyBase):
    """A slender rod in large motion with large deflections, described by polynomials of its strain along the arc.

    The body's origin is the root, its x axis the tangent there; the joint holds the root. Sections turn with the material,
    by any angle: nothing is linearised. A smooth load needs six to eight coefficients of bending. Loads, joints and
    constraints act at the root, at the tip, and at `points`; where a force acts in between, curvature has a kink, which
    polynomials follow slowly: make it two rods there.

    A stiffness, a mass or a curvature is a number, or a smooth function of the arc length s (m) from the root.

    Args:
        length: of the unstrained rod, m.
        EI: bending stiffness, N m^2: one, or (about y, about z); bending in the x-y plane is about z.
        mass_per_length: kg/m.
        order: number of coefficients: of bending in each direction and of torsion, and half as many (rounded up) of
            stretch and shear, where these have a stiffness. Or numbers by kind: {"bending y": 6, "torsion": 3}; kinds are
            "bending y" (deflection along y), "bending z", "torsion", "axial", "shear y", "shear z".
        GJ: torsional stiffness, N m^2; None for a rod that does not twist.
        EA: axial stiffness, N; None for a rod that is not stretched.
        GA: shear stiffness, shear factor included, N: one, or (along y, along z); None for sections that stay normal.
        plane: True for a rod that bends in its x-y plane alone.
        rotary: mass moment of inertia per length, kg m: one, or (about y, about z).
        polar: about x, kg m; None for the sum of the two.
        curvature: of the unstrained rod, 1/m: one number (about z), or about x, y and z.
        damping: of the material (Kelvin-Voigt): section loads are stiffness times (strain + damping times its rate), s. One
            number, or numbers by kind.
        points: further places to attach to: name -> arc length from the root, m.
        masses: number of Gauss points along the arc at which the rod has its mass; None for four more than the largest
            number of coefficients.
        frames: further frames, fixed to the root: name -> position or Frame.
    """

    facts: ClassVar[BodyFacts] = FACTS
    is_flexible: ClassVar[bool] = True

    length: float
    EI: Any
    mass_per_length: Any
    order: Any = 6
    GJ: Any = None
    EA: Any = None
    GA: Any = None
    plane: bool = False
    rotary: Any = 0.0
    polar: Any = None
    curvature: Any = 0.0
    damping: Any = 0.0
    points: Mapping[str, float] = field(default_factory=dict)
    masses: int | None = None
    frames: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        put("length", checks.positive(self.length, "length of a StrainRod"))
        put("plane", checks.flag(self.plane, "plane of a StrainRod"))
        for name, what in (("EI", "bending stiffness"), ("GA", "shear stiffness"), ("rotary", "mass moment of inertia")):
            if getattr(self, name) is not None:
                put(name, self._two(getattr(self, name), f"{name} ({what}) of a StrainRod", name != "rotary"))
        for name, what in (("mass_per_length", "mass"), ("GJ", "torsional stiffness"), ("EA", "axial stiffness")):
            if name == "mass_per_length" or getattr(self, name) is not None:
                put(name, self._along(getattr(self, name), f"{name} ({what}) of a StrainRod", True))
        if self.polar is not None:
            put("polar", self._along(self.polar, "polar (mass moment of inertia) of a StrainRod", False))
        put("curvature", self._curvature())
        put("points", self._points())
        put("order", self._order())
        put("damping", self._damping())
        if self.masses is not None:
            put("masses", checks.whole(self.masses, "masses of a StrainRod", max(self.order.values()) + 1))
        self._check_mass()
        put("frames", Settled(self._frames(), "give frames= when the body is made, or add them in the system"))

    # -- what is given ---------------------------------------------------------------------------------------------------

    def _along(self, value: Any, what: str, positive: bool) -> Along:
        """A quantity along the rod that is positive, or at least not negative."""
        if not is_function(value):
            value = checks.positive(value, what) if positive else checks.not_negative(value, what)
        found = along(value, self.length, what)
        least = float(found.at(np.linspace(-1, 1, 201)).min())
        if least < 0 or (positive and least == 0):
            raise ModelError(f"{what} is {least:.3g} somewhere along the rod: give values that are positive")
        return found

    def _two(self, value: Any, what: str, positive: bool) -> tuple[Along, Along]:
        """One quantity for both directions, or one for each."""
        if is_function(value) or checks.dimensions(value) == 0:
            one = self._along(value, what, positive)
            return one, one
        if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
            raise ModelError(f"{what} is {checks.shown(value)}: give one, or two (for y and z)")
        first, second = (
            self._along(v, f"{what}, {n} value", positive) for n, v in zip(("first", "second"), value, strict=True)
        )
        return first, second

    def _curvature(self) -> tuple[Along, Along, Along]:
        what, value = "curvature of a StrainRod", self.curvature
        given = (0.0, 0.0, value) if is_function(value) or checks.dimensions(value) == 0 else value
        if not isinstance(given, tuple | list | np.ndarray) or len(given) != 3:
            raise ModelError(f"{what} is {checks.shown(value)}: give one number (about z), or three (about x, y, z)")
        parts = [along(k if is_function(k) else checks.number(k, what), self.length, what) for k in given]
        if self.plane and any(c != 0 for k in parts[:2] for c in k.coefficients):
            raise ModelError(f"{what} leaves the x-y plane, but plane is True: give curvature about z alone, or plane=False")
        return parts[0], parts[1], parts[2]

    def _points(self) -> dict[str, float]:
        if not isinstance(self.points, Mapping):
            raise ModelError(f"points of a StrainRod is {checks.shown(self.points)}: give arc lengths by name")
        found = {}
        for name, s in self.points.items():
            what = f'point "{checks.name(name, "name of a point")}" of a StrainRod'
            found[name] = checks.positive(s, what)
            if found[name] > self.length * (1 + 1e-12):
                raise ModelError(f"{what} is at {found[name]:g} m, beyond the tip at {self.length:g} m")
        if found.setdefault("tip", self.length) != self.length or "root" in found:
            raise ModelError('points of a StrainRod: "root" and "tip" are its ends: choose other names')
        return found

    @property
    def _stiff(self) -> dict[str, Any]:
        """Stiffness by kind; None where there is none."""
        EI, GA = self.EI, self.GA or (None, None)
        return dict(zip(KINDS, (self.GJ, EI[0], EI[1], self.EA, *GA), strict=True))

    def _order(self) -> dict[str, int]:
        """Numbers of coefficients by kind."""
        what, stiff = "order of a StrainRod", self._stiff
        if isinstance(self.order, Mapping):
            found = dict.fromkeys(KINDS, 0)
            for kind, number in self.order.items():
                found[checks.known(kind, KINDS, f"{what}: kind")] = checks.whole(number, f"{what}: {kind}")
                if number and stiff[kind] is None:
                    raise ModelError(f"{what} has {number} of {kind}, which has no stiffness: give it, or none of these")
                if number and self.plane and kind not in IN_PLANE:
                    raise ModelError(f"{what} has {number} of {kind}, which leaves the x-y plane, but plane is True")
        else:
            n = checks.whole(self.order, what, 1)
            full = {kind: n if kind in (*BENDING, "torsion") else (n + 1) // 2 for kind in KINDS}
            used = [kind for kind in KINDS if stiff[kind] is not None and (kind in IN_PLANE or not self.plane)]
            found = {kind: full[kind] if kind in used else 0 for kind in KINDS}
        if not any(found.values()):
            raise ModelError(f"{what} is {checks.shown(self.order)}: without coefficients it is a Rigid; give at least one")
        return found

    def _damping(self) -> dict[str, float]:
        """Time constants by kind."""
        what = "damping of a StrainRod"
        if isinstance(self.damping, Mapping):
            given = {checks.known(kind, KINDS, f"{what}: kind"): t for kind, t in self.damping.items()}
            return {kind: checks.not_negative(given.get(kind, 0.0), f"{what}: {kind}") for kind in KINDS}
        return dict.fromkeys(KINDS, checks.not_negative(self.damping, what))

    def _frames(self) -> dict[str, Frame]:
        if not isinstance(self.frames, Mapping):
            raise ModelError(f"frames of a StrainRod is {self.frames!r}: give a mapping from names to positions or Frames")
        frames = {checks.name(n, "name of a frame"): as_frame(f, f'frame "{n}"') for n, f in self.frames.items()}
        own: dict[str, Frame] = {"root": Frame()}
        for name, node in self.modal.nodes.items():
            own[name] = NodeFrame(tuple(node.position), tuple(map(tuple, node.R.tolist())), name)
        for name, frame in own.items():
            if frames.setdefault(name, frame) != frame:
                raise ModelError(f'frame "{name}" of a StrainRod has the name of a point: choose another name')
        return frames

    def _check_mass(self) -> None:
        """Refuse strains that move no mass."""
        M = self.modal.mass_matrix
        d = np.sqrt(np.maximum(np.diag(M), 0.0))
        still = [kind for kind, a, b in self._ranges if np.any(d[a:b] == 0)]
        if not still and np.linalg.eigvalsh(M / np.outer(d, d))[0] < NO_MASS:
            still = [kind for kind in KINDS if self.order[kind] and kind not in (*BENDING, "axial")] or ["some"]
        if still:
            raise ModelError(
                f"a StrainRod has {' and '.join(still)} strains that move no mass: give rotary (or polar) inertia, fewer "
                "coefficients of them, or more masses"
            )

    @property
    def _ranges(self) -> list[tuple[str, int, int]]:
        start = self.modal.strains.start
        return list(zip(KINDS, start[:-1], start[1:], strict=True))

    # -- what follows ----------------------------------------------------------------------------------------------------

    @cached_property
    def modal(self) -> RodData:
        """What the equations of motion need: polynomials, sections, masses."""
        stiff = list(self._stiff.values())
        strains = Strains.of(self.length, [self.order[kind] for kind in KINDS], stiff, self.curvature)
        polar = self.polar or Along(tuple(np.polynomial.legendre.legadd(*(J.coefficients for J in self.rotary))))
        masses = self.masses or max(max(self.order.values()) + MORE, LEAST_MASSES)
        damping = list(self.damping.values())
        return rod_data(strains, self.points, masses, self.mass_per_length, (polar, *self.rotary), damping, stiff)

    @property
    def in_plane(self) -> bool:
        """Whether the rod stays in its x-y plane, as its strains and its curvature let it."""
        free = all(kind in IN_PLANE or not n for kind, n in self.order.items())
        return free and not any(c != 0 for k in self.curvature[:2] for c in k.coefficients)

    @property
    def turns_about_one_axis(self) -> bool:
        """Whether all sections turn about one axis, so that a rotation is an angle."""
        bends = zip(KINDS[:3], self.curvature, strict=True)
        return sum(self.order[kind] > 0 or any(c != 0 for c in k.coefficients) for kind, k in bends) <= 1

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass, mass times mass centre, and inertia about the origin of the unstrained rod, body axes."""
        data = self.modal
        R, p, _ = (found[1:, ..., 0] for found in data.strains.poses(data.steps, np.zeros((len(data), 1))))
        J = np.einsum("j,jk,jk->", data.mass, p, p) * np.eye(3) - np.einsum("j,ja,jb->ab", data.mass, p, p)
        J = J + np.einsum("jac,jc,jbc->ab", R, data.spin, R)
        return float(data.mass.sum()), np.asarray(data.mass @ p), J

    def words(self) -> str:
        """How many coefficients there are of each strain."""
        said = ", ".join(f"{n} of {kind}" for kind, n in self.order.items() if n)
        return f"a rod of {self.length:g} m, coefficients of strain: {said}"


codec.TYPES |= {cls.__name__: cls for cls in (StrainRod, Along)}
