"""Equations in symbols as the right-hand side of the compiled integrators.

An integration calls y' = f(t, y) by address. For a `System`, y = (q, u, states of blocks, work of applied loads, work lost
in dampers), and everything else of a run, its projection onto constraints, events, channels and audit, stays with the
kernels, so that the audit judges the symbolic equations by energies that these did not compute. For a `KanesMethod`, which
knows no system, y = (q, u).

A prescribed speed r needs a load that is its equation's remainder, and a constraint with a drift e, a part that depends on
time alone, does work too: with z = (u', lambda), M_r and F_r those of the equation that gives the load,

    power = (that of the applied loads) + sum u_r (M_r u' - F_r - J_r^T lambda) - e . lambda                          (1)
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import types

from kaneflex.kernels import backend
from kaneflex.kernels import layout as L
from kaneflex.kernels.compiled_ops import call_code, integers_at, reals_at
from kaneflex.model.checks import ModelError
from kaneflex.plan.formulation import OtherCoordinates
from kaneflex.plan.plan import Plan
from kaneflex.symbolic import export
from kaneflex.symbolic.calculus import total
from kaneflex.symbolic.export import MatrixForm
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.solve import solve_in_place

if TYPE_CHECKING:
    from kaneflex.symbolic.system.derivation import Equations

Expr = Any
_reals: Any = reals_at
_integers: Any = integers_at
_call: Any = call_code
_solve = solve_in_place

CODE = 0  # notes: address of the straight-line program,
AT_X = 1  # of its arguments,
AT_OUT = 2  # and of its outputs
Z_SIZE = 3  # length of z
FORM_INPUTS = 4  # number of inputs
WORKS = 5  # 1 when there are quadratures
EVALUATED = 6  # 1 when functions of time and channels give the inputs
NOTES = 7  # then the number of the kernels' equation of each multiplier, and the place of each input in the signal


class Power(NamedTuple):
    """Rates of the two quadratures: of_z . z + applied, and dissipated."""

    of_z: list[Expr]
    applied: Expr
    dissipated: Expr


class AddressedRates:
    """y' at an address: q', u' and, with a `power`, rates of quadratures.

    Args:
        form: of the equations.
        values: numbers for parameters.
        power: of loads.
    """

    def __init__(self, form: MatrixForm, values: Mapping[Any, float] | None, power: Power | None = None) -> None:
        first = 1 + len(form.q) + len(form.u) + len(form.states)
        more = [] if power is None else [*power.of_z, power.applied, power.dissipated]
        self.code = Program(form.arguments, [*form.outputs, *more]).compiled()
        self._x, self._out = np.zeros(self.code.inputs), np.zeros(self.code.size)
        self._x[first + len(form.inputs) :] = form.numbers(values)
        self._notes = np.zeros(NOTES + len(form.sizes) + len(form.inputs), np.int64)
        self._notes[[CODE, AT_X, AT_OUT]] = self.code.address, self._x.ctypes.data, self._out.ctypes.data
        self._notes[[Z_SIZE, FORM_INPUTS, WORKS]] = len(form.b), len(form.inputs), power is not None

    def take_over(self, I: np.ndarray, others: Mapping[str, str | int], notes: int = 0) -> None:
        """Make this object's rates the y' of the tables I, for as long as it lives.

        Args:
            I: tables of a system, which are changed.
            others: what stands in the place of other stages, see `StageTable`.
            notes: address of what these look up; it is put after that of the notes of the rates.
        """
        own = {"derivative": int(_rates_by_notes(backend.stage_count()).address)}
        self._stages = backend.StageTable({**others, **own}, notes=(self._notes.ctypes.data, notes))
        self._stages.put_into(I)


@lru_cache(maxsize=2)
def _rates_by_notes(place: int) -> Any:
    """The function in the place of `derivative`, one for all equations: what differs is in notes, whose address follows the
    stages in their table, at `place`."""
    inner = backend.compiled().inner
    moving, placed, offset, call, load_states = inner.moving, inner.placed, inner.offset, _call, inner.load_states

    def rates(I: Any, P: Any, W: Any, t: Any, y: Any, ydot: Any) -> None:
        stages = _integers(I[L.STAGES])
        notes = _integers(stages[place])
        nq, nu, m, works = I[L.COORDINATES], I[L.SPEEDS], notes[Z_SIZE], notes[WORKS]
        x, out = _reals(notes[AT_X]), _reals(notes[AT_OUT])
        nz = I[L.STATES]
        first = nq + nu + nz
        if notes[EVALUATED] == 1:
            load_states(I, W, y)
            moving(I, P, W, y, offset(y, nq))
            placed(I, P, W, t, y)
        x[0] = t
        for k in range(first):
            x[1 + k] = y[k]
        for k in range(notes[FORM_INPUTS]):
            x[1 + first + k] = W[I[L.W_LAW_OUTPUT] + notes[NOTES + m - nu + k]]
        call(notes[CODE], t, x, 0, out, 0)
        for k in range(nq):
            ydot[k] = out[k]
        for k in range(nz):
            ydot[nq + nu + k] = out[nq + k]
        matrix, right = numba.carray(offset(out, nq + nz), (m, m)), offset(out, nq + nz + m * m)
        z, rest = numba.carray(right, m), offset(right, m + m - nu)
        _solve(matrix, z, numba.carray(offset(right, m), m - nu))
        for k in range(nu):
            ydot[nq + k] = z[k]
        for k in range(I[L.ROWS]):
            W[I[L.W_ROW] + k * L.ROW_WIDTH + L.MULTIPLIER] = 0.0
        for k in range(m - nu):  # events may watch them
            W[I[L.W_ROW] + notes[NOTES + k] * L.ROW_WIDTH + L.MULTIPLIER] = z[nu + k]
        if works == 1:
            applied = rest[m]
            for k in range(m):
                applied += rest[k] * z[k]
            ydot[first] = applied
            ydot[first + 1] = rest[m + 1]

    integers, pointer = types.CPointer(types.int64), types.CPointer(types.float64)
    signature = types.void(integers, pointer, pointer, types.float64, pointer, pointer)
    return numba.cfunc(signature, error_model="numpy")(rates)


class NativeRates(AddressedRates):
    """y' of a system's equations, compiled, for its integration.

    Args:
        equations: of the system.
        values: numbers for parameters; the system's own where none are given.
    """

    def __init__(self, equations: "Equations", values: Mapping[Any, float] | None = None) -> None:
        self.names, self.speeds = list(equations.names.values()), equations.speeds
        self.constraints, self.signals = [c.name for c in equations.constraints], equations.signals
        self._numbers = None if values else equations._numbers
        form = export.of_equations(equations)
        self._with_multipliers = [self.constraints[k] for k in form.rows]
        super().__init__(form, values, power_of(equations, form))

    def tables(self, plan: Plan, W: np.ndarray) -> np.ndarray:
        """The plan's integers with this function in the place of a formulation.

        Args:
            plan: of the system that the equations are of.
            W: the workspace of the run.
        """
        if list(plan.state_names) != self.names or plan.speeds != self.speeds:
            raise ModelError(
                f'the equations are of other coordinates or speeds ("{self.speeds}"): derive them of this system with '
                f'speeds="{plan.speeds}"'
            )
        rows = [f"{name}[{k}]" for name, k in plan.equations]
        strange = sorted({n.partition("[")[0] for n in {*rows} ^ {*self.constraints}})
        if strange:
            raise ModelError(
                f"the equations and the system differ in constraints ({', '.join(strange)}): derive them of this system "
                "as it is; those that a contact or an event brings in cannot be in them"
            )
        if self._numbers is not None and not np.array_equal(self._numbers, plan.numbers):
            raise ModelError(
                f'system "{plan.model.name}" has changed since its equations were derived (gravity, a body, a load or a '
                "constraint): derive them again"
            )
        way = plan.formulation
        if not way.exact or isinstance(way, OtherCoordinates):
            what = "keep products of speeds" if not way.exact else "are integrated in the coordinates of the joints"
            raise ModelError(f'equations in symbols {what}: use another formulation than "{way.name}"')
        inputs = plan.header.inputs
        outs = {law.name: int(row.out) for law, row in zip(plan.laws, plan.tables.law, strict=True)}
        signals = [outs[name] + k for name, k in self.signals]
        self._notes[EVALUATED] = bool(signals) or any(out < inputs for out in outs.values())
        self._notes[NOTES:] = [*map(rows.index, self._with_multipliers), *range(inputs), *signals]
        I = plan.I.copy()
        self.take_over(I, way.stages(plan))
        return I


def power_of(eq: "Equations", form: MatrixForm) -> Power:
    """Eq. (1) of the module."""
    driven = [(eq.u[r], r, drive) for r, drive in eq.drives.items()]
    of_rates = [total([u * drive.mass[s] for u, _, drive in driven]) for s in range(len(eq.u))]
    constraints = [eq.constraints[k] for k in form.rows]
    of_multipliers = [-total([c.drift, *(u * c.row[r] for u, r, _ in driven)]) for c in constraints]
    applied = eq.power[0] - total([u * drive.force for u, _, drive in driven])
    return Power(of_rates + of_multipliers, applied, eq.power[1])


__all__ = ["AddressedRates", "NativeRates", "Power", "power_of"]
