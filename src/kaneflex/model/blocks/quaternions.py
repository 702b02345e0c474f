"""Quaternions as functions of laws use them: on floats and on the complex numbers of exact derivatives."""

from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError


def unit_quaternion(value: Any, what: str) -> tuple[float, ...]:
    """Four numbers of length one, from such of any length but zero."""
    given = checks.array(value, (4,), what)
    size = float(np.linalg.norm(given))
    if size == 0:
        raise ModelError(f"{what} is zero: give a quaternion, the scalar first")
    return tuple(float(x) for x in given / size)


def quaternion(R: Any) -> Any:
    """The quaternion, scalar first, of a rotation matrix whose rows stand one after the other."""
    xx, yy, zz = R[0], R[4], R[8]
    trace = xx + yy + zz
    if trace.real >= 0:
        s = np.sqrt(1 + trace) * 2
        return s / 4, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s
    if xx.real >= yy.real and xx.real >= zz.real:
        s = np.sqrt(1 + xx - yy - zz) * 2
        return (R[7] - R[5]) / s, s / 4, (R[1] + R[3]) / s, (R[2] + R[6]) / s
    if yy.real >= zz.real:
        s = np.sqrt(1 + yy - xx - zz) * 2
        return (R[2] - R[6]) / s, (R[1] + R[3]) / s, s / 4, (R[5] + R[7]) / s
    s = np.sqrt(1 + zz - xx - yy) * 2
    return (R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, s / 4


def turn_from(target: Any, R: Any) -> Any:
    """Twice the vector of the quaternion that leads from the target to a rotation, rad for small turns; of the two
    quaternions the one with the positive scalar."""
    e = quaternion(R)
    a, b, c, d = target[0], -target[1], -target[2], -target[3]
    s = a * e[0] - b * e[1] - c * e[2] - d * e[3]
    sign = 2.0 if s.real >= 0 else -2.0
    return (
        sign * (a * e[1] + b * e[0] + c * e[3] - d * e[2]),
        sign * (a * e[2] - b * e[3] + c * e[0] + d * e[1]),
        sign * (a * e[3] + b * e[2] - c * e[1] + d * e[0]),
    )


__all__ = ["quaternion", "turn_from", "unit_quaternion"]
