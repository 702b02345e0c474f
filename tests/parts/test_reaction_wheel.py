"""Reaction wheels: momentum exchanged, limits, friction, imbalance, prescribed speed."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import ReactionWheel

TIGHT = {"method": "dop853", "rtol": 1e-12, "atol": 1e-13}


def on_a_shaft(wheel, inertia=2.0):
    """A bus that turns about z alone, with a wheel along z."""
    s = kf.System("shaft")
    s.add("bus", kf.Rigid(10.0, inertia=(inertia,) * 3), kf.Revolute("z"))
    s.add_part("wheel", wheel, on="bus")
    return s


def test_torque_moves_momentum_to_the_wheel():
    """J (W + w)' = T, (I - J) w' = -T with the wheel in the bus's inertia I."""
    s = on_a_shaft(ReactionWheel(inertia=0.1))
    run = s.simulate(5.0, inputs={"wheel": 0.2}, **TIGHT)
    w = -0.2 * run.t / (2.0 - 0.1)
    assert np.abs(run["bus.rate"] - w).max() < 1e-13
    assert np.abs(run["wheel.speed"] - (0.2 / 0.1 * run.t - w)).max() < 1e-11
    assert np.abs(run["wheel.power"] - 0.2 * run["wheel.speed"]).max() < 1e-12
    assert np.abs(run["momentum.central"]).max() < 1e-13


def test_a_body_of_its_own_is_the_same_wheel():
    rotor = on_a_shaft(ReactionWheel(inertia=0.1, viscous=0.01))
    body = on_a_shaft(ReactionWheel(inertia=0.1, viscous=0.01, mass=1.0), inertia=1.9)
    a, b = (s.simulate(5.0, inputs={"wheel": 0.2}, **TIGHT) for s in (rotor, body))
    assert np.abs(a["bus.rate"] - b["bus.rate"]).max() < 1e-12
    assert np.abs(a["wheel.speed"] - b["wheel.speed"]).max() < 1e-10


def test_friction_slows_it_down():
    """Viscous: W decays at c (1/J + 1/(I - J)). Dry, at once full: it loses speed at a constant rate."""
    s = on_a_shaft(ReactionWheel(inertia=0.1, viscous=0.01, rate=100.0))
    run = s.simulate(20.0, **TIGHT)
    exact = 100.0 * np.exp(-0.01 * (1 / 0.1 + 1 / 1.9) * run.t)
    assert np.abs(run["wheel.speed"] / exact - 1).max() < 1e-11
    dry = on_a_shaft(ReactionWheel(inertia=0.1, coulomb=0.05, coulomb_rate=1e-6, rate=100.0)).simulate(20.0, **TIGHT)
    assert np.abs(dry["wheel.speed"] - (100.0 - 0.05 * (1 / 0.1 + 1 / 1.9) * dry.t)).max() < 1e-9


def test_limits_are_reached_and_left():
    """Torque to 0.2 N m; power to 2 W: from 2/0.2 = 10 rad/s on, J' W W' = P with J' = J (I - J)/I; speed to 20 rad/s."""
    wheel = ReactionWheel(inertia=0.1, torque_limit=0.2, power_limit=2.0, speed_limit=20.0)
    run = on_a_shaft(wheel).simulate(40.0, inputs={"wheel": lambda t: 1.0 if t < 25.0 else -0.1}, output=0.1, **TIGHT)
    w, t, J = run["wheel.speed"], run.t, 0.1 * 1.9 / 2.0
    first = 10.0 * J / 0.2
    assert np.abs(w - 0.2 / J * t)[t < first].max() < 1e-9
    second = (t > first) & (w < 19.7)
    assert np.abs(w**2 - (100.0 + 2 * 2.0 / J * (t - first)))[second & (t < 25)].max() < 1e-7
    assert np.abs(run["wheel.motor"]).max() <= 0.2 and np.abs(run["wheel.power"]).max() < 2.0 + 1e-12
    held = (t > 20.0) & (t < 25.0)
    assert np.abs(w[held] - 20.0).max() < 1e-11 and w.max() < 20.0 + 1e-11
    left = t > 25.0
    assert np.abs(w[left] - (20.0 - 0.1 / J * (t[left] - 25.0))).max() < 1e-9
    assert np.abs(np.diff(w[left]) / 0.1 + 0.1 / J).max() < 1e-9
    assert run.audit.ok


def test_imbalance_shakes_the_body():
    """The body held: force U W^2 and torque D W^2, turning with the wheel."""
    s = kf.System("held")
    s.add("bus", kf.Rigid(10.0, inertia=(2.0, 2.0, 2.0)), kf.Fixed())
    motion = kf.profiles.constant_rate(30.0)
    wheel = ReactionWheel(inertia=0.1, mass=2.0, static_imbalance=1e-3, dynamic_imbalance=2e-3, motion=motion)
    s.add_part("wheel", wheel, on="bus")
    run = s.simulate(1.0, **TIGHT)
    loads = run.loads("wheel")
    assert np.abs(np.linalg.norm(loads.force, axis=1) - 1e-3 * 30.0**2).max() < 1e-10
    assert np.abs(np.linalg.norm(loads.torque, axis=1) - 2e-3 * 30.0**2).max() < 1e-10
    assert np.abs(run["wheel.drive"]).max() < 1e-12


def test_prescribed_speed_turns_the_body():
    s = on_a_shaft(ReactionWheel(inertia=0.1, mass=1.0, motion=kf.profiles.spin_up(rate=50.0, time=2.0)), inertia=1.9)
    run = s.simulate(3.0, **TIGHT)
    assert run["wheel.rate"][-1] == pytest.approx(50.0, abs=1e-9)
    assert run["bus.rate"][-1] == pytest.approx(-0.1 * 50.0 / 2.0, abs=1e-10)


def test_linear_model_is_exact():
    """About a spinning wheel: gyroscopic terms, friction, and no more torque where a limit is reached."""
    s = kf.System("craft")
    s.add("bus", kf.Rigid(100.0, inertia=(20.0, 30.0, 40.0)), kf.Free())
    s.add_part("wheel", ReactionWheel((1, 0, 0), 0.1, viscous=1e-3, torque_limit=0.2, rate=100.0), on="bus")
    linear = s.linearize(inputs={"wheel": 0.1})
    at = {name: k for k, name in enumerate(linear.states)}
    A, B = linear.A, linear.B[:, 0]
    wheel, x, y, z = (at[n] for n in ("wheel.rate", "bus.wx", "bus.wy", "bus.wz"))
    h = 0.1 * 100.0
    assert A[y, z] == pytest.approx(-h / 30.0, rel=1e-13) and A[z, y] == pytest.approx(h / 40.0, rel=1e-13)
    assert A[x, wheel] == pytest.approx(1e-3 / 19.9, rel=1e-13)
    assert B[x] == pytest.approx(-1 / 19.9, rel=1e-13) and B[wheel] == pytest.approx(1 / 0.1 + 1 / 19.9, rel=1e-13)
    assert not s.linearize(inputs={"wheel": 0.3}).B.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inertia": 0.0}, "inertia of a ReactionWheel is 0: it must be positive"),
        ({"torque_limit": -1.0}, "torque_limit of a ReactionWheel is -1: it must be positive"),
        ({"axis": (0, 0, 0)}, "axis of a ReactionWheel"),
        ({"viscous": -1e-3}, "viscous of a ReactionWheel is -0.001: it must not be negative"),
        ({"rate": 700.0, "speed_limit": 600.0}, "rate of a ReactionWheel is 700: its speed_limit is 600 rad/s"),
        ({"static_imbalance": 1e-3}, "a ReactionWheel with static_imbalance is a body of its own: give its mass"),
    ],
)
def test_refused_by_name(arguments, message):
    with pytest.raises(kf.ModelError, match=message):
        ReactionWheel(**arguments)
