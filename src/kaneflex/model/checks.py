"""Checks of what a user gives; every message names the culprit and says what to do."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class ModelError(ValueError):
    """Something in the description of a system cannot be right."""


def number(value: Any, what: str) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ModelError(f"{what} is {value!r}: give one real number")
    if not math.isfinite(value):
        raise ModelError(f"{what} is {value}: give a finite number")
    return float(value)


def positive(value: Any, what: str) -> float:
    """A finite number > 0."""
    x = number(value, what)
    if x <= 0:
        raise ModelError(f"{what} is {x:g}: it must be positive")
    return x


def not_negative(value: Any, what: str) -> float:
    """A finite number >= 0."""
    x = number(value, what)
    if x < 0:
        raise ModelError(f"{what} is {x:g}: it must not be negative")
    return x


def array(value: Any, shape: tuple[int, ...], what: str) -> Vector:
    """A finite real array of a given shape."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        x = np.array(value, dtype=float)
    except (TypeError, ValueError) as e:
        raise ModelError(f"{what} is {value!r}: give {_shape_words(shape)}, all real") from e
    if x.shape != shape:
        raise ModelError(f"{what} has shape {x.shape}: give {_shape_words(shape)}")
    if not np.all(np.isfinite(x)):
        raise ModelError(f"{what} is {np.array2string(x)}: give finite numbers only")
    return x


def real(value: Any, what: str, wanted: str) -> Vector:
    """A contiguous array of real numbers that kernels can take; a copy only where it must be."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "fiubO":
            raise TypeError("no real numbers")
        x = np.ascontiguousarray(given, dtype=float)
    except (TypeError, ValueError) as e:
        raise ModelError(f"{what} is {value!r}: give {wanted}, all real") from e
    return x if x.flags.writeable and x.flags.aligned else x.copy()


def sized(value: Any, n: int, what: str, *, least: bool = False) -> Vector:
    """A contiguous real array of n numbers in a row (`least`: or more), which need not be finite."""
    more = " or more" if least else ""
    x = real(value, what, _shape_words((n,)) + more)
    if np.ndim(value) != 1 or (len(x) < n if least else len(x) != n):
        raise ModelError(f"{what} has shape {np.shape(value)}: give {_shape_words((n,))}{more}")
    return x


def finite(value: Any, n: int, what: str, *, least: bool = False) -> Vector:
    """The same, and finite; quick where it is such an array already."""
    plain = type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (n,) and value.flags.carray
    x = value if plain else sized(value, n, what, least=least)
    if not np.isfinite(x).all():
        raise ModelError(f"{what} has {x[~np.isfinite(x)][0]} at {int(np.argmin(np.isfinite(x)))}: give finite numbers only")
    return x


def _shape_words(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} numbers" if len(shape) == 1 else " by ".join(map(str, shape)) + " numbers"


def vector(value: Any, what: str) -> tuple[float, float, float]:
    """Three finite numbers."""
    x = array(value, (3,), what)
    return (float(x[0]), float(x[1]), float(x[2]))


NAMED_AXES = {
    sign + name: tuple(factor * (i == k) for i in range(3))
    for sign, factor in (("", 1.0), ("+", 1.0), ("-", -1.0))
    for k, name in enumerate("xyz")
}


def axis(value: Any, what: str) -> tuple[float, float, float]:
    """A unit vector, given as "x", "-y", ... or as three numbers of any length but zero."""
    if isinstance(value, str):
        if value not in NAMED_AXES:
            raise ModelError(f'{what} is "{value}": give "x", "y", "z", "-x", "-y", "-z" or three numbers')
        x, y, z = NAMED_AXES[value]
        return (x, y, z)
    a = array(value, (3,), what)
    length = float(np.linalg.norm(a))
    if length == 0:
        raise ModelError(f"{what} is zero: give a direction")
    if np.count_nonzero(a) == 1:
        a = np.sign(a)
    else:
        a = a / length
    return (float(a[0]), float(a[1]), float(a[2]))


def rotation(value: Any, what: str) -> Vector:
    """A rotation matrix, given as 3x3 numbers or as ("x", angle) pairs in order, e.g. (("z", 0.3), ("x", 0.1))."""
    if isinstance(value, Sequence) and value and isinstance(value[0], str):
        value = (value,)
    if isinstance(value, Sequence) and value and isinstance(value[0], Sequence) and isinstance(value[0][0], str):
        R = np.eye(3)
        for name, angle in value:
            R = R @ turn(axis(name, what), number(angle, what))
        return R
    R = array(value, (3, 3), what)
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        raise ModelError(f"{what} is not a rotation matrix: its columns must be orthonormal and right-handed")
    return R


def turn(a: tuple[float, float, float], angle: float) -> Vector:
    """Rotation matrix of a turn by `angle` (rad) about the unit vector a."""
    x = np.array(a)
    K = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def quoted(value: Any) -> str:
    """A text in quotes for a message; one with characters that are not seen, which a terminal might obey, spelled out."""
    return f'"{value}"' if str(value).isprintable() else ascii(value)


def name(value: Any, what: str) -> str:
    """A usable name: one or more characters of any script that are seen, but for dots and spaces, which separate the parts
    of a channel's name, and slashes, which separate folders.

    All other marks may stand in a name: whatever writes one to a page, a file or a terminal escapes it there.
    """
    if not isinstance(value, str) or not value:
        raise ModelError(f"{what} is {value!r}: give a name")
    shown = quoted(value)
    if "." in value or any(c.isspace() for c in value):
        raise ModelError(f"{what} is {shown}: a name has no dots or spaces")
    if "/" in value or "\\" in value:
        raise ModelError(f"{what} is {shown}: a name has no slashes, which separate folders")
    if not value.isprintable():
        raise ModelError(f"{what} is {shown}: a name has no characters that are not seen")
    return value


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names, those that were there before or are among `taken` with a number behind them: a, a_2, a_3."""
    known, found = set(taken), []
    for first in names:
        candidate, k = first, 1
        while candidate in known:
            k += 1
            candidate = f"{first}_{k}"
        known.add(candidate)
        found.append(candidate)
    return found


def known(value: str, choices: Iterable[str], what: str) -> str:
    """One of several words."""
    names = list(choices)
    if value not in names:
        raise ModelError(f"{what} {quoted(value)} is not known: there {_have(names)}")
    return value


def _have(names: list[str]) -> str:
    if not names:
        return "is none yet"
    shown = ", ".join(f'"{n}"' for n in names[:12])
    return f"{'is' if len(names) == 1 else 'are'} {shown}{' and more' if len(names) > 12 else ''}"
