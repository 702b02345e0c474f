"""The benchmark of closed loops: its reference against itself, all engines against the reference, and what it refuses."""

import math

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install 'kaneflex[oracles]')")
pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'kaneflex[oracles]')")

from benchmarks import loops
from benchmarks.peers import fourbars
from benchmarks.peers.loops_exudyn import ExudynLoops
from benchmarks.peers.loops_pinocchio import PinocchioLoops
from kaneflex.benchmarking import BenchmarkError


def energy(alpha, rates):
    """Kinetic and potential energy, the velocities by central differences of the poses."""
    h, n = 1e-5, len(alpha)
    before, here, after = (fourbars.poses(fourbars.state(alpha + s * h * rates, rates)[0]) for s in (-1, 0, 1))
    m, I = np.tile(fourbars.MASS, n), np.tile([fourbars.inertia(k)[2] for k in range(3)], n)
    v, w = (after.position - before.position) / (2 * h), (after.angle - before.angle) / (2 * h)
    return m @ np.abs(v) ** 2 / 2 + I @ w**2 / 2 + fourbars.GRAVITY * m @ here.position.imag


# -- the reference -----------------------------------------------------------------------------------------------------


def test_loops_close_all_the_way_round():
    alpha = np.linspace(-math.pi, math.pi, 73)
    q, u = fourbars.state(alpha, np.ones(73))
    assert fourbars.violation(q) < 1e-14
    h = 1e-5
    ends = [fourbars.state(alpha + s * h, np.ones(73)) for s in (-1, 1)]
    assert np.abs((ends[1][0] - ends[0][0]) / (2 * h) - u).max() < 1e-8
    second = fourbars.accelerations(alpha, np.ones(73), np.zeros(73))
    assert np.abs((ends[1][1] - ends[0][1]) / (2 * h) - second).max() < 1e-8


@pytest.mark.parametrize("n", [1, 2, 5])
def test_reference_loses_no_energy(n):
    rng = np.random.default_rng(n)
    alpha, rates = fourbars.start(n) + rng.uniform(-0.3, 0.3, n), rng.standard_normal(n)
    second = fourbars.Reference(n).accelerations(alpha, rates)
    h = 1e-4
    ends = [energy(alpha + s * h * rates + h**2 / 2 * second, rates + s * h * second) for s in (-1, 1)]
    power = np.abs(fourbars.GRAVITY * sum(fourbars.MASS) * n)  # the scale of what gravity does
    assert abs(ends[1] - ends[0]) / (2 * h) < 1e-6 * power


# -- the engines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_accelerations_of_kaneflex(n):
    q, u, exact = loops.moving_state(n)
    found = loops.KaneflexLoops(n).accelerations(q, u)
    assert np.abs(found - exact).max() < 1e-10 * np.abs(exact).max()


@pytest.mark.parametrize("n", [1, 2, 10])
def test_accelerations_of_pinocchio_by_each_function_in_turn(n):
    q, u, exact = loops.moving_state(n)
    peer = PinocchioLoops(n)
    for _ in range(2):
        for function in peer.functions:
            assert np.abs(peer.accelerations(function, q, u) - exact).max() < 1e-8 * np.abs(exact).max(), function


@pytest.mark.parametrize("make", [loops.KaneflexLoops, PinocchioLoops])
@pytest.mark.parametrize("n", [1, 2])
def test_runs_of_adaptive_engines_end_at_the_reference(make, n):
    exact, engine = fourbars.Reference(n).end(0.5), make(n)
    for way in engine.ways:
        assert engine.run(way, 1e-9, 1e-6, 0.5).error(exact) < 1e-7, way


@pytest.mark.parametrize("n", [1, 2])
def test_runs_of_exudyn_approach_the_reference_with_its_order(n):
    exact, engine = fourbars.Reference(n).end(0.5), ExudynLoops(n)
    for way in engine.ways:
        coarse, fine = (engine.run(way, step, 1e-6, 0.5).error(exact) for step in (2e-3, 1e-3))
        assert fine < 2e-3
        assert math.log2(coarse / fine) == pytest.approx(engine.order, abs=0.2), way


def test_kaneflex_keeps_the_loops_closed():
    engine = loops.KaneflexLoops(2)
    for way in engine.ways:
        assert fourbars.violation(engine.run(way, 1e-5, 1e-4, 0.5).q) < 1e-10, way


# -- tuning and refusing -----------------------------------------------------------------------------------------------


class Made:
    """An engine with a known error: factor * setting**order, and never below a floor."""

    name, first, fixed_steps, ways = "made", 1e-3, False, ("only",)

    def __init__(self, factor=1.0, order=1, floor=0.0, fails_above=math.inf):
        self.factor, self.order, self.floor, self.fails_above = factor, order, floor, fails_above

    def run(self, way, setting, accuracy, duration):
        if setting > self.fails_above:
            raise RuntimeError("steps too long")
        error = max(self.factor * setting**self.order, self.floor)
        return fourbars.Ending(ZERO.q + error, ZERO.u, 1e-6 / setting)


ZERO = fourbars.Ending(np.zeros(3), np.ones(3), 0.0)


@pytest.mark.parametrize("made", [Made(), Made(30.0), Made(1e-4), Made(7.0, order=2), Made(1.0, fails_above=1e-4)])
def test_tuning_finds_the_coarsest_setting(made):
    found = loops.tune(made, "only", 1e-5, ZERO, math.inf)
    assert 0.5e-5 <= found.error <= 1e-5
    assert found.error == pytest.approx(made.factor * found.setting**made.order, rel=1e-9)


def test_what_never_gets_there_is_no_table():
    assert loops.tune(Made(floor=1e-3), "only", 1e-5, ZERO, math.inf) is None
    with pytest.raises(BenchmarkError, match="made does not reach an error of 1e-05"):
        loops.fastest(Made(floor=1e-3), 1e-5, ZERO, lambda _: None)
    with pytest.raises(BenchmarkError, match="steps too long"):
        loops.tune(Made(fails_above=0.0), "only", 1e-5, ZERO, math.inf)


def test_a_run_that_does_not_repeat_is_no_table():
    made = Made()
    found = loops.tune(made, "only", 1e-5, ZERO, math.inf)
    made.factor = 2.0
    with pytest.raises(BenchmarkError, match="does not repeat"):
        found.again()


def test_other_accelerations_are_no_table():
    exact = np.arange(6.0)
    loops.agree("it", exact * (1 + 1e-8), exact)
    with pytest.raises(BenchmarkError, match="6 speeds: accelerations of it differ"):
        loops.agree("it", exact * (1 + 1e-4), exact)


def test_the_table(monkeypatch):
    small = loops.Settings(evaluated=(2, 3), simulated=(1,), accuracies=(1e-3,), rounds=1, repeats=1)
    monkeypatch.setattr(loops, "QUICK", small)
    result = loops.measure(True, lambda _: None)
    assert {(row.case, row.peer) for row in result.rows} == {
        *(
            (f"u-dot, {n} loops closed {closing}", f"Pinocchio {f}")
            for n in (2, 3)
            for closing in loops.CLOSINGS
            for f in ("constraintDynamics", "lcaba")
        ),
        *(
            (f"u-dot, lift of {n} bays closed {closing}", f"Pinocchio {f}")
            for n in (2, 3)
            for closing in loops.CLOSINGS
            for f in ("constraintDynamics", "lcaba")
        ),
        *((f"lift of {n} bays closed {how}, declared and drawn out", None) for n in (2, 3) for how in loops.CLOSINGS),
        *(("1 loops, 1 s, error 0.001", peer) for peer in ("Pinocchio", "Exudyn")),
    }
    assert all(row.ratio is not None and row.ratio > 0 for row in result.rows if row.peer)
    assert len(result.fits) == 5
