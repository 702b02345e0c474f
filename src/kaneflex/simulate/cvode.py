"""CVODE of SUNDIALS through scikit-sundae, with the face of `Stepper`: BDF for very stiff systems."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.simulate.stepper import Status

NEAR = 1e-12  # s, or relative: times as near as that are one time


class CvodeStepper:
    """Integrates with CVODE's BDF between the times at which it must stop; needs the extra `sundials`."""

    def __init__(self, dynamics: Dynamics, size: int, options: Any, event_directions: Sequence[int]):
        try:
            from sksundae.cvode import CVODE
        except ImportError as e:
            raise ModelError('method "cvode" needs scikit-sundae: pip install "kaneflex[sundials]"') from e
        if event_directions:
            raise ModelError(
                'method "cvode" finds no events here, nor points that reach their planes: use dopri5, dop853 or sdirk4 with '
                "events and contacts"
            )
        self._dynamics, self._options, self._class = dynamics, options, CVODE
        self.t, self.y = 0.0, np.zeros(size)
        self.steps = self.rejected = self.evaluations = self.filled = 0
        self.event, self.step, self.unseen = -1, 0.0, None
        self._error: BaseException | None = None  # of the right-hand side, from which the solver lets nothing out

    def start(self, t: float, y: np.ndarray, step: float | None = None) -> None:
        """Start afresh at (t, y)."""
        self.t, self.y = float(t), np.array(y, float)

    def renew(self, t: float) -> None:
        """Start afresh at t from the present state."""
        self.t = float(t)

    def set_fired(self, fired: Mapping[int, float]) -> None:
        """There are no events."""

    def begin_samples(self) -> None:
        """None of the samples are filled yet."""
        self.filled = 0

    def _rhs(self, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        self.evaluations += 1
        ydot[:] = np.nan
        if self._error is None:
            try:
                ydot[:] = self._dynamics._derivative(t, y)
            except BaseException as error:
                self._error = error

    def advance(self, t_stop: float, times: np.ndarray, samples: np.ndarray, max_steps: int) -> Status:
        """Integrate to t_stop, without looking beyond it, and fill the samples on the way."""
        o, solver = self._options, None
        due = [float(x) for x in times[self.filled :] if x <= t_stop]
        self._error = None
        for t in (*due, t_stop):
            if t - self.t > NEAR * max(1.0, abs(t)):
                if solver is None:
                    longest = 0.0 if o.max_step == math.inf else o.max_step
                    solver = self._class(self._rhs, rtol=o.rtol, atol=o.atol, max_step=longest, max_num_steps=o.max_steps)
                    solver.init_step(self.t, self.y)
                last = t_stop - t <= NEAR * max(1.0, abs(t_stop))
                try:
                    result = solver.step(t_stop if last else t, tstop=t_stop)
                except Exception as e:
                    if self._error is not None:
                        raise self._error from None
                    raise ModelError(f"CVODE failed between t = {self.t:g} and {t:g} s: {e}") from e
                if self._error is not None:
                    raise self._error
                if not result.success:
                    return Status.STEP_TOO_SMALL
                self.t, self.y = t_stop if last else t, np.array(result.y, float).reshape(-1)
                self.steps += 1
            if self.filled < len(times) and t == times[self.filled]:
                samples[self.filled] = self.y
                self.filled += 1
        self.t = float(t_stop)
        return Status.DONE

    def state(self) -> dict[str, np.ndarray]:
        """What is needed to go on: CVODE starts afresh."""
        return {}
