"""Ensembles: a thousand runs of one system from starts by chance, kaneflex side by side in lanes and threads against others.

Each program takes, of its methods and steps, what ends within the error asked for in most runs (the median, against DOP853
on Pinocchio or on kaneflex at 1e-12) in the least time, measured on a few runs; then all runs are timed, end states kept.

- kaneflex: `System.simulate_each` on all processors, and its own loop of single runs beside it;
- Pinocchio: SciPy's solve_ivp driven by `aba`, one process;
- MuJoCo: `mujoco.rollout`, a thread for every processor, RK4 with fixed steps;
- heyoka: Taylor series in batches of its own width on the equations that kaneflex exports (small case only, for the
  equations of long chains in symbols are long).

diffrax on MJX (diffrax 0.7.2, JAX 0.10.2, MuJoCo 4.0.0) is not among them: for twelve runs of the arm its Dopri8 was still
being compiled after four minutes of processor time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
import pinocchio as pin
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from benchmarks.peers.mujoco_peer import build as build_mujoco
from benchmarks.peers.pinocchio_peer import build as build_pinocchio
from benchmarks.peers.tree import Tree, chain
from benchmarks.rigid import kaneflex_system
from kaneflex import Flexible, Frame, JointSpring, Rigid, Spherical, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Row
from kaneflex.gallery import examples
from kaneflex.structures import Beam

Array = NDArray[np.float64]

DAMPING = 0.5  # N m s/rad: comes to rest
LIGHT = 0.05  # swings for as long as it runs
GOAL = 1e-6  # error of the end, rad and rad/s
TRIED = 12  # runs on which settings are tried
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Case:
    """One system: its runs' starts, their duration, and what integrates it exactly."""

    name: str
    bodies: int
    system: System
    names: tuple[str, ...]  # of the initial values
    starts: Array  # of these, a row per run
    duration: float
    tree: Tree | None = None
    damping: float = 0.0  # of its joints, N m s/rad

    def words(self, k: int) -> dict[str, Any]:
        """What `simulate` takes for run k."""
        parts = zip(self.names, np.split(self.starts[k], len(self.names)), strict=True)
        return {"initial": {name: part.tolist() if len(part) > 1 else part.item() for name, part in parts}}


@dataclass
class Way:
    """A program with settings: gives the end states of runs."""

    name: str
    words: str
    ends: Callable[[Sequence[int]], Array]


def kaneflex_ways(case: Case, threads: int) -> list[Way]:
    """`simulate_each`, or with threads = 0 a loop of `simulate`."""
    ways = []
    for method in ("dopri5", "dop853"):
        for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9):
            options = {"duration": case.duration, "times": [case.duration], "method": method, "rtol": rtol, "atol": rtol}

            def side(runs: Sequence[int], options: Any = options) -> Array:
                found = dict(case.system.simulate_each([case.words(k) for k in runs], threads=threads, **options))
                return np.array([_end(found[n]) for n in range(len(runs))])

            def alone(runs: Sequence[int], options: Any = options) -> Array:
                return np.array([_end(case.system.simulate(**options, **case.words(k))) for k in runs])

            ways.append(Way("kaneflex", f"{method} at {rtol:g}", side if threads else alone))
    return ways


def _end(run: Any) -> Array:
    if isinstance(run, Exception):
        raise BenchmarkError(f"a run fails: {run}")
    return np.concatenate((run.q[-1], run.u[-1]))


def pinocchio_ends(case: Case, method: str, tolerance: float) -> Callable[[Sequence[int]], Array]:
    """SciPy driven by `aba`."""
    assert case.tree is not None
    model = build_pinocchio(case.tree)
    data, n = model.createData(), case.tree.n

    def rates(t: float, y: Array) -> Array:
        return np.concatenate((y[n:], pin.aba(model, data, y[:n], y[n:], -case.damping * y[n:])))

    def ends(runs: Sequence[int]) -> Array:
        starts = [np.concatenate((case.starts[k], np.zeros(n))) for k in runs]
        return np.array([
            solve_ivp(rates, (0, case.duration), y, method=method, rtol=tolerance, atol=tolerance).y[:, -1] for y in starts
        ])  # fmt: skip

    return ends


def mujoco_ends(case: Case, steps: int) -> Callable[[Sequence[int]], Array]:
    """MuJoCo's rollout of all runs, with a thread for every processor."""
    assert case.tree is not None
    model = build_mujoco(case.tree)
    flags = int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
    model.opt.disableflags = model.opt.disableflags & ~flags
    model.opt.timestep = case.duration / steps
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.dof_damping[:] = case.damping
    order = np.array([model.joint(f"joint{i}").dofadr[0] for i in range(case.tree.n)])
    datas = [mujoco.MjData(model) for _ in range(CORES)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    n = case.tree.n

    def ends(runs: Sequence[int]) -> Array:
        first = np.zeros((len(runs), size))
        first[:, 1 + order] = case.starts[list(runs)]
        states, _ = mujoco.rollout.rollout(model, datas, first, nstep=steps)
        last = states[:, -1]
        return np.hstack((last[:, 1 + order], last[:, 1 + n + order]))

    return ends


def rigid_ways(case: Case) -> list[list[Way]]:
    """Those of the other programs, a list for each."""
    scipy = [
        Way("SciPy + Pinocchio", f"{method} at {tolerance:g}", pinocchio_ends(case, method, tolerance))
        for method in ("RK45", "DOP853")
        for tolerance in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
    ]
    steps = [round(case.duration * rate) for rate in (50, 100, 200, 400, 800, 1600)]
    rollout = [Way("MuJoCo rollout", f"RK4, {count} steps", mujoco_ends(case, count)) for count in steps]
    return [scipy, rollout]


def heyoka_ways(case: Case) -> list[Way]:
    """Taylor series in batches on the equations in symbols."""
    try:
        import heyoka
    except ImportError:
        return []
    eq = case.system.equations()
    numbers = {sympy.sympify(name): value for name, value in eq.values.items()}
    plain = lambda x: sympy.sympify(x).xreplace(numbers)
    M, F = sympy.Matrix(len(eq.u), len(eq.u), lambda r, s: plain(eq.M[r][s])), sympy.Matrix([plain(x) for x in eq.F])
    q, u = (heyoka.make_vars(*(f"{letter}{k}" for k in range(len(eq.q)))) for letter in "qu")
    symbols = dict(zip(map(sympy.sympify, (*eq.q, *eq.u)), (*q, *u), strict=True))
    rates = [heyoka.from_sympy(x, symbols) for x in (*map(plain, eq.qdot), *M.adjugate() * F / M.det())]
    width = heyoka.recommended_simd_size()
    ways = []
    for tolerance in (1e-6, 1e-9, 1e-12):
        batch = heyoka.taylor_adaptive_batch(
            list(zip((*q, *u), rates, strict=True)), state=np.zeros((2 * len(q), width)), tol=tolerance
        )

        def ends(runs: Sequence[int], batch: Any = batch) -> Array:
            found = []
            for first in range(0, len(runs), width):
                some = [runs[min(first + k, len(runs) - 1)] for k in range(width)]
                batch.set_time(0.0)
                batch.state[: len(q)] = case.starts[some].T
                batch.state[len(q) :] = 0.0
                batch.propagate_until(case.duration)
                found += list(batch.state.T[: len(runs) - first])
            return np.array(found)

        ways.append(Way("heyoka", f"Taylor at {tolerance:g}, batches of {width}", ends))
    return ways


def best(ways: list[Way], exact: Array, say: Callable[[str], None]) -> tuple[Way, float] | None:
    """Of one program, what reaches the error in the least time, and its error."""
    found: list[tuple[float, float, Way]] = []
    some = range(len(exact))
    for way in ways:
        ends = way.ends(some)  # compiles
        seconds = timed(way, len(exact), times=5)
        error = float(np.median(np.abs(ends - exact).max(axis=1)))
        if error <= GOAL:
            found.append((seconds, error, way))
    if not found:
        return None
    _, error, way = min(found, key=lambda one: one[0])
    say(f"  {way.name}: {way.words}, error {error:.1e}")
    return way, error


def timed(way: Way, runs: int, times: int = 2) -> float:
    """Seconds of all runs, the least of some times."""

    def once() -> float:
        begun = time.perf_counter()
        way.ends(range(runs))
        return time.perf_counter() - begun

    return min(once() for _ in range(times))


def tree_case(name: str, joints: int, runs: int, duration: float, damping: float = DAMPING) -> Case:
    """A damped chain that falls under gravity from bent poses."""
    tree = chain(joints)
    system = kaneflex_system(tree)
    for i in range(joints):
        system.apply(f"damper{i}", JointSpring(f"body{i}", damping=damping))
    starts = np.random.default_rng(joints).uniform(-0.8, 0.8, (runs, joints))
    return Case(name, joints, system, tuple(f"body{i}.q" for i in range(joints)), starts, duration, tree, damping)


def panels_case(runs: int, duration: float) -> Case:
    """A hub that tumbles with two panels of four modes each."""
    system = System("hub with panels")
    system.add("hub", Rigid(200.0, inertia=(80.0, 120.0, 150.0)), Spherical(), q=(1, 0, 0, 0))
    beam = Beam(length=6.0, EA=1e7, EI=(400.0, 900.0), GJ=300.0, mass_per_length=0.8, elements=8)
    for name, side in (("left", 1.0), ("right", -1.0)):
        panel = Flexible(beam, root="root", modes=4, damping=0.005)
        system.add(name, panel, parent="hub", at=Frame((0.0, side, 0.0), (("z", side * np.pi / 2),)))
    starts = np.random.default_rng(2).uniform(-0.3, 0.3, (runs, 3))
    return Case("hub with two flexible panels", 3, system, ("hub.rate",), starts, duration)


def pendulum_case(runs: int, duration: float) -> Case:
    """The double pendulum, whose equations in symbols are short."""
    example = examples()["double-pendulum"]
    system = example.build(example.settings({}))
    starts = np.random.default_rng(1).uniform(-0.5, 0.5, (runs, 2))
    joints = tuple(f"{name}.q" for name in system.parts)
    return Case("double pendulum", 2, system, joints, starts, duration)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Tune each program on a few runs, then time all."""
    runs, duration = (16, 0.5) if quick else (1000, 10.0)
    result = Benchmark("ensemble", packages=("mujoco", "pin", "heyoka"))
    cases = [
        (tree_case("7-joint arm", 7, runs, duration), rigid_ways),
        (tree_case("7-joint arm, damped lightly", 7, runs, duration, LIGHT), rigid_ways),
        (tree_case("chain of 30 links", 30, runs, duration / 2), rigid_ways),
        (panels_case(runs, duration), lambda case: []),
        (pendulum_case(runs, duration), lambda case: [heyoka_ways(case)]),
    ]
    for case, others in cases:
        say(case.name)
        some = range(min(TRIED, runs))
        exact = reference(case)(some)
        side = best(kaneflex_ways(case, CORES), exact, say)
        alone = best(kaneflex_ways(case, 0), exact, say)
        if side is None or alone is None:
            raise BenchmarkError(f"kaneflex does not come to {GOAL:g} in {case.name}")
        rivals = [("kaneflex, one by one", alone)]
        rivals += [(ways[0].name, found) for ways in others(case) if ways and (found := best(ways, exact, say))]
        seconds = {"": timed(side[0], runs)}
        for name, (way, _) in rivals:
            counted = runs if way.name.startswith(("kaneflex", "MuJoCo", "heyoka")) else min(runs, 50)
            seconds[name] = timed(way, counted) * runs / counted
            result.rows.append(
                Row(f"{runs} runs of {case.duration:g} s, {case.name}", case.bodies, name, seconds[""], seconds[name], "s")
            )
        told = [f"kaneflex side by side {side[0].words}, error {side[1]:.1e}"]
        told += [f"{name} {way.words}, error {error:.1e}" for name, (way, error) in rivals]
        result.notes.append(f"{case.name}: {'; '.join(told)}")
    result.notes += [
        f"wall time on {CORES} processors; SciPy + Pinocchio is one process: 50 runs are timed, and the rest counted in",
    ]
    return result


def reference(case: Case) -> Callable[[Sequence[int]], Array]:
    """What gives the ends exactly: another program where there is one."""
    if case.tree is not None:
        return pinocchio_ends(case, "DOP853", 1e-12)
    options = {"duration": case.duration, "times": [case.duration], "method": "dop853", "rtol": 1e-12, "atol": 1e-12}
    return lambda runs: np.array([_end(case.system.simulate(**options, **case.words(k))) for k in runs])
