"""Profiles as functions and inside users' functions, and the times at which steps must end.

Reads functions; nothing is compiled before somebody calls it.
"""

import functools
import types
from typing import Any

import numpy as np

from kaneflex.model.profiles import Profile, Ready, curve
from kaneflex.model.rebinding import captured_by, with_helpers


@functools.lru_cache(maxsize=256)
def motion_curve(profile: Ready) -> Any:
    """Acceleration, value and rate of a ready-made profile as one function of t, smooth between the profile's breaks. All
    profiles are the same code, on other numbers."""
    pieces = profile.pieces

    def law(t: Any) -> Any:
        return curve(t, pieces)

    law.symbolic, law.is_smooth = lambda t, x: on_symbols(pieces, t), True  # type: ignore[attr-defined]
    return law


@functools.lru_cache(maxsize=256)
def value_curve(profile: Ready) -> Any:
    """The value of a ready-made profile as a function of t."""
    pieces = profile.pieces

    def law(t: Any) -> Any:
        return curve(t, pieces)[1]

    law.symbolic, law.is_smooth = lambda t, x: [on_symbols(pieces, t)[1]], True  # type: ignore[attr-defined]
    return law


def plain_function(function: Any) -> Any:
    """What is compiled of a function that a user gave: of a profile its value."""
    if isinstance(function, Profile):
        return value_curve(function) if isinstance(function, Ready) else function.functions[0]
    return function


def on_symbols(pieces: Any, t: Any) -> list[Any]:
    """Acceleration, value and rate as expressions of the symbol t, piece by piece."""
    import symengine  # loaded when it is wanted

    from kaneflex.plan.laws.symbols import symbolic_twin

    twin = symbolic_twin(curve)
    rows = [[int(v) if v.is_integer() else v for v in row] for row in pieces.tolist()]
    each = [twin(t, np.array([row], object)) for row in rows]
    found = []
    for expressions in zip(*each, strict=True):
        branches = [(e, symengine.Lt(t, row[0])) for e, row in zip(expressions[:-1], rows[1:], strict=True)]
        last = symengine.sympify(expressions[-1])
        found.append(symengine.Piecewise(*branches, (last, True)) if branches else last)
    return found


def breaks_in(function: Any) -> set[float]:
    """Breaks of the profiles that a function is, or that it and its helpers refer to by name."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, Profile):
        return set(function.breaks)
    plain = getattr(function, "py_func", getattr(function, "__func__", function))
    if not isinstance(plain, types.FunctionType):
        return set()
    named = [v for f in with_helpers(plain) for v in captured_by(f).values()]
    return {t for v in named if isinstance(v, Profile) for t in v.breaks}
