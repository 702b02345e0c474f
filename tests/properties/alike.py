"""Whether two runs show the same motion, one of them seen as the other's image; and properties that must be able to fail."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pytest

import kaneflex as kf

Array = np.ndarray
WHAT = ("position", "rotation", "velocity", "omega")


@dataclass(frozen=True)
class Image:
    """How one world is seen in another: x -> L Q x + p + v t, times by T, masses by M, bodies' axes by S (with Q, a
    mirror)."""

    Q: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))
    v: Array = field(default_factory=lambda: np.zeros(3))
    S: Array = field(default_factory=lambda: np.eye(3))
    L: float = 1.0
    M: float = 1.0
    T: float = 1.0

    def back(self, what: str, x: Array, t: Array) -> Array:
        """A quantity of the image as it is in the world that is seen; t as the image has it."""
        if what == "position":
            return (x - self.p - np.outer(t, self.v)) @ self.Q / self.L
        if what == "velocity":
            return (x - self.v) @ self.Q * (self.T / self.L)
        if what == "rotation":
            return self.Q.T @ x @ self.S
        return np.linalg.det(self.Q) * x @ self.S * self.T

    def impulse(self, J: Array) -> Array:
        return self.Q.T @ J * (self.T / self.L / self.M)


SAME = Image()

# Few random systems in the default tests, many in the thorough ones.
few_and_many = pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 6), marks=pytest.mark.thorough)], ids=len)


def rows(run: kf.Run, n: int = 51) -> Array:
    """Samples at n equal intervals of a run; where it changed there may be more of them."""
    grid = np.linspace(run.t[0], run.t[-1], n)
    found = np.array([int(np.argmin(np.abs(run.t - t))) for t in grid])
    assert np.abs(run.t[found] - grid).max() < 1e-9 * max(1.0, float(np.abs(grid).max())), "the samples are elsewhere"
    return found


def gap(one: kf.Run, other: kf.Run, bodies: Iterable[str], image: Image = SAME, n: int = 51) -> float:
    """Largest difference of the bodies' motions, relative to the largest of each quantity (and to no less than that of the
    first run's own scale); of impact times, relative to the span; infinite where other points are struck."""
    a, b = rows(one, n), rows(other, n)
    worst = 0.0
    for quantity in WHAT:
        pairs = [(one[f"{n}.{quantity}"][a], image.back(quantity, other[f"{n}.{quantity}"][b], other.t[b])) for n in bodies]
        scale = max([float(np.abs(x).max()) for x, _ in pairs] + [1e-3])
        worst = max([worst] + [float(np.abs(x - y).max()) / scale for x, y in pairs])
    return max(worst, struck_gap(one, other, image)) if np.isfinite(worst) else np.inf


def struck_gap(one: kf.Run, other: kf.Run, image: Image = SAME) -> float:
    """The same of impacts and events: names, times relative to the span, impulses relative to the largest."""
    if [sorted(i.name.split(", ")) for i in one.impacts] != [sorted(i.name.split(", ")) for i in other.impacts]:
        return np.inf
    if sorted(n for _, n in one.events) != sorted(n for _, n in other.events):
        return np.inf
    span = one.t[-1] - one.t[0]
    worst = 0.0
    sizes = [float(np.linalg.norm(i.impulse)) for i in one.impacts if i.impulse is not None]
    for i, j in zip(one.impacts, other.impacts, strict=True):
        worst = max(worst, abs((i.t - one.t[0]) - (j.t - other.t[0]) / image.T) / span)
        if i.impulse is not None:
            off = np.array(i.impulse) - image.impulse(np.array(j.impulse))
            worst = max(worst, float(np.linalg.norm(off)) / max(sizes))
    for (t, _), (s, _) in zip(sorted(one.events), sorted(other.events), strict=True):
        worst = max(worst, abs((t - one.t[0]) - (s - other.t[0]) / image.T) / span)
    return worst


def holds(
    measure: Callable[..., float], seeds: Iterable[int], tolerance: float, spoil: float = 1e-4, margin: float = 10.0
) -> None:
    """A property holds: `measure(seed)` is within the tolerance for all seeds. And it can fail: with something spoiled by a
    small part, `measure(seed, spoil)` of the first seed is beyond `margin` tolerances."""
    seeds = list(seeds)
    found = {seed: measure(seed) for seed in seeds}
    worst = max(found, key=lambda seed: found[seed])
    assert found[worst] <= tolerance, f"seed {worst}: off by {found[worst]:.3g}, tolerance {tolerance:.1g}"
    off = measure(seeds[0], spoil)
    assert off > margin * tolerance, f"spoiled by {spoil:g}, seed {seeds[0]} is off by {off:.3g} only: this test cannot fail"
