"""Air, magnetic field and sun in orbit, and what they do to bodies."""

import math
from datetime import datetime

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf
from kaneflex.model.orbits import (
    EARTH_MU,
    EARTH_RADIUS,
    EARTH_RATE,
    Atmosphere,
    Dipole,
    KeplerOrbit,
    Sun,
    in_cone,
    in_cylinder,
)

FINE = {"method": "dop853", "rtol": 1e-12, "atol": 1e-9}
LOW = KeplerOrbit(EARTH_MU, EARTH_RADIUS + 300e3)


def satellite(orbit, mass=100.0, falling=False) -> kf.System:
    """A ball on an orbit, in N at the centre or falling along the orbit."""
    s = kf.System("satellite")
    r, v = orbit.state(0.0)
    if falling:
        r, v = np.zeros(3), np.zeros(3)
    s.add("ball", kf.Rigid(mass, inertia=(9, 9, 9)), kf.Free(), q=(*r, 1, 0, 0, 0), rates=(*v, 0, 0, 0))
    s.apply("earth", kf.OrbitGravity(orbit) if falling else kf.CentralGravity(EARTH_MU))
    return s


def test_decay_of_a_circular_orbit():
    """a' = -sqrt(mu a) density Cd A/m, the density falling with height: closed form in a, to first order in the drag."""
    air = Atmosphere(2e-11, 300e3, 40e3, rate=0.0)
    s = satellite(LOW)
    s.apply("drag", kf.OrbitalDrag("ball", air, area=10.0, coefficient=2.0))
    s.add_block("orbit", kf.blocks.OrbitalElements("ball", EARTH_MU))
    run = s.simulate(10 * LOW.period, **FINE)
    a0, k = LOW.semi_major_axis, 2.0 * 10.0 / 100.0 * 2e-11
    law = lambda t, a: -math.sqrt(EARTH_MU * a[0]) * k * math.exp((a0 - a[0]) / 40e3)
    fall = a0 - float(solve_ivp(lambda t, a: [law(t, a)], (0, run.t[-1]), [a0], rtol=1e-11).y[0, -1])
    assert fall > 100
    assert a0 - run["orbit.semi_major_axis"][-1] == pytest.approx(fall, rel=2e-3)
    assert run.audit.ok and run["drag.power"].max() < 0


def test_drag_by_hand():
    """On a plate and on a sphere, in air that turns; in N at the centre and in one that falls along the orbit."""
    air, orbit = Atmosphere(1e-9, 200e3, 50e3), KeplerOrbit(EARTH_MU, EARTH_RADIUS + 250e3, 0.01, 1.0, 0.3, 0.4, 0.5)
    r, v = orbit.state(0.0)
    u = v - np.cross([0, 0, EARTH_RATE], r)
    density = 1e-9 * math.exp(-(np.linalg.norm(r) - EARTH_RADIUS - 200e3) / 50e3)
    n = np.array([0.6, 0.0, -0.8])
    k = -0.5 * density * 2.2 * 3.0
    wanted = {None: k * np.linalg.norm(u) * u, (3, 0, -4): k * abs(n @ u) * u}
    for falling in (False, True):
        for normal, force in wanted.items():
            s = satellite(orbit, falling=falling)
            s.apply("drag", kf.OrbitalDrag("ball", air, 3.0, normal=normal, orbit=orbit if falling else None))
            other = satellite(orbit, falling=falling)
            found = [x.channels(x.state(), "ball.acceleration")["ball.acceleration"] for x in (s, other)]
            assert 100.0 * (found[0] - found[1]) == pytest.approx(force, rel=1e-6, abs=1e-9)


def test_dipole():
    """3.12e-5 T to the north on the equator, twice that downwards at the pole; without curl and divergence; turning."""
    field = Dipole(tilt=0.2, longitude=0.5, rate=EARTH_RATE)
    k = np.array([math.sin(0.2) * math.cos(0.5), math.sin(0.2) * math.sin(0.5), math.cos(0.2)])
    across = np.cross(k, [1.0, 0, 0])
    across /= np.linalg.norm(across)
    assert field.at(0.0, EARTH_RADIUS * across) == pytest.approx(3.12e-5 * k)
    assert field.at(0.0, EARTH_RADIUS * k) == pytest.approx(-6.24e-5 * k)
    day = 2 * math.pi / EARTH_RATE
    assert field.at(day / 4, (7e6, 1e6, 2e6)) != pytest.approx(field.at(0.0, (7e6, 1e6, 2e6)), rel=1e-3)
    assert field.at(day, (7e6, 1e6, 2e6)) == pytest.approx(field.at(0.0, (7e6, 1e6, 2e6)), rel=1e-9)
    x, h = np.array([4e6, -5e6, 3e6]), 100.0
    slope = np.array([(field.at(3.0, x + h * e) - field.at(3.0, x - h * e)) / (2 * h) for e in np.eye(3)]).T
    assert abs(np.trace(slope)) < 1e-7 * np.abs(slope).max()
    assert np.abs(slope - slope.T).max() < 1e-7 * np.abs(slope).max()


def test_torque_on_a_magnet():
    """m x B; a coil's moment as a function that sees a channel."""
    orbit, field = KeplerOrbit(EARTH_MU, 7e6, 0.0, 1.0), Dipole(tilt=0.2)
    s = satellite(orbit)
    s.apply("coil", kf.MagneticTorque("ball", lambda t, x: (0.0, 4.0 + x[0], 0.0), field, sees=["ball.wx"]))
    alpha = s.channels(s.state(), "ball.alpha")["ball.alpha"]
    assert 9 * alpha == pytest.approx(np.cross([0, 4.0, 0], field.at(0.0, orbit.state(0.0)[0])), rel=1e-9, abs=1e-20)
    falling = satellite(orbit, falling=True)
    falling.apply("coil", kf.MagneticTorque("ball", (0, 4, 0), field, orbit))
    assert falling.channels(falling.state(), "ball.alpha")["ball.alpha"] == pytest.approx(alpha, rel=1e-9, abs=1e-20)


@pytest.mark.parametrize("falling", [False, True])
def test_power_of_a_current_is_that_of_the_electromotive_force(falling):
    """A wire of four moving beads: power of the forces = -I times the integral of (v x B).dl, and its sum I l x B."""
    rng, orbit = np.random.default_rng(1), KeplerOrbit(EARTH_MU, 6.8e6, 0.01, 0.7)
    r, v = (np.zeros(3), np.zeros(3)) if falling else orbit.state(0.0)
    path = orbit if falling else None
    field, names = Dipole(tilt=0.2, rate=EARTH_RATE), ["a", "b", "c", "d"]
    s = kf.System("wire")
    places = 1000 * np.cumsum(rng.normal(size=(4, 3)), axis=0)
    for name, d in zip(names, places, strict=True):
        s.add(name, kf.PointMass(10.0), kf.Translational(), q=r + d, rates=v + rng.normal(size=3))
    s.apply("current", kf.CurrentTether(names, lambda t: 2.0 + t, field, path))
    s.add_block("wire", kf.blocks.ElectromotiveForce(names, field, orbit=path))
    s.add_block("plasma", kf.blocks.ElectromotiveForce(names, field, EARTH_RATE, path))
    run = s.simulate(10.0, rtol=1e-10)
    power = run["current.power"]
    if falling:  # N moves with the orbit: what the forces do by that motion is no power in N
        force = sum(10.0 * run[f"{name}.acceleration"] for name in names)
        power = power + np.array([f @ orbit.state(t)[1] for f, t in zip(force, run.t, strict=True)])
    assert power == pytest.approx(-(2.0 + run.t) * run["wire.emf"], rel=1e-8)
    ratio = np.mean(run["plasma.emf"] / run["wire.emf"])
    assert 0.5 < ratio < 1.5 and abs(ratio - 1) > 0.01
    force = sum(10.0 * run[f"{name}.acceleration"][0] for name in names)
    middle = orbit.state(0.0)[0] + places.mean(axis=0)
    assert force == pytest.approx(2.0 * np.cross(places[-1] - places[0], field.at(0.0, middle)), rel=2e-3)


def test_a_rod_carries_current():
    """The rod's name stands for its joints: the sum of the forces is I l x B, the power that of the electromotive force."""
    s = kf.System("rod")
    s.add("bus", kf.Rigid(100.0, inertia=(9, 9, 9)), kf.Free(), q=(7e6, 0, 0, 1, 0, 0, 0), rates=(0, 7000, 0, 0, 0, 0.01))
    s.add_rod("tether", kf.Cable(100.0, 0.1, n=3), parent="bus")
    s.apply("current", kf.CurrentTether(["tether", "tether.tip"], 1.0, Dipole()))
    s.add_block("wire", kf.blocks.ElectromotiveForce(["tether", "tether.tip"], Dipole()))
    run = s.simulate(0.1)
    line = run["tether.shape"][0]
    wanted = np.cross(line[-1] - line[0], Dipole().at(0.0, line.mean(axis=0)))
    assert np.abs(wanted).max() > 1e-3
    assert run["mass_centre.mass"][0] * run["mass_centre.acceleration"][0] == pytest.approx(wanted, rel=1e-3, abs=1e-6)
    assert run["current.power"] == pytest.approx(-run["wire.emf"], rel=1e-9)


def day_of(text: str) -> float:
    return (datetime.fromisoformat(text) - datetime(2000, 1, 1, 12)).total_seconds() / 86400


def test_sun_of_equinox_and_solstice():
    """Equinox of March 2026 on the 20th at 14:46, solstice of June on the 21st at 8:24 (published), within 0.02 degrees."""
    spring, summer = Sun(day_of("2026-03-20T14:46")), Sun(day_of("2026-06-21T08:24"))
    assert np.degrees(np.arccos(spring.at(0.0) @ [1, 0, 0])) < 0.02
    assert np.degrees(math.asin(summer.at(0.0)[2])) == pytest.approx(23.436, abs=0.005)
    assert abs(math.degrees(math.atan2(summer.at(0.0)[0], summer.at(0.0)[1]))) < 0.02
    assert Sun(day_of("2026-03-20T14:46")).at(365.2422 * 86400.0) @ spring.at(0.0) > 1 - 1e-7


def test_time_in_the_shadow():
    """On a circular orbit the cylinder hides the sun for acos(sqrt(a^2 - R^2)/(a cos beta))/pi of the time."""
    orbit = KeplerOrbit(EARTH_MU, 7e6, 0.0, 0.4)
    times = np.linspace(0, orbit.period, 4001)
    run = {}
    for shadow in ("cylinder", "cone"):
        s = kf.System("lit")
        s.add("ball", kf.PointMass(1.0), kf.Translational())
        s.apply("earth", kf.OrbitGravity(orbit))
        s.add_block("sun", kf.blocks.Sunlight("ball", Sun(90.0), shadow, orbit=orbit))
        run[shadow] = s.simulate(float(times[-1]), times=times, step=20.0, method="rk4")
    beta = run["cone"]["sun.beta"]
    wanted = math.acos(math.sqrt(7e6**2 - EARTH_RADIUS**2) / (7e6 * math.cos(beta[0]))) / math.pi
    assert np.mean(run["cylinder"]["sun.lit"][:-1] == 0) == pytest.approx(wanted, abs=6e-4)
    part = run["cone"]["sun.lit"]
    assert np.mean(part[:-1] == 0) < wanted < np.mean(part[:-1] < 1)
    assert np.mean(1 - part[:-1]) == pytest.approx(wanted, abs=2e-3)


def test_umbra_and_ring():
    """The umbra of the Earth ends R d/(Rs - R) behind it; beyond, a ring of the sun is seen."""
    distance, s = 1.495978707e11, (1.0, 0.0, 0.0)
    end = EARTH_RADIUS * distance / (6.957e8 - EARTH_RADIUS)
    assert in_cone((-0.99 * end, 0.0, 0.0), s, EARTH_RADIUS, distance) == 0.0
    assert 0 < in_cone((-1.01 * end, 0.0, 0.0), s, EARTH_RADIUS, distance) < 0.1
    assert in_cone((7e6, 0.0, 0.0), s, EARTH_RADIUS, distance) == 1.0
    heights = np.linspace(0.97, 1.03, 601) * EARTH_RADIUS
    parts = [in_cone((-7e6, y, 0.0), s, EARTH_RADIUS, distance) for y in heights]
    assert np.all(np.diff(parts) >= 0) and parts[0] == 0 and parts[-1] == 1
    middle = heights[int(np.argmin(np.abs(np.array(parts) - 0.5)))]
    assert middle == pytest.approx(EARTH_RADIUS, rel=1e-3)
    assert in_cylinder((-7e6, 0.99 * EARTH_RADIUS, 0.0), s, EARTH_RADIUS) == 0.0
    assert in_cylinder((-7e6, 1.01 * EARTH_RADIUS, 0.0), s, EARTH_RADIUS) == 1.0


REFUSED = {
    "one place": (lambda s: kf.CurrentTether(["ball"], 1.0, Dipole()), "name two or more"),
    "no rod": (lambda s: s.apply("c", kf.CurrentTether("tether", 1.0, Dipole())), "tether"),
    "no body": (lambda s: s.apply("d", kf.OrbitalDrag("sonde", Atmosphere(1e-12, 3e5, 5e4), 1.0)), "sonde"),
    "shadow": (lambda s: kf.blocks.Sunlight("ball", shadow="sphere"), "sphere"),
    "area": (lambda s: kf.OrbitalDrag("ball", Atmosphere(1e-12, 3e5, 5e4), 0.0), "area is 0"),
    "scale": (lambda s: Atmosphere(1e-12, 3e5, -5e4), "scale of an Atmosphere is -50000"),
    "emf": (lambda s: kf.blocks.ElectromotiveForce(["ball"], Dipole()), "two or more"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    act, message = REFUSED[case]
    with pytest.raises(kf.ModelError, match=message):
        act(satellite(LOW))
