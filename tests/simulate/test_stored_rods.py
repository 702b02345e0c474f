"""Rods deep in a reel are passed over while steps are made: the motion is that of all rods, and nothing else sees it."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.plan import stored_rods
from kaneflex.plan.stored_rods import StoredRods

N = 24


def rope(plane="xz"):
    """A rope with a load over a sheave, let out by 6 m and drawn in again."""
    s = kf.System("rope", gravity=(0, 0, -9.81))
    s.add("sheave", kf.Rigid(1.0, inertia=(0.01, 0.01, 0.01)), kf.Revolute("y"), q=-0.05)
    down = kf.Frame((0, 0, 0), (("y", math.pi / 2),))
    s.add_rod("rope", kf.Cable(float(N), 0.1, n=N, plane=plane), parent="sheave", at=down)
    s.add("load", kf.Rigid(2.4), kf.Fixed(), parent="rope", at="tip")
    return s


def fed(s):
    s.add_feed("winch", "rope", length=kf.profiles.cosine(-3.0, 2.0, offset=4.0), reel=kf.Reel())
    return s


def stored(s):
    plan = s.dynamics().plan
    return StoredRods(plan, plan.index.feeds["winch"])


@pytest.mark.parametrize("plane", ["xz", None])
def test_the_motion_is_that_of_all_rods(plane, monkeypatch):
    how = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11, "output": 0.05, "progress": False}
    most, resting = [], StoredRods.resting

    def watched(self, W, z):
        most.append(self.found.joints - int(z[0]) - stored_rods.NEAR)
        return resting(self, W, z)

    monkeypatch.setattr(StoredRods, "resting", watched)
    passed = fed(rope(plane)).simulate(2.6, **how)
    assert max(most) >= 14  # most of the rods are passed over, and fewer as they leave
    assert min(most) <= 11
    assert passed.audit.ok
    monkeypatch.setattr(stored_rods, "LEAST", N)
    whole = fed(rope(plane)).simulate(2.6, **how)
    for name in ("load.position", "load.velocity", "winch.tension", "rope_3.position", "rope_17.omega"):
        off = np.abs(passed[name] - whole[name]).max()
        assert off < 1e-10 * max(1.0, np.abs(whole[name]).max()), name


def test_tables_are_as_they_were():
    plan = fed(rope()).dynamics().plan
    found = plan.index.feeds["winch"]
    rods, W = StoredRods(plan, found), fed(rope()).dynamics().W
    before = plan.I.copy(), plan.P.copy()
    with pytest.raises(RuntimeError), rods.resting(W, found.feed.start):
        assert not np.array_equal(plan.I, before[0])
        assert not np.array_equal(plan.P, before[1])
        raise RuntimeError
    assert np.array_equal(plan.I, before[0])
    assert np.array_equal(plan.P, before[1])


def test_rods_that_something_looks_at_are_not_passed_over():
    assert stored(fed(rope())).can_rest
    seen = fed(rope())
    seen.apply("pull", kf.Force("load", lambda t, x: (0.0, 0.0, 0.1 * x[2]), sees=["rope_5.position"]))
    hung = rope()
    hung.add("lamp", kf.Rigid(0.1), kf.Fixed(), parent="rope_5")
    pushed = rope()
    pushed.apply("push", kf.Force("rope_5", (0.0, 0.1, 0.0)))
    straight = rope()
    straight.add_feed("winch", "rope", length=kf.profiles.cosine(-3.0, 2.0, offset=4.0))  # mass inside counts
    for other in (seen, fed(hung), fed(pushed), straight):
        assert not stored(other).can_rest
