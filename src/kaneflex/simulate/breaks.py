"""Times at which steps must end: breaks of profiles, and jumps and short pulses of functions of time alone."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.plan import Plan

SAMPLES = 16384  # of a compiled function of time over a run,
SLOW_SAMPLES = 256  # and of one in the interpreter
WINDOW = 17  # samples: what changes for longer than about that is no pulse among them
SUDDEN = 8.0  # times the usual change from sample to sample
MOST = 2000  # jumps and pulses; with more of them the function changes all the time, and step control sees it
CANCELLED = 1e-14  # what rounding leaves where numbers of about one cancel, as in 1 - cos(t) at its beginning
CLOSE = 1e-15  # relative: a few units in the last place
REMEMBERED = 256  # functions, over the time of a run

_found: dict[object, tuple[float, ...]] = {}  # by function and time, the last used one last


def breaks_of(plan: Plan, t0: float, t1: float, begun: float) -> list[float]:
    """Times after t0 and up to t1, ascending, at which what drives a system is not smooth, in a run that began at `begun`.

    Functions of time alone are sampled, from the beginning of the run, so that segments of it find what is known: a pulse
    shorter than a ten-thousandth of the run may go unseen, or than a hundredth where the function runs in the interpreter.
    """
    found = set(plan.breaks)
    for period in {block.period for block in plan.model.blocks.values()} - {0.0}:
        found.update(period * np.arange(np.floor(t0 / period), np.ceil(t1 / period) + 1))
    if t1 > t0:  # not where a terminal event leaves a segment that is its start alone
        for law in plan.laws:
            if law.inputs == 0 and law.outputs > 0 and not getattr(law.function, "is_smooth", False):
                found.update(sudden_changes(law, begun, t1))
    times = sorted(t for t in found if t0 < t <= t1)
    # a step between two of them must make way: of those that rounding alone keeps apart the last counts
    return [t for t, later in pairwise([*times, np.inf]) if later - t > CLOSE * abs(t)]


def sudden_changes(law: CompiledFunction, t0: float, t1: float) -> tuple[float, ...]:
    """Jumps of a function of time, and times between which it changes much faster than before and after."""
    function = law.fingerprint
    if function is None:
        return tuple(_sudden_changes(law, t0, t1))
    key = function, t0, t1, law.outputs
    found = _found.pop(key, None)
    if found is None:
        found = tuple(_sudden_changes(law, t0, t1))
    _found[key] = found
    if len(_found) > REMEMBERED:
        del _found[next(iter(_found))]
    return found


def _sudden_changes(law: CompiledFunction, t0: float, t1: float) -> list[float]:
    n = SAMPLES if law.compiled else SLOW_SAMPLES
    k = np.arange(1, n)
    uneven = (k + 0.5 * ((k * 0.6180339887498949) % 1.0)) / n  # lest a period hide behind equal intervals
    times = np.concatenate([[t0], t0 + (t1 - t0) * uneven, [t1]])
    values = law.along(times)
    if not np.all(np.isfinite(values)):
        return []
    groups = list(_groups(values))
    if len(groups) > MOST:
        return []
    jumps = _jumps(law, times, [j for group in groups for j in group])
    found = list(jumps)
    while len(times) > 4 * WINDOW:  # pulses of any length: the same on fewer and fewer samples
        for group in groups:
            first, last = times[group[0]], times[group[-1] + 1]
            if bisect_left(jumps, first) == bisect_right(jumps, last):  # none of them in it
                found += map(float, np.linspace(first, last, 4 * len(group) + 1) if len(group) < WINDOW else [first])
        times, values = times[::8], values[::8]
        groups = list(_groups(values))
    return found


def _groups(values: np.ndarray) -> Iterator[list[int]]:
    """Runs of intervals between samples over which the values change much more than over those around."""
    steps = np.abs(np.diff(values, axis=0))
    rounding = 1e-9 * np.abs(values).max(axis=0) + CANCELLED
    if np.all(steps <= SUDDEN * np.median(steps, axis=0) + rounding):
        return
    around = np.maximum(_usual(steps, 0), _usual(steps, WINDOW // 2))
    sudden = np.flatnonzero(np.any(steps > SUDDEN * around + rounding, axis=1))
    if len(sudden):
        for group in np.split(sudden, np.flatnonzero(np.diff(sudden) > 1) + 1):
            yield [int(j) for j in group]


def _usual(steps: np.ndarray, shift: int) -> np.ndarray:
    """For each step the median of the block that it is in, blocks being shifted by `shift`."""
    padded = np.pad(steps, ((shift, WINDOW - 1 - (len(steps) + shift - 1) % WINDOW), (0, 0)), mode="reflect")
    medians = np.median(padded.reshape(-1, WINDOW, steps.shape[1]), axis=1)
    return np.repeat(medians, WINDOW, axis=0)[shift : shift + len(steps)]


def _jumps(law: CompiledFunction, times: np.ndarray, intervals: list[int]) -> list[float]:
    """Of the intervals between times, those within which the function jumps: the times from which on it has new values."""
    if not intervals:
        return []
    a, b, n = times[intervals], times[np.array(intervals) + 1], np.arange(len(intervals))
    low, high = law.along(a), law.along(b)
    k = np.argmax(np.abs(high - low), axis=1)
    low, high = low[n, k], high[n, k]
    whole = np.abs(high - low)
    while True:
        middle = a + (b - a) / 2
        if np.all((middle <= a) | (middle >= b) | (b - a < 1e-25 * (times[-1] - times[0]))):
            break
        value = law.along(middle)[n, k]
        left = np.abs(value - low) >= np.abs(high - value)
        a, low = np.where(left, a, middle), np.where(left, low, value)
        b, high = np.where(left, middle, b), np.where(left, value, high)
    return [float(t) for t in b[np.abs(high - low) > 0.1 * whole]]
