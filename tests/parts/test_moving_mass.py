"""A mass on a track: momentum of body and mass, the servo and its limits, angular momentum relative to the body."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import MovingMass

FINE = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
BODY, J, MASS = 90.0, 30.0, 10.0


def craft(part, at=(1.0, 0, 0), **more):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(BODY, inertia=(J, J, J)), kf.Planar("z"), **more)
    s.add_part("ball", part, on="bus", at=at)
    return s


def test_servo():
    """Second order with w and 0.7 on a body that is held."""
    s = kf.System("held")
    s.add("bus", kf.Rigid(1.0), kf.Fixed())
    s.add_part("ball", MovingMass(MASS, bandwidth=3.0), on="bus")
    linear = s.linearize()
    for root in np.roots([1.0, 4.2, 9.0]):
        assert np.abs(linear.eigenvalues() - root).min() < 1e-12
    assert linear.B[list(linear.states).index("ball.slide.rate"), 0] == pytest.approx(9.0, rel=1e-14)
    run = s.simulate(6.0, inputs={"ball": 0.5}, **FINE)
    w, z = 3.0, 0.7
    d = w * math.sqrt(1 - z * z)
    exact = 0.5 * (1 - np.exp(-z * w * run.t) * (np.cos(d * run.t) + z * w / d * np.sin(d * run.t)))
    assert run["ball.q"] == pytest.approx(exact, abs=1e-9)


def test_body_moves_against_it():
    """Along a track through both mass centres the body goes back by m x/(M + m) and does not turn."""
    run = craft(MovingMass(MASS, (1, 0, 0)), at=(0, 0, 0)).simulate(8.0, inputs={"ball": 2.0}, **FINE)
    assert run["bus.q"] == pytest.approx(np.outer(-MASS / (BODY + MASS) * run["ball.q"], (1, 0, 0)), abs=1e-10)
    assert run["mass_centre.position"] == pytest.approx(np.zeros((len(run.t), 3)), abs=1e-10) and run.audit.ok


def test_angular_momentum_relative_to_the_body():
    """A track beside the mass centre: (J + m' r^2) w = -m' (r x r') with the reduced mass m', at all times."""
    run = craft(MovingMass(MASS, (0, 1, 0))).simulate(8.0, inputs={"ball": 2.0}, **FINE)
    m, y, rate = BODY * MASS / (BODY + MASS), run["ball.q"], run["ball.rate"]
    assert run["bus.angle.rate"] == pytest.approx(-m * rate / (J + m * (1 + y**2)), abs=1e-10)
    turn = -math.sqrt(m / (J + m)) * math.atan(2.0 * math.sqrt(m / (J + m)))  # its integral
    assert run["bus.angle"][-1] == pytest.approx(turn, abs=1e-6)


def test_limits_are_reached_and_left():
    part = MovingMass(MASS, (1, 0, 0), lower=-0.5, upper=1.0, force_limit=2.0)
    s = kf.System("held")
    s.add("bus", kf.Rigid(1.0), kf.Fixed())
    s.add_part("ball", part, on="bus")
    goal = lambda t: 5.0 if t < 20 else 0.2
    run = s.simulate(40.0, inputs={"ball": goal}, output=0.5, rtol=1e-10, atol=1e-12)
    assert run["ball.force"][0] == 2.0 and run["ball.q"][1] == pytest.approx(2.0 / MASS * 0.5**2 / 2, rel=1e-8)
    assert run["ball.q"][39] == pytest.approx(1.0, abs=1e-4) and run["ball.q"][-1] == pytest.approx(0.2, abs=1e-4)
    assert abs(run["ball.force"][-1]) < 1e-2


def test_prescribed():
    """A motion instead of the servo: the force is that of the mass's acceleration, on a body that is held."""
    s = kf.System("held")
    s.add("bus", kf.Rigid(1.0), kf.Fixed())
    s.add_part("ball", MovingMass(MASS, motion=kf.profiles.smooth_step(1.0, 4.0)), on="bus")
    run = s.simulate(4.0, output=0.1)
    force = MASS * 2 * math.pi / 16 * np.sin(2 * math.pi * run.t / 4)
    assert np.ravel(run["ball.drive"]) == pytest.approx(force, abs=1e-9)
    assert run["ball.q"][-1] == pytest.approx(1.0) and "ball" not in s.inputs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": 0.0}, "mass of a MovingMass is 0: it must be positive"),
        ({"lower": 1.0, "upper": 0.0}, "lower must be below"),
        ({"place": 3.0, "upper": 2.0}, "place of a MovingMass is 3: its track is from -inf to 2 m"),
        ({"force_limit": -1.0}, "force_limit of a MovingMass"),
        ({"axis": (0, 0, 0)}, "axis of a MovingMass"),
        ({"bandwidth": 0.0}, "bandwidth of a MovingMass"),
        ({"motion": 3}, "motion of a MovingMass"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        MovingMass(**{"mass": 1.0, **change})
