"""Springs between the segments of a rod, from its section.

A segment's axes are those of the rod at the segment's middle. The joint between two segments stands for the rod from one
middle to the other, of length l: 1/k = integral of ds/EI, which is l/EI; a clamped root for half a segment. A segment that
is fixed at a clamped tip has half the length of others, and its axes are those of the tip.

Slides and shears are in the joints between segments alone: the first and the last stand for the rod's ends too.
"""

import math

import numpy as np

from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.rods.along import Along
from kaneflex.model.rods.rod import PLANES, Rod, Strand, curvature_at, rotary_inertia_at

COARSE = 200  # most segments by which bending modes are found


def segment_lengths(rod: Strand, tip_clamped: bool) -> list[float]:
    """Lengths of the segments, m: equal ones, the last one half of the others where it is fixed at a clamped tip."""
    if not tip_clamped:
        return [rod.length / rod.n] * rod.n
    if rod.n < 2:
        raise ModelError("a rod that is clamped at its tip has one segment: give n = 2 or more")
    one = rod.length / (rod.n - 0.5)
    return [one] * (rod.n - 1) + [one / 2]


def middles(lengths: list[float], tip_clamped: bool) -> Vector:
    """Arc lengths of the sections whose axes are those of the segments, m."""
    ends = np.cumsum(lengths)
    found = ends - np.array(lengths) / 2
    if tip_clamped:
        found[-1] = ends[-1]
    return np.asarray(found)


def joint_stiffness(rod: Strand, sections: Vector, root_clamped: bool) -> Vector:
    """Stiffness (n, 6) of the segments' inboard joints: turns about x, y, z, N m/rad, slides along them, N/m.

    Args:
        rod: the rod.
        sections: arc lengths of the sections of `middles`.
        root_clamped: whether the first joint stands for the first half of a segment, or is free to turn.
    """
    n, found = len(sections), np.zeros((len(sections), 6))
    if isinstance(rod, Rod):
        turns = [("GJ", [0]), ("EI", [1, 2])]
        spans = list(zip([0.0, *sections[:-1]], sections, strict=True))
        for name, columns in turns:
            if name in rod.sections:
                found[:, columns] = _over(rod.sections[name], spans)
        if not root_clamped:
            found[0] = 0
        if rod.plane is not None:
            kept = PLANES[rod.plane]
            found[:, [k for k in range(3) if k != kept]] = 0
    if rod.stretches:
        if n < 2:
            raise ModelError("a rod that stretches has one segment: give n = 2 or more, or no EA")
        spans = [(0.0, 0.0), *zip([0.0, *sections[1:-1]], [*sections[1:-1], rod.length], strict=True)]
        found[1:, 3] = _over(rod.sections["EA"], spans[1:])[:, 0]
        if rod.shears:
            found[1:, 4:] = _over(rod.sections["GA"], spans[1:])
    return found


def _over(section: Along, spans: list[tuple[float, float]]) -> Vector:
    """One over the compliance of the rod along each span."""
    if section.constant is not None:
        return np.asarray(section.constant / np.diff(spans))
    return 1 / np.array([section.integral(a, b, lambda s, x: 1 / x) for a, b in spans])


def viscous_time(rod: Strand, root: str, tip: str) -> float:
    """T of the material, s: as given, or for the ratios of the lowest bending modes, the least of 2 ratio/omega."""
    ratios = getattr(rod, "damping_ratio", None)
    if not ratios:
        return rod.damping
    assert isinstance(rod, Rod)
    found = [bending_modes(rod, root, tip, axis)[0] for axis in bending_axes(rod)]
    if not isinstance(ratios, tuple):
        return 2 * float(ratios) / float(min(omega[0] for omega in found))
    if len(ratios) > min(map(len, found)):
        few = f"a rod of n = {rod.n} segments has {min(map(len, found))} bending modes and {len(ratios)} damping ratios"
        raise ModelError(f"{few}: give more segments, or fewer ratios")
    return float(min((2 * np.array(ratios) / omega[: len(ratios)]).min() for omega in found))


def modal_damping(rod: Strand, root: str, tip: str, time: float) -> Vector | None:
    """What modes of which the ratio is given lose beyond what the viscous time gives them, as `RodElasticity` takes it; None
    where there is nothing of that kind.

    The rate 2 ratio omega of a mode's energy is T omega^2 by the material, and the rest by moments B B^T on the rates in the
    joints, B = sqrt(rest) k a/omega^2, with a mode's turns a of unit modal mass. Of a finely divided rod the moments k a are
    those of a coarser one.
    """
    ratios = getattr(rod, "damping_ratio", None)
    if not isinstance(ratios, tuple):
        return None
    assert isinstance(rod, Rod)
    count, found = len(ratios), np.zeros((rod.n, 3, len(ratios)))
    for axis in bending_axes(rod):
        omega, moments = bending_modes(rod, root, tip, axis)
        rest = np.sqrt(np.maximum(0.0, 2 * np.array(ratios) / omega[:count] - time)) / omega[:count]
        arcs, coarse = np.arange(rod.n) / rod.n, np.arange(len(moments) + 1) / len(moments)
        ends = np.vstack([moments[:, :count], np.zeros((1, count)) if tip != "clamped" else moments[-1:, :count]])
        found[:, axis] = rest * np.column_stack([np.interp(arcs, coarse, one) for one in ends.T])
        if root != "clamped":
            found[0, axis] = 0
    return found if found.any() else None


def bending_axes(rod: Rod) -> tuple[int, ...]:
    """Axes about which it bends: 1 and 2 for y and z."""
    return (1, 2) if rod.plane is None else (PLANES[rod.plane],)


def bending_modes(rod: Rod, root: str, tip: str, axis: int) -> tuple[Vector, Vector]:
    """Angular frequencies, rad/s, of a straight rod's bending about an axis, from the lowest on, and the moments in its
    joints, (n, modes), for modes of unit modal mass.

    Segments turn by a_i from the straight line. The motion of their middles is linear in the turns and in that of the root.
    """
    n = min(rod.n, COARSE)
    l = rod.length / n
    s: Vector = l * (np.arange(n, dtype=np.float64) + 0.5)
    EI = rod.sections["EI"]
    k = 1 / np.array([EI.integral(max(x - l, 0.0), x, lambda _, v: 1 / v) for x in s])[:, axis - 1]
    k[0] *= root == "clamped"
    mass = l * rod.sections["mass_per_length"](s)[:, 0]
    height = l * (np.tril(np.ones((n, n)), -1) + np.eye(n) / 2)  # of the middles, for turns of the segments
    inertia = mass * l**2 / 12 + l * rotary_inertia_at(rod, s)[:, axis]
    turn, relative = np.eye(n), np.eye(n) - np.eye(n, k=-1)  # of segments, and in the joints
    if root == "free":  # the last unknown is then the height of the root
        height, turn = np.column_stack([height, np.ones(n)]), np.eye(n, n + 1)
        relative = turn - np.eye(n, n + 1, -1)
    M = height.T @ (mass[:, None] * height) + turn.T @ (inertia[:, None] * turn)
    K = relative.T @ (k[:, None] * relative)
    held = [np.append(np.full(n, l), 1.0)[: M.shape[0]]] if tip in ("pinned", "clamped") else []
    held += [turn[-1]] if tip == "clamped" else []
    free = np.linalg.svd(np.array(held))[2][len(held) :].T if held else np.eye(len(M))
    M, K = free.T @ M @ free, free.T @ K @ free
    L = np.linalg.inv(np.linalg.cholesky(M))
    squares, shapes = np.linalg.eigh(L @ K @ L.T)
    elastic = squares > 1e-9 * squares[-1]
    if not elastic.any() or not squares[-1] > 0:
        raise ModelError(f"a rod of n = {rod.n} segments, held as it is, does not bend: give damping, or more segments")
    return np.sqrt(squares[elastic]), k[:, None] * (relative @ free @ L.T @ shapes[:, elastic])


def turns_without_load(rod: Strand, sections: Vector) -> Vector:
    """Rotation vectors of each segment from the one before it (of the first from the root's axes) without load, (n, 3)."""
    before = np.concatenate([[0.0], sections[:-1]])
    middle, span = (before + sections) / 2, sections - before
    vectors = curvature_at(rod, middle) * span[:, None]
    largest = float(np.linalg.norm(vectors, axis=1).max())
    if largest >= math.pi:
        least = math.ceil(rod.n * largest / math.pi) + 1
        raise ModelError(
            f"curvature of the rod turns it by {largest:.3g} rad from one segment to the next, half a turn or more: give "
            f"n = {least} or more segments"
        )
    return vectors


def rotation_of(vector: Vector) -> Vector:
    """The rotation matrix of a rotation vector."""
    x, y, z = vector
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = float(np.linalg.norm(vector))
    if angle == 0:
        return np.eye(3)
    return np.asarray(np.eye(3) + math.sin(angle) / angle * K + (1 - math.cos(angle)) / angle**2 * (K @ K))


__all__ = [
    "joint_stiffness",
    "middles",
    "modal_damping",
    "rotation_of",
    "segment_lengths",
    "turns_without_load",
    "viscous_time",
]
