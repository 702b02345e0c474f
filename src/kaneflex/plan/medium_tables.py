"""A medium as a row of integers and its data, see `kernels.medium`."""

import math
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.media import Medium, upward, wave_number

VERTICAL = 0.9  # of the x axis with the vertical, cosine: headings of waves count from y


def medium_arrays(medium: Medium, gravity: Any) -> tuple[list[int], np.ndarray]:
    """Integers behind MEDIUM_P, and the data, of a medium in a system with this gravity."""
    up, level, waves, depth = upward(gravity), medium.surface_height(), medium.wave_list(), medium.depth_of_waves()
    east = np.eye(3)[1 if abs(up[0]) > VERTICAL else 0]
    east = east - (east @ up) * up
    east /= np.linalg.norm(east)
    strength = float(np.linalg.norm(gravity))
    if waves and not strength:
        raise ModelError("a Sea has waves, but the system has no gravity: give gravity=(0, 0, -9.81)")
    heights = np.array([height for height, _ in medium.profile()])
    velocities = np.array([velocity for _, velocity in medium.profile()])
    slopes = np.diff(velocities, axis=0) / np.diff(heights)[:, None]
    turns = np.diff(np.vstack([np.zeros(3), slopes, np.zeros(3)]), axis=0) if len(slopes) else np.zeros((0, 3))
    bends = np.column_stack([heights[: len(turns)], turns])
    rows = []
    for wave in waves:
        k = wave_number(wave.frequency, strength, depth)
        lost, twice = (0.0, 0.0) if depth is None else (math.exp(-2 * k * depth), 2 * depth)
        direction = math.cos(wave.heading), math.sin(wave.heading)
        rows.append([wave.amplitude, wave.frequency, k, wave.phase, *direction, 1 / (1 - lost), twice])
    data = [[medium.density, 0.0 if level is None else level], up, east, np.cross(up, east), velocities[0]]
    reals = np.concatenate([*map(np.ravel, data), bends.ravel(), np.ravel(rows)])
    return [int(level is not None), int(depth is None), len(bends), len(rows)], reals
