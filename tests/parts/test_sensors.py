"""Sensors: what they tell, late and noisy."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import Accelerometer, Gyro, StarTracker, SunSensor

TIGHT = {"method": "dop853", "rtol": 1e-10, "atol": 1e-13}


def craft(sensor, at=None, **more):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(5.0, inertia=(2.0, 2.0, 2.0)), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0), **more)
    s.add_part("sensor", sensor, on="bus", at=at)
    s.add_input("turn", kf.Torque("bus", (0, 0, 2.0)))
    s.add_input("push", kf.Force("bus", (5.0, 0, 0), axes="inertial"))
    return s


def told(run, letter):
    return np.column_stack([run[f"sensor.{letter}{x}"] for x in "xyz"])


def test_a_gyro_tells_the_rate_in_its_axes():
    turned = kf.Frame((0.1, 0, 0), (("x", np.pi / 2),))  # its y is the body's z
    run = craft(Gyro(bias=(0, 0, 0.01)), turned, rates=(0, 0, 0, 0, 0, 0.3)).simulate(1.0, **TIGHT)
    assert np.abs(told(run, "w") - [0, 0.3, 0.01]).max() < 1e-12


def test_lag_and_delay():
    """A rate that grows as t is told as t - 1/w (1 - exp(-w t)), and, late by T, as t - T after the start."""
    lag = craft(Gyro(bandwidth=5.0)).simulate(3.0, inputs={"turn": 1.0}, **TIGHT)
    assert np.abs(lag["sensor.wz"] - (lag.t - (1 - np.exp(-5.0 * lag.t)) / 5.0)).max() < 1e-9
    late = craft(Gyro(delay=0.2)).simulate(3.0, inputs={"turn": 1.0}, **TIGHT)
    assert np.abs(late["sensor.wz"] - (late.t - 0.2))[late.t > 2.0].max() < 1e-9
    H = craft(Gyro(delay=0.2)).linearize(outputs=["sensor.wz", "bus.omega"], inputs={"turn": 0.0})
    s = 1j * 2.0
    x = np.linalg.solve(s * np.eye(len(H.A)) - H.A, H.B[:, 0])
    ratio = (H.C[0] @ x) / (H.C[3] @ x)
    pade = (1 - 0.2 * s / 2 + (0.2 * s) ** 2 / 12) / (1 + 0.2 * s / 2 + (0.2 * s) ** 2 / 12)
    assert abs(ratio - pade) < 1e-10 and abs(pade - np.exp(-0.2 * s)) < 2e-5


def test_noise_by_seed():
    """Its size, held for 1/rate, the same for the same seed."""
    runs = [craft(Gyro(noise=0.01, rate=20.0, seed=seed)).simulate(100.0, output=0.05) for seed in (1, 1, 2)]
    a, b, c = (told(run, "w") for run in runs)
    assert (a == b).all() and not (a == c).any()
    assert np.std(a) == pytest.approx(0.01, rel=0.05) and abs(np.mean(a)) < 5 * 0.01 / math.sqrt(a.size)
    assert abs(np.corrcoef(a[:-1, 0], a[1:, 0])[0, 1]) < 0.08
    fine = craft(Gyro(noise=0.01, rate=20.0, seed=1)).simulate(1.0, output=0.005)
    assert len(np.unique(fine["sensor.wx"])) == 21


KINDS = {
    "Gyro": (Gyro, "wx"), "StarTracker": (StarTracker, "ex"), "SunSensor": (SunSensor, "sx"),
    "Accelerometer": (Accelerometer, "ax"),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_all_are_off_by_bias_and_noise(kind):
    """Of a body at rest: what is there, and the bias; with noise its size, the same for the same seed."""
    make, channel = KINDS[kind]
    right, off = (craft(make(bias=(x, 0, 0))).simulate(1.0, output=0.5)[f"sensor.{channel}"] for x in (0.0, 0.02))
    assert off == pytest.approx(right + 0.02, abs=1e-9)
    noisy = [craft(make(noise=0.01, rate=20.0, seed=seed)).simulate(50.0, output=0.05) for seed in (1, 1, 2)]
    runs = [run[f"sensor.{channel}"] for run in noisy]
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])
    assert np.std(runs[0]) == pytest.approx(0.01, rel=0.1)


def test_a_star_tracker_tells_the_turn():
    """Twice the sine of half the angle, by the shorter way, from its target."""
    e = lambda angle: (math.cos(angle / 2), 0, 0, math.sin(angle / 2))
    for angle, target in ((0.01, 0.0), (2.5, 0.4), (-3.0, 3.0)):
        s = craft(StarTracker(target=e(target)))
        found = s.channels({"bus.q": (0, 0, 0, *e(angle))}, "sensor.ez")["sensor.ez"]
        short = (angle - target + math.pi) % (2 * math.pi) - math.pi
        assert found == pytest.approx(2 * math.sin(short / 2), abs=1e-14)


def lagged(A, b, w, t, phase=0.0):
    """A sin(w t + phase) through a lag b/(s + b) from rest."""
    a = np.arctan2(w, b)
    through = A * b / np.hypot(b, w)
    return through * (np.sin(w * t + phase - a) - np.exp(-b * t) * np.sin(phase - a))


def test_a_star_tracker_that_lags():
    """Of a body that turns at w: 2 sin(w t/2) late."""
    run = craft(StarTracker(bandwidth=3.0), rates=(0, 0, 0, 0, 0, 0.8)).simulate(3.0, **TIGHT)
    assert np.abs(run["sensor.ez"] - lagged(2.0, 3.0, 0.4, run.t)).max() < 1e-8


def test_a_star_tracker_tells_the_turn_in_its_axes():
    """Its y is the body's z; the target is how it points at rest."""
    c = math.sqrt(0.5)
    s = craft(StarTracker(target=(c, c, 0, 0)), kf.Frame((0, 0, 0), (("x", np.pi / 2),)))
    found = s.channels({"bus.q": (0, 0, 0, math.cos(0.2), 0, 0, math.sin(0.2))}, *(f"sensor.e{x}" for x in "xyz"))
    assert list(found.values()) == pytest.approx([0.0, 2 * math.sin(0.2), 0.0], abs=1e-14)


def test_a_sun_sensor_that_lags():
    """Of a body that turns at 1 rad/s, the sun (nearly) at rest: its parts across the axis are sines, late."""
    sun = kf.orbits.Sun(day=80.0)
    run = craft(SunSensor(sun=sun, bandwidth=4.0), rates=(0, 0, 0, 0, 0, 1.0)).simulate(6.0, **TIGHT)
    x, y, z = sun.at(0.0)
    A, phase = math.hypot(x, y), math.atan2(x, y)
    assert np.abs(run["sensor.sx"] - lagged(A, 4.0, 1.0, run.t, phase)).max() < 3e-6
    assert np.abs(run["sensor.sz"] - z * (1 - np.exp(-4.0 * run.t))).max() < 3e-6


def test_a_sun_sensor_sees_the_sun_a_part_of_each_turn():
    """An axis that goes round at right angles to the spin is within f of the sun for acos(cos f/cos h)/pi of a turn, h the
    sun's height over its plane; turned away, it sees nothing."""
    sun = kf.orbits.Sun(day=80.0 + 91.0)  # near its greatest height
    spin = {"rates": (0, 0, 0, 0, 0, 1.0)}
    times = np.linspace(0, 2 * math.pi, 4001)
    run = craft(SunSensor(sun=sun, field_of_view=0.6), **spin).simulate(times[-1], times=times, **TIGHT)
    height = math.asin(sun.at(0.0)[2])
    assert height > 0.4
    part = math.acos(math.cos(0.6) / math.cos(height)) / math.pi
    assert run["sensor.seen"][:-1].mean() == pytest.approx(part, abs=5e-4)
    down = kf.Frame((0, 0, 0), (("y", np.pi / 2),))  # looks along -z
    assert not craft(SunSensor(sun=sun, field_of_view=0.6), down, **spin).simulate(3.0)["sensor.seen"].any()


def test_a_sun_sensor_sees_the_sun():
    sun = kf.orbits.Sun(day=80.0)
    run = craft(SunSensor(sun=sun, field_of_view=0.5), rates=(0, 0, 0, 0, 0, 1.0)).simulate(6.0, **TIGHT)
    direction, R = np.array([sun.at(t) for t in run.t]), run["bus.rotation"]
    assert np.abs(told(run, "s") - np.einsum("nji,nj->ni", R, direction)).max() < 1e-13
    inside = np.arccos(told(run, "s")[:, 0]) < 0.5
    assert (run["sensor.seen"] == inside).all() and inside.any() and not inside.all()


def test_an_accelerometer_tells_acceleration_less_gravity():
    """Pushed with 5 N, 5 kg: 1 m/s^2; at rest in free fall nothing, held 9.81 upwards; its lag is 1 ms."""
    run = craft(Accelerometer()).simulate(0.1, inputs={"push": 1.0}, **TIGHT)
    assert np.abs(run["sensor.ax"] - (1 - np.exp(-run.t / 1e-3))).max() < 1e-5
    s = kf.System("held", gravity=(0, 0, -9.81))
    s.add("bus", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add_part("sensor", Accelerometer(gravity=s.gravity), on="bus")
    assert s.channels(None, "sensor.az")["sensor.az"] == pytest.approx(9.81, rel=1e-14)


def test_an_accelerometer_that_goes_round():
    """-w^2 r, turned by its lag: divided by 1 + i w T in the plane."""
    w, r, T = 2.0, 0.4, 0.01
    run = craft(Accelerometer(time=T), (r, 0, 0), rates=(0, 0, 0, 0, 0, w)).simulate(1.0, **TIGHT)
    told = run["sensor.ax"][-1] + 1j * run["sensor.ay"][-1]
    assert told == pytest.approx(-(w**2) * r / (1 + 1j * w * T), abs=1e-9)


def test_an_accelerometer_at_a_node_of_a_beam():
    """The tip of a cantilever that swings freely: the channel of its acceleration, but for the lag."""
    beam = kf.structures.Beam(length=1.0, EA=7e6, EI=2.0, mass_per_length=0.3, elements=6)
    s = kf.System("beam")
    s.add("beam", kf.Flexible(beam, root="root", modes=3), kf.Fixed())
    s.add_part("sensor", Accelerometer(time=1e-4), on="beam.tip")
    modes = np.zeros(3)
    modes[0] = 1e-3
    run = s.simulate(0.2, initial={"beam.modes": modes, "beam.modes_rate": np.zeros(3)}, **TIGHT)
    true = np.einsum("nji,nj->ni", run["beam.tip.rotation"], run["beam.tip.acceleration"])
    late = run.t > 2e-3
    found = told(run, "a")[late]
    assert np.abs(true).max() > 0.2 and np.abs(found - true[late]).max() < 5e-3 * np.abs(true).max()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gyro(noise=-1.0), "noise of a Gyro is -1: it must not be negative"),
        (lambda: StarTracker(target=(0, 0, 0, 0)), "target of a StarTracker is zero"),
        (lambda: SunSensor(field_of_view=4.0), "half of its angle is at most pi"),
        (lambda: Accelerometer(time=0.0), "time of an Accelerometer is 0: it must be positive"),
        (lambda: Gyro(seed=-1), "seed of a Gyro"),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
