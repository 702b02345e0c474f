"""Stepping from outside: the same motion as a run's, to the bit where the same steps are taken."""

import math
import time

import numpy as np
import pytest

import kaneflex as kf

G = 9.81


def arm(motor=None) -> kf.System:
    """A double pendulum with a motor and a lag, which is a block, between a command and a second motor."""
    s = kf.System("arm", gravity=(0, 0, -G))
    s.add("upper", kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5)), kf.Revolute("y"), q=0.4)
    forearm = kf.Rigid(1.0, inertia=(0.05, 0.05, 0.05), com=(0, 0, -0.4))
    s.add("lower", forearm, kf.Revolute("y"), parent="upper", at=(0, 0, -1))
    s.add_input("shoulder", kf.JointForce("upper"))
    s.add_input("elbow", kf.JointForce("lower"))
    s.add_input("brake", kf.JointForce("lower"))
    s.add_block("lag", kf.blocks.FirstOrder(0.2, sees="upper.rate", drives="brake", gain=-0.3))
    if motor is not None:
        s.apply("wind", kf.JointForce("upper", motor))
    return s


def ball() -> kf.System:
    s = kf.System("ball", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(1.0, frames={"foot": (0, 0, 0)}), kf.Translational(), q=(0, 0, 1.0), rates=(0.3, 0, 0))
    s.contact("ground", kf.Contact("ball.foot", restitution=0.6))
    return s


def test_steps_are_those_of_a_run_that_is_extended():
    s = arm()
    sim, run = s.start(inputs={"elbow": 0.5}), s.simulate(0.05, inputs={"elbow": 0.5})
    for _ in range(4):
        state = sim.step(0.05)
        assert state.t == run.t[-1] and np.array_equal(state.y, run.trajectory.at_end[1])
        run = run.extend(0.05)


def test_fixed_steps_are_those_of_one_run():
    s = arm()
    run = s.simulate(0.5, method="rk4", step=1 / 512, output=1 / 64)
    sim = s.start(method="rk4", step=1 / 512)
    for k in range(32):
        assert np.array_equal(sim.step(1 / 64).q, run.q[k + 1])


def push(t):
    return 2.0 if t >= 0.1234 else 0.0


def test_jumps_controllers_blocks_and_events_within_steps():
    s = arm(push)
    found: list[float] = []
    options = {
        "controllers": [kf.Sampled(0.03, lambda t, x: -0.4 * x[0], "lower.rate", "elbow")],
        "events": [kf.Event(lambda t, x: x[0], ["lower.q"], name="straight", action=lambda state: found.append(state.t))],
    }
    run = s.simulate(1.0, output=0.1, rtol=1e-10, atol=1e-12, **options)
    of_run, found[:] = list(found), []
    sim, events = s.start(rtol=1e-10, atol=1e-12, **options), []
    for k in range(40):
        state = sim.step(0.025)
        events += sim.events
        if k % 4 == 3:
            assert np.abs(state.q - run.q[(k + 1) // 4]).max() < 2e-9, k
    assert len(of_run) > 0 and np.allclose(found, of_run, atol=1e-9, rtol=0)
    assert [name for _, name in events] == [name for _, name in run.events]
    assert sim.inputs == ("shoulder",)  # the others are driven


def test_impacts_within_steps():
    s = ball()
    run, sim = s.simulate(2.0, output=0.1), s.start()
    impacts = []
    for k in range(20):
        state = sim.step(0.1)
        impacts += sim.impacts
        assert np.abs(state.q - run.q[np.searchsorted(run.t, state.t - 1e-9)]).max() < 1e-7, k
    assert len(impacts) == len(run.impacts) > 2
    first = math.sqrt(2 / G)
    assert impacts[0].t == pytest.approx(first, abs=1e-9) and impacts[1].t == pytest.approx(first * 2.2, abs=1e-8)
    back = sim.rewind()
    assert back.t == 0.0 and back["ball.z"] == 1.0 and np.abs(sim.step(0.1).q - run.q[1]).max() < 1e-12


def test_what_is_rewound_goes_the_same_way():
    s = arm(push)
    sim = s.start()
    u = np.array([0.3, -0.1])
    for _ in range(3):
        middle = sim.step(0.04, u)
    ahead = [sim.step(0.04, k * u).q for k in range(5)]
    assert sim.rewind(middle) is middle and sim.t == middle.t
    again = [sim.step(0.04, k * u).q for k in range(5)]
    assert np.array_equal(ahead, again)
    changed = sim.rewind(middle)
    changed["upper.q"] = 1.0
    assert sim.rewind(changed)["upper.q"] == 1.0 and sim.t == middle.t
    fresh = s.start(changed.copy(), inputs={"shoulder": 0.3, "elbow": -0.1})
    assert np.allclose(sim.step(0.1, u).q, fresh.step(0.1).q, rtol=1e-9)


def test_inputs_as_an_array_and_by_name_and_what_is_read():
    s = arm()
    a, b = s.start(), s.start()
    assert a.inputs == ("shoulder", "elbow")
    for _ in range(3):
        one, other = a.step(0.02, np.array([1.0, -2.0])), b.step(0.02, {"elbow": -2.0, "shoulder": 1.0})
        assert np.array_equal(one.q, other.q)
    seen = a.read("lower.position", "lag.lag", "shoulder")
    channels = s.channels(one.copy(), "lower.position", "lag.lag", inputs={"shoulder": 1.0, "elbow": -2.0})
    assert np.allclose(seen, [*channels["lower.position"], channels["lag.lag"], 1.0], rtol=1e-12)
    linear = a.linearize()
    expected = s.linearize(one.copy(), inputs={"shoulder": 1.0, "elbow": -2.0})
    assert np.array_equal(linear.A, expected.A) and np.array_equal(linear.B, expected.B)
    with pytest.raises(kf.ModelError, match=r"input that a step takes .brake. is not known"):
        a.step(0.1, {"brake": 1.0})
    for wrong in (np.zeros(3), [1.0], np.array([np.nan, 0.0])):
        with pytest.raises((kf.ModelError, kf.SimulationError), match=r"inputs of a step|finite|not a number"):
            b.step(0.1, wrong)
    with pytest.raises(kf.ModelError, match="dt is -1"):
        a.step(-1.0)
    with pytest.raises(kf.ModelError, match="auto"):
        s.start(method="auto")


def test_a_terminal_event_ends_the_motion_until_it_is_rewound():
    s = arm()
    stop = kf.Event(lambda t, x: x[0] - 0.2, ["upper.q"], terminal=True, name="low")
    sim = s.start(events=[stop])
    while not sim.ended:
        state = sim.step(0.05)
    assert state["upper.q"] == pytest.approx(0.2, abs=1e-9) and sim.events == [(state.t, "low")]
    with pytest.raises(kf.ModelError, match="rewind"):
        sim.step(0.05)
    sim.rewind()
    assert sim.step(0.01).t == 0.01


def test_steps_in_the_pace_of_the_clock():
    sim = arm().start(method="rk4", step=0.01)
    begun = time.perf_counter()
    states = list(sim.realtime(0.01, 0.1, control=lambda state: [0.1, 0.0], speed=2.0))
    assert len(states) == 10 and states[-1].t == pytest.approx(0.1) and time.perf_counter() - begun >= 0.05
