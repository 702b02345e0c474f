"""Parachutes: descent, a line alone, air that moves along, coefficients by angle."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.parts import Parachute

G = 9.80665
TRIM = math.radians(15)
SLOPE = ((TRIM - 1.0, -0.5), (TRIM + 1.0, 0.5))  # 0.5 (alpha - trim)


def under(parachute, joint):
    s = kf.System("load", gravity=(0, 0, -G))
    s.add("load", kf.PointMass(900.0), joint)
    s.add_part("chute", parachute, on="load")
    return s


def test_descent():
    """m g = density v^2 S C_A/2: the air that moves along has no weight, the canopy has."""
    s = under(
        Parachute(20.0, 100.0, 0.9, ((0, 0), (1, 0.5)), mass=30.0, apparent=(200.0, 150.0), density=1.1), kf.Translational()
    )
    found = s.steady_motion({"load.z.rate": None}, {"load.z.rate": -10.0})
    assert -found["load.z.rate"] == pytest.approx(math.sqrt(2 * 930.0 * G / (1.1 * 100.0 * 0.9)), rel=1e-9)


def test_wind_carries_it():
    s = under(Parachute(20.0, 100.0, 0.9, ((0, 0), (1, 0.5)), apparent=(200.0, 150.0), wind=(4.0, 0, 0)), kf.Translational())
    found = s.steady_motion({"load.z.rate": None, "load.x.rate": 4.0}, {"load.z.rate": -12.0, "load.x.rate": 4.0})
    assert -found["load.z.rate"] == pytest.approx(math.sqrt(2 * 900.0 * G / (1.225 * 100.0 * 0.9)), rel=1e-9)


def test_a_line_alone():
    """s^2 + (k cos trim/V) s + k/L with k = density S V^2 C/(2 m): under a load of constant speed, about the trim."""
    V, L, S, m = 10.0, 50.0, 960.0, 6000.0
    fall = kf.Prismatic("z", motion=kf.profiles.constant_rate(-V))
    s = under(Parachute(L, S, 0.85, SLOPE, apparent=(m, m), density=1.1, angles=(0.0, TRIM)), fall)
    k = 1.1 * S * V**2 * 0.5 / (2 * m)
    values = s.linearize(s.state()).eigenvalues()
    for wanted in np.roots([1, k * math.cos(TRIM) / V, k / L]):
        assert np.abs(values - wanted).min() < 1e-7
    run = s.simulate(1.0)
    assert run["chute.attack"] == pytest.approx(TRIM, abs=1e-8) and run["chute.speed"] == pytest.approx(V, rel=1e-8)


def test_air_that_moves_along_slows_a_pendulum():
    """w^2 = m g/((m + air) L): hung the other way up, with next to no area."""
    s = kf.System("pendulum", gravity=(0, 0, -G))
    s.add("pole", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Fixed())
    s.add_part(
        "bob", Parachute(2.0, 1e-12, mass=3.0, apparent=(50.0, 4.0)), on="pole", at=kf.Frame((0, 0, 0), (("x", np.pi),))
    )
    found = sorted(abs(s.linearize().eigenvalues()))
    assert found == pytest.approx([math.sqrt(3.0 * G / (7.0 * 2.0))] * 4, rel=1e-10)


def test_coefficients_by_angle():
    """Straight lines between the angles, constant beyond; at any direction of the flow."""
    part = Parachute(1.0, 2.0, axial=((0.0, 1.0), (1.0, 0.5), (2.0, 0.7)), normal=0.3, mass=1.0, density=1.0)
    for angle, axial in ((0.5, 0.75), (1.5, 0.6), (2.9, 0.7), (0.0, 1.0)):
        s = kf.System("tunnel")
        s.add("sting", kf.Rigid(1.0), kf.Prismatic("z", motion=kf.profiles.constant_rate(-3.0)))
        s.add_part("chute", part, on="sting", at=kf.Frame((0, 0, 0), (("x", angle),)))
        run = s.simulate(1e-6)
        forces = [run[f"chute.f{axis}"][0] for axis in "xyz"]
        Q = 1.0 * 3.0**2 * 2.0 / 2
        assert forces == pytest.approx([0.0, Q * 0.3 * (angle > 0), Q * axial], abs=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Parachute(-1.0, 1.0), "line of a Parachute is -1: it must be positive"),
        (lambda: Parachute(1.0, 1.0), "neither a mass nor apparent masses"),
        (lambda: Parachute(1.0, 1.0, apparent=(1.0, -1.0)), "masses of air are not negative"),
        (lambda: Parachute(1.0, 1.0, normal=((0, 1), (0, 2)), mass=1.0), "angles that do not ascend"),
        (lambda: Parachute(1.0, 1.0, normal=((0, 1, 2),), mass=1.0), "pairs of angle"),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
