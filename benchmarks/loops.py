"""Closed loops: a chain of four-bars and a scissor lift, growth to 1000 loops, and runs against Exudyn and Pinocchio.

Every four-bar is mounted on the coupler of the one before (`peers/fourbars.py`) and has one freedom: N independent loops in
one chain of 3N bodies. kaneflex closes each with a revolute joint in space, five equations of which three are redundant.

- One evaluation of u-dot with the constraints: kaneflex at 10, 100 and 1000 loops, and beside Pinocchio where both agree.
- Whole runs, released from rest, at 10 and 40 loops. A reference in closed form, in the crank angles alone, tells the error
  of an end: angles in rad, rates as a fraction of the largest. Every engine takes the coarsest step or tolerance that
  meets the accuracy, found by trial for each of its ways to integrate; the fastest way counts, rounds are interleaved.

In a scissor lift (`peers/scissors.py`) each loop shares bodies with its neighbours, and all n have one freedom together.

- One evaluation of u-dot, as above, on a lift that is free in the plane.
- All that a run needs, from the declaration of 2n bodies to the end: a lift on a wall is drawn out from 80 to 20 degrees,
  in a time that is known in closed form.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import fourbars, scissors
from benchmarks.peers.fourbars import Ending, Reference
from benchmarks.peers.loops_exudyn import ExudynLoops
from benchmarks.peers.loops_pinocchio import PinocchioLift, PinocchioLoops
from benchmarks.peers.peer import best_mean_time
from kaneflex import Event, Frame, Revolute, Rigid, Spherical, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth

Array = NDArray[np.float64]

AGREEMENT = 1e-6  # largest relative difference of accelerations from the reference, which loses digits in long chains
MOST_COMPARED = 100  # loops in a comparison of evaluations: Pinocchio's data grow with the cube
MOST_SHARED = 40  # the same of a lift: at 100 its `lcaba` agrees to no more than three digits
DRAWN = (math.radians(80), math.radians(20))  # angles of a lift at the beginning and the end of its run
DURATION = 1.0  # of a run, s
UNIT = "µs per evaluation"


@dataclass(frozen=True)
class Settings:
    """Sizes, accuracies and repetitions."""

    evaluated: tuple[int, ...] = (10, 40, 100, 1000)
    simulated: tuple[int, ...] = (10, 40)
    accuracies: tuple[float, ...] = (1e-4, 1e-6)
    rounds: int = 3
    repeats: int = 3  # of each engine in a round, so that none runs on the other's caches
    patience: float = 10.0  # s; a run that takes longer is repeated once only


QUICK = Settings(evaluated=(10, 100), simulated=(2,), accuracies=(1e-4,), rounds=1, repeats=1)


#: How a loop is closed: by the five equations of its revolute joint, as a user would write it, or by the three of a point,
#: as Pinocchio does; the motion is the same, for the rest follows in a planar linkage.
CLOSINGS = {"by a revolute joint": Revolute("z"), "in a point": Spherical()}


def four_bars(n: int, closing: str = "by a revolute joint") -> System:
    """The chain as a kaneflex system, at rest in its starting pose."""
    system = System("four-bars", gravity=(0, -fourbars.GRAVITY, 0))
    lengths = (fourbars.CRANK, fourbars.COUPLER, fourbars.ROCKER)
    c, s = math.cos(fourbars.TURN), math.sin(fourbars.TURN)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    links = [
        Rigid(m, com=(*com, 0.0), inertia=fourbars.inertia(k), frames={"tip": (length, 0, 0)})
        for k, (m, com, length) in enumerate(zip(fourbars.MASS, fourbars.COM, lengths, strict=True))
    ]
    q, _ = fourbars.state(fourbars.start(n), np.zeros(n))
    base, R, p = None, np.eye(3), np.zeros(3)
    for k in range(n):
        crank, coupler, rocker = (float(x) for x in q[3 * k : 3 * k + 3])
        system.add(f"crank{k}", links[0], Revolute("z"), base, Frame(p, R), q=crank)
        system.add(f"coupler{k}", links[1], Revolute("z"), f"crank{k}", "tip", q=coupler)
        system.add(f"rocker{k}", links[2], Revolute("z"), base, Frame(p + R @ [fourbars.BASE, 0.0, 0.0], R), q=rocker)
        system.close(f"pin{k}", f"coupler{k}.tip", f"rocker{k}.tip", CLOSINGS[closing])
        base, R, p = f"coupler{k}", turned, np.array([*fourbars.MOUNT, 0.0])
    return system


class KaneflexLoops:
    """kaneflex holding one chain."""

    name = "kaneflex"
    order = 1  # of the error in the setting, which is the tolerance
    first = 1e-5  # setting to try first
    fixed_steps = False
    ways: Sequence[str] = tuple(f"{method}, closed {closing}" for closing in CLOSINGS for method in ("dopri5", "dop853"))

    def __init__(self, n: int, closing: str = "by a revolute joint") -> None:
        """Build the plan and compile what the timing calls."""
        self.n = n
        self.systems = {name: four_bars(n, name) for name in CLOSINGS}
        self.dynamics = self.systems[closing].dynamics()
        names = [f"{link}{k}.angle" for k in range(n) for link in ("crank", "coupler", "rocker")]
        if self.dynamics.plan.index.coordinates != names:
            raise BenchmarkError("kaneflex numbered the joints in another order than they were added")

    def accelerations(self, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""
        return self.dynamics.udot(q, u).copy()

    def seconds(self, q: Array, u: Array) -> float:
        """Seconds of one evaluation from Python, arrays bound once."""
        return best_mean_time(self.dynamics.bind(q, u, np.zeros(3 * self.n), np.empty(3 * self.n)), 1)

    def run(self, way: str, setting: float, accuracy: float, duration: float) -> Ending:
        """Integrate from the start with a tolerance of `setting`, ends kept only; the accuracy says nothing here."""
        method, _, closing = way.partition(", closed ")
        system = self.systems[closing]
        begun = time.perf_counter()
        run = system.simulate(duration, method=method, rtol=setting, atol=setting, output=duration, progress=False)
        seconds = time.perf_counter() - begun
        return Ending(run.q[-1], run.u[-1], seconds)


class KaneflexLift:
    """kaneflex holding a lift that is free in the plane."""

    def __init__(self, n: int, closing: str) -> None:
        """Build the plan and compile what the timing calls."""
        self.dynamics = scissors.lift(n, closing, 1.0, -0.3, wall=False).dynamics()

    def accelerations(self, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""
        return self.dynamics.udot(q, u).copy()

    def seconds(self, q: Array, u: Array) -> float:
        """Seconds of one evaluation from Python, arrays bound once."""
        return best_mean_time(self.dynamics.bind(q, u, np.zeros(q.size), np.empty(q.size)), 1)


# -- evaluations -------------------------------------------------------------------------------------------------------


class Ours(Protocol):
    """kaneflex holding a system."""

    def accelerations(self, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""

    def seconds(self, q: Array, u: Array) -> float:
        """Seconds of one evaluation."""


class Peer(Protocol):
    """Another program holding it, with several functions."""

    functions: Sequence[str]

    def accelerations(self, function: str, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""

    def seconds(self, function: str, q: Array, u: Array) -> float:
        """Seconds of one evaluation."""


def moving_state(n: int) -> tuple[Array, Array, Array]:
    """A state in motion with closed loops, and its accelerations by the reference."""
    alpha, rates = fourbars.start(n), np.cos(2.0 * np.arange(n))
    return *fourbars.state(alpha, rates), fourbars.accelerations(alpha, rates, Reference(n).accelerations(alpha, rates))


def agree(name: str, found: Array, exact: Array) -> None:
    """Raise BenchmarkError unless the accelerations are the same."""
    difference = float(np.abs(found - exact).max() / np.abs(exact).max())
    if not difference <= AGREEMENT:
        raise BenchmarkError(
            f"no table: {exact.size} speeds: accelerations of {name} differ from the reference by {difference:.1e} "
            f"relative, more than {AGREEMENT:g}"
        )


def evaluations(n: int, rounds: int, closing: str) -> tuple[list[Row], float]:
    """Rows for one evaluation on n four-bars, and the seconds of kaneflex."""
    peer = PinocchioLoops(n) if n <= MOST_COMPARED else None
    return compare(f"u-dot, {n} loops closed {closing}", KaneflexLoops(n, closing), peer, moving_state(n), rounds)


def lift_evaluations(n: int, rounds: int, closing: str) -> tuple[list[Row], float]:
    """Rows for one evaluation on a lift of n bays, and the seconds of kaneflex."""
    q, u = scissors.state(n, 1.0, -0.3)
    exact = scissors.acceleration(n, 1.0, -0.3, wall=False) * scissors.state(n, 0.0, 1.0)[1]
    exact[0] = (n - 1) * (math.sin(1.0) * exact[2] + math.cos(1.0) * 0.3**2)  # the middle is not accelerated
    peer = PinocchioLift(n) if n <= MOST_SHARED else None
    return compare(f"u-dot, lift of {n} bays closed {closing}", KaneflexLift(n, closing), peer, (q, u, exact), rounds)


def compare(
    case: str, ours: Ours, peer: Peer | None, at: tuple[Array, Array, Array], rounds: int
) -> tuple[list[Row], float]:
    """Rows for one evaluation at a state whose accelerations are known; nothing is timed before all agree."""
    q, u, exact = at
    agree("kaneflex", ours.accelerations(q, u), exact)
    mine, theirs = math.inf, {}
    if peer is not None:
        theirs = dict.fromkeys(peer.functions, math.inf)
        for function in peer.functions:
            agree(function, peer.accelerations(function, q, u), exact)
    for _ in range(rounds):
        for function, seconds in theirs.items():
            mine = min(mine, ours.seconds(q, u))
            theirs[function] = min(seconds, peer.seconds(function, q, u))
        mine = min(mine, ours.seconds(q, u))
    if not theirs:
        return [Row(case, q.size, None, mine * 1e6, None, UNIT)], mine
    families: dict[str, float] = {}
    for function, seconds in theirs.items():
        family = f"Pinocchio {function.split()[0]}"
        families[family] = min(seconds, families.get(family, math.inf))
    return [Row(case, q.size, family, mine * 1e6, s * 1e6, UNIT) for family, s in families.items()], mine


# -- runs --------------------------------------------------------------------------------------------------------------


class Engine(Protocol):
    """What can integrate the chain.

    A setting is a tolerance, or the step in s where steps are fixed; errors go like setting**order, `first` is a good guess.
    """

    name: str
    order: int
    first: float
    fixed_steps: bool
    ways: Sequence[str]

    def run(self, way: str, setting: float, accuracy: float, duration: float) -> Ending:
        """Integrate from the start."""


@dataclass
class Tuned:
    """One way of an engine at the coarsest setting that meets the accuracy, and the seconds of its runs."""

    engine: Engine
    way: str
    setting: float
    accuracy: float
    exact: Ending
    error: float
    gap: float  # of the loops at the end, m
    seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Least seconds."""
        return min(self.seconds)

    def again(self) -> None:
        """Run, and note the seconds; BenchmarkError when it does not end where it did before."""
        ending = self.engine.run(self.way, self.setting, self.accuracy, DURATION)
        if not ending.error(self.exact) <= self.accuracy:
            raise BenchmarkError(f"no table: {self.engine.name} by {self.way} does not repeat its own run")
        self.seconds.append(ending.seconds)


def tune(engine: Engine, way: str, accuracy: float, exact: Ending, limit: float, trials: int = 8) -> Tuned | None:
    """The coarsest setting found with an error up to the accuracy, and no less than half of it if possible.

    None when there is none, or when fixed steps would take more than `limit` seconds.
    """
    setting, found, power = engine.first, None, float(engine.order)
    tried: list[tuple[float, float]] = []
    failure: Exception | None = None
    for _ in range(trials):
        try:
            ending = engine.run(way, setting, accuracy, DURATION)
            error = ending.error(exact)
        except Exception as e:  # every engine has its own error for steps that are too long
            failure, error = e, math.nan
        if not math.isfinite(error):
            setting /= 4
            continue
        if error <= accuracy and (found is None or setting > found.setting):
            found = Tuned(engine, way, setting, accuracy, exact, error, fourbars.violation(ending.q), [ending.seconds])
        if accuracy / 2 <= error <= accuracy:
            break
        if tried and error not in (0.0, tried[-1][1]):
            slope = math.log(error / tried[-1][1]) / math.log(setting / tried[-1][0])
            power = min(max(slope, engine.order / 2), engine.order * 2.0)
        tried.append((setting, error))
        factor = min(max((0.75 * accuracy / max(error, 1e-16)) ** (1 / power), 1e-3), 1e3)
        if engine.fixed_steps and ending.seconds / factor > limit:
            break
        setting *= factor
    if failure is not None and not tried and found is None:
        raise BenchmarkError(f"no table: {engine.name} by {way}: {failure}") from failure
    return found


def fastest(engine: Engine, accuracy: float, exact: Ending, say: Callable[[str], None]) -> Tuned:
    """The fastest way of an engine, tuned."""
    best: Tuned | None = None
    for way in engine.ways:
        say(f"  {engine.name}: {way}")
        found = tune(engine, way, accuracy, exact, math.inf if best is None else 2 * best.best)
        if found is not None and best is not None and max(found.best, best.best) < 1.0:
            for _ in range(2):  # short runs: look again before one is preferred
                found.again()
                best.again()
        if found is not None and (best is None or found.best < best.best):
            best = found
    if best is None:
        raise BenchmarkError(f"no table: {engine.name} does not reach an error of {accuracy:g} on {exact.q.size // 3} loops")
    return best


def runs(n: int, accuracy: float, settings: Settings, say: Callable[[str], None]) -> tuple[list[Row], list[str]]:
    """Rows and notes for whole runs of n loops at one accuracy."""
    exact = Reference(n).end(DURATION)
    engines: list[Engine] = [KaneflexLoops(n), PinocchioLoops(n), ExudynLoops(n)]
    engines[0].run(KaneflexLoops.ways[0], 1e-3, accuracy, 0.01)  # compiles
    tuned = [fastest(engine, accuracy, exact, say) for engine in engines]
    for k in range(settings.rounds):
        for one in tuned:
            for _ in range(settings.repeats if one.best < settings.patience else int(k == 0)):
                one.again()
    ours, *peers = tuned
    case = f"{n} loops, {DURATION:g} s, error {accuracy:g}"
    rows = [Row(case, 3 * n, p.engine.name, ours.best * 1e3, p.best * 1e3, "ms") for p in peers]
    told = "; ".join(
        f"{t.engine.name} by {t.way}, setting {t.setting:.2g}, error {t.error:.1e}, loops open by {t.gap:.0e} m"
        for t in tuned
    )
    return rows, [f"{case}: {told}"]


def drawn_out(n: int, closing: str, rounds: int) -> tuple[Row, float, str]:
    """The row of a lift of n bays from its declaration to the end of its run, its seconds, and a note of its error."""
    there = Event(lambda t, x: x[0] - DRAWN[1], sees=("a0.angle",), terminal=True, name="there")
    best, error = math.inf, 0.0
    for _ in range(rounds + 1):  # the first one may compile
        begun = time.perf_counter()
        system = scissors.lift(n, closing, DRAWN[0])
        run = system.simulate(
            3.0 * n, events=[there], method="dop853", rtol=1e-9, atol=1e-10, output=float(n), progress=False
        )
        best = min(best, time.perf_counter() - begun)
        error = abs(float(run.t[-1]) / scissors.duration(n, *DRAWN) - 1)
    if not error <= 1e-8:
        raise BenchmarkError(f"no table: a lift of {n} bays is drawn out in a time that is off by {error:.1e}")
    case, steps = f"lift of {n} bays closed {closing}, declared and drawn out", run.statistics["steps"]
    return Row(case, 2 * n + 2, None, best * 1e3, None, "ms"), best, f"{case}: time off by {error:.0e}, {steps} steps"


def lifts(closing: str, settings: Settings, result: Benchmark, say: Callable[[str], None]) -> list[Row]:
    """Rows of lifts of all sizes; growth and notes go to the result."""
    found: list[Row] = []
    costs: dict[str, list[float]] = {"u-dot": [], "declared and drawn out": []}
    for n in settings.evaluated:
        say(f"lift of {n} bays, closed {closing}")
        rows, seconds = lift_evaluations(n, settings.rounds, closing)
        whole, run_seconds, note = drawn_out(n, closing, settings.rounds)
        for values, cost in zip(costs.values(), (seconds, run_seconds), strict=True):
            values.append(cost)
        found += [*rows, whole]
        result.notes.append(note)
    span = f"{min(settings.evaluated)} to {max(settings.evaluated)}"
    for what, values in costs.items():
        exponent = growth(settings.evaluated, values)
        result.fits.append(Fit(f"lift, {what}, kaneflex, {span} bays closed {closing}", exponent))
    return found


NOTES = (
    "u-dot: from Python with preallocated arrays, at a closed state in motion; kaneflex by Dynamics.bind",
    "Pinocchio closes a loop by three rows in a point; lcaba by the faster of two proximal parameters",
    "runs: models exist already, ends kept only, the best of several; one of more than 10 s is made twice",
    "setting: tolerance (kaneflex, Pinocchio with SciPy) or step in s (Exudyn)",
    "kaneflex keeps the loops closed by projection, which is in its times; Pinocchio, called by SciPy, lets them drift; "
    "Exudyn integrates loops by methods of second order only, hence the two accuracies",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, time, fit."""
    settings = QUICK if quick else Settings()
    result = Benchmark("loops", packages=("pin", "exudyn"))
    seconds = {}
    for n in settings.evaluated:
        say(f"u-dot of {n} loops")
        for closing in reversed(CLOSINGS):
            rows, seconds[n] = evaluations(n, settings.rounds, closing)
            result.rows += rows
    exponent = growth(list(seconds), list(seconds.values()))
    result.fits = [Fit(f"u-dot, kaneflex, {min(seconds)} to {max(seconds)} loops closed by revolute joints", exponent)]
    for closing in reversed(CLOSINGS):
        result.rows += lifts(closing, settings, result, say)
    for n in settings.simulated:
        for accuracy in settings.accuracies:
            say(f"runs of {n} loops, error {accuracy:g}")
            rows, notes = runs(n, accuracy, settings, say)
            result.rows += rows
            result.notes += notes
    result.notes += NOTES
    if quick:
        result.notes.append("quick: small sizes, one round; not a measurement")
    return result
