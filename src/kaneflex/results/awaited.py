"""Events that a run was to come to, and did not."""

from collections.abc import Sequence

import numpy as np

from kaneflex.model.checks import warn
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run


class AwaitedEventWarning(UserWarning):
    """An event that was awaited did not happen."""


def warn_unreached(run: Run, events: Sequence[Event]) -> None:
    """Warn of awaited events that did not happen in a run that went to its end."""
    happened = {name for _, name in run.events}
    for event in events if run.status == "done" else ():
        if event.awaited and event.name not in happened:
            k, value = _nearest(run, event)
            warn(
                f'"{event.name}" is awaited and did not happen in {run.t[-1] - run.t[0]:g} s: its function came to '
                f"{value:.3g} at best, at t = {run.t[k]:g} s; run longer, or see what stops the motion before",
                AwaitedEventWarning,
            )


def _nearest(run: Run, event: Event) -> tuple[int, float]:
    """The sample at which an event's function is nearest to zero, and its value there."""
    seen = [np.reshape(run[name], (len(run.t), -1)) for name in event.sees]
    x = np.hstack(seen) if seen else None
    values = [float(event.function(t) if x is None else event.function(t, x[k])) for k, t in enumerate(run.t)]
    k = int(np.argmin(np.abs(values)))
    return k, values[k]
