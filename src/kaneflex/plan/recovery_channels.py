"""Channels of recovery rows of a flexible body: outputs of its modal motion and of the acceleration of its frame."""

import numpy as np

from kaneflex.kernels import sensors as S
from kaneflex.model import quantities as Q
from kaneflex.plan.channel import Channel
from kaneflex.structures.recovery import ModalRecovery


def recovery_channels(
    head: str, name: str, recovery: ModalRecovery, modes: tuple[int, int, int], gravity: tuple[float, float, float]
) -> dict[str, Channel]:
    """All rows as one channel, and each.

    Args:
        head: name of the body.
        name: of the recovery.
        recovery: its rows for the modes of the body.
        modes: the body's first modal coordinate, its first modal speed, and their number.
        gravity: of the system, m/s^2, inertial axes.
    """
    q0, u0, m = modes
    frame = ((S.SENSE_ACCELERATION, 0, 3), (S.SENSE_ALPHA, 0, 3), (S.SENSE_ROTATION, 0, 9))
    sensors = (*frame, (S.SENSE_Q, q0, m), (S.SENSE_WDOT, u0, m))
    places, down = ((head, ""),) * len(sensors), np.array(gravity)
    weights = np.hstack([recovery.per_frame, recovery.per_mode, recovery.per_second])

    def channel(rows: np.ndarray, labels: tuple[str, ...]) -> Channel:
        def output(values: np.ndarray) -> np.ndarray:
            R = values[:, 6:15].reshape(-1, 3, 3)
            felt = np.einsum("nji,nj->ni", R, values[:, :3] - down)
            return np.asarray(np.hstack([felt, values[:, 3:6], values[:, 15:]]) @ rows.T)

        units = (recovery.unit,)
        return Channel(Q.ROWS[Q.FLEXIBLE, "<recovery>"], units, sensors, None, None, labels, places, function=output)

    found = {name: channel(weights, recovery.labels)}
    for label, row in zip(recovery.labels, weights, strict=True):
        found[f"{name}.{label}"] = channel(row[None, :], (label,))
    return found
