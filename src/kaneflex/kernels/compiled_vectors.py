"""Vectors of the processor as Numba's types: LANES floats side by side, and the operators on them.

Two kinds have the same numbers and mean two things: a row is LANES numbers of one run (`compiled_rows`), lanes are one
number of LANES runs (`compiled_lanes`). A number beside a vector stands in all of its places.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, lower_cast, models, overload, register_model

from kaneflex.kernels.numba_compat import Conversion, ir
from kaneflex.kernels.ops import LANES

INLINE: Any = {"forceinline": True, "fastmath": True}
FAST = ("fast",)
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
plain_intrinsic: Any = intrinsic  # whose functions are called without the typing context that they take


class VectorType(types.Type):
    """A vector of floats. A number becomes one where a variable is the one in one branch and the other in another."""

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Numbers do, where there is nothing that takes them as they are."""
        return Conversion.unsafe if isinstance(other, types.Integer | types.Float) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        """With a number: the vector."""
        return self if isinstance(other, types.Integer | types.Float) else None


class RowType(VectorType):
    """LANES numbers of one run."""

    def __init__(self) -> None:
        super().__init__(name="Row")


class LanesType(VectorType):
    """One number of LANES runs."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


ROW, LANE = RowType(), LanesType()


@register_model(RowType)
@register_model(LanesType)
class VectorModel(models.PrimitiveModel):
    """Either is a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def integers(values):
    """A constant vector of 32-bit integers."""
    values = list(values)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(values)), values)


def spread(builder, x, undefined):
    """x in every place."""
    first = builder.insert_element(undefined, x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, integers([0] * LANES))


@lower_cast(types.Integer, VectorType)
@lower_cast(types.Float, VectorType)
def _from_number(context, builder, kind, vector, x):
    return spread(builder, context.cast(builder, x, kind, types.float64), ir.Constant(VECTOR, ir.Undefined))


def _elementwise(instruction: str, *operations: Callable[..., Any]) -> None:
    """Let operators work on two vectors of a kind, and on a vector and a number."""

    @plain_intrinsic
    def both(typingctx, a, b):
        kind = a if isinstance(a, VectorType) else b

        def codegen(context, builder, sig, args):
            return getattr(builder, instruction)(*args, flags=FAST)

        return kind(kind, kind), codegen  # a number is cast

    def work(a, b):
        kinds = {type(x) for x in (a, b) if isinstance(x, VectorType)}
        others = [x for x in (a, b) if not isinstance(x, VectorType)]
        if len(kinds) == 1 and all(isinstance(x, types.Integer | types.Float) for x in others):
            return lambda a, b: both(a, b)
        return None

    for operation in operations:
        overload(operation, jit_options=INLINE)(work)


_elementwise("fadd", operator.add, operator.iadd)
_elementwise("fsub", operator.sub, operator.isub)
_elementwise("fmul", operator.mul, operator.imul)
_elementwise("fdiv", operator.truediv, operator.itruediv)


@overload(operator.neg, jit_options=INLINE)
def _neg(a):
    return (lambda a: 0.0 - a) if isinstance(a, VectorType) else None
