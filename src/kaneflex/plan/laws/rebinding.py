"""A Python function again, with its free names standing for other things.

Reads functions and makes new ones; touches neither the user's functions nor their globals, and knows nothing of what
the new values are for.
"""

import types
from collections.abc import Callable, Iterator
from typing import Any

_LIBRARIES = {"numpy", "scipy", "sympy", "symengine", "numba", "math", "cmath", "builtins"}


def names_in(code: types.CodeType) -> Iterator[str]:
    """Global names and attributes in the code, and in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def captured_by(function: types.FunctionType) -> dict[str, Any]:
    """What the function's free names stand for."""
    space = function.__globals__
    captured = {name: space[name] for name in names_in(function.__code__) if name in space}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # assigned later
            continue
    return captured


def is_own(value: Any) -> bool:
    """Whether it is a Python function that is not a library's."""
    return isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] not in _LIBRARIES


def with_helpers(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and its helpers."""
    found = [function]
    for f in found:
        found += [v for v in captured_by(f).values() if is_own(v) and v not in found]
    return found


def rebound(
    function: types.FunctionType,
    change: Callable[[Any, Callable[[Any], Any]], Any],
    wrap: Callable[[Any], Any] = lambda made: made,
) -> Any:
    """The function with every free name changed by change(value, twin), where twin(helper) does the same to a helper;
    each function made is wrapped by `wrap`."""
    twins: dict[types.FunctionType, Any] = {}

    def twin(f: types.FunctionType) -> Any:
        if f in twins:
            return twins[f]
        space = dict(f.__globals__)
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        copy = types.FunctionType(f.__code__, space, f.__name__, f.__defaults__, cells or None)
        copy.__kwdefaults__ = f.__kwdefaults__
        copy.__module__, copy.__qualname__ = f.__module__, f.__qualname__
        twins[f] = wrap(copy)  # before its names are filled in, for it may name itself
        free = dict(zip(f.__code__.co_freevars, cells, strict=True))
        for name, value in captured_by(f).items():
            changed = change(value, twin)
            if name in free:
                free[name].cell_contents = changed
            else:
                space[name] = changed
        return twins[f]

    return twin(function)
