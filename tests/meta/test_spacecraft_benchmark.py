"""The benchmark of a spacecraft's manoeuvre: what it takes, what it refuses, and its table."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("Basilisk", reason="Basilisk is not installed (pip install 'kaneflex[oracles]')")

from benchmarks import spacecraft
from benchmarks.peers.manoeuvre import Ending, Spacecraft, dispersed
from kaneflex.benchmarking import BenchmarkError

ZERO = Ending(np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(4), np.zeros(12), np.zeros(4), np.zeros(3), 0.0)


def ways(*found):
    """A family of settings with errors of a hinge and seconds; None for one that fails."""

    def way(pair):
        def run(craft):
            if pair is None:
                raise ArithmeticError
            return replace(ZERO, hinges=ZERO.hinges + pair[0], seconds=pair[1])

        return run

    return [(str(k), way(pair)) for k, pair in enumerate(found)]


def test_the_error_is_the_largest_angle():
    half = 0.5e-3
    turned = Ending(np.array([np.cos(half), 0, 0, np.sin(half)]), *(np.zeros(k) for k in (3, 4, 12, 4, 3)), 0.0)
    assert turned.error(ZERO) == pytest.approx(1e-3, rel=1e-6)
    assert turned.error(turned) == 0.0


def test_the_quickest_setting_that_is_good_enough_is_taken():
    families = [ways(None, (1e-5, 1.0), (1e-7, 2.0), (1e-9, 4.0)), ways((1e-4, 0.1), (1e-8, 1.5)), ways((1e-9, 1.7))]
    found = spacecraft.tuned(families, Spacecraft(), ZERO, 1e-6)
    assert (found.error, found.seconds) == (pytest.approx(1e-8), 1.5)
    with pytest.raises(BenchmarkError, match="nothing in the grid reaches an error of 1e-10 rad"):
        spacecraft.tuned(families, Spacecraft(), ZERO, 1e-10)


def test_programs_that_differ_are_no_table(monkeypatch):
    monkeypatch.setattr(spacecraft, "KaneflexManoeuvre", lambda craft: type("", (), {"run": lambda *_: ZERO})())
    far = ways((1e-3, 1.0))[0][1]
    monkeypatch.setattr(spacecraft, "BasiliskManoeuvre", lambda craft, *_: type("", (), {"run": lambda self: far(craft)})())
    with pytest.raises(BenchmarkError, match=r"the two programs differ by 1\.0e-03 rad"):
        spacecraft.reference(Spacecraft())


def test_draws_are_near_and_repeat():
    one = Spacecraft()
    assert dispersed(3) == dispersed(3) != dispersed(4)
    assert all(0.9 < a / b < 1.1 for a, b in zip(dispersed(3).inertia, one.inertia, strict=True))
    assert dispersed(3).period == one.period


@pytest.mark.slow
def test_the_table(monkeypatch):
    small = spacecraft.Settings(cases=(("plates", 0.5, (1e-6,)),), drawn=1, rounds=0, duration=2.0)
    monkeypatch.setattr(spacecraft, "QUICK", small)
    monkeypatch.setattr(spacecraft, "STEPS", (0.02, 0.0125, 0.01))
    monkeypatch.setattr(spacecraft, "TASKS", (0.02,))
    result = spacecraft.measure(True, lambda _: None)
    assert [row.unit for row in result.rows] == ["ms", "s"]
    assert all(row.peer == "Basilisk" and row.ratio is not None and row.ratio > 0 for row in result.rows)
    assert any("rad of one another in all" in note for note in result.notes)
