"""A tether let out from an orbiter that is free itself, in N at the centre of the Earth."""

import math

import numpy as np

import kaneflex as kf
from kaneflex.gallery.tethered_satellite import DEPLOYED
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, KeplerOrbit

ORBIT = KeplerOrbit(EARTH_MU, EARTH_RADIUS + 296e3)
RATE, START = 0.3, 200.0  # l'/(W l), m


def deploying(orbiter: float, mass: float) -> kf.System:
    """Orbiter and satellite on a massless line along the vertical, the length as a given function of time."""
    W = ORBIT.rate
    r, v = ORBIT.state(0.0)
    motion = kf.profiles.Motion(
        lambda t: START * np.exp(RATE * W * t),
        lambda t: RATE * W * START * np.exp(RATE * W * t),
        lambda t: (RATE * W) ** 2 * START * np.exp(RATE * W * t),
    )
    s = kf.System("deployment")
    s.add("orbiter", kf.PointMass(orbiter), kf.Translational(), q=r, rates=v)
    s.add("line", kf.PointMass(0.0), kf.Universal(("z", "y")), parent="orbiter", rates=(W, 0.0))
    s.add("satellite", kf.PointMass(mass), kf.Prismatic("-x", motion=motion), parent="line", q=START)
    s.apply("earth", kf.CentralGravity(EARTH_MU))
    s.add_block("local", kf.blocks.LocalVertical("orbiter", "satellite", down=True))
    return s


def test_angles_of_a_deployment_from_a_heavy_orbiter():
    """The angles of the equations in the orbit's frame, but for l over the radius of the orbit, 1e-4."""
    times = np.array([0.0, *(row[0] for row in DEPLOYED[:3])]) / ORBIT.rate
    run = deploying(1e9, 518.0).simulate(float(times[-1]), times=times, method="dop853", rtol=1e-12, atol=1e-9)
    found, wanted = np.degrees(run["local.in_plane"][1:]), [row[1] for row in DEPLOYED[:3]]
    assert np.abs(found - wanted).max() < 0.003
    assert abs(run["local.distance"][-1] / START - math.exp(RATE * 4)) < 1e-8


def test_momentum_about_the_earth_and_work_of_the_reel():
    """Nothing but the Earth and the reel acts: angular momentum stays, and energy changes by the work of the reel alone."""
    run = deploying(9e3, 518.0).simulate(4.0 / ORBIT.rate, method="dop853", rtol=1e-12, atol=1e-9, output=20.0)
    bodies = ("orbiter", 9e3), ("satellite", 518.0)
    turning = sum(m * np.cross(run[f"{name}.position"], run[f"{name}.velocity"]) for name, m in bodies)
    assert np.abs(turning / turning[0, 2] - (0, 0, 1)).max() < 2e-11
    gained = float(run["energy.total"][-1] - run["energy.total"][0])
    work = float(np.trapezoid(np.ravel(run["satellite.drive"] * run["satellite.rate"]), run.t))
    assert work < -300 and abs(gained / work - 1) < 1e-4
    assert run.audit.ok
