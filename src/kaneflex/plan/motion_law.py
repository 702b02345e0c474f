"""Prescribed motions as laws: acceleration, value and rate as one function of t."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.profiles import Motion, Profile, Ready, motion_of
from kaneflex.plan.laws import frozen
from kaneflex.plan.laws.profiles import motion_curve

_ADVICE = "pass Motion(value, rate, acceleration) with all three functions"
_TRIALS = (0.123, 0.7, 2.9, 0.31, 5.3, 11.7)  # s


def motion_law(motion: Profile | Callable[[Any], Any], what: str) -> Any:
    """A function of t that returns (acceleration, value, rate) of a prescribed motion, for `CompiledFunction(f, 0, 3)`.

    Derivatives that a Motion or a bare function of t does not bring are derived in symbols. Where the function has an
    attribute `symbolic`, that is the law on symbols. A function that a file could not hold is returned as it is.

    Args:
        motion: a profile, a Motion or a function of t.
        what: what the motion is of, for messages, as in 'motion of joint "crank"'.
    """
    profile = motion_of(motion, what)
    if isinstance(profile, Ready):
        return motion_curve(profile)
    functions = profile.functions
    for function in functions:
        if hasattr(function, "is_missing"):
            return function
    if None in functions or _speaks_symbols(functions):
        law = _derived_law([f if f is None else frozen(f) for f in functions], what)
    else:
        law = _joined(*(frozen(f, arrays=False) for f in functions))
    law.traced = tuple(f for f in functions if f is not None)
    _check_derivatives(law, profile, what)
    return law


# ---- functions of the user's


def _speaks_symbols(functions: Sequence[Any]) -> bool:
    """Whether some function returns something else than a plain number, such as SymEngine's sine does."""
    for function in functions:
        try:
            result = function(_TRIALS[0])
        except Exception:
            continue
        if np.asarray(result).dtype.kind == "O":
            return True
    return False


def _joined(value: Any, rate: Any, acceleration: Any) -> Any:
    """The three functions as one."""

    def law(t: Any) -> Any:
        return acceleration(t), value(t), rate(t)

    return law


def _derived_law(functions: Sequence[Any], what: str) -> Any:
    """The law with those derivatives that are not given derived in symbols."""
    from kaneflex.plan.traced import T, check_agreement, check_arguments, generated, traced  # brings SymPy

    names = ("value", "rate", "acceleration")
    expressions: list[Any] = []
    for name, function in zip(names, functions, strict=True):
        if function is None:
            expressions.append(expressions[-1].diff(T))
            continue
        of = what if name == "value" else f"{what}, {name}"
        check_arguments(function, ("t",), of)
        found = traced(function, (T,), of, _ADVICE)
        if len(found) != 1:
            raise ModelError(f"{of}: the function returned {len(found) or 'no'} numbers; it must return one, the coordinate")
        expressions.append(found[0])
    value, rate, acceleration = expressions
    law = of_time(generated([acceleration, value, rate], [], what, _ADVICE))
    for place, name, function in zip((1, 2, 0), names, functions, strict=True):
        if function is not None:
            of = what if name == "value" else f"{what}, {name}"
            check_agreement(function, lambda t, k=place: law(t)[k], [(t,) for t in _TRIALS], of, _ADVICE)
    return law


def of_time(generated_law: Any) -> Any:
    """f(t) of f(t, x) that needs no x."""

    def law(t: Any) -> Any:
        return generated_law(t, ())

    law.symbolic = generated_law.symbolic  # type: ignore[attr-defined]
    return law


def _check_derivatives(law: Callable[[float], Any], profile: Profile, what: str) -> None:
    """Refuse a rate or an acceleration that is not the derivative of what it should be, as far as differences tell."""
    breaks = profile.breaks
    times = [*_TRIALS, *((a + b) / 2 for a, b in pairwise(breaks))]
    for name, of, k, derivative in (("rate", "value", 1, 2), ("acceleration", "rate", 2, 0)):
        if isinstance(profile, Motion) and getattr(profile, name) is None:
            continue
        found = [_slopes(law, t, k, derivative) for t in times]
        size = max((abs(given) for given, *_ in found), default=0.0)
        wrong = []
        for t, (given, left, right, noise) in zip(times, found, strict=True):
            room = 1e-3 * (abs(left) + abs(right)) + 1e-6 * size + noise
            if abs(right - left) < room and abs(given - (left + right) / 2) > room:
                wrong.append(f"at t = {t:g} it is {given:.6g}, and the {of} changes by {(left + right) / 2:.6g} per second")
        if len(wrong) > 1:
            raise ModelError(f"{what}: the {name} is not the derivative of the {of}: {wrong[0]}")


def _slopes(law: Callable[[float], Any], t: float, k: int, derivative: int) -> tuple[float, float, float, float]:
    """The derivative that the law gives, differences on the left and on the right, and their noise; NaN where it fails."""
    h = 1e-6
    try:
        with np.errstate(all="ignore"):
            before, here, after = (law(s) for s in (t - h, t, t + h))
            x = [float(values[k]) for values in (before, here, after)]
            return float(here[derivative]), (x[1] - x[0]) / h, (x[2] - x[1]) / h, 1e-14 * max(map(abs, x)) / h
    except Exception:  # the law's own trial tells of it
        return 0.0, math.nan, math.nan, 0.0
