"""A boom that was extruded, and what it does after: figures of the linear extruding beam in eight modes, computed apart."""

import numpy as np
import pytest
from growing import every

import kaneflex as kf
from kaneflex.gallery import extruded_boom
from kaneflex.gallery.extruded_boom import DEFAULTS, LENGTH, LINE_MASS, RATE, VISCOUS, deflection


def test_the_feed_stops_at_once(monkeypatch):
    """At 8 m, 14 s: the tip goes from -54.199 mm to 53.06 and -46.98 mm, one and two seconds later."""
    n = DEFAULTS["n"]
    monkeypatch.setitem(extruded_boom.WAYS, "constant", kf.profiles.constant_rate(0.5, initial=1.0))  # to the very end
    fed = extruded_boom.simulate(extruded_boom.build(DEFAULTS, "constant"), DEFAULTS)
    s = kf.System("stopped boom")
    s.add("base", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z", motion=kf.profiles.constant_rate(RATE)))
    s.add_rod("boom", kf.Rod(LENGTH, LINE_MASS, DEFAULTS["EI"], n=n, plane="xy", damping=VISCOUS), parent="base")
    last = {f"boom_{k}.{what}": fed[f"boom_{k + 1}.{what}"][-1] for k in range(1, n + 1) for what in ("q", "rate")}
    v = deflection(s.simulate(2.0, initial=last, rtol=1e-7, atol=1e-9, output=1.0))
    assert v[0] == pytest.approx(deflection(fed)[-1], abs=1e-9)
    assert v[0] == pytest.approx(-0.054199, abs=1e-5)
    assert v[1:] == pytest.approx([0.05306, -0.04698], abs=4e-4)


def test_what_is_left_after_a_smooth_deployment():
    """It rings with 1.33 mm."""
    run = extruded_boom.build(DEFAULTS).simulate(18.0, method="dopri5", rtol=1e-5, atol=1e-8, output=0.02)
    assert np.abs(deflection(run)[run.t >= 14]).max() == pytest.approx(1.33e-3, abs=6e-5)


@pytest.mark.thorough
def test_rods_that_are_let_go_one_by_one():
    """By hand, without a feed: rods of half a metre with the spring EI/h, which an event lets go as they pass the exit. Near
    it they bend too much, which a feed makes up for: at 14 s the continuum is at -0.0542 m."""
    short, count = 0.5, 16
    middle = LINE_MASS * short**3 / 12
    rod = kf.Rigid(LINE_MASS * short, (short / 2, 0, 0), (0, middle, middle), frames={"tip": (short, 0, 0)})
    s = kf.System("boom by hand")
    s.add("base", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z", motion=kf.profiles.constant_rate(RATE)))
    s.add("rod1", rod, kf.Prismatic("x", motion=kf.profiles.constant_rate(0.5, initial=1.0 - LENGTH)), parent="base")
    for k in range(2, count + 1):
        held = kf.profiles.hold(0.0) if k < count - 1 else None
        s.add(f"rod{k}", rod, kf.Revolute("z", motion=held), parent=f"rod{k - 1}", at="tip")
        s.apply(f"spring{k}", kf.JointSpring(f"rod{k}", DEFAULTS["EI"] / short))
    inside = list(range(2, count - 1))  # the last goes first, after a second
    go = kf.Event(every(1.0), action=lambda state, change: change.release(f"rod{inside.pop()}"), name="out")
    run = s.simulate(14.0 - 1e-6, events=[go], rtol=1e-7, atol=1e-9, output=0.5)
    end = run["base.rotation"][-1].T @ run[f"rod{count}.tip.position"][-1]
    assert not inside and run.audit.ok
    assert end[1] == pytest.approx(-0.070683, abs=2e-6)
