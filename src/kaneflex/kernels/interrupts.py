"""Ctrl-C while compiled code runs, which may call Python: noted, and raised when the compiled code has come back.

Python raises KeyboardInterrupt wherever it runs next. In a function that compiled code calls that is a place from which no
exception gets out, and the numbers that the function should have written would be missing.
"""

import signal
import threading
from collections.abc import Callable
from typing import Any


class Held:
    """Within, the first Ctrl-C is held back; `hurry` is called so that the compiled code comes back soon. A second one is
    raised at once, for a function that does not come back. `count` is how many there were."""

    def __init__(self, hurry: Callable[[], None] | None = None) -> None:
        self._hurry, self.count = hurry, 0
        self._before: Any = None

    def __enter__(self) -> "Held":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self.count += 1
        if self.count > 1:
            self._before(number, frame)
        elif self._hurry is not None:
            self._hurry()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self.count and error is None:
                self._before(signal.SIGINT, None)
