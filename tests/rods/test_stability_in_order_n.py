"""Stability along paths of equilibria in order n: pivots of the elimination beside eigenvalues, closed forms, cost."""

import math
import time

import numpy as np
import pytest
from scipy.linalg import null_space

import kaneflex as kf
from kaneflex.analysis import force_balance
from kaneflex.analysis.force_balance import ForceBalance
from kaneflex.analysis.stiffness_signs import negative
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.plan.build import build
from tests.rods.test_buckling import arch, column
from tests.rods.test_large_statics import hanging, mooring, net, tied

SPACE = {"plane": None, "GJ": 1.0}


def pushed(push, n=30, **options):
    """A column, straight under its load."""
    s = kf.System("column")
    s.add_rod("rod", kf.Rod(1.0, 1.0, **{"EI": 1.0, "n": n, "plane": "xy"} | options))
    s.apply("push", kf.Force("rod.tip", (-push, 0, 0), axes="inertial"))
    return s, s.state()


def squeezed(push):
    """A column between two pins that are nearer than it is long."""
    n, EA = 20, 1e5
    s = kf.System("column")
    end = (1 - push / EA * (1 - 0.5 / n), 0, 0)
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, EA=EA, n=n, plane="xy"), root="pinned", tip="pinned", end=end)
    return s, s.equilibrium({f"rod_{k}.q": (-push / EA / n, 0.0) for k in range(2, n + 1)})


def propped(stiffness):
    """A column that a spring to its own middle, and one to the ground, hold."""
    s, _ = pushed(30.0)
    s.add_point("rod", "mid", 0.5)
    s.apply("stay", kf.SpringDamper("rod.mid", "rod.tip", stiffness=stiffness, length=0.5))
    s.apply("side", kf.SpringDamper("rod.tip", (1.0, -1.0, 0), stiffness=stiffness, length=1.0))
    return s, s.state()


def resting(s):
    return s, s.equilibrium(tolerance=1e-8)


CASES = {  # a system at rest, and how many small motions have negative stiffness, by Euler or because it hangs
    "2": (lambda: pushed(2.0), 0),
    "10": (lambda: pushed(10.0), 1),
    "30": (lambda: pushed(30.0), 2),
    "300": (lambda: pushed(300.0), 6),
    "space": (lambda: pushed(30.0, 12, **SPACE), 4),
    "stretch and shear": (lambda: pushed(30.0, EA=1e4, GA=1e3), 2),
    "clamped below, then above": (lambda: squeezed(5.0), 0),
    "pins": (lambda: squeezed(15.0), 1),
    "springs": (lambda: propped(1e-3), 2),
    "stiff springs": (lambda: propped(1e3), 1),
    "catenary": (lambda: resting(tied(40)), 0),
    "cable in space": (lambda: resting(hanging(12, plane=None)), 0),
    "line on the bed": (lambda: resting(mooring(20, plane=None)), 0),
    "net": (lambda: resting(net()), 0),
}


def left_of(s, state):
    problem = ForceBalance(Dynamics(build(s)), 0.0, np.zeros(0))
    return problem.left(problem.started(np.concatenate([state.q, state.rates, state.z])))


@pytest.mark.parametrize("case", CASES)
def test_as_many_pivots_are_negative_as_eigenvalues(case):
    make, wanted = CASES[case]
    left = left_of(*make())
    free = np.flatnonzero(left.tree.free)
    K, J = left.tangent.reduced(np.eye(left.tree.nu)[:, free])
    N = null_space(J) if len(J) else np.eye(len(free))
    values = np.linalg.eigvalsh(N.T @ (K[free] + K[free].T) @ N)
    assert negative(left.tangent) == int((values < -1e-10 * np.abs(values).max()).sum()) == wanted


def test_pivots_along_a_path_that_turns_back(monkeypatch):
    """An arch of two halves whose tips are clamped to one body: the same singular points as by the eigenvalues of
    its accelerations, also where it has no load and closes by constraints of which some are redundant."""
    s = arch(6)
    monkeypatch.setattr(force_balance, "LARGE", 20)
    by_pivots = s.equilibrium_path("load", 20.0, longest=0.5)
    monkeypatch.setattr(force_balance, "LARGE", 1000)
    by_eigenvalues = s.equilibrium_path("load", 20.0, longest=0.5)
    assert [p.kind for p in by_pivots.singular] == ["fold", "bifurcation", "bifurcation", "fold"]
    found, wanted = ([p.value for p in path.singular] for path in (by_pivots, by_eigenvalues))
    assert found == pytest.approx(wanted, rel=1e-6)
    for path in (by_pivots, by_eigenvalues):
        assert path.reached and path.stable[0] and path.stable[-1] and not path.stable.all()


def test_euler_loads_of_many_segments():
    """pi^2/4 and 9 pi^2/4 in units of EI/L^2, the first too small by 0.2056/n^2."""
    path = column(100).equilibrium_path("push", 25.0)
    first, second = path.bifurcations
    assert path.reached and first.value / (math.pi**2 / 4) - 1 == pytest.approx(-0.2056 / 100**2, rel=0.02)
    assert second.value / (9 * math.pi**2 / 4) - 1 == pytest.approx(-9 * 0.2056 / 100**2, rel=0.02)
    shape = np.cumsum(first.shapes[0])  # slopes: sin(pi s/2)
    middles = (np.arange(100) + 0.5) / 100
    assert np.abs(shape / shape[-1] - np.sin(math.pi / 2 * middles)).max() < 1e-4


@pytest.mark.parametrize(("push", "stable"), [(19.9, True), (20.1, False)])
def test_flutter_of_many_segments(push, stable):
    """Beck: 20.05, under a load that follows the tip, by the slowest motions."""
    path = column(100, axes="body").equilibrium_path("push", push)
    assert path.reached and path.stable[-1] == stable and path.singular == ()


@pytest.mark.thorough
def test_a_thousand_segments_cost_four_times_as_much_as_a_quarter_of_them():
    def seconds(n):
        s, start = column(n), time.process_time()
        path = s.equilibrium_path("push", 5.0)
        assert path.bifurcations[0].value / (math.pi**2 / 4) - 1 == pytest.approx(-0.2056 / n**2, rel=0.05)
        return time.process_time() - start

    seconds(250)
    times = [(seconds(250), seconds(1000)) for _ in range(2)]
    few, many = np.min(times, axis=0)
    assert many < 7 * few and many < 10.0
