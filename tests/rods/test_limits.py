"""Rods and cables at the limits of what they can be: right, or refused by name."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import kaneflex as kf


def rod(**options):
    s = kf.System("rod", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Rod(1.0, 1.0, **{"EI": 1.0, "n": 4, "plane": "xz"} | options))
    return s


def cable(span, **options):
    s = kf.System("cable", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Cable(1.0, 1.0, **{"n": 40, "plane": "xz"} | options), tip="pinned", end=(span, 0, 0))
    return s


REFUSED = {
    "no bending stiffness": (lambda: rod(EI=0.0), "EI of a Rod is 0: give its bending stiffness, or use a Cable"),
    "no segment": (lambda: rod(n=0), "number of segments of a Rod, is 0"),
    "too curved": (lambda: rod(n=2, curvature=20.0), "turns it by 10 rad from one segment to the next.*give n = 8"),
    "too short": (lambda: cable(1.2), "a rod of 1 m cannot reach over 1.2 m: give a longer one, EA, or another end"),
    "straight and inextensible": (lambda: cable(1.0).equilibrium(), 'constraint "rod_tip" stays off|singular'),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    make, message = REFUSED[what]
    with pytest.raises(kf.ModelError, match=message):
        make()


@pytest.mark.parametrize("options", [{}, {"plane": None, "GJ": 1.0}])
def test_one_segment(options):
    """A bar on a spring of 2 EI/L."""
    s = rod(n=1, **options)
    tip = s.channels(s.equilibrium(), "rod.tip.position")["rod.tip.position"]
    turn = brentq(lambda a: 2 * a - 9.81 / 2 * math.cos(a), 0, 2)
    assert tip == pytest.approx([math.cos(turn), 0, -math.sin(turn)], abs=1e-9)


def test_a_taut_cable():
    """Between ends farther apart than it is long: EA (5 %), and w/2 more at the ends, to second order."""
    s = cable(1.05, EA=1e5)
    tension = s.channels(s.equilibrium(), "rod.tension")["rod.tension"]
    assert tension == pytest.approx(np.full(40, 5000.0), rel=1e-5)


@pytest.mark.parametrize("options", [{}, {"plane": None}])
def test_a_slack_cable(options):
    """Ends so near that it hangs in two strands: half the weight at each end, next to nothing at the bottom."""
    s = cable(0.02, EA=1e5, **options)
    x = s.channels(s.equilibrium(), "rod.tension", "rod.shape")
    assert x["rod.tension"][0] == pytest.approx(9.81 / 2, rel=2e-3) and x["rod.tension"].min() < 0.02
    assert x["rod.shape"][:, 2].min() == pytest.approx(-0.5, abs=0.02)


def test_a_net_carries_its_weight():
    s = kf.System("net", gravity=(0, 0, -9.81))
    s.add_rod("long", kf.Cable(2.2, 0.1, EA=500.0, n=20, points={"knot": 1.1}), tip="pinned", end=(2.0, 0, 0))
    s.add_rod("short", kf.Cable(1.2, 0.1, EA=500.0, n=12), at=(1.0, -1.0, 0), tip="pinned", end="long.knot")
    run = s.simulate(1e-6, initial=s.equilibrium(), output=1e-6)
    ends = run.loads("long_1").force[0] + run.loads("short_1").force[0] + run.loads("long_tip").force[0]
    assert abs(ends[2]) == pytest.approx(3.4 * 0.1 * 9.81, rel=1e-6) and np.abs(ends[:2]).max() < 1e-6


def test_a_rod_that_is_clamped_at_both_ends_carries_half_its_weight_at_each():
    s = kf.System("beam", gravity=(0, 0, -9.81))
    beam = kf.Rod(1.0, 1.0, EI=50.0, EA=1e4, n=60, plane="xz")
    s.add_rod("rod", beam, tip="clamped", end=(1.0, 0, 0))
    x = s.channels(s.equilibrium(), "rod.shape", "rod.moment")
    assert x["rod.shape"][:, 2].min() == pytest.approx(-9.81 / 384 / 50.0, rel=4e-3)  # w L^4/384 EI
    assert abs(x["rod.moment"][0]) == pytest.approx(9.81 / 12, rel=4e-3)  # w L^2/12


def test_a_rod_pushed_beyond_its_critical_load():
    """Near the straight shape that one is found, if unstable; from a bent one that of P = K(sin(a/2))^2 (Euler)."""
    s = kf.System("column")
    s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, n=40, plane="xy"))
    s.apply("push", kf.Force("rod.tip", (-3.0, 0, 0), axes="inertial"))
    assert np.abs(s.equilibrium({"rod_1.q": 1e-2}).q).max() < 1e-9
    for way in (1, -1):
        a = way * s.equilibrium({f"rod_{k}.q": way / 40 for k in range(1, 41)}).q.sum()
        assert a > 0.5 and ellipk(math.sin(a / 2) ** 2) ** 2 == pytest.approx(3.0, rel=1e-3)


def test_a_cable_that_snaps_taut():
    """A weight let go beside the root of a folded cable: it falls, and goes as deep as m g (L + x) = k x^2/2 says, k being
    that of n - 1 springs, since the root does not slide."""
    n, EA = 10, 2e3
    s = kf.System("rope", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(1.0, 0.01, EA=EA, n=n, plane="xz"), at=kf.Frame((0, 0, 0), ("y", math.pi / 2)))
    s.add("weight", kf.Rigid(1.0), parent="rope", at="tip")
    run = s.simulate(0.6, initial={"rope_6.angle": math.pi - 0.02}, rtol=1e-6, atol=1e-8, output=1e-3)
    k = EA * n / (n - 1)
    stretch = 9.81 / k * (1 + math.sqrt(1 + 2 * k / 9.81))
    deepest, slack = -run["weight.position"][:, 2].min() - 1.0, run.t < 0.3
    assert deepest == pytest.approx(stretch, rel=0.01) and run.audit.ok
    assert np.abs(run["rope.tension"][slack]).max() < 0.05 * k * stretch < run["rope.tension"].max()
    assert run["weight.position"][slack, 2] == pytest.approx(-9.81 * run.t[slack] ** 2 / 2, abs=0.01)


@pytest.mark.thorough
def test_ten_thousand_segments():
    """Declared, and hanging, at a hundred times the cost of a hundred."""
    s = kf.System("chain", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Cable(10.0, 1.0, n=10000, plane="xz"), at=kf.Frame((0, 0, 0), ("y", 0.4)))
    tip = s.channels(s.equilibrium(), "rod.tip.position", "rod.tension")
    assert tip["rod.tip.position"] == pytest.approx([0, 0, -10.0], abs=1e-9)
    assert tip["rod.tension"][0] == pytest.approx(98.1, rel=1e-9)
