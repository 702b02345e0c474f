"""Momentum of a system, from the totals of a sample."""

from typing import NamedTuple

import numpy as np

from kaneflex.kernels import energy

Array = np.ndarray


class Momentum(NamedTuple):
    """Linear momentum (kg m/s), angular momentum about the inertial origin and about the mass centre (kg m^2/s)."""

    linear: Array
    angular: Array
    central: Array


def momentum_of(sums: Array) -> Momentum:
    """Momentum from a row of totals."""
    P = sums[..., energy.LINEAR_MOMENTUM : energy.LINEAR_MOMENTUM + 3]
    H = sums[..., energy.ANGULAR_MOMENTUM : energy.ANGULAR_MOMENTUM + 3]
    return Momentum(P, H, sums[..., energy.CENTRAL_MOMENTUM : energy.CENTRAL_MOMENTUM + 3])


__all__ = ["Momentum", "momentum_of"]
