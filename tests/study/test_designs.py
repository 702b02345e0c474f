"""Distributions, designs and importance, held against closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

import kaneflex as kf
from kaneflex.study.designs import DESIGNS, design, given_table
from kaneflex.study.importance import elementary_effects, rank_correlations, sobol_indices

MIDDLES = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize(
    ("distribution", "mean", "deviation"),
    [
        (kf.normal(3.0, 0.5), 3.0, 0.5),
        (kf.uniform(-1.0, 5.0), 2.0, 6.0 / math.sqrt(12)),
        (kf.lognormal(2.0, 0.8), 2.0, 0.8),
        (kf.triangular(1.0, 2.0, 6.0), 3.0, math.sqrt((1 + 4 + 36 - 2 - 6 - 12) / 18)),
        (kf.choice([1.0, 2.0, 4.0], [1, 2, 1]), 2.25, math.sqrt(0.25 * 1 + 0.5 * 4 + 0.25 * 16 - 2.25**2)),
        # a normal distribution cut off on one side is a half-normal one
        (kf.normal(0.0, 1.0, low=0.0), math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi)),
    ],
    ids=str,
)
def test_moments_are_those_of_the_closed_form(distribution, mean, deviation):
    values = distribution.at(MIDDLES)
    assert values.mean() == pytest.approx(mean, rel=1e-4)
    assert values.std() == pytest.approx(deviation, rel=2e-3)
    assert np.all(np.diff(values) >= 0) and np.isfinite(distribution.at(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kf.normal(1.0, -1.0), "deviation"),
        (lambda: kf.normal(1.0, 1.0, low=3.0, high=2.0), "low must be below high"),
        (lambda: kf.normal(0.0, 1e-3, low=5.0), "there is nothing"),
        (lambda: kf.uniform(2.0, 2.0), "low must be below high"),
        (lambda: kf.lognormal(-1.0, 1.0), "mean"),
        (lambda: kf.triangular(0.0, 3.0, 2.0), "must ascend"),
        (lambda: kf.choice([]), "at least one"),
        (lambda: kf.choice([1.0, "a"]), "numbers and texts"),
        (lambda: kf.choice([1.0, 2.0], [1.0]), "weights"),
        (lambda: design("latin", {"a": kf.normal(0, 1)}, None, 0, None), "needs runs="),
        (lambda: design("latin", {"a": kf.normal(0, 1)}, 5, 0, 3), "points= is for a grid"),
        (lambda: design("grid", {"a": kf.uniform(0, 1)}, 7, 0, 3), "3 = 3 runs, not 7"),
        (lambda: design("saltelli", {"a": kf.uniform(0, 1)}, 5, 0, None), "6 runs or more"),
        (lambda: given_table({"a": [1.0, math.nan]}), 'column "a"'),
        (lambda: given_table({"a": [1.0], "b": [1.0, 2.0]}), "one value for each run"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(kf.ModelError, match=words):
        call()


def test_designs_keep_what_they_promise():
    pytest.importorskip("SALib")
    two = {"a": kf.uniform(0.0, 1.0), "b": kf.uniform(10.0, 20.0)}
    latin = design("latin", two, 50, 3, None)
    for k in range(2):  # one value in every fiftieth
        assert sorted((latin.shares[:, k] * 50).astype(int)) == list(range(50))
    sobol = design("sobol", two, 64, 3, None)
    cells = (sobol.shares * 8).astype(int) @ [8, 1]  # a (t, m, s) net with t = 0: one point in each of 64 cells
    assert sorted(cells) == list(range(64))
    grid = design("grid", two | {"c": kf.choice(["x", "y"])}, None, 0, {"a": 3})
    assert grid.runs == 3 * 5 * 2 and len(set(zip(*grid.table.values(), strict=True))) == 30
    assert sorted(set(grid.table["a"])) == [0.0, 0.5, 1.0] and set(grid.table["c"]) == {"x", "y"}
    factorial = design("factorial", two, None, 0, None)
    assert sorted(zip(*factorial.table.values(), strict=True)) == [(0, 10), (0, 20), (1, 10), (1, 20)]
    for name in set(DESIGNS) - {"grid", "factorial", "table"}:
        one, same, other = (design(name, two, 40, seed, None).table for seed in (1, 1, 2))
        assert one["b"].tobytes() == same["b"].tobytes() != other["b"].tobytes()
        assert (np.abs(one["b"] - 15) <= 5).all()


def test_sobol_indices_of_ishigami():
    """Indices in closed form: T. Ishigami and T. Homma, ISUMA 1990; a = 7, b = 0.1."""
    pytest.importorskip("SALib")
    names = {f"x{k}": kf.uniform(-math.pi, math.pi) for k in range(3)}
    made = design("saltelli", names, 5 * 4096, 0, None)
    x0, x1, x2 = made.table.values()
    found = sobol_indices(list(names), np.sin(x0) + 7 * np.sin(x1) ** 2 + 0.1 * x2**4 * np.sin(x0))
    a, b, p = 7.0, 0.1, math.pi
    both, alone = (8 / 225) * b**2 * p**8, 0.5 * (1 + b * p**4 / 5) ** 2
    V = alone + a**2 / 8 + both
    assert found.values == pytest.approx([(alone + both) / V, a**2 / 8 / V, both / V], abs=0.02)
    assert found.first == pytest.approx([alone / V, a**2 / 8 / V, 0.0], abs=0.02)
    assert found.order == ("x0", "x1", "x2")
    with pytest.raises(kf.ModelError, match="1 of 20480 runs have no value"):
        sobol_indices(list(names), np.where(np.arange(made.runs) == 5, np.nan, x0))


def test_elementary_effects_of_a_plane_are_its_slopes():
    pytest.importorskip("SALib")
    names = {"a": kf.uniform(0, 1), "b": kf.uniform(0, 1), "c": kf.uniform(0, 1)}
    made = design("morris", names, 40, 0, None)
    a, b, c = made.table.values()
    found = elementary_effects(list(names), made.shares, 3 * a - 2 * b + 0 * c)
    assert found.values == pytest.approx([3, 2, 0], abs=1e-12) and found.first == pytest.approx([3, -2, 0], abs=1e-12)
    assert found.spread == pytest.approx([0, 0, 0], abs=1e-12)


def test_rank_correlations_are_those_of_scipy():
    random = np.random.default_rng(0)
    x, z = random.random(200), random.random(200)
    y = x**3 + 0.2 * z
    y[7] = np.nan
    found = rank_correlations(["x", "z"], [x, z], y)
    kept = np.isfinite(y)
    assert found["x"] == pytest.approx(stats.spearmanr(x[kept], y[kept]).statistic, abs=1e-14)
    assert found.order == ("x", "z") and abs(found["z"]) < found.errors[1] + 0.3
