"""Structures that unfold: a scissor lift and a ring truss of 10, 50 and 200 bays, against Exudyn and MuJoCo.

Every engine runs the same motion from rest, of which the end is known in closed form (`peers/deploying.py`): kaneflex in the
coordinates of joints ("recursive") and in points and vectors ("cartesian"), Exudyn with redundant coordinates and
multipliers, MuJoCo with joint coordinates and equality constraints. The steps of the peers are the longest of a row of
halves with which the angle is right to 1e-4 rad and loops are closed to 1e-6 m, and the tolerance of kaneflex is the largest
of a row of tenths that does as much. A peer that does not get there in its time has the time that it took without, and its
row says "more than". Processor times of runs alone; models exist already, the best of several.

The linear equations of one evaluation in points and vectors are solved besides by SuperLU, of SciPy, and by the dense null
spaces of `kaneflex.analysis.null_spaces`: their times are of the solution alone, kaneflex's are of the whole evaluation.
Structures of this kind have equations that follow from others, and their matrix is singular: SuperLU, which finds none of
them by itself, gets the matrix without those that kaneflex found. All on one thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csc_array
from scipy.sparse.linalg import splu
from threadpoolctl import threadpool_limits

from benchmarks.peers import deploying
from benchmarks.peers.deploy_exudyn import ExudynDeploying
from benchmarks.peers.deploy_mujoco import MujocoDeploying
from benchmarks.peers.deploying import Deploying
from benchmarks.peers.peer import best_mean_time
from kaneflex.analysis.null_spaces import WAYS, accelerations
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth
from kaneflex.formulations.cartesian.matrices import matrices
from kaneflex.formulations.integration_state import IntegrationState

ANGLE, GAP = 1e-4, 1e-6  # what is asked of the end: rad, m
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # relative ones that kaneflex tries; absolute ones are a tenth
FIRST, HALVINGS = 8e-3, 8  # longest step of a peer that is tried, s, and how often it is halved


@dataclass(frozen=True)
class Settings:
    """Sizes and repetitions."""

    sizes: tuple[int, ...] = (10, 50, 200)
    dense: tuple[int, ...] = (2, 5, 10, 20)  # bays in the comparison with null spaces
    sparse: tuple[int, ...] = (10, 50, 200)  # and with SuperLU
    long: tuple[int, ...] = (50, 200, 1000)  # of evaluations of a lift
    rounds: int = 3
    limit: float = 8.0  # s that a run of a peer may take


QUICK = Settings(sizes=(6,), dense=(2,), sparse=(6,), long=(6,), rounds=1, limit=8.0)


def own(structure: Deploying, way: str, rounds: int) -> tuple[float, int, str]:
    """Seconds and steps of a run by one formulation, with the first of `TOLERANCES` that is good enough, and a note."""
    best, error, gap = math.inf, math.inf, math.inf
    for rtol in TOLERANCES:
        options = {"method": "dop853", "rtol": rtol, "atol": rtol / 10, "progress": False, "output": structure.duration}
        run = structure.system.simulate(structure.duration, formulation=way, **options)
        error = abs(structure.sign * float(run[f"{structure.joint}.q"][-1]) - structure.exact)
        gap = run.audit.position_violation or 0.0
        if error <= ANGLE and gap <= GAP:
            break
    else:
        what = f"{way}, {structure.name} of {structure.n} bays: {error:.1e} rad, {gap:.1e} m"
        raise BenchmarkError(f"no table: kaneflex, {what}")
    for _ in range(rounds):
        begun = time.process_time()
        structure.system.simulate(structure.duration, formulation=way, **options)
        best = min(best, time.process_time() - begun)
    steps = int(run.statistics["steps"])
    note = f"kaneflex {way}: rtol {rtol:.0e}, {steps} steps, error {error:.0e} rad, loops open by {gap:.0e} m"
    return best, steps, note


@dataclass(frozen=True)
class Attempt:
    """What a peer got to: seconds of its best run, whether that is good enough, its step, s, and a note."""

    seconds: float
    reached: bool
    step: float
    note: str


def peer(engine: ExudynDeploying | MujocoDeploying, first: float, rounds: int, limit: float) -> Attempt:
    """A peer with the longest step, `first` or a half, a quarter, ... of it, that is good enough within the limit."""
    step, name = first, engine.name
    for _ in range(HALVINGS):
        error, gap, seconds = engine.run(step, limit)
        what = f"{name}: steps of {step:.1e} s, error {error:.0e} rad, loops open by {gap:.0e} m"
        if error <= ANGLE and gap <= GAP:
            best = min([seconds, *(engine.run(step, limit)[2] for _ in range(rounds - 1 if seconds < 3 else 0))])
            return Attempt(best, True, step, what)
        if 2 * seconds >= limit:
            break
        step /= 2
    ended = "not ended" if math.isinf(error) else f"error {error:.0e} rad, loops open by {gap:.0e} m"
    return Attempt(seconds, False, step, f"{name}: steps of {step:.1e} s: {ended} after {seconds:.0f} s")


class Peers:
    """Both engines over growing structures: what a smaller one needed is where the next begins."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self.integrators: tuple[str, ...] = ("RK4", "Euler")  # of MuJoCo; the better one of the smallest structure is kept

    def attempts(self, structure: Deploying, settings: Settings) -> Iterator[tuple[str, Attempt]]:
        """Names and what they got to."""
        first = self.steps.get("Exudyn", FIRST)
        found = peer(ExudynDeploying(structure), first, settings.rounds, settings.limit)
        self.steps["Exudyn"] = found.step
        yield "Exudyn", found
        engine, tried = MujocoDeploying(structure), {}
        for integrator in self.integrators:
            engine.integrator = integrator
            tried[integrator] = peer(engine, self.steps.get(integrator, FIRST), settings.rounds, settings.limit)
            self.steps[integrator] = tried[integrator].step
        best = min(tried, key=lambda name: (not tried[name].reached, tried[name].seconds))
        self.integrators = (best,)
        yield f"MuJoCo, {best}", tried[best]


def compared(
    structure: Deploying, peers: Peers, settings: Settings, result: Benchmark, say: Callable[[str], None]
) -> dict[str, tuple[float, int]]:
    """Rows of one structure; seconds and steps of both formulations."""
    notes, bodies = [], structure.bodies
    costs: dict[str, tuple[float, int]] = {}
    case = f"{structure.name} of {structure.n} bays, {structure.duration:g} s"
    for way in ("recursive", "cartesian"):
        say(f"{case}: {way}")
        seconds, steps, note = own(structure, way, settings.rounds)
        costs[way] = seconds, steps
        notes.append(note)
    both = {way: seconds * 1e3 for way, (seconds, _) in costs.items()}
    result.rows.append(Row(f"{case}: recursive, beside cartesian", bodies, "cartesian", *both.values(), "ms"))
    say(f"{case}: Exudyn, MuJoCo")
    for name, found in peers.attempts(structure, settings):
        notes.append(found.note)
        label = name if found.reached else f"{name}: more than"
        for way, own_time in both.items():
            result.rows.append(Row(f"{case}: {way}", bodies, label, own_time, found.seconds * 1e3, "ms"))
    result.notes.append(f"{case}: " + "; ".join(notes))
    return costs


def evaluations(n: int, rounds: int) -> dict[str, float]:
    """Seconds of one evaluation of a lift by both formulations."""
    s, seconds = deploying.lift(n).system, {}
    for way in ("recursive", "cartesian"):
        d = s.dynamics(way)
        q = np.asarray(s.assemble().state.q)
        y, I = np.concatenate([q, np.zeros(d.layout.size - len(q))]), d.I
        if way == "cartesian":
            state = IntegrationState(d, d.plan.formulation)
            y, I = state.from_tree(0.0, y), state.I
        out = np.empty_like(y)
        call = lambda d=d, I=I, y=y, out=out: d.kernels.call_derivative(I, d.P, d.W, 0.0, y, out)
        seconds[way] = best_mean_time(call, rounds)
    return seconds


def solutions(name: str, n: int, rounds: int, dense: bool) -> tuple[list[Row], float]:
    """Rows of the linear equations of one evaluation, and the seconds of the whole evaluation by kaneflex."""
    structure = deploying.STRUCTURES[name](n)
    d = structure.system.dynamics("cartesian")
    state = IntegrationState(d, d.plan.formulation)
    q = np.asarray(structure.system.assemble().state.q)
    y = state.from_tree(0.0, np.concatenate([q, np.zeros(d.layout.size - len(q))]))
    ydot = np.empty_like(y)
    whole = best_mean_time(lambda: d.kernels.call_derivative(state.I, d.P, d.W, 0.0, y, ydot), rounds)
    found = matrices(state, 0.0, y)
    wanted, unit = ydot[state.layout.nq :][: len(found.f)], "µs per evaluation"
    rows, case = [], f"equations of a {name} of {n} bays"
    if dense:
        for way in WAYS:
            if not np.allclose(accelerations(found, way)[0], wanted, atol=1e-7 * np.abs(wanted).max()):
                raise BenchmarkError(f"no table: {way} on a {name} of {n} bays")
            other = best_mean_time(lambda way=way: accelerations(found, way), rounds)
            rows.append(Row(case, structure.bodies, f"null space, {way}", whole * 1e6, other * 1e6, unit))
        return rows, whole
    assert found.redundant is not None
    kept = ~found.redundant
    B = csc_array(found.B[kept])
    K, side = csc_array(block_array([[csc_array(found.M), B.T], [B, None]])), np.concatenate([found.f, found.c[kept]])
    off = np.abs(splu(K).solve(side)[: len(wanted)] - wanted).max() / np.abs(wanted).max()
    if not off <= 1e-8:
        raise BenchmarkError(f"no table: SuperLU on a {name} of {n} bays is off by {off:.1e}")
    other = best_mean_time(lambda: splu(K).solve(side), rounds)
    rows.append(Row(case, structure.bodies, "SuperLU", whole * 1e6, other * 1e6, unit))
    return rows, whole


NOTES = (
    "times of kaneflex beside peers are those of the formulation that the row names",
    "Exudyn: trapezoidal rule of index 2, modified Newton; bodies of the plane in the lift; no equation that is redundant, "
    "for its sparse solver takes none, and no gears in the ring, whose bays move alike",
    "MuJoCo: equality constraints are soft, with the shortest time constant that a step permits; Euler's or "
    "Runge-Kutta's method, whichever is faster",
    "SuperLU and null spaces: the solution alone, from matrices that are there; kaneflex: the whole evaluation, which "
    "finds the redundant equations, assembles, factors, solves and refines; SuperLU: without the redundant equations, "
    "columns ordered by COLAMD, unrefined, right to 1e-8",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, time, fit."""
    with threadpool_limits(1):
        return _measured(quick, say)


def _measured(quick: bool, say: Callable[[str], None]) -> Benchmark:
    settings = QUICK if quick else Settings()
    result = Benchmark("deploy", packages=("exudyn", "mujoco"))
    for name, make in deploying.STRUCTURES.items():
        found: dict[str, list[tuple[float, int]]] = {"recursive": [], "cartesian": []}
        peers = Peers()
        for n in settings.sizes:
            for way, cost in compared(make(n), peers, settings, result, say).items():
                found[way].append(cost)
        for way, costs in found.items() if len(settings.sizes) > 1 else ():
            result.fits.append(Fit(f"run of a {name}, {way}", growth(settings.sizes, [t for t, _ in costs])))
            result.fits.append(Fit(f"one step of it, {way}", growth(settings.sizes, [t / n for t, n in costs])))
    dense: dict[str, list[float]] = {}
    for n in settings.dense:
        say(f"null spaces of a lift of {n} bays")
        for row in (rows := solutions("lift", n, settings.rounds, True)[0]):
            dense.setdefault(str(row.peer), []).append(float(row.peer_value or math.nan))
        result.rows += rows
    if len(settings.dense) > 1:
        result.fits += [Fit(f"{way}, lift", growth(settings.dense[-2:], values[-2:])) for way, values in dense.items()]
    for name in deploying.STRUCTURES:
        for n in settings.sparse:
            say(f"equations of a {name} of {n} bays")
            result.rows += solutions(name, n, settings.rounds, False)[0]
    each: dict[str, list[float]] = {"recursive": [], "cartesian": []}
    for n in settings.long:
        say(f"one evaluation of a lift of {n} bays")
        seconds = evaluations(n, settings.rounds)
        both = seconds["recursive"] * 1e6, seconds["cartesian"] * 1e6
        case = f"one evaluation of a lift of {n} bays: recursive, beside cartesian"
        result.rows.append(Row(case, 2 * n, "cartesian", *both, "µs per evaluation"))
        for way, values in each.items():
            values.append(seconds[way])
    if len(settings.long) > 1:
        result.fits += [Fit(f"evaluation of a lift, {way}", growth(settings.long, values)) for way, values in each.items()]
    result.notes += NOTES
    if quick:
        result.notes.append("quick: small sizes, one round; not a measurement")
    return result
