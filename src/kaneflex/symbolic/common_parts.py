"""Expressions cut into parts that are computed once, as expressions of SymPy."""

from collections.abc import Callable, Sequence
from typing import Any

import sympy

from kaneflex.symbolic.program import Program
from kaneflex.symbolic.translate import Symbols

Expr = Any
_FORMS: dict[str, Callable[..., Any]] = {
    "add": sympy.Add,
    "sub": lambda a, b: a - b,
    "mul": sympy.Mul,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": sympy.Pow,
    "abs": sympy.Abs,
    "<": sympy.StrictLessThan,
    "<=": sympy.LessThan,
    "==": sympy.Equality,
    "!=": sympy.Unequality,
    "select": lambda condition, a, b: sympy.Piecewise((a, condition), (b, True)),
}


def common_parts(symbols: Symbols, outputs: Sequence[Expr]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """What `sympy.cse` would give, found as in exported code; numbers are those of double precision.

    Args:
        symbols: translates.
        outputs: expressions of SymEngine.

    Returns:
        Pairs of a symbol and the part that it stands for, each in terms of those before; and the outputs in terms of them.
    """
    inputs = sorted(set().union(*(e.free_symbols for e in outputs)), key=str)
    program = Program(inputs, outputs)
    names = sympy.numbered_symbols("z", exclude=[sympy.Symbol(str(s)) for s in inputs])
    parts: list[tuple[Any, Any]] = []
    values: list[Any] = []
    for count, line in zip(program.uses(), program.lines, strict=True):
        if not count:
            values.append(None)
        elif line.name == "input":
            values.append(symbols.atom(inputs[int(line.value)]))
        elif line.name == "constant":
            values.append(sympy.Integer(line.value) if line.value.is_integer() else sympy.Float(line.value))
        else:
            form = _FORMS.get(line.name) or getattr(sympy, line.name)
            value = form(*(values[j] for j in line.operands))
            if count > 1 and not value.is_Atom:
                parts.append((next(names), value))
                value = parts[-1][0]
            values.append(value)
    return parts, [values[k] for k in program.outputs]


__all__ = ["common_parts"]
