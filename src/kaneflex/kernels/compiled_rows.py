"""Rows of up to eight numbers as compiled code has them: for floats one vector of the processor, for complex numbers a tuple.

Numba's compiler makes vectors of loops whose numbers do not depend on where others are stored, which through pointers it
cannot know; of rows it need not. It reads eight numbers wherever a row begins: arrays of kernels end in as many that nobody
uses. What is beyond a row's length is never stored.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic, models, overload, register_model

from kaneflex.kernels.numba_compat import ir
from kaneflex.kernels.ops import LANES

_INLINE: Any = {"forceinline": True, "fastmath": True}
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class RowType(types.Type):  # type: ignore[misc]
    """Numba's type of a row of floats."""

    def __init__(self) -> None:
        super().__init__(name="Row")


@register_model(RowType)
class RowModel(models.PrimitiveModel):  # type: ignore[misc]
    """A row of floats is a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


_ROW = RowType()


def _place(builder, start, k):
    return builder.bitcast(builder.gep(start, [k]), _VECTOR.as_pointer())


def _spread(builder, x):
    """x in every lane."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), lanes)


@intrinsic
def _vector(typingctx, A, a):
    """Eight numbers from A[a] on."""
    return _ROW(A, types.int64), lambda context, builder, sig, args: builder.load(_place(builder, *args), align=8)


@intrinsic
def _vector_of(typingctx, x):
    """x eight times."""
    return _ROW(types.float64), lambda context, builder, sig, args: _spread(builder, args[0])


@intrinsic
def _add_vector(typingctx, y, f, A, a):
    """y + f times eight numbers from A[a] on."""

    def codegen(context, builder, sig, args):
        numbers = builder.load(_place(builder, args[2], args[3]), align=8)
        return builder.fadd(args[0], builder.fmul(_spread(builder, args[1]), numbers, flags=("fast",)), flags=("fast",))

    return _ROW(_ROW, types.float64, A, types.int64), codegen


@intrinsic
def _store_vector(typingctx, W, k, y):
    """Write eight numbers from W[k] on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _place(builder, args[0], args[1]), align=8)
        return context.get_dummy_value()

    return types.void(W, types.int64, _ROW), codegen


@intrinsic
def _lane(typingctx, y, k):
    """Number k of a row."""

    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], builder.trunc(args[1], ir.IntType(32)))

    return types.float64(_ROW, types.int64), codegen


def row(A, a, n):
    """Stand-in that Numba replaces by one of the two below."""
    raise TypeError("only compiled code calls this")


def row_of(x, n):
    """Stand-in, see `row`."""
    raise TypeError("only compiled code calls this")


def add_row(y, f, A, a, n):
    """Stand-in, see `row`."""
    raise TypeError("only compiled code calls this")


def store_row(W, k, y, n):
    """Stand-in, see `row`."""
    raise TypeError("only compiled code calls this")


@overload(row, jit_options=_INLINE)
def _row(A, a, n):
    if A.dtype == types.float64:
        return lambda A, a, n: _vector(A, a)
    return lambda A, a, n: (A[a], A[a + 1], A[a + 2], A[a + 3], A[a + 4], A[a + 5], A[a + 6], A[a + 7])


@overload(row_of, jit_options=_INLINE)
def _row_of(x, n):
    if isinstance(x, types.Complex):
        return lambda x, n: (x, x, x, x, x, x, x, x)
    return lambda x, n: _vector_of(x)


@overload(add_row, jit_options=_INLINE)
def _add_row(y, f, A, a, n):
    if isinstance(y, RowType):
        return lambda y, f, A, a, n: _add_vector(y, f, A, a)

    def add(y, f, A, a, n):
        low = (y[0] + f * A[a], y[1] + f * A[a + 1], y[2] + f * A[a + 2], y[3] + f * A[a + 3])
        high = (y[4] + f * A[a + 4], y[5] + f * A[a + 5], y[6] + f * A[a + 6], y[7] + f * A[a + 7])
        return (low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3])

    return add


@overload(store_row, jit_options=_INLINE)
def _store_row(W, k, y, n):
    if isinstance(y, RowType):

        def store(W, k, y, n):
            if n == LANES:
                _store_vector(W, k, y)
            else:
                for j in range(n):
                    W[k + j] = _lane(y, j)

        return store

    def store_each(W, k, y, n):
        for j in range(n):
            W[k + j] = y[j]

    return store_each
