"""Rods and cables at equal error: against Exudyn, MuJoCo and MoorDyn, and growth of an implicit step with the segments.

- In a plane: a beam on a hub that is brought to speed, a flexible pendulum let go where it is horizontal (data of Exudyn's
  documentation), and Simo and Vu-Quoc's flying beam, by Exudyn's geometrically exact beams and ANCF cables; the pendulum by
  MuJoCo too, as a flex of one dimension and as a chain on hinges. The error is the largest one of the tip's place, on the
  hub of its deflection, at 60 times.
- A chain in water whose fairlead heaves, by MoorDyn: hanging free between its ends, and lying on the bed in part. The error
  is the largest one of the tension at the fairlead at 80 times.
- Each engine takes, of a grid of sizes, methods and steps or tolerances, what reaches the wanted error in the least time.
- One step of the linearly implicit method against the number of segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import kaneflex as kf
from benchmarks.peers.plane_beam import MOORING, NOODLE, PENDULUM, SAGGING, SPIN_UP, Array, MooringLine, PlaneBeam
from benchmarks.peers.rods_exudyn import ExudynPlaneBeam
from benchmarks.peers.rods_kaneflex import KaneflexLine, KaneflexPlaneBeam
from benchmarks.peers.rods_moordyn import MoordynLine
from benchmarks.peers.rods_mujoco import MujocoPlaneBeam
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth

#: Of the tip's place, or of the tension, relative.
GOAL = 1e-3
#: On the bed: there MoorDyn's own results with 80 and 160 segments differ by 6e-3, for a segment touches down at once.
BED_GOAL = 1e-2
TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(5, 25))  # to 1e-6; steps of STEPS grow from one to the next by as much
STEPS = (120, 180, 240, 300, 420, 600, 900, 1200, 1440, 1800, 2400, 3600, 4800, 7200)
FAR = 4.0  # a size that takes so many times longer than the best one is not refined


@dataclass(frozen=True)
class Way:
    """One way to solve a case: models by size, and settings for each.

    Args:
        title: its name in the table.
        make: a model of a size.
        sizes: from coarse to fine.
        run: of a model with settings: results at the samples, seconds, and how it went in words.
        families: of settings, each from coarse to fine.
    """

    title: str
    make: Callable[[Any], Any]
    sizes: Sequence[Any]
    run: Callable[[Any, Any], tuple[Array, float, str]]
    families: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Found:
    """The cheapest size and setting with which a way reaches an error."""

    seconds: float
    error: float
    words: str


@dataclass
class Case:
    """What is solved, by whom, and what it is compared with."""

    name: str
    exact: Array
    scale: float
    goal: float
    ours: list[Way]
    theirs: dict[str, list[Way]]
    notes: list[str] = field(default_factory=list)


def error_of(case: Case, way: Way, model: Any, setting: Any) -> tuple[float, float, str]:
    """Error, seconds and words of one run; no error is smaller than that of a solver that gives up."""
    try:
        result, seconds, words = way.run(model, setting)
    except Exception:
        return np.inf, np.inf, ""
    gap = np.abs(result - case.exact).max() / case.scale
    return (float(gap) if np.isfinite(gap) else np.inf), seconds, words


def cheapest(case: Case, way: Way, rounds: int) -> Found | None:
    """The best of a way, or None where nothing in its grid reaches the error. What is good with one setting and bad with
    the next finer one was good by chance."""
    best: Found | None = None
    for size in way.sizes:
        model = way.make(size)
        for family in way.families:
            before: tuple[float, float, str, Any] | None = None
            for setting in family:
                error, seconds, words = error_of(case, way, model, setting)
                good = error <= case.goal
                if good and before is not None:
                    least = min(before[1], *(error_of(case, way, model, before[3])[1] for _ in range(rounds)))
                    if best is None or least < best.seconds:
                        best = Found(least, before[0], f"{size} {before[2]}")
                    break
                before = (error, seconds, words, setting) if good else None
                if best is not None and np.isfinite(seconds) and seconds > FAR * best.seconds:
                    break
    return best


# -- ways --------------------------------------------------------------------------------------------------------------


def by_kaneflex(
    beam: PlaneBeam | MooringLine, sizes: Sequence[tuple[str, int]], methods: Sequence[str | kf.Newmark], thin: bool = True
) -> Way:
    """Rods by segments ("n", 20) or of high order ("order", 4), at tolerances, by Newmark's method in equal steps; thin ones
    neither stretch nor shear."""

    def make(size: tuple[str, int]) -> Any:
        if isinstance(beam, MooringLine):
            return KaneflexLine(beam, size[1])
        return KaneflexPlaneBeam(beam, thin, **dict([size]))

    def run(model: Any, setting: tuple[str | kf.Newmark, float]) -> tuple[Array, float, str]:
        method, fineness = setting
        if isinstance(method, kf.Newmark):
            result, seconds, steps = model.run(method, step=beam.duration / fineness)
            return result, seconds, f"by {method.name}, {steps} steps, read in {model.reading * 1e3:.1f} ms"
        result, seconds, steps = model.run(method, rtol=fineness, atol=fineness)
        return result, seconds, f"by {method} at {fineness:.1e}, {steps} steps, read in {model.reading * 1e3:.1f} ms"

    families = [[(m, x) for x in (STEPS if isinstance(m, kf.Newmark) else TOLERANCES)] for m in methods]
    return Way("kaneflex", make, sizes, run, families)


def by_exudyn(beam: PlaneBeam, kinds: Sequence[str], numbers: Sequence[int], steps: Sequence[int]) -> Way:
    """Elements of the kinds; generalized-alpha as its documentation recommends it, and the trapezoidal rule."""
    solvers = (("GeneralizedAlpha", 0.9, True), ("GeneralizedAlpha", 0.9, False), ("TrapezoidalIndex2", 1.0, True))

    def run(model: ExudynPlaneBeam, setting: Any) -> tuple[Array, float, str]:
        (way, rho, modified), count = setting
        result, seconds = model.run(way, count, rho, modified)
        return result, seconds, f"by {way}{', modified Newton' if modified else ''}, {count} steps"

    sizes = [(kind, n) for kind in kinds for n in numbers]
    title = "Exudyn ANCF cables" if kinds == ("ANCF cable",) else "Exudyn GE beams"
    return Way(title, lambda size: ExudynPlaneBeam(beam, *size), sizes, run, [[(s, k) for k in steps] for s in solvers])


def by_mujoco(beam: PlaneBeam, chain: str, numbers: Sequence[int], integrators: Sequence[str]) -> Way:
    """A chain of the kind."""

    def run(model: MujocoPlaneBeam, setting: tuple[str, int]) -> tuple[Array, float, str]:
        result, seconds = model.run(*setting)
        return result, seconds, f"by {setting[0]}, {setting[1]} steps"

    families = [[(name, k) for k in STEPS if k >= 600] for name in integrators]
    return Way(f"MuJoCo {chain}", lambda size: MujocoPlaneBeam(beam, *size), [(chain, n) for n in numbers], run, families)


def by_moordyn(line: MooringLine, numbers: Sequence[int]) -> Way:
    """Lumped masses; one step each time that the fairlead is moved."""

    def run(model: MoordynLine, setting: tuple[str, float, int]) -> tuple[Array, float, str]:
        result, seconds = model.run(*setting)
        return result, seconds, f"by {setting[0]}, {setting[2] * line.samples} steps"

    families = [[(scheme, line.period / calls, calls) for calls in CALLS] for scheme in ("rk2", "rk4")]
    return Way("MoorDyn", lambda n: MoordynLine(line, n), numbers, run, families)


CALLS = (50, 70, 100, 140, 200, 280, 400, 560)  # between samples
GE, ANCF = ("GE beam, 3 nodes",), ("ANCF cable",)


# -- cases -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """Sizes and repetitions."""

    rounds: int = 3
    goal: float = GOAL
    lines: bool = True
    exudyn: tuple[int, ...] = (4, 6, 8, 12, 16)
    cables: tuple[int, ...] = (6, 8, 12, 16)
    segments: tuple[int, ...] = (16, 20, 22, 24, 28, 32, 40)
    orders: tuple[int, ...] = (3, 4, 5)
    fine: tuple[int, int] = (64, 12000)
    growth: tuple[int, ...] = (10, 30, 100, 300, 1000, 3000, 10000)


QUICK = Settings(
    rounds=1, goal=0.1, lines=False, exudyn=(4,), cables=(4,), segments=(10,), orders=(3,), fine=(8, 1200), growth=(10, 30)
)


def beams(settings: Settings) -> list[Case]:
    """The three beams. The pendulum and the flying beam, which begin with a jerk, against Exudyn's own finest; the
    spin-up, which is smooth, against a rod of high order with stretch and shear."""
    chain = [("n", n) for n in settings.segments]
    count, steps = settings.fine
    cases = []
    for beam in (SPIN_UP, PENDULUM, NOODLE):
        fine = ExudynPlaneBeam(beam, GE[0], count).run("GeneralizedAlpha", steps, 0.95, beam is not SPIN_UP)[0]
        other = {"n": 2 * max(settings.segments)}
        if beam is SPIN_UP:
            other = {"order": max(settings.orders) + 3}
        small = 1e-8 if beam is SPIN_UP else 1e-5
        check = KaneflexPlaneBeam(beam, **other).run("radau5", rtol=small, atol=small)[0]
        exact = check if beam is SPIN_UP else fine
        methods = ("dopri5", "ros34pw2", "radau5") if beam is NOODLE else ("ros34pw2", "radau5")
        ours = [by_kaneflex(beam, chain, methods)]
        if beam is SPIN_UP:
            ours.append(by_kaneflex(beam, [("order", m) for m in settings.orders], ("radau5", "ros34pw2")))
        theirs = {"Exudyn": [by_exudyn(beam, GE, settings.exudyn, STEPS)]}
        if beam is not NOODLE:
            theirs["Exudyn"].append(by_exudyn(beam, ANCF, settings.cables, STEPS))
        if beam is PENDULUM:
            theirs["MuJoCo"] = [
                by_mujoco(beam, "hinges", settings.segments, ("implicitfast", "RK4")),
                by_mujoco(beam, "flex", [2 * settings.segments[-1]], ("discrete",)),
            ]
        case = Case(beam.name, exact, beam.scale, settings.goal, ours, theirs)
        case.notes.append(
            f"{beam.name}: Exudyn with {count} elements and {steps} steps and kaneflex with {other} differ by "
            f"{np.abs(fine - check).max() / beam.scale:.1e} of {beam.scale:g} m"
        )
        cases.append(case)
    cases[-1].notes.append("noodle: ANCF cables have no rotary inertia, which decides there")
    ours = [by_kaneflex(NOODLE, chain, (kf.Newmark(beta=0), "radau5"), thin=False)]
    cases.append(replace(cases[-1], name="noodle with stretch and shear", ours=ours, notes=[]))
    return cases


def lines(settings: Settings) -> list[Case]:
    """The two lines, against MoorDyn with many segments: by rk2, which has converged with as few calls as are stable. Its
    rk4 has an error of first order in the time from one call to the next, 3e-4 with 400 of them between samples."""
    cases = []
    for line, goal, fine, calls in ((SAGGING, GOAL, 96, 400), (MOORING, BED_GOAL, 160, 700)):
        exact = MoordynLine(line, fine).run("rk2", line.period / calls, calls)[0]
        sizes = (10, 11, 12, 14, 16, 20, 24, 32)
        many, scale = 2 * max(sizes), float(exact.max())
        check = KaneflexLine(line, many).run("radau5", rtol=1e-4, atol=1e-4)[0]
        chain = [("n", n) for n in sizes]
        ours = [by_kaneflex(line, chain, ("radau5", "dopri5"))]
        theirs = {"MoorDyn": [by_moordyn(line, sizes)]}
        words = (
            f"{line.name}: MoorDyn with {fine} segments and kaneflex with {many} differ by "
            f"{np.abs(exact - check).max() / scale:.1e} of {scale / 1e3:.1f} kN"
        )
        cases.append(Case(line.name, exact, scale, goal, ours, theirs, [words]))
    return cases


def rows_of(case: Case, rounds: int, say: Callable[[str], None]) -> tuple[list[Row], list[str]]:
    """Rows and notes of one case."""
    say(f"  {case.name}: kaneflex")
    own = [found for way in case.ours if (found := cheapest(case, way, rounds)) is not None]
    if not own:
        raise BenchmarkError(f"no table: {case.name}: kaneflex does not reach an error of {case.goal:g}")
    mine = min(own, key=lambda found: found.seconds)
    name = f"{case.name}, error {case.goal:g}"
    rows, notes = [], [*case.notes, f"{name}: kaneflex {mine.words}, error {mine.error:.1e}"]
    for peer, ways in case.theirs.items():
        for way in ways:
            say(f"  {case.name}: {way.title}")
            found = cheapest(case, way, rounds)
            if found is None:
                notes.append(f"{name}: {way.title} does not reach it with anything in the grid")
                continue
            rows.append(Row(f"{name}: {way.title}", 0, peer, mine.seconds * 1e3, found.seconds * 1e3, "ms"))
            notes.append(f"{name}: {way.title} {found.words}, error {found.error:.1e}")
    return rows, notes


# -- growth ------------------------------------------------------------------------------------------------------------


def step_growth(settings: Settings, say: Callable[[str], None]) -> tuple[list[Row], list[Fit]]:
    """Seconds of one linearly implicit step of the pendulum, of ever more segments."""
    rows, cost = [], {}
    for n in settings.growth:
        say(f"  a step of {n} segments")
        model = KaneflexPlaneBeam(PENDULUM, True, n=n)
        model.run("ros34pw2", rtol=1e-3, atol=1e-3)
        best = np.inf
        for _ in range(settings.rounds):
            _, seconds, steps = model.run("ros34pw2", rtol=1e-3, atol=1e-3)
            best = min(best, seconds / steps)
        cost[n] = best
        rows.append(Row(f"pendulum, one linearly implicit step of {n} segments", n, None, best * 1e6, None, "µs"))
    title = f"linearly implicit step, {min(cost)} to {max(cost)} segments"
    return rows, [Fit(title, growth(list(cost), list(cost.values())))]


NOTES = (
    "seconds of the processor, models exist already, starts are found; kaneflex by tolerance, rtol = atol, with its whole "
    "simulate; Exudyn by fixed steps, sparse algebra, one thread, only the tip kept; MoorDyn and MuJoCo moved from Python "
    "between samples; reading the tip's places or the tension from a run of kaneflex is not among its seconds, but told",
    "kaneflex leaves out stretch and shear where that is not said otherwise, which is in its error: of the noodle 7e-4",
    "MuJoCo flex: edges held by constraints of 0.5 ms, the last vertex with half a mass",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, search, time, fit."""
    settings = QUICK if quick else Settings()
    result = Benchmark("rods", packages=("exudyn", "mujoco", "moordyn"))
    say("references")
    cases = beams(settings) + (lines(settings) if settings.lines else [])
    for case in cases:
        rows, notes = rows_of(case, settings.rounds, say)
        result.rows += rows
        result.notes += notes
    say("growth")
    rows, result.fits = step_growth(settings, say)
    result.rows += rows
    result.notes += NOTES
    if quick:
        result.notes.append("quick: small sizes, a large error, one round, no lines; not a measurement")
    return result
