"""Time derivatives of what is written with coordinates and speeds."""

from collections.abc import Mapping, Sequence
from typing import Any

from kaneflex.symbolic.calculus import replaced, time_derivative
from kaneflex.symbolic.kanes_method.vectors import NOTHING, Triple, vanishes
from kaneflex.symbolic.translate import ZERO, Symbols

Expr = Any


class Rates:
    """What the rates of coordinates and speeds are: q' in terms of u, u' = 0 (biases hold no rates of speeds)."""

    def __init__(self, symbols: Symbols, speeds: Sequence[Expr], auxiliary: Sequence[Expr]) -> None:
        self.symbols = symbols
        self.speeds = {s: k for k, s in enumerate(dict.fromkeys((*speeds, *auxiliary)))}
        self._still = {symbols.rate(s): ZERO for s in (*speeds, *auxiliary)}
        self._auxiliary = dict.fromkeys(auxiliary, ZERO)
        self.kinematical: dict[Expr, Expr] = {}  # q' -> expression of q, u, t
        self._second: dict[Expr, Expr] = {}  # q'' likewise
        self._replacing: dict[Expr, Expr] = {}

    def settle(self, kinematical: Mapping[Expr, Expr]) -> None:
        """Take the kinematical equations, solved for q'."""
        self.kinematical = dict(kinematical)
        self._second = {}
        for rate, e in kinematical.items():
            self._second[self.symbols.rate(rate)] = time_derivative(e, self._rate_of_speeds_too)
        self._replacing = {**self.kinematical, **self._second}

    def in_speeds(self, e: Expr) -> Expr:
        """An expression with rates of the coordinates replaced."""
        return replaced(e, self._replacing)

    def rate(self, s: Expr) -> Expr:
        """Rate of a symbol, zero for speeds."""
        r = self.symbols.rate(s)
        return self._still[r] if r in self._still else self._in_speeds_once(r)

    def _rate_of_speeds_too(self, s: Expr) -> Expr:
        return self._in_speeds_once(self.symbols.rate(s))

    def _in_speeds_once(self, r: Expr) -> Expr:
        """A rate with those of coordinates replaced: mostly a symbol, or what an integral over time is of."""
        return self.kinematical.get(r, r) if r.is_Symbol else replaced(r, self.kinematical)

    def derivative(self, c: Triple) -> Triple:
        """Time derivative of components with u' = 0, auxiliary speeds being zero in them."""
        if vanishes(c):
            return NOTHING
        x, y, z = (self.plain_rate(e) for e in c)
        return (x, y, z)

    def plain_rate(self, e: Expr) -> Expr:
        """Time derivative of an expression with u' = 0 and without auxiliary speeds."""
        return ZERO if e == 0 else replaced(time_derivative(e, self.rate), {**self._still, **self._auxiliary})

    def full_derivative(self, c: Triple) -> Triple:
        """Time derivative of components of a position, in terms of speeds."""
        x, y, z = (ZERO if e == 0 else time_derivative(e, self._rate_of_speeds_too) for e in c)
        return (x, y, z)

    def without_auxiliary(self, c: Triple) -> Triple:
        """Components with the auxiliary speeds put to zero."""
        if not self._auxiliary:
            return c
        x, y, z = (replaced(e, self._auxiliary) for e in c)
        return (x, y, z)

    def at_rest(self, e: Expr) -> Expr:
        """An expression with rates of speeds and auxiliary speeds put to zero."""
        return replaced(e, {**self._still, **self._auxiliary})


__all__ = ["Rates"]
