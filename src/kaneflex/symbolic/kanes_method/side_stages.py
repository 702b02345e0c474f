"""What an integration calls besides y' = f(t, y), for equations that know no system: event functions, and the projection
of dependent coordinates and speeds onto their constraints."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from kaneflex.kernels import backend
from kaneflex.kernels import layout as L
from kaneflex.kernels.compiled_ops import call_code, integers_at, reals_at
from kaneflex.symbolic.export import MatrixForm
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.solve import solve_in_place

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.motion import Tied

Expr = Any
_reals: Any = reals_at
_integers: Any = integers_at
_call: Any = call_code
_solve = solve_in_place

EVENT_CODE = 0  # notes: address of the program of the event functions,
EVENT_OUT = 1  # of its outputs,
EVENT_COUNT = 2  # and their number
TIE_CODE = 3  # address of the program of the constraints,
TIE_OUT = 4  # of its outputs: matrix and defects of the dependent coordinates, then those of the dependent speeds
TIED_Q = 5  # number of dependent coordinates
TIED_U = 6  # number of dependent speeds
SIDE_X = 7  # address of the arguments of both
SIDE_NOTES = 8
CONVERGED = 1e-13  # a Newton step that is nothing beside the coordinates, or beside 1


class SideStages:
    """Event functions and projection of the equations of a KanesMethod, at addresses.

    Args:
        form: of the equations.
        values: numbers of its parameters.
        zeros: event functions.
        tied: constraints.
    """

    def __init__(self, form: MatrixForm, values: Sequence[float], zeros: Sequence[Expr], tied: "Tied") -> None:
        self.form, self.tied = form, tied
        self._x = np.array([0.0] * (1 + len(form.q) + len(form.u)) + [*values])
        ties = [*(e for row in tied.by_q for e in row), *tied.values, *(e for row in tied.by_u for e in row), *tied.speeds]
        self._codes = [Program(form.arguments, group).compiled() for group in (zeros, ties)]
        self._outs = [np.zeros(max(1, code.size)) for code in self._codes]
        self._notes = np.zeros(SIDE_NOTES, np.int64)
        for k, (code, out) in enumerate(zip(self._codes, self._outs, strict=True)):
            self._notes[[3 * k, 3 * k + 1]] = code.address, out.ctypes.data
        self._notes[[EVENT_COUNT, TIED_Q, TIED_U]] = len(zeros), len(tied.values), len(tied.speeds)
        self._notes[SIDE_X] = self._x.ctypes.data
        self.constrained = bool(tied.values or tied.speeds)

    def addresses(self) -> dict[str, int]:
        """Addresses of the functions by the names of the stages they stand for."""
        place = backend.stage_count() + 1
        return {name: int(f.address) for name, f in _by_notes(place).items()}

    @property
    def notes(self) -> int:
        """Address of what they look up; this object must live as long as they are called."""
        return int(self._notes.ctypes.data)

    def along(self, t: np.ndarray, y: np.ndarray, expressions: Sequence[Expr]) -> np.ndarray:
        """Values of expressions at states, a row per time."""
        code = Program(self.form.arguments, expressions).compiled()
        x, out = self._x.copy(), np.zeros((len(t), len(expressions)))
        for k in range(len(t)):
            x[0], x[1 : 1 + y.shape[1]] = t[k], y[k]
            out[k] = code(x)
        return out


@lru_cache(maxsize=2)
def _by_notes(place: int) -> dict[str, Any]:
    """The functions, the same for all equations: what differs is in notes, whose address is at `place` among the stages."""
    inner = backend.compiled().inner
    offset, call = inner.offset, _call

    def event_values(I: Any, P: Any, W: Any, t: Any, y: Any, g: Any) -> None:
        notes = _integers(_integers(I[L.STAGES])[place])
        x, out = _reals(notes[SIDE_X]), _reals(notes[EVENT_OUT])
        x[0] = t
        for k in range(I[L.COORDINATES] + I[L.SPEEDS]):
            x[1 + k] = y[k]
        call(notes[EVENT_CODE], t, x, 0, out, 0)
        for k in range(notes[EVENT_COUNT]):
            g[k] = out[k]

    def project(I: Any, P: Any, W: Any, t: Any, y: Any, sweeps: Any, limit: Any) -> Any:
        """Newton's method for the dependent coordinates, then one step for the dependent speeds."""
        notes = _integers(_integers(I[L.STAGES])[place])
        x, out, size = _reals(notes[SIDE_X]), _reals(notes[TIE_OUT]), I[L.COORDINATES] + I[L.SPEEDS]
        c, m = notes[TIED_Q], notes[TIED_U]
        first, speeds = I[L.COORDINATES] - c, offset(out, c * c + c)
        step, change = numba.carray(offset(out, c * c), c), numba.carray(offset(speeds, m * m), m)
        nobody = numba.carray(out, 0)
        taken, met = 0, c == 0
        while True:
            x[0] = t
            for k in range(size):
                x[1 + k] = y[k]
            call(notes[TIE_CODE], t, x, 0, out, 0)
            if met or taken == sweeps:
                break
            _solve(numba.carray(out, (c, c)), step, nobody)
            met = True
            for k in range(c):
                if not abs(step[k]) < np.inf:
                    return -1
                met = met and abs(step[k]) <= CONVERGED * max(1.0, abs(y[first + k]))
                y[first + k] -= step[k]
            taken += 1
        _solve(numba.carray(speeds, (m, m)), change, nobody)
        for k in range(m):
            if not abs(change[k]) < np.inf:
                return -1
        for k in range(m):
            y[size - m + k] -= change[k]
        return taken if met else -1

    integers, pointer, real, integer = types.CPointer(types.int64), types.CPointer(types.float64), types.float64, types.int64
    tables = (integers, pointer, pointer, real, pointer)
    values = numba.cfunc(types.void(*tables, pointer), error_model="numpy")(event_values)
    return {
        "event_values": values,
        "project": numba.cfunc(integer(*tables, integer, real), error_model="numpy")(project),
    }


__all__ = ["SideStages"]
