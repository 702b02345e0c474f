"""Slender bodies in water and air, against closed forms."""

import numpy as np
import pytest

import kaneflex as kf
from water.chains import AREA, CN, CT, DEEP, MASS, RHO, WEIGHT, D, G, chain, extrapolated

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
STILL = kf.Sea(RHO, surface=DEEP)
ELEMENT = ((0, 0, 0), (2.0, 0, 0))


def cylinder(joint, mass=3.0, medium=STILL, gravity=(0, 0, -G), q=0.0, rates=0.0, **load):
    """A rod of 2 m along x in a medium."""
    s = kf.System("cylinder", gravity=gravity)
    s.add("rod", kf.Rigid(mass, (1.0, 0, 0), mass * np.array((1e-3, 4, 4)) / 12), joint, q=q, rates=rates)
    s.apply("sea", kf.Morison("rod", medium, D, **({"normal_drag": CN, "element": ELEMENT} | load)))
    return s


# -- drag --------------------------------------------------------------------------------------------------------------


def test_level_cable_sinks_at_its_speed():
    """sqrt(2 w/(rho Cn d)) = 0.403239 m/s, and on the way v = v_t tanh(t/tau) with tau = (m + m_a) v_t/w."""
    mass = 2.0 * MASS
    s = cylinder(kf.Prismatic("z"), mass, tangential_drag=CT)
    run = s.simulate(3.0, **TIGHT)
    limit = np.sqrt(2 * WEIGHT / (RHO * CN * D))
    assert abs(limit - 0.403239) < 5e-7
    tau = (MASS + RHO * AREA) * limit / WEIGHT
    assert np.abs(run["rod.rate"] + limit * np.tanh(run.t / tau)).max() < 1e-9
    assert run.audit.ok and run.audit.dissipated_work > 0.5


def test_drag_along_the_axis():
    """A rod that falls along itself: pi Ct on the circumference, no added mass."""
    s = cylinder(kf.Prismatic("x"), gravity=(-G, 0, 0), normal_drag=50.0, tangential_drag=CT)
    run = s.simulate(20.0, **TIGHT)
    weight = 3.0 * G - RHO * AREA * 2.0 * G
    limit = np.sqrt(2 * weight / (RHO * np.pi * CT * D * 2.0))
    assert np.abs(run["rod.rate"] + limit * np.tanh(run.t * weight / (3.0 * limit))).max() < 1e-8


@pytest.mark.parametrize("pieces", [1, 3])
def test_rod_that_turns(pieces):
    """1/2 rho Cn d w|w| L^4/4 about its end: w = w0/(1 + c w0 t), with the fluid's rho A L^3/3 in the inertia."""
    s = cylinder(kf.Revolute("z"), gravity=(0, 0, 0), rates=2.0, pieces=pieces)
    run = s.simulate(4.0, **TIGHT)
    inertia = 3.0 * 4 / 3 + RHO * AREA * 8 / 3
    c = RHO * CN * D / 2 * 16 / 4 / inertia
    assert np.abs(run["rod.rate"] - 2.0 / (1 + c * 2.0 * run.t)).max() < 1e-9
    assert run.audit.ok and abs(run.audit.dissipated_work - inertia * (4.0 - run["rod.rate"][-1] ** 2) / 2) < 1e-8


def test_spin_about_the_middle_wants_pieces():
    """Drag that changes its sign within the element is summed rightly when cut there."""
    torque = []
    for pieces in (1, 2):
        s = kf.System("rod")
        s.add("rod", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), rates=1.0)
        element = ((-1, 0, 0), (1, 0, 0))
        s.apply("air", kf.Morison("rod", kf.Air(1.0), 0.5, 1.0, 0.0, 0.0, section=0.0, element=element, pieces=pieces))
        torque.append(-s.dynamics().udot_at(0.0, np.zeros(1), np.ones(1))[0])
    assert abs(torque[1] - 0.5 * 0.5 * 2 / 4) < 1e-9  # 1/2 rho Cn d, and 2 int r^3 dr
    assert abs(torque[0] / torque[1] - 1) > 0.1


def test_wind_with_gusts():
    """A rod at rest in wind that grows with height and pulses: force and power as they are by hand."""
    air = kf.Air(1.3, wind=[(0.0, (0, 0, 0)), (10.0, (0, 20.0, 0))], gust=lambda t: 1 + 0.5 * np.sin(t))
    s = kf.System("mast", gravity=(0, 0, -G))
    s.add("mast", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("y"))
    s.apply("wind", kf.Morison("mast", air, 0.3, 0.9, 0.0, 0.0, section=0.0, element=((0, 0, 0), (0, 0, 10.0))))
    for t in (0.0, 1.0, 4.0):
        factor = 1 + 0.5 * np.sin(t)
        wanted = 1.3 * 0.3 * 0.9 / 2 * 400.0 * 10 / 3 * factor**2
        assert abs(s.dynamics().udot_at(t, np.zeros(1), np.zeros(1))[0] - wanted) < 1e-9 * wanted


# -- buoyancy and the surface ------------------------------------------------------------------------------------------


def test_buoyancy():
    """Displaced water's weight up, whatever the attitude; its potential is in the audit."""
    turned = (0, 0, 0, 0.9, 0.1, 0.3, np.sqrt(1 - 0.91))
    s = cylinder(kf.Free(), q=turned, rates=(0,) * 6, normal_drag=0.0, added_mass=0.0)
    run = s.simulate(0.4, **TIGHT)
    lift = (RHO * AREA * 2.0 - 3.0) * G
    assert np.abs(run["momentum.linear"] - np.outer(run.t, (0, 0, lift))).max() < 1e-9
    assert run.audit.ok and run.audit.energy_drift < 1e-9 and abs(run.audit.applied_work) < 1e-14


def test_spar_that_floats():
    """A rod that floats upright bobs with sqrt(rho A g/m) (no added mass along it), and rests where it displaces its
    mass."""
    s = kf.System("spar", gravity=(0, 0, -G))
    mass, length = 0.6, 4.0
    s.add("spar", kf.Rigid(mass), kf.Prismatic("z"), q=-2.5)
    element = ((0, 0, 0), (0, 0, length))
    s.apply("sea", kf.Morison("spar", kf.Sea(RHO), D, CN, added_mass=0.0, element=element, pieces=400))
    draught = mass / (RHO * AREA)
    rest = s.equilibrium({"spar.q": -1.8})
    assert abs(rest["spar.q"] + draught) < 1e-12
    (mode,) = s.modes(rest)
    assert abs(mode.frequency / np.sqrt(RHO * AREA * G / mass) - 1) < 1e-9


# -- added mass and waves ----------------------------------------------------------------------------------------------


def test_cylinder_on_a_spring():
    """sqrt(k/(m + Ca rho A L)) across its axis, sqrt(k/m) along: the weight is that of m alone."""
    for axis, moved in (("z", 3.0 + RHO * AREA * 2.0), ("x", 3.0)):
        s = cylinder(kf.Prismatic(axis), normal_drag=0.0)
        s.apply("spring", kf.JointSpring("rod", 40.0))
        rest = s.equilibrium()
        weight = (3.0 - RHO * AREA * 2.0) * G if axis == "z" else 0.0
        assert abs(rest["rod.q"] + weight / 40.0) < 1e-12
        (mode,) = s.modes(rest)
        assert abs(mode.frequency - np.sqrt(40.0 / moved)) < 1e-9
        run = s.simulate(3.0, initial={"rod.q": rest["rod.q"] + 0.1}, **TIGHT)
        swing = rest["rod.q"] + 0.1 * np.cos(np.sqrt(40.0 / moved) * run.t)
        assert np.abs(run["rod.q"] - swing).max() < 1e-9
        assert run.audit.energy_drift < 1e-9 and abs(run.audit.applied_work) < 1e-12


@pytest.mark.parametrize("space", [False, True])
def test_water_that_turns_with_a_body_pulls_outwards(space):
    """An element beside the axis of a body that turns at a constant rate w moves along water of the mass N per length, and
    its hinge carries the sum of N w x (w x p): the body itself, with its mass on the axis, wants nothing."""
    w, ends = 3.0, np.array(((1.0, 0.5, 0.2), (1.6, 1.3, 0.2 + 0.7 * space)))
    s = kf.System("turning")
    s.add("rod", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.constant_rate(w)))
    water = {"normal_drag": 0.0, "added_mass": 0.8, "tangential_added_mass": 0.3, "element": tuple(map(tuple, ends))}
    s.apply("sea", kf.Morison("rod", STILL, D, **water))
    run = s.simulate(1e-6, output=1e-6)
    along, middle = ends[1] - ends[0], ends.mean(axis=0)
    e, length = along / np.linalg.norm(along), np.linalg.norm(along)
    inwards = -(w**2) * np.array((*middle[:2], 0.0))
    force = RHO * AREA * length * (0.8 * inwards + (0.3 - 0.8) * e * (e @ inwards))
    assert run.loads("rod").force[0] == pytest.approx(force, rel=1e-9) and np.abs(force).min() > (0.1 if space else -1)


def test_body_at_rest_in_accelerating_water():
    """(1 + Ca) rho V a across the axis and rho V a along it, beside drag."""
    A, w = 0.2, 1.5
    sea = kf.Sea(RHO, surface=DEEP, waves=[kf.Wave(A, w)])
    k = w * w / G
    for axis, coefficient in (("z", 1.0 + 0.8), ("x", 1.0)):
        s = cylinder(kf.Prismatic(axis), medium=sea, normal_drag=0.0, added_mass=0.8, gravity=(0, 0, -G))
        for t in (0.0, 0.7, 2.0):
            x = np.array([1 - 1 / np.sqrt(3), 1 + 1 / np.sqrt(3)])  # the sum over the element is by two points
            theta, decay = k * x - w * t, A * w * w * np.exp(-k * DEEP)
            a = decay * (np.sin(theta).mean() if axis == "x" else -np.cos(theta).mean())
            weight = (3.0 - RHO * AREA * 2.0) * G if axis == "z" else 0.0
            force = coefficient * RHO * AREA * 2.0 * a - weight
            moved = 3.0 + (0.8 * RHO * AREA * 2.0 if axis == "z" else 0.0)
            assert abs(s.dynamics().udot_at(t, np.zeros(1), np.zeros(1))[0] - force / moved) < 1e-12


def test_body_that_goes_with_the_water():
    """A neutrally buoyant short rod drifts as a particle of the water does, for the forces of its acceleration are right."""
    sea = kf.Sea(RHO, surface=0.0, waves=[kf.Wave(0.002, 2.0)])
    length, k = 0.05, 4.0 / G
    mass = RHO * AREA * length
    s = kf.System("float", gravity=(0, 0, -G))
    speed = 0.002 * 2.0 * np.exp(-k * 1.0)
    s.add("rod", kf.Rigid(mass), kf.Translational(), q=(0, 0, -1.0), rates=(speed, 0, 0))
    half = length / 2
    s.apply("sea", kf.Morison("rod", sea, D, 0.0, 0.0, 1.0, 1.0, element=((0, -half, 0), (0, half, 0))))
    run = s.simulate(np.pi, **TIGHT)
    r = 0.002 * np.exp(-k)
    circle = np.column_stack([r * np.sin(2.0 * run.t), 0 * run.t, -1.0 - r * (1 - np.cos(2.0 * run.t))])
    assert np.abs(run["rod.position"] - circle).max() < 0.02 * r  # but for the drift of second order


# -- cables ------------------------------------------------------------------------------------------------------------


def test_swing_of_a_hanging_cable():
    """j_0k/2 sqrt(w/((m + m_a) L)): 0.184670, 0.423895, 0.664532 rad/s; order 2 in the number of rods."""
    found = []
    for n in (20, 40):
        s = chain(n, 100.0, STILL)
        found.append([mode.frequency for mode in s.modes(s.equilibrium())[:3]])
    wanted = np.array((0.184670, 0.423895, 0.664532))
    errors = [np.array(f) - wanted for f in found]
    assert np.all(np.abs(extrapolated(*found) / wanted - 1) < (1e-5, 1e-4, 3e-4))
    assert 3.0 < errors[0][1] / errors[1][1] < 5.0
    s = chain(20, 100.0, STILL, added_mass=0.0)
    assert abs(s.modes(s.equilibrium())[0].frequency / 0.184684 - np.sqrt((MASS + RHO * AREA) / MASS)) < 1e-4


def towed(n, speed, down=0.0, drag=0.0, length=300.0):
    """The state of a cable behind a ship, its tension and its angle there, and the way from the ship to the lower end."""
    s = chain(n, length, kf.Sea(RHO, surface=DEEP, current=(-speed, 0, 0)))
    if down:
        s.apply("vehicle", kf.Force(f"c{n}.tip", (-drag, 0, -down), axes="inertial"))
    state = s.equilibrium({"c1.q": np.pi - 0.4})
    run = s.simulate(1e-6, initial=state, output=1e-6)
    force = run.loads("c1").force[0]
    return np.linalg.norm(force), np.degrees(np.arctan2(force[2], force[0])), run[f"c{n}.tip.position"][0]


@pytest.mark.parametrize("speed, angle", [(1.0, 22.780), (2.0, 11.5125), (5.0, 4.6183)])
def test_critical_angle(speed, angle):
    """A cable towed without a load at its end is straight: w cos p = 1/2 rho Cn d V^2 sin^2 p."""
    _, _, end = towed(10, speed)
    assert abs(np.degrees(np.arctan2(-end[2], -end[0])) - angle) < 1e-3


def test_towed_vehicle():
    """2089.41 N and 12.3231 deg at the ship, 272.369 m behind and 105.907 m below, by an integration along the cable."""
    coarse, fine = towed(20, 2.0, 1500.0, 400.0), towed(40, 2.0, 1500.0, 400.0)
    tension, angle = (extrapolated(a, b) for a, b in zip(coarse[:2], fine[:2], strict=True))
    end = extrapolated(coarse[2], fine[2])
    assert abs(tension - 2089.41) < 0.05 and abs(angle - 12.3231) < 2e-3
    assert abs(end[0] + 272.369) < 0.01 and abs(end[2] + 105.907) < 0.01 and abs(end[1]) < 1e-9
