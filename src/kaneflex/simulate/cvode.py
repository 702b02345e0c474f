"""CVODE of SUNDIALS through scikit-sundae, with the face of `Stepper`: BDF for very stiff systems."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.simulate.stepper import Status


class CvodeStepper:
    """Integrates with CVODE's BDF between the times at which it must stop; needs the extra `sundials`."""

    def __init__(self, dynamics: Dynamics, size: int, options: Any, event_directions: Sequence[int]):
        try:
            from sksundae.cvode import CVODE
        except ImportError as e:
            raise ModelError('method "cvode" needs scikit-sundae: pip install "kaneflex[sundials]"') from e
        if event_directions:
            raise ModelError('method "cvode" finds no events here: use dopri5, dop853 or sdirk4 with events')
        self._dynamics, self._options, self._class = dynamics, options, CVODE
        self.t, self.y = 0.0, np.zeros(size)
        self.steps = self.rejected = self.evaluations = self.filled = 0
        self.event, self.step = -1, 0.0
        self._error: BaseException | None = None  # of the right-hand side, from which the solver lets nothing out

    def start(self, t: float, y: np.ndarray, step: float | None = None) -> None:
        """Start afresh at (t, y)."""
        self.t, self.y = float(t), np.array(y, float)

    def begin_samples(self) -> None:
        """None of the samples are filled yet."""
        self.filled = 0

    def _rhs(self, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        self.evaluations += 1
        ydot[:] = np.nan
        if self._error is None:
            try:
                ydot[:] = self._dynamics.derivative(t, y)
            except BaseException as error:
                self._error = error

    def advance(self, t_stop: float, times: np.ndarray, samples: np.ndarray, max_steps: int) -> Status:
        """Integrate to t_stop and fill the samples on the way."""
        solver = self._class(self._rhs, rtol=self._options.rtol, atol=self._options.atol, max_num_steps=1_000_000)
        due = times[self.filled :]
        due = due[due <= t_stop]
        points = np.unique(np.concatenate([[self.t], due, [t_stop]]))
        self._error = None
        try:
            result = solver.solve(points, self.y)
        except Exception as e:
            if self._error is not None:
                raise self._error from None
            raise ModelError(f"CVODE failed between t = {self.t:g} and {t_stop:g} s: {e}") from e
        if self._error is not None:
            raise self._error
        if not result.success or len(result.t) < len(points):
            self.t, self.y = float(result.t[-1]), np.array(result.y[-1])
            return Status.STEP_TOO_SMALL
        samples[self.filled : self.filled + len(due)] = result.y[np.searchsorted(points, due)]
        self.filled += len(due)
        self.steps += len(points) - 1
        self.t, self.y = float(t_stop), np.array(result.y[-1])
        return Status.DONE

    def state(self) -> dict[str, np.ndarray]:
        """What is needed to go on: CVODE starts afresh."""
        return {}
