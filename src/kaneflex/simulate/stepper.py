"""The integrator that runs the compiled loop: one object per run, all of its state in arrays that can be stored."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kaneflex.formulations.tree_matrix import tree_length
from kaneflex.kernels import backend
from kaneflex.kernels.interrupts import Held
from kaneflex.model.checks import ModelError
from kaneflex.simulate.integrator import Integers, Problem, Reals, Status
from kaneflex.simulate.stepping import layout as at
from kaneflex.simulate.stepping.exact_tangent import exact_length
from kaneflex.simulate.stepping.mixing import mixed_length

_FIXED = [  # what a method and a system lay down for all of a run
    *range(at.RK_STEPS),
    *(at.RK_PROBE, at.RK_CONSTRAINED, at.RK_TIED, at.RK_SPARE, at.RK_SCANNED, at.RK_WATCHED, at.RK_WEIGHED),
    *(at.RK_GM, at.RK_D0, at.RK_D1, at.RK_DM, at.RK_SUMS, at.RK_PASSES, at.RK_NEIGHBOURS),
    *(at.RK_KIND, at.RK_COORDINATES, at.RK_WORKS, at.RK_GAMMA, at.RK_AXES, at.RK_POINT, at.RK_MIXED),
    *(at.RK_TIMED, at.RK_SPEEDS, at.RK_EXACT, at.RK_KRYLOV),
]


@dataclass(frozen=True, eq=False)
class Shape:
    """What the loop has to know of a method. Stage vectors live in numbered slots, see `methods/contract.py`."""

    name: str
    kind: int  # RK_EXPLICIT, RK_DIAGONAL, RK_COUPLED, RK_OWN, RK_LINEAR or RK_ALPHA
    stages: int
    slots: int
    first: int  # slot of f(t_n, y_n)
    last: int  # slot of f(t_n+1, y_n+1)
    fsal: bool
    estimates: int  # of the error
    terms: int  # of the dense output
    extra: int  # stages for the dense output
    adaptive: bool
    error_order: int
    grow: float
    shrink: float
    tableau: Reals
    places: tuple[tuple[int, int], ...]  # of the parts of the tableau
    memory: int = 0  # reals that a method of kind RK_OWN keeps from step to step
    exact_tangent: bool = False  # linear: stages are solved with the Jacobian itself, see stepping/exact_tangent.py
    solves: bool = True  # alpha: for the speeds at the end of a step, by a matrix

    @property
    def implicit(self) -> bool:
        """Whether the loop solves for stages, by a matrix."""
        return self.kind not in (at.RK_EXPLICIT, at.RK_OWN)

    @property
    def iterates(self) -> bool:
        """Whether it does so by Newton's method."""
        return self.implicit and self.kind != at.RK_LINEAR


@lru_cache(maxsize=64)
def _template(shape: Shape, size: int, n_error: int, events: int, adaptive: bool) -> tuple[Integers, Reals, int]:
    """N and C of a run that has not begun, and the length of S, but for a Jacobian with all entries, which is its end."""
    places = dict(shape.places)
    implicit = size if shape.implicit else 0
    lengths = {
        at.RK_Y: size,
        at.RK_NEW: size,
        at.RK_TRY: size,
        at.RK_K: shape.slots * size,
        at.RK_F: shape.terms * size,
        at.RK_ATOL: size,
        at.RK_SPARE: size,
        at.RK_NEIGHBOURS: 4 * size,
        at.RK_PASSES: 3 * at.RK_ROOM,
        **dict.fromkeys((at.RK_G0, at.RK_G1, at.RK_GX, at.RK_SIDE, at.RK_DIRECTION), events),
        **dict.fromkeys((at.RK_WAITING, at.RK_FIRED, at.RK_GM, at.RK_D0, at.RK_D1, at.RK_DM), events),
        at.RK_SUMS: 1,
        at.RK_POINT: implicit,
        at.RK_MIXED: mixed_length(shape.stages if shape.kind == at.RK_COUPLED else 1, implicit) if shape.iterates else 0,
        at.RK_BASE: size if shape.kind != at.RK_EXPLICIT else 0,
        at.RK_DELTA: shape.stages * implicit,
        at.RK_Z: {at.RK_COUPLED: 2 * shape.stages, at.RK_LINEAR: 2, at.RK_ALPHA: 5}.get(shape.kind, 0) * size,
        at.RK_MEMORY: shape.memory,
        at.RK_KRYLOV: exact_length(size) if shape.exact_tangent else 0,
    }
    length = 0
    for key, part in lengths.items():
        places[key] = length
        length += part
    places[at.RK_J] = length
    ints = np.zeros(at.RK_INTS, dtype=np.int64)
    numbers = {
        at.RK_KIND: shape.kind,
        at.RK_SIZE: size,
        at.RK_CHECKED: n_error,
        at.RK_EVENTS: events,
        at.RK_STAGES: shape.stages,
        at.RK_SLOTS: shape.slots,
        at.RK_FIRST: shape.first,
        at.RK_LAST: shape.last,
        at.RK_FSAL: shape.fsal,
        at.RK_ESTIMATES: shape.estimates,
        at.RK_TERMS: shape.terms,
        at.RK_EXTRA: shape.extra,
        at.RK_ADAPTIVE: adaptive,
        at.RK_IMPLICIT: shape.implicit,
    }
    for key, value in (numbers | places).items():
        ints[key] = value
    reals = np.zeros(at.RK_REALS)
    power = 1 / (shape.error_order + 1)
    reals[at.RK_POWER] = power
    reals[at.RK_BETA] = 0.2 * power
    reals[at.RK_GROW] = shape.grow
    reals[at.RK_SHRINK] = shape.shrink
    reals[[at.RK_LEAST, at.RK_BEFORE, at.RK_EARLIER]] = 1.0
    reals[at.RK_REACH] = 1 / at.RK_ZONE
    return ints, reals, length


class Stepper:
    """Integrates a problem by a method of the given shape; keeps the protocol `Integrator`."""

    def __init__(self, shape: Shape, problem: Problem) -> None:
        adaptive = problem.adaptive and shape.adaptive
        if not adaptive and problem.step is None and shape.kind != at.RK_OWN:
            raise ValueError(f"{shape.name} with a fixed step needs step=")
        self.shape, self.problem = shape, problem
        self._tables, self._check = problem.tables, problem.check
        self._step = 0.0 if problem.step is None else float(problem.step)
        # implicit stages converge in what counts only: work has to count, but where neither steps nor corrections hang on it
        weighed = shape.kind != at.RK_ALPHA and (problem.weighed or (shape.iterates and problem.works > 0))
        size, events = problem.size, len(problem.event_directions)
        n_error = size if weighed else problem.n_error
        ints, reals, length = _template(shape, size, n_error, events, adaptive)
        self._ints: Integers = ints.copy()
        self._reals: Reals = reals.copy()
        self._store: Reals = np.zeros(length)
        if not shape.solves:
            self._ints[at.RK_MATRIX] = at.RK_NONE
        elif (shape.implicit and problem.is_tree) or (shape.kind == at.RK_LINEAR and problem.has_tree):
            self._ints[at.RK_MATRIX] = at.RK_TREE
        self._factors: tuple[NDArray, ...] = ()
        self._complex_tables: Integers | None = None  # of the system's functions on complex numbers
        if shape.exact_tangent and problem.has_tree and problem.complex_tables is not None:
            self._ints[at.RK_EXACT] = 1
            self._complex_tables = problem.complex_tables()
        self._make_room()
        self._vector(at.RK_ATOL, size)[:] = problem.atol
        self._vector(at.RK_DIRECTION, events)[:] = problem.event_directions
        self._reals[at.RK_RTOL] = problem.rtol
        self._reals[at.RK_MAX_STEP] = problem.max_step
        self._ints[at.RK_CONSTRAINED], self._ints[at.RK_TIED] = problem.constrained, problem.tied
        self._ints[at.RK_WATCHED], self._ints[at.RK_WEIGHED] = problem.watched, weighed
        self._ints[at.RK_SCANNED] = events if problem.scanned is None else problem.scanned
        self._ints[at.RK_COORDINATES], self._ints[at.RK_WORKS] = problem.coordinates, problem.works
        self._ints[at.RK_SPEEDS], self._ints[at.RK_TIMED] = problem.speeds, problem.timed
        self.start(0.0, np.zeros(size))

    def _vector(self, key: int, length: int) -> Reals:
        place = int(self._ints[key])
        return self._store[place : place + length]

    def start(self, t: float, y: ArrayLike, step: float | None = None) -> None:
        """Start afresh at (t, y), after a jump of the state or of an input as well. `step` is the first step to try,
        if not the one given at construction or one found from the tolerance.

        At the time of an event, others that happened at the same instant are still reported, one per `advance`.
        """
        ints, reals = self._ints, self._reals
        if t != reals[at.RK_T]:
            for key in (at.RK_WAITING, at.RK_FIRED):
                self._vector(key, int(ints[at.RK_EVENTS]))[:] = 0.0
        reals[at.RK_T] = t
        self._vector(at.RK_Y, int(ints[at.RK_SIZE]))[:] = y
        reals[at.RK_H] = self._step if step is None or not ints[at.RK_ADAPTIVE] else step
        reals[at.RK_ERROR_OLD] = 1e-4
        ints[at.RK_WHICH] = -1
        ints[at.RK_FRESH] = 1
        for key in (at.RK_RATED, at.RK_VALID, at.RK_SHRUNK, at.RK_BAD, at.RK_JACOBIAN, at.RK_FACTORED, at.RK_SMOOTH):
            ints[key] = 0

    def renew(self, t: float) -> None:
        """Go on from the present state at t, where only the right-hand side has jumped: an input, or a given motion's
        acceleration. The step is kept; event functions that jumped through zero are reported by the next `advance`."""
        self.start(t, self.y, self.step if self.steps else None)
        self._ints[at.RK_FRESH] = 2

    def take_events(self) -> list[int]:
        """Numbers of all events of the instant that the last `advance` came back with; they are not reported again."""
        waiting = self._vector(at.RK_WAITING, int(self._ints[at.RK_EVENTS]))
        found = ([self.event] if self.event >= 0 else []) + [int(k) for k in np.flatnonzero(waiting)]
        waiting[:] = 0.0
        return found

    def fired(self) -> dict[int, float]:
        """Events that happened at the present instant, with the values of their functions."""
        fired, values = (self._vector(key, int(self._ints[at.RK_EVENTS])) for key in (at.RK_FIRED, at.RK_G0))
        return {int(k): float(values[k]) for k in np.flatnonzero(fired)}

    def set_fired(self, fired: Mapping[int, float]) -> None:
        """After a start: these events happened at this instant already, see `fired`; they do not happen again at once."""
        for k, value in fired.items():
            self._vector(at.RK_FIRED, int(self._ints[at.RK_EVENTS]))[k] = 1.0
            self._vector(at.RK_G0, int(self._ints[at.RK_EVENTS]))[k] = value

    def begin_samples(self) -> None:
        """The next `advance` brings new times and samples, of which none are filled."""
        self._ints[at.RK_FILLED] = 0

    def advance(self, t_stop: float, times: Reals, samples: Reals, max_steps: int) -> Status:
        """Step until t_stop, the next event, or for max_steps attempts, whichever comes first.

        Row k of `samples` becomes y at times[k] (ascending); rows that are filled already, `self.filled` of them,
        are left alone, so that calls with the same arrays continue one another. When something is raised in functions that
        compiled code calls, this raises it, and all is as before the call; Ctrl-C ends the call after a step.
        """
        wanted = self.ready(t_stop, times, samples, max_steps)
        before = self.state()
        with Held(self.hurry) as held:
            try:
                status = Status(self._until_something(wanted))
                if held.count > 1:  # one of them was raised in a function, wherever that was
                    raise KeyboardInterrupt
            except BaseException:
                self.restore(before)
                raise
        return status

    def ready(self, t_stop: float, times: Reals, samples: Reals, max_steps: int) -> tuple[Reals, Reals]:
        """Note what `advance` is to do, arguments as there; gives times and samples as the compiled loop takes them."""
        times = np.require(times, dtype=np.float64, requirements=["C", "W"])
        if samples.shape != (len(times), self.size) or samples.dtype != np.float64 or not samples.flags.c_contiguous:
            raise ValueError(f"samples must be a contiguous float array of shape {(len(times), self.size)}")
        if not self.t <= t_stop < math.inf:
            raise ValueError(f"cannot step from t = {self.t} to t_stop = {t_stop}")
        if self.filled < len(times) and times[self.filled] < self.t:
            raise ValueError(f"sample time {times[self.filled]} lies before t = {self.t}")
        self._ints[at.RK_TIMES] = len(times)
        self._ints[at.RK_LEFT] = max_steps
        self._reals[at.RK_STOP] = t_stop
        self._ints[at.RK_PHASE] = at.RK_BEGIN
        return times, samples.reshape(-1)

    def block(self, wanted: tuple[Reals, Reals]) -> Integers:
        """Addresses of all that the compiled loop of an explicit method works on; `wanted` are times and samples. They hold
        as long as the integrator and these are not changed."""
        arrays = (*self._tables, self._ints, self._reals, self.shape.tableau, self._store, *wanted)
        return np.array([array.ctypes.data for array in arrays], np.int64)

    def _until_something(self, wanted: tuple[Reals, Reals]) -> int:
        """Run the loop until there is something to report."""
        return self._loop(wanted)

    def _make_room(self) -> None:
        """Let S have the room for the Jacobian that the matrix of now needs: none for that of the tree."""
        n, place = self.size, int(self._ints[at.RK_J])
        filled = self.shape.implicit and self._ints[at.RK_MATRIX] == at.RK_FULL
        wanted = place + (n * n if filled else 0)
        if len(self._store) != wanted:
            self._store = np.concatenate([self._store[:place], np.zeros(wanted - place)])

    def _room(self) -> tuple[NDArray, ...]:
        """For factors of Newton's matrix, which follow from what is stored: real, complex, and their pivots; of the matrix
        of the tree all that it has."""
        n = self.size
        self._make_room()
        if self._ints[at.RK_MATRIX] == at.RK_TREE:
            sizes = (int(tree_length(self._tables[0])), 1 if self._complex_tables is None else 2 * n, 1)
        elif self._ints[at.RK_MATRIX] == at.RK_NONE:
            sizes = (1, 1, 1)
        else:
            sizes = (n * n, n * n + n, 3 * n)
        if tuple(len(part) for part in self._factors) != sizes:
            self._factors = tuple(np.zeros(k, kind) for k, kind in zip(sizes, (float, complex, np.int64), strict=True))
            if self._complex_tables is not None:
                self._factors[2][0] = self._complex_tables.ctypes.data
        return self._factors

    def _loop(self, wanted: tuple[Reals, Reals]) -> int:
        """The compiled loop from the phase it is in; `wanted` are times and samples."""
        world = backend.compiled()
        status = at.RK_FILL
        while status == at.RK_FILL:
            if self.shape.implicit:
                factors = self._room()  # first: it may make the store anew
                own = (*self._tables, self._ints, self._reals, self.shape.tableau, self._store, *factors)
                status = int(backend.checked(world.advance_implicit)(*own, *wanted))
            else:
                block = self.block(wanted)
                status = int(backend.checked(world.advance_explicit)(block.ctypes.data))
            if self._check is not None:
                self._check()
        return status

    def hurry(self) -> None:
        """Let `advance` return after the step it is at."""
        self._ints[at.RK_LEFT] = 0

    @property
    def size(self) -> int:
        """Length of y."""
        return int(self._ints[at.RK_SIZE])

    @property
    def t(self) -> float:
        """Present time."""
        return float(self._reals[at.RK_T])

    @property
    def y(self) -> Reals:
        """Present state (a copy)."""
        return self._vector(at.RK_Y, self.size).copy()

    @property
    def step(self) -> float:
        """Step to try next; 0 when it is still to be found."""
        return float(self._reals[at.RK_H])

    @property
    def steps(self) -> int:
        """Steps accepted."""
        return int(self._ints[at.RK_STEPS])

    @property
    def rejected(self) -> int:
        """Steps rejected."""
        return int(self._ints[at.RK_REJECTED])

    @property
    def evaluations(self) -> int:
        """Calls of the right-hand side."""
        return int(self._ints[at.RK_EVALUATIONS])

    @property
    def jacobians(self) -> int:
        """Jacobians made."""
        return int(self._ints[at.RK_JACOBIANS])

    @property
    def corrections(self) -> int:
        """Newton corrections made."""
        return int(self._ints[at.RK_CORRECTIONS])

    @property
    def projection_failures(self) -> int:
        """Steps after which the constraints could not be met."""
        return int(self._ints[at.RK_PROJECTION_FAILURES])

    def expect(self, rank: int, share: float) -> None:
        """Say how many constraint equations are independent in positions that are not singular, and the least share there
        (see `assembly.independence`), where the run may not have been yet."""
        self._ints[at.RK_RANK], self._reals[at.RK_USUAL] = rank, share

    def passes(self) -> list[tuple[float, int, float]]:
        """Singular positions passed since this was last asked: time, equation, and its share there."""
        rows = self._vector(at.RK_PASSES, 3 * int(self._ints[at.RK_PASSED])).reshape(-1, 3)
        self._ints[at.RK_PASSED] = 0
        return [(float(t), int(row), float(share)) for t, row, share in rows]

    @property
    def event(self) -> int:
        """Number of the event that the last `advance` came back with, or -1."""
        return int(self._ints[at.RK_WHICH])

    @property
    def asked(self) -> float:
        """Time at which the right-hand side or the event functions were last wanted."""
        return float(self._reals[at.RK_ASK_T])

    @property
    def unseen(self) -> tuple[int, float] | None:
        """Event that first changed too fast to be followed, and when; None when all were."""
        if not self._ints[at.RK_UNSEEN]:
            return None
        return int(self._ints[at.RK_UNSEEN_EVENT]), float(self._reals[at.RK_UNSEEN_T])

    @property
    def filled(self) -> int:
        """Samples filled since `begin_samples`."""
        return int(self._ints[at.RK_FILLED])

    def state(self) -> dict[str, NDArray]:
        """Everything that changes during a run; `restore` continues from it with the same bits."""
        return {"ints": self._ints.copy(), "reals": self._reals.copy(), "store": self._store.copy()}

    def restore(self, state: Mapping[str, NDArray]) -> None:
        """Go back to what `state` returned, of this Stepper or of one of the same shape and problem."""
        place = int(self._ints[at.RK_J])
        lengths = (place, place + self.size**2) if self.shape.implicit else (place,)
        alike = all(state[name].shape == array.shape for name, array in (("ints", self._ints), ("reals", self._reals)))
        if not alike or state["store"].ndim != 1 or len(state["store"]) not in lengths:
            raise ValueError("the state is of a Stepper for another method or system")
        if np.any(state["ints"][_FIXED] != self._ints[_FIXED]):
            raise ModelError("what is stored of the integrator is not of this run: its file is damaged; simulate anew")
        self._ints[:], self._reals[:], self._store = state["ints"], state["reals"], np.array(state["store"], float)
        self._make_room()
        self._ints[at.RK_FACTORED] = 0


class BoundLoop:
    """The compiled loop of an explicit `Stepper` without samples: what `Stepper.advance` does without its checks, copies and
    guards, for a caller who knows that no function in Python takes part.

    Args:
        stepper: explicit; its arrays stay where they are.
        steps: to try before the loop comes back with Status.BUDGET.
    """

    def __init__(self, stepper: Stepper, steps: int = 2000):
        nothing = np.zeros(0)
        own = (*stepper._tables, stepper._ints, stepper._reals, stepper.shape.tableau, stepper._store, nothing, nothing)
        self._block = np.array([array.ctypes.data for array in own], np.int64)
        self._alive = own
        self._address, self._entry = int(self._block.ctypes.data), backend.compiled().advance_explicit
        self._ints: Any = stepper._ints.data  # entries are set at less cost than those of an array
        self._reals: Any = stepper._reals.data
        self._steps = steps
        self.y = stepper._vector(at.RK_Y, stepper.size)

    def mover(self) -> Callable[[float, bool], int]:
        """A function of a time and of whether an input has jumped, as for `Stepper.renew`, that steps until then, or until
        there is something to report: a `Status`."""
        ints, reals, address, entry, steps = self._ints, self._reals, self._address, self._entry, self._steps
        STOP, TIMES, FILLED, LEFT, PHASE, BEGIN = at.RK_STOP, at.RK_TIMES, at.RK_FILLED, at.RK_LEFT, at.RK_PHASE, at.RK_BEGIN
        RATED, VALID, WHICH, FRESH, OLD = at.RK_RATED, at.RK_VALID, at.RK_WHICH, at.RK_FRESH, at.RK_ERROR_OLD

        def move(stop: float, renewed: bool) -> int:
            if renewed:  # what else `Stepper.start` sets is so after every step that was accepted
                reals[OLD], ints[WHICH], ints[FRESH] = 1e-4, -1, 2
                ints[RATED] = ints[VALID] = 0
            reals[STOP], ints[TIMES], ints[FILLED], ints[LEFT], ints[PHASE] = stop, 0, 0, steps, BEGIN
            status: int = entry(address)
            return status

        return move

    @property
    def memory(self) -> tuple[float, float]:
        """What step control knows at the end of a step: the step to try next, and the error of the last one."""
        return self._reals[at.RK_H], self._reals[at.RK_ERROR_OLD]

    def recall(self, memory: tuple[float, float]) -> None:
        """After a start: what `memory` said before."""
        self._reals[at.RK_H], self._reals[at.RK_ERROR_OLD] = memory
