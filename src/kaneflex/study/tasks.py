"""What a worker does, wherever it is: blocks of runs, straight to the store."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kaneflex.model.files import FileError
from kaneflex.study.one_run import Scouted, Values, Work, scout
from kaneflex.study.side_by_side import attempt_each
from kaneflex.study.store import FAILED, Row, Store


@dataclass(frozen=True)
class Task:
    """Something for a worker to do.

    Args:
        store: folder of the store; "" to try out the first row alone and tell what is seen.
        token: of the store, by which a worker elsewhere knows that it is this one.
        blocks: numbers of the blocks.
        rows: values of the parameters, for each block one row per run.
        condemned: why runs are not tried, by block and place in it: each ended the process that tried it.
        sizes: of what is kept.
        grid: times of histories, s.
        lanes: whether runs can be side by side.
    """

    store: str = ""
    token: str = ""
    blocks: tuple[int, ...] = ()
    rows: tuple[tuple[Values, ...], ...] = ()
    condemned: dict[tuple[int, int], str] = field(default_factory=dict)
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    grid: np.ndarray | None = None
    lanes: bool = False


@dataclass(frozen=True)
class Report:
    """What came of a task.

    Args:
        done, failed: how many runs, of those that are in the store.
        seconds: that it took.
        results: blocks that are to be stored by who receives this, for the worker does not see the store.
        scouted: of a trial what the run told, or what went wrong with it.
        error: why the store could not be written to.
    """

    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    results: tuple[tuple[int, list[Row]], ...] = ()
    scouted: Scouted | Row | None = None
    error: str = ""
    errno: int | None = None


_works: "OrderedDict[bytes, Work]" = OrderedDict()
_one_at_a_time = threading.Lock()  # kernels do not let go of the interpreter: threads of a worker would only wait


def work_of(payload: bytes) -> Work:
    """The work from its bytes; the same object again for the same bytes, with all that it has compiled."""
    if payload not in _works:
        import cloudpickle

        _works[payload] = cloudpickle.loads(payload)
        if len(_works) > 4:
            _works.popitem(last=False)
    return _works[payload]


def perform(payload: bytes, task: Task, guarded: bool = True) -> Report:
    """Do a task.

    Args:
        payload: a Work, pickled.
        task: what to do.
        guarded: this process may be ended when a run does not come back after its time limit.
    """
    with _one_at_a_time:
        return do(work_of(payload), task, guarded)


def do(work: Work, task: Task, guarded: bool) -> Report:
    """Do a task; arguments as of `perform`."""
    began = time.perf_counter()
    if not task.store:
        return Report(scouted=scout(work, task.rows[0][0], guarded=guarded), seconds=time.perf_counter() - began)
    work = replace(work, grid=task.grid, sizes=task.sizes, lanes=task.lanes)
    store = _visible(task)
    done = failed = 0
    results = []
    for block, rows in zip(task.blocks, task.rows, strict=True):
        sound = [values for k, values in enumerate(rows) if (block, k) not in task.condemned]
        made = iter(attempt_each(work, sound, guarded=guarded))
        reasons = (task.condemned.get((block, k)) for k in range(len(rows)))
        found = [next(made) if reason is None else Row(FAILED, reason) for reason in reasons]
        if store is None:
            results.append((block, found))
        else:
            try:
                store.write(block, found)
            except FileError as e:
                return Report(done, failed, time.perf_counter() - began, error=str(e), errno=e.errno)
        lost = sum(row.status == FAILED for row in found)
        done, failed = done + len(found) - lost, failed + lost
    return Report(done, failed, time.perf_counter() - began, tuple(results))


def _visible(task: Task) -> Store | None:
    """The store of a task, where this machine sees it."""
    try:
        store = Store.open(Path(task.store))
    except FileError:
        return None
    return store if store.head["token"] == task.token else None


__all__ = ["Report", "Task", "do", "perform", "work_of"]
