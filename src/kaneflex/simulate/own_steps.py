"""Methods that make their steps themselves, in Python: the compiled loop does everything else."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from kaneflex.simulate.integrator import Integrator, Problem, Reals
from kaneflex.simulate.stepper import Shape, Stepper
from kaneflex.simulate.stepping import layout as at


@dataclass(frozen=True, eq=False)
class Attempt:
    """What became of a step.

    Args:
        y: state at its end.
        slope: y' there; None where it is not known, and `between` is given or not wanted.
        error: norm of the local error, 1 being the tolerance; more, or NaN, rejects the step.
        between: rows F of the dense output y_n + h x (F_0 + (1-x) (F_1 + x (F_2 + ...))); None is the cubic through the
            states and slopes at both ends.
        t: end of the step where that is not t + h, s; not beyond `OwnSteps.t_stop`.
    """

    y: Reals
    slope: Reals | None = None
    error: float = 0.0
    between: Reals | None = None
    t: float | None = None


@cache
def _shape(name: str, terms: int, adaptive: bool, error_order: int, memory: int) -> Shape:
    """One slot for the slope at the start of a step, one for that at its end, no tableau."""
    numbers = (1, 2, 0, 1, False, 0, terms, 0)
    return Shape(name, at.RK_OWN, *numbers, adaptive, error_order, 5.0, 0.2, np.zeros(1), (), memory)


class OwnSteps(Stepper):
    """An integrator of which a subclass writes `attempt`, and `forget` where it has a memory.

    The loop counts, finds events and fills samples on the dense output, projects, and stores. A subclass sets:

    Attributes:
        name: of the method.
        control: who chooses the steps: "fixed" (`step`), "errors" (the loop, from those of the attempts) or "own" (the
            method, which says where a step ended).
        error_order: order of the solution that the error estimate compares with.
        terms: rows of the dense output, three for the cubic.
        remembered: vectors of the length of y that the method keeps from step to step in `self.memory`.
    """

    name = "own"
    control = "fixed"
    error_order = 0
    terms = 3
    remembered = 0

    def __init__(self, problem: Problem) -> None:
        adaptive = self.control == "errors"
        if (self.control == "fixed" or (adaptive and not problem.adaptive)) and problem.step is None:
            raise ValueError(f"{self.name} with a fixed step needs step=")
        self._wanted = self._nothing = (np.zeros(0), np.zeros(0))
        super().__init__(_shape(self.name, self.terms, adaptive, self.error_order, self.remembered * problem.size), problem)

    def attempt(self, t: float, y: Reals, h: float) -> Attempt:
        """Try the step from (t, y) to t + h."""
        raise NotImplementedError

    def forget(self) -> None:
        """The state or its rate has jumped: nothing from before is worth anything."""

    @property
    def memory(self) -> Reals:
        """What the method keeps from step to step, a row for each of `remembered` vectors; stored with the run."""
        return self._vector(at.RK_MEMORY, self.remembered * self.size).reshape(self.remembered, self.size)

    @property
    def t_stop(self) -> float:
        """Time beyond which nothing may be looked at, s."""
        return float(self._reals[at.RK_STOP])

    @property
    def slope_here(self) -> Reals:
        """y' at the present state (a copy), which the loop keeps."""
        return self._vector(at.RK_K, self.size).copy()

    def slope(self, t: float, y: ArrayLike) -> Reals:
        """y' at (t, y); counts as an evaluation."""
        self._vector(at.RK_TRY, self.size)[:] = y
        self._reals[at.RK_ASK_T] = t
        self._ints[at.RK_ASK_Y], self._ints[at.RK_ASK_OUT] = self._ints[at.RK_TRY], self._ints[at.RK_BASE]
        self._ints[at.RK_PHASE] = at.RK_ASKED
        self._loop(self._nothing)
        return self._vector(at.RK_BASE, self.size).copy()

    def jacobian(self, t: float, y: ArrayLike) -> Reals:
        """dy'/dy at (t, y) by forward differences, an evaluation for every entry of y but work, on which no rate depends,
        and one more; counts as a Jacobian."""
        y = np.asarray(y, float)
        found = np.zeros((self.size, self.size))
        here = self.slope(t, y)
        for k in range(self.size - self.problem.works):
            moved = y.copy()
            moved[k] += np.sqrt(2.2e-16 * max(1e-5, abs(y[k])))
            found[:, k] = (self.slope(t, moved) - here) / (moved[k] - y[k])
        self._ints[at.RK_JACOBIANS] += 1
        return found

    def start(self, t: float, y: ArrayLike, step: float | None = None) -> None:
        """See `Integrator`."""
        super().start(t, y, step)
        self.forget()

    def is_looked_into(self, end: float) -> bool:
        """Whether the dense output of a step that ends at this time is wanted, for samples or events."""
        times = self._wanted[0]
        return bool(self.problem.event_directions) or (self.filled < len(times) and times[self.filled] < end)

    def _until_something(self, wanted: tuple[Reals, Reals]) -> int:
        self._wanted = wanted
        status = self._loop(wanted)
        while status == at.RK_STEP:
            self._take(self.attempt(self.t, self.y, float(self._reals[at.RK_H_TRY])))
            status = self._loop(wanted)
        return status

    def _take(self, made: Attempt) -> None:
        """Put a step where the loop looks for it."""
        n, reals = self.size, self._reals
        if made.t is not None:
            reals[at.RK_T_NEW] = made.t
            reals[at.RK_H_TRY] = made.t - self.t
            if made.t < self.t_stop:
                reals[at.RK_H] = made.t - self.t
        h = float(reals[at.RK_H_TRY])
        first, last = (self._vector(at.RK_K, 2 * n)[k * n : (k + 1) * n] for k in (0, 1))
        self._vector(at.RK_NEW, n)[:] = made.y
        rows = made.between
        if made.slope is None:
            self._ints[at.RK_VALID], last[:] = 0, 0.0
        else:
            last[:] = made.slope
        if made.slope is not None and rows is None:
            mean = (np.asarray(made.y) - self.y) / h
            rows = np.array([mean, first - mean, 2 * mean - first - last])
        if rows is not None:
            terms = self._vector(at.RK_F, self.terms * n).reshape(self.terms, n)
            terms[:] = 0.0
            terms[: len(rows)] = rows
        reals[at.RK_ERROR] = made.error
        self._ints[at.RK_PHASE] = at.RK_JUDGE


@dataclass(frozen=True)
class OwnMethod:
    """A class of own steps as a method of the registry.

    Args:
        kind: the class.
        order: of convergence with a fixed step; 0 where there is no fixed one.
        dense_order: order of the error between the ends of a step, as a method.
        exact: whether what is restored goes on with the same bits: all that the class keeps is in its `memory`.
    """

    kind: type[OwnSteps]
    order: int
    dense_order: int
    exact: bool = True

    @property
    def name(self) -> str:
        """As in `method=`."""
        return self.kind.name

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its step."""
        return self.kind.control != "fixed"

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method."""
        return self.kind(problem)
