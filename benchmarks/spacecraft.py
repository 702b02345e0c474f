"""A spacecraft's manoeuvre with wheels, panels and slosh at equal error, and a Monte Carlo of it: against Basilisk.

Four wheels, two panels of six modes each, two slosh pendulums (`peers/manoeuvre.py`): 26 degrees of freedom, the same
equations in both programs. The modes are those of a cantilever, as masses on springs, or of a chain of six hinged plates:
Basilisk has no flexible bodies. The error is that of the end, the largest of all angles (attitude, panels, pendulums),
against a converged run. Each program takes, of its integrators and a grid of steps and tolerances, what reaches the wanted
error in the least time of the processor; these settings run in turn, and the least times count. The Monte Carlo draws
masses, inertias, stiffnesses, friction and targets; each program builds and runs every spacecraft, one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from benchmarks.peers.manoeuvre import Ending, KaneflexManoeuvre, Spacecraft, dispersed
from benchmarks.peers.manoeuvre_basilisk import BasiliskManoeuvre
from kaneflex.benchmarking import Benchmark, BenchmarkError, Row

AGREEMENT = 1e-10  # rad, largest difference of the two programs' converged runs
BODIES = 19  # bus, 4 wheels, 12 plates, 2 pendulums
STEPS = (0.025, 0.02, 0.0125, 0.01, 0.00625, 0.005, 0.0025)  # s, parts of the control's period
TASKS = (0.02, 0.025, 0.03125, 0.05, 0.1, 0.25, 0.5)  # s, for integrators that divide them
TOLERANCES = tuple(10.0**-k for k in range(3, 12))

Way = Callable[[Spacecraft], Ending]


@dataclass(frozen=True)
class Settings:
    """What panels are with a control period and errors; the Monte Carlo, of the first, and its size; repetitions."""

    cases: tuple[tuple[str, float, tuple[float, ...]], ...] = (
        ("modes", 0.5, (1e-6, 1e-9)),
        ("modes", 0.2, (1e-6, 1e-9)),
        ("modes", 0.1, (1e-6, 1e-9)),
        ("plates", 0.5, (1e-6,)),
        ("plates", 0.2, (1e-6,)),
        ("plates", 0.1, (1e-6,)),
    )
    drawn: int = 200
    rounds: int = 5
    duration: float = 60.0


QUICK = Settings(cases=(("modes", 0.5, (1e-6,)),), drawn=3, rounds=1, duration=5.0)


@dataclass
class Tuned:
    """A setting that reaches an error, in words, with the seconds of its best run."""

    words: str
    run: Way
    error: float
    seconds: float
    told: str


@lru_cache(maxsize=1)
def kaneflex_holding(craft: Spacecraft) -> KaneflexManoeuvre:
    """kaneflex with a spacecraft, which may run more than once."""
    return KaneflexManoeuvre(craft)


def kaneflex_ways() -> list[list[tuple[str, Way]]]:
    """Families of settings, each from coarse to fine."""

    def way(method: str, setting: float) -> Way:
        return lambda craft: kaneflex_holding(craft).run(method, setting)

    fixed = [(f"rk4, step {h:g} s", way("rk4", h)) for h in STEPS]
    return [fixed, *([(f"{m} at {x:.0e}", way(m, x)) for x in TOLERANCES] for m in ("dopri5", "dop853"))]


def basilisk_ways(period: float) -> list[list[tuple[str, Way]]]:
    """The same of Basilisk; the dynamics have steps, or tasks, that are parts of the control's period."""

    def way(method: str, step: float, tolerance: float = 1.0) -> Way:
        return lambda craft: BasiliskManoeuvre(craft, method, step, tolerance).run()

    fixed = [(f"RK4, step {h:g} s", way("RK4", h)) for h in STEPS]
    divided = [
        [(f"{m} at {x:.0e}, task {h:g} s", way(m, h, x)) for x in TOLERANCES[::2]]
        for m, h in product(("RKF45", "RKF78"), TASKS)
        if (period / h).is_integer()
    ]
    return [fixed, *divided]


def tuned(families: Sequence[Sequence[tuple[str, Way]]], craft: Spacecraft, exact: Ending, goal: float) -> Tuned:
    """What reaches the goal in the least time; a family ends with its first that does, or that is slower than the best."""
    best: Tuned | None = None
    for family in families:
        for words, run in family:
            try:
                end = run(craft)
            except Exception:  # a step that is too long for the method
                continue
            error = end.error(exact)
            if error <= goal and (best is None or end.seconds < best.seconds):
                best = Tuned(words, run, error, end.seconds, end.words)
            if error <= goal or (best is not None and end.seconds > 2 * best.seconds):
                break
    if best is None:
        raise BenchmarkError(f"no table: nothing in the grid reaches an error of {goal:g} rad")
    return best


def reference(craft: Spacecraft) -> Ending:
    """A converged run, in which both programs agree."""
    exact = KaneflexManoeuvre(craft).run("dop853", 1e-12)
    gap = BasiliskManoeuvre(craft, "RKF78", 0.02, 1e-12).run().error(exact)
    if not gap <= AGREEMENT:
        raise BenchmarkError(f"no table: the two programs differ by {gap:.1e} rad, more than {AGREEMENT:g}")
    return exact


def manoeuvre(craft: Spacecraft, exact: Ending, goal: float, rounds: int) -> tuple[Row, list[str], tuple[Tuned, Tuned]]:
    """The row of one manoeuvre at one error, notes, and the settings of both."""
    pair = tuned(kaneflex_ways(), craft, exact, goal), tuned(basilisk_ways(craft.period), craft, exact, goal)
    for _ in range(rounds):
        for one in pair:
            one.seconds = min(one.seconds, one.run(craft).seconds)
    ours, theirs = pair
    case = f"{craft.panels}, {craft.duration:g} s, control every {craft.period:g} s, error {goal:g} rad"
    told = f"kaneflex {ours.words}, {ours.told}, error {ours.error:.1e}; Basilisk {theirs.words}, error {theirs.error:.1e}"
    return Row(case, BODIES, "Basilisk", ours.seconds * 1e3, theirs.seconds * 1e3, "ms"), [f"{case}: {told}"], pair


def monte_carlo(settings: Settings, pair: tuple[Tuned, Tuned], goal: float) -> tuple[Row, list[str]]:
    """The row of all spacecraft by chance, built and run by the settings of one, and notes."""
    spent, apart = [0.0, 0.0], 0.0
    for seed in range(settings.drawn):
        panels, period, _ = settings.cases[0]
        craft, ends = replace(dispersed(seed), duration=settings.duration, period=period, panels=panels), []
        for k, one in enumerate(pair):
            begun = time.process_time()
            ends.append(one.run(craft))
            spent[k] += time.process_time() - begun
        apart = max(apart, ends[0].error(ends[1]))
    if not apart <= 10 * goal:  # a setting that was found for one may be a little coarse for another
        raise BenchmarkError(f"no table: a spacecraft of the Monte Carlo ends {apart:.1e} rad apart in the two programs")
    case = f"Monte Carlo of {settings.drawn}, error {goal:g} rad"
    words = ", ".join(f"{name} {one.words}" for name, one in zip(("kaneflex", "Basilisk"), pair, strict=True))
    note = f"{case}: {words}; the two programs end within {apart:.1e} rad of one another in all"
    return Row(case, BODIES, "Basilisk", spent[0], spent[1], "s"), [note]


NOTES = (
    "seconds of the processor of one process; of a manoeuvre those of the run alone, of the Monte Carlo building it too",
    "kaneflex calls the control, a Python function, at each sample; Basilisk's are its own modules, in C",
    "Basilisk's modes are its LinearSpringMassDamper, its plates NHingedRigidBodyStateEffector; these take a tenth longer "
    "as SpinningBodyNDOFStateEffector",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, tune, time."""
    settings = QUICK if quick else Settings()
    result = Benchmark("spacecraft", packages=("bsk",))
    drawn: tuple[Tuned, Tuned] | None = None
    for panels, period, goals in settings.cases:
        craft = replace(Spacecraft(), period=period, duration=settings.duration, panels=panels)
        say(f"reference, {panels}, control every {period:g} s")
        exact = reference(craft)
        for goal in goals:
            say(f"{panels}, control every {period:g} s, error {goal:g} rad")
            row, notes, pair = manoeuvre(craft, exact, goal, settings.rounds)
            drawn = drawn or pair
            result.rows.append(row)
            result.notes += notes
    assert drawn is not None
    say(f"Monte Carlo of {settings.drawn}")
    row, notes = monte_carlo(settings, drawn, settings.cases[0][2][0])
    result.rows.append(row)
    result.notes += [*notes, *NOTES]
    if quick:
        result.notes.append("quick: a short manoeuvre, few draws, one round; not a measurement")
    return result
