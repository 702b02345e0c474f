"""Rows of numbers as compiled code has them: of floats LANES, one vector of the processor; of complex numbers one.

The compiler makes vectors of loops whose numbers do not depend on where others are stored, which through pointers it cannot
know; of rows it need not. `row` reads LANES numbers wherever a row begins, whatever its length, and `store_row` writes the
rest back as it was: arrays that kernels take rows of go on for as many numbers. Operators work on rows, and on rows and
numbers, as on numbers, so that the functions of `algebra` take them.
"""

from numba import types
from numba.extending import overload

from kaneflex.kernels.compiled_vectors import FAST as _FAST
from kaneflex.kernels.compiled_vectors import INLINE as _INLINE
from kaneflex.kernels.compiled_vectors import ROW as _ROW
from kaneflex.kernels.compiled_vectors import VECTOR as _VECTOR
from kaneflex.kernels.compiled_vectors import LanesType, RowType
from kaneflex.kernels.compiled_vectors import integers as _integers
from kaneflex.kernels.compiled_vectors import plain_intrinsic as _intrinsic
from kaneflex.kernels.compiled_vectors import spread as _spread
from kaneflex.kernels.numba_compat import ir
from kaneflex.kernels.ops import LANES


@_intrinsic
def _vector(typingctx, A, k):
    """Numbers from A[k] on."""

    def codegen(context, builder, sig, args):
        return builder.load(builder.bitcast(builder.gep(args[0], [args[1]]), _VECTOR.as_pointer()), align=8)

    return _ROW(A, types.int64), codegen


@_intrinsic
def _first_lanes(typingctx, y, n, other):
    """The first n numbers of a row, then those of another."""

    def codegen(context, builder, sig, args):
        count = builder.trunc(args[1], ir.IntType(32))
        count = _spread(builder, count, ir.Constant(_integers([0] * LANES).type, ir.Undefined))
        inside = builder.icmp_signed("<", _integers(list(range(LANES))), count)
        return builder.select(inside, args[0], args[2])

    return _ROW(_ROW, types.int64, _ROW), codegen


@_intrinsic
def _vector_of(typingctx, x):
    """x in all lanes."""

    def codegen(context, builder, sig, args):
        return _spread(builder, args[0], ir.Constant(_VECTOR, ir.Undefined))

    return _ROW(types.float64), codegen


@_intrinsic
def _store_vector(typingctx, W, k, y):
    """Write a row from W[k] on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], builder.bitcast(builder.gep(args[0], [args[1]]), _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(W, types.int64, _ROW), codegen


def _halves(builder, y):
    """The sum of both halves of a row: half as many numbers."""
    width = y.type.count // 2
    low, high = (builder.shuffle_vector(y, y, _integers(range(k, k + width))) for k in (0, width))
    return builder.fadd(low, high, flags=_FAST)


@_intrinsic
def _total(typingctx, y):
    """Sum of a row: halves on halves."""

    def codegen(context, builder, sig, args):
        y = args[0]
        while y.type.count > 1:
            y = _halves(builder, y)
        return builder.extract_element(y, ir.Constant(ir.IntType(32), 0))

    return types.float64(_ROW), codegen


@_intrinsic
def _totals(typingctx, a, b, c, d, e, f, g, h):
    """Sums of eight rows, four at a time: halves on halves down to four numbers, then pairs of numbers, then all of each."""

    def codegen(context, builder, sig, args):
        rows = list(args)
        while rows[0].type.count > 4:
            rows = [_halves(builder, y) for y in rows]
        width = rows[0].type.count
        for step in (1, 2, 4)[: width.bit_length() - 1]:
            # lanes of two rows side by side in runs of `step`: first those of each pair of runs, then the others
            low = [k + width * n for start in range(0, width, 2 * step) for n in (0, 1) for k in range(start, start + step)]
            first, second = _integers(low), _integers([k + step for k in low])
            pairs = zip(rows[::2], rows[1::2], strict=True)
            sides = [(builder.shuffle_vector(x, y, first), builder.shuffle_vector(x, y, second)) for x, y in pairs]
            rows = [builder.fadd(x, y, flags=_FAST) for x, y in sides]
        numbers = [builder.extract_element(y, ir.Constant(ir.IntType(32), k)) for y in rows for k in range(width)]
        return context.make_tuple(builder, sig.return_type, numbers)

    return types.UniTuple(types.float64, 8)(*(_ROW,) * 8), codegen


def lanes(z):
    """Stand-in that Numba replaces by one of those below, as it does all others."""
    raise TypeError("only compiled code calls this")


def row(z, A, k):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def row_part(z, A, k, n):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def row_of(z):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def row_total(y):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def eight_totals(a, b, c, d, e, f, g, h):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def store_row(W, k, y, n):
    """Stand-in, see `lanes`."""
    raise TypeError("only compiled code calls this")


def _is_alone(z):
    """Whether rows of such numbers have one each: complex ones, and numbers of several runs side by side."""
    return isinstance(z, types.Complex | LanesType)


@overload(lanes, jit_options=_INLINE)
def _lanes(z):
    count = 1 if _is_alone(z) else LANES
    return lambda z: count


@overload(row, jit_options=_INLINE)
def _row(z, A, k):
    return (lambda z, A, k: A[k]) if _is_alone(z) else (lambda z, A, k: _vector(A, k))


@overload(row_part, jit_options=_INLINE)
def _row_part(z, A, k, n):
    if _is_alone(z):
        return lambda z, A, k, n: A[k]
    return lambda z, A, k, n: _first_lanes(_vector(A, k), n, _vector_of(0.0))


@overload(row_of, jit_options=_INLINE)
def _row_of(z):
    return (lambda z: z) if _is_alone(z) else (lambda z: _vector_of(float(z)))


@overload(row_total, jit_options=_INLINE)
def _row_total(y):
    return (lambda y: _total(y)) if isinstance(y, RowType) else (lambda y: y)


@overload(eight_totals, jit_options=_INLINE)
def _eight_totals(a, b, c, d, e, f, g, h):
    if isinstance(a, RowType):
        return lambda a, b, c, d, e, f, g, h: _totals(a, b, c, d, e, f, g, h)
    return lambda a, b, c, d, e, f, g, h: (a, b, c, d, e, f, g, h)


@overload(store_row, jit_options=_INLINE)
def _store_row(W, k, y, n):
    if not isinstance(y, RowType):

        def store_one(W, k, y, n):
            W[k] = y

        return store_one

    def store(W, k, y, n):
        if n >= LANES:
            _store_vector(W, k, y)
        else:
            _store_vector(W, k, _first_lanes(y, n, _vector(W, k)))

    return store
