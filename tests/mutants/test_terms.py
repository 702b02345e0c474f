"""The list of mutants is true to the sources and to the table in the documentation; `make mutants` tries them."""

import ast
from pathlib import Path

import pytest
from mutants.breeding import statement, with_choices, with_import
from mutants.table import rows_of, start_of_row
from mutants.terms import MUTANTS

from kaneflex.gallery import examples
from kaneflex.kernels import ops

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "kaneflex"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.term)
def test_each_stands_once_in_its_file(mutant):
    source = (SOURCE / mutant.file).read_text()
    found = statement(source, mutant.before)
    assert isinstance(found, ast.Assign | ast.AugAssign | ast.Return | ast.Expr)
    changed = source.replace(mutant.before, mutant.after)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    assert mutant.systems and {command.split()[0] for command in mutant.systems} <= set(examples())


def test_there_are_enough_and_each_has_its_row():
    assert len({m.term for m in MUTANTS}) == len(MUTANTS) >= 40
    rows = rows_of(ROOT / "docs" / "mutants.md")
    assert list(rows) == [m.term for m in MUTANTS], "run make mutants"
    for mutant in MUTANTS:
        assert rows[mutant.term].startswith(start_of_row(mutant)), f"run make mutants: {mutant.term} has changed"


def test_a_number_chooses(monkeypatch):
    """Mutants of one file side by side; with number 0 it is as it was."""
    file = "kernels/bodies/rigid.py"
    some = {k: m for k, m in enumerate(MUTANTS, 1) if m.file == file}
    source = (SOURCE / file).read_text()
    made = compile(with_import(with_choices(source, some)), file, "exec")
    results = {}
    for number in (0, *some):
        monkeypatch.setattr(ops, "mutant", lambda number=number: number, raising=False)
        names = {"__name__": "made"}
        exec(made, names)
        W = [0.0] * 200
        w = names["body_work"](0)
        W[w + names["OMEGA"] : w + names["OMEGA"] + 3] = 0.3, -0.2, 0.5
        names["store_inertia"](W, w, 2.0, (0.1, 0.2, 0.3), (1.0, 0.0, 0.1, 2.0, 0.0, 3.0))
        results[number] = tuple(W)
    assert len(set(results.values())) == 1 + len(some) >= 3
