"""Accelerations of joints: derivatives of the rates, whatever the speeds and formulation are."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import kaneflex as kf


def craft():
    """A free bus with a wheel, a driven mast, a bending wing, and bodies on ball, planar, universal and screw joints."""
    beam = kf.structures.Beam(length=2.0, EA=1e5, EI=200.0, mass_per_length=0.6, elements=5)
    box = kf.Rigid(1.0, com=(0.1, 0.05, 0), inertia=(0.4, 0.5, 0.6))
    s = kf.System("craft", gravity=(0, 0, -2.0))
    s.add("bus", kf.Rigid(5.0, inertia=(3, 4, 5)), kf.Free(), rates=(0.1, 0.2, 0.3, 0.3, -0.5, 0.4))
    s.add("mast", box, kf.Revolute("y", motion=lambda t: 0.3 * np.sin(2 * t)), parent="bus", at=(0, 0, 1))
    s.add("wing", kf.Flexible(beam, modes=3), kf.Revolute("z"), parent="mast", rates=1.0)
    s.add("ball", box, kf.Spherical(), parent="bus", at=(1, 0, 0), rates=(0.4, 0.5, -0.6))
    s.add("fork", box, kf.Universal(), parent="ball", at=(0.3, 0, 0), rates=(0.5, -1.0))
    s.add("plate", box, kf.Planar("x"), parent="bus", at=(0, 1, 0), rates=(0.1, 0.2, 0.5))
    s.add("bolt", box, kf.Screw("x", 0.2), parent="plate", rates=1.0)
    s.add("sleeve", box, kf.Cylindrical("y"), parent="fork", rates=(0.7, 0.2))
    s.add_rotor("wheel", "bus", kf.Rotor((1, 2, 2), 0.05, 20.0))
    s.apply("motor", kf.JointForce("wheel", lambda t: np.cos(3 * t)))
    s.apply("hinge", kf.JointSpring("wing", stiffness=5.0, damping=0.1))
    return s


@pytest.fixture(
    scope="module",
    params=[("recursive", "customary"), ("recursive", "efficient"), ("recursive", "constant-mass"), ("dense", "efficient")],
    ids=lambda p: "-".join(p),
)
def run(request):
    formulation, speeds = request.param
    return craft().simulate(0.6, formulation=formulation, speeds=speeds, rtol=1e-12, atol=1e-13, output=1e-3)


def slope(run, name):
    values = run[name].reshape(len(run.t), -1)
    return make_interp_spline(run.t, values, k=7).derivative()(run.t[20:-20])


def test_they_are_the_derivatives_of_the_rates(run):
    index, checked = run.plan.index, 0
    for name in (*(f"{body}.rate" for body, j in index.joints.items() if j.speeds), "wing.modes_rate", *index.rates):
        dot = run[f"{name}_dot"].reshape(len(run.t), -1)[20:-20]
        scale = max(np.abs(dot).max(), np.abs(run[name]).max())
        assert slope(run, name) == pytest.approx(dot, abs=3e-7 * scale), name
        checked += np.ptp(dot) > 1e-3
    assert checked > 20


def test_all_and_each_are_the_same(run):
    joint = run.plan.index.joints["bus"]
    assert np.array_equal(run["bus.rate_dot"], np.column_stack([run[f"bus.{n}_dot"] for n in joint.speed_names]))
    assert np.array_equal(run["wing.modes_rate_dot"][:, 1], run["wing.mode2.rate_dot"])
    assert np.array_equal(run["mast.rate_dot"], run["mast.angle.rate_dot"])


def test_closed_forms():
    """A driven joint has the acceleration of its law; a pendulum g/l sin q; a wheel what its motor gives it and its body."""
    s = kf.System("pair", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -2.0)), kf.Revolute("y"), q=1.0)
    s.add("crank", kf.Rigid(1.0, inertia=(1, 1, 2)), kf.Revolute("z", motion=lambda t: 0.3 * np.sin(2 * t)))
    s.add_rotor("wheel", "crank", kf.Rotor("z", 0.5, 1.0))
    s.apply("motor", kf.JointForce("wheel", 0.8))
    for speeds in ("customary", "efficient"):
        run = s.simulate(1.0, speeds=speeds, rtol=1e-11, atol=1e-11)
        driven = -1.2 * np.sin(2 * run.t)
        assert run["crank.rate_dot"] == pytest.approx(driven, abs=1e-9)
        assert run["rod.angle.rate_dot"] == pytest.approx(-9.81 / 2 * np.sin(run["rod.q"]), abs=1e-9)
        assert run["wheel.rate_dot"] == pytest.approx(0.8 / 0.5 - driven, abs=1e-9)
        assert run["rod.rate_dot"][0] == pytest.approx(float(s.channels(run.state(0), "rod.rate_dot")["rod.rate_dot"]))


def test_the_speeds_of_a_run_are_channels(run):
    index = run.plan.index
    for body in ("bus", "mast", "plate"):
        joint = index.joints[body]
        own = run.u[:, joint.u0 : joint.u0 + joint.speeds]
        assert np.array_equal(run[f"{body}.u"].reshape(own.shape), own)
    for k, name in enumerate(run.plan.state_names[run.plan.nq :]):
        assert np.array_equal(run[name], run.u[:, k]), name


def test_no_function_sees_an_acceleration():
    for name in ("wing.rate_dot", "bus.wx_dot", "wheel.rate_dot", "wing.mode1.rate_dot", "mass_centre.acceleration"):
        s = craft()
        s.apply("push", kf.Force("bus", lambda t, x: (x[0], 0, 0), sees=[name]))
        with pytest.raises(kf.ModelError, match=f'"{name}" is an acceleration, which is not known before'):
            s.simulate(0.1)
