"""Distributions of parameters: where a number between 0 and 1 leads, by the inverse of the cumulative distribution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, number, positive, real, shown, whole
from kaneflex.model.typed import typed

_EDGE = 2.0**-53  # numbers of a design are kept this far from 0 and 1, where a distribution may be infinite


@typed
@dataclass(frozen=True)
class Distribution:
    """Of one parameter; made by `normal`, `uniform`, `lognormal`, `triangular` or `choice`.

    Args:
        kind: one of these words.
        numbers: its arguments, in their order; of a choice the values.
        weights: of a choice, adding up to 1.
    """

    kind: str
    numbers: tuple[Any, ...]
    weights: tuple[float, ...] = ()

    @cached_property
    def _scipy(self) -> Any:
        from scipy import stats

        x = self.numbers
        if self.kind == "normal":
            mean, deviation, low, high = x
            if math.isinf(low) and math.isinf(high):
                return stats.norm(mean, deviation)
            return stats.truncnorm((low - mean) / deviation, (high - mean) / deviation, mean, deviation)
        if self.kind == "uniform":
            return stats.uniform(x[0], x[1] - x[0])
        if self.kind == "lognormal":
            variance = math.log1p((x[1] / x[0]) ** 2)
            return stats.lognorm(math.sqrt(variance), scale=x[0] * math.exp(-variance / 2))
        return stats.triang((x[1] - x[0]) / (x[2] - x[0]), x[0], x[2] - x[0])

    def at(self, share: np.ndarray) -> np.ndarray:
        """Values below which these shares of all values lie.

        Args:
            share: numbers from 0 to 1.
        """
        share = real(share, "share", "numbers from 0 to 1")
        if not ((share >= 0) & (share <= 1)).all():
            raise ModelError(f"share is {shown(share)}: give numbers from 0 to 1")
        if self.kind == "choice":
            place = np.searchsorted(np.cumsum(self.weights)[:-1], share, side="right")
            return np.array(self.numbers)[place]
        return np.asarray(self._scipy.ppf(np.clip(share, _EDGE, 1 - _EDGE)))

    def levels(self, count: int) -> np.ndarray:
        """Values for a grid: all of a choice; from end to end where there are ends, else the middles of equal shares.

        Args:
            count: how many.
        """
        whole(count, "count", least=1)
        if self.kind == "choice":
            return np.array(self.numbers)
        low, high = self._scipy.support()
        if math.isfinite(low) and math.isfinite(high) and count > 1:
            return np.linspace(low, high, count)
        return self.at((np.arange(count) + 0.5) / count)

    def __str__(self) -> str:
        words = [f"{x:g}" if isinstance(x, float) else str(x) for x in self.numbers]
        if self.kind == "normal":
            limits = [f"{name} {x:g}" for name, x in zip(("low", "high"), self.numbers[2:], strict=True) if math.isfinite(x)]
            words = words[:2] + limits
        if self.kind == "choice" and len(set(self.weights)) > 1:
            words = [f"{word} ({weight:.3g})" for word, weight in zip(words, self.weights, strict=True)]
        return f"{self.kind}({', '.join(words)})"


@typed
def normal(mean: float, deviation: float, *, low: float = -math.inf, high: float = math.inf) -> Distribution:
    """The normal distribution, cut off where limits are given.

    Args:
        mean: before it is cut off.
        deviation: standard deviation, before it is cut off.
        low, high: limits.
    """
    mean, deviation = number(mean, "mean"), positive(deviation, "deviation")
    if not low < high:
        raise ModelError(f"normal: low is {low:g} and high is {high:g}: low must be below high")
    if max(low - mean, mean - high) > 8 * deviation:
        raise ModelError(f"normal: from {low:g} to {high:g} there is nothing of {mean:g} ± {deviation:g}")
    return Distribution("normal", (mean, deviation, float(low), float(high)))


@typed
def uniform(low: float, high: float) -> Distribution:
    """All values between two limits alike.

    Args:
        low, high: the limits.
    """
    low, high = number(low, "low"), number(high, "high")
    if not low < high:
        raise ModelError(f"uniform: low is {low:g} and high is {high:g}: low must be below high")
    return Distribution("uniform", (low, high))


@typed
def lognormal(mean: float, deviation: float) -> Distribution:
    """Positive values whose logarithms are normal.

    Args:
        mean: of the values themselves.
        deviation: standard deviation of the values themselves.
    """
    return Distribution("lognormal", (positive(mean, "mean"), positive(deviation, "deviation")))


@typed
def triangular(low: float, mode: float, high: float) -> Distribution:
    """Most likely at a mode, falling in straight lines to nothing at two limits.

    Args:
        low, mode, high: in ascending order; the mode may be at a limit.
    """
    low, mode, high = number(low, "low"), number(mode, "mode"), number(high, "high")
    if not (low <= mode <= high and low < high):
        raise ModelError(f"triangular: low {low:g}, mode {mode:g} and high {high:g} must ascend")
    return Distribution("triangular", (low, mode, high))


@typed
def choice(values: Sequence[Any], weights: Sequence[float] | None = None) -> Distribution:
    """One of some values.

    Args:
        values: numbers, or texts where a function makes the system.
        weights: how likely each is, in any measure; None for all alike.
    """
    chosen = tuple(_value(x, "choice") for x in values)
    if not chosen:
        raise ModelError("choice: give at least one value")
    if len({isinstance(x, str) for x in chosen}) > 1:
        raise ModelError(f"choice: {shown(values)} has numbers and texts: give either")
    given = [1.0] * len(chosen) if weights is None else [number(w, "weight") for w in weights]
    if len(given) != len(chosen) or min(given) < 0 or sum(given) <= 0:
        raise ModelError(f"choice: weights are {shown(weights)}: give one for each of {len(chosen)} values, none negative")
    return Distribution("choice", chosen, tuple(w / sum(given) for w in given))


def _value(value: Any, what: str) -> float | str:
    return value if isinstance(value, str) else number(value, what)


def distribution(value: Any, name: str) -> Distribution:
    """What is said of a parameter as a distribution: one as it is, values to choose from, or a single one.

    Args:
        value: a Distribution, a sequence, a number or a text.
        name: of the parameter.
    """
    if isinstance(value, Distribution):
        return value
    if isinstance(value, str | int | float | np.number) and not isinstance(value, bool):
        return choice([value])
    if isinstance(value, Sequence | np.ndarray):
        return choice([x.item() if isinstance(x, np.generic) else x for x in value])
    words = "give kf.normal(...), kf.uniform(...), ..., or values to choose from"
    raise ModelError(f'parameter "{name}" is {shown(value)}: {words}')


__all__ = ["Distribution", "choice", "distribution", "lognormal", "normal", "triangular", "uniform"]
