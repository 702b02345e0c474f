"""First use of the compiled kernels, with a word to the user while they compile."""

import sys
import time
from types import SimpleNamespace
from typing import Any

from numba.core import event

from kaneflex.kernels import backend


class Progress(event.Listener):
    """Shows on the terminal which kernels compile, when compiling takes more than a moment."""

    def __init__(self, stream: Any = None):
        self.stream = stream
        self.depth, self.started, self.seconds, self.functions, self.shown = 0, 0.0, 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        """A function's compilation begins."""
        if self.depth == 0:
            self.started = time.perf_counter()
        self.depth += 1
        now = time.perf_counter()
        if now - self.started > 0.3 and now - self.shown > 0.2:
            self.shown = now
            name = event.data["dispatcher"].py_func.__name__
            line = f"\rcompiling kernels, once: {self.functions:4d} done, {name:28.28s}"
            print(line, end="", file=self.stream or sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """A function's compilation ends."""
        self.depth -= 1
        self.functions += 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.started
            if self.shown >= self.started:
                line = f"\rcompiled {self.functions} kernels in {self.seconds:.1f} s{'':30s}"
                print(line, file=self.stream or sys.stderr, flush=True)


progress = Progress()
_listening = False


def compiled_kernels() -> SimpleNamespace:
    """The compiled kernels; progress is shown on standard error while they compile for the first time."""
    global _listening
    if not _listening:
        event.register("numba:compile", progress)
        _listening = True
    return backend.compiled()
