"""The state that a run integrates where its coordinates are not the tree's: its tables, and the way to the tree and back."""

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import backend
from kaneflex.kernels.tables import with_header
from kaneflex.plan.formulation import OtherCoordinates

# What the step loop calls besides `derivative`, made from the tree's stages: see `other_coordinates`
_LOOP = {
    "event_values": "other_event_values",
    "kinetic_energy": "other_kinetic_energy",
    "project": "other_project",
}

Array = np.ndarray


class IntegrationState:
    """The state y of an integration in other coordinates.

    Args:
        dynamics: of the tree, with whose workspace it is integrated.
        formulation: of the other coordinates.

    Attributes:
        formulation: of the other coordinates.
        layout: where everything stands in y.
        I: tables of the integration; they hold the address of the tree's, which must stay where they are.
    """

    def __init__(self, dynamics: Dynamics, formulation: OtherCoordinates):
        plan = dynamics.plan
        self.dynamics, self.formulation, self.layout = dynamics, formulation, formulation.layout(plan)
        if self.layout.nz != plan.layout.nz:
            raise ValueError(f'formulation "{formulation.name}" has {self.layout.nz} states of blocks, not {plan.layout.nz}')
        integers, reals = formulation.own_tables(plan)
        self.memory = formulation.own_memory(plan)  # must stay where it is, too
        if len(self.memory):
            integers = [self.memory.ctypes.data, *integers[1:]]
        quaternions, first = self.layout.quaternions, len(dynamics.I)
        self.I = with_header(
            np.append(dynamics.I, np.array([*quaternions, *integers], np.int64)),
            coordinates=self.layout.nq,
            speeds=self.layout.nu,
            tree=dynamics.I.ctypes.data,
            quaternions=len(quaternions),
            i_quaternion=first,
            i_own=first + len(quaternions),
        )
        own = slice(plan.header.w_own + plan.layout.size, plan.header.w_flexible)  # what comes next has another owner
        dynamics.W[own][: len(reals)] = reals
        backend.connect(self.I, instead={**_LOOP, **formulation.integration_stages(plan)})

    def from_tree(self, t: float, y: Array) -> Array:
        """The state in the other coordinates at the tree's state y and time t, s."""
        out, y = np.zeros(self.layout.size), np.ascontiguousarray(y, float)
        self.dynamics.kernels.call_from_tree(self.I, self.dynamics.P, self.dynamics.W, float(t), y, out)
        return out

    def to_tree(self, times: Array, states: Array) -> Array:
        """The tree's states at rows of states in the other coordinates and their times, s."""
        out = np.zeros((len(times), self.dynamics.layout.size))
        times, states = np.ascontiguousarray(times, float), np.ascontiguousarray(states, float)
        self.dynamics.kernels.call_to_tree(self.I, self.dynamics.P, self.dynamics.W, times, states, out)
        return out


__all__ = ["IntegrationState"]
