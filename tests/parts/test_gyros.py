"""Control moment gyros, clusters of them, and the ideal store of momentum."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import ControlMomentGyro, GyroCluster, MomentumStore

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
GYRO = {"momentum": 100.0, "inertia": 0.5, "mass": 20.0}


def held(gyro):
    s = kf.System("held")
    s.add("bus", kf.Rigid(100.0, inertia=(50.0, 50.0, 50.0)), kf.Fixed())
    s.add_part("gyro", gyro, on="bus")
    return s


def free(part, inertia=(200.0, 300.0, 400.0)):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(500.0, inertia=inertia), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0), rates=(0,) * 6)
    s.add_part("unit", part, on="bus")
    return s


def test_torque_is_gimbal_rate_times_momentum():
    """0.5 kg m^2 x 200 rad/s x 0.2 rad/s = 20 N m on a body that is held, across gimbal and spin."""
    run = held(ControlMomentGyro(**GYRO)).simulate(5.0, inputs={"gyro": 0.2}, **TIGHT)
    late = run.t > 3.0  # the servo's start is over
    assert np.abs(run["gyro.angle.rate"][late] - 0.2).max() < 1e-9
    assert np.abs(run["gyro.angle"][late] - 0.2 * run.t[late]).max() < 1e-9
    torque = run.loads("gyro").torque[late]
    assert np.abs(np.linalg.norm(torque, axis=1) - 20.0).max() < 1e-7
    spin = run["gyro.rotation"][late][:, :, 0]
    assert np.abs(np.einsum("ni,ni->n", torque, spin)).max() < 1e-6


def test_gimbal_turns_the_body():
    """A body that turns about y, spin first along x: w = -h sin d / (I_b + I_t cos^2 d), the wheel's own spin being free."""
    s = kf.System("shaft")
    s.add("bus", kf.Rigid(100.0, inertia=(50.0, 50.0, 50.0)), kf.Revolute("y"))
    s.add_part("gyro", ControlMomentGyro(**GYRO, gimbal_inertia=0.4), on="bus")
    run = s.simulate(6.0, inputs={"gyro": 0.5}, **TIGHT)
    d = run["gyro.angle"]
    assert d[-1] > 2.9
    exact = -100.0 * np.sin(d) / (50.0 + 0.4 * np.cos(d) ** 2)
    assert np.abs(run["bus.rate"] - exact).max() < 1e-9


def test_two_gimbals_turn_the_momentum_anywhere():
    """Momentum of wheel and body together stays; the wheel's follows both angles."""
    gyro = ControlMomentGyro(**GYRO, inner=(0, 1, 0), angle=(0.3, -0.2))
    s = free(gyro)
    run = s.simulate(10.0, inputs={"unit_1": 0.05, "unit_2": -0.04}, **TIGHT)
    assert np.abs(run["momentum.central"] - run["momentum.central"][0]).max() < 1e-9
    assert abs(run["unit.angle1"][-1] - (0.3 + 0.5)) < 1e-4 and abs(run["unit.angle2"][-1] - (-0.2 - 0.4)) < 1e-4
    assert np.linalg.norm(run["momentum.central"][0]) == pytest.approx(100.0, rel=1e-12)
    assert np.linalg.norm(run["bus.omega"][-1]) > 0.1


def test_limits_are_reached_and_left():
    """Of the rate at once; of the torque, which then speeds the gimbal up at torque/inertia."""
    s = held(ControlMomentGyro(**GYRO, rate_limit=0.1, torque_limit=0.01, gimbal_inertia=0.4))
    run = s.simulate(12.0, inputs={"gyro": lambda t: 1.0 if t < 8.0 else 0.02}, output=0.05, **TIGHT)
    early = run.t < 3.5
    assert np.abs(run["gyro.angle.rate"][early] - 0.01 / 0.4 * run.t[early]).max() < 1e-9
    assert np.abs(run["gyro.torque"]).max() <= 0.01
    at = run.t.searchsorted(7.9)
    assert run["gyro.angle.rate"][at] == pytest.approx(0.1, abs=1e-6)
    assert run["gyro.angle.rate"][-1] == pytest.approx(0.02, abs=1e-4)


def test_linear_model_is_exact():
    """Gyroscopic terms of the wheel, and the servo: x'' = 2 d w (c - x') + w^2 e, e' = c - x'."""
    s = held(ControlMomentGyro(**GYRO, bandwidth=20.0))
    linear = s.linearize()
    poles = np.sort_complex(linear.eigenvalues())
    exact = np.sort_complex(np.append(np.roots([1, 28.0, 400.0]), [0.0, 0.0]))
    assert np.abs(poles - exact).max() < 1e-9 and linear.inputs == ("gyro",)


# -- clusters ----------------------------------------------------------------------------------------------------------


def cluster(**more):
    return GyroCluster.pyramid(ControlMomentGyro(**GYRO), **more)


def test_measure_of_the_pyramid():
    """At the angles zero det J J^T = (2 c^2)^2 4 s^2."""
    for skew in (0.6, math.atan(math.sqrt(2.0))):
        s = free(cluster(skew=skew))
        c, d = math.cos(skew), math.sin(skew)
        assert s.channels(None, "unit.measure")["unit.measure"] == pytest.approx(2 * c * c * 2 * d, rel=1e-12)


def test_the_torque_is_what_was_asked_for():
    """Momentum of the body grows as the integral of the torque, as long as it is small against that of the gyros."""
    s = free(cluster())
    wanted = np.array([3.0, -2.0, 4.0])
    run = s.simulate(10.0, inputs=dict(zip(("unit_x", "unit_y", "unit_z"), wanted, strict=True)), **TIGHT)
    held = np.column_stack([run[f"unit.h{x}"] for x in "xyz"])
    late = run.t > 1.0
    slope = np.gradient(held, run.t, axis=0)[late][2:-2]
    assert np.abs(slope + wanted).max() < 2e-3  # of the wheels, in axes of the body; what is left are slow rates' servos
    assert np.abs(run["momentum.central"] - run["momentum.central"][0]).max() < 1e-8


def test_null_motion_gives_no_torque():
    """The gimbals turn to the preferred angles, the body stays."""
    away = np.array([0.4, -0.4, 0.4, -0.4])  # of no momentum as well: opposite wheels cancel
    s = free(cluster(steering="null-motion", angles=away, preferred=np.zeros(4), gain=0.5))
    run = s.simulate(20.0, **TIGHT)
    angles = np.column_stack([run[f"unit_{k}.angle"] for k in (1, 2, 3, 4)])
    assert np.abs(angles[-1]).max() < 1e-3
    plain = free(cluster(angles=away)).simulate(20.0, **TIGHT)
    assert np.abs(plain["unit_1.angle"] - 0.4).max() < 1e-9
    assert np.abs(run["bus.omega"][-1]).max() < 1e-4


def test_singular_angles():
    """All wheels as far along x as they go: no rate gives torque there. The pseudo-inverse says so, the robust goes on."""
    angles = np.array([-math.pi / 2, math.pi, math.pi / 2, 0.0])
    s = free(cluster(angles=angles))
    assert s.channels(None, "unit.measure")["unit.measure"] < 1e-6
    with pytest.raises((kf.ModelError, ValueError), match="the gyros are singular"):
        s.simulate(1.0, inputs={"unit_x": 1.0})
    robust = free(cluster(angles=angles, steering="robust"))
    run = robust.simulate(1.0, inputs={"unit_y": 1.0})
    assert run.status == "done" and np.isfinite(run["unit_steering.rate1"]).all()


# -- the ideal store ---------------------------------------------------------------------------------------------------


def test_store_keeps_the_whole_momentum():
    s = free(MomentumStore((5.0, -3.0, 2.0)))
    law = {"unit_x": lambda t: np.sin(t), "unit_y": 0.5, "unit_z": lambda t: -0.3 * t}
    run = s.simulate(20.0, initial={"bus.rate": (0, 0, 0, 0.02, -0.03, 0.05)}, inputs=law, **TIGHT)
    h = np.column_stack([run[f"unit.h{x}"] for x in "xyz"])
    whole = run["momentum.central"] + np.einsum("nij,nj->ni", run["bus.rotation"], h)
    assert np.abs(whole - whole[0]).max() < 1e-8
    assert np.abs(run["unit.stored"] - np.linalg.norm(h, axis=1)).max() < 1e-12


def test_store_takes_up_what_it_gives():
    """A torque T about z for t seconds: the body turns at T t/I, and h = -T t."""
    s = free(MomentumStore())
    inertia = s.channels(None, "mass_centre.inertia")["mass_centre.inertia"][2, 2]
    run = s.simulate(3.0, inputs={"unit_z": 0.02}, **TIGHT)
    assert run["bus.omega"][-1, 2] == pytest.approx(0.06 / inertia, rel=1e-10)
    assert run["unit.hz"][-1] == pytest.approx(-0.06, rel=1e-10)


def test_store_alone_turns_with_the_body():
    """Without commands it is fixed in N: seen from a body that turns about z, it goes round the other way."""
    s = free(MomentumStore((1.0, 0.0, 0.0)))
    run = s.simulate(5.0, initial={"bus.rate": (0, 0, 0, 0, 0, 0.4)}, **TIGHT)
    assert np.abs(run["unit.hx"] - np.cos(0.4 * run.t)).max() < 1e-10
    assert np.abs(run["unit.hy"] + np.sin(0.4 * run.t)).max() < 1e-10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ControlMomentGyro(100.0, -1.0, 20.0), "inertia of a ControlMomentGyro is -1: it must be positive"),
        (lambda: ControlMomentGyro(**GYRO, spin=(0, 0, 1)), "gimbal and spin of a ControlMomentGyro are not perpendicular"),
        (lambda: ControlMomentGyro(**GYRO, gimbal_inertia=0.1), "at least half of its inertia about the axis"),
        (lambda: ControlMomentGyro(**GYRO, inner=(0, 1, 0), angle=0.1), "angle of a ControlMomentGyro"),
        (lambda: cluster(steering="best"), 'steering of a GyroCluster "best" is not known'),
        (lambda: GyroCluster(ControlMomentGyro(**GYRO), [(0, 0, 1)], [(1, 0, 0)]), "give three or more"),
        (lambda: MomentumStore((1, 2)), "initial momentum of a MomentumStore"),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
