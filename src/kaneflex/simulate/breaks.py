"""Times at which steps must end: breaks of profiles, and jumps and short pulses of functions of time alone."""

import math
from collections.abc import Iterator

import numpy as np

from kaneflex.plan.laws import Law
from kaneflex.plan.plan import Plan

SAMPLES = 4096  # of a compiled function of time over a run,
SLOW_SAMPLES = 256  # and of one in the interpreter
LONG = 16  # intervals: what changes for longer is no pulse
MOST = 2000  # jumps and pulses; with more of them the function changes all the time, and step control sees it


def breaks_of(plan: Plan, t0: float, t1: float) -> list[float]:
    """Times after t0 and up to t1, ascending, at which what drives a system is not smooth.

    Functions of time alone are sampled: a pulse shorter than the run divided by SAMPLES may go unseen.
    """
    found = set(plan.breaks)
    if t1 > t0:
        for law in plan.laws:
            if law.inputs == 0 and law.outputs > 0 and not getattr(law.function, "is_smooth", False):
                found.update(sudden_changes(law, t0, t1))
    return sorted(t for t in found if t0 < t <= t1)


def sudden_changes(law: Law, t0: float, t1: float) -> tuple[float, ...]:
    """Jumps of a function of time, and times between which it changes much faster than it usually does."""
    known = law.memory.get("sudden changes")
    if known is None or known[0] != (t0, t1):
        known = law.memory["sudden changes"] = ((t0, t1), tuple(_sudden_changes(law, t0, t1)))
    return known[1]


def _sudden_changes(law: Law, t0: float, t1: float) -> Iterator[float]:
    n = SAMPLES if law.compiled else SLOW_SAMPLES
    k = np.arange(1, n)
    uneven = (k + 0.8 * ((k * 0.6180339887498949) % 1.0)) / n  # lest a period hide behind equal intervals
    times = np.concatenate([[t0], t0 + (t1 - t0) * uneven, [t1]])
    values = law.along(times)
    with np.errstate(all="ignore"):
        steps = np.abs(np.diff(values, axis=0))
        rounding = 1e-9 * np.abs(values).max(axis=0)
    usual = np.median(steps, axis=0)
    if not np.all(np.isfinite(steps)) or np.all(steps <= 8.0 * usual + rounding):
        return
    around = np.lib.stride_tricks.sliding_window_view(np.pad(steps, ((8, 8), (0, 0)), mode="edge"), 17, axis=0)
    sudden = np.flatnonzero(np.any(steps > 8.0 * np.median(around, axis=-1) + rounding, axis=1))
    groups = np.split(sudden, np.flatnonzero(np.diff(sudden) > 1) + 1)
    if len(groups) > MOST:
        return
    for group in groups:
        first, last = int(group[0]), int(group[-1]) + 1
        if last - first > LONG:
            yield float(times[first])
            continue
        jumps = [_jump(law, float(times[j]), float(times[j + 1]), steps[j]) for j in group]
        if any(t is not None for t in jumps):
            yield from (t for t in jumps if t is not None)
        else:
            yield from map(float, np.linspace(times[first], times[last], 4 * (last - first) + 1))


def _jump(law: Law, a: float, b: float, step: np.ndarray) -> float | None:
    """The time between a and b from which on the function has another value; None where it has none such."""
    k = int(np.argmax(step))
    low, high = (float(law.along(np.array([t]))[0, k]) for t in (a, b))
    while (middle := a + (b - a) / 2) not in (a, b):
        value = float(law.along(np.array([middle]))[0, k])
        if abs(value - low) >= abs(high - value):
            b, high = middle, value
        else:
            a, low = middle, value
    return b if abs(high - low) > 0.1 * step[k] and math.isfinite(high - low) else None
