"""Feet that crush: stroke and energy, the latch, all of the stroke used, friction of the pad."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import Foot

G, M, V = 1.62, 1000.0, 2.0
FOOT = Foot(8000.0, 0.6, mass=0.5, stiffness=2e6, damping=4000.0)
FINE = {"rtol": 1e-9, "atol": 1e-10, "output": 0.01}


STOP = kf.Event(lambda t, x: x[0], ["body.rate"], direction=1, terminal=True, name="stop")


def dropped(foot=FOOT, speed=V, gravity=G):
    """A body that comes down on one foot, at the ground at the start."""
    s = kf.System("drop", gravity=(0, 0, -gravity))
    s.add("body", kf.Rigid(M), kf.Prismatic("z"), q=foot.length, rates=-speed)
    s.add_part("foot", foot, on="body")
    return s


def test_stroke_and_energy():
    """M v^2/2 + M g x = F x, for with this damping the force is F from the first instant on; time M v/(F - M g)."""
    run = dropped().simulate(0.6, events=[STOP], **FINE)
    F = 8000.0
    stroke, time = M * V**2 / 2 / (F - M * G), M * V / (F - M * G)
    assert run.t[-1] == pytest.approx(time, rel=1e-6) and run["foot.q"][-1] == pytest.approx(stroke, rel=1e-6)
    assert run["foot.crushed"][-1] == pytest.approx(stroke - F / 2e6, rel=1e-5)  # the rest is elastic
    assert run["foot.absorbed"][-1] == pytest.approx(F * run["foot.crushed"][-1], rel=1e-9)
    assert run["foot.force"][1:] == pytest.approx(F, rel=1e-9) and run.audit.ok  # the first sample is before the impact
    assert run["body.rate"] == pytest.approx(-V + (F / M - G) * run.t, abs=1e-6)


def test_latched_and_left():
    """The strut stays as short as it got, and then carries the weight: its limit is reached and left."""
    run = dropped().simulate(1.0, rtol=1e-8, atol=1e-9, output=0.05)
    crushed = run["foot.crushed"]
    assert (np.diff(crushed) >= -1e-12).all() and crushed[-1] == pytest.approx(crushed[10], abs=1e-9)
    assert run["foot.force"][10:].max() < 8000.0
    rest = dropped(speed=0.0).simulate(6.0, **FINE)
    assert rest["foot.crushed"][-1] == 0 and rest["foot.force"][-1] == pytest.approx(M * G, rel=1e-4)


def test_all_of_the_stroke():
    """Twice the speed that it can take: crushed to its end, then a spring that is stiffer than any crush force."""
    short = Foot(8000.0, 0.1, mass=0.5, stiffness=2e6, damping=4000.0)
    run = dropped(short).simulate(0.3, **FINE)
    assert run["foot.crushed"][-1] == pytest.approx(0.1, abs=1e-4) and run["foot.left"][-1] < 1e-4
    assert run["foot.absorbed"][-1] == pytest.approx(short.capacity(), rel=1e-3) and run["foot.force"].max() > 16000.0


def test_crush_in_two_stages():
    """Straight lines between pairs: the energy of the stroke is the area below."""
    two = Foot(((0.0, 4000.0), (0.2, 4000.0), (0.3, 12000.0)), 0.5, mass=0.5, stiffness=2e6, damping=4000.0)
    assert two.capacity() == pytest.approx(4000 * 0.2 + 8000 * 0.1 + 12000 * 0.2)
    run = dropped(two, speed=1.5, gravity=0.0).simulate(1.0, events=[STOP], **FINE)
    y = run["foot.crushed"][-1] - 0.2
    force = 4000 + 80000 * y
    assert 0 < y < 0.1 and run["foot.absorbed"][-1] == pytest.approx(800 + 4000 * y + 40000 * y**2, rel=1e-6)
    elastic = (force**2 + 4000**2) / (2 * 2e6)  # held by the spring, and lost in the damper when crushing began
    assert run["foot.absorbed"][-1] + elastic == pytest.approx(M * 1.5**2 / 2, rel=1e-3)


def test_pad_slides_with_friction():
    """A body on three feet slides to a stop after v^2/(2 mu g), its struts as they were."""
    s = kf.System("sledge", gravity=(0, 0, -G))
    body = kf.Rigid(300.0, inertia=(80.0, 80.0, 120.0))
    s.add("body", body, kf.Free(), q=(0, 0, 1.0, 1, 0, 0, 0), rates=(0.4, 0, 0, 0, 0, 0))
    for k in range(3):
        at = (2 * math.cos(2 * math.pi * k / 3), 2 * math.sin(2 * math.pi * k / 3), 0)
        s.add_part(f"foot{k}", Foot(2000.0, 0.3, mass=0.5, stiffness=2e6, damping=2000.0, friction=0.3), on="body", at=at)
    run = s.simulate(1.5, rtol=1e-7, atol=1e-9)
    assert run["body.position"][-1, 0] == pytest.approx(0.4**2 / (2 * 0.3 * G), abs=2e-3)
    assert np.abs(run["body.velocity"][-1]).max() < 1e-3 and run["foot0.crushed"][-1] == 0


def lander(tilt, forward):
    """A free body that comes down on four feet that dig in, at the corners of a square; its lowest foot at the ground."""
    s = kf.System("lander", gravity=(0, 0, -G))
    q = (0, 0, math.cos(tilt) + 1.2 * math.sin(abs(tilt)), math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    c, n = math.cos(tilt), math.sin(tilt)
    rates = (c * forward + n * 1.5, 0, n * forward - c * 1.5, 0, 0, 0)  # axes of the body
    foot = Foot(1000.0, 0.3, mass=2.0, stiffness=2e5, damping=1000.0, friction=10.0, after="stick")
    s.add("body", kf.Rigid(300.0, inertia=(180.0, 180.0, 220.0)), kf.Free(), q=q, rates=rates)
    for k, (x, y) in enumerate(((1.2, 0.9), (-1.2, 0.9), (-1.2, -0.9), (1.2, -0.9))):
        s.add_part(f"foot{k}", foot, on="body", at=(x, y, 0))
    return s


def test_four_feet_in_space():
    """Level, all four strike at once and crush as one, (M - 8 kg) v^2/2 + M g x = 4 F x less what the springs take."""
    stop = kf.Event(lambda t, x: x[0], ["body.vz"], direction=1, terminal=True, name="stop")
    run = lander(0.0, 0.0).simulate(0.5, events=[stop], rtol=1e-8, atol=1e-9)
    crushed = [run[f"foot{k}.crushed"][-1] for k in range(4)]
    assert crushed == pytest.approx([crushed[0]] * 4, abs=1e-9)
    stroke = 300.0 * 1.5**2 / 2 / (4000.0 - 300.0 * G)
    assert run["foot0.q"][-1] == pytest.approx(stroke, rel=2e-3) and run.audit.ok


@pytest.mark.thorough
def test_four_feet_one_after_the_other():
    """Pitched and moving forward: two strike, then two; symmetric to rounding, what was crushed took its energy."""
    run = lander(0.05, 0.5).simulate(0.6, rtol=1e-7, atol=1e-9)
    assert len(run.impacts) >= 2 and run.audit.ok
    for near, far in ((0, 3), (1, 2)):
        assert run[f"foot{near}.crushed"][-1] == pytest.approx(run[f"foot{far}.crushed"][-1], abs=1e-6)
    for k in range(4):
        assert run[f"foot{k}.absorbed"][-1] == pytest.approx(1000.0 * run[f"foot{k}.crushed"][-1], rel=1e-6)
    assert np.abs(run["body.position"][:, 1]).max() < 1e-6


def test_feet_that_let_go_in_one_instant():
    """Lifted by a pull that grows, all pads come off at once; the momentum of body and pads follows the pull."""
    s = kf.System("legs", gravity=(0, 0, -G))
    s.add("body", kf.Rigid(100.0, inertia=(50, 60, 70)), kf.Free(), q=(0, 0, 1, 1, 0, 0, 0))
    for k, (x, y) in enumerate(((1, 0), (-0.5, 0.8), (-0.5, -0.8))):
        s.add_part(f"leg{k}", Foot(5000.0, 0.3, mass=1.0, stiffness=1e5, after="stick"), on="body", at=(x, y, 0))
    s.apply("pull", kf.Force("body", lambda t: (0.0, 0.0, 2200.0 * t), axes="inertial"))
    run = s.simulate(1.0, method="radau5", rtol=1e-8, atol=1e-10)
    off = [t for t, word in run.events if word.endswith("lets go")]
    assert len(off) == 3 and np.ptp(off) < 1e-9 and run.audit.ok
    last, v = run.last, run.last["momentum.linear"][:, 2]
    gained = 1100.0 * (last.t**2 - last.t[0] ** 2) - 103.0 * G * (last.t - last.t[0])
    assert v - v[0] == pytest.approx(gained, abs=1e-6) and run["body.omega"] == pytest.approx(0, abs=1e-7)


def test_a_leg_that_bends():
    """Held by the body, the pad swings across on its springs: m x'' + c x' + k x = 0 both ways, and a rigid leg has none."""
    for bending, both in ((5e4, 2), (math.inf, 0)):
        s = kf.System("held")
        s.add("body", kf.Rigid(M), kf.Fixed(), at=(0, 0, 3.0))
        s.add_part("foot", Foot(8000.0, 0.6, mass=0.5, stiffness=2e6, damping=200.0, bending=bending), on="body")
        poles = s.linearize().eigenvalues()
        root = np.roots([0.5, 200.0, 5e4])[0]
        assert np.sum(np.abs(poles - root) < 1e-9 * abs(root)) == both


def test_strut_is_linear_until_it_crushes():
    """m x'' + c x' + k x = 0 of the pad on a body that is held."""
    s = kf.System("held")
    s.add("body", kf.Rigid(M), kf.Fixed(), at=(0, 0, 3.0))
    s.add_part("foot", FOOT, on="body")
    poles = s.linearize().eigenvalues()
    for root in np.roots([0.5, 4000.0, 2e6]):
        assert np.abs(poles - root).min() < 1e-9 * abs(root)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"crush": 0.0}, "crush of a Foot is 0 N somewhere"),
        ({"crush": ((0.1, 1.0), (0.2, 2.0))}, "begins at 0.1 m"),
        ({"crush": ((0.0, 1.0), (0.0, 2.0))}, "crush of a Foot has angles that do not ascend"),
        ({"stroke": -1.0}, "stroke of a Foot is -1: it must be positive"),
        ({"mass": 0.0}, "mass of a Foot"),
        ({"damping": 0.0}, "damping of a Foot"),
        ({"friction": -0.1}, "friction of a Foot"),
        ({"after": "fly"}, 'after of a Foot: "fly"'),
        ({"bending": 0.0}, "bending of a Foot is 0: it must be positive"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        Foot(**{"crush": 1.0, "stroke": 1.0, **change})
