"""Channels by name at given states, however many of them in one pass."""

from collections.abc import Iterable

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import reserved_names
from kaneflex.model.checks import ModelError
from kaneflex.plan.channels import NEEDS_SOLUTION, SensorTable, add_channel
from kaneflex.plan.plan import Plan

Array = np.ndarray


class ChannelReader:
    """Reads channels of one plan.

    Args:
        plan: of the system.
        names: of channels, see `plan.channels.add_channel`.
        before_solve: take only channels that are known before the equations of motion are solved; others are errors.

    Attributes:
        table: sensors of the channels; `places` says where in a row of its values each channel is.
        solves: whether the channels need accelerations.
    """

    def __init__(self, plan: Plan, names: Iterable[str], *, before_solve: bool = False):
        self.plan, self.table = plan, SensorTable()
        self.places = {
            name: add_channel(plan.index, self.table, name, before_solve=before_solve) for name in dict.fromkeys(names)
        }
        self.solves = any(n.rpartition(".")[2] in NEEDS_SOLUTION for n in self.places)
        self._arrays = self.table.arrays()

    def read(self, dynamics: Dynamics, times: Array, states: Array, inputs: Array | None = None) -> dict[str, Array]:
        """Values by name: (n,) for one number, (n, k) for k, (n, 3, 3) for rotations.

        Args:
            dynamics: of the plan.
            times: n of them, s.
            states: a row (q, u, ...) for each.
            inputs: values of the named inputs, a row for each; None for those set.
        """
        if self.solves and self.plan.missing:
            lost = ", ".join(f'"{name}"' for name in self.plan.missing)
            name = next((n for n in self.places if n.rpartition(".")[2] in NEEDS_SOLUTION), next(iter(self.places)))
            raise ModelError(
                f'channel "{name}" needs functions that the file could not hold: load it with functions for {lost}'
            )
        values, _ = dynamics.channels(times, states, *self._arrays, self.table.size, inputs, self.solves)
        return {name: _shaped(name, values[:, place]) for name, place in self.places.items()}

    def read_one(self, dynamics: Dynamics, t: float, state: Array) -> dict[str, Array]:
        """Values by name at one time t and state (q, u, ...)."""
        found = self.read(dynamics, np.array([t]), state[None, :])
        return {name: values[0] for name, values in found.items()}


def _shaped(name: str, values: Array) -> Array:
    last = name.rpartition(".")[2]
    if last in ("rotation", "rotation_rate"):
        return values.reshape(-1, 3, 3)
    if last in reserved_names.LOAD:
        return values.sum(axis=1)
    return values[:, 0] if values.shape[1] == 1 else values


__all__ = ["ChannelReader"]
