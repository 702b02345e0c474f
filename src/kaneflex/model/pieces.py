"""What profiles are made of: pieces of a polynomial and a vibration, evaluated by one function, compiled or not."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaneflex.model import checks

Function = Callable[[Any], Any]


class Profile(ABC):
    """A prescribed motion of one coordinate.

    `functions` are its value, rate and acceleration, functions of t; a rate or an acceleration that is not known is None.
    `breaks` are the times at which the acceleration or one of its derivatives jumps; an integrator stops there. Called with
    t, a profile gives its value.
    """

    breaks: tuple[float, ...] = ()

    @property
    @abstractmethod
    def functions(self) -> tuple[Function, Function | None, Function | None]:
        """Value (rad or m), rate and acceleration as functions of t."""

    def __call__(self, t: Any) -> Any:
        """The value at t."""
        return self.functions[0](t)


class Piece(NamedTuple):
    """From time `begin` until the next piece begins: c0 + c1 s + ... + c5 s^5 + a cos(w s) + b sin(w s), s = t - origin.

    Args:
        begin: time from which the piece holds, s.
        origin: time from which s counts, s.
        c0, c1, c2, c3, c4, c5: coefficients of the polynomial.
        a, b: of cosine and sine.
        w: their angular frequency, rad/s.
    """

    begin: float
    origin: float = 0.0
    c0: float = 0.0
    c1: float = 0.0
    c2: float = 0.0
    c3: float = 0.0
    c4: float = 0.0
    c5: float = 0.0
    a: float = 0.0
    b: float = 0.0
    w: float = 0.0


def curve(t: Any, pieces: Any) -> Any:
    """Acceleration, value and rate at t of pieces in order, the rows of an array; at a break, of the piece that begins.

    Runs on floats, on complex t (which piece is judged by the real part) and compiled.
    """
    k, after = 0, len(pieces)
    while after - k > 1:
        middle = (k + after) // 2
        if pieces[middle, 0] <= t.real:
            k = middle
        else:
            after = middle
    s = t - pieces[k, 1]
    c0, c1, c2, c3, c4, c5 = pieces[k, 2], pieces[k, 3], pieces[k, 4], pieces[k, 5], pieces[k, 6], pieces[k, 7]
    a, b, w = pieces[k, 8], pieces[k, 9], pieces[k, 10]
    value = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    rate = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    acceleration = 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
    if w != 0:
        cosine, sine = np.cos(w * s), np.sin(w * s)
        value = value + (a * cosine + b * sine)
        rate = rate + w * (b * cosine - a * sine)
        acceleration = acceleration - w * w * (a * cosine + b * sine)
    return acceleration, value, rate


class Ready(Profile):
    """A ready-made profile: its numbers are its fields, its motion the rows of `pieces`."""

    @property
    def pieces(self) -> NDArray[np.float64]:
        """One row per Piece, in order of time; the first begins at minus infinity. Not to be written to."""
        return _pieces_of(self)

    @property
    def functions(self) -> tuple[Function, Function, Function]:
        """Value (rad or m), rate and acceleration as functions of t, a float or a complex number."""
        pieces = self.pieces
        return (lambda t: curve(t, pieces)[1]), (lambda t: curve(t, pieces)[2]), (lambda t: curve(t, pieces)[0])

    @abstractmethod
    def _made(self) -> Sequence[Piece]:
        """The pieces, in order."""

    def _check(self, positive: Sequence[str] = ()) -> None:
        """Make the fields finite floats, and some of them positive ones."""
        for name in self.__dataclass_fields__:  # type: ignore[attr-defined]
            check = checks.positive if name in positive else checks.number
            number = check(getattr(self, name), f"{name} of profiles.{type(self).__name__}")
            object.__setattr__(self, name, number)

    def __post_init__(self) -> None:
        self._check()


@lru_cache(maxsize=256)
def _pieces_of(profile: Ready) -> NDArray[np.float64]:
    rows = np.array(profile._made())
    rows.flags.writeable = False
    return rows
