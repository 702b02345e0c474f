"""Worker processes on this machine. Kernels keep hold of the interpreter while they run, so that threads would wait for each
other; processes do not, and one that ends takes nothing with it.

A worker is a fresh Python that reads pickled tasks from its standard input and writes reports to its standard output. It
ends when its input does, so that none outlives a process that was killed.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from typing import Any

from kaneflex.study.tasks import Report, Task, perform
from kaneflex.study.workers import Died

_SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Processes:
    """Some worker processes; one that dies is replaced.

    Args:
        payload: a Work, pickled.
        count: how many.
    """

    def __init__(self, payload: bytes, count: int) -> None:
        self.slots = count
        self._payload = payload
        self._waiting, self._found = deque[Task](), queue.Queue[tuple[_Worker, Report | None]]()
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []

    def submit(self, task: Task) -> None:
        """Give a task to who has none, or let it wait."""
        self._waiting.append(task)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and (self._idle or len(self._all) < self.slots):
            if self._idle:
                worker = self._idle.pop()
            else:
                worker = _Worker(self._payload, self._found)
                self._all.append(worker)
            worker.give(self._waiting.popleft())

    def next(self) -> tuple[Task, Report | Died]:
        """Wait for a worker that is done, or dead."""
        while True:
            worker, report = self._found.get()
            task, worker.task = worker.task, None
            if report is None:
                self._all.remove(worker)
                self._idle = [w for w in self._idle if w is not worker]
                code = worker.process.wait()
                if not worker.ready:
                    raise RuntimeError(f"a worker process could not start (status {code}); what it said is above")
                why = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
            else:
                self._idle.append(worker)
            self._hand_out()
            if task is not None:
                return task, Died(f"its process ended ({why})") if report is None else report

    def close(self) -> None:
        """End all workers."""
        for worker in self._all:
            worker.process.kill()
        for worker in self._all:
            worker.process.wait()
            worker.close()
        self._all.clear()


class _Worker:
    """One process, and the thread that listens to it."""

    def __init__(self, payload: bytes, found: "queue.Queue[tuple[_Worker, Report | None]]") -> None:
        environment = os.environ | dict.fromkeys(_SINGLE, "1") | {"KANEFLEX_HELPER": "0"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self.task: Task | None = None
        self.ready = False
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from kaneflex.study.processes import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self._found = found
        self._send(payload)
        threading.Thread(target=self._listen, daemon=True).start()

    def _send(self, thing: Any) -> None:
        assert self.process.stdin is not None
        try:
            pickle.dump(thing, self.process.stdin)
            self.process.stdin.flush()
        except OSError:  # it is no more: the end of its output tells
            pass

    def give(self, task: Task) -> None:
        """Let it do a task."""
        self.task = task
        self._send(task)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                report = pickle.load(self.process.stdout)
                if report == "ready":
                    self.ready = True
                else:
                    self._found.put((self, report))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._found.put((self, None))

    def close(self) -> None:
        """Close the pipes of a process that has ended."""
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass


def serve() -> None:
    """Be a worker: tasks from standard input, reports to standard output, what functions print to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asked for the study hears of it
    source, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    tasks = queue.Queue[Task]()
    payload = pickle.load(source)

    def listen() -> None:
        try:
            while True:
                tasks.put(pickle.load(source))
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    _answer(answers, "ready")
    while True:
        _answer(answers, perform(payload, tasks.get()))


def _answer(answers: Any, thing: Any) -> None:
    try:
        pickle.dump(thing, answers)
        answers.flush()
    except BrokenPipeError:  # nobody listens any more
        os._exit(0)


__all__ = ["Processes", "serve"]
