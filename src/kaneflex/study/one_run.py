"""One run of a study: simulated, reduced to what is kept, and whatever goes wrong put into words."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, shown
from kaneflex.results.run import Run
from kaneflex.simulate.lanes import plan_serves, takes_explicit_steps
from kaneflex.study.keep import Keep, Shape, shapes
from kaneflex.study.limit import OutOfTime, limited
from kaneflex.study.store import DONE, FAILED, Row
from kaneflex.system import System

Values = dict[str, float | str]
_LONGEST = 1000  # letters of a message
_LONG = 10.0  # s: a run that takes longer is not tried twice
GRACE = 60.0  # s beyond the limit: compiling may keep the interpreter for long, and nothing may end it


@dataclass(frozen=True, eq=False)
class Work:
    """All that a worker needs to know of a study.

    Args:
        subject: the system, or a function that makes a system, or a run, from values by name.
        options: of `simulate`.
        kept: what is kept.
        grid: times of histories, s; None where a function says them.
        limit: longest time of a run, s; None for no limit.
        audit: whether the audit of each run is looked at.
        grace: seconds beyond the limit after which a worker process is ended that does not come back.
        sizes: of what is kept, once a run has told them.
        lanes: whether runs are side by side, see `side_by_side`; None where that is still to be decided.
    """

    subject: System | Callable[[Values], Any]
    options: Mapping[str, Any]
    kept: tuple[Keep, ...]
    grid: np.ndarray | None = None
    limit: float | None = None
    audit: bool = True
    grace: float = GRACE
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lanes: bool | None = None


def run_one(subject: System | Callable[[Values], Any], values: Values, options: Mapping[str, Any]) -> Run:
    """Simulate with these values.

    Args:
        subject: as of Work.
        values: of the parameters, by name.
        options: of `simulate`.
    """
    if isinstance(subject, System):
        numbers = {name: float(value) for name, value in values.items()}
        return subject.simulate(**options, parameters=numbers)
    made = subject(values)
    if isinstance(made, Run):
        return made
    if not isinstance(made, System):
        raise ModelError(f"the function of the study returned {shown(made)}: let it return a System or a Run")
    return made.simulate(**options)


@dataclass(frozen=True, eq=False)
class Scouted:
    """What a first run tells of all: sizes of what is kept, times of histories, how long it took, s, and whether runs can be
    side by side."""

    shapes: list[Shape]
    grid: np.ndarray | None
    seconds: float
    lanes: bool = False


def attempt(work: Work, values: Values, *, guarded: bool = False) -> Row:
    """What comes of a run with these values; an error of its own is no error here.

    Args:
        work: of the study.
        values: of the parameters, by name.
        guarded: the process may be ended when the run does not come back after its time limit.
    """
    return _tried(work, values, guarded, row_of)


def scout(work: Work, values: Values, *, guarded: bool = False) -> Scouted | Row:
    """What a run tells of all others, or what went wrong with it; arguments as of `attempt`."""

    def look(work: Work, run: Run, seconds: float) -> Any:
        grid = np.unique(run.t) if work.grid is None else work.grid
        whole = (*run.segments, run)[0].trajectory
        lanes = plan_serves(whole.plan) and takes_explicit_steps(run.method) and work.lanes is not False
        lanes = lanes and isinstance(work.subject, System)
        return Scouted(shapes(run, work.kept, grid), grid, seconds, lanes)

    first = _tried(work, values, guarded, look)
    if isinstance(first, Row) or first.seconds > _LONG:
        return first
    again = _tried(work, values, guarded, look)  # the first of a process is longer than all others
    return again if isinstance(again, Row) or again.seconds < first.seconds else first


def _tried(work: Work, values: Values, guarded: bool, then: Callable[[Work, Run, float], Any]) -> Any:
    began = time.perf_counter()
    with heard() as seen:
        try:
            with limited(work.limit, work.grace if guarded else None):
                run = run_one(work.subject, values, {**work.options, "progress": False})
                spent = time.perf_counter() - began
                if run.status not in ("done", "event"):
                    raise ModelError(f"{run.status}: {run.message}")
                found = then(work, run, spent - run.statistics["compile_seconds"])
        except OutOfTime:
            found = Row(FAILED, f"did not end within {work.limit:g} s", time.perf_counter() - began)
        except Exception as e:
            found = failed(e, time.perf_counter() - began)
    return with_words(found, seen) if isinstance(found, Row) else found


@contextmanager
def heard() -> Iterator[list[warnings.WarningMessage]]:
    """What is warned of inside, but for what Python keeps from users (an object that happens to be collected, say)."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for silent in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, ImportWarning):
            warnings.simplefilter("ignore", silent)
        yield seen


def failed(error: Any, seconds: float) -> Row:
    """What is kept of a run that an exception ended after some seconds."""
    what = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
    return Row(FAILED, what[:_LONGEST], seconds)


def with_words(row: Row, warned: Sequence[Any]) -> Row:
    """A row with what was warned of in its run."""
    if row.status != DONE or not warned:
        return row
    words = "; ".join(dict.fromkeys(str(w.message) for w in warned))
    return Row(DONE, "; ".join(filter(None, (row.message, words)))[:_LONGEST], row.seconds, row.values)


def row_of(work: Work, run: Run, seconds: float) -> Row:
    """What is kept of a run that took some seconds."""
    run.read(*{one.channel for one in work.kept if one.channel})  # in one pass
    values = {one.name: one.of(run, work.grid) for one in work.kept}
    for one in work.kept:
        value = values[one.name]
        if value.shape != work.sizes[one.name]:
            return Row(FAILED, f'"{one.name}" has the shape {value.shape}, in the first run {work.sizes[one.name]}', seconds)
        ended = one.how == "history" and run.status == "event"  # without values after the end
        if not (np.isfinite(value).all() or (ended and not np.isinf(value).any())):
            return Row(FAILED, f'"{one.name}" is not finite', seconds, values)
    message = "" if not work.audit or run.audit.ok else "the audit fails: " + " ".join(str(run.audit).split())
    return Row(DONE, message[:_LONGEST], seconds, values)


__all__ = ["GRACE", "Scouted", "Values", "Work", "attempt", "failed", "row_of", "run_one", "scout", "with_words"]
