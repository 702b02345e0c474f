"""CVODE of SUNDIALS through scikit-sundae: BDF of orders one to five for long and very stiff runs."""

import math
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.simulate.integrator import Problem, Reals
from kaneflex.simulate.own_steps import Attempt, OwnMethod, OwnSteps
from kaneflex.simulate.stepping import layout as at

FAR = 100.0  # tolerances: what local errors of a multistep method may add up to
DEGREE = 5  # highest degree of CVODE's polynomial over a step
NODES = (1 - np.cos(np.pi * np.arange(1, DEGREE) / DEGREE)) / 2  # within a step, in units of it


def _between() -> Reals:
    """Rows F of the dense output, from what y changes by at the nodes and at the end: columns."""
    x = np.append(NODES, 1.0)
    terms = [x]
    for j in range(1, DEGREE):
        terms.append(terms[-1] * ((1 - x) if j % 2 else x))
    inverse: Reals = np.linalg.inv(np.column_stack(terms))
    return inverse


BETWEEN = _between()


class Cvode(OwnSteps):
    """Takes CVODE's own steps, one by one.

    CVODE keeps its past to itself: it starts afresh, with a short step of order one, after a start, what is restored, and
    where projection onto constraints has moved the state by more than FAR since it last did. Until then CVODE goes on from
    its own state beside the constraints; what is shown of it is projected. After an event that changed nothing, the rest of
    the step in which it was is the next one. scikit-sundae tells evaluations and Jacobians, but not how many steps were
    rejected: those are counted by evaluations at a time before the one that was last asked for.
    """

    name = "cvode"
    control = "own"
    error_order = 1  # of the first step
    terms = DEGREE

    def __init__(self, problem: Problem) -> None:
        self._class: Any = optional("sksundae.cvode", 'method "cvode" needs scikit-sundae', "sundials").CVODE
        self._solver: Any = None
        self._at: tuple[float, Reals] | None = None  # where CVODE is
        self._from = math.inf  # where its last step began, s
        self._raised: BaseException | None = None  # in the right-hand side, from which CVODE lets nothing out
        self._latest, self._retreats, self._made, self._finite = -math.inf, 0, 0, True
        super().__init__(problem)

    def forget(self) -> None:
        """See `OwnSteps`."""
        self._at = None

    def restore(self, state: Any) -> None:
        """See `Integrator`."""
        super().restore(state)
        self.forget()

    def attempt(self, t: float, y: Reals, h: float) -> Attempt:
        """One step of CVODE, however long it is."""
        if self._at is not None and self._from < t < self._at[0] <= self.t_stop:
            end, new = self._at
            if self._distance(y, self._within(t)) <= FAR:
                return Attempt(new, between=self._between(t, y, end, new), t=end)
        if self._at is None or self._at[0] != t or self._distance(y, self._at[1]) > FAR:
            self._begin(t, y, h)
        self._latest, self._retreats, self._finite = -math.inf, 0, True
        result = self._call(self.t_stop, "onestep")
        if result.success and float(result.t) <= t:  # after it was asked for states within the last step
            result = self._call(self.t_stop, "onestep")
        self._ints[at.RK_REJECTED] += self._retreats
        self._ints[at.RK_JACOBIANS] += result.njev - self._made
        self._made = result.njev
        tiny = not self._finite and float(result.t) - t <= 1e-14 * abs(t)
        if tiny or not result.success:
            self.forget()
            return Attempt(np.full(self.size, np.nan), error=math.inf if self._finite else math.nan)
        end, new = float(result.t), np.array(result.y, float).reshape(-1)
        near = 1e-13 * max(1.0, abs(end))
        end = self.t_stop if abs(end - self.t_stop) <= near else end
        self._from, self._at = t, (end, new)
        return Attempt(new, between=self._between(t, y, end, new), t=end)

    def _within(self, t: float) -> Reals:
        """CVODE's state at a time within its last step."""
        return np.array(self._call(t, "normal").y, float).reshape(-1)

    def _between(self, t: float, y: Reals, end: float, new: Reals) -> Reals | None:
        """Rows of the dense output from (t, y) to the end of the last step, where they are wanted."""
        if not self.is_looked_into(end):
            return None
        within = [self._within(t + x * (end - t)) for x in NODES]
        rows: Reals = BETWEEN @ (np.array([*within, new]) - y) / (end - t)
        return rows

    def _begin(self, t: float, y: Reals, h: float) -> None:
        problem = self.problem
        longest = 0.0 if problem.max_step == math.inf else problem.max_step
        tolerances = {"rtol": max(problem.rtol, 1e-15), "atol": np.broadcast_to(problem.atol, self.size).astype(float)}
        first = min(h, problem.max_step, self.t_stop - t)
        self._solver = self._class(self._rate, max_step=longest, first_step=first, max_num_steps=1000, **tolerances)
        self._solver.init_step(t, y)
        self._at, self._made = (t, y), 0

    def _distance(self, y: Reals, z: Reals) -> float:
        """Between two states, 1 being the tolerance."""
        scale = np.broadcast_to(self.problem.atol, self.size) + self.problem.rtol * np.abs(y)
        return float(np.sqrt(np.mean(((y - z) / scale) ** 2)))

    def _rate(self, t: float, y: Reals, ydot: Reals) -> None:
        if t < self._latest:  # the step before was too long
            self._retreats += 1
        self._latest = t
        ydot[:] = np.nan
        if self._raised is None:
            try:
                ydot[:] = self.slope(t, y)
                self._finite &= bool(np.isfinite(ydot).all())
            except BaseException as error:
                self._raised = error

    def _call(self, t: float, how: str) -> Any:
        try:
            result = self._solver.step(t, how, self.t_stop if how == "onestep" else None)
        except Exception as e:
            if self._raised is None:
                raise ModelError(f"CVODE failed at t = {self.t:g} s: {e}") from e
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        return result


CVODE = OwnMethod(Cvode, order=0, dense_order=0, exact=False)
