"""A user's function as Numba takes it, with its helpers.

Touches Numba's decorators and its table of known functions; nothing is compiled before somebody calls it.
"""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core.compiler import Compiler
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

from kaneflex.model.profiles import Ready
from kaneflex.plan.laws.powers import PowersCompiler
from kaneflex.plan.laws.profiles import value_law
from kaneflex.plan.laws.rebinding import is_own, rebound


def jitted(function: Any, takes_x: bool, whole_powers: bool = False) -> Any:
    """The function of (t, x) or (t) as Numba takes it, helpers included; None for objects that Numba cannot know.

    With `whole_powers`, for complex numbers, all that is Python source is compiled anew, its powers by multiplication.
    """
    jit = numba.njit(error_model="numpy", boundscheck=True, pipeline_class=PowersCompiler if whole_powers else Compiler)
    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        positional, keywords = (*function.args, *positional), function.keywords | keywords
        function = function.func
    inner, plain = function, getattr(function, "py_func", function)
    if isinstance(plain, types.FunctionType):
        if whole_powers or inner is plain:
            inner = rebound(plain, lambda value, twin: _compilable(value, twin, whole_powers), jit)
        code = plain.__code__
        varied = code.co_flags & inspect.CO_VARARGS or code.co_kwonlyargcount
        if code.co_argcount == 1 + takes_x and not (varied or positional or keywords):
            return inner
    elif not isinstance(plain, types.BuiltinFunctionType | np.ufunc):
        return None
    space = {"inner": inner} | {f"a{k}": v for k, v in enumerate(positional)}
    space |= {f"k{k}": v for k, v in enumerate(keywords.values())}
    given = "".join(f"a{k}, " for k in range(len(positional)))
    words = "".join(f", {word}=k{k}" for k, word in enumerate(keywords))
    arguments = "t, x" if takes_x else "t"
    exec(f"def law({arguments}): return inner({given}{arguments}{words})", space)
    return jit(space["law"])


def _compilable(value: Any, twin: Callable[[Any], Any], anew: bool) -> Any:
    """A helper as compiled code calls it."""
    if isinstance(value, Ready):
        return value_law(value)
    if anew and isinstance(value, Dispatcher) and is_own(value.py_func):
        value = value.py_func
    return value if _numba_knows(value) else twin(value)


def _numba_knows(value: Any) -> bool:
    """False for a helper that must be compiled as well."""
    if not is_own(value):
        return True
    context = cpu_target.typing_context
    context.refresh()
    try:
        return context.resolve_value_type(value) is not None
    except (ValueError, TypeError, TypingError):
        return False
