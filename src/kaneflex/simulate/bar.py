"""The progress bar of a run."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def bar_of(name: str, t0: float, t1: float, wanted: bool | None) -> Iterator[Any]:
    """A progress bar that appears on a terminal when a run takes longer than two seconds."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda t: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(escape(name), total=t1 - t0)
    started, shown = time.perf_counter(), False

    def report(t: float) -> None:
        nonlocal shown
        if not shown and time.perf_counter() - started > 2.0:
            bar.start()
            shown = True
        if shown:
            bar.update(task, completed=t - t0)

    try:
        yield report
    finally:
        if shown:
            bar.stop()
