"""A second process that compiles kernels into the cache on disk while this one compiles others.

The two share the work by the locks of `cache`. Nothing but time depends on the helper: it may fail, be killed or never
start, and what it has not put on disk is compiled here. It says nothing, and ends with this process at the latest.

There is none on a single processor, in a process that is itself one of several (`multiprocessing`, Dask), where there are no
locks (Windows), where Python is not a program of its own, and with KANEFLEX_HELPER=0.
"""

import atexit
import contextlib
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from kaneflex.kernels import backend, cache

SWITCH = "KANEFLEX_HELPER"
_PROGRAM = "import sys; sys.path[:] = {path!r}; from kaneflex.kernels.helper import work; work{task!r}"

_helpers: list[tuple[int, subprocess.Popen[bytes]]] = []  # with the process that started each


def start(module: str, function: str, *arguments: Any) -> bool:
    """Have a helper call a function of a module with arguments that `repr` writes in full; whether one was started."""
    if not _is_of_use() or _running():
        return False
    task = (os.getpid(), str(backend.cache_folder()), module, function, arguments)
    command = [sys.executable, "-c", _PROGRAM.format(path=sys.path, task=task)]
    silent: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        process = subprocess.Popen(command, env=os.environ | {SWITCH: "0"}, **silent)
    except OSError:  # no more processes, no memory
        return False
    _helpers[:] = [(os.getpid(), process)]
    threading.Thread(target=process.wait, daemon=True).start()  # else it would stay in the list of processes when it ends
    return True


def stop() -> None:
    """End the helper of this process, if there is one."""
    for process in _running():
        with contextlib.suppress(OSError):
            process.kill()


atexit.register(stop)


def _running() -> list[subprocess.Popen[bytes]]:
    return [process for owner, process in _helpers if owner == os.getpid() and process.returncode is None]


def _is_of_use() -> bool:
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return (
        os.environ.get(SWITCH, "1") != "0"
        and processors > 1
        and cache.fcntl is not None
        and multiprocessing.parent_process() is None
        and Path(sys.executable or "").name.lower().startswith("python")
        and not hasattr(sys, "frozen")
    )


def work(parent: int, folder: str, module: str, function: str, arguments: tuple[Any, ...]) -> None:
    """What the helper does: call the function, unless its sources are others than those of the process that wants it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    called = getattr(importlib.import_module(module), function)
    if str(backend.cache_folder()) == folder:
        called(*arguments)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


__all__ = ["SWITCH", "start", "stop"]
