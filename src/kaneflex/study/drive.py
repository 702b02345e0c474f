"""From blocks that are missing to a complete store: tasks of a size that suits, workers that die, disks that are full."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from kaneflex.kernels.ops import LANES
from kaneflex.model.checks import ModelError
from kaneflex.model.files import FileError
from kaneflex.study.one_run import Scouted, Values
from kaneflex.study.store import FAILED, Row, Store
from kaneflex.study.tasks import Report, Task
from kaneflex.study.workers import Died, Workers

TASK_SECONDS = 2.0  # that a task shall take
BLOCK_SECONDS, LARGEST_BLOCK = 2.0, 256
MOST_DEATHS = 10  # of processes that had the same block
Tell = Callable[[int, int], None]


def values_of(table: dict[str, np.ndarray], run: int) -> Values:
    """Values of a run by name."""
    return {name: column[run].item() if column.dtype.kind in "fiU" else str(column[run]) for name, column in table.items()}


def scout(workers: Workers, table: dict[str, np.ndarray]) -> Scouted:
    """What the first run that succeeds tells of all; the first that fail are passed over.

    Args:
        workers: who runs it.
        table: values by run.
    """
    runs, reasons = len(next(iter(table.values()))), list[str]()
    for run in range(min(runs, 20)):
        workers.submit(Task(rows=((values_of(table, run),),)))
        _, report = workers.next()
        found = Row(FAILED, report.why) if isinstance(report, Died) else report.scouted
        if isinstance(found, Scouted):
            return found
        assert found is not None
        reasons.append(found.message)
    raise ModelError(f"none of the first {len(reasons)} runs of the study succeeds; the first: {reasons[0]}")


def block_size(runs: int, seconds: float, workers: int, lanes: bool) -> int:
    """Runs of a block: so many that it takes some seconds, and few enough that all workers have several.

    Args:
        runs: of the study.
        seconds: that a run takes.
        workers: how many there are.
        lanes: whether runs are side by side: then there are enough of them for that.
    """
    return max(
        2 * LANES if lanes else 1, min(LARGEST_BLOCK, round(BLOCK_SECONDS / max(seconds, 1e-6)), runs // (4 * workers))
    )


def drive(store: Store, workers: Workers, grid: np.ndarray | None, tell: Tell) -> None:
    """Let all blocks be done that are missing.

    Args:
        store: of the study.
        workers: who does them.
        grid: times of histories, s.
        tell: is told how many runs are done and failed, when some are.
    """
    _Drive(store, workers, grid, tell).go()


class _Drive:
    def __init__(self, store: Store, workers: Workers, grid: np.ndarray | None, tell: Tell) -> None:
        self.store, self.workers, self.tell = store, workers, tell
        self.table = store.table()
        self.plain = Task(
            str(store.path.resolve()), store.head["token"], sizes=store.kept, grid=grid, lanes=store.head.get("lanes", False)
        )
        self.left = deque(store.missing())
        self.seconds_a_block = 0.0
        self.deaths: dict[int, int] = {}  # of processes that had a block
        self.condemned: dict[tuple[int, int], str] = {}
        self.suspects: deque[tuple[int, int]] = deque()  # runs of blocks that end processes, to be tried one by one
        self.trials: dict[int, int] = {}  # runs of such a block that are still to be tried
        self.under_way = 0

    def go(self) -> None:
        while self.left or self.suspects or self.under_way:
            while (self.left or self.suspects) and self.under_way < self.workers.slots:
                self.workers.submit(self._next_task())
                self.under_way += 1
            task, report = self.workers.next()
            self.under_way -= 1
            if not task.store:
                self._tried(task, report)
            elif isinstance(report, Died):
                self._died(task, report.why)
            else:
                self._done(task, report)

    def _next_task(self) -> Task:
        if self.suspects:
            block, k = self.suspects.popleft()
            return Task(blocks=(block, k), rows=((values_of(self.table, self.store.rows(block)[k]),),))
        count = 1
        if self.seconds_a_block:  # the rest is shared out at the end
            share = len(self.left) // (2 * self.workers.slots)
            count = max(1, min(int(TASK_SECONDS / self.seconds_a_block), share, 64))
        if self.left[0] in self.deaths:  # who ended a process before is alone with it
            count = 1
        blocks = tuple(self.left.popleft() for _ in range(min(count, len(self.left))))
        rows = tuple(tuple(values_of(self.table, run) for run in self.store.rows(block)) for block in blocks)
        condemned = {place: why for place, why in self.condemned.items() if place[0] in blocks}
        return replace(self.plain, blocks=blocks, rows=rows, condemned=condemned)

    def _done(self, task: Task, report: Report) -> None:
        if report.error:
            raise self._full(report.error, report.errno)
        try:
            for block, rows in report.results:
                self.store.write(block, rows)
        except FileError as e:
            raise self._full(str(e), e.errno) from e
        self.seconds_a_block = report.seconds / len(task.blocks)
        self.tell(report.done, report.failed)

    def _full(self, what: str, errno: int | None) -> FileError:
        stored = int((self.store.status() != 0).sum())
        error = FileError(
            f"{what}. {stored} of {self.store.runs} runs are stored and sound; start the study again to do the others"
        )
        error.errno = errno
        return error

    def _died(self, task: Task, why: str) -> None:
        """Do the blocks of a process that ended once more, each alone; the second time, look for the run that ends it."""
        for block in task.blocks:
            self.deaths[block] = self.deaths.get(block, 0) + 1
            if self.deaths[block] > MOST_DEATHS:
                rows = self.store.rows(block)
                raise RuntimeError(f"runs {rows[0]} to {rows[-1]} ended {MOST_DEATHS} processes, none of them alone")
            if self.deaths[block] < 2 or len(task.blocks) > 1:
                self.left.append(block)
            elif len(self.store.rows(block)) == 1:
                self._condemn(block, 0, why)
                self.left.append(block)
            else:
                places = range(len(self.store.rows(block)))
                self.suspects.extend((block, k) for k in places)
                self.trials[block] = len(places)

    def _condemn(self, block: int, k: int, why: str) -> None:
        self.condemned[block, k] = f"{why} each time: killed, out of memory, or without end in compiled code"

    def _tried(self, task: Task, report: Report | Died) -> None:
        block, k = task.blocks
        if isinstance(report, Died):
            self._condemn(block, k, report.why)
        self.trials[block] -= 1
        if not self.trials[block]:
            self.left.append(block)


@contextmanager
def progress_of(name: str, runs: int, done: int, failed: int, wanted: bool | None) -> Iterator[Tell]:
    """A bar with the time that is left, on a terminal or where it is wanted.

    Args:
        name: of the study.
        runs: of the study.
        done, failed: runs that are stored already.
        wanted: True, False, or None for a terminal only.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda more, lost: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    words = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    left = (TextColumn("left"), TimeRemainingColumn(), TextColumn("[red]{task.fields[lost]}"))
    console = Console(stderr=True, force_terminal=None)
    with Progress(*words, *left, console=console, transient=False) as bar:
        described = lambda count: f"{count} failed" if count else ""
        task = bar.add_task(escape(name), total=runs, completed=done + failed, lost=described(failed))

        def tell(more: int, lost: int) -> None:
            nonlocal failed
            failed += lost
            bar.update(task, advance=more + lost, lost=described(failed))

        yield tell


__all__ = ["block_size", "drive", "progress_of", "scout", "values_of"]
