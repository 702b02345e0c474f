"""User functions run once on symbols, and functions generated from what came out.

Refuses, with a ModelError, what does not run on symbols, what is no number there, and what gives other numbers there
than it does on numbers.
"""

import inspect
import numbers
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import symengine

from kaneflex.model.checks import ModelError
from kaneflex.plan.custom_joint import _flat, _function, _substitution
from kaneflex.plan.laws import frozen
from kaneflex.plan.laws.entries import quiet
from kaneflex.plan.laws.messages import describe
from kaneflex.plan.laws.symbols import symbolic_twin

T = symengine.Symbol("t")


def check_arguments(function: Any, names: Sequence[str], what: str) -> None:
    """Refuse a function that cannot be called with arguments of these names, one each.

    Args:
        function: the user's.
        names: of the arguments.
        what: what the function is, for messages.
    """
    if not callable(function):
        raise ModelError(f"{what} is {function!r}: give a function of ({', '.join(names)})")
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*names)
    except TypeError:
        raise ModelError(f"{what}: the function takes {signature}; it must take ({', '.join(names)})") from None


def traced(function: Callable[..., Any], arguments: Sequence[Any], what: str, advice: str) -> list[Any]:
    """What the function returns on symbols, as a list of SymEngine expressions of these symbols and no others.

    Args:
        function: the user's; helpers, NumPy's and math's functions in it are replaced by their symbolic twins.
        arguments: symbols, or sequences of symbols, which the function sees as arrays.
        what: what the function is, for messages.
        advice: what to do when it does not run on symbols.
    """
    seen = [_array(a) if isinstance(a, list | tuple) else a for a in arguments]
    try:
        result = list(_flat(symbolic_twin(frozen(function))(*seen)))
        for r in result:
            if r is None or isinstance(r, str | dict | set):
                kind = "None" if r is None else f"a {type(r).__name__}"
                raise ModelError(f"{what}: the function returned {kind}; it must return numbers")
        found = [symengine.sympify(e) for e in result]
    except ModelError:
        raise
    except IndexError as error:
        lengths = " and ".join(str(len(a)) for a in seen if isinstance(a, np.ndarray))
        raise ModelError(f"{what}: the function failed ({describe(error)}): its arguments hold {lengths} numbers") from error
    except Exception as error:
        raise ModelError(f"{what}: the function does not run on symbols ({describe(error)}): {advice}") from error
    for e in found:
        if e.is_Boolean or e.is_Relational:
            raise ModelError(f"{what}: the function returned {_written(str(e))} on symbols, which is not a number: {advice}")
    own = {s for a in arguments for s in (a if isinstance(a, list | tuple) else [a])}
    strange = set().union(*(e.free_symbols for e in found)) - own
    if strange:
        raise ModelError(f"{what}: the function contains {', '.join(sorted(map(str, strange)))}, which have no value")
    return found


def _array(symbols: Sequence[Any]) -> Any:
    array = np.empty(len(symbols), object)
    array[:] = symbols
    return array


def generated(expressions: Sequence[Any], symbols: Sequence[Any], what: str, advice: str) -> Any:
    """law(t, x) that returns the expressions of T and of symbols whose values are x, in Python that Numba compiles.

    Its attribute `symbolic` is the same on symbols, as `CompiledFunction` takes it.

    Args:
        expressions: SymEngine's.
        symbols: one for each number in x.
        what: what the expressions are from, for messages.
        advice: what to do when one of them cannot be computed.
    """
    kinks = sorted({str(d.args[0]) for e in expressions for d in e.atoms(symengine.Derivative)})
    if kinks:
        raise ModelError(f"{what}: the function cannot be differentiated, {_written(kinks[0])} has no derivative: {advice}")
    try:
        law: Any = _function(expressions, symbols, what)
        results = [_attempted(law, t, x) for t, x in trials(len(symbols))]
    except (ValueError, NameError) as error:
        reason = str(error.__cause__ or error).partition("\n")[0]
        raise ModelError(f"{what}: the function has something in it that cannot be computed ({reason}): {advice}") from error
    if any(np.iscomplexobj(r) for r in results if r is not None):
        raise ModelError(f"{what}: the function gives complex numbers; it must give real ones")
    substitution = _substitution(expressions, [T, *symbols])
    law.symbolic = lambda t, x: substitution(0, [t, *x])
    return law


def _written(expression: str) -> str:
    """An expression with x[0] for the symbol x__0."""
    return re.sub(r"__(\d+)", r"[\1]", expression)


def _attempted(law: Callable[..., Any], t: float, x: Any) -> Any:
    """The law's values, or None outside of its domain."""
    try:
        with quiet():
            return np.array(law(t, x))
    except (ArithmeticError, ValueError):
        return None


def trials(size: int) -> Iterator[tuple[float, Any]]:
    """Times and places at which to try a function of t and of `size` numbers."""
    random = np.random.default_rng(11)
    for t in (0.123, 0.7, 2.9, 0.31, 5.3, 11.7):
        yield np.float64(t), random.uniform(-1.0, 1.0, size)


def on_numbers(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a user function returns on numbers, as a flat array of floats; None where it fails or returns none."""
    try:
        with quiet():
            result = list(_flat(function(*arguments)))
            if all(isinstance(r, numbers.Real | symengine.Number) for r in result):
                return np.array([float(r) for r in result])
    except Exception:  # it is told of where the function must run
        pass
    return None


def check_agreement(one: Callable[..., Any], other: Callable[..., Any], arguments: Any, what: str, advice: str) -> None:
    """Refuse a function that gives one thing on numbers and another when it was run on symbols.

    Args:
        one: the user's function.
        other: what was made of it.
        arguments: tuples of numbers at which to compare the two.
        what: what the function is, for messages.
        advice: what to do about it.
    """
    found = [(values[0], on_numbers(one, *values), on_numbers(other, *values)) for values in arguments]
    pairs = [(t, a, b) for t, a, b in found if a is not None and b is not None and a.shape == b.shape]
    sizes = np.array([np.abs(a) for _, a, _ in pairs])
    room = 1e-12 + 1e-6 * np.max(sizes, where=np.isfinite(sizes), initial=0.0)  # not of this place: it may be a zero
    for t, a, b in pairs:
        with quiet():
            off = np.abs(a - b)
        if np.any((off > room) & np.isfinite(off)):
            raise ModelError(f"{what}: at t = {t:g} the function gives {a}, and {b} when it has run on symbols: {advice}")
