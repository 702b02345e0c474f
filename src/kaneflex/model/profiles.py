"""Prescribed motions: a coordinate (rad or m) as a function of time, with its rate and acceleration.

A profile is also a function of t, its value: as the value of a load or of an input, as an event function, or inside one of
your own. The integrator then ends steps at its `breaks`, so that no pulse is stepped over.

The ready-made ones, `spin_up` to `constant_rate`, are plain numbers, so that a saved run holds them whole. Each is a
sequence of pieces (`Piece`), in each of which the coordinate is a polynomial plus a vibration; `curve` evaluates them
all. `Motion` is made of functions of your own.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.pieces import Function, Piece, Profile, Ready, curve
from kaneflex.model.typed import typed

__all__ = [
    "Motion",
    "Piece",
    "Profile",
    "Ready",
    "bang_bang",
    "constant_rate",
    "cosine",
    "curve",
    "hold",
    "motion_of",
    "quintic",
    "signal",
    "smooth_step",
    "spin_up",
    "table",
    "versine",
]


@typed
@dataclass(frozen=True)
class Motion(Profile):
    """A prescribed motion by functions of your own.

    Args:
        value: function of t giving the coordinate, rad or m.
        rate: its first derivative, rad/s or m/s; None to derive it in symbols.
        acceleration: its second derivative, rad/s^2 or m/s^2; None to derive it in symbols.
        breaks: times (s) at which the acceleration jumps; the integrator stops there.
    """

    value: Function
    rate: Function | None = None
    acceleration: Function | None = None
    breaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not checks.is_function(self.value):
            raise checks.ModelError(
                f"value of a Motion is {self.value!r}: give a function of t; a constant is kaneflex.profiles.hold(...)"
            )
        for name in ("rate", "acceleration"):
            function = getattr(self, name)
            if function is not None and not checks.is_function(function):
                raise checks.ModelError(f"{name} of a Motion is {function!r}: give a function of t, or None")
        times = {
            checks.number(t, f"breaks[{k}] of a Motion")
            for k, t in enumerate(checks.items(self.breaks, "breaks of a Motion"))
        }
        object.__setattr__(self, "breaks", tuple(sorted(times)))

    @property
    def functions(self) -> tuple[Function, Function | None, Function | None]:
        """The three functions as they were given."""
        return self.value, self.rate, self.acceleration


@typed
def motion_of(given: Any, what: str) -> Profile:
    """What a user gave as a motion: a profile stays one, a bare function of t becomes a Motion.

    Args:
        given: what the user gave.
        what: what it is, for messages.
    """
    if isinstance(given, signal):
        raise checks.ModelError(f"{what} is a signal, whose rate jumps at its points: give profiles.table(times, values)")
    if isinstance(given, Profile):
        return given
    if not checks.is_function(given):
        advice = "give a profile, such as kaneflex.profiles.spin_up(6.0, 15.0), or a function of t"
        if isinstance(given, int | float):
            advice = f"give kaneflex.profiles.hold({given!r}) for a constant, or a function of t"
        raise checks.ModelError(f"{what} is {given!r}: {advice}")
    return Motion(given)


class _Timed(Ready):
    """A ready-made profile that goes on from `start` for `time` seconds."""

    start: float
    time: float

    def __post_init__(self) -> None:
        self._check(positive=("time",))
        if not self.start < self.start + self.time / 2 < self.start + self.time < math.inf:
            raise checks.ModelError(
                f"time of profiles.{type(self).__name__} is {self.time!r}: it is lost beside start, {self.start!r}; "
                "give a longer time or an earlier start"
            )

    @property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """Start and end, s."""
        return (self.start, self.start + self.time)


# ---- the ready-made ones


@typed
@dataclass(frozen=True)
class spin_up(_Timed):
    """From rest to a constant rate, on which the motion goes on.

    With s = t - start, the rate is (rate/time) (s - time/(2 pi) sin(2 pi s/time)): the ramp of Kane, Ryan and Banerjee
    (1987), whose acceleration and jerk begin and end at zero.

    Args:
        rate: final rate, rad/s or m/s.
        time: how long the ramp takes, s.
        start: when it begins, s.
        initial: coordinate until then, rad or m.
    """

    rate: float
    time: float
    start: float = 0.0
    initial: float = 0.0

    def _made(self) -> Sequence[Piece]:
        slope, w = self.rate / self.time, 2 * math.pi / self.time
        start, end = self.breaks
        a = slope / w / w
        return (
            Piece(-math.inf, c0=self.initial),
            Piece(start, start, c0=self.initial - a, c2=slope / 2, a=a, w=w),
            Piece(end, end, c0=self.initial + self.rate * self.time / 2, c1=self.rate),
        )


@typed
@dataclass(frozen=True)
class cosine(Ready):
    """A vibration for all time: offset + amplitude cos(frequency t + phase).

    Args:
        amplitude: rad or m.
        frequency: rad/s.
        phase: rad; -pi/2 makes it a sine.
        offset: mean, rad or m.
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def _made(self) -> Sequence[Piece]:
        a, b = self.amplitude * math.cos(self.phase), -self.amplitude * math.sin(self.phase)
        if self.frequency == 0:
            return (Piece(-math.inf, c0=self.offset + a),)
        return (Piece(-math.inf, c0=self.offset, a=a, b=b, w=self.frequency),)


@typed
@dataclass(frozen=True)
class versine(_Timed):
    """A pulse from 0 up to the amplitude and back: amplitude (1 - cos(2 pi s/time))/2, s = t - start.

    Its rate is continuous; its acceleration jumps at both ends.

    Args:
        amplitude: rad or m, reached half way.
        time: how long the pulse takes, s.
        start: when it begins, s.
    """

    amplitude: float
    time: float
    start: float = 0.0

    def _made(self) -> Sequence[Piece]:
        (start, end), half = self.breaks, self.amplitude / 2
        pulse = Piece(start, start, c0=half, a=-half, w=2 * math.pi / self.time)
        return (Piece(-math.inf), pulse, Piece(end))


class _Change(_Timed):
    """A profile from rest at `initial` to rest at `initial` + `change`."""

    change: float
    initial: float

    @abstractmethod
    def _between(self) -> Sequence[Piece]:
        """The pieces between the two rests."""

    def _made(self) -> Sequence[Piece]:
        end = self.breaks[-1]
        return (Piece(-math.inf, c0=self.initial), *self._between(), Piece(end, c0=self.initial + self.change))


@typed
@dataclass(frozen=True)
class smooth_step(_Change):
    """From rest to rest by initial + change (p - sin(2 pi p)/(2 pi)), p = (t - start)/time: a full sine of acceleration.

    Args:
        change: of the coordinate, rad or m.
        time: how long it takes, s.
        start: when it begins, s.
        initial: coordinate until then, rad or m.
    """

    change: float
    time: float
    start: float = 0.0
    initial: float = 0.0

    def _between(self) -> Sequence[Piece]:
        slope, w, start = self.change / self.time, 2 * math.pi / self.time, self.start
        return (Piece(start, start, c0=self.initial, c1=slope, b=-slope / w, w=w),)


@typed
@dataclass(frozen=True)
class bang_bang(_Change):
    """From rest to rest in the shortest time that a bound on the acceleration allows: constant, then as large the other
    way.

    The acceleration is 4 change/time^2; it jumps at start, middle and end.

    Args:
        change: of the coordinate, rad or m.
        time: how long it takes, s.
        start: when it begins, s.
        initial: coordinate until then, rad or m.
    """

    change: float
    time: float
    start: float = 0.0
    initial: float = 0.0

    @property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """Start, middle and end, s."""
        return (self.start, self.start + self.time / 2, self.start + self.time)

    def _between(self) -> Sequence[Piece]:
        start, middle, end = self.breaks
        half = 2 * self.change / self.time / self.time  # of the acceleration
        return (
            Piece(start, start, c0=self.initial, c2=half),
            Piece(middle, end, c0=self.initial + self.change, c2=-half),
        )


@typed
@dataclass(frozen=True)
class quintic(_Change):
    """From rest to rest by initial + change (10 p^3 - 15 p^4 + 6 p^5), p = (t - start)/time; no acceleration at the ends.

    Args:
        change: of the coordinate, rad or m.
        time: how long it takes, s.
        start: when it begins, s.
        initial: coordinate until then, rad or m.
    """

    change: float
    time: float
    start: float = 0.0
    initial: float = 0.0

    def _between(self) -> Sequence[Piece]:
        T, start = self.time, self.start
        c3 = 10 * self.change / T / T / T
        return (Piece(start, start, c0=self.initial, c3=c3, c4=-1.5 * c3 / T, c5=0.6 * c3 / T / T),)


def _check_points(given: Any) -> None:
    """Make times and values of a table tuples of finite floats, and see that the times ascend."""
    what = f"profiles.{type(given).__name__}"
    count = max(len(checks.items(given.times, f"times of {what}")), 2)
    for name in ("times", "values"):
        numbers = checks.array(getattr(given, name), (count,), f"{name} of {what}")
        object.__setattr__(given, name, tuple(float(x) for x in numbers))
    for k, (before, after) in enumerate(zip(given.times[:-1], given.times[1:], strict=True)):
        if not before < after:
            raise checks.ModelError(
                f"times of {what} do not ascend: times[{k}] is {before:g} and times[{k + 1}] is {after:g}; "
                "sort the points and give each time once"
            )


@typed
@dataclass(frozen=True)
class table(Ready):
    """Through given points by a cubic spline, whose rate and acceleration are continuous.

    Args:
        times: ascending, s; two or more.
        values: the coordinate at these times, rad or m.
        ends: "clamped": at rest at the first and the last point, and held beyond them; the acceleration jumps there.
            "natural": no acceleration at the ends, and beyond them on at the rate reached there.
    """

    times: Sequence[float]
    values: Sequence[float]
    ends: str = "clamped"

    def __post_init__(self) -> None:
        checks.known(self.ends, ("clamped", "natural"), "ends of profiles.table")
        _check_points(self)

    @property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """All the given times, s: a step from one to a later one could miss what is between."""
        return tuple(self.times)

    def _made(self) -> Sequence[Piece]:
        from scipy.interpolate import CubicSpline  # takes a while to load

        spline = CubicSpline(self.times, self.values, bc_type=self.ends)
        first, last, before, after = self.times[0], self.times[-1], 0.0, 0.0
        if self.ends == "natural":
            before, after = (float(spline(t, 1)) for t in (first, last))
        pieces = [
            Piece(t, t, *(float(c) for c in reversed(row))) for t, row in zip(self.times[:-1], spline.c.T, strict=True)
        ]
        start = Piece(-math.inf, first, c0=self.values[0], c1=before)
        return (start, *pieces, Piece(last, last, c0=self.values[-1], c1=after))


@typed
@dataclass(frozen=True)
class signal(Ready):
    """A signal through given points, held at the first and the last value beyond them: for inputs, not for motions.

    Args:
        times: ascending, s; two or more.
        values: at these times, in the unit of the input.
        between: "lines": straight lines from point to point; "steps": each value holds until the next.
    """

    times: Sequence[float]
    values: Sequence[float]
    between: str = "lines"

    def __post_init__(self) -> None:
        checks.known(self.between, ("lines", "steps"), "between of profiles.signal")
        _check_points(self)

    @property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """All times, s."""
        return tuple(self.times)

    def _made(self) -> Sequence[Piece]:
        t, x = self.times, self.values
        straight = self.between == "lines"
        slopes = [(x[k + 1] - x[k]) / (t[k + 1] - t[k]) if straight else 0.0 for k in range(len(t) - 1)]
        pieces = [Piece(t[k], t[k], c0=x[k], c1=slope) for k, slope in enumerate(slopes)]
        return (Piece(-math.inf, c0=x[0]), *pieces, Piece(t[-1], c0=x[-1]))


@typed
@dataclass(frozen=True)
class hold(Ready):
    """At rest for all time.

    Args:
        value: the coordinate, rad or m.
    """

    value: float

    def _made(self) -> Sequence[Piece]:
        return (Piece(-math.inf, c0=self.value),)


@typed
@dataclass(frozen=True)
class constant_rate(Ready):
    """At a constant rate for all time: initial + rate t.

    Args:
        rate: rad/s or m/s.
        initial: coordinate at t = 0, rad or m.
    """

    rate: float
    initial: float = 0.0

    def _made(self) -> Sequence[Piece]:
        return (Piece(-math.inf, c0=self.initial, c1=self.rate),)
