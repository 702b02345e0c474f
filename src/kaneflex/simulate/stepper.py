"""Steps a system through time: one object per run, all of its state in arrays that can be stored."""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kaneflex.kernels import backend
from kaneflex.kernels.energy import TOTALS
from kaneflex.kernels.interrupts import Held
from kaneflex.model.checks import ModelError
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.stepping import layout as at

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]


class Status(IntEnum):
    """Why `Stepper.advance` came back."""

    DONE = at.RK_DONE  # t_stop is reached
    BUDGET = at.RK_BUDGET  # max_steps were tried; call again to go on
    EVENT = at.RK_EVENT  # an event function crossed zero, see Stepper.event
    STEP_TOO_SMALL = at.RK_STEP_TOO_SMALL  # no step, however small, meets the tolerance
    NOT_FINITE = at.RK_NOT_FINITE  # the state or its rate is not a finite number, however small the step
    NO_VALUE = at.RK_NO_VALUE  # an event function is not a number, see Stepper.event and Stepper.asked


_FIXED = [  # what a method and a system lay down for all of a run
    *range(at.RK_STEPS),
    *(at.RK_PROBE, at.RK_CONSTRAINED, at.RK_TIED, at.RK_SPARE, at.RK_SCANNED, at.RK_WATCHED, at.RK_WEIGHED),
    *(at.RK_GM, at.RK_D0, at.RK_D1, at.RK_DM, at.RK_SUMS, at.RK_PASSES, at.RK_NEIGHBOURS),
]


@cache
def _packed(name: str) -> tuple[Reals, dict[int, int]]:
    """The tableau in one array, every matrix with one column per slot, and where each part begins."""
    method = METHODS[name]
    slots = method.slots
    A = np.zeros((slots, slots))
    A[: method.stages, : method.stages] = method.A
    c = np.zeros(slots)
    c[: method.stages] = method.c
    extra = len(method.c_extra)
    if extra:
        A[slots - extra :, : method.A_extra.shape[1]] = method.A_extra
        c[slots - extra :] = method.c_extra
    probe = np.array(method.dense_weights(0.75) if method.implicit else ())
    parts = {at.RK_A: A, at.RK_B: method.b, at.RK_NODES: c, at.RK_E: method.E, at.RK_D: method.D, at.RK_PROBE: probe}
    places, length = {}, 0
    for key, part in parts.items():
        places[key] = length
        length += part.size
    return np.concatenate([part.ravel() for part in parts.values()]), places


@lru_cache(maxsize=64)
def _template(name: str, size: int, n_error: int, events: int, adaptive: bool) -> tuple[Integers, Reals, int]:
    """N and C of a run that has not begun, and the length of S."""
    method = METHODS[name]
    places = dict(_packed(name)[1])
    implicit = size if method.implicit else 0
    lengths = {
        at.RK_Y: size,
        at.RK_NEW: size,
        at.RK_TRY: size,
        at.RK_K: method.slots * size,
        at.RK_F: len(method.D) * size,
        at.RK_ATOL: size,
        at.RK_SPARE: size,
        at.RK_NEIGHBOURS: 4 * size,
        at.RK_PASSES: 3 * at.RK_ROOM,
        **dict.fromkeys((at.RK_G0, at.RK_G1, at.RK_GX, at.RK_SIDE, at.RK_DIRECTION), events),
        **dict.fromkeys((at.RK_WAITING, at.RK_FIRED, at.RK_GM, at.RK_D0, at.RK_D1, at.RK_DM), events),
        at.RK_SUMS: TOTALS,
        **dict.fromkeys((at.RK_J, at.RK_LU), implicit * size),
        **dict.fromkeys((at.RK_BASE, at.RK_DELTA), implicit),
    }
    length = 0
    for key, part in lengths.items():
        places[key] = length
        length += part
    ints = np.zeros(at.RK_INTS + implicit, dtype=np.int64)
    numbers = {
        at.RK_SIZE: size,
        at.RK_CHECKED: n_error,
        at.RK_EVENTS: events,
        at.RK_STAGES: method.stages,
        at.RK_SLOTS: method.slots,
        at.RK_FIRST: method.first,
        at.RK_LAST: method.last,
        at.RK_FSAL: method.fsal,
        at.RK_ESTIMATES: len(method.E),
        at.RK_TERMS: len(method.D),
        at.RK_EXTRA: len(method.c_extra),
        at.RK_ADAPTIVE: adaptive,
        at.RK_IMPLICIT: method.implicit,
        at.RK_PIVOT: at.RK_INTS,
    }
    for key, value in (numbers | places).items():
        ints[key] = value
    reals = np.zeros(at.RK_REALS)
    power = 1 / (method.error_order + 1)
    reals[at.RK_POWER] = power
    reals[at.RK_BETA] = 0.2 * power
    reals[at.RK_GROW] = method.grow
    reals[at.RK_SHRINK] = method.shrink
    reals[[at.RK_LEAST, at.RK_BEFORE, at.RK_EARLIER]] = 1.0
    reals[at.RK_REACH] = 1 / at.RK_ZONE
    return ints, reals, length


class Stepper:
    """Integrates y' = f(t, y) of the compiled system in `tables` = (I, P, W) by a method of `METHODS`.

    The local error of the first `n_error` entries of y is kept below atol + rtol |y| (root mean square); the entries
    after them are quadratures that are carried along. `step` is the first step to try, and the step itself of a
    method that has no error estimate, or when `adaptive` is False; `max_step` bounds the step (the last one before
    t_stop may be one per cent longer). `event_directions` has one entry per event function: +1 reports rising zeros,
    -1 falling ones, 0 both; the first `scanned` of them (None: all) are followed within steps, so that zeros closer together
    than a step are found. With `constrained`, states are projected onto motions and constraints; with `tied` there
    are constraints, and it looks out for their singular positions; with `watched`, multipliers are event functions; with
    `weighed`, the last two entries of y are work, of which the error below a tenth of rtol times the kinetic energy does not
    count. `check` raises what went wrong in functions that compiled code called.
    """

    def __init__(
        self,
        method: str,
        tables: tuple[Integers, Reals, Reals],
        size: int,
        n_error: int,
        *,
        rtol: float = 1e-8,
        atol: ArrayLike = 1e-10,
        step: float | None = None,
        max_step: float = math.inf,
        event_directions: Sequence[int] = (),
        adaptive: bool = True,
        constrained: bool = False,
        tied: bool = False,
        scanned: int | None = None,
        watched: bool = False,
        weighed: bool = False,
        check: Callable[[], None] | None = None,
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"no integration method {method!r}; there are {', '.join(METHODS)}")
        self.method = METHODS[method]
        adaptive = adaptive and self.method.adaptive
        if not 0 <= n_error <= size or size < 1:
            raise ValueError(f"n_error = {n_error} entries of y cannot count when y has {size}")
        if not adaptive and step is None:
            raise ValueError(f"{method} with a fixed step needs step=")
        if step is not None and not 0 < step < math.inf:
            raise ValueError(f"step = {step} is not a positive length of time")
        if not max_step > 0:
            raise ValueError(f"max_step = {max_step} is not a positive length of time")
        bounds = np.full(size, atol, dtype=float)
        if not (rtol >= 0 and bounds.min() >= 0 and (n_error == 0 or bounds[:n_error].min() + rtol > 0)):
            raise ValueError("rtol and atol must not be negative, nor both zero")
        if any(d not in (-1, 0, 1) for d in event_directions):
            raise ValueError("an event's direction is +1 (rising), -1 (falling) or 0 (both)")
        self._tables, self._check = tables, check
        self._step = 0.0 if step is None else float(step)
        self._lay_out(size, n_error, len(event_directions), adaptive)
        self._vector(at.RK_ATOL, size)[:] = bounds
        self._vector(at.RK_DIRECTION, len(event_directions))[:] = event_directions
        self._reals[at.RK_RTOL] = rtol
        self._reals[at.RK_MAX_STEP] = max_step
        self._ints[at.RK_CONSTRAINED], self._ints[at.RK_TIED] = constrained, tied
        self._ints[at.RK_WATCHED], self._ints[at.RK_WEIGHED] = watched, weighed
        self._ints[at.RK_SCANNED] = len(event_directions) if scanned is None else scanned
        self.start(0.0, np.zeros(size))

    def _lay_out(self, size: int, n_error: int, events: int, adaptive: bool) -> None:
        """Make the arrays that the kernels work on."""
        self._tableau = _packed(self.method.name)[0]
        ints, reals, length = _template(self.method.name, size, n_error, events, adaptive)
        self._ints: Integers = ints.copy()
        self._reals: Reals = reals.copy()
        self._store: Reals = np.zeros(length)

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
        for key in (at.RK_RATED, at.RK_VALID, at.RK_SHRUNK, at.RK_BAD, at.RK_JACOBIAN, at.RK_FACTORED):
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
        world = backend.compiled()
        advance = backend.checked(world.advance_implicit if self.method.implicit else world.advance_explicit)
        arrays = (self._ints, self._reals, self._tableau, self._store, times, samples.reshape(-1))
        before = self.state()
        with Held(self._hurry) as held:
            try:
                status = Status(advance(*self._tables, *arrays))
                if self._check is not None:
                    self._check()
                if held.count > 1:  # one of them was raised in a function, wherever that was
                    raise KeyboardInterrupt
            except BaseException:
                self.restore(before)
                raise
        return status

    def _hurry(self) -> None:
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
    def projection_failures(self) -> int:
        """Steps after which the constraints could not be met."""
        return int(self._ints[at.RK_ASTRAY])

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
        """Go back to what `state` returned, of this Stepper or of one made with the same arguments."""
        for name, array in (("ints", self._ints), ("reals", self._reals), ("store", self._store)):
            if state[name].shape != array.shape:
                raise ValueError("the state is of a Stepper for another method or system")
        ints = state["ints"]
        pivots = ints[at.RK_INTS :]
        if np.any(ints[_FIXED] != self._ints[_FIXED]) or np.any((pivots < 0) | (pivots >= self.size)):
            raise ModelError("what is stored of the integrator is not of this run: its file is damaged; simulate anew")
        for name, array in (("ints", self._ints), ("reals", self._reals), ("store", self._store)):
            array[:] = state[name]
