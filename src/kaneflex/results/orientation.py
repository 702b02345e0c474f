"""Orientations over time in other words than matrices: angles about axes, and how far one is turned from another."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kaneflex.model import checks
from kaneflex.model.checks import ModelError

Array = np.ndarray


def angles_about(rotations: Array, sequence: str) -> Array:
    """Angles of turns one after the other about the axes of the body, (n, 3), rad, each without jumps of a turn.

    Args:
        rotations: components in the body to components in the reference, (n, 3, 3).
        sequence: three axes of the body, e.g. "zxz" or "zyx", no two alike side by side.
    """
    good = isinstance(sequence, str) and len(sequence) == 3 and set(sequence) <= set("xyz")
    if not good or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ModelError(f'sequence is {checks.shown(sequence)}: give three axes, e.g. "zyx", no two alike side by side')
    found = np.full((len(rotations), 3), np.nan)
    there = np.isfinite(rotations).all(axis=(1, 2))
    if there.any():
        turned: Any = Rotation.from_matrix(rotations[there]).as_euler(sequence.upper())
        found[there] = np.unwrap(turned, axis=0)
    return found


def turned_by(rotations: Array, target: Array) -> Array:
    """Angle by which each orientation is turned from the target, 0 to pi, (n,), rad.

    Args:
        rotations: (n, 3, 3).
        target: one rotation matrix for all, or one for each.
    """
    between = np.einsum("...ji,...jk->...ik", target, rotations)
    # |skew part| and trace together are exact near 0 and near pi alike
    skew = np.stack([between[..., 2, 1] - between[..., 1, 2], between[..., 0, 2] - between[..., 2, 0]], axis=-1)
    third = between[..., 1, 0] - between[..., 0, 1]
    sine = np.sqrt((skew**2).sum(axis=-1) + third**2)
    return np.arctan2(sine, np.trace(between, axis1=-2, axis2=-1) - 1)


__all__ = ["angles_about", "turned_by"]
