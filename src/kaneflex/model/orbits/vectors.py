"""Vectors as functions of laws use them: tuples, on floats and on the complex numbers of exact derivatives."""

import math
from typing import Any

import numpy as np

Triple = tuple[Any, Any, Any]


def dot(a: Any, b: Any) -> Any:
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Any, b: Any) -> Any:
    """a x b"""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def along(k: Any, a: Any) -> Any:
    """k a"""
    return k * a[0], k * a[1], k * a[2]


def minus(a: Any, b: Any) -> Any:
    """a - b"""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def plus(a: Any, b: Any) -> Any:
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def length(a: Any) -> Any:
    """|a|, analytic."""
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def angle(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), -pi to pi. arctan2 knows no complex numbers: that of the real parts, and a term
    that is zero in floats and has the derivative as the imaginary part of complex numbers."""
    return np.arctan2(y.real, x.real) + (x.real * y - y.real * x) / (x.real * x.real + y.real * y.real)


def whole_angle(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), 0 to 2 pi."""
    found = angle(y, x)
    return found + 2 * math.pi if found.real < 0 else found


def orbit_axes(r: Any, v: Any) -> Any:
    """Axes of the orbit frame and its rate: up, forward, normal to the orbit, and |r x v|/r^2 about the normal.

    Args:
        r, v: from the centre, m, and velocity, m/s, inertial axes.
    """
    h = cross(r, v)
    distance, momentum = length(r), length(h)
    if momentum.real <= 1e-14 * distance.real * length(v).real or distance.real == 0:
        raise ValueError("an orbit frame has no plane: the velocity is along the vertical, or zero")
    up, normal = along(1 / distance, r), along(1 / momentum, h)
    return up, cross(normal, up), normal, momentum / (distance * distance)
