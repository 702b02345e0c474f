"""What a user may give as the value of a named input: a number, a function, a profile, a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.profiles import Profile, signal

ADVICE = "give a number, a function of t, a profile, (times, values), a pandas Series over t, or (function, channels)"


def drives_of(given: Mapping[str, Any] | None, names: Mapping[str, Any]) -> dict[str, Any]:
    """Values of inputs by name, each as `drive_of` has it.

    Args:
        given: what the user gave, by input; None for nothing.
        names: the inputs that there are.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f'inputs is {checks.shown(given)}: give values by name, e.g. inputs={{"motor": 2.0}}')
    return {checks.known(name, names, "input"): drive_of(value, f'input "{name}"') for name, value in given.items()}


def input_values(names: Mapping[str, Any], given: Mapping[str, Any] | None, t: float) -> np.ndarray:
    """Values of inputs at time t, in the order of their names; those not given are zero."""
    drives = drives_of(given, names)
    return np.array([value_at(drives.get(name, 0.0), t, f'input "{name}"') for name in names])


def drive_of(given: Any, what: str) -> Any:
    """A float, a function of t, a Profile, or (function of t and x, names of channels), from what a user gave.

    A table, (times, values) or a pandas Series over time, becomes a `profiles.signal` of straight lines, held beyond its
    ends. A Series whose index is of time differences counts in seconds.

    Args:
        given: what the user gave.
        what: what it is, for messages.
    """
    if isinstance(given, Profile) or checks.is_function(given):
        return given
    if hasattr(given, "index") and hasattr(given, "to_numpy"):
        return _table(_seconds(given.index.to_numpy(), what), given.to_numpy(), what)
    if isinstance(given, tuple | list) and len(given) == 2:
        first, second = given
        if checks.is_function(first):
            return first, checks.names(second, f"{what}: channels that its function sees")
        if all(isinstance(x, tuple | list | np.ndarray) for x in given):
            return _table(first, second, what)
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        return checks.number(given, what)
    raise ModelError(f"{what} is {checks.shown(given)}: {ADVICE}")


def value_at(given: Any, t: float, what: str) -> float:
    """What an input made by `drive_of` is at time t, s."""
    if isinstance(given, tuple):
        raise ModelError(
            f"{what} is a function of channels, which has no value by itself: give a number or a function of t; "
            "as part of the system it is a load, e.g. JointForce(..., sees=[...])"
        )
    function = given.functions[0] if isinstance(given, Profile) else given
    if not callable(function):
        return float(given)
    try:
        found = function(t)
    except Exception as e:
        raise ModelError(f"{what}: its function fails at t = {t:g} s: {type(e).__name__}: {e}") from e
    return checks.number(found.item() if np.size(found) == 1 and hasattr(found, "item") else found, f"{what} at t = {t:g} s")


def _table(times: Any, values: Any, what: str) -> signal:
    try:
        return signal(times, values)
    except ModelError as e:
        raise ModelError(f"{what}: {e}") from e


def _seconds(times: Any, what: str) -> Any:
    """The index of a Series as seconds."""
    if times.dtype.kind == "m":
        return times / np.timedelta64(1, "s")
    if times.dtype.kind not in "iuf":
        raise ModelError(f"{what}: the index of its Series holds {times.dtype}: make it the time in seconds")
    return times
