"""Latches, motors and dry friction in hinges: against closed forms, in both formulations, and what is refused."""

import math
import warnings

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.builders import folded_array, hinge_friction, hinge_motor, latch
from kaneflex.results.awaited import AwaitedEventWarning

TIGHT = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
N, WIDTH, MASS, STIFFNESS, PRELOAD, START = 3, 0.8, 2.0, 0.3, 0.2, 1.2
WAYS = ("recursive", "cartesian")


def array():
    """Panels with cable loops and springs, folded."""
    return folded_array(N, width=WIDTH, mass=MASS, angle=START, stiffness=STIFFNESS, preload=PRELOAD)


def springs(q):
    """Energy of the springs, J."""
    return STIFFNESS / 2 * ((q + PRELOAD) ** 2 + (N - 1) * (2 * q + PRELOAD) ** 2)


def inertia(q):
    """M of T = M q'^2/2."""
    along = (np.arange(N) + 0.5) * WIDTH
    return (MASS * (along**2 * math.sin(q) ** 2 + WIDTH**2 / 4 * math.cos(q) ** 2) + MASS * WIDTH**2 / 6).sum()


@pytest.mark.parametrize("way", WAYS)
def test_plastic_latch(way):
    """It takes all that the springs gave, once, and holds."""
    run = array().simulate(3.0, events=[latch("panel0", name="catch")], formulation=way, **TIGHT)
    assert [name for _, name in run.events].count("catch") == 1 and len(run.impacts) == 1
    lost = -float(np.diff(run.impacts[0].energy)[0])
    assert lost == pytest.approx(springs(START) - springs(0.0), rel=1e-9)
    assert run.audit.dissipated_work == pytest.approx(lost, rel=1e-12) and run.audit.ok
    after = run.t > run.events[0][0] + 1e-9
    assert after.sum() > 10 and np.abs(run["panel2.q"][after]).max() < 1e-10


@pytest.mark.parametrize("way", WAYS)
def test_latch_with_springs(way):
    """It stores what the springs gave: nothing jumps, and the first swing is that of the energy."""
    k = 500.0
    event = latch(["panel0", "panel1"], stiffness=k, direction=-1, name="catch")
    run = array().simulate(3.0, events=[event], formulation=way, output=1e-3, **TIGHT)
    assert np.abs(np.diff([impact.energy for impact in run.impacts])).max() < 1e-12  # loads came, no speed jumped
    assert run.audit.ok and {"latch_panel0", "latch_panel1"} <= set(run.model.loads)
    stored = lambda q: springs(q) + k / 2 * (q**2 + (2 * q) ** 2)
    low = float(run["panel0.q"].min())
    assert stored(low) == pytest.approx(springs(START), rel=1e-5)  # as far as samples meet the turning point
    begun = run.events[0][0]
    k0 = int(np.argmin(np.abs(run.t - begun)))
    rate = -math.sqrt(2 * (springs(START) - springs(0.0)) / inertia(0.0))
    assert float(run["panel0.rate"][k0]) == pytest.approx(rate, rel=1e-3)


def test_latch_that_is_never_reached_is_named():
    with pytest.warns(AwaitedEventWarning, match='"root latch" .* did not happen in 0.1 s: .* came to 1.2') as found:
        array().simulate(0.1, events=[latch("panel0", name="root latch")])
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        array().simulate(3.0, events=[latch("panel0", name="root latch")])


def test_latch_past_a_dead_point_is_never_reached():
    """A rocker that turns back before: the run says how near it came."""
    from kaneflex.gallery import four_bar

    s = four_bar.build(four_bar.DEFAULTS)
    with pytest.warns(AwaitedEventWarning, match='"rocker latch"'):
        s.simulate(0.5, events=[latch("rocker", 4.0, name="rocker latch")])


def wheel():
    s = kf.System("wheel")
    s.add("wheel", kf.Rigid(1.0, inertia=(1, 1, 1.5)), kf.Revolute("z"), rates=0.0)
    return s


@pytest.mark.parametrize("way", WAYS)
def test_motor(way):
    """w = w_0 (1 - exp(-T t/(J w_0)))."""
    s = wheel()
    s.apply("motor", hinge_motor("wheel", 0.6, 3.0))
    run = s.simulate(5.0, formulation=way, **TIGHT)
    assert run["wheel.rate"] == pytest.approx(3.0 * (1 - np.exp(-0.6 * run.t / (1.5 * 3.0))), abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_dry_friction(way):
    """-J w'/T = w/s, s = sqrt(w^2 + w_0^2): the time to slow down is J/T times the change of s + w_0 log(w/(w_0 + s))."""
    s, slow = wheel(), 0.05
    s.apply("friction", hinge_friction("wheel", 0.4, slow))
    run = s.simulate(6.0, formulation=way, initial={"wheel.rate": 2.0}, **TIGHT)
    w = run["wheel.rate"]
    size = np.sqrt(w**2 + slow**2)
    spent = size + slow * np.log(w / (slow + size))
    assert 1.5 / 0.4 * (spent[0] - spent) == pytest.approx(run.t, abs=1e-7)
    assert w[-1] > 0 and run.audit.ok


REFUSED = {
    "has no joints": lambda: latch([]),
    "damping and no stiffness": lambda: latch("a", damping=1.0),
    'stiffness of latch "latch" is -1': lambda: latch("a", stiffness=-1.0),
    "give both one sign": lambda: hinge_motor("a", 1.0, -2.0),
    "torque of friction is -1": lambda: hinge_friction("a", -1.0),
    "slow rate of friction is 0": lambda: hinge_friction("a", 1.0, 0.0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_makes_no_hinge_is_refused(message):
    with pytest.raises(kf.ModelError, match=message):
        REFUSED[message]()


def test_latch_on_a_joint_that_is_not_there():
    with pytest.raises(kf.ModelError, match="panle0"):
        array().simulate(0.1, events=[latch("panle0")])
