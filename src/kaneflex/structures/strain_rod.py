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
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed
from kaneflex.structures.rod_skin import RodSkin, node_moves, ring_numbers, rod_skin
from kaneflex.structures.rod_tables import (
    IN_PLANE,
    KINDS,
    LEAST_MASSES,
    MORE,
    ArcSeries,
    RodData,
    Strains,
    arc_series,
    is_function,
    rod_data,
)

BENDING = ("bending y", "bending z")
NO_MASS = 1e-13  # least eigenvalue of the mass matrix, scaled to unit diagonal, that is not taken for zero
FEW = 4  # coefficients of a strain whose frequencies an explicit method follows at little cost
SLENDER = 100  # lengths over radius of a rod whose section is not known


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
        mass_per_length: kg/m.
        EI: bending stiffness, N m^2: one, or (about y, about z); bending in the x-y plane is about z.
        GJ: torsional stiffness, N m^2; None for a rod that does not twist.
        EA: stiffness to stretch, N; None for a rod that is inextensible.
        GA: stiffness to shear, shear factor included, N: one, or (along y, along z); None for sections that stay normal.
        order: number of coefficients: of bending in each direction and of torsion, and half as many (rounded up) of
            stretch and shear, where these have a stiffness. Or numbers by kind: {"bending y": 6, "torsion": 3}; kinds are
            "bending y" (deflection along y), "bending z", "torsion", "axial", "shear y", "shear z".
        plane: "xy" or "xz" of the rod's axes for a rod that stays in this plane; None for one in space.
        curvature: of the unstrained rod, rad/m: one number, about the plane's normal (z in space), or about x, y and z.
        rotary_inertia: of the sections, per length, kg m: one, about y and z (about x twice that), or three, about x, y and
            z. None for none across, and about x, where the rod twists, for that of a round section.
        radius: of the section, m, for the inertia about x and for pictures; None for what EI and EA tell, or a hundredth of
            the length.
        damping: time of the Kelvin-Voigt material, s: section loads are stiffness times (strain + damping times its rate).
            One number, or numbers by kind.
        points: further places to attach to: name -> arc length from the root, m.
        masses: number of Gauss points along the arc at which the rod has its mass; None for four more than the largest
            number of coefficients.
        frames: further frames, fixed to the root: name -> position or Frame.
        start: coefficients that a system starts from, those of torsion first, then bending z, bending y, axial, shear y and
            shear z; None for the unstrained rod.
    """

    facts: ClassVar[BodyFacts] = FACTS
    is_flexible: ClassVar[bool] = True

    length: float
    mass_per_length: Any
    EI: Any
    GJ: Any = None
    EA: Any = None
    GA: Any = None
    order: Any = 6
    plane: str | None = None
    curvature: Any = 0.0
    rotary_inertia: Any = None
    radius: float | None = None
    damping: Any = 0.0
    points: Mapping[str, float] = field(default_factory=dict)
    masses: int | None = None
    frames: Mapping[str, Any] = field(default_factory=dict)
    start: Any = None

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        put("length", checks.positive(self.length, "length of a StrainRod"))
        if self.plane is not None:
            checks.known(self.plane, IN_PLANE, "plane of a StrainRod")
        for name, what in (("mass_per_length", "mass"), ("GJ", "torsional stiffness"), ("EA", "axial stiffness")):
            if name == "mass_per_length" or getattr(self, name) is not None:
                put(name, self._along(getattr(self, name), f"{name} ({what}) of a StrainRod", True))
        put("EI", self._several(self.EI, 2, "EI (bending stiffness) of a StrainRod", True))
        if self.GA is not None:
            put("GA", self._several(self.GA, 2, "GA (shear stiffness) of a StrainRod", True))
        if self.rotary_inertia is not None:
            put("rotary_inertia", self._rotary_inertia())
        if self.radius is not None:
            put("radius", checks.positive(self.radius, "radius of a StrainRod"))
        put("curvature", self._curvature())
        put("points", self._points())
        put("order", self._order())
        put("damping", self._damping())
        if self.masses is not None:
            put("masses", checks.whole(self.masses, "masses of a StrainRod", max(self.order.values()) + 1))
        m = sum(self.order.values())
        start = np.zeros(m) if self.start is None else checks.several(self.start, m, "start of a StrainRod")
        put("start", tuple(start.tolist()))
        self._check_mass()
        put("frames", Settled(self._frames(), "give frames= when the body is made, or add them in the system"))

    # -- what is given ---------------------------------------------------------------------------------------------------

    def _along(self, value: Any, what: str, positive: bool) -> ArcSeries:
        """A quantity along the rod that is positive, or at least not negative."""
        if not is_function(value):
            value = checks.positive(value, what) if positive else checks.not_negative(value, what)
        found = arc_series(value, self.length, what)
        least = float(found.at(np.linspace(-1, 1, 201)).min())
        if least < 0 or (positive and least == 0):
            raise ModelError(f"{what} is {least:.3g} somewhere along the rod: give values that are positive")
        return found

    def _several(self, value: Any, n: int, what: str, positive: bool) -> tuple[ArcSeries, ...]:
        """n quantities, or one for all."""
        if is_function(value) or checks.dimensions(value) == 0:
            return (self._along(value, what, positive),) * n
        if not isinstance(value, tuple | list | np.ndarray) or len(value) != n:
            raise ModelError(f"{what} is {checks.shown(value)}: give one, or {n}")
        return tuple(self._along(v, f"{what}, value {k + 1}", positive) for k, v in enumerate(value))

    def _rotary_inertia(self) -> tuple[ArcSeries, ...]:
        value, what = self.rotary_inertia, "rotary_inertia of a StrainRod"
        found = self._several(value, 3, what, False)
        if is_function(value) or checks.dimensions(value) == 0:
            return ArcSeries(tuple(2 * c for c in found[0].coefficients)), *found[1:]
        return found

    def _curvature(self) -> tuple[ArcSeries, ArcSeries, ArcSeries]:
        what, value = "curvature of a StrainRod", self.curvature
        given = value
        if is_function(value) or checks.dimensions(value) == 0:
            given = (0.0, value, 0.0) if self.plane == "xz" else (0.0, 0.0, value)
        if not isinstance(given, tuple | list | np.ndarray) or len(given) != 3:
            raise ModelError(f"{what} is {checks.shown(value)}: give one number, or three (about x, y, z)")
        parts = [arc_series(k if is_function(k) else checks.number(k, what), self.length, what) for k in given]
        out = [k for k, axis in zip(parts, ("yz", "xz", "xy"), strict=True) if axis != self.plane]
        if self.plane is not None and any(c != 0 for k in out for c in k.coefficients):
            raise ModelError(f"{what} leaves its {self.plane} plane: give curvature about its normal alone, or plane=None")
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

    @property
    def is_stiff(self) -> bool:
        """Whether its highest frequencies are far above those of the motion that is looked for: bending or torsion with more
        than four coefficients, or any stretch or shear."""
        return any(number > (FEW if kind in (*BENDING, "torsion") else 0) for kind, number in self.order.items())

    def _order(self) -> dict[str, int]:
        """Numbers of coefficients by kind."""
        what, stiff, allowed = "order of a StrainRod", self._stiff, IN_PLANE.get(self.plane or "", KINDS)
        if isinstance(self.order, Mapping):
            found = dict.fromkeys(KINDS, 0)
            for kind, number in self.order.items():
                found[checks.known(kind, KINDS, f"{what}: kind")] = checks.whole(number, f"{what}: {kind}")
                if number and stiff[kind] is None:
                    raise ModelError(f"{what} has {number} of {kind}, which has no stiffness: give it, or none of these")
                if number and kind not in allowed:
                    raise ModelError(f"{what} has {number} of {kind}, which leaves its {self.plane} plane")
        else:
            n = checks.whole(self.order, what, 1)
            full = {kind: n if kind in (*BENDING, "torsion") else (n + 1) // 2 for kind in KINDS}
            found = {kind: full[kind] if stiff[kind] is not None and kind in allowed else 0 for kind in KINDS}
        if not any(found.values()):
            raise ModelError(f"{what} is {checks.shown(self.order)}: without coefficients it is a Rigid; give at least one")
        return found

    def _damping(self) -> dict[str, float]:
        """Times by kind."""
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
        M, start = self.modal.mass_matrix, self.modal.strains.start
        d = np.sqrt(np.maximum(np.diag(M), 0.0))
        ranges = zip(KINDS, start[:-1], start[1:], strict=True)
        still = [kind for kind, a, b in ranges if np.any(d[a:b] <= NO_MASS * d.max())]
        if not still and np.linalg.eigvalsh(M / np.outer(d, d))[0] < NO_MASS:
            still = [kind for kind in KINDS if self.order[kind] and kind not in (*BENDING, "axial")] or ["some"]
        if still:
            raise ModelError(
                f"a StrainRod has {' and '.join(still)} strains that move no mass: give rotary_inertia, fewer coefficients "
                "of them, or more masses"
            )

    # -- what follows ----------------------------------------------------------------------------------------------------

    @property
    def _thickness(self) -> float:
        """Radius of the section at the middle of the rod, m."""
        if self.radius is not None:
            return self.radius
        middle = np.zeros(1)
        if self.EA is None:
            return self.length / SLENDER
        return float(np.sqrt(2 * sum(EI.at(middle)[0] for EI in self.EI) / self.EA.at(middle)[0]))

    @cached_property
    def modal(self) -> RodData:
        """What the equations of motion need: polynomials, sections, masses."""
        stiff, damping = list(self._stiff.values()), list(self.damping.values())
        strains = Strains.of(self.length, [self.order[kind] for kind in KINDS], stiff, self.curvature)
        masses = self.masses or max(max(self.order.values()) + MORE, LEAST_MASSES)
        rotary = self.rotary_inertia
        if rotary is None:
            factor = self._thickness**2 / 2 if self.order["torsion"] else 0.0
            polar, none = ArcSeries(tuple(factor * c for c in self.mass_per_length.coefficients)), ArcSeries((0.0,))
            rotary = (polar, none, none)
        return rod_data(strains, self.points, masses, self.mass_per_length, rotary, damping, stiff)

    @property
    def in_plane(self) -> bool:
        """Whether the rod stays in its x-y plane, as its strains and its curvature let it."""
        free = all(kind in IN_PLANE["xy"] or not n for kind, n in self.order.items())
        return free and not any(c != 0 for k in self.curvature[:2] for c in k.coefficients)

    @property
    def arcs(self) -> Vector:
        """Arc lengths of the sections at which channels along the rod are, from root to tip, m."""
        return self.modal.arcs

    def mass_properties(self) -> tuple[float, Vector, Vector]:
        """Mass, mass times mass centre, and inertia about the origin of the unstrained rod, body axes."""
        data = self.modal
        R, p, _ = (found[1:, ..., 0] for found in data.strains.poses(data.steps, np.zeros((len(data), 1))))
        J = np.einsum("j,jk,jk->", data.mass, p, p) * np.eye(3) - np.einsum("j,ja,jb->ab", data.mass, p, p)
        J = J + np.einsum("jac,jc,jbc->ab", R, data.spin, R)
        return float(data.mass.sum()), np.asarray(data.mass @ p), J

    def pose(self, coefficients: Any, s: Any) -> tuple[Vector, Vector]:
        """Axes (n, 3, 3) and places (n, 3; m) of sections in axes of the root, section axes to these.

        Args:
            coefficients: the rod's coordinates, (m,), or (k, m) for arrays (k, n, ...).
            s: arc lengths, growing, m.
        """
        data, eta = self.modal, self._rows(coefficients, "coefficients of a StrainRod")
        if eta.ndim == 0 or eta.ndim > 2 or not np.all(np.isfinite(eta)):
            raise ModelError(f"coefficients of a StrainRod are {checks.shown(coefficients)}: give finite numbers")
        count = len(s) if checks.dimensions(s) == 1 else 1
        arcs = checks.several(s, count, "arc lengths on a StrainRod")
        if not count or arcs[0] < 0 or arcs[-1] > self.length * (1 + 1e-9) or np.any(np.diff(arcs) <= 0):
            raise ModelError(f"arc lengths on a StrainRod are {checks.shown(s)}: let them grow from 0 to {self.length:g} m")
        every = np.unique([*data.arcs, *arcs])
        R, p, _ = data.strains.poses(data.strains.steps(every), eta.reshape(-1, len(data)).T)
        kept = np.searchsorted(every, arcs)
        axes, places = R[kept].transpose(3, 0, 1, 2), p[kept].transpose(2, 0, 1)
        return (axes[0], places[0]) if eta.ndim == 1 else (axes, places)

    @cached_property
    def skin(self) -> RodSkin:
        """What is seen of the rod."""
        return rod_skin(self.modal, float(np.clip(self._thickness, self.length / 160, self.length / 12)))

    def drawn(self, coordinates: Vector) -> Vector:
        """Places and axes of the rings of the tube that is seen, as changes from the unstrained rod.

        Args:
            coordinates: (k, m).
        """
        rows = self._rows(coordinates, "coordinates of a StrainRod")
        return ring_numbers(self.modal, rows.reshape(-1, len(self.modal)))

    def node_moves(self, node: str) -> Vector:
        """By what the numbers of `drawn` move a node, (n, 3).

        Args:
            node: its name.
        """
        return node_moves(self.modal, self.modal.nodes[checks.known(node, self.modal.nodes, "node")].arc)

    def _rows(self, values: Any, what: str) -> Vector:
        """Rows of coefficients."""
        m = len(self.modal)
        found = checks.real(values, what, f"{m} numbers, or rows of them")
        if found.shape[-1:] != (m,):
            raise ModelError(f"{what} have shape {np.shape(found)}: give {m} numbers, or rows of them")
        return found

    def describe(self) -> str:
        """How many coefficients there are of each strain."""
        said = ", ".join(f"{n} of {kind}" for kind, n in self.order.items() if n)
        return f"a rod of {self.length:g} m, coefficients of strain: {said}"


codec.TYPES |= {cls.__name__: cls for cls in (StrainRod, ArcSeries)}
