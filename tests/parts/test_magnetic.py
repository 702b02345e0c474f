"""Magnetic torquers and dampers."""

import numpy as np
import pytest
from scipy.linalg import expm

import kaneflex as kf
from kaneflex.model.parts import MagneticDamper, MagneticTorquer

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-14}
FIELD = kf.orbits.Dipole()
RADIUS = 7.0e6


def craft(part):
    """A body on the equator of the dipole, at rest, that turns freely."""
    s = kf.System("craft")
    s.add("bus", kf.Rigid(500.0, inertia=(200.0, 300.0, 400.0)), kf.Spherical(), at=(RADIUS, 0, 0))
    s.add_part("unit", part, on="bus")
    return s


def test_torque_is_m_cross_b():
    """On the equator the field is along z: B0 (R/r)^3."""
    B = FIELD.strength * (FIELD.radius / RADIUS) ** 3
    found = craft(MagneticTorquer(100.0)).channels(
        None, "unit.tx", "unit.ty", "unit.tz", "unit_field.bz", inputs={"unit_x": 30.0, "unit_y": 20.0, "unit_z": 50.0}
    )
    assert found["unit_field.bz"] == pytest.approx(B, rel=1e-13)
    assert [found[f"unit.t{x}"] for x in "xyz"] == pytest.approx([20.0 * B, -30.0 * B, 0.0], rel=1e-12)


def test_it_turns_the_body_and_knows_its_limit():
    """About x, small turns: I w' = m_y B; a command beyond the limit is cut, one within comes back."""
    B = FIELD.strength * (FIELD.radius / RADIUS) ** 3
    run = craft(MagneticTorquer(100.0)).simulate(20.0, inputs={"unit_y": lambda t: 500.0 if t < 10 else 50.0}, **TIGHT)
    assert (run["unit.my"] == np.where(run.t < 10, 100.0, 50.0)).all()
    assert run["bus.omega"][-1, 0] == pytest.approx(B * (100.0 * 10 + 50.0 * 10) / 200.0, rel=1e-6)


def test_a_law_sees_the_field_of_the_coils_that_it_commands():
    """Magnets unload the wheel that holds a body: three linear equations, which the matrix exponential solves."""
    s = kf.System("craft")
    s.add("bus", kf.Rigid(500.0, inertia=(200.0, 300.0, 400.0)), kf.Revolute("x"), at=(RADIUS, 0, 0), q=0.0, rates=0.0)
    s.add_part("unit", MagneticTorquer(2e4), on="bus")
    s.add_part("wheel", kf.parts.ReactionWheel((1, 0, 0), 0.1, rate=50.0), on="bus")
    s.add_block("hold", kf.blocks.StateFeedback([[-200.0, -300.0]], sees=["bus.q", "bus.rate"], drives="wheel"))
    field, coils = [f"unit_field.b{x}" for x in "xyz"], [f"unit_{x}" for x in "xyz"]
    law = {"gain": 0.05, "law_of": "magnetic", "sees": ["wheel.rate", *field], "drives": coils}
    s.add_block("unload", kf.blocks.MomentumManagement([(1, 0, 0)], 0.1, **law))
    run = s.simulate(60.0, output=1.0, **TIGHT)
    turn = np.array([-200.0, -300.0, -0.05 * 0.1]) / 199.9  # of the bus less its wheel
    A = np.array([[0, 1, 0], turn, np.array([200.0, 300.0, 0.0]) / 0.1 - turn])
    exact = np.array([expm(A * t) @ (0, 0, 50.0) for t in run.t])
    assert run["bus.q"] == pytest.approx(exact[:, 0], abs=1e-9) and run["wheel.rate"] == pytest.approx(exact[:, 2], abs=1e-7)
    assert exact[-1, 2] < 4.0  # unloaded


def test_linear_model_is_exact():
    B = FIELD.strength * (FIELD.radius / RADIUS) ** 3
    linear = craft(MagneticTorquer(100.0)).linearize()
    at = {name: k for k, name in enumerate(linear.states)}
    assert linear.inputs == ("unit_x", "unit_y", "unit_z")
    assert linear.B[at["bus.wx"], 1] == pytest.approx(B / 200.0, rel=1e-12)
    assert linear.B[at["bus.wy"], 0] == pytest.approx(-B / 300.0, rel=1e-12)


def test_ball_without_a_field_ends_at_the_common_rate():
    """The relative rate decays at c (1/I_b + 1/I); momentum stays, and the heat is the energy that is lost."""
    s = kf.System("craft")
    s.add("bus", kf.Rigid(50.0, inertia=(2.0, 2.0, 2.0)), kf.Spherical(), q=(1, 0, 0, 0), rates=(0, 0, 0.5))
    s.add_part("damper", MagneticDamper(0.0, 0.03, mass=1.0, inertia=0.1), on="bus")
    run = s.simulate(10.0, initial={"damper_ball.rate": (0, 0, 1.0)}, **TIGHT)
    rate = np.exp(-0.03 * (1 / 0.1 + 1 / 2.0) * run.t)
    assert np.abs(run["damper.wz"] - rate).max() < 1e-11
    assert np.abs(run["damper.heat"] - 0.03 * rate**2).max() < 1e-12
    common = (2.0 * 0.5 + 0.1 * 1.5) / 2.1
    late = s.simulate(200.0, initial={"damper_ball.rate": (0, 0, 1.0)}, **TIGHT)
    assert late["bus.omega"][-1, 2] == pytest.approx(common, abs=1e-10)
    lost = late["energy.kinetic"][0] - late["energy.kinetic"][-1]
    assert np.trapezoid(late["damper.heat"], late.t) == pytest.approx(lost, rel=2e-2)


def test_the_magnet_follows_the_field():
    """In a body that is held the ball swings about the field at sqrt(m B / I) and is damped at c/I."""
    B, m, c, I = FIELD.strength * (FIELD.radius / RADIUS) ** 3, 20.0, 1e-4, 1e-3
    s = kf.System("held")
    s.add("bus", kf.Rigid(50.0, inertia=(2.0, 2.0, 2.0)), kf.Fixed(), at=(RADIUS, 0, 0))
    turned = (np.cos(np.pi / 4), 0, -np.sin(np.pi / 4), 0)  # x of the ball along z, the field
    s.add_part("damper", MagneticDamper(m, c, inertia=I, turned=turned), on="bus")
    poles = s.linearize().reduced().eigenvalues()
    exact = np.roots([1.0, c / I, m * B / I])
    assert all(np.abs(poles - x).min() < 1e-6 * abs(x) for x in exact)
    assert np.sum(np.abs(poles + c / I) < 1e-9) == 1  # about the field it only slows down


def test_the_magnet_lags_behind():
    """A body that turns at w across the field drags the ball along: sin(lag) = c w/(m B), and heat is c w^2."""
    B, m, c, w = FIELD.strength * (FIELD.radius / RADIUS) ** 3, 20.0, 1e-3, 0.3
    s = kf.System("turning")
    s.add("bus", kf.Rigid(50.0), kf.Revolute("y", motion=kf.profiles.constant_rate(w)), at=(RADIUS, 0, 0))
    along = (np.cos(np.pi / 4), 0, -np.sin(np.pi / 4), 0)  # x of the ball along z, the field
    s.add_part("damper", MagneticDamper(m, c, inertia=1e-3, turned=along), on="bus")
    run = s.simulate(60.0, **TIGHT)
    x = run["damper_ball.rotation"][-1][:, 0]
    assert x[0] == pytest.approx(c * w / (m * B), rel=1e-8) and abs(x[1]) < 1e-12
    assert run["damper.heat"][-1] == pytest.approx(c * w**2, rel=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MagneticTorquer(0.0), "limit of a MagneticTorquer is 0: it must be positive"),
        (lambda: MagneticDamper(1.0, 0.0), "damping of a MagneticDamper is 0: it must be positive"),
        (lambda: MagneticDamper(-1.0, 1.0), "moment of a MagneticDamper is -1: it must not be negative"),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
