"""The benchmark of flexible bodies: it runs, Exudyn solves the same equations, and what differs is no table."""

import math

import numpy as np
import pytest

pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'kaneflex[oracles]')")

from benchmarks import flexible
from kaneflex.benchmarking import BenchmarkError


@pytest.fixture(scope="module")
def both():
    return flexible.Beside(6, 0.2)


@pytest.mark.parametrize("way", ["GeneralizedAlpha", "TrapezoidalIndex2"])
def test_exudyn_solves_the_same_equations(both, way):
    """Its error against kaneflex falls with the order of its method, down to far below what the modes move the tip by."""
    coarse, fine = (float(np.abs(both.theirs(way, step, 1e-8)[0] - both.exact).max()) for step in (2e-4, 1e-4))
    assert fine < 1e-5
    assert math.log2(coarse / fine) == pytest.approx(2, abs=0.3)


def test_stiffening_is_small_in_the_common_motion(both):
    """The run with stiffening, which is timed too, is about the same motion."""
    assert np.abs(both.run(both.full, "dop853", 1e-10)[0] - both.exact).max() < 5e-3


def test_the_coarsest_setting_is_found(both):
    errors = {4.0: 1.0, 3.0: 0.05, 2.0: 0.2, 1.0: 0.09, 0.5: 0.01}
    found = both.coarsest(lambda x: (both.exact + errors[x], 0.0), list(errors), 0.1)
    assert found == 1.0, "a lucky coarse setting is passed over"
    with pytest.raises(BenchmarkError, match="does not reach an error of"):
        both.coarsest(lambda x: (both.exact + errors[x], 0.0), list(errors), 1e-3)


def test_the_table():
    result = flexible.measure(True, lambda _: None)
    cases = [row.case for row in result.rows]
    assert sum(case.startswith("sail") for case in cases) == sum(case.startswith("chain") for case in cases) == 6
    assert all(row.ratio is not None and row.ratio > 0 for row in result.rows if row.peer)
    assert {row.peer for row in result.rows} == {flexible.WAYS[0][0], "Exudyn", None}
    assert len(result.fits) == 3
    assert any("699 s" in note for note in result.notes) and any("10.2 s" in note for note in result.notes)


def test_other_motion_is_no_table(monkeypatch):
    monkeypatch.setattr(flexible, "SAME_MOTION", 1e-18)
    with pytest.raises(BenchmarkError, match="no table: chain: the ways differ"):
        flexible.table(flexible.cases(0.01)[1], 1, lambda _: None)
