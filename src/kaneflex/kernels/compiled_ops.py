"""The scalar functions of `ops` as compiled code sees them, for float64 and complex128."""

import inspect
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from kaneflex.kernels.compiled_rows import eight_totals as eight_totals
from kaneflex.kernels.compiled_rows import lanes as lanes
from kaneflex.kernels.compiled_rows import row as row
from kaneflex.kernels.compiled_rows import row_of as row_of
from kaneflex.kernels.compiled_rows import row_part as row_part
from kaneflex.kernels.compiled_rows import row_total as row_total
from kaneflex.kernels.compiled_rows import store_row as store_row
from kaneflex.kernels.layout import COMPLEX_STAGES, STAGES
from kaneflex.kernels.numba_compat import TypingError, cgutils, ir

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
    """Sine; Numba replaces it by an inlined polynomial (floats) or NumPy's (complex)."""
    return np.sin(x)


def cos(x):
    """Cosine, as `sin`. The two share their reduction, which is why they beat two library calls."""
    return np.cos(x)


@register_jitable(**_INLINE)
def _reduced(x):
    """n and r with x = n pi/2 + r, |r| <= pi/4; sine and cosine of r to an ulp (fdlibm's minimax polynomials)."""
    n = np.floor(x * 0.63661977236758134308 + 0.5)
    r = ((x - n * _PART1) - n * _PART2) - n * _PART3
    s = r * r
    p = _SIN[0] + s * (_SIN[1] + s * (_SIN[2] + s * (_SIN[3] + s * (_SIN[4] + s * _SIN[5]))))
    c = _COS[0] + s * (_COS[1] + s * (_COS[2] + s * (_COS[3] + s * (_COS[4] + s * _COS[5]))))
    return np.int64(n), r + r * s * p, 1 - (s / 2 - s * s * c)


@overload(sin, jit_options=_INLINE)
def _sin(x):
    if isinstance(x, types.Complex):
        return lambda x: np.sin(x)

    def sine(x):
        if not abs(x) < 1e5:
            return np.sin(x)
        n, s, c = _reduced(x)
        value = c if n & 1 else s
        return -value if n & 2 else value

    return sine


@overload(cos, jit_options=_INLINE)
def _cos(x):
    if isinstance(x, types.Complex):
        return lambda x: np.cos(x)

    def cosine(x):
        if not abs(x) < 1e5:
            return np.cos(x)
        n, s, c = _reduced(x)
        value = s if n & 1 else c
        return -value if (n + 1) & 2 else value

    return cosine


def ramp(x):
    """Stand-in that Numba replaces by one of the two below."""
    raise TypeError("only compiled code calls this")


def step(x):
    """Stand-in that Numba replaces by one of the two below."""
    raise TypeError("only compiled code calls this")


@overload(ramp)
def _ramp(x):
    if isinstance(x, types.Complex):
        return lambda x: x if x.real > 0 else 0 * x
    return lambda x: x if x > 0 else 0.0 * x


@overload(step)
def _step(x):
    if isinstance(x, types.Complex):
        return lambda x: 0 * x + 1 if x.real > 0 else 0 * x
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
def call_law(typingctx, address, t, x, first, out, start):
    """Call a user's function, T being the run's scalar: at the address is a block of integers, the first of them the
    address of a C function void(double t, const T* x, T* out, const int64* block)."""
    signature = types.void(types.int64, types.float64, x, types.int64, out, types.int64)

    def codegen(context, builder, sig, args):
        block = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        _call_at(builder, builder.load(block), args, [builder.bitcast(block, cgutils.voidptr_t)])
        return context.get_dummy_value()

    return signature, codegen


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


def stage_signature(stage, scalar):
    """Numba's signature of a stage for float or complex."""
    number = types.complex128 if scalar is complex else types.float64
    letters = {
        "I": types.CPointer(types.int64),
        "P": types.CPointer(types.float64),
        "w": types.CPointer(number),
        "t": types.float64,
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
    in I, one for each scalar."""

    def call(typingctx, *arguments):
        is_complex = arguments[stage.arguments.index("w")].dtype == types.complex128
        signature = stage_signature(stage, complex if is_complex else float)
        place = COMPLEX_STAGES if is_complex else STAGES

        def codegen(context, builder, sig, args):
            kinds = [context.get_value_type(t) for t in sig.args]
            table = builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), place)]))
            table = builder.inttoptr(table, ir.IntType(64).as_pointer())
            address = builder.load(builder.gep(table, [ir.Constant(ir.IntType(64), number)]))
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
