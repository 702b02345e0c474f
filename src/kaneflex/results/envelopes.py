"""Envelopes of channels over several runs: the largest and the smallest value of each number, and where it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.results.run import Run


@dataclass(frozen=True)
class Extreme:
    """A value of a channel, the run that has it and when, s."""

    value: float
    run: str
    time: float


@dataclass(frozen=True)
class Envelope:
    """Largest and smallest value of one number over all runs."""

    label: str
    largest: Extreme
    smallest: Extreme


@typed
def envelope(runs: Mapping[str, Run], channels: Sequence[str]) -> list[Envelope]:
    """Extremes over runs, for each number of each channel, in their order.

    Args:
        runs: by name, e.g. load cases of one system.
        channels: their names, e.g. "panel.otm", whose rows are then told apart by their labels.
    """
    if not runs or isinstance(channels, str):
        raise ModelError("envelope: give at least one run, and a sequence of names of channels")
    found = []
    for channel in channels:
        rows: dict[str, list[tuple[Extreme, Extreme]]] = {}
        for name, run in runs.items():
            values = np.reshape(run[channel], (len(run.t), -1))
            single = values.shape[1] == 1
            for part, column in zip(run.components(channel), values.T, strict=True):
                high, low = int(np.nanargmax(column)), int(np.nanargmin(column))
                both = tuple(Extreme(float(column[k]), name, float(run.t[k])) for k in (high, low))
                rows.setdefault(channel if single else f"{channel}.{part}", []).append((both[0], both[1]))
        for label, extremes in rows.items():
            largest = max((e[0] for e in extremes), key=lambda e: e.value)
            smallest = min((e[1] for e in extremes), key=lambda e: e.value)
            found.append(Envelope(label, largest, smallest))
    return found
