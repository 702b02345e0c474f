"""Whole powers of complex numbers by multiplication, in code that Numba compiles.

Numba takes v**3 of a complex v by logarithms, which for v < 0 ruins a small imaginary part, and so the complex step.

Touches Numba's compiler pipeline, of those functions only that are compiled by `PowersCompiler`.
"""

import operator
from typing import Any

import numba
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions, mk_unique_var
from numba.core.untyped_passes import IRProcessing
from numba.extending import overload


class PowersCompiler(CompilerBase):
    """Numba's compiler, taking whole powers of complex numbers by multiplication."""

    def define_pipelines(self) -> list[Any]:
        """The usual one with one pass more."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_Powers, IRProcessing)
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Powers(FunctionPass):
    """Makes a ** b a call of `_power`."""

    _name = "kaneflex_powers"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function at hand."""
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for line in block.body:
                value: Any = getattr(line, "value", None)
                binary = isinstance(value, ir.Expr) and value.op in ("binop", "inplace_binop")
                if binary and value.fn in (operator.pow, operator.ipow):
                    name = ir.Var(block.scope, mk_unique_var("$power"), line.loc)
                    body.append(ir.Assign(ir.Global("_power", _power, line.loc), name, line.loc))
                    line.value = ir.Expr.call(name, [value.lhs, value.rhs], (), line.loc)
                    changed = True
                body.append(line)
            block.body = body
        if changed:
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return changed


def _power(base: Any, exponent: Any) -> Any:
    return base**exponent


@overload(_power)
def _compiled_power(base: Any, exponent: Any) -> Any:
    number = base.dtype if isinstance(base, numba.types.Array) else base
    if not (isinstance(number, numba.types.Complex) and isinstance(exponent, numba.types.Integer | numba.types.Float)):
        return _power

    def power(base: Any, exponent: Any) -> Any:
        n = int(exponent)
        if n != exponent:
            return base**exponent
        left, factor, value = abs(n), base, 0 * base + 1
        while left:
            if left & 1:
                value = value * factor
            factor = factor * factor
            left >>= 1
        return 1 / value if n < 0 else value

    return power
