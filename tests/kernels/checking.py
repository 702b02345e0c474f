"""What Python asks of kernels, asked of the checked ones, each time on fresh arrays, and compared with the compiled ones."""

import numpy as np
from trees import TIME

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.checked import CheckedArray, CheckedSystem
from kaneflex.kernels.tables import width

QUANTITIES = ("position", "velocity", "omega", "rotation", "rotation_rate", "acceleration", "alpha")


def unknown(n):
    """n numbers that nobody has written."""
    return CheckedArray("result", np.full(n, np.nan))


def same(found, expected):
    found, expected = np.asarray(getattr(found, "values", found), float), np.asarray(expected, float)
    assert np.abs(found - expected).max(initial=0.0) <= 1e-8 * (1 + np.abs(expected).max(initial=0.0))


class Checking:
    """Kernels of a plan at coordinates q and relative rates w; `written` collects (entry of W, kernel that wrote it)."""

    def __init__(self, plan, q, w, inputs=(), t=TIME):
        self.plan, self.t, self.q, self.inputs, self.written = plan, t, np.array(q), np.array(inputs, float), set()
        self.d = Dynamics(plan)
        self.d.set_inputs(self.inputs)
        self.u = self.d.speeds_from_rates(self.q, w)
        self.y = plan.layout.join(self.q, self.u, self.d.z)

    def system(self, reading=False, **header):
        """Fresh arrays, with other words in the header; for reading loads and channels."""
        I, W = self.plan.with_header(**header), self.plan.workspace()
        self.plan.work(W).law_output.value[: len(self.inputs)] = self.inputs
        way = self.plan.formulation
        instead = way.reading_stages(self.plan) if reading else way.stages(self.plan)
        return CheckedSystem(I, self.plan.P, W, {law.address: law for law in self.plan.laws}, instead)

    def call(self, name, *arguments, after=None, **header):
        """Call a kernel, on fresh arrays or after another call, whose arrays it returns."""
        system = after or self.system(**header)
        getattr(system.kernels, name)(system.I, system.P, system.W, *arguments)
        self.written |= system.W.written
        return system

    def motion(self):
        """Slopes, inverse dynamics, mass matrix, events, energy."""
        d, plan, t, out = self.d, self.plan, self.t, unknown(self.plan.layout.size)
        system = self.call("call_derivative", t, self.y, out)
        slope = d.derivative(t, self.y)
        same(out, slope)
        udot, tau = slope[plan.layout.u], unknown(plan.nu)
        self.call("call_inverse", t, self.q, self.u, udot, tau)
        if not plan.tables.header.frictions:  # whose normal forces are those of the last solution
            same(tau, d.inverse_dynamics(self.q, self.u, udot, t))
        rest, multipliers = np.zeros(plan.nu), np.zeros(int(plan.tables.header.rows))
        held = self.call("call_hold", t, self.q, rest, multipliers, tau, placed=1)
        if not plan.tables.header.frictions:
            same(tau, d.inverse_dynamics(self.q, rest, rest, t))
        self.call("call_load_in_place", t, self.q, after=held)
        if plan.formulation.is_dense:
            self.call("call_mass_matrix", t, self.q, self.u)
        header, energy = plan.tables.header, unknown(1)
        self.call("event_values", t, self.y, unknown(header.events + header.watches), after=system)
        self.call("kinetic_energy", t, self.y, energy)
        same(energy, d.kinetic_energy(self.q, self.u, t))

    def constraints(self):
        """Projection, equations and the answer to impulses."""
        d, plan, t, rows = self.d, self.plan, self.t, int(self.plan.tables.header.rows)
        y = self.y.copy()
        self.call("call_project", t, y, 3, 0.5)
        equations, change = np.zeros((rows, 2)), unknown(plan.nu)
        if rows:
            self.call("call_equations", t, self.q, self.u, equations)
            same(equations.T, d.equations(t, self.q, self.u))
            self.call("call_rounding", t, self.q, unknown(rows))
        impulses = np.ones((int(plan.tables.header.bodies), 6))
        self.call("call_respond", t, self.q, impulses, np.zeros(plan.nu), np.zeros(rows), change)
        same(change, d.respond(t, self.q, impulses))

    def channels(self):
        """Channels of all bodies, and loads in joints and constraints."""
        d, plan = self.d, self.plan
        reader = ChannelReader(plan, [f"{body}.{what}" for body in plan.index.joints for what in QUANTITIES])
        times, states, given = np.array([self.t]), self.y[None, :], self.inputs[None, :]
        sensors, out, sums = reader.table.arrays(), np.zeros((1, reader.table.size)), np.zeros((1, width("group", "W")))
        header = {"bodies": plan.tables.header.all_bodies, "placed": 1, "reading": True}
        self.call("call_channels", *sensors, times, states, given, 1, out, sums, unknown(plan.nu), **header)
        same(out, d.channels(times, states, *sensors, reader.table.size, None, True)[0])
        loads = d.loads(times, states)
        found = [np.zeros(x.shape) for x in loads]
        self.call("call_loads", times, states, given, *found, unknown(plan.nu), reading=True, placed=1)
        same(found[0], loads[0])
