"""The memory of a process does not grow with the number of runs."""

import gc
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf

STATM = Path("/proc/self/statm")
pytestmark = pytest.mark.skipif(not STATM.exists(), reason="memory is read from /proc")


def resident():
    """Memory of the process, MB."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * 4096 / 1e6


def system(law, motion=None):
    s = kf.System("rod", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)), kf.Revolute("y"), q=0.3)
    if motion is not None:
        s.add("slide", kf.Rigid(1.0), kf.Prismatic("x", motion=motion), parent="rod")
    s.apply("spring", kf.JointForce("rod", law, sees=["rod.q"]))
    return s


def spring(k):
    return lambda t, x: -k * x[0]


class Spring:
    k = 2.0


def looks_up(spring):
    return lambda t, x: -spring.k * x[0]


SAME, ONE = spring(2.0), system(spring(2.0))
RUNS = {
    "one system": lambda k: ONE.simulate(0.02, output=0.01),
    "fresh systems": lambda k: system(SAME).simulate(0.02, output=0.01),
    "fresh functions": lambda k: system(spring(1.0 + k)).simulate(
        0.02, output=0.01, events=[kf.Event(lambda t: t - 9.0 - k)]
    ),
    "fresh objects": lambda k: system(looks_up(Spring())).simulate(0.02, output=0.01),
    "fresh motions": lambda k: system(SAME, lambda t: k * np.sin(2.5 * t)).simulate(0.02, output=0.01),
    "fresh profiles": lambda k: system(SAME, kf.profiles.spin_up(1.0 + k, 2.0)).simulate(0.02, output=0.01),
}


def growth(run, count, warm_up):
    for k in range(warm_up):
        run(0.5 + k)
    before = resident()
    for k in range(count):
        run(100.5 + k)
    return resident() - before


@pytest.mark.parametrize("what", ["fresh functions", "fresh profiles"])
def test_a_hundred_runs(what):
    assert growth(RUNS[what], 100, 20) < 10.0


@pytest.mark.filterwarnings("ignore::kaneflex.plan.laws.SlowLawWarning")
@pytest.mark.thorough
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_thousand_runs(run):
    assert growth(run, 1000, 100) < 20.0
