"""The benchmark of symbols: it measures what it says, and refuses a table where the equations differ."""

import pytest

from benchmarks import symbolic
from kaneflex.benchmarking import BenchmarkError

SMALL = symbolic.Settings(sizes=(2,), limit=120.0, rounds=1)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(symbolic, "QUICK", SMALL)


def test_table(small):
    said = []
    result = symbolic.measure(True, said.append)
    cases = {row.case for row in result.rows}
    for kind in ("planar", "spatial"):
        for what in ("derive", "evaluate M and F", "make the function", "write and derive", "System.equations"):
            assert f"{kind} chain, {what}" in cases
    assert {f"walker with 16 muscles, {what}" for what in ("derive", "evaluate M and F")} <= cases
    assert all(row.kaneflex > 0 for row in result.rows) and len(said) == 3 + len(result.rows)
    assert any("quick" in note for note in result.notes)


def test_no_table_where_equations_differ(monkeypatch):
    there = symbolic.by_sympy
    monkeypatch.setattr(
        symbolic, "by_sympy", lambda *a: {k: [v * 1.001 for v in x] if k == "values" else x for k, x in there(*a).items()}
    )
    with pytest.raises(BenchmarkError, match="differ"):
        symbolic.rows_of("planar", 2, SMALL, True)


def test_a_peer_that_does_not_finish(monkeypatch):
    monkeypatch.setattr(symbolic, "by_sympy", lambda *a: {})
    rows, notes, finished = symbolic.rows_of("planar", 2, SMALL, True)
    assert not finished and rows[0].peer_value == SMALL.limit * 1e3
    assert any("lower bounds" in note for note in notes)
