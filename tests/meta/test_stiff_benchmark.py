"""The benchmark of stiff systems: they are stiff, its engines agree, and what it refuses."""

import numpy as np
import pytest

pytest.importorskip("sksundae", reason="scikit-sundae is not installed (pip install 'kaneflex[sundials]')")

from benchmarks import stiff
from kaneflex.benchmarking import BenchmarkError


@pytest.mark.parametrize("name", stiff.CASES)
def test_the_systems_are_stiff(name):
    """The fastest decay is at least a thousand times as fast as the run is long."""
    case = stiff.CASES[name]
    system = case.build()
    f = stiff.Bare(system)
    J = f.jacobian(0.0, f.y0)
    assert -np.linalg.eigvals(J).real.min() * case.duration > 1e3


@pytest.mark.parametrize("name", ["governor", "pendulum", "slider"])
def test_radau5_takes_no_more_steps_than_scipy(name):
    case = stiff.CASES[name]
    system = case.build()
    own = stiff.run_own(system, case.duration, "radau5", 1e-6)
    peer = stiff.run_scipy(system, case.duration, 1e-6)
    assert own.steps < 1.15 * peer.steps and own.evaluations < 1.3 * peer.evaluations
    assert stiff.error_of(own.end, peer.end) < 2e-5


def test_the_governor_settles_as_the_rigid_one():
    """Couplers of 8e5 N/m hardly stretch: ball, slider and coupler stay a linkage, s = 2 (l/2) cos(angle)."""
    system = stiff.governor()
    run = system.simulate(2.0, method="radau5")
    assert np.abs(-run["slider.q"] - np.cos(run["right.q"])).max() < 2e-3
    assert np.abs(run["right.q"] + run["left.q"]).max() < 1e-6 and run.audit.ok


def made(factor):
    """An engine whose error is a factor times its tolerance."""
    return lambda tolerance: stiff.Found(np.array([1.0 + factor * tolerance]), 1, 1, 0.0)


def test_the_coarsest_tolerance_is_taken():
    exact, settings = np.ones(1), stiff.QUICK
    found = stiff.coarsest(made(1.0), 1e-4, exact, settings)
    assert found.tolerance == pytest.approx(1e-4, rel=1e-9) or found.tolerance == pytest.approx(10**-4.5)
    assert stiff.coarsest(made(30.0), 1e-4, exact, settings).tolerance == pytest.approx(10**-5.5)
    assert stiff.coarsest(lambda tolerance: made(1.0)(1.0), 1e-4, exact, settings) is None


def test_a_reference_that_is_not_confirmed_is_no_table(monkeypatch):
    case = stiff.CASES["slider"]
    monkeypatch.setattr(stiff, "run_scipy", lambda *_: stiff.Found(np.ones(4), 1, 1, 0.0))
    with pytest.raises(BenchmarkError, match="slider: radau5 and SciPy's Radau end"):
        stiff.reference("slider", case, case.build())


def test_the_table(monkeypatch):
    small = stiff.Settings(systems=("slider", "loop"), accuracies=(1e-3,), chains=(3, 6), repeats=1)
    monkeypatch.setattr(stiff, "QUICK", small)
    result = stiff.measure(True, lambda _: None)
    peers = ("sdirk4", "cvode", "SciPy Radau", "CVODE alone")
    assert {(row.case, row.peer) for row in result.rows} == {
        *(("slider, error 0.001", peer) for peer in peers),
        *(("loop, error 0.001", peer) for peer in peers[:2]),
    }
    assert all(row.ratio is not None and row.ratio > 0 for row in result.rows)
    count = len(stiff.GROWING)  # of each two sizes, by two methods
    assert len(result.fits) == 2 * count and len([note for note in result.notes if "corrections" in note]) == 4 * count
