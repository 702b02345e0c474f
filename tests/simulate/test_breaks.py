"""Pulses much shorter than a step: none is stepped over, whatever it is given by."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.plan.laws.code import Code
from kaneflex.simulate import breaks
from kaneflex.simulate.breaks import breaks_of

START, LONG = 5.0, 1e-3
PULSE = kf.profiles.versine(200.0, LONG, start=START)  # impulse 200 LONG/2
TABLE = kf.profiles.table([0.0, START, START + LONG / 2, START + LONG, 10.0], [0.0, 0.0, 1.0, 0.0, 0.0])


def cart() -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("cart"))
    return s


def rectangle(t):
    return 100.0 if START <= t < START + LONG else 0.0


def sliver(t):
    return 7.0 if START <= t < 5.00001 else 0.0


def bell(t):
    return 50.0 * math.exp(-(((t - 5.003) / 5e-3) ** 2))


GIVEN = {
    "profile": (PULSE, 0.1),
    "function of a profile": (lambda t: 3.0 * PULSE(t), 0.3),
    "function with jumps": (rectangle, 0.1),
    "smooth function": (bell, 50.0 * 5e-3 * math.sqrt(math.pi)),
    "function with breaks": (kf.profiles.Motion(sliver, breaks=(START, 5.00001)), 7e-5),
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_input(name, method):
    """The speed is the impulse over the mass."""
    value, impulse = GIVEN[name]
    run = cart().simulate(10.0, method=method, inputs={"push": value})
    assert run["cart.rate"][-1] == pytest.approx(impulse / 2, rel=1e-6) and run.audit.ok
    assert run.statistics["steps"] < 200


def test_input_by_a_table():
    """What the spline through its points sums up to, by Simpson's rule, exact for cubics, on each piece."""
    run = cart().simulate(10.0, inputs={"push": TABLE})
    total = 0.0
    for a, b in zip(TABLE.times[:-1], TABLE.times[1:], strict=True):
        total += (b - a) / 6 * (TABLE(a) + 4 * TABLE((a + b) / 2) + TABLE(b))
    assert run["cart.rate"][-1] == pytest.approx(total / 2, abs=1e-8)


def test_load_by_a_profile_is_stored_whole(tmp_path):
    s = cart()
    s.apply("kick", kf.JointForce("cart", PULSE))
    s.apply("wind", kf.Force("cart", lambda t: (PULSE(t), 0.0, 0.0)))
    run = s.simulate(10.0)
    assert run["cart.rate"][-1] == pytest.approx(0.1, rel=1e-6)
    s = cart()
    s.apply("kick", kf.JointForce("cart", PULSE))
    first = kf.Run.load(s.simulate(4.0).save(tmp_path / "run.h5"))
    assert first.extend(6.0)["cart.rate"][-1] == pytest.approx(0.05, rel=1e-6)


def test_event_by_a_profile():
    run = cart().simulate(10.0, events=[kf.Event(lambda t: PULSE(t) - 100.0, name="half")])
    assert [t for t, _ in run.events] == pytest.approx([START + LONG / 4, START + 3 * LONG / 4], abs=1e-12)


def test_function_of_a_profile_is_compiled_and_runs_on_symbols(recwarn):
    s = cart()
    s.apply("kick", kf.JointForce("cart", lambda t: 2.0 * PULSE(t)))
    law = s.dynamics().plan.laws[-1]
    assert law.compiled and not recwarn.list
    from kaneflex.kernels import symbolic_ops

    (expression,) = symbolic_ops.laws[law.symbolic_key](START + LONG / 3, [])
    assert float(expression) == pytest.approx(2.0 * PULSE(START + LONG / 3))


def test_steps_end_at_breaks_and_at_jumps():
    s = cart()
    plan = s.simulate(1.0, inputs={"push": PULSE}).plan
    assert breaks_of(plan, 0.0, 10.0, 0.0) == [START, START + LONG] and breaks_of(plan, START, 10.0, 0.0) == [START + LONG]
    plan = s.simulate(1.0, inputs={"push": rectangle}).plan
    assert breaks_of(plan, 0.0, 10.0, 0.0) == [START, START + LONG]
    plan = s.simulate(1.0, inputs={"push": lambda t: math.sin(3 * t) * t**3}).plan
    assert breaks_of(plan, 0.0, 10.0, 0.0) == []


def test_staircase_is_followed_step_by_step():
    stairs = lambda t: math.floor(4 * t)
    run = cart().simulate(10.0, inputs={"push": stairs})
    assert run["cart.rate"][-1] == pytest.approx(np.arange(40).sum() / 4 / 2, rel=1e-12)
    assert run.statistics["rejected"] == 0


def test_functions_are_searched_and_tried_once_in_a_run_that_changes(monkeypatch):
    """Whatever its segments: a function of time is sampled for jumps, and tried in Python, once."""
    searched, tried = [], []
    search, probe = breaks._sudden_changes, Code._probe
    monkeypatch.setattr(breaks, "_sudden_changes", lambda law, *times: searched.append(times) or search(law, *times))
    monkeypatch.setattr(Code, "_probe", lambda code: tried.append(code.name) or probe(code))
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    s.apply("push", kf.JointForce("cart", lambda t: 0.3 * math.sin(7 * t)))

    def action(state, change):
        change.replace("cart", kf.Rigid(1.0 + state.t))

    run = s.simulate(1.0, events=[kf.Event(lambda t: math.sin(31 * t), action=action, name="change")])
    assert len(run.segments) > 5 and len(set(searched)) == 1 and len(searched) == len(tried) == len(set(tried)) == 2


def test_breaks_that_rounding_keeps_apart_are_one():
    """Two breaks one unit in the last place apart leave no room for a step between them."""
    late = float(np.nextafter(0.5, 1.0))
    s = kf.System("slide")
    for k, at in enumerate((0.5, late)):
        s.add(f"cart{k}", kf.Rigid(1.0), kf.Prismatic("x"), rates=0.0)
        push = kf.profiles.Motion(lambda t, at=at: np.where(t < at, 0.0, 2.0), breaks=(at,))
        s.apply(f"push{k}", kf.JointForce(f"cart{k}", push))
    run = s.simulate(1.0)
    assert abs(run["cart0.q"][-1] - 0.25) < 1e-8 and abs(run["cart1.q"][-1] - 0.25) < 1e-8


def test_rounding_at_the_beginning_of_a_motion_is_no_jump():
    """1 - exp(-x) is a staircase of 1e-16 where x is small: a run that sees nothing but its beginning goes in long steps."""
    s = kf.System("slide")
    heave = lambda t: (1 - math.exp(-((t / 3) ** 4))) * math.sin(t)
    s.add("slide", kf.Rigid(1.0), kf.Prismatic("z", motion=heave))
    run = s.simulate(2e-3, method="dopri5")
    assert run.statistics["steps"] < 20
