"""Stiff systems: radau5, sdirk4 and cvode against SciPy's Radau and against CVODE alone, at equal error.

Seven systems with forces far stiffer than their motion. SciPy and CVODE (called directly, without what a run of kaneflex
does besides) integrate the very right-hand side that kaneflex does, called from Python. A reference by radau5 at a tolerance
of 1e-12 (checked against SciPy's Radau at 1e-10 where that does not take too long) tells the error of an end: the largest
difference of a coordinate or speed, over the largest coordinate or speed there. Every engine takes the coarsest tolerance
10^(-k/2) that meets the accuracy. Rows compare seconds; steps, evaluations and errors are in the notes, in the same run, and
so is what steps of radau5 and sdirk4 cost on chains of 10 to 300 links, with efficient speeds too, and on closed rings and
rows of loops of such sizes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.integrate
from numpy.typing import NDArray

from benchmarks.peers.peer import best_mean_time
from kaneflex import JointForce, JointSpring, Prismatic, Revolute, Rigid, SpringDamper, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth

Array = NDArray[np.float64]

OWN = ("radau5", "sdirk4", "cvode")
FINEST = 22  # the finest tolerance is 10^(-FINEST/2)


@dataclass(frozen=True)
class Settings:
    """Accuracies, sizes, repetitions."""

    systems: tuple[str, ...] = ()  # all
    accuracies: tuple[float, ...] = (1e-4, 1e-7)
    chains: tuple[int, ...] = (10, 30, 100, 300)  # and rings and ladders
    repeats: int = 3
    patience: float = 20.0  # s that a run of a peer may take before it is not made finer


QUICK = Settings(systems=("governor", "slider"), accuracies=(1e-4,), chains=(5, 10), repeats=1)


# -- the systems -------------------------------------------------------------------------------------------------------


def governor() -> System:
    """The stiff flyball governor, problem A05 of the IFToMM library of benchmarks: couplers are springs of 8e5 N/m."""
    s = System("governor", gravity=(0, 0, -9.81))
    m, ball, slider = 0.3, 5.0, 3.0
    s.add("shaft", Rigid(m, com=(0, 0, -0.5), inertia=(m / 12, m / 12, 5e-6)), Revolute("z"), rates=2 * math.pi)
    s.add("slider", Rigid(slider, inertia=(slider / 600,) * 3), Prismatic("z"), "shaft", q=-0.5)
    com = (m / 2 + ball) / (m + ball)
    across = m / 12 + m * (com - 0.5) ** 2 + ball * (1 - com) ** 2
    rod = Rigid(m + ball, com=(0, 0, -com), inertia=(across, across, 5e-6), frames={"middle": (0, 0, -0.5)})
    for name, side in (("left", -1), ("right", 1)):
        s.add(name, rod, Revolute("y"), "shaft", q=-side * math.pi / 3)
        s.apply(f"{name}-coupler", SpringDamper(f"{name}.middle", "slider", 8e5, 4e4, 0.5))
    return s


def chain(n: int = 20, stiffness: float = 1e4, damping: float = 10.0) -> System:
    """n rods in a row, 1 m long together, held straight by stiff joints, but for the first, which swings."""
    s = System("chain", gravity=(0, 0, -9.81))
    length, m = 1 / n, 1 / n
    across = m * length**2 / 12
    bar = Rigid(m, com=(length / 2, 0, 0), inertia=(across / 10, across, across), frames={"tip": (length, 0, 0)})
    parent: str | None = None
    for k in range(n):
        s.add(f"rod{k}", bar, Revolute("y"), parent, "tip" if parent else None)
        if parent:
            s.apply(f"joint{k}", JointSpring(f"rod{k}", stiffness, damping))
        parent = f"rod{k}"
    return s


def ring(n: int) -> System:
    """n rods in a closed ring, 2 m around, that hangs at one joint and is held round by stiff springs in all the others."""
    s = System("ring", gravity=(0, 0, -9.81))
    length, m, turn = 2 / n, 2 / n, 2 * math.pi / n
    bar = Rigid(m, com=(length / 2, 0, 0), inertia=(m * length**2 / 12,) * 3, frames={"tip": (length, 0, 0)})
    parent: str | None = None
    for k in range(n):
        s.add(f"rod{k}", bar, Revolute("y"), parent, "tip" if parent else None, q=turn if parent else 0.3)
        if parent:
            s.apply(f"joint{k}", JointSpring(f"rod{k}", 1e4, 10.0, rest=turn))
        parent = f"rod{k}"
    s.close("pin", f"{parent}.tip", (0, 0, 0), Revolute("y"))
    return s


def ladder(n: int) -> System:
    """n four-bar linkages that hang on one another, 1 m long together, held by stiff springs but for the first."""
    s = System("ladder", gravity=(0, 0, -9.81))
    length, width, m = 1 / n, 0.5 / n, 1 / (3 * n)
    inertia = (m * length**2 / 12,) * 3
    bar = Rigid(m, com=(length / 2, 0, 0), inertia=inertia, frames={"tip": (length, 0, 0)})
    plate = Rigid(m, com=(width / 2, 0, 0), inertia=inertia, frames={"far": (width, 0, 0)})
    parent: str | None = None
    for k in range(n):
        q = math.pi / 2 if parent else 1.2
        s.add(f"crank{k}", bar, Revolute("y"), parent, q=q)
        s.add(f"plate{k}", plate, Revolute("y"), f"crank{k}", "tip", q=-q)
        s.add(f"rocker{k}", bar, Revolute("y"), parent, (width, 0, 0), q=q)
        s.close(f"pin{k}", f"rocker{k}.tip", f"plate{k}.far", Revolute("y"))
        if parent:
            s.apply(f"joint{k}", JointSpring(f"crank{k}", 1e4, 10.0, rest=q))
        parent = f"plate{k}"
    return s


def cart() -> System:
    """A cart whose motor follows van der Pol's law with mu = 1000: slow drifts and sudden jumps."""
    s = System("cart")
    s.add("cart", Rigid(1.0), Prismatic("x"), q=2.0)
    s.apply("motor", JointForce("cart", _van_der_pol, sees=["cart.q", "cart.rate"]))
    return s


def _van_der_pol(t: float, x: Array) -> float:
    return float(1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0])


def pendulum() -> System:
    """A pendulum of 1 kg whose rod is a spring of 1e8 N/m, nearly critically damped."""
    s = System("pendulum", gravity=(0, 0, -9.81))
    s.add("arm", Rigid(1e-3, inertia=(1e-3, 1e-3, 1e-3)), Revolute("y"), q=1.0)
    s.add("bob", Rigid(1.0, inertia=(1e-3, 1e-3, 1e-3)), Prismatic("z"), "arm", q=-1.0)
    s.apply("rod", JointSpring("bob", 1e8, 1.5e4, rest=-1.0))
    return s


def slider() -> System:
    """Two masses in a row on stiff springs with strong dampers, and a soft spring that moves both."""
    s = System("slider")
    s.add("first", Rigid(1.0), Prismatic("x"), q=0.1)
    s.add("second", Rigid(0.5), Prismatic("x"), "first", q=0.01)
    s.apply("soft", JointSpring("first", 10.0, 0.1))
    s.apply("stiff", JointSpring("second", 1e7, 1e4))
    return s


def loop() -> System:
    """A four-bar linkage, closed, that swings with a mass on its coupler, which a spring of 1e7 N/m holds in place."""
    s = System("loop", gravity=(0, 0, -9.81))
    bar = Rigid(1.0, com=(0.5, 0, 0), inertia=(1e-3, 1 / 12, 1 / 12), frames={"tip": (1.0, 0, 0)})
    s.add("crank", bar, Revolute("y"), q=1.2)
    s.add("coupler", bar, Revolute("y"), "crank", "tip", q=-1.2)
    s.add("rocker", bar, Revolute("y"), "coupler", "tip", q=1.2 - math.pi)
    s.add("mass", Rigid(1.0), Prismatic("x"), "coupler", q=0.5)
    s.apply("spring", JointSpring("mass", 1e7, 1e4, rest=0.5))
    s.close("pin", "rocker.tip", (1.0, 0.0, 0.0), Revolute("y"))
    return s


@dataclass(frozen=True)
class Case:
    """A system, how long it runs (s), and whether peers, which keep no constraints, can run it."""

    build: Callable[[], System]
    duration: float
    peers: bool = True


CASES = {
    "governor": Case(governor, 10.0),
    "chain": Case(chain, 1.0),
    "chain of 100": Case(lambda: chain(100), 1.0),
    "cart": Case(cart, 1500.0),
    "pendulum": Case(pendulum, 2.0),
    "slider": Case(slider, 5.0),
    "loop": Case(loop, 2.0, peers=False),
}


# -- the engines -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """A run: its end (q, u), what it took, and its error."""

    end: Array
    steps: int
    evaluations: int
    seconds: float
    error: float = math.nan
    tolerance: float = math.nan

    def words(self) -> str:
        """What it took and gave."""
        return f"{self.steps} steps, {self.evaluations} evaluations, error {self.error:.0e}"


def run_own(system: System, duration: float, method: str, tolerance: float) -> Found:
    """A run of kaneflex that keeps its ends only."""
    begun = time.perf_counter()
    run = system.simulate(
        duration, method=method, rtol=tolerance, atol=tolerance, output=duration, progress=False, max_steps=1_000_000
    )
    seconds = time.perf_counter() - begun
    s = run.statistics
    return Found(np.concatenate([run.q[-1], run.u[-1]]), int(s["steps"] + s["rejected"]), int(s["evaluations"]), seconds)


class Bare:
    """The right-hand side of a system, called from Python, without the work that kaneflex carries along."""

    def __init__(self, system: System) -> None:
        self.dynamics = system.dynamics()
        self.start = system.state()
        plan = self.dynamics.plan
        self.n = plan.nq + plan.nu
        self.y0 = np.concatenate([self.start.q, self.dynamics.speeds_from_rates(self.start.q, self.start.rates)])
        self.evaluations = 0
        self._y = np.zeros(self.n + 2)

    def __call__(self, t: float, y: Array) -> Array:
        """y' without work."""
        self.evaluations += 1
        self._y[: self.n] = y
        return self.dynamics._derivative(t, self._y)[: self.n]

    def jacobian(self, t: float, y: Array) -> Array:
        """df/dy by forward differences. (SciPy's own increments grow without bound for a coordinate that nothing depends on,
        such as a governor's azimuth.)"""
        steps = np.sqrt(2.2e-16 * np.maximum(1e-5, np.abs(y)))
        f = self(t, y)
        return np.column_stack([(self(t, y + h * e) - f) / h for h, e in zip(steps, np.eye(self.n), strict=True)])


def run_scipy(system: System, duration: float, tolerance: float) -> Found:
    """SciPy's Radau."""
    f = Bare(system)
    begun = time.perf_counter()
    found = scipy.integrate.solve_ivp(f, (0, duration), f.y0, "Radau", jac=f.jacobian, rtol=tolerance, atol=tolerance)
    return Found(found.y[:, -1], len(found.t) - 1, f.evaluations, time.perf_counter() - begun)


def run_cvode(system: System, duration: float, tolerance: float) -> Found:
    """CVODE alone."""
    from sksundae.cvode import CVODE

    f, steps = Bare(system), 0

    def rate(t: float, y: Array, ydot: Array) -> None:
        ydot[:] = f(t, y)

    begun = time.perf_counter()
    solver = CVODE(rate, rtol=tolerance, atol=tolerance, max_num_steps=1_000_000)
    solver.init_step(0.0, f.y0)
    t = 0.0
    while t < duration:
        result = solver.step(duration, "onestep", duration)
        if not result.success:
            raise BenchmarkError(f"CVODE stopped at t = {t:g} s: {result.message}")
        t, steps = float(result.t), steps + 1
    return Found(np.array(result.y, float).reshape(-1), steps, f.evaluations, time.perf_counter() - begun)


def error_of(end: Array, exact: Array) -> float:
    """The largest difference, over the largest entry."""
    return float(np.abs(end - exact).max() / np.abs(exact).max())


def reference(name: str, case: Case, system: System) -> Array:
    """The end by radau5 with a fine tolerance, which SciPy's Radau must confirm."""
    exact = run_own(system, case.duration, "radau5", 1e-12).end
    if case.peers:
        other = run_scipy(system, case.duration, 1e-9 if not name.startswith("chain") else 1e-7).end
        if not error_of(other, exact) < (1e-5 if name != "cart" else 1e-4):
            raise BenchmarkError(f"{name}: radau5 and SciPy's Radau end {error_of(other, exact):.1e} apart")
    return exact


def coarsest(run: Callable[[float], Found], accuracy: float, exact: Array, settings: Settings) -> Found | None:
    """The run with the coarsest tolerance that meets the accuracy; None where it takes too long to find."""
    for k in range(4, FINEST + 1):
        tolerance = 10 ** (-k / 2)
        found = run(tolerance)
        error = error_of(found.end, exact)
        if error <= accuracy:
            seconds = min([found.seconds, *(run(tolerance).seconds for _ in range(settings.repeats - 1))])
            return Found(found.end, found.steps, found.evaluations, seconds, error, tolerance)
        if found.seconds > settings.patience:
            return None
    return None


# -- growth --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Growing:
    """Systems of n links or loops, and with what speeds."""

    build: Callable[[int], System]
    of: str
    speeds: str = "customary"


GROWING = {
    "chain": Growing(chain, "links"),
    "chain with efficient speeds": Growing(chain, "links", "efficient"),
    "ring": Growing(ring, "links"),
    "ladder": Growing(ladder, "loops"),
}


@dataclass(frozen=True)
class Cost:
    """Of a system: seconds of one evaluation, of a run without what begins it, and what that took."""

    evaluation: float
    run: float
    steps: int
    evaluations: int
    corrections: int


def cost_of(growing: Growing, n: int, method: str) -> Cost:
    """What a run of the system of size n takes, from 0.1 s to 1 s."""
    system = growing.build(n)
    dynamics, start = system.dynamics(speeds=growing.speeds), system.state()
    u = np.zeros(dynamics.plan.nu)
    evaluation = best_mean_time(dynamics.bind(start.q, u, u.copy(), u.copy()), 3)
    options = {"method": method, "speeds": growing.speeds, "rtol": 1e-6, "atol": 1e-6, "progress": False}
    found = []
    for duration in (0.1, 1.0):
        runs = [system.simulate(duration, output=duration, **options) for _ in range(max(2, 100 // n))]
        found.append((min(run.statistics["seconds"] for run in runs), runs[0].statistics))
    (short, before), (long, after) = found
    tries = [int(s["steps"] + s["rejected"]) for s in (before, after)]
    more = [int(after[key] - before[key]) for key in ("evaluations", "corrections")]
    return Cost(evaluation, long - short, tries[1] - tries[0], *more)


def measure_growth(result: Benchmark, name: str, method: str, sizes: tuple[int, ...]) -> None:
    """Notes on runs of systems of all sizes, and the growth of a step."""
    costs = [cost_of(GROWING[name], n, method) for n in sizes]
    for n, c in zip(sizes, costs, strict=True):
        result.notes.append(
            f"{name} of {n}, {method}: an evaluation {1e6 * c.evaluation:.1f} µs, a run {1e3 * c.run:.1f} ms with "
            f"{c.steps} steps, {c.corrections} corrections and {c.evaluations} evaluations, "
            f"{c.run / (c.evaluations * c.evaluation):.1f} times as long as these"
        )
    case = f"a step of {method} of a {name}, n {GROWING[name].of}"
    result.fits.append(Fit(case, growth(sizes, [max(c.run, 1e-9) / c.steps for c in costs])))


# -- the table ---------------------------------------------------------------------------------------------------------


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """All systems at all accuracies, and how the cost of steps grows."""
    settings = QUICK if quick else Settings()
    result = Benchmark("stiff", packages=("scikit-sundae",))
    result.notes.append("kaneflex is radau5; SciPy and CVODE call the same right-hand side, but from Python")
    for name in settings.systems or tuple(CASES):
        case = CASES[name]
        system = case.build()
        exact = reference(name, case, system)
        for accuracy in settings.accuracies:
            compare(result, name, case, system, accuracy, exact, settings, say)
    for name in GROWING:
        for method in ("radau5", "sdirk4"):
            say(f"growth of a {name}: {method}")
            measure_growth(result, name, method, settings.chains)
    return result


def compare(
    result: Benchmark,
    name: str,
    case: Case,
    system: System,
    accuracy: float,
    exact: Array,
    settings: Settings,
    say: Callable[[str], None],
) -> None:
    """Rows and a note of one system at one accuracy."""
    engines: dict[str, Callable[[float], Found]] = {
        method: (lambda tolerance, m=method: run_own(system, case.duration, m, tolerance)) for method in OWN
    }
    if case.peers:
        engines["SciPy Radau"] = lambda tolerance: run_scipy(system, case.duration, tolerance)
        engines["CVODE alone"] = lambda tolerance: run_cvode(system, case.duration, tolerance)
    found = {}
    for engine, run in engines.items():
        say(f"{name}, error {accuracy:g}: {engine}")
        found[engine] = coarsest(run, accuracy, exact, settings)
    words = [f"{engine} {'does not get there' if f is None else f.words()}" for engine, f in found.items()]
    result.notes.append(f"{name}, {accuracy:g}: " + "; ".join(words))
    own = found["radau5"]
    if own is None:
        raise BenchmarkError(f"{name}: radau5 does not reach an error of {accuracy:g}")
    bodies = len(system.parts)
    for engine, f in found.items():
        if engine != "radau5":
            seconds = None if f is None else f.seconds
            result.rows.append(Row(f"{name}, error {accuracy:g}", bodies, engine, own.seconds, seconds, "s per run"))
