"""What an integrator is: the protocol that a run talks to, the problem that it is given, the method that makes it.

A run asks `integrator(method, problem)` (`kaneflex.simulate.methods`) for one, and knows of it what is written here. There
are three ways to one more method, each of them one file in `simulate/methods` and one line in its `METHODS`:

- a tableau, `contract.RungeKutta`, which the compiled loop steps;
- a class whose `attempt` makes one step, on `own_steps.OwnSteps`, registered as an `OwnMethod`: events, samples, projection,
  storing and counting are the compiled loop's;
- anything that keeps the protocol.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kaneflex.simulate.stepping import layout as at

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]


class Status(IntEnum):
    """Why `Integrator.advance` came back."""

    DONE = at.RK_DONE  # t_stop is reached
    BUDGET = at.RK_BUDGET  # max_steps were tried; call again to go on
    EVENT = at.RK_EVENT  # an event function crossed zero, see Integrator.event
    STEP_TOO_SMALL = at.RK_STEP_TOO_SMALL  # no step, however small, meets the tolerance
    NOT_FINITE = at.RK_NOT_FINITE  # the state or its rate is not a finite number, however small the step
    NO_VALUE = at.RK_NO_VALUE  # an event function is not a number, see Integrator.event and Integrator.asked


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be integrated: y' = f(t, y) of a compiled system, and how.

    Args:
        tables: I, P, W of the system.
        size: length of y.
        n_error: entries of y, the first ones, whose local error is kept below `atol + rtol abs(y)` (root mean square); the
            entries after them are quadratures that are carried along.
        rtol, atol: tolerances; atol in the units of y, one for all or one each.
        step: first step to try, s, and the step itself of a method without error estimate or where `adaptive` is False.
        max_step: longest step, s (the last one before a stop may be one per cent longer).
        event_directions: one entry per event function: +1 for rising zeros, -1 for falling ones, 0 for both.
        adaptive: False keeps to `step`.
        constrained: states are projected onto motions and constraints.
        tied: there are constraint equations, whose singular positions are looked out for.
        scanned: event functions, the first ones (None: all), that are followed within steps, so that zeros closer together
            than a step are found.
        watched: multipliers are event functions.
        weighed: the error of work counts, but below a tenth of rtol times the kinetic energy.
        works: entries of y, the last ones (two or none), that are work: no rate depends on them.
        coordinates: entries of y, the first ones, that are coordinates: their rates are W(q) u.
        speeds: entries after these that are rates of a tree's joints, so that displacements move coordinates; 0 where
            coordinates are integrated like all else.
        timed: rates depend on time itself.
        is_tree: Newton's matrix is to be that of the tree (`formulations.tree_matrix`).
        has_tree: that matrix can be made; methods that make one in every step take it whatever the size.
        complex_tables: gives I with functions on complex numbers, for exact derivatives.
        check: raises what went wrong in functions that compiled code called.
    """

    tables: tuple[Integers, Reals, Reals]
    size: int
    n_error: int
    rtol: float = 1e-8
    atol: ArrayLike = 1e-10
    step: float | None = None
    max_step: float = math.inf
    event_directions: Sequence[int] = ()
    adaptive: bool = True
    constrained: bool = False
    tied: bool = False
    scanned: int | None = None
    watched: bool = False
    weighed: bool = False
    works: int = 0
    coordinates: int = 0
    speeds: int = 0
    timed: bool = True
    is_tree: bool = False
    has_tree: bool = False
    complex_tables: Callable[[], Integers] | None = None
    check: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.n_error <= self.size or self.size < 1:
            raise ValueError(f"n_error = {self.n_error} entries of y cannot count when y has {self.size}")
        if self.step is not None and not 0 < self.step < math.inf:
            raise ValueError(f"step = {self.step} is not a positive length of time")
        if not self.max_step > 0:
            raise ValueError(f"max_step = {self.max_step} is not a positive length of time")
        one = isinstance(self.atol, float)
        bounds = np.full(1 if one else self.size, self.atol, dtype=float)
        counted = bounds if one else bounds[: self.n_error]
        if not (self.rtol >= 0 and bounds.min() >= 0 and (self.n_error == 0 or counted.min() + self.rtol > 0)):
            raise ValueError("rtol and atol must not be negative, nor both zero")
        if any(d not in (-1, 0, 1) for d in self.event_directions):
            raise ValueError("an event's direction is +1 (rising), -1 (falling) or 0 (both)")
        if self.works not in (0, 2):
            raise ValueError(f"works = {self.works}: the work of applied loads and of dampers is two entries of y, or none")


class Integrator(Protocol):
    """Steps one problem through time, and tells honestly what that took.

    A state that an integrator shows (`y`, samples, at events) is projected where the problem is constrained. Counts grow
    from the making of the integrator on, and are part of `state`.
    """

    @property
    def size(self) -> int:
        """Length of y."""

    @property
    def t(self) -> float:
        """Present time, s."""

    @property
    def y(self) -> Reals:
        """Present state (a copy)."""

    @property
    def step(self) -> float:
        """Step to try next, s; 0 when it is still to be found."""

    @property
    def steps(self) -> int:
        """Steps accepted."""

    @property
    def rejected(self) -> int:
        """Steps that were tried and not accepted, for their error or because an iteration did not converge."""

    @property
    def evaluations(self) -> int:
        """Calls of the right-hand side, those for Jacobians included."""

    @property
    def jacobians(self) -> int:
        """Jacobians made."""

    @property
    def corrections(self) -> int:
        """Newton corrections of implicit stages."""

    @property
    def projection_failures(self) -> int:
        """Steps after which the constraints could not be met."""

    @property
    def filled(self) -> int:
        """Samples filled since `begin_samples`."""

    @property
    def event(self) -> int:
        """Number of the event that the last `advance` came back with, or -1."""

    @property
    def asked(self) -> float:
        """Time at which the right-hand side or the event functions were last wanted, s."""

    @property
    def unseen(self) -> tuple[int, float] | None:
        """Event that first changed too fast to be followed, and when; None when all were."""

    def start(self, t: float, y: ArrayLike, step: float | None = None) -> None:
        """Start afresh at (t, y), after a jump of the state or of an input as well: nothing of the past is used. `step` is
        the first step to try, if not the one of the problem or one found from the tolerance.

        At the time of an event, others that happened at the same instant are still reported, one per `advance`.
        """

    def renew(self, t: float) -> None:
        """Go on from the present state at t, where only the right-hand side has jumped: an input, or a given motion's
        acceleration. Event functions that jumped through zero are reported by the next `advance`."""

    def advance(self, t_stop: float, times: Reals, samples: Reals, max_steps: int) -> Status:
        """Step until t_stop, the next event, or for max_steps attempts, whichever comes first; never look beyond t_stop.

        Row k of `samples` becomes y at times[k] (ascending), as accurate as the steps; rows that are filled already,
        `filled` of them, are left alone, so that calls with the same arrays continue one another. At an event the state is
        just after it. When something is raised in functions that compiled code calls, this raises it, and all is as before
        the call; Ctrl-C ends the call after a step.
        """

    def begin_samples(self) -> None:
        """The next `advance` brings new times and samples, of which none are filled."""

    def take_events(self) -> list[int]:
        """Numbers of all events of the instant that the last `advance` came back with; they are not reported again."""

    def fired(self) -> dict[int, float]:
        """Events that happened at the present instant, with the values of their functions."""

    def set_fired(self, fired: Mapping[int, float]) -> None:
        """After a start: these events happened at this instant already, see `fired`; they do not happen again at once."""

    def expect(self, rank: int, share: float) -> None:
        """Say how many constraint equations are independent in positions that are not singular, and the least share there
        (see `assembly.independence`), where the run may not have been yet."""

    def passes(self) -> list[tuple[float, int, float]]:
        """Singular positions passed since this was last asked: time, equation, and its share there."""

    def state(self) -> dict[str, NDArray]:
        """Everything that changes during a run, as arrays that a file can hold."""

    def restore(self, state: Mapping[str, NDArray]) -> None:
        """Go back to what `state` returned, of this integrator or of one made from the same method and problem: with the
        same bits where `Method.exact` says so, else from the same time and state."""


class Method(Protocol):
    """What is registered under a name."""

    @property
    def name(self) -> str:
        """As in `method=`."""

    @property
    def order(self) -> int:
        """Of convergence, with a fixed step; 0 where the method has no fixed one."""

    @property
    def dense_order(self) -> int:
        """Order of the error between the ends of a step, as a method."""

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its step."""

    @property
    def exact(self) -> bool:
        """Whether what is restored goes on with the same bits."""

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method."""
