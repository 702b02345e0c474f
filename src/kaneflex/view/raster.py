"""Triangles and lines to pixels, with a depth for each pixel; compiled, since pictures of a film are many."""

from typing import Any

import numba
import numpy as np

Array = np.ndarray


@numba.njit(cache=True, error_model="numpy")
def fill(corners: Any, colours: Any, opacity: Any, image: Any, nearness: Any) -> None:
    """Draw triangles in their order; one that is not solid is laid over what stands behind it.

    Args:
        corners: (n, 3, 3): across and down in pixels, and one over the distance; NaN where a triangle is not drawn.
        colours: of the corners, (n, 3, 3), 0 to 1.
        opacity: (n,), 1 for solid.
        image: (height, width, 3), changed; (height, width, 0) where the depths alone are asked for.
        nearness: one over the distance of each pixel, (height, width), changed by what is solid.
    """
    height, width = nearness.shape
    for k in range(corners.shape[0]):
        ax, ay, az = corners[k, 0, 0], corners[k, 0, 1], corners[k, 0, 2]
        bx, by, bz = corners[k, 1, 0], corners[k, 1, 1], corners[k, 1, 2]
        cx, cy, cz = corners[k, 2, 0], corners[k, 2, 1], corners[k, 2, 2]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if not abs(area) > 1e-12:  # nor where there is NaN
            continue
        first, last = max(int(np.floor(min(ax, bx, cx))), 0), min(int(np.ceil(max(ax, bx, cx))), width - 1)
        top, bottom = max(int(np.floor(min(ay, by, cy))), 0), min(int(np.ceil(max(ay, by, cy))), height - 1)
        for j in range(top, bottom + 1):
            y = j + 0.5
            for i in range(first, last + 1):
                x = i + 0.5
                u = ((bx - x) * (cy - y) - (cx - x) * (by - y)) / area
                v = ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                near = u * az + v * bz + w * cz
                if near <= nearness[j, i]:
                    continue
                part = opacity[k]
                for d in range(image.shape[2]):
                    colour = u * colours[k, 0, d] + v * colours[k, 1, d] + w * colours[k, 2, d]
                    image[j, i, d] = part * colour + (1.0 - part) * image[j, i, d]
                if part >= 1.0:
                    nearness[j, i] = near


@numba.njit(cache=True, error_model="numpy")
def stroke(ends: Any, opacity: Any, colour: Any, image: Any) -> None:
    """Draw lines of one pixel's width.

    Args:
        ends: (n, 2, 2), across and down in pixels; NaN where a line is not drawn.
        opacity: at the ends, (n, 2).
        colour: of all, (3,).
        image: (height, width, 3), changed.
    """
    height, width = image.shape[0], image.shape[1]
    for k in range(ends.shape[0]):
        ax, ay, bx, by = ends[k, 0, 0], ends[k, 0, 1], ends[k, 1, 0], ends[k, 1, 1]
        longest = max(abs(bx - ax), abs(by - ay))
        if not longest < 1e5:
            continue
        steps = int(longest) + 1
        for s in range(steps):
            f = s / steps
            i, j = int(np.floor(ax + f * (bx - ax))), int(np.floor(ay + f * (by - ay)))
            if 0 <= i < width and 0 <= j < height:
                part = opacity[k, 0] * (1 - f) + opacity[k, 1] * f
                for d in range(3):
                    image[j, i, d] = part * colour[d] + (1 - part) * image[j, i, d]


__all__ = ["fill", "stroke"]
