"""A limit on the time that something may take in this thread.

Compiled code comes back to Python several times a second, and there an exception is raised from another thread; functions of
the user's that run in the interpreter are ended in the same way. Compiled code that never comes back can only be ended
together with its process, where `grace` allows it.
"""

import ctypes
import faulthandler
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kaneflex.kernels.progress import progress

_AGAIN = 0.25  # s until it is raised once more: where compiled code calls Python, an exception may be lost


class OutOfTime(BaseException):
    """Raised in the thread that took too long."""


@contextmanager
def limited(seconds: float | None, grace: float | None = None) -> Iterator[None]:
    """Raise OutOfTime in what is inside when it takes longer than this; time in which kernels are compiled does not count.

    Args:
        seconds: the limit; None for none.
        grace: end the process when it does not come back so many seconds after that; None to wait for it.
    """
    if seconds is None:
        yield
        return
    watch = _Watch(threading.get_ident(), seconds, grace)
    try:
        yield
    finally:
        watch.end()


class _Watch:
    """Looks at the clock from a thread of its own."""

    def __init__(self, thread: int, seconds: float, grace: float | None) -> None:
        self._thread, self._seconds, self._grace = ctypes.c_ulong(thread), seconds, grace
        self._lock, self._over = threading.Lock(), threading.Event()
        self._began, self._compiled = time.perf_counter(), progress.spent
        threading.Thread(target=self._look, daemon=True).start()

    def _left(self) -> float:
        return self._seconds - (time.perf_counter() - self._began) + (progress.spent - self._compiled)

    def _look(self) -> None:
        while True:
            left = self._left()
            if left > 0 and self._grace is not None:  # by a thread that needs no interpreter
                faulthandler.dump_traceback_later(left + self._grace, exit=True)
            if self._over.wait(max(left, _AGAIN)):
                return
            with self._lock:
                if self._left() <= 0 and not self._over.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(OutOfTime))

    def end(self) -> None:
        """Look no more; what was raised and has not arrived yet arrives here, and goes nowhere.

        It arrives in the next few instructions. To take it back would leave the interpreter looking for it for ever.
        """
        over = False
        while not over:
            try:
                with self._lock:
                    self._over.set()
                over = all(_AGAIN for _ in range(100))
            except OutOfTime:
                continue
        if self._grace is not None:
            faulthandler.cancel_dump_traceback_later()


__all__ = ["OutOfTime", "limited"]
