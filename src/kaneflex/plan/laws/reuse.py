"""The same function is compiled once. Touches only `remembered`."""

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from kaneflex.model.profiles import Ready
from kaneflex.plan.laws.code import Code
from kaneflex.plan.laws.rebinding import captured_by, is_own

_MOST = 128  # functions kept for reuse
remembered: dict[Any, Code] = {}  # the last used one last


def code_of(function: Callable[..., Any], inputs: int, outputs: int, name: str) -> Code:
    """The code of the function, compiled already if it is the same one and all it refers to is unchanged."""
    identity = _identity(function)
    if identity is None:
        return Code(function, inputs, outputs, name)
    key = identity, inputs, outputs
    code = remembered.pop(key, None) or Code(function, inputs, outputs, name)
    if name not in code.names:
        code.names.append(name)
    remembered[key] = code
    if len(remembered) > _MOST:
        del remembered[next(iter(remembered))]
    return code


def _identity(value: Any, seen: tuple[Any, ...] = ()) -> Any:
    """Something hashable that changes when the function, or a value it refers to, does; None where that is unknown."""
    if isinstance(value, bool | int | float | complex | str | None):
        return type(value), value
    if isinstance(value, types.ModuleType):
        return value if value.__name__ in ("math", "cmath", "numpy") else None
    if isinstance(value, types.BuiltinFunctionType | np.ufunc | Dispatcher | Ready):
        return value
    head: Any
    if isinstance(value, functools.partial):
        head, parts = (len(value.args), *value.keywords), [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, types.FunctionType):
        if value in seen or not is_own(value):
            return value
        captured = captured_by(value)
        head, parts, seen = (value, *captured), list(captured.values()), (*seen, value)
    elif isinstance(value, tuple):
        head, parts = tuple, list(value)
    else:
        return None
    known = [_identity(part, seen) for part in parts]
    return None if None in known else (head, *known)
