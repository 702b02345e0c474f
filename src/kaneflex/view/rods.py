"""A rod as one smooth tube: a skin whose "modes" are the principal shapes of its motion.

The tube's corners over the samples, (K, 3 v), are the mean and, by the singular value decomposition, few shapes with
coefficients that change with time; as many as leave no corner off by more than a thousandth of the length at any sample. The
viewer then moves them as it moves a flexible body's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kaneflex.model.model import Model
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.placed import PlacedRod

Array = np.ndarray
SIDES = 8  # of the tube
RINGS = 96  # most of them along a rod
THIN, THICK = 1 / 250, 1 / 40  # radius over the length: thinner is not seen
OFF = 1e-3  # of the length: most that a corner may be off
MOST = 60  # shapes


@dataclass(frozen=True)
class RodSkin:
    """The tube of a rod over time.

    Args:
        vertices: of the mean, (v, 3), m, inertial axes.
        triangles: (k, 3), numbers of their corners.
        modes: the shapes, (m, v, 3).
        amplitudes: coefficients of the shapes at the samples, (K, m); NaN where the rod is not there.
        points: places of its points in the mean, by name, (3,), m.
        point_modes: the same of the shapes, (m, 3).
        arcs: arc lengths of the corners, (v,), m.
    """

    vertices: Array
    triangles: Array
    modes: Array
    amplitudes: Array
    points: Mapping[str, Array]
    point_modes: Mapping[str, Array]
    arcs: Array


def rods_of(models: list[Model]) -> dict[str, tuple[Model, PlacedRod]]:
    """Rods by name, each in the first model that has it; those whose segments were given shapes are drawn by these."""
    found: dict[str, tuple[Model, PlacedRod]] = {}
    for model in models:
        for name, rod in model.rods.items():
            if name not in found and not any(segment in model.shapes for segment in rod.segments):
                found[name] = model, rod
    return found


def owners_of(model: Model) -> dict[str, str]:
    """The rod that each segment of one belongs to."""
    return {segment: name for name, rod in model.rods.items() for segment in rod.segments}


def reels_of(models: list[Model]) -> dict[str, str]:
    """Channel of the length outside of each rod that is wound on a reel."""
    feeds = [block for model in models for block in model.blocks.values() if isinstance(block, Feed) and block.store]
    return {feed.rod: feed.sees[0] for feed in feeds}


def rod_skin(rod: PlacedRod, poses: Mapping[str, tuple[Array, Array]], outside: Array | None = None) -> RodSkin | None:
    """The tube of a rod from R (K, 3, 3) and p (K, 3) of its segments; None where it is never there. Of one in a reel, with
    so much of it `outside` (K,), the rest is in the exit."""
    R = np.stack([poses[name][0] for name in rod.segments], axis=1)
    p = np.stack([poses[name][1] for name in rod.segments], axis=1)
    there = np.isfinite(p).all(axis=(1, 2))
    if not there.any():
        return None
    R, p = R[there], p[there]
    tip = p[:, -1] + rod.lengths[-1] * R[:, -1, :, 0]
    nodes = np.concatenate([p, tip[:, None]], axis=1)
    along = _rings_along(len(rod.segments))
    inside = np.zeros(len(p)) if outside is None else rod.rod.length - outside[there]
    places = np.maximum(along, np.interp(inside, rod.arc, np.arange(len(rod.arc)))[:, None])
    centres, y, z = _rings(nodes, R, places)
    radius = float(np.clip(rod.rod.drawn_radius() or 0.0, THIN * rod.rod.length, THICK * rod.rod.length))
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[:, None] * y[:, :, None] + np.sin(angle)[:, None] * z[:, :, None]
    corners = (centres[:, :, None] + radius * ring).reshape(len(p), -1, 3)
    marks = [_point(rod, s, R, p, inside) for s in rod.points.values()]
    everything = np.concatenate([corners, np.stack(marks, axis=1)], axis=1)
    mean, shapes, amplitudes = _principal(everything.reshape(len(p), -1), OFF * rod.rod.length)
    mean, shapes = mean.reshape(-1, 3), shapes.reshape(len(shapes), -1, 3)
    v = corners.shape[1]
    all_times = np.full((len(there), len(shapes)), np.nan)
    all_times[there] = amplitudes
    places = {name: mean[v + k] for k, name in enumerate(rod.points)}
    moves = {name: shapes[:, v + k] for k, name in enumerate(rod.points)}
    arcs = np.repeat(np.interp(along, np.arange(len(rod.arc)), rod.arc), SIDES)
    return RodSkin(mean[:v], _triangles(len(along)), shapes[:, :v], all_times, places, moves, arcs)


def _point(rod: PlacedRod, s: float, R: Array, p: Array, inside: Array) -> Array:
    """Where a point of the rod is, (K, 3); at the exit while it is inside."""
    segment, along = rod.at(s)
    k = rod.segments.index(segment)
    own = p[:, k] + along * R[:, k, :, 0]
    exit_ = p[:, 0] + inside[:, None] * R[:, 0, :, 0]
    return np.where((s < inside)[:, None], exit_, own)


def _rings_along(n: int) -> Array:
    """Where the rings are, in segments from the root: four a segment, or RINGS."""
    return np.linspace(0, n, min(RINGS, 4 * n) + 1)


def _rings(nodes: Array, R: Array, places: Array) -> tuple[Array, Array, Array]:
    """Centres of the rings (K, m, 3) on cubics through the nodes, and unit vectors across there; places (K, m)."""
    n, row = R.shape[1], np.arange(len(R))[:, None]
    k = np.minimum(places.astype(int), n - 1)
    f = (places - k)[..., None]
    slopes = np.gradient(nodes, axis=1)
    a, b = nodes[row, k], nodes[row, k + 1]
    u, v = slopes[row, k], slopes[row, k + 1]
    d = b - a
    centres = a + f * (u + f * (3 * d - 2 * u - v + f * (u + v - 2 * d)))
    along = u + f * (6 * d - 4 * u - 2 * v + f * (3 * u + 3 * v - 6 * d))
    along = along / np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-300)
    y = R[row, k][..., 1]
    y = y - along * np.sum(y * along, axis=2, keepdims=True)
    y = y / np.maximum(np.linalg.norm(y, axis=2, keepdims=True), 1e-300)
    return centres, y, np.cross(along, y)


def _triangles(rings: int) -> Array:
    """Sides of the tube and its two ends."""
    i, j = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    A = SIDES * np.arange(rings - 1)[:, None]
    B = A + SIDES
    sides = np.stack([A + i, A + j, B + j, A + i, B + j, B + i], axis=-1).reshape(-1, 3)
    fan = np.column_stack([np.zeros(SIDES - 2, np.int64), np.arange(1, SIDES - 1), np.arange(2, SIDES)])
    return np.concatenate([sides, fan[:, ::-1], SIDES * (rings - 1) + fan])


def _principal(X: Array, off: float) -> tuple[Array, Array, Array]:
    """Mean, principal shapes and their coefficients of rows, so many that no entry is off by more, or MOST."""
    mean = X.mean(axis=0)
    U, S, V = np.linalg.svd(X - mean, full_matrices=False)
    amplitudes = U * S
    left = X - mean
    for m in range(min(len(S), MOST) + 1):
        if m:
            left = left - np.outer(amplitudes[:, m - 1], V[m - 1])
        if np.abs(left).max(initial=0.0) <= off:
            break
    m = max(m, 1)
    return mean, V[:m], amplitudes[:, :m]


__all__ = ["RodSkin", "owners_of", "reels_of", "rod_skin", "rods_of"]
