"""The disk of a rotor: hover, climb, flight across by momentum theory and blade elements; its torque, inflow, spin."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import kaneflex as kf
from kaneflex.model.parts import RotorDisk

R, OMEGA, N, C, A, DRAG, RHO = 5.0, 40.0, 4, 0.3, 5.7, 0.01, 1.2
TIP, AREA, S = R * OMEGA, math.pi * R**2, N * C / (math.pi * R)
DISK = RotorDisk(R, OMEGA, N, C, A, DRAG, RHO)
PITCH = 0.15


def flying(velocity, disk=DISK):
    """The rotor's thrust is steady after ten seconds at a given velocity, along x and up."""
    s = kf.System("rotor")
    s.add("ahead", kf.PointMass(0.0), kf.Prismatic("x", motion=kf.profiles.constant_rate(velocity[0])))
    climb = kf.Prismatic("z", motion=kf.profiles.constant_rate(velocity[1]))
    s.add("hub", kf.Rigid(100.0, inertia=(10, 10, 10)), climb, parent="ahead")
    s.add_part("rotor", disk, on="hub")
    run = s.simulate(10.0, inputs={"rotor": PITCH}, rtol=1e-11, atol=1e-12)
    return run


@pytest.mark.parametrize("climb", [0.0, 6.0])
def test_hover_and_climb(climb):
    """2 l (l - l_c) = (s a/2)(theta/3 - l/2), a quadratic in the inflow l over the tip's speed."""
    b, l_c = S * A / 16 - climb / TIP / 2, climb / TIP
    l = -b + math.sqrt(b * b + S * A * PITCH / 12)
    run = flying((0.0, climb))
    C_T = 2 * l * (l - l_c)
    assert run["rotor.inflow"][-1] == pytest.approx(l * TIP - climb, rel=1e-9)
    assert run["rotor.thrust"][-1] == pytest.approx(RHO * AREA * TIP**2 * C_T, rel=1e-9)
    C_Q = l * C_T + S * DRAG / 8
    assert run["rotor.torque"][-1] == pytest.approx(-RHO * AREA * TIP**2 * R * C_Q, rel=1e-9)
    assert run["rotor.power"][-1] == pytest.approx(RHO * AREA * TIP**3 * C_Q, rel=1e-9)


def test_flight_across():
    """Glauert: T = 2 density A v sqrt(V^2 + v^2)."""
    V, mu = 30.0, 30.0 / TIP
    thrust = lambda v: RHO * AREA * TIP**2 * S * A / 2 * (PITCH * (1 + 1.5 * mu**2) / 3 - v / TIP / 2)
    v = brentq(lambda v: thrust(v) - 2 * RHO * AREA * v * math.hypot(V, v), 0, 30, xtol=1e-13)
    run = flying((V, 0.0))
    assert run["rotor.inflow"][-1] == pytest.approx(v, rel=1e-9)
    assert run["rotor.thrust"][-1] == pytest.approx(thrust(v), rel=1e-9)


def test_torque_turns_the_body_against_the_rotor():
    for sense in (1, -1):
        s = kf.System("rotor")
        s.add("hub", kf.Rigid(100.0, inertia=(10, 10, 10)), kf.Revolute("z"))
        s.add_part("rotor", RotorDisk(R, OMEGA, N, C, A, DRAG, RHO, sense=sense), on="hub")
        run = s.simulate(0.5, inputs={"rotor": 0.0})  # no pitch, no inflow: drag of the sections alone
        wanted = -sense * RHO * AREA * TIP**2 * R * S * DRAG / 8 / 10.0
        assert run["hub.rate"][-1] == pytest.approx(0.5 * wanted, rel=1e-9)


def test_spin_is_gyroscopic():
    """A hub that is turned at the rate w across feels w x h."""
    s = kf.System("rotor")
    s.add("hub", kf.Rigid(100.0, inertia=(90, 90, 60)), kf.Revolute("y", motion=kf.profiles.constant_rate(0.3)))
    s.add_part("rotor", RotorDisk(R, OMEGA, N, C, A, 0.0, RHO, inertia=50.0), on="hub")
    run = s.simulate(0.2)
    torque = np.einsum("nji,nj->ni", run["hub.rotation"], run.loads("hub").torque)
    assert torque[:, 0] == pytest.approx(0.3 * 50.0 * OMEGA, rel=1e-9)


def test_linear_model_is_exact():
    """The inflow settles by -(s a tip/4 + 4 v)/(8 R/3 pi)."""
    s = kf.System("rotor")
    s.add("hub", kf.Rigid(100.0), kf.Prismatic("z"))
    s.add_part("rotor", DISK, on="hub")
    linear = s.linearize({"hub.q": 0.0, "hub.rate": 0.0, "rotor.inflow": 7.0}, inputs={"rotor": PITCH})
    k = linear.states.index("rotor.inflow")
    assert linear.A[k, k] == pytest.approx(-(S * A * TIP / 4 + 4 * 7.0) / (8 * R / (3 * math.pi)), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": 0.0}, "radius of a RotorDisk is 0: it must be positive"),
        ({"blades": 0}, "blades of a RotorDisk"),
        ({"sense": 2}, "sense of a RotorDisk is 2: give 1 or -1"),
        ({"chord": 9.0}, "cover more than its disk"),
        ({"drag": -0.1}, "drag of a RotorDisk"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        RotorDisk(**{"radius": R, "speed": OMEGA, **change})
