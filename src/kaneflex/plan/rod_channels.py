"""Channels of rods: along them, and of their points."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import sensors as S
from kaneflex.model import quantities as Q
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import curvature_at
from kaneflex.plan.channel import Channel, place_channels

if TYPE_CHECKING:
    from kaneflex.plan.plan import Index


def rod_channels(index: "Index", rod: PlacedRod) -> dict[str, Channel]:
    """Channels of a rod, along it and of its points."""
    n, row = len(rod.segments), lambda word: Q.ROWS[Q.ROD, word]
    ends = [*((name, "") for name in rod.segments), (rod.segments[-1], "tip")]
    place = row("shape")
    shape = Channel(place, ("m",), ((place.sensor, 0, 3),) * (n + 1), places=tuple(ends), form=(n + 1, 3))
    found = {"shape": shape, "curvature": _curvature(index, rod), "strain": _strain(index, rod)}
    axes = np.array([index.own_frame[name].R for name in rod.segments])  # of segments, in axes of M
    for word, function in (("tension", _tension), ("moment", _moment)):
        form = (n, 3) if word == "moment" and rod.normal is None else (n,)
        made = partial(function, axes, rod.normal)
        found[word] = Channel(row(word), (row(word).unit,), (), form=form, function=made, joints=rod.segments)
    for point, s in rod.points.items():
        found |= place_channels(point, (rod.at(s)[0], point))
    return found


def _tension(axes: np.ndarray, normal: int | None, carried: np.ndarray) -> np.ndarray:
    """Force on the outboard side of each joint, against the direction of its segment."""
    return np.asarray(-np.einsum("nkj,kj->nk", carried[:, :, 3:], axes[:, :, 0]))


def _moment(axes: np.ndarray, normal: int | None, carried: np.ndarray) -> np.ndarray:
    """Moment of the outboard side on the inboard one at each joint, which bends it as its curvature is counted."""
    found = -np.einsum("nkj,kji->nki", carried[:, :, :3], axes)
    return np.asarray(found if normal is None else found[:, :, normal])


def _curvature(index: "Index", rod: PlacedRod) -> Channel:
    """Turn in each joint over the length that it stands for, and the curvature without load; zero without stiffness."""
    q, n = Q.ROWS[Q.ROD, "curvature"], len(rod.segments)
    spans = np.array(rod.spans)
    per = np.divide(1.0, spans, out=np.zeros(n), where=spans > 0)
    middle = np.array(rod.arc[:-1])
    own = curvature_at(rod.rod, middle) * (spans > 0)[:, None]
    joints = [index.joints[name] for name in rod.segments]
    if rod.normal is not None:
        angles = [j.q0 + j.coordinate_names.index("angle") if "angle" in j.coordinate_names else -1 for j in joints]
        sensors = tuple((S.SENSE_Q, max(k, 0), 1) for k in angles)
        per = per * (np.array(angles) >= 0)
        return Channel(q, (q.unit,), sensors, form=(n,), function=partial(_bent, per, own[:, rod.normal]))
    turning = [j.quaternion for j in joints]
    sensors = tuple((S.SENSE_Q, k or 0, 4) for k in turning)
    per = per * np.array([k is not None for k in turning])
    return Channel(q, (q.unit,), sensors, form=(n, 3), function=partial(_turned, per, own))


def _bent(per: np.ndarray, own: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(own + per * values)


def _turned(per: np.ndarray, own: np.ndarray, values: np.ndarray) -> np.ndarray:
    """From quaternions: their rotation vectors."""
    e = values.reshape(len(values), -1, 4)
    size = np.linalg.norm(e[:, :, 1:], axis=2)
    angle = 2 * np.arctan2(size, e[:, :, 0])
    factor = np.divide(angle, size, out=np.full_like(size, 2.0), where=size > 0)
    return np.asarray(own + per[:, None] * factor[:, :, None] * e[:, :, 1:])


def _strain(index: "Index", rod: PlacedRod) -> Channel:
    """Slide in each joint over the length that it stands for: that of the first joint beyond the root from there, that of
    the last to the tip; see `model.rods.stiffness`."""
    q, n = Q.ROWS[Q.ROD, "strain"], len(rod.segments)
    if not rod.rod.stretches:
        return Channel(q, ("",), (), form=(n,), weights=np.zeros((n, 0)))
    middles = rod.lengths[0] / 2 + np.cumsum(rod.spans[1:])
    lengths = np.diff([0.0, *middles[:-1], rod.rod.length])
    joints = [index.joints[name] for name in rod.segments[1:]]
    first = 1 if rod.normal == 1 and rod.rod.shears else 0  # a planar joint about y has x along its second axis
    sensors = tuple((S.SENSE_Q, j.q0 + first, 1) for j in joints)
    return Channel(q, ("",), sensors, form=(n,), weights=np.vstack([np.zeros(n - 1), np.diag(1 / lengths)]))


__all__ = ["rod_channels"]
