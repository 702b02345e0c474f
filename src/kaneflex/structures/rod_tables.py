"""Numbers of a rod whose coordinates are coefficients of its strain: polynomials, sections, steps, shape.

The polynomials of a strain are orthogonal along the arc with its stiffness as weight: Legendre's for a uniform rod, and of
the same degrees otherwise. Masses are at Gauss points of the arc; sections are those, the points where something is
attached, and the tip. Steps between sections are those of `kernels.twists`, whose functions run on arrays here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from kaneflex.kernels.twists import arm, arm_factors, magnus, turned_rows
from kaneflex.model.checks import ModelError, Vector

KINDS = ("torsion", "bending z", "bending y", "axial", "shear y", "shear z")  # in the order of the kernels' strains
WORDS = ("T", "My", "Mz", "N", "Vy", "Vz")  # of the section loads that work on them
IN_PLANE = {"xy": ("bending y", "axial", "shear y"), "xz": ("bending z", "axial", "shear z")}
MORE = 4  # masses beyond the coefficients of a strain: with fewer, high polynomials move without mass
LEAST_MASSES = 6
TAPER = 24  # degree of the polynomial that a function of the arc length becomes
SAME = 1e-9  # of the length: places closer than that are one section
STEP = 1e-30  # of complex steps


@dataclass(frozen=True)
class ArcSeries:
    """A quantity along a rod: coefficients of Legendre polynomials, from the root (-1) to the tip (1)."""

    coefficients: tuple[float, ...]

    def at(self, x: Vector) -> Vector:
        """Values at x in [-1, 1]."""
        return np.asarray(legendre.legval(x, self.coefficients))


def arc_series(value: Any, length: float, what: str) -> ArcSeries:
    """A number, or a function of the arc length (m), along a rod."""
    if isinstance(value, ArcSeries):
        return value
    if not callable(value):
        return ArcSeries((float(value),))
    x, w = legendre.leggauss(2 * TAPER)
    try:
        values = np.array([float(value(float(s))) for s in (x + 1) * length / 2])
    except (TypeError, ValueError) as e:
        raise ModelError(f"{what} is a function that gives no number at an arc length: {e}") from e
    if not np.all(np.isfinite(values)):
        raise ModelError(f"{what} is {values[~np.isfinite(values)][0]} somewhere along the rod: give finite values")
    degrees = np.arange(TAPER + 1)
    found = (legendre.legvander(x, TAPER) * w[:, None]).T @ values * (2 * degrees + 1) / 2
    off = float(np.abs(legendre.legval(x, found) - values).max())
    if off > 1e-4 * float(np.abs(values).max()):
        raise ModelError(
            f"{what} is not smooth along the rod (a polynomial of degree {TAPER} misses it by {off:.2g}): split the rod "
            "where it changes suddenly"
        )
    kept = np.abs(found) > 1e-14 * np.abs(found).max(initial=0.0)
    return ArcSeries(tuple(float(c) for c in found[: int(np.max(np.flatnonzero(kept), initial=0)) + 1]))


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps between sections: a1, a2, a3 of `kernels.twists`, of the unstrained rod (n, 3, 6), by coefficients (n, 3, m)."""

    given: Vector
    B: Vector


@dataclass(frozen=True, eq=False)
class Strains:
    """The polynomials of all strains of a rod.

    Args:
        length: m.
        start: first coefficient of each strain, and their number.
        turns: for each strain, Legendre polynomials to its own, (k, k).
        stiffness: of the coefficients.
        curvature: of the unstrained rod, about x, y, z.
    """

    length: float
    start: tuple[int, ...]
    turns: tuple[Vector, ...]
    stiffness: Vector
    curvature: tuple[ArcSeries, ArcSeries, ArcSeries]

    @classmethod
    def of(cls, length: float, counts: Sequence[int], stiff: Sequence[ArcSeries | None], curvature: Any) -> Strains:
        """Strains with so many coefficients each, and the stiffnesses along the rod that weigh them."""
        x, w = legendre.leggauss(max(counts) + TAPER)
        turns, values = list[Vector](), list[Vector]()
        for count, stiffness in zip(counts, stiff, strict=True):
            V = legendre.legvander(x, max(count - 1, 0))[:, :count]
            weight = w * length / 2 * (np.ones_like(x) if stiffness is None else stiffness.at(x))
            C = np.linalg.cholesky((V * weight[:, None]).T @ V)
            turns.append(np.asarray(np.linalg.inv(C / np.diag(C)).T, float))
            values.append(np.diag(C) ** 2)
        start = (0, *(int(n) for n in np.cumsum(counts)))
        return cls(length, start, tuple(turns), np.concatenate(values), curvature)

    def basis(self, s: Vector) -> Vector:
        """Values of all polynomials at arc lengths s: (..., m)."""
        x = 2 * np.asarray(s, float) / self.length - 1
        parts = [legendre.legvander(x, max(len(T) - 1, 0))[..., : len(T)] @ T for T in self.turns]
        return np.concatenate(parts, axis=-1)

    def given_curvature(self, s: Vector) -> Vector:
        """Curvature of the unstrained rod at arc lengths s, (n, 3)."""
        return np.column_stack([k.at(2 * s / self.length - 1) for k in self.curvature])

    def steps(self, arcs: Vector) -> Steps:
        """The steps between arc lengths."""
        h, r = np.diff(arcs), math.sqrt(15) / 3
        at = arcs[:-1, None] + h[:, None] * (1 + math.sqrt(0.6) * np.array([-1, 0, 1])) / 2
        T = np.array([[0, 1, 0], [-r, 0, r], [10 / 3, -20 / 3, 10 / 3]])
        xi = np.zeros((*at.shape, 6))
        xi[..., 3] = 1.0
        for c, k in enumerate(self.curvature):
            xi[..., c] = k.at(2 * at / self.length - 1)
        make = lambda values: np.einsum("j,np,jpk->jnk", h, T, values)
        return Steps(make(xi), make(self.basis(at)))

    def poses(self, steps: Steps, eta: Any) -> tuple[Any, Any, Any]:
        """Axes (n + 1, 3, 3, k) and places (n + 1, 3, k) of sections in axes of the root, and the sums of the turns of steps
        (n + 1, 3, k), for k columns of coefficients eta (m, k)."""
        o = 0 * eta.sum(axis=0)
        rows: Any = ((1 + o, o, o), (o, 1 + o, o), (o, o, 1 + o))
        place, turn, zero = np.stack([o, o, o]), np.stack([o, o, o]), ((o, o, o), (o, o, o))
        found = [(np.array(rows), place, turn)]
        for given, B in zip(steps.given, steps.B, strict=True):
            xi = [[o + given[n, c] + B[n, a:b] @ eta[a:b] for c, (a, b) in enumerate(self._ranges)] for n in range(3)]
            a1, a2, a3 = (((x[0], x[1], x[2]), (x[3], x[4], x[5])) for x in xi)
            (theta, rho), *_ = magnus(a1, a2, a3, zero, zero, zero)
            x = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
            c1, c2 = arm_factors(x)
            p = arm(theta, c1[0], c2[0], rho)
            place = place + np.stack([row[0] * p[0] + row[1] * p[1] + row[2] * p[2] for row in rows])
            rows, turn = turned_rows(rows, theta, x, c1[0], c2[0]), turn + np.stack(theta)
            found.append((np.array(rows), place, turn))
        R, p, turns = (np.stack(parts) for parts in zip(*found, strict=True))
        return R, p, turns

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        return list(zip(self.start[:-1], self.start[1:], strict=True))


@dataclass(frozen=True, eq=False)
class RodNode:
    """A section that something can be attached to, in the unstrained rod: axes and place (m) in axes of the root, sum of the
    turns up to it (rad), its displacement and rotation by coefficients (3, m), and its number among the sections."""

    section: int
    arc: float
    R: Vector
    position: Vector
    turn: Vector
    Phi: Vector
    Psi: Vector


@dataclass(frozen=True, eq=False)
class SectionLoads:
    """Section loads by coefficients, as `structures.modes.Resultants` has them."""

    labels: tuple[str, ...]
    per_mode: Vector


@dataclass(frozen=True, eq=False)
class RodData:
    """What the equations of motion of a rod need; its nodes, stiffness, damping and section loads under the names that a
    ModalBody has for them.

    Args:
        strains: polynomials.
        arcs: arc lengths of the sections, the root being the first, m.
        steps: between them.
        mass: of the sections after the root, (n,), kg.
        spin: their rotary inertia about their own axes, (n, 3), kg m^2.
        stiffness: of the coefficients.
        damping: likewise, a diagonal matrix.
        nodes: by name.
        resultants: loads on the sections of the nodes.
        units: of the coefficients.
        stiff: stiffness of the six strains at the sections, (n + 1, 6), NaN where a strain has no coefficients.
        times: damping over stiffness of the coefficients, s.
    """

    strains: Strains
    arcs: Vector
    steps: Steps
    mass: Vector
    spin: Vector
    stiffness: Vector
    damping: Vector
    nodes: Mapping[str, RodNode]
    resultants: SectionLoads
    units: tuple[str, ...]
    stiff: Vector
    times: Vector
    stiffened: bool = True

    def __len__(self) -> int:
        """Number of coefficients."""
        return len(self.stiffness)

    @property
    def frequencies(self) -> Vector:
        """Natural frequencies of the unstrained rod with its root held, ascending, rad/s."""
        from scipy.linalg import eigh

        return np.asarray(np.sqrt(eigh(np.diag(self.stiffness), self.mass_matrix, eigvals_only=True)))

    @property
    def mass_matrix(self) -> Vector:
        """Of the coefficients, in the unstrained rod with its root held."""
        R, Phi, Psi = self._at_rest
        own = np.einsum("jba,jbk->jak", R[1:], Psi[1:])  # rotations in the sections' own axes
        return np.einsum("j,jak,jal->kl", self.mass, Phi[1:], Phi[1:]) + np.einsum("ja,jak,jal->kl", self.spin, own, own)

    @property
    def normal(self) -> int | None:
        """The one axis about which sections turn, 0 to 2; None where there are several."""
        start, k = self.strains.start, self.strains.curvature
        bent = [c for c in range(3) if start[c + 1] > start[c] or any(x != 0 for x in k[c].coefficients)]
        return bent[0] if len(bent) == 1 else None

    @property
    def _at_rest(self) -> tuple[Vector, Vector, Vector]:
        return derivatives(self.strains, self.steps)


def derivatives(strains: Strains, steps: Steps) -> tuple[Vector, Vector, Vector]:
    """Axes of the sections of the unstrained rod, and their displacements and rotations by coefficients (n + 1, 3, m)."""
    R, p, _ = strains.poses(steps, STEP * 1j * np.eye(len(strains.stiffness)))
    spun = np.einsum("jack,jbck->jabk", R.imag / STEP, R.real)
    Psi = np.stack([spun[:, 2, 1], spun[:, 0, 2], spun[:, 1, 0]], axis=1)
    return R.real[..., 0], p.imag / STEP, Psi


def rod_data(
    strains: Strains,
    points: Mapping[str, float],
    masses: int,
    density: ArcSeries,
    rotary: Sequence[ArcSeries],
    damping: Sequence[float],
    stiff: Sequence[ArcSeries | None],
) -> RodData:
    """The numbers of a rod.

    Args:
        strains: its polynomials.
        points: names and arc lengths of what can be attached to, the tip among them.
        masses: number of Gauss points.
        density: mass per length.
        rotary: mass moments of inertia per length about x, y, z of the sections.
        damping: damping over stiffness of each strain, s.
        stiff: stiffness of each strain along the rod.
    """
    L = strains.length
    x, w = legendre.leggauss(masses)
    places = np.array([*((1 + x) * L / 2), *points.values()])
    weights = np.array([*(w * L / 2), *np.zeros(len(points))])
    order = np.argsort(places, kind="stable")
    arcs, weight, number = [0.0], [0.0], np.zeros(len(places), int)
    for k in order:
        if places[k] - arcs[-1] > SAME * L:
            arcs.append(float(places[k]))
            weight.append(0.0)
        weight[-1] += float(weights[k])
        number[k] = len(arcs) - 1
    s, share = np.array(arcs), np.array(weight[1:])
    at = 2 * s[1:] / L - 1
    steps = strains.steps(s)
    R, place, turn = (found[..., 0] for found in strains.poses(steps, np.zeros((len(strains.stiffness), 1))))
    _, Phi, Psi = derivatives(strains, steps)
    nodes = {}
    for name, j in zip(points, number[masses:], strict=True):
        nodes[name] = RodNode(int(j), float(s[j]), R[j], place[j], turn[j], Phi[j], Psi[j])
    units = [("rad/m" if c < 3 else "") for c, T in enumerate(strains.turns) for _ in T]
    lost = [t for t, T in zip(damping, strains.turns, strict=True) for _ in T]
    spin = share[:, None] * np.column_stack([J.at(at) for J in rotary])
    return RodData(
        strains, s, steps, share * density.at(at), spin, strains.stiffness, np.diag(np.array(lost) * strains.stiffness),
        nodes, _loads(strains, {"root": 0.0, **points}, stiff), tuple(units), _stiff_at(strains, s, stiff), np.array(lost),
    )  # fmt: skip


def _stiff_at(strains: Strains, s: Vector, stiff: Sequence[ArcSeries | None]) -> Vector:
    """Stiffness of the strains that have coefficients, at arc lengths."""
    found = np.full((len(s), 6), np.nan)
    for c, stiffness in enumerate(stiff):
        if stiffness is not None and strains.start[c + 1] > strains.start[c]:
            found[:, c] = stiffness.at(2 * s / strains.length - 1)
    return found


def _loads(strains: Strains, points: Mapping[str, float], stiff: Sequence[ArcSeries | None]) -> SectionLoads:
    """Loads that work on the strains at some arc lengths."""
    labels, rows = [], []
    for name, s in points.items():
        basis, x = strains.basis(np.array([s]))[0], np.array(2 * s / strains.length - 1)
        for c, (a, b) in enumerate(zip(strains.start[:-1], strains.start[1:], strict=True)):
            stiffness = stiff[c]
            if b > a and stiffness is not None:
                row = np.zeros(len(basis))
                row[a:b] = float(stiffness.at(x)) * basis[a:b]
                labels.append(f"{name}.{WORDS[c]}")
                rows.append(row)
    return SectionLoads(tuple(labels), np.array(rows))


def is_function(value: Any) -> bool:
    """Whether a value changes along the rod."""
    return isinstance(value, ArcSeries) or callable(value)
