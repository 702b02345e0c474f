"""Channels by name at given states, however many of them in one pass."""

from collections.abc import Callable, Iterable

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import energy
from kaneflex.kernels.sensors import SENSE_SUM
from kaneflex.kernels.tables import with_header
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

    def bound(self, dynamics: Dynamics, names: Iterable[str]) -> Callable[[float, Array, Array], Array]:
        """A function of a time, a state (q, u, ...) and all inputs that gives the numbers of channels, one after the other.
        What is known with the motion is read at less cost than by `read`: tables are made once, and the arrays, an
        integrator's own, are not checked.

        Args:
            dynamics: of the plan.
            names: of these channels, in the order that is wanted.
        """
        plan, header, wanted = self.plan, self.plan.header, tuple(names)
        plain = all(c.is_seen and not c.joints and c.sensors[0][0] not in (-1, SENSE_SUM) for c in self.channels.values())
        if plan.index.feeds or not plain or not wanted:

            def read(t: float, y: Array, inputs: Array) -> Array:
                values = self.read(dynamics, np.array([t]), y[None, :], inputs[None, :])
                return np.concatenate([np.zeros(0), *(np.ravel(values[name]) for name in wanted)])

            return read
        I = with_header(plan.reading_tables(dynamics.I), bodies=header.all_bodies, groups=header.groups * header.summed)
        when, out, sums = np.zeros(1), np.zeros((1, self.table.size)), np.zeros((1, energy.GROUP_WIDTH))
        scratch, sensors, call = np.empty(plan.nu), self._arrays, dynamics.kernels.call_channels
        order = np.concatenate([np.arange(self.table.size)[self.places[name]] for name in wanted])

        def read_motion(t: float, y: Array, inputs: Array) -> Array:
            when[0] = t
            call(I, dynamics.P, dynamics.W, *sensors, when, y[None, :], inputs[None, :], 0, out, sums, scratch)
            row: Array = out[0, order]
            return row

        return read_motion

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
