"""Lanes, the fourth scalar: one number of LANES runs side by side, so that a kernel works on as many runs at once.

Kernels branch on integers alone, so that what they do for one run they do for all. What differs between runs is data:
parameters, workspace, state and time, all in lanes. A user's function is called run by run, and so are kernels that do
branch on numbers, such as those that choose pivots: `one_run` gives them the numbers of one run where these lie.
"""

import operator

from numba import types
from numba.extending import models, overload, register_model

from kaneflex.kernels.compiled_vectors import FAST, INLINE, LANE, VECTOR, LanesType, plain_intrinsic
from kaneflex.kernels.numba_compat import cgutils, ir
from kaneflex.kernels.ops import LANES


def _function(name, flags=FAST):
    """A function of LLVM's on lanes; those without an instruction are calls of the library, lane by lane."""

    @plain_intrinsic
    def call(typingctx, x):
        def codegen(context, builder, sig, args):
            found = cgutils.get_or_insert_function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"{name}.v{LANES}f64")
            return builder.call(found, args, fastmath=flags)

        return LANE(LANE), codegen

    return call


lanes_sqrt, lanes_floor, lanes_exp = (_function(f"llvm.{name}") for name in ("sqrt", "floor", "exp"))
lanes_sin, lanes_cos = (_function(f"llvm.{name}", ()) for name in ("sin", "cos"))


@plain_intrinsic
def minus_product(typingctx, x, n, part):
    """x - n part, to be rounded as it stands."""

    def codegen(context, builder, sig, args):
        product = builder.fmul(args[1], args[2], flags=("contract",))
        return builder.fsub(args[0], product, flags=("contract",))

    return LANE(LANE, LANE, LANE), codegen


@plain_intrinsic
def pick(typingctx, x, a, b):
    """In each lane a where x is positive, else b."""

    def codegen(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], ir.Constant(VECTOR, [0.0] * LANES)), args[1], args[2])

    return LANE(LANE, LANE, LANE), codegen


def _inside(builder, x, bound):
    low = builder.fcmp_ordered("<", x, bound)
    high = builder.fcmp_ordered(">", x, builder.fsub(ir.Constant(VECTOR, [0.0] * LANES), bound))
    return builder.and_(low, high)


@plain_intrinsic
def all_within(typingctx, x, bound):
    """Whether |x| < bound in every lane."""

    def codegen(context, builder, sig, args):
        bits = builder.bitcast(_inside(builder, *args), ir.IntType(LANES))
        return builder.icmp_unsigned("==", bits, ir.Constant(ir.IntType(LANES), 2**LANES - 1))

    return types.boolean(LANE, LANE), codegen


@plain_intrinsic
def within(typingctx, x, bound, a, b):
    """In each lane a where |x| < bound, else b: what a run gets does not depend on those beside it."""

    def codegen(context, builder, sig, args):
        return builder.select(_inside(builder, args[0], args[1]), args[2], args[3])

    return LANE(LANE, LANE, LANE, LANE), codegen


@plain_intrinsic
def lanes_at(typingctx, address):
    """Pointer to the lanes at an address."""

    def codegen(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(LANE)(types.int64), codegen


@plain_intrinsic
def lane_numbers(typingctx, start):
    """Pointer to the floats that lanes are: those of one number follow one another."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.float64)(start), codegen


@plain_intrinsic
def _lane(typingctx, x, k):
    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], builder.trunc(args[1], ir.IntType(32)))

    return types.float64(LANE, types.int64), codegen


def lane(x, k):
    """Stand-in that Numba replaces: the number of run k."""
    raise TypeError("only compiled code calls this")


@overload(lane, jit_options=INLINE)
def _lane_of(x, k):
    return (lambda x, k: _lane(x, k)) if isinstance(x, LanesType) else (lambda x, k: x)


class RunType(types.Type):
    """Where the numbers of one run begin, among lanes."""

    def __init__(self) -> None:
        super().__init__(name="Run")


RUN = RunType()


@register_model(RunType)
class RunModel(models.PrimitiveModel):
    """The address of the first of them."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.DoubleType().as_pointer())


@plain_intrinsic
def _run(typingctx, W, k):
    def codegen(context, builder, sig, args):
        return builder.gep(builder.bitcast(args[0], ir.DoubleType().as_pointer()), [args[1]])

    return RUN(W, types.int64), codegen


def _place(builder, first, k):
    return builder.gep(first, [builder.mul(k, ir.Constant(k.type, LANES))])


@plain_intrinsic
def _number(typingctx, first, k):
    def codegen(context, builder, sig, args):
        return builder.load(_place(builder, *args))

    return types.float64(RUN, types.int64), codegen


@plain_intrinsic
def _set_number(typingctx, first, k, x):
    def codegen(context, builder, sig, args):
        builder.store(args[2], _place(builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(RUN, types.int64, types.float64), codegen


@overload(operator.getitem, jit_options=INLINE)
def _getitem(first, k):
    return (lambda first, k: _number(first, k)) if isinstance(first, RunType) else None


@overload(operator.setitem, jit_options=INLINE)
def _setitem(first, k, x):
    return (lambda first, k, x: _set_number(first, k, x)) if isinstance(first, RunType) else None


def _is_of_lanes(W):
    return isinstance(W, types.CPointer) and isinstance(W.dtype, LanesType)


def runs(W):
    """Stand-in that Numba replaces: LANES where W has lanes, else 1."""
    raise TypeError("only compiled code calls this")


def one_run(W, k):
    """Stand-in that Numba replaces: the numbers of run k."""
    raise TypeError("only compiled code calls this")


@overload(runs, jit_options=INLINE)
def _runs(W):
    count = LANES if _is_of_lanes(W) else 1
    return lambda W: count


@overload(one_run, jit_options=INLINE)
def _one_run(W, k):
    return (lambda W, k: _run(W, k)) if _is_of_lanes(W) else (lambda W, k: W)
