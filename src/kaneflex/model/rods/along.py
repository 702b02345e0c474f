"""Properties along a rod: a number, several, a function of the arc length, or a table over it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector

GAUSS = np.polynomial.legendre.leggauss(3)  # on -1 to 1


def is_table(value: Any) -> bool:
    """Whether a value is a table over the arc length: two lists, the first of numbers that grow."""
    return isinstance(value, Sequence) and len(value) == 2 and checks.dimensions(value[0]) == 1


class Along:
    """A property of one or more numbers along a rod.

    Args:
        given: a number (which stands for all), `size` numbers, a function of the arc length s (m) that gives one of these,
            or a table (arc lengths, values), with straight lines in between, held beyond its ends.
        size: how many numbers it is.
        what: how messages call it.
        least: 1 for numbers that must be positive, 0 for those that must not be negative, None for any.
    """

    def __init__(self, given: Any, size: int, what: str, least: int | None = 1):
        self.size, self.what, self.least = size, what, least
        self.function: Callable[[float], Any] | None = None
        self.table: tuple[Vector, Vector] | None = None
        self.constant: Vector | None = None
        if checks.is_function(given):
            self.function = given
        elif is_table(given):
            self.table = self._table(*given)
        else:
            self.constant = self._checked(given, self.what)

    def __call__(self, s: Any) -> Vector:
        """Values (k, size) at k arc lengths, m."""
        places = np.atleast_1d(np.asarray(s, dtype=float))
        if self.constant is not None:
            return np.tile(self.constant, (len(places), 1))
        if self.table is not None:
            at, values = self.table
            return np.column_stack([np.interp(places, at, column) for column in values.T])
        return np.array([self._checked(self._called(float(x)), f"{self.what} at {x:g} m") for x in places])

    def _called(self, s: float) -> Any:
        assert self.function is not None
        try:
            return self.function(s)
        except Exception as e:
            raise ModelError(f"{self.what} is a function that fails at {s:g} m: {e}; give one of the arc length") from e

    def integral(self, a: float, b: float, of: Callable[[Vector, Vector], Vector]) -> Vector:
        """Integral of `of(s, values)` from a to b, by Gauss's three points."""
        middle, half = (a + b) / 2, (b - a) / 2
        s = middle + half * GAUSS[0]
        return np.asarray(half * np.einsum("k,k...->...", GAUSS[1], of(s, self(s))))

    def sampled(self, s: Vector) -> Any:
        """What a file can hold: the value as it was given, or a table of a function at arc lengths s."""
        if self.constant is not None:
            return float(self.constant[0]) if self.size == 1 else tuple(map(float, self.constant))
        at, values = (s, self(s)) if self.table is None else self.table
        return at, values[:, 0] if self.size == 1 else values

    def _table(self, at: Any, values: Any) -> tuple[Vector, Vector]:
        n = len(at)
        places = checks.array(at, (n,), f"arc lengths of {self.what}")
        if n < 2 or np.any(np.diff(places) <= 0):
            raise ModelError(f"arc lengths of {self.what} must grow, and be two or more: {checks.shown(at)}")
        if checks.dimensions(values) not in (1, 2) or len(values) != n:
            raise ModelError(f"{self.what}: its table has {n} arc lengths: give as many values")
        return places, np.array([self._checked(v, self.what) for v in values])

    def _checked(self, value: Any, what: str) -> Vector:
        one = checks.dimensions(value) == 0 or (self.size == 1 and np.shape(value) == (1,))
        found = checks.several(value, 1, what) if one else checks.array(value, (self.size,), what)
        found = np.repeat(found, self.size) if one else found
        if self.least is not None and (np.any(found < 0) or (self.least and np.any(found == 0))):
            must = "be positive" if self.least else "not be negative"
            raise ModelError(f"{what} is {checks.shown(value)}: it must {must}")
        return found


__all__ = ["Along", "is_table"]
