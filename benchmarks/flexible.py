"""Flexible bodies: the table of Banerjee and Lemak, runs against Exudyn, and growth with modes and with bodies.

- The two cases of Banerjee and Lemak on the stand-ins of the gallery: a sail of 44 modes (50 freedoms, 300 s) and a chain
  of four flexible bodies (52 freedoms, 10 s), by dense Kane's equations, recursively with customary speeds, with efficient
  hinge speeds, and with efficient modal speeds too (constant mass matrix). Same tolerances; evaluations, time of one, and
  of the run.
- A solid beam bent and let go on a turning hub, beside Exudyn's `ObjectFFRFreducedOrder` with the same mesh and modes,
  both without stiffening, which Exudyn does not have: the equations are the same. A run of kaneflex at a tolerance of 1e-12
  is the reference; each engine takes the coarsest step or tolerance with which the tip ends within the accuracy.
- One evaluation of u-dot against the number of modes of one body, and against the number of bodies in a chain.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.flexible_exudyn import ExudynBeam
from benchmarks.peers.peer import best_mean_time
from kaneflex import Flexible, Free, Revolute, Rigid, Run, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth
from kaneflex.gallery import four_flexible_bodies, solar_sail
from kaneflex.structures import Beam, Solid

Array = NDArray[np.float64]

#: Name of each way, formulation and speeds; the first is what the others are measured against.
WAYS = (
    ("dense Kane, customary", "dense", "customary"),
    ("recursive, customary", "recursive", "customary"),
    ("recursive, efficient hinge speeds", "recursive", "efficient"),
    ("recursive, efficient hinge and modal speeds", "recursive", "constant-mass"),
)
EXACT = 3  # so many of them have the same equations
SAME_MOTION = 1e-4  # largest difference between those, relative
NEAR_MOTION = 1e-3  # and of efficient modal speeds, which leave out what modes do not span of their own rotation
#: Data of the gallery's sail.
SAIL = dict(solar_sail.DEFAULTS)
PAPER = {
    "sail": "Banerjee and Lemak, 44 modes, 300 s: 699 s (standard Kane), 667 s (recursive), 140 s (efficient): "
    "1 : 1.05 : 4.99",
    "chain": "Banerjee and Lemak, 52 freedoms, 10 s: 10.2 s (standard Kane), 7.6 s (recursive), 5.2 s (efficient): "
    "1 : 1.34 : 1.96",
}
HUB = (20.0, 5.0)  # mass, kg, and inertia, kg m^2, beside Exudyn
SPIN = (0.2, 0.5, 3.0)  # rad/s
BENT = (0.05, 0.03)  # first modal coordinates at the start, kg^1/2 m
#: Methods tried beside Exudyn, whose own are implicit: two explicit ones and the stiff one; the quickest counts.
OUR_METHODS = ("dopri5", "dop853", "radau5")
TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(8, 41))
STEPS = tuple(4e-3 * 2.0 ** (-k / 4) for k in range(0, 41))


@dataclass(frozen=True)
class Settings:
    """Sizes, accuracies and repetitions."""

    modes: tuple[int, ...] = (5, 10, 20, 40, 80, 120, 200)
    bodies: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100, 200)
    beam_modes: tuple[int, ...] = (6, 12)
    accuracies: tuple[float, ...] = (1e-3, 1e-4)
    duration: float = 1.0  # of what is done beside Exudyn, s
    part: float = 1.0  # of the two cases' runs
    rounds: int = 3


QUICK = Settings(modes=(5, 20), bodies=(1, 5), beam_modes=(6,), accuracies=(1e-2,), duration=0.2, part=0.02, rounds=1)


# -- the table of Banerjee and Lemak -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One of the two cases: its system, a run of it, and what of the run tells the motion."""

    name: str
    system: System
    duration: float
    options: dict[str, Any]
    motion: Callable[[Run], Array]


def cases(part: float) -> tuple[Case, Case]:
    """The two, each for a part of its time."""
    T = SAIL["torque"]
    half = solar_sail.HALF
    torque = {"inputs": {"torque": lambda t: T if t < half else -T}}
    chain = four_flexible_bodies.build(four_flexible_bodies.DEFAULTS)
    return (
        Case("sail", solar_sail.build(SAIL), 300.0 * part, torque, lambda run: run["sail.top.deflection"][:, 2]),
        Case("chain", chain, 10.0 * part, {}, lambda run: run["second.drive"]),
    )


def simulated(case: Case, formulation: str, speeds: str) -> tuple[Run, float]:
    """A run of a case by dopri5 at 1e-6 and its seconds."""
    begun = time.perf_counter()
    run = case.system.simulate(
        case.duration, formulation=formulation, speeds=speeds, rtol=1e-6, atol=1e-8, output=case.duration / 100,
        progress=False, **case.options,
    )  # fmt: skip
    return run, time.perf_counter() - begun


def table(case: Case, rounds: int, say: Callable[[str], None]) -> tuple[list[Row], list[str]]:
    """Rows and notes of one case; BenchmarkError when the exact ways differ."""
    runs, seconds, single = [], [], []
    for name, formulation, speeds in WAYS:
        say(f"  {case.name}: {name}")
        simulated(case, formulation, speeds)  # compiles
        run, best = min((simulated(case, formulation, speeds) for _ in range(rounds)), key=lambda found: found[1])
        runs.append(run)
        seconds.append(best)
        dynamics = case.system.dynamics(formulation, speeds)
        q, u = run.q[-1], run.u[-1]
        single.append(best_mean_time(dynamics.bind(q, u, np.zeros_like(u), np.empty_like(u)), rounds))
    motion = [case.motion(run) for run in runs]
    scale = float(np.abs(motion[0]).max())
    gaps = [float(np.abs(x - motion[0]).max()) / scale for x in motion]
    if not max(gaps[:EXACT]) <= SAME_MOTION:
        raise BenchmarkError(f"no table: {case.name}: the ways differ by {max(gaps[:EXACT]):.1e} relative")
    if not max(gaps[EXACT:]) <= NEAR_MOTION:
        raise BenchmarkError(f"no table: {case.name}: efficient modal speeds are off by {max(gaps[EXACT:]):.1e} relative")
    rows, size = [], runs[0].u.shape[1]
    base = WAYS[0][0]
    for k, (name, *_) in enumerate(WAYS[1:], 1):
        rows.append(Row(f"{case.name}, u-dot: {name}", size, base, single[k] * 1e6, single[0] * 1e6, "µs per evaluation"))
        rows.append(Row(f"{case.name}, run: {name}", size, base, seconds[k], seconds[0], "s"))
    evaluations = ", ".join(str(run.statistics["evaluations"]) for run in runs)
    told = "; ".join(f"{WAYS[k][0]} {gaps[k]:.0e}" for k in range(1, len(WAYS)))
    return rows, [
        PAPER[case.name],
        f"{case.name}: evaluations {evaluations}; motion against {base}, relative: {told}",
    ]


# -- beside Exudyn -----------------------------------------------------------------------------------------------------


class Beside:
    """The beam on its hub, in both engines."""

    def __init__(self, modes: int, duration: float) -> None:
        """Build both and find the reference."""
        structure = Solid(2.0, 0.05, 0.03, E=7e10, nu=0.3, density=2700.0, elements=(10, 1, 1))
        body = Flexible(structure, modes=modes, stiffening=False)
        self.bent = [*BENT, *[0.0] * (modes - len(BENT))]
        self.peer = ExudynBeam(structure, body, HUB, SPIN, self.bent)
        self.tip = body.modal.nodes["tip"]
        self.ours = _on_hub(body)
        self.full = _on_hub(Flexible(structure, modes=modes))
        self.duration = duration
        self.exact = self.run(self.ours, "dop853", 1e-12)[0]

    def run(self, system: System, method: str, tolerance: float) -> tuple[Array, float]:
        """Where the tip ends by kaneflex, m, and the seconds it took."""
        initial = {"hub.q": (0, 0, 0, 1, 0, 0, 0), "hub.rate": (0, 0, 0, *SPIN), "beam.modes": self.bent}
        begun = time.perf_counter()
        with warnings.catch_warnings():  # the one about missing stiffening: it is meant here
            warnings.simplefilter("ignore")
            run = system.simulate(
                self.duration, initial=initial, method=method, rtol=tolerance, atol=tolerance, output=self.duration,
                progress=False,
            )  # fmt: skip
        seconds = time.perf_counter() - begun
        return run["beam.tip.position"][-1], seconds

    def theirs(self, way: str, step: float, accuracy: float) -> tuple[Array, float]:
        """The same by Exudyn."""
        ending = self.peer.run(way, step, accuracy, self.duration)
        return ending.tip(np.array(self.tip.position), np.array(self.tip.Phi)), ending.seconds

    def coarsest(self, call: Callable[[float], tuple[Array, float]], settings: Sequence[float], accuracy: float) -> float:
        """The first setting with which the tip ends within the accuracy, and with the next finer one too."""
        before = None
        for setting in settings:
            try:
                good = float(np.abs(call(setting)[0] - self.exact).max()) <= accuracy
            except Exception:  # a solver that gives up with long steps
                good = False
            if good and before is not None:
                return before
            before = setting if good else None
        raise BenchmarkError(f"no table: an engine does not reach an error of {accuracy:g} m")


def _on_hub(body: Flexible) -> System:
    m, J = HUB
    system = System("beam on a hub")
    system.add("hub", Rigid(m, inertia=(J, J, J)), Free())
    system.add("beam", body, parent="hub")
    return system


def beside_exudyn(modes: int, settings: Settings, say: Callable[[str], None]) -> tuple[list[Row], list[str]]:
    """Rows and notes of whole runs at equal accuracy."""
    both = Beside(modes, settings.duration)
    rows, notes = [], []
    for accuracy in settings.accuracies:
        say(f"  {modes} modes, error {accuracy:g} m")
        ours = {
            way: both.coarsest(lambda x, w=way: both.run(both.ours, w, x), TOLERANCES, accuracy)
            for way in OUR_METHODS
        }
        theirs = {
            way: both.coarsest(lambda x, w=way, a=accuracy: both.theirs(w, x, a), STEPS, accuracy) for way in both.peer.ways
        }
        least: dict[str, float] = {}
        for _ in range(settings.rounds):
            for way, x in ours.items():
                least[way] = min(least.get(way, np.inf), both.run(both.ours, way, x)[1])
                full = f"{way} stiffened"
                least[full] = min(least.get(full, np.inf), both.run(both.full, way, x)[1])
            for way, x in theirs.items():
                least[way] = min(least.get(way, np.inf), both.theirs(way, x, accuracy)[1])
        mine, peer = min(ours, key=lambda w: least[w]), min(theirs, key=lambda w: least[w])
        case = f"beam on a hub, {modes} modes, {settings.duration:g} s, error {accuracy:g} m"
        rows.append(Row(case, 6 + modes, "Exudyn", least[mine] * 1e3, least[peer] * 1e3, "ms"))
        rows.append(
            Row(f"{case}, with stiffening", 6 + modes, "Exudyn", least[f"{mine} stiffened"] * 1e3, least[peer] * 1e3, "ms")
        )
        notes.append(
            f"{case}: kaneflex by {mine} at a tolerance of {ours[mine]:.1e}, "
            f"Exudyn by {peer} at a step of {theirs[peer]:.1e} s"
        )
    return rows, notes


# -- growth ------------------------------------------------------------------------------------------------------------


def one_body(modes: int) -> System:
    """A floating beam."""
    body = Flexible(Beam(20.0, 2.8e7, 1.4e4, 1.2, elements=60), modes=modes)
    system = System("one beam")
    system.add("beam", body, Free())
    return system


def many_bodies(n: int) -> System:
    """A chain of beams of six modes each on revolute joints, its hinges along z and y in turn."""
    body = Flexible(Beam(2.0, 2.8e7, 1.4e4, 1.2, elements=12), modes=6)
    system = System("chain of beams")
    for k in range(n):
        system.add(f"b{k}", body, Revolute("z" if k % 2 == 0 else "y"), f"b{k - 1}" if k else None, "tip" if k else None)
    return system


def evaluation(system: System, rounds: int) -> float:
    """Seconds of one u-dot, recursive and customary, at a state in motion."""
    dynamics = system.dynamics()
    rng = np.random.default_rng(1)
    q, u = system.state().q.copy(), 0.1 * rng.standard_normal(dynamics.plan.nu)
    return best_mean_time(dynamics.bind(q, u, np.zeros_like(u), np.empty_like(u)), rounds)


def growths(settings: Settings, say: Callable[[str], None]) -> tuple[list[Row], list[Fit]]:
    """Rows and exponents of the growth with modes and with bodies."""
    rows, unit = [], "µs per evaluation"
    by_modes, by_bodies = {}, {}
    for m in settings.modes:
        say(f"  u-dot of one body of {m} modes")
        by_modes[m] = evaluation(one_body(m), settings.rounds)
        rows.append(Row(f"u-dot, one body of {m} modes", 6 + m, None, by_modes[m] * 1e6, None, unit))
    for n in settings.bodies:
        say(f"  u-dot of {n} bodies")
        by_bodies[n] = evaluation(many_bodies(n), settings.rounds)
        rows.append(Row(f"u-dot, {n} bodies of 6 modes", 7 * n, None, by_bodies[n] * 1e6, None, unit))
    few = [m for m in by_modes if m <= 40]
    return rows, [
        Fit(
            f"u-dot, {min(by_bodies)} to {max(by_bodies)} flexible bodies", growth(list(by_bodies), list(by_bodies.values()))
        ),
        Fit(f"u-dot, {min(few)} to {max(few)} modes", growth(few, [by_modes[m] for m in few])),
        Fit(f"u-dot, {min(by_modes)} to {max(by_modes)} modes", growth(list(by_modes), list(by_modes.values()))),
    ]


NOTES = (
    "u-dot: from Python by Dynamics.bind, arrays preallocated, the best of several",
    "efficient modal speeds (constant mass matrix) are an approximation; their difference is in the note of each case",
    "sail and chain: dopri5 at rtol 1e-6, atol 1e-8; stiffening by motion on",
    "beside Exudyn: models exist already, ends kept only; Exudyn by fixed steps of its implicit methods with Euler "
    "parameters (it refuses explicit ones there), dense algebra, one thread; kaneflex by tolerance",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, time, fit."""
    settings = QUICK if quick else Settings()
    result = Benchmark("flexible", packages=("exudyn",))
    for case in cases(settings.part):
        say(f"the {case.name}")
        rows, notes = table(case, settings.rounds, say)
        result.rows += rows
        result.notes += notes
    for modes in settings.beam_modes:
        say(f"a beam of {modes} modes beside Exudyn")
        rows, notes = beside_exudyn(modes, settings, say)
        result.rows += rows
        result.notes += notes
    say("growth")
    rows, result.fits = growths(settings, say)
    result.rows += rows
    result.notes += NOTES
    if quick:
        result.notes.append("quick: small sizes, short runs, one round; not a measurement")
    return result
