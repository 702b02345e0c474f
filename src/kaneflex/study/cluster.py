"""Tasks on a Dask cluster: what its workers have found goes straight to the store, where they see it."""

import queue
import sys
from typing import Any

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.extras import optional
from kaneflex.study.tasks import Report, Task, perform
from kaneflex.study.workers import Died

_AHEAD = 2  # tasks for each worker, so that none waits for the next


def check_place(on: Any) -> None:
    """Refuse what is neither a Client of `distributed` nor an address; None is this machine."""
    if on is None or (isinstance(on, str) and ":" in on):
        return
    distributed = sys.modules.get("distributed")  # who has a Client has loaded it
    if distributed is None or not isinstance(on, distributed.Client):
        raise ModelError(f'on is {shown(on)}: give a Client of distributed, or an address such as "tcp://host:8786"')


def _same(payload: bytes) -> bytes:
    return payload


class Cluster:
    """The workers of a Dask cluster, as many as there are at the moment. Tasks of a lost worker go to others by themselves.

    Args:
        payload: a Work, pickled.
        on: a Client of `distributed`, or the scheduler's address.
    """

    def __init__(self, payload: bytes, on: Any) -> None:
        Client = optional("distributed", "a study on a cluster needs dask and distributed", "study").Client
        self._own = isinstance(on, str)
        try:
            self._client = Client(on, timeout=10, set_as_default=False) if self._own else on
        except (OSError, TimeoutError, ValueError) as e:
            raise ModelError(f"no Dask scheduler answers at {on}: {e}") from e
        # the result of a task and not scattered, so that the scheduler can make it again where a worker is lost
        self._payload = self._client.submit(_same, payload, key=f"kaneflex-study-{hash(payload) & (2**64 - 1):x}")
        self._tasks: dict[Any, Task] = {}
        self._found: queue.Queue[Any] = queue.Queue()

    @property
    def slots(self) -> int:
        """Some for every worker that is there."""
        return max(1, _AHEAD * len(self._client.nthreads()))

    def submit(self, task: Task) -> None:
        """Give a task to the scheduler."""
        future = self._client.submit(perform, self._payload, task, pure=False)
        self._tasks[future.key] = task
        future.add_done_callback(self._found.put)

    def next(self) -> tuple[Task, Report | Died]:
        """Wait for a task."""
        from distributed import KilledWorker

        while True:
            future = self._found.get()
            task = self._tasks.pop(future.key, None)
            if task is None:
                continue
            if future.status == "cancelled":
                raise RuntimeError("the Dask scheduler is gone, or has cancelled the study; what was stored stays")
            try:
                return task, future.result()
            except KilledWorker:
                return task, Died("several workers ended while they had it")

    def close(self) -> None:
        """Let go of what is under way, and of the scheduler where it was given by its address."""
        futures, self._tasks = list(self._tasks), {}
        for key in futures:
            self._client.cancel([key], force=True)
        if self._own:
            self._client.close()


__all__ = ["Cluster", "check_place"]
