"""Simulation: a damped 7-joint arm for 10 s, kaneflex against SciPy's RK45 driven by Pinocchio, same tolerances.

Both integrate by the Dormand-Prince 5(4) pair at rtol = atol = 1e-8. The arm falls under gravity from a bent pose with
linear damping -c u in every joint, so that its motion is regular and the two end states can be compared; kaneflex has the
damping as joint loads, the peer adds it to the torques it passes to `aba`. A third run, DOP853 at 1e-12 on
Pinocchio, tells how accurate each of them is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from benchmarks.peers.pinocchio_peer import PinocchioPeer
from benchmarks.peers.tree import Tree, chain
from benchmarks.rigid import kaneflex_system
from kaneflex import JointSpring, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Row

Array = NDArray[np.float64]

JOINTS = 7
DAMPING = 0.5  # N m s/rad
TOLERANCE = 1e-8
LARGEST_DIFFERENCE = 1e-5  # between the two end states, rad and rad/s
REPEATS = 5  # of each engine in a round, so that none runs on the other's caches
PEER = "SciPy RK45 + Pinocchio aba"


@dataclass(frozen=True)
class Motion:
    """An end state, the seconds it took, and the number of evaluations."""

    end: Array
    seconds: float
    inner_seconds: float
    evaluations: int


def start(tree: Tree) -> Array:
    """Joint angles at the start; the arm is at rest."""
    return np.linspace(0.2, 0.8, tree.n)


def by_pinocchio(peer: PinocchioPeer, duration: float, method: str, tolerance: float, samples: int = 501) -> Motion:
    """Integrate with SciPy, sampled as kaneflex samples; the model and the start are there."""
    n, model, data = peer.tree.n, peer.model, peer.data
    local, world = pin.Convention.LOCAL, pin.Convention.WORLD
    timings = peer.variant_seconds(1)
    convention = world if timings["aba, world convention"] < timings["aba, local convention"] else local
    rates = np.empty(2 * n)

    def right_hand_side(t: float, y: Array) -> Array:
        u = y[n:]
        rates[:n] = u
        rates[n:] = pin.aba(model, data, y[:n], u, -DAMPING * u, convention)
        return rates.copy()

    y0 = np.concatenate((start(peer.tree), np.zeros(n)))
    begun = time.perf_counter()
    times = np.linspace(0.0, duration, samples) if samples else None
    solution = solve_ivp(right_hand_side, (0.0, duration), y0, method=method, rtol=tolerance, atol=tolerance, t_eval=times)
    seconds = time.perf_counter() - begun
    if not solution.success:
        raise BenchmarkError(f"{PEER}: {solution.message}")
    return Motion(solution.y[:, -1], seconds, seconds, int(solution.nfev))


def arm(tree: Tree) -> System:
    """The damped arm."""
    system = kaneflex_system(tree)
    for i in range(tree.n):
        system.apply(f"damper{i}", JointSpring(f"body{i}", damping=DAMPING))
    return system


def by_kaneflex(system: System, tree: Tree, duration: float) -> Motion:
    """Integrate with `System.simulate`, with its usual 500 samples; the model and the start are there."""
    initial = system.state({f"body{i}.q": float(q) for i, q in enumerate(start(tree))})
    begun = time.perf_counter()
    run = system.simulate(duration, initial=initial, method="dopri5", rtol=TOLERANCE, atol=TOLERANCE, progress=False)
    seconds = time.perf_counter() - begun
    s = run.statistics
    if not run.audit.ok:
        raise BenchmarkError(f"the run of kaneflex fails its audit: {run.audit}")
    end = np.concatenate((run.q[-1], run.u[-1]))
    return Motion(end, seconds, s["seconds"], int(s["evaluations"]))


def best(runs: list[Motion]) -> Motion:
    """The fastest of equal runs."""
    return replace(runs[0], seconds=min(m.seconds for m in runs), inner_seconds=min(m.inner_seconds for m in runs))


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Run both in interleaved rounds, compare the ends, take the best times."""
    duration, rounds = (1.0, 1) if quick else (10.0, 5)
    tree = chain(JOINTS)
    peer = PinocchioPeer(tree)
    system = arm(tree)
    by_kaneflex(system, tree, 0.01)  # compiles, and makes the plan
    ours, theirs, bare = [], [], []
    for k in range(rounds):
        say(f"round {k + 1} of {rounds}")
        for _ in range(REPEATS):
            ours.append(by_kaneflex(system, tree, duration))
        for _ in range(REPEATS):
            theirs.append(by_pinocchio(peer, duration, "RK45", TOLERANCE))
        for _ in range(REPEATS):
            bare.append(by_pinocchio(peer, duration, "RK45", TOLERANCE, samples=0))
    exact = by_pinocchio(peer, duration, "DOP853", 1e-12)
    a, b = best(ours), best(theirs)
    difference = float(np.abs(a.end - b.end).max())
    if not difference <= LARGEST_DIFFERENCE:
        raise BenchmarkError(f"no table: the end states differ by {difference:.1e}, more than {LARGEST_DIFFERENCE:g}")
    case = f"{JOINTS}-joint arm, {duration:g} s"
    result = Benchmark("simulate", packages=("pin",))
    each = [m.inner_seconds / m.evaluations * 1e6 for m in (a, b)]
    result.rows = [
        Row(f"{case}, whole call", JOINTS, PEER, a.seconds * 1e3, b.seconds * 1e3, "ms"),
        Row(f"{case}, whole call, peer keeps its steps only", JOINTS, PEER, a.seconds * 1e3, best(bare).seconds * 1e3, "ms"),
        Row(f"{case}, integration", JOINTS, PEER, a.inner_seconds * 1e3, b.inner_seconds * 1e3, "ms"),
        Row(f"{case}, per evaluation", JOINTS, PEER, each[0], each[1], "µs"),
    ]
    left = np.abs(exact.end[JOINTS:]).max()
    errors = [float(np.abs(m.end - exact.end).max()) for m in (a, b)]
    result.notes = [
        f"end states differ by {difference:.1e} (rad, rad/s), the largest rate there is {left:.2g} rad/s",
        f"error against DOP853 at 1e-12: kaneflex {errors[0]:.1e}, peer {errors[1]:.1e}",
        f"evaluations: kaneflex {a.evaluations}, peer {b.evaluations}",
        "whole call: with 501 samples on both sides; the models exist already",
    ]
    if quick:
        result.notes.append("quick: a short run, once; not a measurement")
    return result
