"""Runs side by side: LANES of them at once in the vectors of the processor, see `stepping/lanes.py`.

Every run is the run that it would be alone: it has its own time, step, events and end. Only its slopes are found together
with those of others, which costs little more than those of one. That needs runs of one structure, with explicit steps; what
differs between them is data. Where a run becomes another system, at an impact say, it goes on alone.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from kaneflex.kernels import backend
from kaneflex.kernels.compiled_ops import Lanes
from kaneflex.kernels.interrupts import Held
from kaneflex.kernels.ops import LANES
from kaneflex.kernels.progress import progress as compile_progress
from kaneflex.kernels.tables import Tables
from kaneflex.plan.cache_lines import aligned
from kaneflex.plan.formulation import OtherCoordinates
from kaneflex.plan.plan import Plan
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.methods import RungeKutta, method_named
from kaneflex.simulate.segment import Going, Segment, Want
from kaneflex.simulate.stepper import Stepper
from kaneflex.simulate.stepping import layout as at
from kaneflex.simulate.stepping.lanes import LANE_IDLE, LANE_REPORTS, LANE_TURNS

FEW = 2  # runs whose slopes are found faster one by one
OFTEN = 0.05  # time between two looks at what has ended in other threads, s


def serves(segment: Segment) -> bool:
    """Whether the slopes of a segment can be found together with those of others."""
    stepper = segment.stepper
    explicit = isinstance(stepper, Stepper) and stepper.shape.kind == at.RK_EXPLICIT
    return explicit and segment.rates is None and not segment.contacts.watches and plan_serves(segment.plan)


def plan_serves(plan: Plan) -> bool:
    """Whether the kernels that a plan needs take lanes: all but those of other coordinates, feeds and friction; and whether
    what they call is compiled."""
    return (
        not plan.formulation.stages(plan)
        and not isinstance(plan.formulation, OtherCoordinates)
        and not plan.header.frictions
        and not plan.index.feeds
        and all(law.compiled for law in plan.laws)
    )


def takes_explicit_steps(method: str) -> bool:
    """Whether a method of this name has steps whose slopes can be found together with those of others."""
    found = method_named(method)
    return isinstance(found, RungeKutta) and not found.implicit


def structure_of(plan: Plan) -> bytes:
    """What must be the same for plans side by side: their tables of integers, but for addresses."""
    I = plan.with_header(stages=0, complex_stages=0)
    Tables(I, {"I": I}).law.address[:] = 0
    return I.tobytes() + bytes(str([(law.inputs, law.outputs) for law in plan.laws]), "ascii")


class Batch:
    """Room for LANES runs of one structure.

    Args:
        first: of the segments.
        few: runs up to which slopes are found one by one.
    """

    def __init__(self, first: Segment, few: int = FEW):
        plan = self.plan = first.plan  # kept, for idle lanes call its functions
        self.structure = structure_of(plan)
        self.size = first.stepper.size
        self.P, self.W, self.y, self.slope = (
            _lanes_of(n) for n in (len(plan.P), len(first.dynamics.W), self.size, self.size)
        )
        self.t = aligned(LANES)
        self.P[:], self.W[:] = plan.P[:, None], first.dynamics.W[:, None]
        self.y[:], self.slope[:], self.t[:] = first.stepper.y[:, None], 0.0, first.t0
        self.phase, self.status, self.blocks = (np.zeros(LANES, np.int64) for _ in range(3))
        self.I = plan.I.copy()
        backend.connect(self.I, Lanes)
        self._call_in_turn()
        arrays = (self.I, self.P, self.W, self.t, self.y, self.slope, self.phase, self.status, self.blocks)
        self._block = np.array([*(array.ctypes.data for array in arrays), few], np.int64)
        self.lanes: list[Lane | None] = [None] * LANES

    def _call_in_turn(self) -> None:
        """Notes for functions of the user's, which are called run by run, see `call_law` of `compiled_ops`."""
        laws = self.plan.laws
        self._room = np.zeros(max((law.inputs + law.outputs for law in laws), default=0))
        self._notes = np.zeros((len(laws), 3 + LANES), np.int64)
        for note, law in zip(self._notes, laws, strict=True):
            note[:3], note[3:] = (law.inputs, law.outputs, self._room.ctypes.data), law.address
        Tables(self.I, {"I": self.I}).law.address[:] = [note.ctypes.data for note in self._notes]

    def takes(self, segment: Segment) -> bool:
        """Whether the segment may run here."""
        return serves(segment) and (segment.plan is self.plan or structure_of(segment.plan) == self.structure)

    def put(self, k: int, lane: "Lane") -> None:
        """Let a run have lane k, and take the steps that it wants."""
        want = lane.want
        segment, stepper = want.segment, cast(Stepper, want.segment.stepper)
        if lane.segment is not segment:
            lane.segment = segment
            self.P[:, k] = segment.plan.P
            self._notes[:, 3 + k] = [law.address for law in segment.plan.laws]
        self.W[:, k] = segment.dynamics.W  # inputs may have changed
        lane.wanted = stepper.ready(want.stop, segment.times, segment.samples, want.bite)
        lane.block = stepper.block(lane.wanted)
        self.blocks[k] = lane.block.ctypes.data
        self.phase[k], self.lanes[k] = LANE_TURNS, lane

    def clear(self, k: int) -> None:
        """Let lane k be idle."""
        self.phase[k], self.lanes[k] = LANE_IDLE, None
        self._notes[:, 3 + k] = [law.address for law in self.plan.laws]

    def advance(self) -> list[int]:
        """Step until some runs have something to report: the lanes of these."""
        with Held(self._hurry):
            backend.checked(backend.compiled().advance_lanes)(self._block.ctypes.data)
        return [int(k) for k in np.flatnonzero(self.phase == LANE_REPORTS)]

    def _hurry(self) -> None:
        for lane in self.lanes:
            if lane is not None:
                cast(Stepper, lane.want.segment.stepper).hurry()


def _lanes_of(n: int) -> np.ndarray:
    return aligned(n * LANES).reshape(n, LANES)


@dataclass(eq=False)
class Lane:
    """A run that is under way.

    Args:
        number: of the run.
        began: when, by a clock that stands while kernels are compiled, s.
        going: the run.
        want: steps that it waits for.
    """

    number: int
    began: float
    going: Going
    want: Want
    segment: Segment | None = None
    wanted: Any = None
    block: Any = None


def together(
    runs: Iterable[Callable[[], Going]],
    *,
    few: int = FEW,
    limit: float = math.inf,
    before: Callable[[], None] | None = None,
    steps: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Iterator[tuple[int, Any]]:
    """What becomes of runs, as they end: the number of each, and its Trajectory or the exception that ended it.

    Args:
        runs: each makes a run, when it is its turn, see `simulate.simulation`.
        few: runs up to which slopes are found one by one, which is faster where the last ones are long. With 0 the bits of a
            run do not depend on those beside it.
        limit: seconds after which a run is ended by a TimeoutError, without those in which kernels are compiled.
        before: is called whenever compiled code is about to take steps.
        steps: a context within which steps are taken.
    """
    left, batch = enumerate(runs), None
    ended: list[tuple[int, Any]] = []

    def now() -> float:
        return time.perf_counter() - compile_progress.spent

    def moved(lane: Lane, status: Status | None) -> bool:
        """Let a run go on with what came of its steps until it wants steps that it can share; False where it has ended."""
        nonlocal batch
        try:
            while True:
                lane.want = next(lane.going) if status is None else lane.going.send(status)
                segment = lane.want.segment
                if now() - lane.began > limit:
                    raise TimeoutError(f"a run that others run beside takes more than {limit:g} s")
                if batch is None and serves(segment):
                    batch = Batch(segment, few)
                if batch is not None and (segment is lane.segment or batch.takes(segment)):
                    return True
                with steps():
                    status = lane.want.advance()
        except StopIteration as end:
            ended.append((lane.number, end.value))
        except Exception as error:
            ended.append((lane.number, error))
        return False

    def begun(number: int, make: Callable[[], Going]) -> Lane | None:
        """A run that has begun and can share its steps; None where it ended without."""
        try:
            lane = Lane(number, now(), make(), None)  # type: ignore[arg-type]
        except Exception as error:
            ended.append((number, error))
            return None
        return lane if moved(lane, None) else None

    while True:
        for k in range(LANES):
            while batch is None or batch.lanes[k] is None:
                following = next(left, None)
                if following is None:
                    break
                lane = begun(*following)
                if lane is not None and batch is not None:
                    batch.put(k, lane)
                yield from ended
                ended.clear()
        yield from ended
        ended.clear()
        if batch is None or not any(batch.lanes):
            return
        if before is not None:
            before()
        with steps():
            reports = batch.advance()
        for k in reports:
            lane = batch.lanes[k]
            assert lane is not None
            if moved(lane, Status(int(batch.status[k]))):
                batch.put(k, lane)
            else:
                batch.clear(k)


def in_threads(runs: Iterable[Callable[[], Going]], threads: int) -> Iterator[tuple[int, Any]]:
    """`together` in several threads at the same time, which share the runs: compiled code lets the others work.

    Between steps one of them has the interpreter for all that it has to do. Threads that want it at the same time hand it to
    and fro at every call that lets it go, and one that is woken by every result takes it from them: each time costs as much
    as tens of steps.

    Args:
        runs: as there.
        threads: how many; with one it is this very thread.
    """
    if threads == 1:
        yield from together(runs)
        return
    left, ended = enumerate(runs), deque[Any]()
    over, turn = threading.Event(), threading.Lock()

    @contextmanager
    def others_turn() -> Iterator[None]:
        if over.is_set():
            raise _Over
        turn.release()
        try:
            yield
        finally:
            turn.acquire()

    def own(numbers: list[int]) -> Iterator[Callable[[], Going]]:
        for number, make in left:
            numbers.append(number)
            yield make
            if over.is_set():
                return

    def work() -> None:
        numbers: list[int] = []
        try:
            with turn:
                for k, found in together(own(numbers), steps=others_turn):
                    ended.append((numbers[k], found))
        except _Over:
            pass
        except BaseException as error:
            ended.append(error)

    backend.compiled()  # once
    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        while (busy := [worker for worker in workers if worker.is_alive()]) or ended:
            while ended:
                found = ended.popleft()
                if isinstance(found, BaseException):
                    raise found
                yield found
            if busy:
                busy[0].join(OFTEN)
    finally:
        over.set()
        for worker in workers:
            worker.join()


class _Over(BaseException):
    """Nobody wants the runs any more."""


__all__ = ["Batch", "in_threads", "plan_serves", "serves", "takes_explicit_steps", "together"]
