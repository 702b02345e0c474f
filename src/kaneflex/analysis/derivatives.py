"""Derivatives of a system's equations along directions of its state, exact to rounding by the complex step.

f'(x) d = Im f(x + i h d)/h with h = 1e-30: no difference is taken, so nothing cancels.
Ref: Squire and Trapp, SIAM Review 40 (1998) 110.
"""

from collections.abc import Callable

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import energy
from kaneflex.kernels.tables import with_header
from kaneflex.model.checks import warn
from kaneflex.plan.channels import SensorTable
from kaneflex.plan.laws import LawNotDifferentiable

H = 1e-30

Array = np.ndarray


class Derivatives:
    """Of x-dot, channels and constraint equations by x = (q, u, z) and the inputs v at a time t, s.

    Where a user function cannot take complex numbers, central differences are taken instead, with a warning.
    """

    def __init__(self, dynamics: Dynamics, t: float, table: SensorTable | None = None):
        self.plan, self.kernels, self.t = dynamics.plan, dynamics.kernels, t
        self.table = SensorTable() if table is None else table
        self.arrays = self.table.arrays()
        try:
            self.I = self.plan.complex_tables()
            self.exact = True
        except LawNotDifferentiable as e:
            warn(f"{e}; this linear model is made by central differences instead")
            self.I, self.exact = self.plan.I, False
        self.I = with_header(self.I, placed=1)
        self.with_multipliers = self.plan.reading_tables(self.I, complex if self.exact else float)
        self.W = self.plan.workspace(complex if self.exact else float)
        self.work = self.plan.work(self.W)

    def motion(self, x: Array, v: Array, directions: Array, tau: Array | float = 0.0) -> tuple[Array, Array]:
        """Changes of x-dot and of the channels along directions of (x, v), which are the columns given, with constant joint
        forces tau (N m or N)."""
        n, inputs, layout = len(x), self.work.law_output.value[: len(v)], self.plan.layout
        self.work.tau.value[:] = tau

        def evaluate(z: Array) -> Array:
            inputs[:] = z[n:]
            y, ydot = layout.with_works(z[:n]), np.empty(layout.size, z.dtype)
            self.kernels.call_derivative(self.I, self.plan.P, self.W, self.t, y, ydot)
            return np.append(ydot[:n], self._channels(y, z[n:]))

        found = self.along(evaluate, np.concatenate([x, v]), directions)
        return found[:n], found[n:]

    def equations(self, x: Array, directions: Array) -> tuple[Array, Array]:
        """Changes of the constraint equations in the coordinates, and of those in the speeds, along directions of x."""
        layout, rows = self.plan.layout, int(self.plan.header.rows)

        def evaluate(z: Array) -> Array:
            out = np.zeros((rows, 2), z.dtype)
            self.kernels.call_equations(self.I, self.plan.P, self.W, self.t, z[layout.q].copy(), z[layout.u].copy(), out)
            return out.T.ravel()

        found = self.along(evaluate, x, directions)
        return found[:rows], found[rows:]

    def measures(self) -> Array:
        """Of each constraint equation the largest number in its loads, after `equations`."""
        tables, (wrenches,), terms = self.plan.tables, self.work.wrench.arrays, np.abs(self.work.term.value)
        found = np.zeros(tables.header.rows)
        for c in tables.constraint:
            first, count = c.wrench // wrenches.shape[1], c.attachments
            for n in range(c.rows):
                found[c.row + n] = np.abs(wrenches[first + n * count :][:count]).max(initial=0.0)
            for m in range(c.term0, c.term0 + c.terms):
                row = c.row + tables.term[m].row
                found[row] = max(found[row], terms[m])
        return found

    def _channels(self, y: Array, v: Array) -> Array:
        size, dtype = self.table.size, y.dtype
        if not size:
            return np.zeros(0, dtype)
        out, sums = np.zeros((1, size), dtype), np.zeros((1, energy.GROUP_WIDTH), dtype)
        scratch, times = np.empty(self.plan.nu, dtype), np.array([self.t])
        states, inputs = y[None, :], v[None, :].copy()
        self.kernels.call_channels(
            self.with_multipliers, self.plan.P, self.W, *self.arrays, times, states, inputs, 1, out, sums, scratch
        )
        return out[0]

    def along(self, evaluate: Callable[[Array], Array], z: Array, directions: Array) -> Array:
        """Changes of a function of z along directions, the columns given, as columns."""
        if self.exact:
            columns = [evaluate(z + 1j * H * d).imag / H for d in directions.T]
        else:
            steps = [6e-6 * max(1.0, float(np.abs(z[d != 0]).max(initial=0.0))) for d in directions.T]
            columns = [
                (evaluate(z + h * d) - evaluate(z - h * d)) / (2 * h) for h, d in zip(steps, directions.T, strict=True)
            ]
        return np.array(columns).T if columns else np.zeros((len(evaluate(z.astype(self.W.dtype))), 0))
