"""Equations in symbols as the right-hand side of the compiled integrators.

A system's integration calls y' = f(t, y) by address: y = (q, u, work of applied loads, work lost in dampers). Everything
else of a run, its events, channels and audit, stays with the kernels, so that the audit judges the symbolic equations by
energies that these did not compute.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from kaneflex.kernels import layout as L
from kaneflex.kernels.compiled_ops import integers_at, reals_at
from kaneflex.model.checks import ModelError
from kaneflex.plan.build import Plan
from kaneflex.symbolic import export
from kaneflex.symbolic.program import Program

if TYPE_CHECKING:
    from kaneflex.symbolic.equations import Equations

_reals: Any = reals_at
_integers: Any = integers_at
_solve = export.solve_in_place


class NativeRates:
    """y' of a system's equations, compiled, for the integrators.

    Args:
        equations: of a tree without constraints and prescribed motions.
        values: numbers for parameters; the system's own where none are given.
    """

    def __init__(self, equations: "Equations", values: Mapping[Any, float] | None = None) -> None:
        if equations.constraints or equations.prescribed:
            raise ModelError(
                "equations with constraints or prescribed motions are not integrated here: leave out equations="
            )
        form = export.of_equations(equations)
        self.names, self.speeds = list(equations.names.values()), equations.speeds
        nq, nu = len(form.q), len(form.u)
        outputs = [*form.qdot, *(e for row in form.A for e in row), *form.b, *equations.power]
        self.code = Program(form.arguments, outputs).compiled()
        self._x, self._out = np.zeros(self.code.inputs), np.zeros(self.code.size)
        self._x[1 + nq + nu + len(form.inputs) :] = form.numbers(values)
        self._signal = np.zeros(1, np.int64)
        self._function = self._compiled(nq, nu, len(form.inputs))
        self.address = int(self._function.address)

    def _compiled(self, nq: int, nu: int, inputs: int) -> Any:
        call, size, n = self.code.pointer_function(), nq + nu, nu
        x_at, out_at, signal_at = (a.ctypes.data for a in (self._x, self._out, self._signal))
        widths = (1 + size + inputs, self.code.size)

        def rates(t: Any, y: Any, ydot: Any) -> None:
            x, out = numba.carray(_reals(x_at), widths[0]), numba.carray(_reals(out_at), widths[1])
            signal = _reals(_integers(signal_at)[0])
            x[0] = t
            for k in range(size):
                x[1 + k] = y[k]
            for k in range(inputs):
                x[1 + size + k] = signal[k]
            call(t, x_at, out_at)
            for k in range(nq):
                ydot[k] = out[k]
            b = out[nq + n * n : nq + n * n + n]
            _solve(out[nq : nq + n * n].reshape(n, n), b)
            for k in range(n):
                ydot[nq + k] = b[k]
            ydot[size] = out[widths[1] - 2]
            ydot[size + 1] = out[widths[1] - 1]

        pointer = types.CPointer(types.float64)
        return numba.cfunc(types.void(types.float64, pointer, pointer), error_model="numpy")(rates)

    def tables(self, plan: Plan, W: np.ndarray) -> np.ndarray:
        """The plan's integers with this function in the place of a formulation; inputs are read from the workspace W."""
        names = [*plan.index.coordinates, *plan.index.speeds]
        if names != self.names or plan.speeds != self.speeds:
            raise ModelError(
                f'the equations are of other coordinates or speeds ("{self.speeds}"): derive them of this system with '
                f'speeds="{plan.speeds}"'
            )
        if plan.held:
            raise ModelError("equations in symbols are integrated without constraints and prescribed motions only")
        for row in plan.law_rows:
            if plan.I[row + L.LAW_OUT] < plan.I[L.INPUTS]:
                raise ModelError("inputs that are functions are not in the equations: give numbers or a Sampled controller")
        self._signal[0] = W.ctypes.data + 8 * int(plan.I[L.W_SIGNAL])
        I = plan.I.copy()
        I[L.FORMULATION] = self.address
        return I
