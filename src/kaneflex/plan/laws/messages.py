"""What is said of a user's function: its source, what is wrong with it, what to write instead.

Reads functions and errors; calls no user code, and raises nothing.
"""

import functools
import inspect
import math
import re
import textwrap
import types
from typing import Any

from kaneflex.kernels.numba_compat import NumbaError
from kaneflex.model.rebinding import captured_by, names_in, with_helpers


def source_of(function: Any) -> str:
    """The function's source text, or how Python prints it where there is none."""
    function = getattr(function, "py_func", function)
    found = _source_of(function.__code__) if isinstance(function, types.FunctionType) else ""
    return found or repr(function)


@functools.lru_cache(maxsize=256)
def _source_of(code: types.CodeType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(code))
    except (OSError, TypeError):
        return ""


def mismatch(name: str, returned: str | int, outputs: int) -> str:
    """That the function returned this, or so many values, where `outputs` numbers are needed."""
    if isinstance(returned, int):
        returned = f"{returned} value{'' if returned == 1 else 's'}"
    kind, quoted = name.partition(" ")[::2]
    if quoted[:1] in ("'", '"'):
        needs = f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind} needs {outputs}"
    else:
        needs = f"{outputs} {'is' if outputs == 1 else 'are'} needed"
    return f"{name}: the function returned {returned}, {needs}"


def describe(error: BaseException) -> str:
    """Type and message of an exception."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def summary(error: Exception) -> str:
    """The first line of a Numba message that says something."""
    if not isinstance(error, NumbaError):
        return f"Numba fails on it with {type(error).__name__}"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip(" -").rstrip(":") for line in text.splitlines()]
    telling = [line for line in lines if line and not line.startswith(("Failed in nopython", "During: "))]
    return textwrap.shorten(telling[0] if telling else type(error).__name__, 100, placeholder=" ...")


def remedy(function: Any, error: Exception) -> str:
    """What to write in a function that raised the error on complex numbers."""
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    used: set[str] = set()
    for f in with_helpers(function) if isinstance(function, types.FunctionType) else ():
        captured = captured_by(f)
        if math in captured.values():
            used |= {n for n in names_in(f.__code__) if callable(getattr(math, n, None))}
        used |= {n for n, v in captured.items() if getattr(v, "__module__", "") == "math" and callable(v)}
    if used:
        return f"use numpy's {' and '.join(sorted(used))}: those of the math module take no complex numbers"
    return f"it does not run on complex numbers ({describe(error)})"
