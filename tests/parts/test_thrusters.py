"""Thrusters: impulse, propellant, pulses, rise and fall; clusters of them."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import Thruster, ThrusterCluster, couples

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-14}
G0 = 9.80665


def sled(thruster, at=None):
    s = kf.System("sled")
    s.add("sled", kf.Rigid(50.0, inertia=(5.0, 5.0, 5.0)), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("jet", thruster, on="sled", at=at)
    return s


def test_throttle():
    """F t / m, and propellant F t / (Isp g0); levels below 0 and above 1 are cut."""
    run = sled(Thruster(20.0, specific_impulse=200.0)).simulate(4.0, inputs={"jet": 0.25}, **TIGHT)
    assert np.abs(run["sled.velocity"][:, 0] - 5.0 / 50.0 * run.t).max() < 1e-13
    assert np.abs(run["jet.propellant"] - 5.0 * run.t / (200.0 * G0)).max() < 1e-15
    wild = sled(Thruster(20.0)).simulate(4.0, inputs={"jet": lambda t: 7.0 if t < 2 else -3.0}, **TIGHT)
    assert np.abs(wild["jet.thrust"] - 20.0 * (wild.t < 2)).max() == 0.0
    assert wild["sled.velocity"][-1, 0] == pytest.approx(20.0 * 2 / 50.0, rel=1e-12)


def test_a_thruster_off_the_centre_turns_the_body():
    """Torque r x F, in axes of the place: 2 m x 20 N about z."""
    s = sled(Thruster(20.0, direction=(0, 0, 1)), at=kf.Frame((2.0, 0, 0), (("x", -np.pi / 2),)))  # its z is the body's y
    run = s.simulate(0.5, inputs={"jet": 1.0}, **TIGHT)
    assert np.abs(run["sled.omega"][:, 2] - 2.0 * 20.0 / 5.0 * run.t).max() < 1e-11


def test_rise_and_fall():
    """1 - exp(-t/rise), then exp(-t/fall): the impulse of a pulse is F (T + fall - rise) (1 - ...) exactly as integrated."""
    s = sled(Thruster(20.0, rise=0.05, fall=0.1))
    run = s.simulate(2.0, inputs={"jet": lambda t: 1.0 if t < 0.5 else 0.0}, **TIGHT)
    t, top = run.t, 1 - np.exp(-0.5 / 0.05)
    exact = 20.0 * np.where(t < 0.5, 1 - np.exp(-t / 0.05), top * np.exp(-(t - 0.5) / 0.1))
    assert np.abs(run["jet.thrust"] - exact).max() < 1e-8
    impulse = 20.0 * (0.5 - 0.05 * top + top * 0.1 * (1 - np.exp(-15.0)))
    assert 50.0 * run["sled.velocity"][-1, 0] == pytest.approx(impulse, rel=1e-9)


def test_pulses():
    """Three tenths of each cycle; less than the minimum impulse is nothing; the whole is always open."""
    s = sled(Thruster(20.0, cycle=0.5, minimum_impulse=0.4))
    run = s.simulate(10.0, inputs={"jet": 0.3}, output=0.01, **TIGHT)
    assert 50.0 * run["sled.velocity"][-1, 0] == pytest.approx(20.0 * 0.3 * 10.0, rel=1e-8)
    phase = run.t % 0.5
    inside = (np.abs(phase - 0.15) > 1e-6) & (phase > 1e-6) & (phase < 0.5 - 1e-6)
    assert (run["jet.open"] == (phase < 0.15))[inside].all()
    for level, impulse in ((0.039, 0.0), (0.041, 20.0 * 0.041 * 10.0), (1.0, 200.0)):
        moved = s.simulate(10.0, inputs={"jet": level}, **TIGHT)
        assert 50.0 * moved["sled.velocity"][-1, 0] == pytest.approx(impulse, rel=1e-7, abs=1e-12)


def test_linear_model_is_exact():
    linear = sled(Thruster(20.0, rise=0.05, fall=0.1)).linearize(inputs={"jet": 0.5})
    at = {name: k for k, name in enumerate(linear.states)}
    assert linear.B[at["jet.valve"], 0] == pytest.approx(1 / 0.05, rel=1e-14)
    assert linear.A[at["sled.vx"], at["jet.valve"]] == pytest.approx(20.0 / 50.0, rel=1e-14)
    assert linear.A[at["jet.propellant"], at["jet.valve"]] == pytest.approx(20.0 / (220.0 * G0), rel=1e-14)


def craft(**more):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(50.0, inertia=(5.0, 6.0, 7.0)), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("rcs", ThrusterCluster(Thruster(4.0), *couples(1.5), **more), on="bus")
    return s


def test_allocation_gives_the_torque_and_no_force():
    """Of pairs, each torque by one pair of its sense: two jets of 4 N at 1.5 m give at most 12 N m."""
    run = craft().simulate(0.5, inputs={"rcs_tx": 6.0, "rcs_tz": -3.0}, **TIGHT)
    omega = run["bus.omega"]
    assert omega[5] == pytest.approx([6.0 / 5.0 * run.t[5], 0, -3.0 / 7.0 * run.t[5]], abs=1e-6)
    assert np.abs(run["bus.velocity"]).max() < 1e-13
    levels = np.column_stack([run[f"rcs.level{k + 1}"] for k in range(12)])[0]
    assert levels.min() >= 0 and 4.0 * 1.5 * levels.sum() == pytest.approx(9.0, rel=1e-12)
    used = 4.0 * levels.sum() * run.t[-1] / (220.0 * G0)
    assert run["rcs.propellant"][-1] == pytest.approx(used, rel=1e-9)


def test_a_cluster_gives_what_its_thrusters_can():
    """More than 12 N m about x is cut, and what is less comes back; what was cut is not made up for."""
    run = craft().simulate(1.0, inputs={"rcs_tx": lambda t: 30.0 if t < 0.5 else -6.0}, **TIGHT)
    assert run["bus.omega"][-1] == pytest.approx([(12.0 * 0.5 - 6.0 * 0.5) / 5.0, 0, 0], abs=1e-9)
    assert max(run[f"rcs.level{k + 1}"][0] for k in range(12)) == pytest.approx(2.5, rel=1e-12)  # as asked for
    assert sum(run[f"rcs_{k + 1}.thrust"][0] for k in range(12)) == pytest.approx(8.0, rel=1e-12)


def test_allocation_of_force_and_torque():
    run = craft(controls="all").simulate(0.2, inputs={"rcs_fx": 2.0, "rcs_ty": 1.0}, **TIGHT)
    assert run["bus.velocity"][3] == pytest.approx([2.0 / 50.0 * run.t[3], 0, 0], abs=1e-8)
    assert run["bus.omega"][3] == pytest.approx([0, 1.0 / 6.0 * run.t[3], 0], abs=1e-10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Thruster(-1.0), "thrust of a Thruster is -1: it must be positive"),
        (lambda: Thruster(1.0, minimum_impulse=0.1), "is pulsed: give its cycle"),
        (lambda: Thruster(1.0, minimum_impulse=0.1, cycle=0.05), "one cycle of full thrust gives only 0.05"),
        (lambda: Thruster(1.0, rise=0.1), "a rise without a fall"),
        (lambda: ThrusterCluster(Thruster(1.0), [(1, 0, 0)], [(0, 1, 0)]), "do not reach tx alone"),
        (
            lambda: ThrusterCluster(Thruster(1.0), np.eye(3).tolist(), np.roll(np.eye(3), 1, 0).tolist()),
            "do not reach -tx alone|do not reach tx alone",
        ),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
