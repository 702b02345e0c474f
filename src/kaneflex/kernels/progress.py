"""What is being compiled: a word to the user while it takes long, and the seconds it took."""

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kaneflex.kernels.numba_compat import event

_MOMENT = 0.5  # s: compiling that is shorter is not worth a word


class Progress(event.Listener):
    """Counts what is compiled and the time it takes, reading from disk included.

    Python looks for no cyclic garbage meanwhile: compiling makes millions of objects that stay, and to look at them again
    and again takes a tenth of the time.

    On a terminal one line shows how far it has come; elsewhere a line is written when all is done. `seconds` is the time
    that was spent since the process began, `untold` whether something was compiled of which nothing was said yet.
    """

    def __init__(self, stream: Any = None) -> None:
        self._stream = stream
        self.seconds = 0.0
        self._depth = self._calls = 0
        self._began = self._shown = 0.0
        self._collects = False
        self._clear()

    def _clear(self) -> None:
        self._kernels = self._functions = 0
        self._spent, self.untold = 0.0, False

    @property
    def spent(self) -> float:
        """As `seconds`, with what is being compiled at the moment."""
        began, depth = self._began, self._depth
        return self.seconds + (time.perf_counter() - began if depth else 0.0)

    @contextmanager
    def compiling(self, name: str) -> Iterator[None]:
        """Around the compilation of something, with all that it is made of."""
        self._begin(name)
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around a call of the user's, at whose end it is told what was compiled in it, and nothing from before."""
        if not (self._calls or self._depth):
            self._clear()
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            self.tell()

    def count(self, kernels: int = 0, functions: int = 0) -> None:
        """Note that kernels of the package, or functions of the user's, were compiled."""
        self._kernels += kernels
        self._functions += functions
        self.untold = self.untold or bool(kernels or functions)

    def tell(self) -> None:
        """Say what was compiled, unless a call of the user's goes on, or it took but a moment."""
        if self._calls or self._depth or not self.untold:
            return
        if self._spent > _MOMENT:
            self._write(f"compiled {self._counts()} in {self._spent:.1f} s", last=True)
        self._clear()

    def _counts(self) -> str:
        found = [(self._kernels, "kernel"), (self._functions, "user function")]
        return " and ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in found if n)

    def _write(self, line: str, last: bool) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        if stream.isatty():
            print(f"\r{line:78s}", end="\n" if last else "", file=stream, flush=True)
        elif last:
            print(line, file=stream, flush=True)

    def _begin(self, name: str) -> None:
        now = time.perf_counter()
        if self._depth == 0:
            self._began = now
            self._collects = gc.isenabled()
            gc.disable()
            self._name = name.removeprefix("call_").replace("_", " ")
        self._depth += 1
        spent = self._spent + now - self._began
        if spent > _MOMENT and now - self._shown > 0.2:
            self._shown = now
            so_far = self._counts() or "first kernel"
            self._write(f"compiling, for the first use only: {so_far}, {spent:.0f} s ({self._name})", last=False)

    def _end(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            if self._collects:
                gc.enable()
            spent = time.perf_counter() - self._began
            self.seconds += spent
            self._spent += spent

    def _is_ours(self, data: Any) -> bool:
        home = str(data["dispatcher"].py_func.__module__)
        return home.partition(".")[0] == "kaneflex"

    def on_start(self, event: Any) -> None:
        """A function's compilation begins."""
        if self._depth or self._is_ours(event.data):
            self._begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        """A function's compilation ends."""
        if self._depth:
            self.count(kernels=self._is_ours(event.data))
            self._end()


progress = Progress()
event.register("numba:compile", progress)
