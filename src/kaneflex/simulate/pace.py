"""Whether time gets on between the actions of events."""

from collections import deque


class Pace:
    """The times at which each event of a run acted last.

    Args:
        duration: of the run, s.
    """

    FEW, MANY = 100, 1000

    def __init__(self, duration: float):
        self._duration = duration
        self._times: dict[int, deque[float]] = {}
        self._changes: deque[float] = deque(maxlen=self.MANY)

    def keeps_changing(self, t: float) -> bool:
        """Note that the system changes at time t; whether it has changed many times while no time passed."""
        self._changes.append(t)
        return len(self._changes) == self.MANY and t - self._changes[0] <= 1e-9 * max(1.0, abs(t))

    def stuck(self, k: int, name: str, t: float) -> str | None:
        """Note that event k acts at time t; why the run cannot go on when it acts again and again without end."""
        times = self._times.setdefault(k, deque(maxlen=self.MANY))
        times.append(t)
        shortest = {self.FEW: 1e-9 * max(1.0, abs(t)), self.MANY: 1e-6 * self._duration}
        for count, interval in shortest.items():
            if len(times) >= count and t - times[-count] <= interval:
                return (
                    f'event "{name}" acted {count} times between t = {times[-count]:.9g} s and {t:.9g} s and time does not '
                    "get on: its action leaves the state where the event happens again; move it further from the zero, or "
                    "give the event a direction"
                )
        return None
