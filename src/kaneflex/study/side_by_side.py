"""Runs of a block side by side, in the lanes of the processor's vectors; each as it would be alone."""

import faulthandler
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kaneflex.kernels.ops import LANES
from kaneflex.model.checks import ModelError
from kaneflex.running import Begun, begin_at_values
from kaneflex.simulate.lanes import together
from kaneflex.simulate.segment import Going
from kaneflex.simulate.simulate import integrating
from kaneflex.study.one_run import Values, Work, attempt, failed, heard, row_of, with_words
from kaneflex.study.store import Row
from kaneflex.system import System


def attempt_each(work: Work, rows: Sequence[Values], *, guarded: bool = False) -> list[Row]:
    """What comes of runs with these values, in their order; errors of their own are none here.

    Bits do not depend on which runs are beside one another. What cannot share steps, and what takes too long beside others,
    runs alone.

    Args:
        work: of the study.
        rows: values of the parameters, by name, for each run.
        guarded: the process may be ended when a run does not come back after its time limit.
    """
    if not work.lanes or not isinstance(work.subject, System):
        return [attempt(work, values, guarded=guarded) for values in rows]
    found: list[Row | None] = [None] * len(rows)
    words: list[list[Any]] = [[] for _ in rows]
    begun: dict[int, Begun] = {}
    start: Any = begin_at_values

    def maker(number: int) -> Callable[[], Going]:
        def make() -> Going:
            numbers = {name: float(value) for name, value in rows[number].items()}
            with _heard(words[number]):
                begun[number] = start(work.subject, **work.options, parameters=numbers, progress=False)
            return _listened(begun[number].going, words[number])

        return make

    limit = math.inf if work.limit is None else work.limit
    guard = _guard(limit + work.grace) if guarded and work.limit is not None else None
    last = time.perf_counter()
    try:
        with integrating():
            for number, what in together(map(maker, range(len(rows))), few=0, limit=limit, before=guard):
                spent, last = time.perf_counter() - last, time.perf_counter()
                one = begun.pop(number, None)
                if isinstance(what, TimeoutError):
                    continue
                with _heard(words[number]):
                    found[number] = _row(work, what, one, spent)
    finally:
        if guard is not None:
            faulthandler.cancel_dump_traceback_later()
    alone = (attempt(work, rows[k], guarded=guarded) if row is None else row for k, row in enumerate(found))
    return [with_words(row, words[k]) for k, row in enumerate(alone)]


def _row(work: Work, what: Any, begun: Begun | None, spent: float) -> Row:
    """What is kept of a run that has ended so; `spent` are seconds since another one ended, its share."""
    if isinstance(what, Exception) or begun is None:
        return failed(what, spent)
    try:
        run = begun.ended(what)
        if run.status not in ("done", "event"):
            raise ModelError(f"{run.status}: {run.message}")
        return row_of(work, run, spent)
    except Exception as error:
        return failed(error, spent)


def _guard(seconds: float) -> Callable[[], None]:
    """A function that lets the process be ended when this is not called again within some seconds."""
    return lambda: faulthandler.dump_traceback_later(seconds * LANES, exit=True)


@contextmanager
def _heard(words: list[Any]) -> Iterator[None]:
    """Warnings inside go into a list."""
    with heard() as seen:
        yield
    words += seen


def _listened(going: Going, words: list[Any]) -> Generator[Any, Any, Any]:
    """A run whose warnings go into a list, for those of many are under way at once."""
    status = None
    while True:
        try:
            with _heard(words):
                want = next(going) if status is None else going.send(status)
        except StopIteration as end:
            return end.value
        status = yield want


__all__ = ["attempt_each"]
