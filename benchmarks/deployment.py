"""Deployment: rods let out and drawn in one by one, beside the same rods present from the start; a tether in orbit.

A rope with a load hangs out of a reel over a sheave and is paid out at a constant rate, a third of the speed of its waves,
so that a rod leaves every few steps; or it is let out and drawn in again and again, as a winch does that follows the sea.
Beside it the same rope hangs with all its rods free from the start, for the same time, by the same method and
tolerance. The tethers leave their reel in orbit by l' = c W l, one rod of 2 m at a time; their braid rubs a little, so that
what a rod sets swinging as it leaves comes to rest. Steps are as long as waves take from rod to rod, explicit
ones. Length, angle and tension are compared with those of a tether that bows, by Galerkin's method (`reeled_tether`).
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex import Cable, Fixed, Frame, JointSpring, Reel, Revolute, Rigid, Run, System, profiles
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth
from kaneflex.gallery import reeled_tether
from kaneflex.model.profiles import Motion, Profile

LINE_MASS, LOAD = 0.1, 0.1  # kg/m, and kg per metre of rope
SHARE = 0.3  # of the speed of waves at which the rope is paid out
TOLERANCE = 1e-4
EXPLICIT: dict[str, Any] = {"method": "dopri5", "rtol": TOLERANCE}
FINE: dict[str, Any] = {**EXPLICIT, "atol": 1e-6}  # rates in orbit are of 1e-3 rad/s
RUBS = 0.005  # N m s in a joint of the tether
SAMPLES = 100
PRESENT = "all rods present"
COASTING = {"mass": 50.0, "density": 8.2e-3, "altitude": 296e3, "start": 10.0, "rate": 0.5}  # of the tether


@dataclass(frozen=True)
class Settings:
    """Sizes and repetitions."""

    sizes: tuple[int, ...] = (100, 300, 1000)
    rounds: int = 2
    swings: tuple[int, int] = (300, 9)  # rods, and how often 0.4 of them are let out and drawn in
    tethers: tuple[tuple[float, int], ...] = ((2e3, 1000), (1e4, 5000))  # m, and rods


QUICK = Settings(sizes=(10, 20, 40), rounds=1, swings=(20, 1), tethers=((400.0, 20),))


@dataclass(frozen=True)
class Found:
    """What a run took.

    Args:
        seconds: of the processor.
        steps: of the integrator.
        changes: joints let go and captured.
        memory: the most that was allocated at a time, bytes.
    """

    seconds: float
    steps: int
    changes: int
    memory: int = 0


def rope(n: int, length: Profile | None) -> System:
    """n rods of 1 m, a little aslant: fed with this length outside, or all there."""
    s = System("rope", gravity=(0, 0, -9.81))
    s.add("sheave", Rigid(1.0, inertia=(0.01, 0.01, 0.01)), Revolute("y"), q=-0.01)
    down = Frame((0, 0, 0), (("y", math.pi / 2),))
    s.add_rod("rope", Cable(float(n), LINE_MASS, n=n, plane="xz"), parent="sheave", at=down)
    s.add("load", Rigid(LOAD * n), Fixed(), parent="rope", at="tip")
    if length is not None:
        s.add_feed("winch", "rope", length=length, reel=Reel())
    return s


def paid_out(n: int) -> tuple[Profile, float]:
    """From 0.9 m to all but the last rod at a constant rate, and how long that takes, s."""
    rate = SHARE * math.sqrt(9.81 * LOAD * n / LINE_MASS)
    return profiles.constant_rate(rate, initial=0.9), (n - 1.9) / rate


def out_and_in(n: int, times: int) -> tuple[Profile, float]:
    """0.4 of the rope, so slowly that it stays taut."""
    rate = math.sqrt(0.4 * 9.81 / (0.2 * n))
    return profiles.cosine(-0.2 * n, rate, offset=0.75 * n), times * 2 * math.pi / rate


def timed(
    system: System, duration: float, how: dict[str, Any] = EXPLICIT, check: Callable[[Run], None] | None = None
) -> Found:
    """Seconds and steps of a run, which has to keep its books and to pass a check."""
    begun = time.process_time()
    run = system.simulate(duration, output=duration / SAMPLES, progress=False, **how)
    seconds = time.process_time() - begun
    if not run.audit.ok:
        raise BenchmarkError(f"no table: the run fails its audit: {run.audit}")
    if check is not None:
        check(run)
    return Found(seconds, int(run.statistics["steps"]), changes(run))


def changes(run: Run) -> int:
    """Joints let go and captured."""
    outside = next((run[f"{name}.outside"] for name in ("winch", "reel") if name in run.model.blocks), np.zeros(1))
    return 2 * len(run.impacts) + int(outside[-1] - outside[0])


def memory_of(system: System, duration: float, how: dict[str, Any] = EXPLICIT) -> int:
    """The most that a run allocates at a time, bytes, its plan and samples included."""
    tracemalloc.start()
    try:
        system.simulate(duration, output=duration / SAMPLES, progress=False, **how)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def beside(n: int, way: tuple[Profile, float], rounds: int, remembers: bool) -> tuple[Found, Found]:
    """The fed rope and the whole one, in turn; the least of the rounds."""
    length, duration = way
    fed, whole = rope(n, length), rope(n, None)
    for system in (fed, whole):
        system.simulate(1e-3 * duration, progress=False, **EXPLICIT)  # compiles
    pairs = [(timed(fed, duration), timed(whole, duration)) for _ in range(rounds)]
    best = [min(found, key=lambda one: one.seconds) for found in zip(*pairs, strict=True)]
    memory = memory_of(rope(n, length), duration) if remembers else 0
    return Found(best[0].seconds, best[0].steps, best[0].changes, memory), best[1]


def tether(length: float, n: int) -> tuple[System, float, Callable[[Run], None]]:
    """A satellite let out of a reel in orbit, at the angle at which it stays; how long it takes, s; what it has to do."""
    p = {**COASTING, "length": length, "n": n}
    W, l = reeled_tether.orbit(p).rate, p["start"]
    k = p["rate"] * W
    way = Motion(lambda t: l * np.exp(k * t), lambda t: k * l * np.exp(k * t), lambda t: k * k * l * np.exp(k * t))
    angle = -math.asin(4 * p["rate"] / 3) / 2
    system = reeled_tether.reeled(p, angle, length=way)
    for segment in system.rods["tether"].segments[1:]:
        system.apply(f"{segment}_rubs", JointSpring(segment, damping=RUBS))

    def check(run: Run) -> None:
        """Length; angle of the satellite, to the tolerance of a run; tension, to a rod beside the length."""
        turned, pull = reeled_tether.deployed_by_hand(p, np.asarray(run.t), angle)
        off = {
            "length": abs(float(run["reel.length"][-1]) / length - 1) / 1e-9,
            "angle": float(np.abs(run["local.in_plane"] - turned).max()) / TOLERANCE,
            "tension": float(np.abs(run["reel.tension"][1:] - pull[1:]).max() / pull.max()) * n,
        }
        if max(off.values()) > 1:
            raise BenchmarkError(f"no table: the tether is not where one that bows is, in limits: {off}")

    return system, math.log(length / l) / k, check


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Time, fit."""
    settings = QUICK if quick else Settings()
    result, steps = Benchmark("deployment"), {}
    for n in settings.sizes:
        say(f"{n} rods paid out")
        found, whole = beside(n, paid_out(n), settings.rounds, remembers=True)
        steps[n] = found.seconds / found.steps
        result.rows.append(Row(f"{n} rods paid out", n, PRESENT, found.seconds * 1e3, whole.seconds * 1e3, "ms"))
        result.rows.append(Row(f"{n} rods, a step", n, PRESENT, steps[n] * 1e6, whole.seconds / whole.steps * 1e6, "µs"))
        result.notes.append(
            f"{n} rods: {found.changes} releases, {found.steps} steps ({whole.steps} of the whole rope), "
            f"{found.seconds:.3g} s, {found.memory / 1e6:.3g} MB"
        )
    result.fits.append(Fit("a step of a deployment", growth(list(steps), list(steps.values()))))
    n, times = settings.swings
    say(f"{n} rods out and in")
    found, whole = beside(n, out_and_in(n, times), 1, remembers=False)
    result.rows.append(Row(f"{n} rods out and in", n, PRESENT, found.seconds * 1e3, whole.seconds * 1e3, "ms"))
    result.notes.append(
        f"out and in: {found.changes} releases and captures in {found.steps} steps, the whole rope {whole.steps}"
    )
    for length, n in settings.tethers:
        say(f"tether of {length:g} m in {n} rods")
        system, duration, check = tether(length, n)
        system.simulate(1e-3, progress=False, **FINE)  # compiles
        found = timed(system, duration, FINE, check)
        name = f"tether of {length / 1e3:g} km, {duration:.0f} s of orbit"
        result.rows.append(Row(name, n, None, found.seconds, None, "s"))
        memory = memory_of(tether(length, n)[0], duration / 100, FINE) / 1e6
        result.notes.append(f"tether of {length / 1e3:g} km: {found.changes} releases, {found.steps} steps, {memory:.3g} MB")
    result.notes.append("seconds of the processor; audits are kept; memory is the most that a run allocates, with its plan")
    if quick:
        result.notes.append("quick: few rods, once; not a measurement")
    return result
