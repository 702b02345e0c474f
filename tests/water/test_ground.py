"""Soft ground: rest, sliding, and lines that touch down."""

import numpy as np
import pytest

import kaneflex as kf
from water.chains import DEEP, MASS, RHO, WEIGHT, G, chain, extrapolated

TIGHT = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
ELEMENT = ((0, 0, 0), (2.0, 0, 0))


def rod_on(ground, joint, mass=3.0, gravity=(0, 0, -G), **start):
    s = kf.System("rod", gravity=gravity)
    s.add("rod", kf.Rigid(mass, (1.0, 0, 0), mass * np.array((1e-3, 4, 4)) / 12), joint, **start)
    s.apply("ground", ground)
    return s


def test_rest_and_bounce():
    """A rod rests where the springs hold its weight, bobs about that, and its energy is kept."""
    ground = kf.SoftGround("rod", 600.0, level=-1.0, radius=0.1, element=ELEMENT)
    s = rod_on(ground, kf.Prismatic("z"))
    rest = s.equilibrium({"rod.q": -1.0})
    assert abs(rest["rod.q"] - (-1.0 + 0.1 - 3.0 * G / 1200.0)) < 1e-12
    (mode,) = s.modes(rest)
    assert abs(mode.frequency - np.sqrt(1200.0 / 3.0)) < 1e-9
    run = s.simulate(2.0, **TIGHT)
    assert run.audit.ok and abs(run.audit.dissipated_work) < 1e-12 and run["rod.q"].min() < -0.95


def test_damper_takes_energy_and_does_not_pull():
    ground = kf.SoftGround("rod", 600.0, 300.0, level=-1.0, element=ELEMENT)
    run = rod_on(ground, kf.Prismatic("z")).simulate(3.0, **TIGHT)
    assert run.audit.ok and run.audit.dissipated_work > 20.0
    push = run["rod.acceleration"][:, 2] + G
    assert push.min() > -1e-9 and push.max() > 10.0


@pytest.mark.parametrize("across", [False, True])
def test_sliding_stops(across):
    """v = v0 - mu g t while it slips much faster than the regularising speed, with mu along or across the axis."""
    ground = kf.SoftGround("rod", 1e4, friction=(0.2, 0.5), slip=1e-4, element=ELEMENT)
    start = -3.0 * G / 2e4
    s = kf.System("rod", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(3.0), kf.Translational(), q=(0, 0, start), rates=(0, 1.0, 0) if across else (1.0, 0, 0))
    s.apply("ground", ground)
    mu = 0.5 if across else 0.2
    run = s.simulate(0.9 / (mu * G), **TIGHT)
    v = run["rod.velocity"][:, 1 if across else 0]
    assert np.abs(v - (1.0 - mu * G * run.t)).max() < 1e-6
    assert abs(run.audit.dissipated_work - 1.5 * (1 - v[-1] ** 2)) < 1e-6 and run.audit.ok


def test_slope():
    """On a slope steeper than its friction a rod slides down with g (sin - mu cos)."""
    tilt = 0.6
    normal = (np.sin(tilt), 0, np.cos(tilt))
    s = kf.System("rod", gravity=(0, 0, -G))
    sunk = 3.0 * G * np.cos(tilt) / 2e4
    s.add("rod", kf.Rigid(3.0), kf.Translational(), q=tuple(-sunk * np.array(normal)))
    s.apply("ground", kf.SoftGround("rod", 1e4, friction=0.3, slip=1e-5, normal=normal, element=((0, 0, 0), (0, 2.0, 0))))
    run = s.simulate(1.0, **TIGHT)
    way = run["rod.position"][-1] - run["rod.position"][0]
    assert abs(np.linalg.norm(way) - G * (np.sin(tilt) - 0.3 * np.cos(tilt)) / 2) < 1e-3


def lying(n, length, speed, friction):
    """A chain along x on the bed, its front end at a given speed."""
    l = length / n
    s = kf.System("drawn", gravity=(0, 0, -G))
    s.add("ship", kf.Rigid(0.0), kf.Prismatic("x", motion=kf.profiles.constant_rate(speed)))
    parent = "ship"
    for k in range(n):
        rod = kf.Rigid(MASS * l, (-l / 2, 0, 0), MASS * l**3 / 12 * np.array((1e-6, 1, 1)), {"tip": (-l, 0, 0)})
        at = (0, 0, 0) if k == 0 else "tip"
        s.add(f"c{k + 1}", rod, kf.Revolute("y"), parent=parent, at=at)
        parent = f"c{k + 1}"
    bodies, element = [f"c{k + 1}" for k in range(n)], ((0, 0, 0), (-l, 0, 0))
    s.apply("sea", kf.Morison(bodies, kf.Sea(RHO, surface=DEEP), 0.02, 0.0, element=element))
    sunk = WEIGHT / 2e3
    s.apply("bed", kf.SoftGround(bodies, 2e3, 50.0, friction, 1e-6, level=sunk, element=element))
    return s


def test_cable_drawn_over_the_bed():
    """The tension grows from nothing at the loose end to mu w L at the other."""
    s = lying(8, 40.0, 0.5, 0.6)
    run = s.simulate(0.05, output=0.05)
    pulls = [run.loads(f"c{k + 1}").force[-1] for k in range(8)]
    wanted = 0.6 * WEIGHT * 5.0 * np.arange(8, 0, -1)
    assert np.abs(np.array(pulls)[:, 0] - wanted).max() < 1e-6 * wanted[0]
    assert np.abs(np.array(pulls)[:, 2]).max() < 1e-6


def moored(n, H, height, length):
    """A chain anchored on the bed whose upper end is pulled by H and by the weight of what hangs; where that end is."""
    hanging = np.sqrt(height**2 + 2 * height * H / WEIGHT)
    s = chain(n, length, kf.Sea(RHO, surface=1e3), angle=0.0)
    l = length / n
    bodies = [f"c{k + 1}" for k in range(n)]
    s.apply("bed", kf.SoftGround(bodies, 2e4, element=((0, 0, 0), (l, 0, 0))))
    s.apply("ship", kf.Force(f"c{n}.tip", (H, 0, WEIGHT * hanging), axes="inertial"))
    angles = -np.arctan(np.maximum(0, (np.arange(n) + 0.5) * l - (length - hanging)) * WEIGHT / H)
    guess = {f"c{k + 1}.q": a for k, a in enumerate(np.diff(angles, prepend=0.0))}
    state = s.equilibrium(guess)
    turned = np.cumsum([state[f"c{k + 1}.q"] for k in range(n)])
    end = l * np.cos(turned).sum(), -l * np.sin(turned).sum()
    return end, (length - hanging + H / WEIGHT * np.arcsinh(WEIGHT * hanging / H), height)


def test_catenary_that_touches_down():
    """60 m pulled by 20 N, 8 m high: the catenary's span and height with the rest of the line on the bed, order 2."""
    found = [moored(n, 20.0, 8.0, 60.0)[0] for n in (40, 80)]
    _, wanted = moored(40, 20.0, 8.0, 60.0)
    assert np.abs(extrapolated(*found) - wanted).max() < 5e-4
    assert np.abs(np.array(found[1]) - wanted).max() < 4e-3


def test_a_jacobian_serves_while_segments_touch_down():
    """A chain let go above its bed: newly touching segments are a few directions in which Newton's matrix is wrong, and
    mixed corrections find those: six Jacobians, 25 without them."""
    s = kf.System("falling", gravity=(0, 0, -G))
    s.add_rod("chain", kf.Cable(8.0, 20.0, n=8, plane="xz"), at=kf.Frame((0, 0, 1.0), (("y", 0.1),)))
    s.apply("bed", kf.SoftGround("chain", 15000.0, 1500.0, level=0.0))
    run = s.simulate(2.0, method="radau5", rtol=1e-2, atol=1e-3, output=0.1)
    exact = s.simulate(2.0, method="dopri5", rtol=1e-7, atol=1e-8, output=0.1)
    assert run.statistics["jacobians"] <= 12
    assert np.abs(run["chain.tip.position"] - exact["chain.tip.position"]).max() < 0.01
