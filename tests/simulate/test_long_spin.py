"""A body that spins for long: how many steps it takes, and that nothing but the spin takes them."""

import math

import pytest

import kaneflex as kf

ANGLE = 2000.0


@pytest.fixture(scope="module")
def top() -> kf.System:
    """A sphere that spins about one axis: its quaternion turns through half the angle."""
    s = kf.System("top")
    s.add("top", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free(), rates=(0, 0, 0, 0, 0, 1.0))
    return s


@pytest.mark.parametrize("method, steps, rejected", [("dopri5", 6.0, 0.2), ("dop853", 1.0, 0.01)])
def test_steps_per_radian(top, method, steps, rejected):
    run = top.simulate(ANGLE, method=method, times=[ANGLE])
    assert run.statistics["steps"] < steps * ANGLE
    assert run.statistics["rejected"] <= rejected * run.statistics["steps"]
    assert abs(run["top.q"][-1, 3]) == pytest.approx(abs(math.cos(ANGLE / 2)), abs=1e-5)
    assert run.audit.quaternion_drift < 1e-14


def test_steps_go_with_the_angle_not_with_the_rate(top):
    slow = top.simulate(ANGLE, method="dop853", times=[ANGLE]).statistics["steps"]
    fast = top.simulate(ANGLE / 1e4, method="dop853", times=[ANGLE / 1e4], initial={"top.rate": (0, 0, 0, 0, 0, 1e4)})
    assert fast.statistics["steps"] == pytest.approx(slow, rel=0.1)


def test_run_that_takes_too_many_steps_says_what_takes_fewer(top):
    with pytest.raises(kf.SimulationError, match=r'1000 steps were spent.*method="dop853"'):
        top.simulate(1e9, max_steps=1000)
