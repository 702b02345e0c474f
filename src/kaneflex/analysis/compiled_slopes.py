"""The slopes of sensitivities in one compiled call: S' = df/dy S + df/dp for all columns of S.

The rate of y is called at its address, as the stages of the kernels are, on complex numbers for df/dy S and on the tables of
problems at other values for df/dp, see `variations` (1). Touches raw memory, that of plans which must outlive the calls.
"""

import ctypes
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic

from kaneflex.analysis.derivatives import Derivatives, H
from kaneflex.analysis.variations import Posed, Varied
from kaneflex.kernels import layout
from kaneflex.kernels.backend import stage_number
from kaneflex.kernels.numba_compat import cgutils, ir

Array = np.ndarray
MOST = 7  # problems of one difference


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def rate_at(typingctx: Any, code: Any, block: Any, t: Any, y: Any, out: Any) -> Any:
    """Call void(I, P, W, t, y, out) at an address; all are addresses, `block` that of those of I, P and W."""
    signature = numba.types.void(
        numba.types.int64, numba.types.int64, numba.types.float64, numba.types.int64, numba.types.int64
    )

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        code, block, t, y, out = args
        word = ir.IntType(64)
        place = builder.inttoptr(block, word.as_pointer())
        tables = [builder.load(builder.gep(place, [ir.Constant(word, k)])) for k in range(3)]
        pointers = [builder.inttoptr(x, cgutils.voidptr_t) for x in (*tables, y, out)]
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t] * 3 + [ir.DoubleType()] + [cgutils.voidptr_t] * 2)
        builder.call(builder.inttoptr(code, kind.as_pointer()), [*pointers[:3], t, *pointers[3:]])
        return context.get_dummy_value()

    return signature, codegen


@numba.njit(cache=True, error_model="numpy")
def _slopes(codes: Any, exact: Any, blocks: Any, weights: Any, t: Any, y: Any, S: Any, Y: Any, Z: Any, out: Any) -> None:
    """out = df/dy S + df/dp; Y and Z are room for two y on float64 and complex128."""
    n, size = S.shape[0], y.shape[0]
    first, second = Y[0].ctypes.data, Y[1].ctypes.data
    for k in range(size):
        Y[0, k] = y[k]
    for j in range(S.shape[1]):
        for k in range(size):
            Z[0, k] = y[k]
        for k in range(n):
            Z[0, k] = complex(y[k], H * S[k, j])
        rate_at(codes[1], exact, t, Z[0].ctypes.data, Z[1].ctypes.data)  # type: ignore[call-arg]
        for k in range(n):
            out[k, j] = Z[1, k].imag / H
        for m in range(weights.shape[1]):
            if weights[j, m] != 0.0:
                rate_at(codes[0], blocks[j, m], t, first, second)
                for k in range(n):
                    out[k, j] += weights[j, m] * Y[1, k]


class Slopes:
    """The rate of y of a problem, for compiled code.

    Args:
        posed: the problem, which must outlive the calls.

    Attributes:
        code: address of the rate on floats.
        block: address of the addresses of its tables.
    """

    def __init__(self, posed: Posed):
        posed.rate(posed.t0, posed.y0)  # it is compiled now
        place = int(posed.plan.I[layout.STAGES]) + 8 * stage_number("derivative")
        self.code = ctypes.c_int64.from_address(place).value
        self._tables = posed.plan.I, posed.plan.P, posed.dynamics.W
        self._addresses = np.array([x.ctypes.data for x in self._tables], np.int64)
        self.block = int(self._addresses.ctypes.data)


class CompiledSlopes:
    """df/dy S + df/dp of a problem.

    Args:
        base: the problem.
        derivatives: of it, exact ones.
        varied: the problem at other values, for each column of S.
    """

    def __init__(self, base: Posed, derivatives: Derivatives, varied: list[Varied]):
        self.base, self.varied, size = base, varied, base.plan.layout.size
        self._alive: list[Any] = [derivatives, varied]
        derivatives.work.law_output.value[: len(base.inputs)] = base.inputs
        derivatives.work.tau.value[:] = 0.0
        y = base.y0.astype(complex)
        derivatives.kernels.call_derivative(derivatives.I, base.plan.P, derivatives.W, base.t0, y, np.empty_like(y))
        base.rate(base.t0, base.y0)  # both are compiled now
        places = (base.plan.I, layout.STAGES), (derivatives.I, layout.COMPLEX_STAGES)
        stage = 8 * stage_number("derivative")
        self._codes = np.array([ctypes.c_int64.from_address(int(I[k]) + stage).value for I, k in places])
        tables = derivatives.I, base.plan.P, derivatives.W
        addresses = np.array([x.ctypes.data for x in tables], np.int64)
        self._exact = int(addresses.ctypes.data)
        slopes = {id(p): Slopes(p) for v in varied if not v.is_start for s in v.sets for _, p in s}
        self._alive += [tables, addresses, slopes]
        self._addresses = {key: slope.block for key, slope in slopes.items()}
        self._blocks = np.zeros((len(varied), MOST), np.int64)
        self._weights = np.zeros((len(varied), MOST))
        self._room, self._complex = np.empty((2, size)), np.empty((2, size), complex)
        self._sets: list[int] = []

    def __call__(self, t: float, y: Array, S: Array) -> Array:
        """At time t, s, and y."""
        sets = [v.which(t, self.base.plan.breaks) for v in self.varied]
        if sets != self._sets:
            self._sets, self._weights[:] = sets, 0.0
            for j, (v, n) in enumerate(zip(self.varied, sets, strict=True)):
                for m, (weight, posed) in enumerate(() if v.is_start else v.sets[n]):
                    self._weights[j, m], self._blocks[j, m] = weight, self._addresses[id(posed)]
        out = np.empty_like(S)
        _slopes(self._codes, self._exact, self._blocks, self._weights, t, y, S, self._room, self._complex, out)
        return out


__all__ = ["CompiledSlopes", "Slopes", "rate_at"]
