"""Freedoms by rank beside Gruebler's count, and paths on which structures fold."""

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import kaneflex as kf
from kaneflex.analysis.mobility import _between, clearance, folding_path, mobility
from kaneflex.builders import ring_truss, scissor_mast
from kaneflex.gallery import bricard, four_bar


def bar(length: float) -> kf.Rigid:
    return kf.Rigid(1.0, com=(length / 2, 0, 0), inertia=(0.01, 1, 1), frames={"tip": (length, 0, 0)})


@pytest.mark.parametrize(
    ("system", "freedoms", "gruebler"),
    [
        (lambda: four_bar.build(four_bar.DEFAULTS), 1, -2),
        (lambda: bricard.build(bricard.DEFAULTS), 1, 0),
        (lambda: scissor_mast(3), 1, -5),
        (lambda: ring_truss(6), 7, 1 - 3 * 6),
        (lambda: ring_truss(6, synchronised=False), 6 + 3, 6 - 3 * 6),
    ],
)
def test_freedoms(system, freedoms, gruebler):
    found = mobility(system())
    assert (found.freedoms, found.gruebler) == (freedoms, gruebler)
    assert len(found.redundant) == freedoms - gruebler


def test_dead_points_of_a_crank_rocker():
    """The rocker turns back where crank and coupler lie along each other."""
    p = four_bar.DEFAULTS
    a, b, c, d = (p[name] for name in ("crank", "coupler", "rocker", "ground"))
    ends = [math.pi - math.acos((d**2 + c**2 - (b + sign * a) ** 2) / (2 * c * d)) for sign in (-1, 1)]
    path = folding_path(four_bar.build(p), "crank", p["start"] + 2 * math.pi, 0.01)
    assert {name for name, _ in path.dead_points} == {"rocker.angle"} and not path.branches
    assert sorted(value for _, value in path.dead_points) == pytest.approx(sorted(ends), abs=2e-5)
    assert path.q == pytest.approx(_joints(path.q[:, 0], p), abs=1e-9)
    assert path.travel["rocker.angle"] == pytest.approx(sorted(ends), abs=2e-5)
    with pytest.raises(kf.ModelError, match=r'"rocker.angle" does not reach 4: on the whole path it stays between'):
        folding_path(four_bar.build(p), "rocker", 4.0, 0.05)


def _joints(crank, p):
    t, f, r = four_bar.angles(crank, p).T
    return np.column_stack([t, f - t, r])


def parallelogram():
    s = kf.System("parallelogram")
    s.add("a", bar(1.0), kf.Revolute("z"), q=1.0)
    s.add("b", bar(2.0), kf.Revolute("z"), "a", "tip", q=-1.0)
    s.add("c", bar(1.0), kf.Revolute("z"), at=(2, 0, 0), q=1.0)
    for name in "ac":
        s.add_frame(name, "root", kf.Frame((0, 0, 0)))
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    return s


def test_branch_of_a_parallelogram():
    """Where it is flat it may go on as a parallelogram or as an antiparallelogram; its sides are nearest there."""
    s = parallelogram()
    path = folding_path(s, "a", -1.0)
    ((name, value),) = path.branches
    assert name == "pin" and value == pytest.approx(0.0, abs=1e-4)
    assert path.q[-1] == pytest.approx([-1, 1, -1], abs=1e-8)
    flat = folding_path(s, "a", 0.0)
    assert flat.q[-1] == pytest.approx(np.zeros(3), abs=1e-9) and flat.branches == (("pin", pytest.approx(0.0, abs=1e-9)),)
    apart, k = clearance(s, path, ("a.root", "a.tip"), ("c.root", "c.tip"))
    t = float(path.q[k, 0])
    assert apart == pytest.approx(math.sqrt(5 - 4 * math.cos(t)), abs=1e-9) and abs(t) < 0.02
    with pytest.raises(kf.ModelError, match="the path is not one of"):
        clearance(scissor_mast(2), path, ("a0.root", "a0.tip"), ("b1.root", "b1.tip"))


def test_distance_of_bars():
    """Against bounded least squares; bars that cross, lie along each other, or have no length."""
    rng = np.random.default_rng(5)
    a, b, c, d = rng.normal(size=(4, 40, 3))
    d[1], b[2] = c[1] + (b[1] - a[1]), a[2]
    found = _between(a, b, c, d)
    for k in range(40):
        best = lsq_linear(np.column_stack([b[k] - a[k], c[k] - d[k]]), c[k] - a[k], (0, 1), tol=1e-14)
        assert found[k] == pytest.approx(math.sqrt(2 * best.cost), abs=1e-6)


def test_what_has_no_path_is_refused():
    with pytest.raises(kf.ModelError, match="has 7 freedoms"):
        folding_path(ring_truss(6), "top0", 0.0)
    with pytest.raises(kf.ModelError, match="is not one coordinate"):
        folding_path(scissor_mast(2), "a0", 0.5)
    with pytest.raises(kf.ModelError, match="step"):
        folding_path(four_bar.build(four_bar.DEFAULTS), "crank", 1.0, 0.0)
