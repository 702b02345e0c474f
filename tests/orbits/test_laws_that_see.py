"""Laws that see channels of the orbit: attitude, elements, the shadow; with the Earth in N, and N falling along an orbit."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf
from kaneflex.gallery import reeled_tether
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, KeplerOrbit, Sun

FINE = {"method": "dop853", "rtol": 1e-12, "atol": 1e-9}
CIRCLE = KeplerOrbit(EARTH_MU, 7.0e6, 0.0, 0.6, 0.4)
ORBIT = KeplerOrbit(EARTH_MU, 7.2e6, 0.1, 0.9, 1.2, 2.2, 0.4)


def level(pitch: float) -> tuple[tuple[float, ...], np.ndarray]:
    """Quaternion and axes of a body whose x axis is ahead on the circle at t = 0, turned up by an angle."""
    r, v = CIRCLE.state(0.0)
    x, z = v / np.linalg.norm(v), -r / np.linalg.norm(r)
    R = np.column_stack([x, np.cross(z, x), z])
    c, s = math.cos(pitch), math.sin(pitch)
    R = R @ [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    w = math.sqrt(1 + np.trace(R)) / 2
    return (w, *(np.array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])) / (4 * w))), R


@pytest.mark.parametrize("falling", [False, True])
def test_pitch_held_by_a_law_of_attitude(falling):
    """J p'' = -(3/2) W^2 (J_x - J_z) sin 2p - K p - C p' on a circle, p and p' as `OrbitAttitude` gives them to the law."""
    W, J, start = CIRCLE.rate, (80.0, 90.0, 30.0), 0.3
    K, C = 40 * W**2, 30 * W
    r, v = (np.zeros(3), np.zeros(3)) if falling else CIRCLE.state(0.0)
    turned, R = level(start)
    s = kf.System("pitch")
    s.add("bus", kf.Rigid(100.0, inertia=J), kf.Free(), q=(*r, *turned), rates=(*R.T @ v, 0, -W, 0))
    s.apply("earth", kf.OrbitGravity(CIRCLE) if falling else kf.CentralGravity(EARTH_MU))
    s.add_block("attitude", kf.blocks.OrbitAttitude("bus", CIRCLE if falling else ""))
    law = lambda t, x: (0.0, -K * x[0] - C * x[1], 0.0)
    s.apply("wheel", kf.Torque("bus", law, sees=["attitude.pitch", "attitude.wy"]))
    times = np.linspace(0, CIRCLE.period, 9)
    run = s.simulate(float(times[-1]), times=times, **FINE)
    turn = lambda t, y: (y[1], -(1.5 * W**2 * (J[0] - J[2]) * math.sin(2 * y[0]) + K * y[0] + C * y[1]) / J[1])
    wanted = solve_ivp(turn, (0, times[-1]), (start, 0.0), "DOP853", times, rtol=1e-11, atol=1e-13).y
    assert np.abs(run["attitude.pitch"] - wanted[0]).max() < 1e-8
    assert np.abs(run["attitude.wy"] - wanted[1]).max() < 1e-6 * W
    assert np.ptp(wanted[0]) > 0.2 and np.abs(run["attitude.roll"]).max() < 1e-7


def test_thrust_by_the_true_anomaly():
    """Along the velocity, as the cosine of the true anomaly: against the same law on elements of our own, by SciPy."""
    push, mass = 0.4, 100.0
    r, v = ORBIT.state(0.0)
    s = kf.System("thrust")
    s.add("sat", kf.PointMass(mass), kf.Translational(), q=r, rates=v)
    s.apply("earth", kf.CentralGravity(EARTH_MU))
    s.add_block("orbit", kf.blocks.OrbitalElements("sat", EARTH_MU))

    def thrust(t, x):
        size = push * np.cos(x[0]) / np.sqrt(x[1] ** 2 + x[2] ** 2 + x[3] ** 2)
        return size * x[1], size * x[2], size * x[3]

    s.apply("motor", kf.Force("sat", thrust, axes="inertial", sees=["orbit.true_anomaly", "sat.velocity"]))
    run = s.simulate(2 * ORBIT.period, **FINE)

    def by_hand(t, y):
        r, v = y[:3], y[3:]
        far = np.linalg.norm(r)
        e = np.cross(v, np.cross(r, v)) / EARTH_MU - r / far
        cosine = e @ r / (np.linalg.norm(e) * far)
        return [*v, *(-EARTH_MU / far**3 * r + push / mass * cosine * v / np.linalg.norm(v))]

    there = solve_ivp(by_hand, (0, run.t[-1]), [*r, *v], "DOP853", rtol=1e-13, atol=1e-8).y[:3, -1]
    assert np.abs(run["sat.position"][-1] - there).max() < 1e-2
    assert run["orbit.eccentricity"][-1] - 0.1 > 2e-3  # what such a thrust is for
    assert run.audit.ok


def test_elements_where_n_falls_along_the_orbit():
    """The same numbers as with the centre of the Earth in N."""
    (r, v), d, w = ORBIT.state(0.0), np.array((3e4, -2e4, 1e4)), np.array((10.0, -20.0, 15.0))
    found = []
    for place, speed, orbit in ((d, w, ORBIT), (r + d, v + w, None)):
        s = kf.System("elements")
        s.add("sat", kf.PointMass(1.0), kf.Translational(), q=place, rates=speed)
        s.add_block("orbit", kf.blocks.OrbitalElements("sat", EARTH_MU, orbit=orbit))
        names = [f"orbit.{n}" for n in s.blocks["orbit"].output_names]
        at = s.channels(s.state(), *names)
        found.append([float(at[name]) for name in names])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_heater_that_the_shadow_switches():
    """A current that flows in the sun alone heats a state of a block: energy = power times time in the sun."""
    orbit, power = KeplerOrbit(EARTH_MU, 7e6, 0.0, 0.4), 50.0
    s = kf.System("heater")
    s.add("bus", kf.PointMass(1.0), kf.Translational())
    s.apply("earth", kf.OrbitGravity(orbit))
    s.add_block("sun", kf.blocks.Sunlight("bus", Sun(90.0), "cylinder", orbit=orbit))
    s.add_block("battery", kf.blocks.Block(lambda t, x, z: ((), power * x[0]), states=["energy"], sees=["sun.lit"]))
    run = s.simulate(orbit.period, method="rk4", step=2.0, output=orbit.period)
    beta = float(run["sun.beta"][0])
    dark = math.acos(math.sqrt(7e6**2 - EARTH_RADIUS**2) / (7e6 * math.cos(beta))) / math.pi
    assert run["battery.energy"][-1] == pytest.approx(power * orbit.period * (1 - dark), rel=1e-3)


def test_reel_that_sees_the_angle():
    """Rupp's law of tension with the angle in the plane in it, while rods leave: against the equations of a straight light
    tether, by SciPy. Without what it sees of the angle the motion would be another."""
    p = reeled_tether.short(reeled_tether.DEFAULTS)
    W, m, goal = reeled_tether.orbit(p).rate, p["mass"], p["length"] / 2
    pull = lambda l, v, th, w: 5 * l + 4 * v - 2 + l * (0.5 * th - 0.8 * w)

    def tension(t, x):
        return m * W * W * goal * pull(x[0] / goal, x[1] / (W * goal), x[2], x[3] / W)

    sees = ["reel.length", "reel.rate", "local.in_plane", "local.in_plane_rate"]
    s = reeled_tether.reeled(p, 0.3, tension=tension, sees=sees, initial=0.5 * goal)
    times = np.linspace(0.0, 6.0, 13) / W
    run = s.simulate(float(times[-1]), times=times, rtol=1e-7, initial={"tether_1.slide.rate": 0.3 * W * goal})

    def law(x, y, angles=1.0):
        l, v, th, w = y
        c, s = math.cos(th), math.sin(th)
        return (
            v,
            l * ((w + 1) ** 2 + 3 * c * c - 1) - pull(l, v, angles * th, angles * w),
            w,
            -2 * (w + 1) * v / l - 3 * s * c,
        )

    start = (0.5, 0.3, 0.3, 0.0)
    l, _, th, _ = solve_ivp(law, (0, 6.0), start, "DOP853", W * times, rtol=1e-11, atol=1e-12).y
    assert np.abs(run["local.distance"] / goal - l).max() < 2e-3 and np.abs(run["local.in_plane"] - th).max() < 2e-3
    assert np.ptp(run["reel.outside"]) >= 1
    blind = solve_ivp(law, (0, 6.0), start, "DOP853", W * times, args=(0.0,), rtol=1e-11, atol=1e-12).y
    assert np.abs(blind[2] - th).max() > 0.02
