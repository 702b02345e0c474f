"""The scalar functions of `ops` as compiled code sees them, for float64, complex128 and lanes."""

import inspect
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from kaneflex.kernels.compiled_lanes import (
    all_within,
    lane,
    lane_numbers,
    lanes_cos,
    lanes_exp,
    lanes_floor,
    lanes_sin,
    lanes_sqrt,
    minus_product,
    pick,
    within,
)
from kaneflex.kernels.compiled_lanes import lanes_at as lanes_at
from kaneflex.kernels.compiled_lanes import one_run as one_run
from kaneflex.kernels.compiled_lanes import runs as runs
from kaneflex.kernels.compiled_rows import eight_totals as eight_totals
from kaneflex.kernels.compiled_rows import lanes as lanes
from kaneflex.kernels.compiled_rows import row as row
from kaneflex.kernels.compiled_rows import row_of as row_of
from kaneflex.kernels.compiled_rows import row_part as row_part
from kaneflex.kernels.compiled_rows import row_total as row_total
from kaneflex.kernels.compiled_rows import store_row as store_row
from kaneflex.kernels.compiled_vectors import LANE, LanesType
from kaneflex.kernels.layout import COMPLEX_STAGES, STAGES
from kaneflex.kernels.numba_compat import TypingError, cgutils, ir
from kaneflex.kernels.ops import LANES

# pi/2 in three parts of 33 bits each, so that n times a part is exact for |n| < 2^20 (Cody and Waite 1980)
_PART1, _PART2, _PART3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_INLINE: Any = {"forceinline": True, "fastmath": {"contract"}}


def sin(x):
    """Sine; Numba replaces it by an inlined polynomial (floats, lanes) or NumPy's (complex)."""
    return np.sin(x)


def cos(x):
    """Cosine, as `sin`. The two share their reduction, which is why they beat two library calls."""
    return np.cos(x)


def sqrt(x):
    """Square root; Numba replaces it by NumPy's, or by that of lanes."""
    return np.sqrt(x)


def exp(x):
    """Exponential, as `sqrt`."""
    return np.exp(x)


@overload(sqrt, jit_options=_INLINE)
def _sqrt(x):
    return (lambda x: lanes_sqrt(x)) if isinstance(x, LanesType) else (lambda x: np.sqrt(x))


@overload(exp, jit_options=_INLINE)
def _exp(x):
    return (lambda x: lanes_exp(x)) if isinstance(x, LanesType) else (lambda x: np.exp(x))


def _floor(x):
    raise TypeError("only compiled code calls this")


def _less(x, n, part):
    raise TypeError("only compiled code calls this")


@overload(_floor, jit_options=_INLINE)
def _floor_of(x):
    return (lambda x: lanes_floor(x)) if isinstance(x, LanesType) else (lambda x: np.floor(x))


@overload(_less, jit_options=_INLINE)
def _less_product(x, n, part):
    if isinstance(x, LanesType):
        return lambda x, n, part: minus_product(x, n, part)
    return lambda x, n, part: x - n * part


@register_jitable(**_INLINE)
def _reduced(x):
    """n and r with x = n pi/2 + r, |r| <= pi/4; sine and cosine of r to an ulp (fdlibm's minimax polynomials)."""
    n = _floor(x * 0.63661977236758134308 + 0.5)
    r = _less(_less(_less(x, n, _PART1), n, _PART2), n, _PART3)
    s = r * r
    p = _SIN[0] + s * (_SIN[1] + s * (_SIN[2] + s * (_SIN[3] + s * (_SIN[4] + s * _SIN[5]))))
    c = _COS[0] + s * (_COS[1] + s * (_COS[2] + s * (_COS[3] + s * (_COS[4] + s * _COS[5]))))
    return n, r + r * s * p, 1 - (s / 2 - s * s * c)


@register_jitable(**_INLINE)
def _turned(n, even, odd):
    """In each lane: `even` or `odd` as the whole number n is, with the sign of n's second bit."""
    half = _floor(n / 2)
    value = pick(n - 2 * half, odd, even)
    return pick(half - 2 * _floor(half / 2), -value, value)


@overload(sin, jit_options=_INLINE)
def _sin(x):
    if isinstance(x, types.Complex):
        return lambda x: np.sin(x)
    if isinstance(x, LanesType):

        def sines(x):
            n, s, c = _reduced(x)
            value = _turned(n, s, c)
            return value if all_within(x, 1e5) else within(x, 1e5, value, lanes_sin(x))

        return sines

    def sine(x):
        if not abs(x) < 1e5:
            return np.sin(x)
        m, s, c = _reduced(x)
        n = np.int64(m)
        value = c if n & 1 else s
        return -value if n & 2 else value

    return sine


@overload(cos, jit_options=_INLINE)
def _cos(x):
    if isinstance(x, types.Complex):
        return lambda x: np.cos(x)
    if isinstance(x, LanesType):

        def cosines(x):
            n, s, c = _reduced(x)
            value = _turned(n + 1, s, c)  # cos(r + n pi/2) = sin(r + (n + 1) pi/2)
            return value if all_within(x, 1e5) else within(x, 1e5, value, lanes_cos(x))

        return cosines

    def cosine(x):
        if not abs(x) < 1e5:
            return np.cos(x)
        m, s, c = _reduced(x)
        n = np.int64(m)
        value = s if n & 1 else c
        return -value if (n + 1) & 2 else value

    return cosine


def ramp(x):
    """Stand-in that Numba replaces by one of those below."""
    raise TypeError("only compiled code calls this")


def step(x):
    """Stand-in that Numba replaces by one of those below."""
    raise TypeError("only compiled code calls this")


@overload(ramp)
def _ramp(x):
    if isinstance(x, types.Complex):
        return lambda x: x if x.real > 0 else 0 * x
    if isinstance(x, LanesType):
        return lambda x: pick(x, x, 0.0)
    return lambda x: x if x > 0 else 0.0 * x


@overload(step)
def _step(x):
    if isinstance(x, types.Complex):
        return lambda x: 0 * x + 1 if x.real > 0 else 0 * x
    if isinstance(x, LanesType):
        return lambda x: pick(x, 1.0, 0.0)
    return lambda x: 1.0 if x > 0 else 0.0


@intrinsic
def pointer(typingctx, array):
    """Where an array's numbers begin: indexing it neither checks bounds nor wraps negative indices, and costs no
    reference count."""
    if not (isinstance(array, types.Array) and array.layout == "C"):
        raise TypingError("kernels take contiguous arrays")

    def codegen(context, builder, sig, args):
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), codegen


@intrinsic
def integers_at(typingctx, address):
    """Pointer to the int64 numbers at an address."""

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.int64)(types.int64), codegen


@intrinsic
def reals_at(typingctx, address):
    """Pointer to the float64 numbers at an address."""

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.float64)(types.int64), codegen


@intrinsic
def complexes(typingctx, start):
    """Pointer to the complex128 numbers that pairs of float64 numbers are."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.complex128)(start), codegen


@intrinsic
def offset(typingctx, start, n):
    """The pointer n entries further on."""

    def codegen(context, builder, sig, args):
        return builder.gep(args[0], [args[1]])

    return start(start, types.int64), codegen


@intrinsic
def _call_one(typingctx, address, t, x, first, out, start):
    """Call a user's function, T being the run's scalar: at the address is a block of integers, the first of them the
    address of a C function void(double t, const T* x, T* out, const int64* block)."""
    signature = types.void(types.int64, types.float64, x, types.int64, out, types.int64)

    def codegen(context, builder, sig, args):
        block = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        _call_at(builder, builder.load(block), args, [builder.bitcast(block, cgutils.voidptr_t)])
        return context.get_dummy_value()

    return signature, codegen


_one: Any = _call_one
_integers_at: Any = integers_at
_reals_at: Any = reals_at
_offset: Any = offset


def call_law(address, t, x, first, out, start):
    """Stand-in that Numba replaces by one of the two below."""
    raise TypeError("only compiled code calls this")


@overload(call_law)
def _call_law(address, t, x, first, out, start):
    if x.dtype != LANE:
        return lambda address, t, x, first, out, start: _one(address, t, x, first, out, start)

    def in_turn(address, t, x, first, out, start):
        # run by run, see `plan.lanes`: at the address are the numbers of what the function sees and gives, room for these,
        # and the block of each run
        note = _integers_at(address)
        seen, numbers, answers = _reals_at(note[2]), lane_numbers(_offset(x, first)), lane_numbers(_offset(out, start))
        given = _offset(seen, note[0])
        for k in range(LANES):
            for n in range(note[0]):
                seen[n] = numbers[n * LANES + k]
            _one(note[3 + k], lane(t, k), seen, 0, given, 0)
            for n in range(note[1]):
                answers[n * LANES + k] = given[n]

    return in_turn


@intrinsic
def call_code(typingctx, address, t, x, first, out, start):
    """Call a C function void(double t, const T* x, T* out) at an address."""
    signature = types.void(types.int64, types.float64, x, types.int64, out, types.int64)

    def codegen(context, builder, sig, args):
        _call_at(builder, args[0], args, [])
        return context.get_dummy_value()

    return signature, codegen


def _call_at(builder, code, args, more):
    """Call the C function at the address `code` with t, x[first:], out[start:] and more pointers."""
    _, t, x, first, out, start = args
    pointers = [builder.bitcast(builder.gep(data, [place]), cgutils.voidptr_t) for data, place in ((x, first), (out, start))]
    prototype = ir.FunctionType(ir.VoidType(), [ir.DoubleType(), *(cgutils.voidptr_t,) * (2 + len(more))])
    builder.call(builder.inttoptr(code, prototype.as_pointer()), [t, *pointers, *more])


class Lanes:
    """Names the scalar of LANES runs side by side, as float and complex name theirs."""


def stage_signature(stage, scalar):
    """Numba's signature of a stage for float, complex or Lanes, of which each run has its own parameters and time."""
    number = {complex: types.complex128, Lanes: LANE}.get(scalar, types.float64)
    own = LANE if scalar is Lanes else types.float64
    letters = {
        "I": types.CPointer(types.int64),
        "P": types.CPointer(own),
        "w": types.CPointer(number),
        "t": own,
        "n": types.int64,
        "": types.void,
    }
    return letters[stage.returns](*(letters[k] for k in stage.arguments))


def entry_signature(arguments, scalar):
    """Numba's argument types of an entry, by the letters of `Stage` for arrays in the place of pointers; W is a table, an
    array of two dimensions, and c is complex whatever the scalar is."""
    number = types.complex128 if scalar is complex else types.float64
    letters = {
        "I": types.int64[::1],
        "P": types.float64[::1],
        "w": number[::1],
        "W": number[:, ::1],
        "c": types.complex128[::1],
        "t": types.float64,
        "n": types.int64,
    }
    return tuple(letters[k] for k in arguments)


def stage_caller(f, stage, number):
    """A function that compiled kernels call in place of f: through the address in the table of stages whose own address is
    in I, one for each scalar. The table of lanes begins empty, for nothing but compiled code can be called with lanes: where
    there is no address, the function whose own address is before the table puts one there."""

    def call(typingctx, *arguments):
        dtype = arguments[stage.arguments.index("w")].dtype
        scalar = {types.complex128: complex, LANE: Lanes}.get(dtype, float)
        signature = stage_signature(stage, scalar)
        place = COMPLEX_STAGES if scalar is complex else STAGES

        def codegen(context, builder, sig, args):
            integer = ir.IntType(64)
            kinds = [context.get_value_type(t) for t in sig.args]
            table = builder.load(builder.gep(args[0], [ir.Constant(integer, place)]))
            table = builder.inttoptr(table, integer.as_pointer())
            entry = builder.gep(table, [ir.Constant(integer, number)])
            if scalar is Lanes:
                missing = builder.icmp_unsigned("==", builder.load(entry), ir.Constant(integer, 0))
                with builder.if_then(missing, likely=False):
                    hook = builder.load(builder.gep(table, [ir.Constant(integer, -1)]))
                    prototype = ir.FunctionType(ir.VoidType(), [integer])
                    builder.call(builder.inttoptr(hook, prototype.as_pointer()), [ir.Constant(integer, number)])
            address = builder.load(entry)
            returns = ir.VoidType() if sig.return_type == types.void else context.get_value_type(sig.return_type)
            function = builder.inttoptr(address, ir.FunctionType(returns, kinds).as_pointer())
            value = builder.call(function, args)
            return context.get_dummy_value() if sig.return_type == types.void else value

        return signature, codegen

    names = ["typingctx", *inspect.signature(f).parameters]
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names]
    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__name__ = f.__name__
    return intrinsic(call)
