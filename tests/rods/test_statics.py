"""Large deflections, folds and buckling of rods against closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.special import ellipk

import kaneflex as kf


def column(n=20, imperfection=0.0, axes="inertial"):
    s = kf.System("column")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, n=n, plane="xy"))
    s.add_input("push", kf.Force("rod.tip", (-1.0, 0, 0), axes=axes))
    if imperfection:
        s.apply("imperfection", kf.Force("rod.tip", (0, imperfection, 0), axes="inertial"))
    return s


def slope(s, state, push):
    R = s.channels(state, "rod.tip.rotation", inputs={"push": push})["rod.tip.rotation"]
    return math.atan2(R[1, 0], R[0, 0])


@pytest.mark.parametrize("n", [20, 40])  # balanced in accelerations, and in forces
def test_a_buckled_column(n):
    """P = K(sin(a/2))^2 EI/L^2 with the slope a of the tip (Euler)."""
    s = column(n)
    bent = s.equilibrium({f"rod_{k}.q": 1.0 / n for k in range(1, n + 1)}, inputs={"push": 3.0})
    a = slope(s, bent, 3.0)
    assert a > 0.5 and ellipk(math.sin(a / 2) ** 2) ** 2 == pytest.approx(3.0, rel=4 / n**2)
    other = s.equilibrium({f"rod_{k}.q": -1.0 / n for k in range(1, n + 1)}, inputs={"push": 3.0})
    assert slope(s, other, 3.0) == pytest.approx(-a, rel=1e-8)


@pytest.mark.parametrize("n", [10, 40])  # in accelerations, and in forces
def test_stability_along_the_path_of_a_straight_column(n):
    """It is lost at pi^2/4, but for the error of the rods."""
    path = column(n).equilibrium_path("push", 4.0, longest=0.05)
    assert path.reached and len(path.values) == len(path.states) == len(path.stable)
    last, first = path.values[path.stable].max(), path.values[~path.stable].min()
    assert last < first and last < math.pi**2 / 4 * 1.01 and first > math.pi**2 / 4 * 0.95
    assert all(np.allclose(state.q, 0) for state in path.states)


def test_an_imperfect_column_bends_and_stays_stable():
    s = column(10, imperfection=0.02)
    path = s.equilibrium_path("push", 3.0, longest=0.05)
    assert path.reached and path.stable.all() and abs(slope(s, path.states[-1], 3.0)) > 0.8


def test_flutter_of_beck_s_column():
    """Under a force that follows the tip the straight column is stable up to 20.05 EI/L^2, and flutters beyond."""
    s = column(20, axes="body")
    stable = [s.equilibrium_path("push", p, points=300).stable[-1] for p in (19.0, 21.0)]
    assert stable == [True, False]


def test_an_arch_snaps_through():
    s = kf.System("arch")
    arch = kf.Rod(1.0, 1.0, EI=1.0, EA=2e3, n=10, plane="xy", curvature=-0.8, points={"mid": 0.5})
    s.add_rod("arch", arch, root="pinned", at=kf.Frame((0, 0, 0), ("z", 0.4)), tip="pinned", end=(0.9735, 0, 0))
    s.add_input("load", kf.Force("arch.mid", (0, -1.0, 0), axes="inertial"))
    path = s.equilibrium_path("load", 100.0)
    assert [point.kind for point in path.singular] == ["fold"] * 4  # it is not quite symmetric: paths do not cross
    assert path.reached and np.any(np.diff(path.values) < 0) and path.values.max() == 100.0
    assert path.stable[0] and not path.stable.all() and path.stable[-1]
    turn = int(np.argmax(np.diff(path.values) < 0))  # the first point of those that go back
    assert path.stable[: turn - 1].all() and path.values[: turn + 1].max() < path.folds[0].value
    heights = [s.channels(x, "arch.mid.position")["arch.mid.position"][1] for x in (path.states[0], path.states[-1])]
    assert heights[0] > 0.09 and heights[1] < -0.1


def test_a_fine_rod_along_its_path():
    s = kf.System("elastica")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, n=60, plane="xy"))
    s.add_input("load", kf.Force("rod.tip", (0, 1.0, 0), axes="inertial"))
    path = s.equilibrium_path("load", 10.0)
    tip = s.channels(path.states[-1], "rod.tip.position", inputs={"load": 10.0})["rod.tip.position"]
    assert path.reached and path.stable.all() and tip[1] == pytest.approx(0.810609 + 1.1222e-3 / 9, abs=2e-6)


@pytest.mark.parametrize("plane", ["xy", None])
def test_fine_rods_are_balanced_in_forces(plane):
    """The elastica at P L^2/EI = 10 by 80 rods: v/L = 0.810609 + 1.1222e-3 (20/n)^2."""
    s = kf.System("elastica")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, GJ=None if plane else 1.0, n=80, plane=plane))
    s.apply("load", kf.Force("rod.tip", (0, 10.0, 0), axes="inertial"))
    tip = s.channels(s.equilibrium(), "rod.tip.position", "rod.moment")
    assert tip["rod.tip.position"][1] == pytest.approx(0.810609 + 1.1222e-3 / 16, abs=2e-6)
    root = tip["rod.moment"][0] if plane else tip["rod.moment"][0, 2]
    assert root == pytest.approx(10 * tip["rod.tip.position"][0], rel=1e-9)


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("n", [2, 5])
def test_few_rods_are_balanced_in_forces_too(monkeypatch, n, plane):
    """The way of a thousand rods on a few, against moments of the load in absolute angles, solved apart."""
    from kaneflex.analysis import force_balance

    monkeypatch.setattr(force_balance, "LARGE", 1)
    s = kf.System("elastica")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, GJ=None if plane else 1.0, n=n, plane=plane))
    s.apply("load", kf.Force("rod.tip", (0, 10.0, 0), axes="inertial"))
    assert force_balance.fits(s.dynamics(), 0.0, np.concatenate([s.state().q, s.state().rates]), np.zeros(0))
    k = np.array([2.0, *[1.0] * (n - 1)]) * n

    def left(a):
        moments = k * np.diff(a, prepend=0.0)
        return moments - np.append(moments[1:], 0.0) - 10.0 / n * np.cos(a)

    a = fsolve(left, np.linspace(0.5, 1.3, n), xtol=1e-13)
    tip = s.channels(s.equilibrium(tolerance=1e-11), "rod.tip.position")["rod.tip.position"]
    assert tip == pytest.approx([np.cos(a).sum() / n, np.sin(a).sum() / n, 0.0], abs=1e-9)


def test_modes_about_a_large_deflection():
    """About a circle, into which a moment has rolled it: frequencies by its mass matrix there and the springs alone."""
    s = kf.System("circle")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, n=6, plane="xy"))
    s.add_input("moment", kf.Torque("rod.tip", (0, 0, 2 * math.pi)))
    state = s.equilibrium_path("moment", 1.0).states[-1]
    M = s.matrices(state, inputs={"moment": 1.0}).M.values
    K = np.diag([2.0 * 6, *[6.0] * 5])  # a moment in the plane does no work that depends on the shape
    exact = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    found = [m.frequency for m in s.modes(state, inputs={"moment": 1.0})]
    assert np.allclose(np.sort(found), np.sort(exact), rtol=1e-9)


def test_what_cannot_be_followed():
    s = column(4)
    with pytest.raises(kf.ModelError, match='input that changes along the path: "pull" is not known'):
        s.equilibrium_path("pull", 1.0)
    with pytest.raises(kf.ModelError, match="is 0 at the start already"):
        s.equilibrium_path("push", 0.0)
