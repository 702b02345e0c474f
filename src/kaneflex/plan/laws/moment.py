"""The moment at which the values count that user functions refer to: when a run starts, or when a plan is made.

Touches `_run`, in which captures are kept while a run goes on, so that a system that changes in it keeps its functions.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from kaneflex.plan.laws.capture import Capture

_run: ContextVar[dict[Any, Any] | None] = ContextVar("run", default=None)


@contextlib.contextmanager
def values_of_now() -> Iterator[None]:
    """Inside, a function that was captured once keeps the values it had then."""
    if _run.get() is not None:
        yield
        return
    token = _run.set({})
    try:
        yield
    finally:
        _run.reset(token)


def capture_of(function: Any, use: Any = None, made: Callable[[], Any] | None = None) -> Capture:
    """What the function refers to; `use` tells captures of the same function apart, and made() is what is captured when
    that is not the function itself."""
    kept = _run.get()
    key = id(function), use
    if kept is not None and key in kept:
        known: Capture = kept[key][1]
        return known
    capture = Capture(function if made is None else made())
    if kept is not None:
        kept[key] = function, capture
    return capture


def frozen(function: Any, arrays: bool = True) -> Any:
    """The function with the values of now; with `arrays` False arrays are the user's own. Functions that keep a state of
    their own, and callable objects, are returned as they are."""
    capture = capture_of(function)
    return function if capture.keeps_state or not capture.functions else capture.twin(arrays)
