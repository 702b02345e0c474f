"""Equilibria of many segments: the sparse tangent, closed forms, cost in order n, and small motions about them."""

import math
import re

import numpy as np
import pytest
from scipy.optimize import brentq

import kaneflex as kf
from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.force_balance import ForceBalance, fits
from kaneflex.analysis.static_tangent import StaticTree
from kaneflex.analysis.tangent import normalise_quaternions
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.plan.build import build
from kaneflex.plan.state import initial_state
from tests.oracles.elastica_modes import frequencies

SPACE = {"plane": None, "GJ": 1.0}


def elastica(n, **options):
    s = kf.System("elastica")
    s.add_rod("rod", kf.Rod(1.0, 1.0, **{"EI": 1.0, "n": n, "plane": "xy"} | options))
    s.apply("load", kf.Force("rod.tip", (0, 10.0, 0), axes="inertial"))
    return s


def heavy(n, **options):
    s = kf.System("heavy rod", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Rod(10.0, 1.0, **{"EI": 50.0, "n": n, "plane": "xz"} | options))
    return s


def hanging(n, **options):
    s = kf.System("hanging cable", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Cable(10.0, 1.0, n=n, **{"plane": "xz"} | options), at=kf.Frame((0, 0, 0), ("y", 0.4)))
    return s


def tied(n, **options):
    s = kf.System("tied cable", gravity=(0, 0, -9.81))
    s.add_rod("rod", kf.Cable(10.0, 1.0, n=n, **{"plane": "xz"} | options), tip="pinned", end=(8.0, 0, 0))
    return s


def mooring(n, **options):
    """A line of the OC3-Hywind spar buoy: Jonkman (2010), NREL/TP-500-47535, table 5-1."""
    length, EA, mass, weight, bed = 902.2, 384.243e6, 77.7066, 698.094, -320.0
    s, area = kf.System("mooring", gravity=(0, 0, -9.80665)), (mass - weight / 9.80665) / 1025.0
    at, end = kf.Frame((853.87, 0, bed), ("z", math.pi)), (5.2, 0, -70.0)
    s.add_rod("rod", kf.Cable(length, mass, EA=EA, n=n, **{"plane": "xz"} | options), at=at, tip="pinned", end=end)
    diameter = math.sqrt(4 * area / math.pi)
    s.apply("sea", kf.Morison("rod", kf.Sea(1025.0, depth=320.0), diameter=diameter, normal_drag=1.6))
    s.apply("bed", kf.SoftGround("rod", stiffness=3e6, damping=1e4, level=bed))
    return s


def net():
    s = kf.System("net", gravity=(0, 0, -9.81))
    s.add_rod("long", kf.Cable(2.2, 0.1, EA=500.0, n=10, points={"knot": 1.1}), tip="pinned", end=(2.0, 0, 0))
    s.add_rod("short", kf.Cable(1.2, 0.1, EA=500.0, n=6), at=(1.0, -1.0, 0), tip="pinned", end="long.knot")
    s.apply("spring", kf.SpringDamper("long.knot", "short.root", stiffness=10.0, length=0.1))
    return s


def joints():
    s = kf.System("joints", gravity=(0, 0, -9.81))
    box = kf.Rigid(1.0, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1), frames={"tip": (0.5, 0.1, 0)})
    s.add("a", box, kf.Free(), q=(0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5))
    s.add("b", box, kf.Universal(("x", "y")), parent="a", at="tip", q=(0.3, 0.2))
    s.add("c", box, kf.Cylindrical("z"), parent="b", at="tip", q=(0.3, 0.1))
    s.apply("follower", kf.Force("c.tip", (1.0, 2.0, 3.0)))
    return s


@pytest.mark.parametrize("system", [elastica(20, GA=1e3, EA=1e3), heavy(6, EA=1e3, **SPACE), net(), mooring(10), joints()])
def test_the_tangent_is_the_derivative(system):
    plan = build(system)
    dynamics = Dynamics(plan)
    tree, rows = StaticTree(dynamics, Derivatives(dynamics, 0.0)), int(plan.header.rows)
    state = initial_state(plan)
    q = state.q + tree.change(tree.directions(state.q), 0.02 * np.sin(1.0 + np.arange(plan.nu)))
    normalise_quaternions(plan, q)
    tangent = tree.tangent(q, 10 * np.cos(np.arange(rows)), np.zeros(0))
    for s in (np.sin(np.arange(plan.nu)), np.cos(np.arange(plan.nu))):
        s = np.where(tree.free, s, 0.0)
        exact = tangent.along(s)
        assert np.allclose(tangent.reduced(s)[0], exact, rtol=0, atol=1e-12 * np.abs(exact).max())


def test_a_load_that_reads_what_it_does_not_act_on_is_not_in_the_tangent():
    s = elastica(40)
    assert s.equilibrium() is not None
    s.apply("law", kf.Force("rod_3", lambda t, x: (0, x[1], 0), sees=["rod.tip.position"], axes="inertial"))
    plan = build(s)
    x = np.concatenate([initial_state(plan).q, np.zeros(plan.nu)])
    assert not fits(Dynamics(plan), 0.0, x, np.zeros(0))


@pytest.mark.parametrize("options", [{}, SPACE, {"EA": 1e7}, {"EA": 1e7, **SPACE}])
def test_elastica_of_many_segments(options):
    """v/L = 0.810609 + 1.1222e-3 (20/n)^2 at P L^2/EI = 10, and M = P x at the root."""
    s = elastica(400, **options)
    found = s.channels(s.equilibrium(), "rod.tip.position", "rod.moment")
    tip, moment = found["rod.tip.position"], found["rod.moment"][0]
    assert tip[1] == pytest.approx(0.810609 + 1.1222e-3 / 400, abs=2e-6)
    assert (moment if moment.ndim == 0 else moment[2]) == pytest.approx(10 * tip[0], rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"plane": None}])
def test_a_catenary(options):
    """H from 2 H/w sinh(w a/2H) = L."""
    s = tied(300, **options)
    H = brentq(lambda h: 2 * h / 9.81 * math.sinh(9.81 * 8 / (2 * h)) - 10, 1.0, 1e3)
    state = s.equilibrium()
    x = s.channels(state, "rod.shape", "rod.tension")
    assert x["rod.tension"].min() == pytest.approx(H, rel=1e-4)
    assert x["rod.shape"][:, 2].min() == pytest.approx(-H / 9.81 * (math.cosh(9.81 * 4 / H) - 1), rel=1e-5)


@pytest.mark.parametrize("options", [{}, {"plane": None}])
def test_a_mooring_line_on_its_bed(options):
    """The elastic catenary with a part on the bed, by its closed form: tensions at anchor and fairlead."""
    L, EA, w, height, reach = 902.2, 384.243e6, 698.094, 250.0, 853.87 - 5.2

    def lifted(H):
        """Length that hangs, so that it rises by the height, and how far the whole line reaches."""
        rise = lambda l: H / w * (math.hypot(1, w * l / H) - 1) + w * l**2 / (2 * EA)
        l = brentq(lambda x: rise(x) - height, 1.0, 2 * L)
        return l, L - l + H / w * math.asinh(w * l / H) + H * L / EA

    H = brentq(lambda h: lifted(h)[1] - reach, 1e5, 2e6)
    fairlead = math.hypot(H, w * lifted(H)[0])
    s = mooring(100, **options)
    x = s.channels(s.equilibrium(), "rod.tension")
    first, last = x["rod.tension"][[0, -1]]
    segment = w * L / 100 * w * lifted(H)[0] / fairlead  # from the last joint to the fairlead
    assert first == pytest.approx(H, rel=1e-4) and last + segment == pytest.approx(fairlead, rel=1e-4)


def test_stiffness_downhill_is_never_negative():
    """At a guess deep in the bed, where the exact tangent has negative parts: symmetric, and no eigenvalue below zero."""
    plan = build(mooring(20, plane=None))
    problem = ForceBalance(Dynamics(plan), 0.0, np.zeros(0))
    state = initial_state(plan)
    left = problem.left(problem.started(np.concatenate([state.q, np.zeros(plan.nu)])))
    matrices = [tangent.reduced(np.eye(plan.nu))[0] for tangent in (left.tangent, left.downhill)]
    least = [np.linalg.eigvalsh((K + K.T) / 2)[[0, -1]] for K in matrices]
    assert np.allclose(matrices[1], matrices[1].T, rtol=0, atol=1e-9 * least[1][1])
    assert least[0][0] < -1e-3 * least[0][1] and least[1][0] > -1e-12 * least[1][1]


def test_modes_about_a_large_deflection_by_shooting():
    """An elastica at P L^2/EI = 4, beside a program that integrates along the arc."""
    exact = frequencies(1.0, 1.0, np.zeros(2), np.array([0, 4.0]), 3)
    errors = []
    for n in (20, 40):
        s = kf.System("elastica")
        s.add_rod("rod", kf.Rod(1.0, 1.0, EI=1.0, n=n, plane="xy"))
        s.apply("load", kf.Force("rod.tip", (0, 4.0, 0), axes="inertial"))
        found = np.array([m.frequency for m in s.modes(s.equilibrium())[:3]])
        errors.append(np.abs(found / exact - 1))
    assert np.all(errors[1] < [4e-4, 2e-3, 5e-3]) and np.all(errors[0] / errors[1] > 3.5)


@pytest.mark.thorough
def test_a_line_at_rest_is_not_led_elsewhere():
    """Rounding decides whether forces balance to the default tolerance: if so at the right place, else it is told.

    A path from the far guess would end at an equilibrium in which the line is pushed.
    """
    s = mooring(1000)
    try:
        state = s.equilibrium()
    except kf.ModelError as refusal:
        assert re.search("rounding of places in stiff springs is balanced: give tolerance=1e-0", str(refusal))
        state = s.equilibrium(tolerance=1e-8)
    fewer = mooring(300)
    middle = fewer.channels(fewer.equilibrium(tolerance=1e-8), "rod.shape")["rod.shape"][150]
    assert s.channels(state, "rod.shape")["rod.shape"][500] == pytest.approx(middle, abs=1e-4 * s.rods["rod"].rod.length)


WAYS = [(make, options) for make in (elastica, heavy, hanging, tied) for options in ({}, {"plane": None}, {"EA": 1e6})]


@pytest.mark.thorough
@pytest.mark.parametrize(("make", "options"), [*WAYS, (mooring, {}), (mooring, {"plane": None})])
def test_a_thousand_segments_come_to_rest(make, options):
    if make in (elastica, heavy) and "plane" in options:
        options = options | {"GJ": 10.0}
    middles = []
    for n in (1000, 300):
        s = make(n, **options)
        middles.append(s.channels(s.equilibrium(tolerance=1e-8), "rod.shape")["rod.shape"][n // 2])
    assert middles[0] == pytest.approx(middles[1], abs=1e-4 * s.rods["rod"].rod.length)
