"""Equations in symbols as the right-hand side of the compiled integrators.

An integration calls y' = f(t, y) by address. For a `System`, y = (q, u, work of applied loads, work lost in dampers), and
everything else of a run, its events, channels and audit, stays with the kernels, so that the audit judges the symbolic
equations by energies that these did not compute. For a `KanesMethod`, which knows no system, y = (q, u).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from kaneflex.kernels import backend
from kaneflex.kernels import layout as L
from kaneflex.kernels.compiled_ops import integers_at, reals_at
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.plan.build import Plan
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.stepper import Status, Stepper
from kaneflex.symbolic import export
from kaneflex.symbolic.export import MatrixForm
from kaneflex.symbolic.program import Program

if TYPE_CHECKING:
    from kaneflex.symbolic.equations import Equations
    from kaneflex.symbolic.kane import KanesMethod

_reals: Any = reals_at
_integers: Any = integers_at
_solve = export.solve_in_place


class AddressedRates:
    """y' at an address: q', u' and rates of quadratures. The inputs are read from where `read_inputs_at` says."""

    def __init__(self, form: MatrixForm, values: Mapping[Any, float] | None, quadratures: Sequence[Any] = ()) -> None:
        nq, nu = len(form.q), len(form.u)
        outputs = [*form.qdot, *(e for row in form.A for e in row), *form.b, *quadratures]
        self.code = Program(form.arguments, outputs).compiled()
        self._x, self._out = np.zeros(self.code.inputs), np.zeros(self.code.size)
        self._x[1 + nq + nu + len(form.inputs) :] = form.numbers(values)
        self._inputs = np.zeros(max(1, len(form.inputs)))
        self._signal = np.array([self._inputs.ctypes.data], np.int64)
        self._function = self._compiled(nq, nu, len(form.b), len(form.inputs), len(quadratures))
        self.address = int(self._function.address)

    def read_inputs_at(self, address: int) -> None:
        """Set where the values of the inputs are."""
        self._signal[0] = address

    def _compiled(self, nq: int, nu: int, m: int, inputs: int, quadratures: int) -> Any:
        call, size = self.code.pointer_function(), nq + nu
        x_at, out_at, signal_at = (a.ctypes.data for a in (self._x, self._out, self._signal))
        x_size, out_size = 1 + size + inputs, self.code.size

        def rates(I: Any, P: Any, W: Any, t: Any, y: Any, ydot: Any) -> None:
            # the arrays are addressed, not closed over: Numba would freeze their contents
            x, out = numba.carray(_reals(x_at), x_size), numba.carray(_reals(out_at), out_size)
            signal = _reals(_integers(signal_at)[0])
            x[0] = t
            for k in range(size):
                x[1 + k] = y[k]
            for k in range(inputs):
                x[1 + size + k] = signal[k]
            call(t, x_at, out_at)
            for k in range(nq):
                ydot[k] = out[k]
            b = out[nq + m * m : nq + m * m + m]
            _solve(out[nq : nq + m * m].reshape(m, m), b)
            for k in range(nu):
                ydot[nq + k] = b[k]
            for k in range(quadratures):
                ydot[size + k] = out[out_size - quadratures + k]

        integers, pointer = types.CPointer(types.int64), types.CPointer(types.float64)
        signature = types.void(integers, pointer, pointer, types.float64, pointer, pointer)
        return numba.cfunc(signature, error_model="numpy")(rates)

    def take_over(self, I: np.ndarray) -> None:
        """Make this function the y' of the tables I."""
        self._stages = backend.connect_instead(I, "derivative", self.address)


class NativeRates(AddressedRates):
    """y' of a system's equations, compiled, for its integration.

    Args:
        equations: of a tree without constraints and prescribed motions.
        values: numbers for parameters; the system's own where none are given.
    """

    def __init__(self, equations: "Equations", values: Mapping[Any, float] | None = None) -> None:
        if equations.constraints or equations.prescribed:
            raise ModelError(
                "equations with constraints or prescribed motions are not integrated here: leave out equations="
            )
        self.names, self.speeds = list(equations.names.values()), equations.speeds
        super().__init__(export.of_equations(equations), values, equations.power)

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
        self.read_inputs_at(W.ctypes.data + 8 * int(plan.I[L.W_SIGNAL]))
        I = plan.I.copy()
        self.take_over(I)
        return I


@dataclass
class Motion:
    """A motion of a KanesMethod's system: times t, coordinates q and speeds u, a row per time; what it took."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    statistics: dict[str, int]


def simulate(
    method: "KanesMethod",
    duration: float,
    initial: Mapping[Any, float],
    values: Mapping[Any, float] | None = None,
    *,
    integrator: str = "dopri5",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | None = None,
    max_steps: int = 1_000_000,
) -> Motion:
    """Integrate the equations of a KanesMethod in the package's compiled loop.

    Args:
        method: with its equations formed; without functions of time that are not given in terms of t.
        duration: s.
        initial: coordinates and speeds at the start, all of them; dependent ones must satisfy the constraints.
        values: numbers of all parameters, by name or symbol.
        integrator: "dopri5", "dop853" or "sdirk4".
        rtol, atol: tolerances of the local error.
        output: interval of the samples, s; duration/500 when left out.
        max_steps: most steps to try.
    """
    checks.known(integrator, [n for n, m in METHODS.items() if m.adaptive], "integrator")
    duration = checks.positive(duration, "duration")
    form = export.of_method(method)
    rates = AddressedRates(form, values)
    start = {str(method.symbols.engine(k)): checks.number(v, f'initial "{k}"') for k, v in initial.items()}
    names = [str(s) for s in (*form.q, *form.u)]
    for name in start:
        checks.known(name, names, "coordinate or speed")
    missing = [n for n in names if n not in start]
    if missing:
        raise ModelError(f"initial values of {', '.join(missing)} are missing")
    I = np.zeros(L.HEADER, np.int64)
    I[L.COORDINATES], I[L.SPEEDS] = len(form.q), len(form.u)
    rates.take_over(I)
    stepper = Stepper(integrator, (I, np.zeros(1), np.zeros(1)), len(names), len(names), rtol=rtol, atol=atol)
    interval = duration / 500 if output is None else checks.positive(output, "output interval")
    t = np.linspace(0.0, duration, max(1, math.ceil(duration / interval - 1e-9)) + 1)
    y = np.full((len(t), len(names)), np.nan)
    stepper.start(0.0, [start[n] for n in names])
    stepper.begin_samples()
    status = stepper.advance(duration, t, y, max_steps)
    if status != Status.DONE:
        raise ModelError(f"the integration stopped at t = {stepper.t:g} s ({status.name.lower().replace('_', ' ')})")
    statistics = {"steps": stepper.steps, "rejected": stepper.rejected, "evaluations": stepper.evaluations}
    return Motion(t, y[:, : len(form.q)], y[:, len(form.q) :], statistics)
