"""What is kept of a run: channels over time, numbers made of them, or what a function makes of the run."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError, is_function, shown

if TYPE_CHECKING:
    from kaneflex.results.run import Run


def _mean(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Mean over time, by the trapezoidal rule."""
    if len(t) < 2 or t[-1] == t[0]:
        return np.asarray(x[-1])
    return np.asarray(np.trapezoid(x, t, axis=0) / (t[-1] - t[0]))


#: What is made of a channel, of each of its numbers for itself: a function of times and values.
REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "final": lambda t, x: x[-1],
    "max": lambda t, x: x.max(axis=0),
    "min": lambda t, x: x.min(axis=0),
    "peak": lambda t, x: np.abs(x).max(axis=0),
    "mean": _mean,
    "rms": lambda t, x: np.sqrt(_mean(t, x * x)),
}
_AT = re.compile(r"(?P<channel>.+?) at (?P<times>[-+0-9.eE, ]+)")
RESERVED = ("run", "t", "status", "message", "seconds", "shares")


@dataclass(frozen=True)
class Keep:
    """One thing to be kept.

    Args:
        name: under which it is found.
        channel: what it is made of; "" for a function of the run.
        how: a word of REDUCTIONS, "history", "at" or "function".
        times: of "at", s.
        function: of the run.
    """

    name: str
    channel: str
    how: str
    times: tuple[float, ...] = ()
    function: Callable[["Run"], Any] | None = None

    def of(self, run: "Run", grid: np.ndarray | None) -> np.ndarray:
        """What it is of a run.

        Args:
            run: the run.
            grid: times of histories, s.
        """
        if self.function is not None:
            return np.asarray(self.function(run), dtype=float)
        values = np.asarray(run[self.channel], dtype=float)
        if self.how == "history":
            assert grid is not None
            return _on_grid(run.t, values, grid)
        if self.how == "at":
            return _at(run.t, values, self.times, self.name)
        return np.asarray(REDUCTIONS[self.how](run.t, values), dtype=float)


@dataclass(frozen=True)
class Shape:
    """What is known of something kept after the first run: its size and what its numbers are called."""

    name: str
    sizes: tuple[int, ...]
    axes: tuple[str, ...]
    labels: dict[str, list[Any]] = field(default_factory=dict)
    unit: str = ""


def keeps(given: Any) -> tuple[Keep, ...]:
    """What is to be kept, from how the user says it.

    Args:
        given: texts and functions in a sequence, or by name in a mapping.
    """
    if isinstance(given, str) or is_function(given):
        given = [given]
    if isinstance(given, Mapping):
        found = [_keep(what, str(name)) for name, what in given.items()]
    elif isinstance(given, Sequence):
        found = [_keep(what, None) for what in given]
    else:
        raise ModelError(f'keep is {shown(given)}: give a list such as ["arm.q", "max arm.tip.deflection", function]')
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f'keep has "{name}" twice: give names, keep={{"one": ..., "other": ...}}')
        if name in RESERVED or "/" in name or not name.strip():
            raise ModelError(f'keep has the name "{name}", which is taken or has a "/": give another, keep={{"name": ...}}')
    return tuple(found)


def _keep(what: Any, name: str | None) -> Keep:
    if is_function(what):
        own = getattr(what, "__name__", "function")
        if name is None and own == "<lambda>":
            raise ModelError('keep has a lambda without a name: give keep={"name": lambda run: ...}')
        return Keep(name or own, "", "function", function=what)
    if not isinstance(what, str) or not what.strip():
        words = 'give a channel, "max channel", "channel at 1.0, 2.0", or a function of the run'
        raise ModelError(f"keep has {shown(what)}: {words}")
    words = " ".join(what.split())
    at = _AT.fullmatch(words)
    if at is not None:
        try:
            times = tuple(float(x) for x in at["times"].replace(",", " ").split())
        except ValueError:
            raise ModelError(f'keep has "{what}": the times are no numbers, e.g. "arm.q at 1.0, 2.5"') from None
        if not times or any(b <= a for a, b in pairwise(times)):
            raise ModelError(f'keep has "{what}": times must ascend')
        return Keep(name or words, at["channel"], "at", times)
    first, _, rest = words.partition(" ")
    if first in REDUCTIONS and rest:
        return Keep(name or words, rest, first)
    if rest:
        raise ModelError(f'keep has "{what}": "{first}" is none of {", ".join(REDUCTIONS)}')
    return Keep(name or words, words, "history")


def _places(t: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Of each time the last sample that was taken then, -1 where there is none."""
    k = np.searchsorted(t, times + 1e-9 * (1 + np.abs(times)), side="right") - 1
    near = (k >= 0) & (np.abs(t[np.maximum(k, 0)] - times) <= 1e-9 * (1 + np.abs(times)))
    return np.where(near, k, -1)


def _on_grid(t: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Values at the times of the grid; NaN after the end of a run that an event ended."""
    k = _places(t, grid)
    found = values[np.maximum(k, 0)].copy()
    found[k < 0] = np.nan
    return found


def _at(t: np.ndarray, values: np.ndarray, times: tuple[float, ...], name: str) -> np.ndarray:
    k = _places(t, np.array(times))
    if (k < 0).any():
        missing = times[int(np.argmax(k < 0))]
        raise ModelError(f'"{name}": the run has no sample at t = {missing:g} s; it has from {t[0]:g} to {t[-1]:g} s')
    return np.asarray(values[k] if len(times) > 1 else values[k[0]])


def shapes(run: "Run", kept: Sequence[Keep], grid: np.ndarray | None) -> list[Shape]:
    """Sizes and names of all that is kept, from one run."""
    found = []
    for one in kept:
        values = one.of(run, grid)
        axes, labels = list[str](), dict[str, list[Any]]()
        sizes = list(values.shape)
        if one.how == "history":
            axes.append("t")
        elif one.how == "at" and len(one.times) > 1:
            axes.append(f"{one.name}.time")
            labels[axes[-1]] = list(one.times)
        rest = sizes[len(axes) :]
        called = run.components(one.channel) if one.channel else ()
        if len(rest) == 1 and len(called) == rest[0]:
            axes.append(f"{one.channel}.component")
            labels[axes[-1]] = list(called)
        else:
            axes += [f"{one.channel or one.name}.axis{k}" for k in range(len(rest))]
        unit = run.unit(one.channel) if one.channel else ""
        found.append(Shape(one.name, tuple(sizes), tuple(axes), labels, unit))
    return found


__all__ = ["REDUCTIONS", "RESERVED", "Keep", "Shape", "keeps", "shapes"]
