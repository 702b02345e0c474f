"""A user's function on symbols: the same function with SymEngine's in the place of numpy's and math's.

Touches SymEngine; runs no user code.
"""

import functools
import inspect
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels import compiled_ops, ops, symbolic_ops
from kaneflex.kernels.numba_compat import Dispatcher
from kaneflex.model.parameters import Expression
from kaneflex.model.profiles import Ready
from kaneflex.model.rebinding import is_own, rebound
from kaneflex.plan.laws.profiles import on_symbols


def symbolic_twin(function: Any) -> Callable[..., Any]:
    """The function with numpy's, math's and the kernels' scalar functions replaced by SymEngine's, helpers included."""
    if isinstance(function, functools.partial):
        words = {k: _symbolic_value(v) for k, v in function.keywords.items()}
        return functools.partial(symbolic_twin(function.func), *map(_symbolic_value, function.args), **words)
    if isinstance(function, types.MethodType):
        return types.MethodType(symbolic_twin(function.__func__), function.__self__)
    function = getattr(function, "py_func", function)
    if isinstance(function, types.FunctionType):
        return rebound(function, _symbolic_value)
    call = inspect.getattr_static(type(function), "__call__", None)
    if is_own(call):
        return types.MethodType(symbolic_twin(call), function)
    return _symbolic_value(function)


def _symbolic_value(value: Any, twin: Callable[[Any], Any] | None = None) -> Any:
    if isinstance(value, Expression):
        return in_symbols(value)
    if isinstance(value, Ready):
        return lambda t: on_symbols(value.pieces, t)[1]
    if isinstance(value, Dispatcher):
        value = value.py_func
    if isinstance(value, types.ModuleType) and value in (np, math):
        return _SymbolicModule(value)
    if isinstance(value, types.BuiltinFunctionType | types.FunctionType | np.ufunc):
        replaced = _symbolic_functions().get(value)
        if replaced is not None:
            return replaced
        return twin(value) if twin and is_own(value) else value
    return value


def in_symbols(expression: Expression) -> Any:
    """An expression of parameters on symbols of their names."""
    made: dict[str, Any] = {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "negative": operator.neg,
        "positive": operator.pos,
        "reciprocal": lambda a: 1 / a,
    }

    def number(a: Any) -> Any:
        return symengine.Integer(int(a)) if isinstance(a, float) and a.is_integer() else a

    def function(name: str) -> Any:
        known = made.get(name) or _symbolic_functions()[getattr(np, name)]
        return lambda *arguments: known(*map(number, arguments))

    return expression.on(lambda parameter: symengine.Symbol(parameter.name), function)


class _SymbolicModule:
    """numpy or math, with those functions replaced that SymEngine has."""

    pi = symengine.pi

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _symbolic_value(getattr(self._module, name))


@functools.cache
def _symbolic_functions() -> dict[Any, Any]:
    def each(function: Callable[..., Any], arguments: int = 1) -> Any:
        return np.frompyfunc(function, arguments, 1)

    table: dict[Any, Any] = {}
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil"):
        function = each(getattr(symengine, {"ceil": "ceiling"}.get(name, name)))
        table |= {getattr(module, name): function for module in (np, math)}
    for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh"):
        function = each(getattr(symengine, name))
        table |= {getattr(math, name): function, getattr(np, name.replace("a", "arc", 1)): function}
    for functions, made in (
        ((math.atan2, np.arctan2), each(symengine.atan2, 2)),
        ((math.fabs, np.abs, np.fabs), each(symengine.Abs)),
        ((math.pow, np.power), each(lambda a, b: a**b, 2)),
        ((math.radians, np.radians, np.deg2rad), each(lambda a: a * symengine.pi / 180)),
        ((math.degrees, np.degrees, np.rad2deg), each(lambda a: a * 180 / symengine.pi)),
        ((math.hypot, np.hypot), each(lambda a, b: symengine.sqrt(a**2 + b**2), 2)),
        ((np.sign,), each(symengine.sign)),
        ((np.maximum,), each(symengine.Max, 2)),
        ((np.minimum,), each(symengine.Min, 2)),
        ((np.square,), each(lambda a: a * a)),
        ((ops.ramp, compiled_ops.ramp), each(symbolic_ops.ramp)),
        ((ops.step, compiled_ops.step), each(symbolic_ops.step)),
        ((compiled_ops.sin,), each(symengine.sin)),
        ((compiled_ops.cos,), each(symengine.cos)),
    ):
        table |= dict.fromkeys(functions, made)
    return table
