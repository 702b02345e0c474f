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

COARSE = 60  # most segments by which the lowest frequency is found


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
    """T of the material, s: as given, or for the ratio of the lowest bending mode, 2 ratio/omega."""
    ratio = getattr(rod, "damping_ratio", None)
    if not ratio:
        return rod.damping
    assert isinstance(rod, Rod)
    return 2 * ratio / lowest_frequency(rod, root, tip)


def lowest_frequency(rod: Rod, root: str, tip: str) -> float:
    """The lowest angular frequency, rad/s, of a straight rod's bending in the plane in which it is least stiff.

    Segments turn by a_i from the straight line. The motion of their middles is linear in the turns and in that of the root.
    """
    n = min(rod.n, COARSE)
    l = rod.length / n
    s: Vector = l * (np.arange(n, dtype=np.float64) + 0.5)
    EI = rod.sections["EI"]
    k = 1 / np.array([EI.integral(max(x - l, 0.0), x, lambda _, v: 1 / v) for x in s])
    k = k[:, {"xy": 1, "xz": 0}[rod.plane]] if rod.plane else k.min(axis=1)
    k[0] *= root == "clamped"
    mass = l * rod.sections["mass_per_length"](s)[:, 0]
    height = l * (np.tril(np.ones((n, n)), -1) + np.eye(n) / 2)  # of the middles, for turns of the segments
    inertia = mass * l**2 / 12 + l * rotary_inertia_at(rod, s)[:, 1:].min(axis=1)
    turn, relative = np.eye(n), np.eye(n) - np.eye(n, k=-1)  # of segments, and in the joints
    if root == "free":  # the last unknown is then the height of the root
        height, turn = np.column_stack([height, np.ones(n)]), np.eye(n, n + 1)
        relative = turn - np.eye(n, n + 1, -1)
    M = height.T @ (mass[:, None] * height) + turn.T @ (inertia[:, None] * turn)
    K = relative.T @ (k[:, None] * relative)
    held = [np.append(np.full(n, l), 1.0)[: M.shape[0]]] if tip in ("pinned", "clamped") else []
    held += [turn[-1]] if tip == "clamped" else []
    if held:
        free = np.linalg.svd(np.array(held))[2][len(held) :].T
        M, K = free.T @ M @ free, free.T @ K @ free
    L = np.linalg.inv(np.linalg.cholesky(M))
    squares = np.linalg.eigvalsh(L @ K @ L.T)
    elastic = squares[squares > 1e-9 * squares[-1]]
    if not len(elastic):
        raise ModelError(f"a rod of n = {rod.n} segments, held as it is, does not bend: give damping, or more segments")
    return math.sqrt(elastic[0])


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


__all__ = ["joint_stiffness", "middles", "rotation_of", "segment_lengths", "turns_without_load", "viscous_time"]
