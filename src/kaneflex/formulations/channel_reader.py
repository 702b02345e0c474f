"""Channels by name at given states, however many of them in one pass."""

from collections.abc import Iterable

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.sensors import SENSE_SUM
from kaneflex.model.checks import ModelError
from kaneflex.model.quantities import SOLUTION
from kaneflex.plan.channels import Channel, SensorTable
from kaneflex.plan.plan import Plan

Array = np.ndarray


class ChannelReader:
    """Reads channels of one plan.

    Args:
        plan: of the system.
        names: of channels, see `model.quantities`.
        before_solve: take only channels that user functions may see, since they are known before the equations of motion
            are solved; others are errors.

    Attributes:
        channels: what the names stand for.
        table: sensors of the channels; `places` says where in a row of its values those of each channel are.
        solves: whether the channels need accelerations.
    """

    def __init__(self, plan: Plan, names: Iterable[str], *, before_solve: bool = False):
        self.plan, self.table = plan, SensorTable()
        wanted = dict.fromkeys(names)
        self.channels: dict[str, Channel] = {n: plan.channels.known(n, before_solve=before_solve) for n in wanted}
        self.places = {name: self.table.add_channel(plan.index, found) for name, found in self.channels.items()}
        self.solves = any(found.quantity.stage == SOLUTION for found in self.channels.values())
        self._arrays = self.table.arrays()

    def read(self, dynamics: Dynamics, times: Array, states: Array, inputs: Array | None = None) -> dict[str, Array]:
        """Values by name: (n,) for one number, (n, k) for k, (n, 3, 3) for rotations; along rods (n, k) or (n, k, 3).

        Args:
            dynamics: of the plan.
            times: n of them, s.
            states: a row (q, u, ...) for each.
            inputs: values of the named inputs, a row for each; None for those set.
        """
        if self.solves and self.plan.missing:
            lost = ", ".join(f'"{name}"' for name in self.plan.missing)
            needs = (name for name, found in self.channels.items() if found.quantity.stage == SOLUTION)
            name = next(needs, next(iter(self.channels)))
            raise ModelError(
                f'channel "{name}" needs functions that the file could not hold: load it with functions for {lost}'
            )
        summed = any(kind == SENSE_SUM for kind, *_ in self.table.integers)
        values, _ = dynamics.channels(times, states, *self._arrays, self.table.size, inputs, self.solves, summed)
        own = {name: channel for name, channel in self.channels.items() if not channel.joints}
        found = {name: channel.shaped(values[:, self.places[name]]) for name, channel in own.items()}
        carried = [name for name, channel in self.channels.items() if channel.joints]
        if carried:
            joints = dynamics.loads(times, states, inputs)[0]
            for name in carried:
                channel = self.channels[name]
                of_channel = joints[:, [self.plan.index.joints[body].row for body in channel.joints]]
                if channel.stateful and channel.function is not None:
                    found[name] = channel.function(of_channel, self._whole(dynamics, states))
                else:
                    found[name] = channel.shaped(of_channel)
        return found | ({"t": np.array(times, float)} if "t" in found else {})

    def _whole(self, dynamics: Dynamics, states: Array) -> Array:
        """Rows (q, u, z), with the states of blocks that are set where rows have none."""
        layout = dynamics.layout
        if states.shape[1] >= layout.states:
            return states[:, : layout.states]
        return np.hstack([states, np.tile(dynamics.z, (len(states), 1))])

    def read_one(self, dynamics: Dynamics, t: float, state: Array) -> dict[str, Array]:
        """Values by name at one time t and state (q, u, ...)."""
        found = self.read(dynamics, np.array([t]), state[None, :])
        return {name: values[0] for name, values in found.items()}


__all__ = ["ChannelReader"]
