"""First use of the compiled kernels, with a word to the user while they compile."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba.core import event

from kaneflex.kernels import backend


class Progress(event.Listener):
    """Shows on the terminal which kernels compile, when compiling takes more than a moment."""

    def __init__(self, stream: Any = None):
        self.stream = stream
        self.depth, self.started, self.seconds, self.functions, self.shown = 0, 0.0, 0.0, 0, 0.0

    @contextmanager
    def compiling(self, name: str) -> Iterator[None]:
        """Show that a kernel compiles, with all that it is made of."""
        self._begin(name)
        try:
            yield
        finally:
            self._end()

    def _begin(self, name: str) -> None:
        if self.depth == 0:
            self.started = time.perf_counter()
        self.depth += 1
        now = time.perf_counter()
        if now - self.started > 0.3 and now - self.shown > 0.2:
            self.shown = now
            line = f"\rcompiling kernels, once: {self.functions:4d} done, {name:28.28s}"
            print(line, end="", file=self.stream or sys.stderr, flush=True)

    def _end(self) -> None:
        self.depth -= 1
        self.functions += 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.started
            if self.shown >= self.started:
                line = f"\rcompiled {self.functions} kernels in {self.seconds:.1f} s{'':30s}"
                print(line, file=self.stream or sys.stderr, flush=True)

    def on_start(self, event: Any) -> None:
        """A function's compilation begins."""
        self._begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        """A function's compilation ends."""
        self._end()


progress = Progress()
_listening = False


def compiled_kernels(I: np.ndarray) -> SimpleNamespace:
    """The compiled kernels, ready for a system with the tables I; progress is shown on standard error while they compile
    for the first time."""
    global _listening
    if not _listening:
        event.register("numba:compile", progress)
        backend.compiling = progress.compiling
        _listening = True
    backend.connect(I)
    return backend.compiled()
