"""What is changed in a user's function between its bytecode and Numba's typing of it.

Free names that stand for numbers become reads of data (`Read`), which the function gets as one more argument, the first,
called `CELLS`; calls of helpers pass it on. A number in compiled code would make other code of every other number.

Whole powers of complex numbers are taken by multiplication: Numba takes v**3 of a complex v by logarithms, which for
v < 0 ruins a small imaginary part, and so the complex step.

Touches Numba's compiler pipeline, of those functions only that are compiled by `LawCompiler` and `PowersCompiler`.
"""

import operator
from typing import Any, NamedTuple

import numba
from numba.extending import overload

from kaneflex.kernels.numba_compat import (
    CompilerBase,
    DefaultPassBuilder,
    Dispatcher,
    FunctionPass,
    InlineClosureLikes,
    build_definitions,
    mk_unique_var,
    register_pass,
)
from kaneflex.kernels.numba_compat import numba_ir as ir

CELLS = "kaneflex_cells"  # the argument that the numbers are read from


class Read(NamedTuple):
    """Stands for a number among a function's free names; `load` reads it from the cells."""

    load: Any


class Space(NamedTuple):
    """Stands for a module among a function's free names; its attributes by name."""

    parts: dict[str, Any]


class LawCompiler(CompilerBase):
    """Numba's compiler, with numbers that a function refers to as data."""

    def define_pipelines(self) -> list[Any]:
        """The usual one with one pass more."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_References, InlineClosureLikes)
        manager.finalize()
        return [manager]


class PowersCompiler(CompilerBase):
    """The same, taking whole powers of complex numbers by multiplication."""

    def define_pipelines(self) -> list[Any]:
        """The usual one with two passes more."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_References, InlineClosureLikes)
        manager.add_pass_after(_Powers, _References)
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=False, analysis_only=False)
class _References(FunctionPass):
    """Reads numbers from the cells, looks into modules, and passes the cells on to helpers."""

    _name = "kaneflex_references"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function at hand."""
        known: dict[str, Any] = {}  # what a variable stands for, where that is a Space or a helper
        if hasattr(state.func_id.func, CELLS):
            self._take(state.func_ir)
        for block in state.func_ir.blocks.values():
            body: list[Any] = []
            for line in block.body:
                if isinstance(line, ir.Assign):
                    self._rewrite(line, block.scope, known, body)
                body.append(line)
            block.body = body
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True

    def _take(self, func_ir: Any) -> None:
        """Make sure of the first argument, which may have been dropped where nothing seemed to need it."""
        block = func_ir.blocks[min(func_ir.blocks)]
        if not any(isinstance(line, ir.Assign) and line.target.name == CELLS for line in block.body):
            var = ir.Var(block.scope, CELLS, block.loc)
            block.body.insert(0, ir.Assign(ir.Arg(CELLS, 0, block.loc), var, block.loc))

    def _rewrite(self, line: Any, scope: Any, known: dict[str, Any], body: list[Any]) -> None:
        value, loc = line.value, line.loc
        found: Any = None
        if isinstance(value, ir.Global | ir.FreeVar):
            found = value.value
        elif isinstance(value, ir.Expr) and value.op == "getattr" and isinstance(known.get(value.value.name), Space):
            found = known[value.value.name].parts[value.attr]
            line.value = ir.Global(value.attr, found, loc)
        elif isinstance(value, ir.Expr) and value.op == "call" and value.func.name in known:
            value.args = [ir.Var(scope, CELLS, loc), *value.args]
        elif isinstance(value, ir.Var) and value.name in known:
            known[line.target.name] = known[value.name]
        if isinstance(found, Read):
            load = ir.Var(scope, mk_unique_var("$load"), loc)
            body.append(ir.Assign(ir.Global("load", found.load, loc), load, loc))
            line.value = ir.Expr.call(load, [ir.Var(scope, CELLS, loc)], (), loc)
        elif isinstance(found, Space):
            known[line.target.name] = found
            line.value = ir.Const(0, loc)  # nothing is left to be done with it
        elif isinstance(found, Dispatcher) and hasattr(found.py_func, CELLS):
            known[line.target.name] = found


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
