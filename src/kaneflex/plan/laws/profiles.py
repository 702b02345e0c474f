"""Profiles inside users' functions: their compiled and symbolic values, and the times at which steps must end.

Reads functions; nothing is compiled before somebody calls it.
"""

import functools
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

from kaneflex.model.profiles import Profile, Ready, curve
from kaneflex.plan.laws.rebinding import captured_by, with_helpers

register_jitable(curve)


def ready_law(profile: Ready, choose: Callable[[Any], Any]) -> Any:
    """What `choose` takes of acceleration, value and rate of a ready-made profile, as a compiled function of t that is
    smooth between the profile's breaks."""
    pieces, chosen = profile.pieces, register_jitable(choose)
    law: Any = numba.njit(lambda t: chosen(curve(t, pieces)), error_model="numpy")
    law.symbolic = lambda t, x: choose(on_symbols(pieces, t))
    law.is_smooth = True
    return law


@functools.lru_cache(maxsize=256)
def value_law(profile: Ready) -> Any:
    """The value of a ready-made profile. Equal profiles have the same law, which is compiled once."""
    return ready_law(profile, lambda found: found[1])


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
