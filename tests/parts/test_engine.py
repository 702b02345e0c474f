"""Engines on a gimbal: thrust and propellant, servos and their limits, tail-wags-dog."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import Engine

G0 = 9.80665
ENGINE = Engine(1.2e6, mass=500.0, arm=1.5, inertia=(150.0, 280.0), stiffness=4e6, damping=3e4)


def vehicle(joint, engine=ENGINE):
    s = kf.System("vehicle")
    s.add("tank", kf.Rigid(40e3, inertia=(4e4, 5e6, 5e6)), joint)
    s.add_part("engine", engine, on="tank", at=(-20.0, 0, 0))
    return s


def test_thrust_and_propellant():
    """(m + m_n) a = T, and T t/(Isp g0); the throttle is cut at 0 and 1."""
    s = vehicle(kf.Prismatic("x"))
    run = s.simulate(2.0, inputs={"engine": 3.0}, rtol=1e-10)
    assert run["tank.rate"][-1] == pytest.approx(1.2e6 / 40.5e3 * 2.0, rel=1e-9)
    assert run["engine.propellant"][-1] == pytest.approx(1.2e6 * 2.0 / (300.0 * G0), rel=1e-12)
    assert not s.simulate(0.1, inputs={"engine": -1.0})["engine.thrust"].any()


def test_thrust_takes_time():
    s = vehicle(kf.Prismatic("x"), Engine(1.2e6, rise=0.4))
    run = s.simulate(2.0, inputs={"engine": 1.0}, rtol=1e-11, atol=1e-13)
    assert run["engine.thrust"] == pytest.approx(1.2e6 * (1 - np.exp(-run.t / 0.4)), rel=1e-8, abs=1.0)


def test_servo():
    """(I + m l^2) d'' + c d' + k d = k command, about both hinges."""
    linear = vehicle(kf.Fixed()).linearize()
    J = 280.0 + 500.0 * 1.5**2
    wanted = np.roots([J, 3e4, 4e6])
    values = linear.eigenvalues()
    for s in wanted:
        assert np.sum(np.abs(values - s) < 1e-8 * abs(s)) == 2
    at = {name: k for k, name in enumerate(linear.states)}
    inputs = {name: k for k, name in enumerate(linear.inputs)}
    assert linear.B[at["engine.angle2.rate"], inputs["engine_z"]] == pytest.approx(4e6 / J, rel=1e-12)


def test_hovering_is_an_equilibrium():
    """What is used goes on growing, and nothing depends on it; the level of thrust that takes time is found."""
    s = vehicle(kf.Prismatic("x"), Engine(1.2e6, mass=500.0, rise=0.4))
    s.gravity = (-9.81, 0.0, 0.0)
    part = 40.5e3 * 9.81 / 1.2e6
    state = s.equilibrium(inputs={"engine": part})
    assert state["engine.level"] == pytest.approx(part, rel=1e-12)
    with pytest.raises(kf.ModelError, match="no equilibrium"):
        s.equilibrium(inputs={"engine": 0.9 * part})


def test_limits_are_reached_and_left():
    s = vehicle(kf.Fixed())
    command = lambda t: 0.5 if t < 2 else 0.1
    run = s.simulate(4.0, inputs={"engine_y": command}, output=0.01, rtol=1e-10, atol=1e-12)
    q = run["engine.q"][:, 0]
    assert q[199] == pytest.approx(0.15, abs=1e-6) and q[-1] == pytest.approx(0.1, abs=1e-6)
    soft = Engine(1.2e6, mass=500.0, arm=1.5, inertia=(150.0, 280.0), stiffness=4e6, damping=3e4, torque_limit=1e4)
    run = vehicle(kf.Fixed(), soft).simulate(0.05, inputs={"engine_y": 0.1}, rtol=1e-10, atol=1e-12)
    assert run["engine.torque1"][0] == 1e4  # and so the nozzle moves by torque t^2/(2 J)
    assert run["engine.q"][-1, 0] == pytest.approx(1e4 * 0.05**2 / (2 * (280.0 + 500.0 * 1.5**2)), rel=1e-8)


def test_tail_wags_dog():
    """A vehicle that cannot pitch is not pushed aside at w = sqrt(T/(m_n l)): T d and m_n l d'' cancel."""
    s = kf.System("vehicle", gravity=(-1.2e6 / 40.5e3, 0, 0))
    s.add("rail", kf.PointMass(0.0), kf.Prismatic("x"))
    s.add("tank", kf.Rigid(40e3), kf.Prismatic("y"), parent="rail")
    s.add_part("engine", ENGINE, on="tank")
    linear = s.linearize(inputs={"engine": 1.0}, outputs=["tank.acceleration", "engine.angle2"])
    k = list(linear.inputs).index("engine_z")

    def across(w):
        x = np.linalg.solve(1j * w * np.eye(len(linear.A)) - linear.A, linear.B[:, k])
        y = linear.C @ x + linear.D[:, k]
        return (y[1] / y[3]).real

    zero = math.sqrt(1.2e6 / (500.0 * 1.5))
    assert across(0.5 * zero) == pytest.approx(1.2e6 / 40.5e3 * (1 - 0.25), rel=1e-9)
    assert abs(across(zero)) < 1e-9 and across(2 * zero) == pytest.approx(-3 * 1.2e6 / 40.5e3, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"thrust": 0.0}, "thrust of an Engine is 0: it must be positive"),
        ({"mass": -1.0}, "mass of an Engine"),
        ({"inertia": (5.0, 1.0)}, "inertia of an Engine is .*: no body has that"),
        ({"angle_limit": 2.0}, "a gimbal turns by less than 1.5"),
        ({"rise": -1.0}, "rise of an Engine"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        Engine(**{"thrust": 1.0, **change})
