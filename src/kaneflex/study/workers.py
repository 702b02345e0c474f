"""Where tasks are done: the contract, and the simplest of all, this very process."""

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from kaneflex.study.one_run import Work
from kaneflex.study.tasks import Report, Task, do


@dataclass(frozen=True)
class Died:
    """The process that had the task ended before it was done."""

    why: str


class Workers(Protocol):
    """Whoever does tasks. Tasks may be done in any order, and more than once."""

    @property
    def slots(self) -> int:
        """How many tasks may well be under way."""

    def submit(self, task: Task) -> None:
        """Let a task be done."""

    def next(self) -> tuple[Task, Report | Died]:
        """Wait for a task that was submitted."""

    def close(self) -> None:
        """Let go of everybody, at once."""


class Here:
    """This process, one task after the other."""

    slots = 1

    def __init__(self, work: Work) -> None:
        self._work, self._tasks = work, deque[Task]()

    def submit(self, task: Task) -> None:
        """Note a task."""
        self._tasks.append(task)

    def next(self) -> tuple[Task, Report | Died]:
        """Do the first one."""
        task = self._tasks.popleft()
        return task, do(self._work, task, guarded=False)

    def close(self) -> None:
        """Nothing is left behind."""


__all__ = ["Died", "Here", "Workers"]
