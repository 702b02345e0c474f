"""A Python function again, with its free names standing for other things.

Reads functions and makes new ones; touches neither the user's functions nor their globals, and knows nothing of what
the new values are for.
"""

import dis
import functools
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


@functools.lru_cache(maxsize=4096)
def globals_in(code: types.CodeType) -> tuple[str, ...]:
    """Global names that the code reads, and those that functions inside it do."""
    found = [str(i.argval) for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += globals_in(constant)
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=4096)
def keeps_state(code: types.CodeType) -> bool:
    """Whether the code assigns to global names, or to those of a function around it."""
    stores = {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF")}
    inside = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return bool(stores - set(code.co_cellvars)) or any(keeps_state(c) for c in inside)


def captured_by(function: types.FunctionType) -> dict[str, Any]:
    """What the function's free names stand for."""
    space = function.__globals__
    captured = {name: space[name] for name in globals_in(function.__code__) if name in space}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # assigned later
            continue
    return captured


def root_of(module: str | None) -> str:
    """Name of the package that a module is of."""
    return (module or "").partition(".")[0]


def is_library(name: str | None) -> bool:
    """Whether a module is one of the libraries whose functions stay as they are."""
    return root_of(name) in _LIBRARIES


def is_own(value: Any) -> bool:
    """Whether it is a Python function that is not a library's."""
    return isinstance(value, types.FunctionType) and not is_library(value.__module__)


def with_helpers(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and its helpers."""
    found = [function]
    for f in found:
        found += [v for v in captured_by(f).values() if is_own(v) and v not in found]
    return found


def copied(f: types.FunctionType, space: dict[str, Any]) -> tuple[types.FunctionType, dict[str, types.CellType]]:
    """The function with other globals and with empty cells, and the cells by name."""
    cells = tuple(types.CellType() for _ in f.__closure__ or ())
    copy = types.FunctionType(f.__code__, space, f.__name__, f.__defaults__, cells or None)
    copy.__kwdefaults__ = f.__kwdefaults__
    copy.__module__, copy.__qualname__ = f.__module__, f.__qualname__
    return copy, dict(zip(f.__code__.co_freevars, cells, strict=True))


def rebound(function: types.FunctionType, change: Callable[[Any, Callable[[Any], Any]], Any]) -> Any:
    """The function with every free name and default changed by change(value, twin); twin(helper) does so to a helper."""
    twins: dict[types.FunctionType, Any] = {}

    def twin(f: types.FunctionType) -> Any:
        if f in twins:
            return twins[f]
        space = dict(f.__globals__)
        twins[f], free = copied(f, space)  # before its names are filled in, for it may name itself
        for name, value in captured_by(f).items():
            changed = change(value, twin)
            if name in free:
                free[name].cell_contents = changed
            else:
                space[name] = changed
        twins[f].__defaults__ = tuple(change(v, twin) for v in f.__defaults__) if f.__defaults__ else None
        twins[f].__kwdefaults__ = {k: change(v, twin) for k, v in f.__kwdefaults__.items()} if f.__kwdefaults__ else None
        return twins[f]

    return twin(function)
