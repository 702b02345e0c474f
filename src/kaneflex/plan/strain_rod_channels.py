"""Channels along a rod of high order, at its sections: the root, the Gauss points of its mass, its points, the tip."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import sensors as S
from kaneflex.model import quantities as Q
from kaneflex.plan.channel import Channel
from kaneflex.structures.rod_tables import RodData

if TYPE_CHECKING:
    from kaneflex.plan.modal_tables import ModalIndex

Sensors = tuple[tuple[int, int, int], ...]


def strain_rod_channels(head: str, place: "ModalIndex", data: RodData) -> dict[str, Channel]:
    """Channels along the rod that is body `head`."""
    row, n, m = lambda word: Q.ROWS[Q.ROD, word], len(data.arcs), place.modes
    eta, rates = (S.SENSE_Q, place.q0, m), (S.SENSE_RATE, place.u0, m)
    pose = ((S.SENSE_POSITION, 0, 3), (S.SENSE_ROTATION, 0, 9), eta)
    basis, start, own = data.strains.basis(data.arcs), data.strains.start, data.strains.given_curvature(data.arcs)
    axis, form = (slice(None), (n, 3)) if data.normal is None else (data.normal, (n,))
    bending = np.zeros((n, 3, m))
    for c in range(3):
        bending[:, c, start[c] : start[c + 1]] = basis[:, start[c] : start[c + 1]]
    stretch = np.zeros((n, m))
    stretch[:, start[3] : start[4]] = basis[:, start[3] : start[4]]
    loads = np.where(np.isnan(data.stiff), 0.0, data.stiff)[:, :3, None] * bending
    known = np.where(np.isnan(data.stiff[:, :3]), np.nan, 0.0)  # what a rod does not yield to is no matter of its strain
    found = {
        "shape": Channel(row("shape"), ("m",), pose, (head, ""), form=(n, 3), function=partial(_shape, data)),
        "curvature": _along("curvature", (eta,), form, partial(_linear, bending[:, axis], own[:, axis])),
        "strain": _along("strain", (eta,), (n,), partial(_linear, stretch, np.zeros(n))),
        "moment": _along("moment", (eta, rates), form, partial(_damped, loads[:, axis], data.times, known[:, axis])),
    }
    if start[4] > start[3]:
        tension = partial(_damped, data.stiff[:, 3, None] * stretch, data.times, np.zeros(n))
        found["tension"] = _along("tension", (eta, rates), (n,), tension)
    return found


def _along(word: str, sensors: Sensors, form: tuple[int, ...], function: partial[np.ndarray]) -> Channel:
    q = Q.ROWS[Q.ROD, word]
    return Channel(q, ("" if word == "strain" else q.unit,), sensors, form=form, function=function)


def _shape(data: RodData, values: np.ndarray) -> np.ndarray:
    """Places in inertial axes, from place and orientation of the root and the coefficients."""
    place, R, eta = values[:, :3], values[:, 3:12].reshape(-1, 3, 3), values[:, 12:]
    _, p, _ = data.strains.poses(data.steps, eta.T)
    return np.asarray(place[:, None] + np.einsum("kab,nbk->kna", R, p))


def _linear(per: np.ndarray, own: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(own + np.einsum("n...m,km->kn...", per, values))


def _damped(per: np.ndarray, times: np.ndarray, own: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of strains and their rates, by the material's times."""
    eta, rate = np.split(values, 2, axis=1)
    return _linear(per, own, eta + times * rate)


__all__ = ["strain_rod_channels"]
