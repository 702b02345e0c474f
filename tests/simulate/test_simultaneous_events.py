"""Events of one instant: all of them act, whatever the first one does; so does one at the very end of a run."""

import math

import numpy as np
import pytest

import kaneflex as kf


@pytest.fixture(scope="module")
def wheels() -> kf.System:
    s = kf.System("wheels")
    for name in "abc":
        s.add(name, kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z"), rates=1.0)
    return s


def at_half(t):
    return t - 0.5


def locks(name):
    return kf.Event(at_half, name=f"lock {name}", action=lambda state, change: change.lock(name))


def test_all_joints_lock(wheels):
    run = wheels.simulate(1.0, events=[locks(n) for n in "abc"])
    assert [run[f"{n}.rate"][-1] for n in "abc"] == [0, 0, 0]
    assert [run[f"{n}.q"][-1] for n in "abc"] == pytest.approx([0.5] * 3, abs=1e-12)
    assert run.events == [(0.5, f"lock {n}") for n in "abc"]
    assert run.audit.ok and run.audit.dissipated_work == pytest.approx(3.0, rel=1e-9)  # 3 times 1/2 I w^2


def test_none_happens_twice(wheels):
    """A later segment begins on the zero of the events that changed the system."""
    near = kf.Event(lambda t, x: x[0] - 0.5, ["a.q"], name="near", action=lambda state, change: change.lock("a"))
    run = wheels.simulate(1.0, events=[near, locks("b")])
    assert sorted(name for _, name in run.events) == ["lock b", "near"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_terminal_event_stops_after_the_others(wheels, order):
    events = [locks("a"), kf.Event(at_half, name="stop", terminal=True), locks("b")]
    run = wheels.simulate(1.0, events=[events[k] for k in order])
    assert run.status == "event" and '"stop" at t = 0.5 s' in run.message
    assert run.t[-1] == 0.5 and len(run.events) == 3
    assert [run[f"{n}.rate"][-1] for n in "abc"] == [0, 0, 1]
    assert run.extend(0.5)["c.q"][-1] == pytest.approx(1.0, abs=1e-12)


def test_actions_on_the_state_and_on_the_system(wheels):
    def turn(state):
        state["c.rate"] = -3.0

    run = wheels.simulate(1.0, events=[locks("a"), kf.Event(at_half, name="turn", action=turn), locks("b")])
    assert [run[f"{n}.rate"][-1] for n in "abc"] == pytest.approx([0, 0, -3.0])
    assert run["c.q"][-1] == pytest.approx(0.5 - 1.5, abs=1e-12)


def test_collision_and_terminal_event():
    """The run stops after the bounce that happens at the same instant."""
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    s.contact("floor", kf.Contact("ball", restitution=0.5, after="bounce"))
    height = kf.Event(lambda t, x: x[2], ["ball.position"], name="down", terminal=True)
    run = s.simulate(2.0, events=[height])
    assert sorted(name for _, name in run.events) == ["down", "floor"] and run.status == "event"
    assert run["ball.rate"][-1] == pytest.approx(0.5 * math.sqrt(2 * 9.81), rel=1e-8)


def test_action_at_the_end_is_in_the_run_and_in_what_follows(wheels):
    def turn(state):
        state["a.rate"] = -1.0

    end = kf.Event(lambda t: t - 1.0, name="end", action=turn)
    run = wheels.simulate(1.0, events=[end, kf.Event(lambda t: t - 1.0, name="too")])
    assert [name for _, name in run.events] == ["end", "too"]
    assert run.final["a.rate"] == -1.0 and run["a.rate"][-2] == 1.0 and list(run.t[-2:]) == [1.0, 1.0]
    assert run.audit.ok
    on = run.extend(1.0)
    assert on["a.q"][-1] == pytest.approx(0.0, abs=1e-12) and on.events == []


def test_change_at_the_end_is_in_what_follows(wheels):
    end = kf.Event(lambda t: t - 1.0, name="end", action=lambda state, change: change.lock("a"))
    run = wheels.simulate(1.0, events=[end])
    assert run.final["a.rate"] == 0.0
    assert run.extend(1.0)["a.q"][-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("below", [1e-11, 1e-9])
def test_event_that_sets_its_state_below_its_own_zero_is_told(wheels, below):
    def back(state):
        state["a.q"] = 0.5 - below

    event = kf.Event(lambda t, x: x[0] - 0.5, ["a.q"], name="back", action=back)
    with pytest.raises(kf.SimulationError, match=r'event "back" acted 100.* time does not get on') as error:
        wheels.simulate(1.0, events=[event])
    assert error.value.trajectory.t[-1] == pytest.approx(0.5, abs=1e-5)


def test_many_actions_that_get_on_are_none_too_many(wheels):
    def back(state):
        state["a.q"] = 0.5 - 2e-3

    event = kf.Event(lambda t, x: x[0] - 0.5, ["a.q"], name="back", action=back)
    found = np.array([t for t, _ in wheels.simulate(1.0, events=[event]).events])
    assert len(found) in (250, 251) and np.abs(np.diff(found) - 2e-3).max() < 1e-11
