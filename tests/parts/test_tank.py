"""Tanks that are drained: speed gained, jet damping, mass properties by what is left, the end when they are empty."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import kaneflex as kf
from kaneflex.model.parts import Engine, SloshTank, Tank, Thruster, ThrusterCluster, couples
from kaneflex.results.outflow import departed

G0 = 9.80665
FINE = {"method": "dop853", "rtol": 1e-11, "atol": 1e-11}
TANKS = {
    "cylinder": Tank("cylinder", 0.5, 600.0, height=1.2, shell=30.0, residual=5.0),
    "box": Tank("box", 0.4, 500.0, height=1.0, shell=30.0, residual=5.0),
    "sphere": Tank("sphere", 0.6, 600.0, shell=30.0, residual=5.0),
}
UP = kf.Frame((0, 0, -1.0), (("y", -math.pi / 2),))  # x of the engine is up


def rocket(tank, joint, engine=None, **first):
    s = kf.System("rocket")
    s.add("hull", kf.Rigid(500.0, inertia=(400.0, 400.0, 50.0)), joint, **first)
    part = engine or Engine(2e4, mass=20.0, arm=0.0, inertia=(1.0, 2.0), fed=True)
    s.add_part("engine", part, on="hull", at=UP)
    s.add_part("tank", tank, on="hull", at=(0, 0, -0.5))
    return s


def fed(tank, **more):
    from dataclasses import replace

    return replace(tank, feeds="engine", **more)


def test_speed_gained_and_the_end():
    """(v_e - sinking speed of the surface) ln(m0/m1); thrust ends when only the residual is left, at the time that says."""
    tank = fed(TANKS["cylinder"])
    run = rocket(tank, kf.Prismatic("z")).simulate(100.0, inputs={"engine": 1.0}, output=1.0, **FINE)
    flow, m0, v = 2e4 / (300.0 * G0), 500.0 + 20.0 + 630.0, 300.0 * G0
    sinking = flow / (1000.0 * math.pi * 0.25)
    assert run["hull.rate"][-1] == pytest.approx((v - sinking) * math.log(m0 / (m0 - 595.0)), rel=1e-9)
    ((t, word),) = run.events
    assert word == "tank runs empty" and t == pytest.approx(595.0 / flow, rel=1e-10)
    assert run["engine.thrust"][0] == 2e4 and run["engine.thrust"][-1] == 0 and run["tank.open"][-1] == 0
    assert run["tank.propellant"][-1] == 5.0 and run["tank.current_mass"][-1] == 35.0
    assert run["engine.propellant"][-1] == pytest.approx(595.0, rel=1e-10) and run.audit.ok


@pytest.mark.parametrize(("shape", "axis"), [("cylinder", "y"), ("box", "x"), ("sphere", "y")])
def test_jet_damping(shape, axis):
    """(I w)' = -flow r^2 w about an axis that the flow passes through, r that of the outlet."""
    tank = fed(TANKS[shape], outlet=(0, 0, -0.5))
    s = rocket(tank, kf.Revolute(axis), Thruster(2e4, 300.0, fed=True), rates=0.3)
    run = s.simulate(50.0, inputs={"engine": 1.0}, output=10.0, **FINE)
    body = s.parts["tank"].body

    def inertia(m, at=-0.5):
        found = body.law(np.eye(3), np.zeros(3))(0.0, np.array([m, 0.0]))
        across, moment = found[7], found[3]
        return 400.0 + across + 2 * at * moment + at**2 * found[0]

    def share(m):
        h = 1e-4
        return -((inertia(m + h) - inertia(m - h)) / (2 * h) - 1.0**2) / inertia(m)

    m = 600.0 if shape != "box" else 500.0
    end = m - 2e4 / (300 * G0) * 50
    wanted = 0.3 * math.exp(quad(share, m, end, epsabs=1e-12)[0])
    assert run["hull.rate"][-1] == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("shape", TANKS)
def test_contents(shape):
    """Mass, mass centre and inertia of the contents against sums over thin layers."""
    tank, m = TANKS[shape], 250.0
    s = kf.System("tank")
    s.add_part("tank", tank, on=s.add("floor", kf.Rigid(1.0), kf.Prismatic("z")))
    found = s.parts["tank"].body.law(np.eye(3), np.zeros(3))(0.0, np.array([m, 0.0]))
    r = tank.radius

    def layer(z):  # area, and inertia over area, across and along
        if shape == "box":
            return 4 * r * r, r * r / 3, 2 * r * r / 3
        a = r * r if shape == "cylinder" else 2 * r * z - z * z
        return math.pi * a, a / 4, a / 2

    depth = s.channels({"tank.propellant": m}, "tank.depth")["tank.depth"]
    sums = [
        quad(lambda z, f=f: 1000.0 * layer(z)[0] * f(z), 0, depth, epsabs=1e-12)[0]
        for f in (lambda z: 1.0, lambda z: z, lambda z: layer(z)[1] + z * z, lambda z: layer(z)[2])
    ]
    assert sums[0] == pytest.approx(m, rel=1e-10)
    H, shell = tank.height, 30.0
    wall = (2 / 3 * shell * r * r,) * 2 if shape == "sphere" else (shell * (r * r / 2 + H * H / 12), shell * r * r)
    wanted = (sums[0] + shell, sums[1] + shell * H / 2, sums[2] + wall[0] + shell * H * H / 4, sums[3] + wall[1])
    assert (found[0], found[3], found[4], found[9]) == pytest.approx(wanted, rel=1e-9)


def test_momentum_is_kept_in_space():
    """A tumbling craft that burns: what left and the impulse of thrust account for all momentum."""
    s = rocket(fed(TANKS["sphere"], outlet=(0, 0, -0.5)), kf.Free(), rates=(0, 0, 0, 0.1, 0.2, -0.1))
    runs = [s.simulate(20.0, inputs={"engine": 0.5}, output=0.1, formulation=w, **FINE) for w in ("recursive", "dense")]
    assert runs[0]["hull.q"][-1] == pytest.approx(runs[1]["hull.q"][-1], abs=1e-7)
    assert all(run.audit.ok for run in runs)


SLOSHING = {
    "cylinder": Tank("cylinder", 0.5, 600.0, height=1.2, residual=5.0, slosh=True),
    "box": Tank("box", 0.4, 500.0, height=1.0, residual=5.0, slosh=True),
    "sphere": Tank("sphere", 0.6, 600.0, residual=5.0, slosh=True),
}


def held(tank, gravity=G0, **more):
    """The tank on the ground, with a valve that lets its contents go without thrust."""
    s = kf.System("tank", gravity=(0, 0, -gravity))
    s.add("floor", kf.Rigid(1.0), kf.Fixed())
    s.add_part("engine", Thruster(1e-9, 1e-9 / (0.5 * G0), fed=True), on="floor")  # 0.5 kg/s
    s.add_part("tank", fed(tank, **more), on="floor")
    return s


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SLOSHING)
def test_slosh_follows_the_level(shape):
    """Frequency and mass of a SloshTank with as much in it, at any level, with the damping given."""
    s = held(SLOSHING[shape], damping=0.03)
    for m in (500.0, 120.0, 20.0):
        depth = s.channels({"tank.propellant": m}, "tank.depth")["tank.depth"]
        tank = SLOSHING[shape]
        wanted = SloshTank(shape, tank.radius, tank.height, depth / tank.height).slosh()
        w = math.sqrt(G0 / wanted.length)
        poles = s.linearize({"tank.propellant": m}).eigenvalues()
        assert np.sum(np.abs(poles - w * complex(-0.03, math.sqrt(1 - 0.03**2))) < 2e-6 * w) == 2
        at = s.channels({"tank.propellant": m}, "tank_torque.mass", "mass_centre.mass")
        assert at["tank_torque.mass"] == pytest.approx(wanted.mass, rel=2e-5)
        assert at["mass_centre.mass"] == pytest.approx(1.0 + m, rel=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
def test_slosh_while_the_level_falls(shape):
    """Drained slowly, energy over frequency of the mode stays: its amplitude goes as (m w)^-1/2 though both have changed."""
    s, fine = held(SLOSHING[shape]), {"method": "dop853", "rtol": 1e-10, "atol": 1e-13}
    run = s.simulate(1000.0, initial={"tank_slosh.q": (1e-4, 0.0)}, inputs={"engine": 1.0}, output=0.02, **fine)
    every = np.arange(200, len(run.t), 5000)
    m, w, left = (run[name][every] for name in ("tank_torque.mass", "tank_torque.frequency", "tank.propellant"))
    body = s.parts["tank_slosh"].body.law(np.eye(3), np.zeros(3))
    reach = np.array([-body(0.0, np.array([x, 0.0]))[3] for x in left]) / m
    way = reach * [np.abs(run["tank_slosh.q"][k - 200 : k + 200, 0]).max() for k in every]
    action = m * w * way**2
    assert action == pytest.approx(action[0], rel=0.02) and m[-1] * w[-1] < 0.7 * m[0] * w[0]
    assert way[-1] ** 2 * w[-1] > 1.3 * way[0] ** 2 * w[0]  # as it would stay if mass left the mode with its own velocity


@pytest.mark.parametrize("shape", ["sphere", pytest.param("box", marks=pytest.mark.thorough)])
def test_slosh_loses_no_momentum(shape):
    """A craft in space that lets its contents go while they slosh: with what left, all momentum stays."""
    s = kf.System("craft")
    first = {"q": (0, 0, 0, 1, 0, 0, 0), "rates": (0.3, 0, 0, 0.1, 0.2, -0.1)}
    s.add("hull", kf.Rigid(500.0, inertia=(400.0, 300.0, 200.0)), kf.Free(), **first)
    s.add_part("engine", Thruster(1e-9, 1e-9 / (5.0 * G0), fed=True), on="hull", at=(0, 0, -1.0))
    s.add_part("tank", fed(SLOSHING[shape], outlet=(0.1, 0, -0.6), acceleration=1.0), on="hull", at=(0.2, 0, -0.4))
    run = s.simulate(20.0, initial={"tank_slosh.q": (0.3, -0.2)}, inputs={"engine": 1.0}, output=0.02, **FINE)
    gone = departed(run.trajectory)
    linear, angular = run["momentum.linear"] + gone.linear, run["momentum.central"] + gone.central
    assert np.ptp(linear, axis=0).max() < 1e-8 * np.abs(gone.linear).max()
    assert np.ptp(angular, axis=0).max() < 1e-8 * np.abs(gone.central).max()
    assert np.ptp(run["momentum.central"], axis=0).max() > 1.0 and run.audit.energy_drift < 1e-8


def test_thrusters_share_a_tank():
    """A cluster draws from one tank, each thruster what it uses; all of them end together."""
    places, directions = couples(1.0)
    s = kf.System("craft")
    s.add("bus", kf.Rigid(300.0, inertia=(200.0, 200.0, 200.0)), kf.Spherical(), q=(1, 0, 0, 0))
    s.add_part("rcs", ThrusterCluster(Thruster(10.0, fed=True), places, directions), on="bus")
    s.add_part("tank", Tank("sphere", 0.1, 0.6, feeds=("rcs",), residual=0.5), on="bus", at=(0, 0, -0.1))
    run = s.simulate(20.0, inputs={"rcs_tx": 20.0, "rcs_tz": 10.0}, output=1.0, rtol=1e-10, atol=1e-12)
    flow = 2 * (10.0 + 5.0) / (220.0 * G0)
    ((t, word),) = run.events
    assert word == "tank runs empty" and t == pytest.approx(0.1 / flow, rel=1e-9)
    assert run["rcs.propellant"][-1] == pytest.approx(0.1, rel=1e-9)
    assert run["tank.propellant"][0] - run["tank.propellant"][-1] == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": "cone"}, 'shape of a Tank "cone" is not known'),
        ({"propellant": 1e5}, "propellant of a Tank is 100000 kg: it holds"),
        ({"residual": 60.0}, "residual of a Tank is 60 kg: it holds only 50 kg"),
        ({"residual": 0.0}, "residual of a Tank is 0: it must be positive"),
        ({"height": 3.0}, "a sphere has twice its radius"),
        ({"shape": "box"}, "a Tank that is a box has no height"),
        ({"shell": -1.0}, "shell of a Tank"),
        ({"radius": 0.0}, "radius of a Tank is 0: it must be positive"),
        ({"slosh": True, "propellant": 522.0}, "fuller than 0.95 of its height does not slosh"),
        ({"damping": -0.1}, "damping of a Tank"),
        ({"acceleration": 0.0}, "acceleration of a Tank"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        Tank(**{"shape": "sphere", "radius": 0.5, "propellant": 50.0, **change})


def test_feeds_are_refused_by_name():
    s = kf.System("craft")
    s.add("bus", kf.Rigid(300.0), kf.Translational())
    s.add_part("jet", Thruster(1.0), on="bus")
    tank = Tank("sphere", 0.5, 50.0, feeds="jet")
    with pytest.raises(kf.ModelError, match=r'part "tank" feeds "jet", which takes no supply: .* fed=True'):
        s.add_part("tank", tank, on="bus")
    s.installed["jet"] = Thruster(1.0, fed=True)
    s.add_part("tank", tank, on="bus")
    with pytest.raises(kf.ModelError, match='part "other" feeds "jet", which "tank" feeds already'):
        s.add_part("other", tank, on="bus")
    with pytest.raises(kf.ModelError, match='part "jet" cannot go: block "tank" names "jet'):
        del s.installed["jet"]
