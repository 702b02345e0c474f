"""Going on from a run: as if it had not stopped, with other settings, from changed values, after loading, and as one run."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.simulate.methods import METHODS


def cart(rate: float = 0.0) -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), rates=rate)
    s.add_input("motor", kf.JointForce("cart"))
    return s


def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), q=1.0)
    s.add_input("motor", kf.JointForce("rod"))
    return s


# Sampled controllers


@pytest.mark.parametrize("first", [0.25, 0.3, 0.9])
def test_controllers_keep_their_clock(first, tmp_path):
    """Ticks at 0, 0.3, 0.6 ... wherever the run is cut; the force is the time of the last one."""
    law = kf.Sampled(0.3, lambda t, x: t, [], "motor")
    whole = cart().simulate(1.5, controllers=[law])
    run = cart().simulate(first, controllers=[law])
    parts = [run.extend(1.5 - first)]
    parts.append(kf.Run.load(run.save(tmp_path / "run.h5")).extend(1.5 - first, controllers=[law]))
    exact = 0.3 * (0.3 + 0.6 + 0.9 + 1.2)
    for part in (whole, *parts):
        assert part["cart.rate"][-1] == pytest.approx(exact, rel=1e-12)


def test_held_input_goes_on_until_the_next_tick():
    ticks = []

    def law(t, x):
        ticks.append(t)
        return 1.0 + len(ticks)

    run = cart().simulate(0.5, controllers=[kf.Sampled(1.0, law, [], "motor")])
    on = run.extend(0.4)
    assert ticks == [0.0] and on["motor"][-1] == 2.0 and on["cart.rate"][-1] == pytest.approx(1.8)


# Settings and values


def test_initial_values_are_put_into_the_last_state():
    run = cart(rate=1.0).simulate(1.0)
    on = run.extend(1.0, initial={"cart.rate": -2.0})
    assert on["cart.q"][0] == pytest.approx(1.0) and on["cart.q"][-1] == pytest.approx(-1.0)
    both = run.joined(on)
    assert both.audit.ok and both.audit.applied_work == pytest.approx(0.5 * 4 - 0.5)
    state = run.final
    state["cart.q"] = 7.0
    assert run.extend(1.0, initial=state)["cart.q"][-1] == pytest.approx(8.0)
    with pytest.raises(kf.ModelError, match="crat"):
        run.extend(1.0, initial={"crat.q": 1.0})


def test_settings_of_the_integrator_may_change():
    run = pendulum().simulate(1.0)
    whole = pendulum().simulate(2.0, rtol=1e-12, atol=1e-13)
    fine = run.extend(1.0, rtol=1e-12, atol=1e-13, method="dop853")
    assert fine.trajectory.options.method == "dop853" and fine.trajectory.options.rtol == 1e-12
    assert fine.trajectory.options.speeds == run.trajectory.options.speeds
    assert fine.final.q == pytest.approx(whole.final.q, abs=1e-7)
    assert fine.extend(0.5).trajectory.options.rtol == 1e-12
    short = run.extend(1.0, max_step=1e-3)
    assert short.statistics["steps"] >= 1000
    with pytest.raises(kf.ModelError, match="rtol"):
        run.extend(1.0, rtol=-1.0)


def test_times_that_end_before_the_run_does():
    run = cart(rate=1.0).simulate(2.0, times=[0.0, 0.5, 1.0])
    on = run.extend(1.0)
    assert on.t[0] == 2.0 and on["cart.q"][0] == pytest.approx(2.0) and on["cart.q"][-1] == pytest.approx(3.0)


@pytest.mark.parametrize("method", [n for n, m in METHODS.items() if m.exact and m.adaptive])
def test_continuation_after_early_times_has_the_same_bits(method, tmp_path):
    run, plain = pendulum().simulate(2.0, times=[0.5], method=method), pendulum().simulate(2.0, method=method)
    for part in (run, kf.Run.load(run.save(tmp_path / "run.h5"))):
        assert np.array_equal(part.extend(1.0).q, plain.extend(1.0).q)


def test_inputs_are_given_anew_by_name():
    s = cart()
    s.add_input("wind", kf.JointForce("cart"))
    run = s.simulate(1.0, inputs={"motor": lambda t: 2.0, "wind": lambda t: 3.0 * t})
    on = run.extend(1.0, inputs={"motor": 0.0})
    assert on["cart.rate"][-1] == pytest.approx(2.0 + 6.0) and on["motor"][-1] == 0.0


def test_file_with_functions_of_inputs(tmp_path):
    s = cart()
    s.add_input("wind", kf.JointForce("cart"))
    motor, wind = (lambda t: 2.0 * t), (lambda t: 3.0)
    run = s.simulate(1.0, inputs={"motor": motor, "wind": wind})
    path = run.save(tmp_path / "run.h5")
    assert kf.Run.load(path, {"motor": motor, "wind": wind}).extend(1.0)["cart.rate"][-1] == pytest.approx(4.0 + 6.0)
    half = kf.Run.load(path, {"motor": motor})
    with pytest.raises(kf.ModelError, match=r'give inputs for "wind" again'):
        half.extend(1.0)
    assert half.extend(1.0, inputs={"wind": wind})["cart.rate"][-1] == pytest.approx(10.0)
    again = kf.Run.load(half.save(tmp_path / "half.h5"))
    with pytest.raises(kf.ModelError, match=r'"wind".*"motor"|"motor".*"wind"'):
        again.extend(1.0)


# The audit


def test_audit_knows_the_energy_of_what_came_before():
    """A flywheel is braked to a millionth of its speed: what is left is less than the first part's rounding."""
    s = kf.System("wheel")
    s.add("wheel", kf.Rigid(1.0, inertia=(1, 1, 1.0)), kf.Revolute("z"), rates=1e3)
    s.apply("brake", kf.JointSpring("wheel", damping=2.0))
    run = s.simulate(8.0)
    on = run.extend(8.0)
    assert run.audit.ok and on.audit.ok
    assert on.audit.energy_scale == pytest.approx(5e5, rel=1e-6) and on.extend(8.0).audit.ok


# As one run


def events():
    return [kf.Event(lambda t, x: x[0], ["rod.q"], name="down")]


def test_joined_run_is_the_whole_run(tmp_path):
    arguments = {"output": 0.01, "events": events(), "inputs": {"motor": lambda t: 0.1 * math.sin(t)}}
    whole = pendulum().simulate(3.0, **arguments)
    both = pendulum().simulate(1.0, **arguments).extend(2.0, output=0.01, joined=True)
    assert both.segments == () and both.t == pytest.approx(whole.t, abs=1e-12)
    for name in ("rod.q", "rod.acceleration", "energy.total", "motor"):
        assert both[name] == pytest.approx(whole[name], abs=1e-6)
    assert [n for _, n in both.events] == [n for _, n in whole.events] and both.status == "done"
    assert both.audit.ok and both.audit.applied_work == pytest.approx(whole.audit.applied_work, abs=1e-7)
    assert both.audit.energy_start == whole.audit.energy_start
    parts = pendulum().simulate(1.0, **arguments)
    steps = parts.statistics["steps"] + parts.extend(2.0, output=0.01).statistics["steps"]
    assert both.statistics["steps"] == steps
    again = kf.Run.load(both.save(tmp_path / "both.h5"))
    assert np.array_equal(again.t, both.t) and np.array_equal(again["rod.q"], both["rod.q"]) and again.events == both.events
    assert both.extend(1.0, joined=True).t[-1] == pytest.approx(4.0)


def test_joined_run_without_events_goes_on_with_the_same_bits():
    run = pendulum().simulate(1.0)
    both = run.extend(1.0, joined=True)
    assert np.array_equal(both.q[: len(run.t)], run.q) and len(both.t) == 2 * len(run.t) - 1
    assert np.array_equal(both.extend(0.5).q, run.extend(1.0).extend(0.5).q)


def test_joined_run_with_other_inputs_has_a_seam(tmp_path):
    """Each part keeps its own input function; the instant of the change is sampled on both sides."""
    run = cart().simulate(1.0, inputs={"motor": lambda t: 1.0})
    both = run.joined(run.extend(1.0, inputs={"motor": lambda t: 3.0}))
    seam = len(run.t)
    assert both["motor"][seam - 1] == 1.0 and both["motor"][seam] == 3.0 and both.t[seam - 1] == both.t[seam] == 1.0
    assert both["cart.rate"][-1] == pytest.approx(4.0) and both.q.shape == (len(both.t), 1)
    assert both.audit.ok and both.audit.applied_work == pytest.approx(8.0)
    again = kf.Run.load(both.save(tmp_path / "both.h5"))
    assert np.array_equal(again["motor"], both["motor"]) and again.audit.energy_drift == both.audit.energy_drift


def test_joined_run_of_a_system_that_changes():
    lock = kf.Event(lambda t: t - 1.5, name="lock", action=lambda state, change: change.lock("cart"))
    run = cart(rate=1.0).simulate(1.0, events=[lock])
    both = run.extend(1.0, joined=True)
    assert len(both.segments) == 1 and both.segments[0].t[-1] == 1.5 and both["cart.q"][-1] == pytest.approx(1.5)
    assert both.events == [(1.5, "lock")] and np.all(np.diff(both.t) >= 0) and both.audit.ok


def test_joined_run_with_constraints_has_its_seam_once():
    s = kf.System("rod", gravity=(0, 0, -9.81))
    s.add("bob", kf.PointMass(1.0), kf.Translational(), q=(1.0, 0, 0))
    s.constrain("rod", kf.Distance("N", "bob", 1.0))
    run = s.simulate(1.0)
    both = run.extend(1.0, joined=True)
    assert both.segments == () and np.all(np.diff(both.t) > 0) and both.audit.ok


def test_only_what_follows_can_be_joined():
    run = cart(rate=1.0).simulate(1.0)
    with pytest.raises(kf.ModelError, match="does not go on from this one"):
        run.extend(1.0).joined(run)
