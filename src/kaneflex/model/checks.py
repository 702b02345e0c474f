"""Checks of what a user gives; every message names the culprit and says what to do."""

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class ModelError(ValueError):
    """Something in the description of a system cannot be right.

    Args:
        message: what, of which body, joint or value, and what to do; cut in its middle where it is very long.
    """

    def __init__(self, message: object = ""):
        text = str(message)
        super().__init__(text if len(text) <= 2000 else f"{text[:1000]} ... {text[-900:]}")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something at the line of the user's program that asked for it: the innermost one outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def shown(value: Any) -> str:
    """A value as a message shows it: its repr, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # a whole number of more digits than Python writes, an object whose repr fails
        text = f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-40:]}"


def number(value: Any, what: str) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ModelError(f"{what} is {shown(value)}: give one real number")
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    if not math.isfinite(x):
        raise ModelError(f"{what} is {shown(value)}: give a finite number")
    return x


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


def whole(value: Any, what: str, least: int = 0) -> int:
    """A whole number, not less than `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ModelError(f"{what} is {shown(value)}: give a whole number")
    if not least <= value < 2**53:
        raise ModelError(f"{what} is {shown(value)}: give a whole number, {least} or more")
    return int(value)


def flag(value: Any, what: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} is {shown(value)}: give True or False")
    return bool(value)


def array(value: Any, shape: tuple[int, ...], what: str) -> Vector:
    """A finite real array of a given shape."""
    try:
        given = np.asarray(value)
        if given.dtype.kind in "bcSU":
            raise TypeError("flags, complex numbers or texts")
        x = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError) as e:
        raise ModelError(f"{what} is {shown(value)}: give {_shape_words(shape)}, all real") from e
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
    except (TypeError, ValueError, OverflowError) as e:
        raise ModelError(f"{what} is {shown(value)}: give {wanted}, all real") from e
    return x if x.flags.writeable and x.flags.aligned else x.copy()


def sized(value: Any, n: int, what: str, *, least: bool = False) -> Vector:
    """A contiguous real array of n numbers in a row (`least`: or more), which need not be finite."""
    more = " or more" if least else ""
    x = real(value, what, _shape_words((n,)) + more)
    if x.ndim != 1 or dimensions(value) != 1 or (len(x) < n if least else len(x) != n):
        raise ModelError(f"{what} has shape {np.shape(value)}: give {_shape_words((n,))}{more}")
    return x


def finite(value: Any, n: int, what: str, *, least: bool = False) -> Vector:
    """The same, and finite; quick where it is such an array already."""
    plain = type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (n,) and value.flags.carray
    x = value if plain else sized(value, n, what, least=least)
    if not np.isfinite(x).all():
        raise ModelError(f"{what} has {x[~np.isfinite(x)][0]} at {int(np.argmin(np.isfinite(x)))}: give finite numbers only")
    return x


def dimensions(value: Any) -> int:
    """Of how many dimensions an array of the value would be; -1 for what makes none."""
    try:
        return np.ndim(value)
    except ValueError:  # lists of different lengths
        return -1


def several(value: Any, n: int, what: str) -> Vector:
    """n finite real numbers; a number alone stands for one."""
    if n == 1 and type(value) is float and math.isfinite(value):  # quick, for this is what most are
        return np.array([value])
    return array([value] if dimensions(value) == 0 else value, (n,), what)


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
    elif abs(length - 1) > 4 * np.finfo(float).eps:  # one that was read from a file keeps its bits
        a = a / length
    return (float(a[0]), float(a[1]), float(a[2]))


def rotation(value: Any, what: str) -> Vector:
    """A rotation matrix, given as 3x3 numbers or as ("x", angle) pairs in order, e.g. (("z", 0.3), ("x", 0.1))."""
    if isinstance(value, tuple | list) and value and isinstance(value[0], str):
        value = (value,)
    if isinstance(value, tuple | list) and value and all(isinstance(t, tuple | list) and len(t) == 2 for t in value):
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


def is_function(value: Any) -> bool:
    """Whether a value can be called, and is no class, which would make objects."""
    return callable(value) and not isinstance(value, type)


def items(value: Any, what: str) -> tuple[Any, ...]:
    """What is in a list, tuple or array of one dimension."""
    if isinstance(value, str | bytes) or not (isinstance(value, Sequence) or getattr(value, "ndim", 0) == 1):
        raise ModelError(f"{what} is {shown(value)}: give a list")
    return tuple(value)


def names(value: Any, what: str) -> tuple[str, ...]:
    """Several names, in a list; none of them empty."""
    found = items(value, what)
    for one in found:
        if not isinstance(one, str) or not one:
            raise ModelError(f"{what}: {shown(one)} is no name: give a list of names")
    return tuple(str(one) for one in found)


def known(value: str, choices: Iterable[str], what: str) -> str:
    """One of several words."""
    names = choices if isinstance(choices, Mapping) else list(choices)  # a table of thousands is not gone through
    if not isinstance(value, str):
        raise ModelError(f"{what} is {shown(value)}, which is no name: there {_have(list(names))}")
    if value not in names:
        raise ModelError(f"{what} {quoted(value[:200])} is not known: there {_have(list(names))}")
    return value


def _have(names: list[str]) -> str:
    if not names:
        return "is none yet"
    shown = ", ".join(f'"{n}"' for n in names[:12])
    return f"{'is' if len(names) == 1 else 'are'} {shown}{' and more' if len(names) > 12 else ''}"
