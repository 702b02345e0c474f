"""Constraints that the user writes as functions, differentiated in symbols and made into the laws that kernels call.

A holonomic one is f(t, x) = 0, x being the coordinates, positions and rotations that it sees. With v = x-dot, its rate is
f_x v + f_t, and the rate of that is f_x x-ddot + gamma, gamma = v^T f_xx v + 2 f_xt v + f_tt. A velocity constraint is
f(t, x, v) = A(t, x) v + b(t, x) = 0; its rate is A x-ddot + gamma, gamma = (dA/dt) v + db/dt.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import symengine

from kaneflex.model.checks import ModelError
from kaneflex.plan.traced import T, check_agreement, check_arguments, generated, traced, trials

_ADVICE = "use arithmetic, kaneflex.sin, cos and sqrt or NumPy's functions of numbers, and no branches on the arguments"


def constraint_law(function: Callable[..., Any], sizes: Sequence[int], what: str) -> tuple[int, Any]:
    """The number m of rows of a holonomic constraint f(t, x) = 0, and its law.

    The law is a function of t and of the 2 n numbers (x, v), n = sum(sizes), and returns m (n + 3) numbers: for each row
    f, the n derivatives df/dx, df/dt and gamma. Its attribute `symbolic` is the law on symbols.

    Args:
        function: f(t, x), giving one number or several; x is an array of n numbers.
        sizes: how many numbers each quantity in x has.
        what: what the constraint is, for messages, as in 'constraint "mine"'.
    """
    _refuse_missing(function)
    check_arguments(function, ("t", "x"), what)
    x, v = _symbols(sizes)
    rows = _rows(traced(function, (T, x), what, _ADVICE), x, "x", what)
    flat = []
    for f in rows:
        flat += [f, *(f.diff(s) for s in x), f.diff(T), _rate(_rate(f, x, v), x, v)]
    law = generated(flat, [*x, *v], what, _ADVICE)
    law.traced = (function,)
    n = len(x)
    places = [(t, y[:n]) for t, y in trials(n)]
    check_agreement(function, lambda t, y: law(t, np.concatenate([y, y]))[:: n + 3], places, what, _ADVICE)
    return len(rows), law


def velocity_constraint_law(function: Callable[..., Any], sizes: Sequence[int], what: str) -> tuple[int, Any]:
    """The number m of rows of a velocity constraint f(t, x, v) = A v + b = 0, and its law.

    The law is a function of t and of the 2 n numbers (x, v), n = sum(sizes), and returns m (n + 3) numbers: for each row
    0, the n coefficients A, b and gamma. Its attribute `symbolic` is the law on symbols.

    Args:
        function: f(t, x, v), giving one number or several, linear in v; x and v = dx/dt are arrays of n numbers.
        sizes: how many numbers each quantity in x has.
        what: what the constraint is, for messages, as in 'constraint "mine"'.
    """
    _refuse_missing(function)
    check_arguments(function, ("t", "x", "v"), what)
    x, v = _symbols(sizes)
    rows = _rows(traced(function, (T, x, v), what, _ADVICE), v, "v", what)
    flat = []
    for r, f in enumerate(rows):
        b = f.subs(dict.fromkeys(v, 0))
        flat += [symengine.Integer(0), *_coefficients(f, v, r, what), b, _rate(f, x, v)]
    law = generated(flat, [*x, *v], what, _ADVICE)
    law.traced = (function,)
    n = len(x)

    def at(t: float, y: Any, w: Any) -> Any:
        values = np.reshape(law(t, np.concatenate([y, w])), (-1, n + 3))
        return values[:, 1 : n + 1] @ w + values[:, n + 1]

    places = [(t, y[:n], y[n:]) for t, y in trials(2 * n)]
    check_agreement(function, at, places, what, _ADVICE)
    return len(rows), law


def _refuse_missing(function: Any) -> None:
    """A function that a file could not hold says so when called."""
    if hasattr(function, "is_missing"):
        function(0.0)


def _symbols(sizes: Sequence[int]) -> tuple[list[Any], list[Any]]:
    n = sum(sizes)
    return [symengine.Symbol(f"x__{k}") for k in range(n)], [symengine.Symbol(f"v__{k}") for k in range(n)]


def _rows(found: list[Any], symbols: list[Any], name: str, what: str) -> list[Any]:
    """The rows, each of which must depend on some of the symbols."""
    if not found:
        raise ModelError(f"{what}: the function returned no numbers; it must return those that are to be zero")
    for r, f in enumerate(found):
        if not f.free_symbols & set(symbols):
            row = "what the function returns" if len(found) == 1 else f"number {r} that the function returns"
            advice = "; leave it out" if name == "x" else "; leave it out, or make it a Constraint"
            raise ModelError(f"{what}: {row} does not depend on {name}, so that it constrains nothing{advice}")
    return found


def _rate(f: Any, x: list[Any], v: list[Any]) -> Any:
    """df/dt where dx/dt = v and v is held."""
    return sum((f.diff(s) * w for s, w in zip(x, v, strict=True)), f.diff(T))


def _coefficients(f: Any, v: list[Any], row: int, what: str) -> list[Any]:
    """df/dv, which must not depend on v."""
    found = []
    for k, s in enumerate(v):
        c = f.diff(s)
        if c.free_symbols & set(v):
            c = c.expand()
        if c.free_symbols & set(v):
            raise ModelError(
                f"{what}: the function is not linear in v: the derivative of number {row} by v[{k}] depends on v; "
                "write it so that v enters to the first power"
            )
        found.append(c)
    return found
