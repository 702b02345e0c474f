"""method="auto": what it chooses, that it says so, and that runs are those of what it chose."""

import sys
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.view.sections import statistics

sys.path.insert(0, str(Path(__file__).parent))
from test_linearly_implicit import spin_up


def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), q=1.0)
    return s


def test_what_is_not_stiff_goes_by_explicit_steps():
    run, plain = (pendulum().simulate(5.0, method=m) for m in ("auto", "dopri5"))
    assert run.method == "dopri5" and "explicit steps are long enough" in run.method_choice
    np.testing.assert_array_equal(run.q, plain.q)
    assert run.statistics["evaluations"] == plain.statistics["evaluations"] and run.statistics["tried"] > 0
    assert plain.method == "dopri5" and plain.method_choice == "" and "tried" not in plain.statistics


def test_stiff_rods_go_by_linearly_implicit_steps(tmp_path):
    options = {"rtol": 1e-5, "atol": 1e-7, "output": 0.5}
    run, same = (spin_up(20).simulate(7.0, method=m, **options) for m in ("auto", "ros34pw2"))
    assert run.method == "ros34pw2" and "linearly implicit" in run.method_choice
    np.testing.assert_array_equal(run.q, same.q)
    on = kf.Run.load(run.save(tmp_path / "run.h5")).extend(0.5, output=0.5)
    assert on.method == "ros34pw2" and on.method_choice == run.method_choice and on.statistics["tried"] == 0
    np.testing.assert_array_equal(on.q, run.extend(0.5, output=0.5).q)


def boom(**fineness) -> kf.System:
    s = kf.System("boom", gravity=(0, 0, -9.81))
    s.add_rod("boom", kf.Rod(2.0, 0.5, 400.0, plane="xz", **fineness))
    return s


def test_rods_are_tried_without_being_asked():
    """Where a rod is in the system the default is "auto", and says so, in the report too; elsewhere it is "dopri5", which is
    not tried."""
    run = boom(n=40).simulate(2.0, rtol=1e-4, atol=1e-5, output=0.5)
    assert run.method == "ros34pw2" and "linearly implicit" in run.method_choice
    assert statistics(run)["method"] == f"ros34pw2, chosen: {run.method_choice}"
    short = boom(n=4).simulate(0.02, output=0.01)
    assert short.method == "dopri5" and "explicit steps are long enough" in short.method_choice
    assert boom(order=3).simulate(0.01, output=0.01).method_choice
    assert pendulum().simulate(0.1).method_choice == ""


@pytest.mark.parametrize("order", [4, 6, 8])
def test_more_than_four_coefficients_are_stiff(order):
    """A smooth spin-up: up to four go by some hundred explicit steps, more by far fewer implicit ones."""
    s = kf.System("spin-up")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.spin_up(rate=6.0, time=15.0)))
    s.add_rod("beam", kf.Rod(10.0, 1.2, 1.4e4, order=order, plane="xy"), parent="hub")
    run = s.simulate(3.0, rtol=1e-4, atol=1e-4, output=1.0)
    plain = s.simulate(3.0, rtol=1e-4, atol=1e-4, output=1.0, method="dopri5")
    assert run.method == ("ros34pw2" if order > 4 else "dopri5")
    if order > 4:
        assert 6 * run.statistics["steps"] < plain.statistics["steps"]
        assert run["beam.tip.position"] == pytest.approx(plain["beam.tip.position"], abs=1e-3)


def test_vibrations_that_are_to_be_followed_stay_explicit():
    """Ten thousand periods of an undamped spring at a small tolerance: steps of either method are those of the motion."""
    s = kf.System("spring")
    s.add("bob", kf.Rigid(1.0), kf.Prismatic("x"), q=0.1)
    s.apply("spring", kf.JointSpring("bob", 1e8))
    run = s.simulate(2.0, method="auto", rtol=1e-8, output=0.5)
    assert run.method == "dopri5" and "linearly implicit" in run.method_choice
    assert run["bob.q"][-1] == pytest.approx(0.1 * np.cos(2e4), abs=1e-3)
