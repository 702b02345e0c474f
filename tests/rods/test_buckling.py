"""Points at which paths of equilibria turn back or cross, and the branches that begin there, against closed forms."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

import kaneflex as kf


def column(n, axes="inertial", plane="xy"):
    s = kf.System("column")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, GJ=None if plane else 1.0, n=n, plane=plane))
    s.add_input("push", kf.Force("rod.tip", (-1.0, 0, 0), axes=axes))
    return s


def slope(s, state, push):
    R = s.channels(state, "rod.tip.rotation", inputs={"push": push})["rod.tip.rotation"]
    return math.acos(R[0, 0])


def arch(n=4):
    """Two halves that are mirror images, clamped to a small body at the top."""
    s = kf.System("arch")
    frames = {"left": kf.Frame((0, 0, 0)), "right": kf.Frame((0, 0, 0), ("z", math.pi))}
    s.add("top", kf.Rigid(0.01, inertia=(1e-4, 1e-4, 1e-4), frames=frames), kf.Planar("z"), at=(0, 0.0987, 0))
    for name, way in (("left", 1), ("right", -1)):
        half = kf.Rod(0.5, 1.0, EI=1.0, EA=2e3, n=n, plane="xy", curvature=-0.8 * way)
        foot = kf.Frame((-0.48677 * way, 0, 0), ("z", 0.4 if way > 0 else math.pi - 0.4))
        s.add_rod(name, half, root="pinned", at=foot, tip="clamped", end=f"top.{name}")
    s.add_input("load", kf.Force("top", (0, -1.0, 0), axes="inertial"))
    return s


@pytest.mark.parametrize("n", [12, 40])  # balanced in accelerations, and in forces
def test_euler_loads_and_the_buckled_branch(n):
    """pi^2/4 and 9 pi^2/4; on the branch P = K(sin(a/2))^2 with the slope a of the tip. In units of EI/L^2."""
    s = column(n)
    path = s.equilibrium_path("push", 25.0)
    first, second = path.bifurcations
    assert path.singular == path.bifurcations and path.reached and str(first).startswith("bifurcation at 2.4")
    assert first.value == pytest.approx(math.pi**2 / 4, rel=0.25 / n**2)
    assert second.value == pytest.approx(9 * math.pi**2 / 4, rel=2.0 / n**2)
    assert all(np.allclose(state.q, 0, atol=1e-9) for state in path.states)
    ends = []
    for side in (1, -1):
        branch = s.equilibrium_path("push", 4.0, branch=first, side=side)
        assert branch.reached and branch.stable[1:].all() and not branch.singular
        for value, state in list(zip(branch.values, branch.states, strict=True))[1:]:
            a = slope(s, state, value)
            assert a > 0.1 and ellipk(math.sin(a / 2) ** 2) ** 2 == pytest.approx(value, rel=0.5 / n**2)
        ends.append(branch.states[-1].q)
    assert np.allclose(ends[0], -ends[1], atol=1e-8)


def test_a_column_in_space_buckles_in_two_directions_at_once():
    s = column(12, plane=None)
    path = s.equilibrium_path("push", 5.0)
    (point,) = path.bifurcations
    assert point.value == pytest.approx(math.pi**2 / 4, rel=0.002) and len(point.shapes) == 2
    branch = s.equilibrium_path("push", 3.0, branch=point)
    a = slope(s, branch.states[-1], 3.0)
    assert branch.reached and ellipk(math.sin(a / 2) ** 2) ** 2 == pytest.approx(3.0, rel=0.004)


def test_a_follower_load_does_not_buckle_a_column():
    """Beck: there is no other equilibrium at any load, and flutter from 20.05 on."""
    path = column(16, axes="body").equilibrium_path("push", 19.0)
    assert path.reached and path.singular == () and path.stable.all()


@pytest.mark.parametrize("longest", [0.2, 0.5])
def test_a_symmetric_arch_stays_on_its_path(longest):
    """However long the steps; what crosses it is a way to the side that begins beyond the limit load."""
    s = arch()
    path = s.equilibrium_path("load", 60.0, longest=longest)
    tops = np.array([s.channels(x, "top.position")["top.position"] for x in path.states])
    assert path.reached and np.abs(tops[:, 0]).max() < 1e-6 and tops[0, 1] > 0.09 and tops[-1, 1] < -0.1
    highest, lowest = (point.value for point in path.folds)
    assert highest > 0 > lowest and len(path.bifurcations) == 2
    sideways = s.equilibrium_path("load", 60.0, branch=path.bifurcations[0], points=5)
    top = s.channels(sideways.states[-1], "top.position")["top.position"]
    assert abs(top[0]) > 1e-4
    assert (highest, lowest) == pytest.approx((11.5768, -2.45975), rel=1e-5)  # the same with short steps and long


def test_limit_load_of_two_bars():
    """P = 2 k a (1/cos t0 - 1/cos t) sin t is largest at cos^3 t = cos t0 (von Mises)."""
    k, a, rise = 1000.0, 1.0, 0.2
    s = kf.System("two bars")
    s.add("top", kf.Rigid(1.0), kf.Prismatic("y"), at=(0, rise, 0))
    for side, x in (("left", -a), ("right", a)):
        s.apply(side, kf.SpringDamper("top", (x, 0, 0), stiffness=k, length=math.hypot(a, rise)))
    s.add_input("load", kf.Force("top", (0, -1.0, 0), axes="inertial"))
    path = s.equilibrium_path("load", 5.0)
    c0 = a / math.hypot(a, rise)
    t = math.acos(c0 ** (1 / 3))
    exact = 2 * k * a * (1 / c0 - 1 / math.cos(t)) * math.sin(t)
    assert [p.value for p in path.folds] == pytest.approx([exact, -exact], rel=1e-6) and not path.bifurcations


def test_what_is_no_branch():
    s = arch()
    path = s.equilibrium_path("load", 30.0)
    with pytest.raises(kf.ModelError, match="no other path crosses there"):
        s.equilibrium_path("load", 1.0, branch=path.folds[0])
    with pytest.raises(kf.ModelError, match="side is 2"):
        s.equilibrium_path("load", 1.0, branch=path.bifurcations[0], side=2)
