"""Steady motions against closed forms, and equilibria that Newton's method alone does not find."""

import math
import warnings

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.gallery import tilt_rotor

G = 9.81


def cone(length=2.0):
    s = kf.System("cone", gravity=(0, 0, -G))
    s.add("arm", kf.Rigid(0.0), kf.Revolute("z"), q=0.0)
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -length)), kf.Revolute("y"), parent="arm", q=0.3)
    return s


def test_a_conical_pendulum_at_a_given_rate():
    rate, length = 2.8, 2.0
    state = cone(length).steady_motion({"arm.rate": rate}, {"bob.q": 0.8})
    assert math.cos(state["bob.q"]) == pytest.approx(G / (length * rate**2), rel=1e-10)
    assert state["arm.rate"] == pytest.approx(rate, rel=1e-13)


def test_a_conical_pendulum_that_finds_its_rate_keeps_going_round():
    s = cone()
    state = s.steady_motion({"arm.rate": None}, {"bob.q": 0.5, "arm.rate": 2.2})
    assert state["arm.rate"] ** 2 == pytest.approx(G / (2.0 * math.cos(state["bob.q"])), rel=1e-9)
    run = s.simulate(5.0, initial=state, rtol=1e-10)
    assert np.ptp(run["bob.angle"]) < 1e-7


def test_small_oscillations_about_a_conical_pendulum():
    """theta'' = -(w^2) (1 + 3 cos^2 theta) for the cone of angle theta, with w^2 = g/(l cos theta) and free precession."""
    s = cone()
    state = s.steady_motion({"arm.rate": None}, {"bob.q": 0.5, "arm.rate": 2.2})
    theta, w = state["bob.q"], state["arm.rate"]
    expected = w * math.sqrt(1 + 3 * math.cos(theta) ** 2)
    assert np.abs(s.linearize(state).eigenvalues().imag).max() == pytest.approx(expected, rel=1e-8)


def gyroscope(spin_inertia=0.02, inertia=0.05, mass=2.0, arm=0.3):
    """A heavy top on gimbals: precession, nutation, spin."""
    s = kf.System("top", gravity=(0, 0, -G))
    s.add("precession", kf.Rigid(0.0), kf.Revolute("z"), q=0.0)
    s.add("nutation", kf.Rigid(0.0), kf.Revolute("x"), parent="precession", q=0.6)
    top = kf.Rigid(mass, com=(0, 0, arm), inertia=(inertia, inertia, spin_inertia))
    s.add("spin", top, kf.Revolute("z"), parent="nutation", q=0.0)
    return s


@pytest.mark.parametrize("which", ["slow", "fast"])
def test_both_precessions_of_a_heavy_top(which):
    """A cos(theta) p^2 - C n p + m g l = 0 with n = p cos(theta) + spin the total spin, A about the fixed point."""
    C, A, m, l, theta, spin = 0.02, 0.05 + 2.0 * 0.09, 2.0, 0.3, 0.6, 250.0
    a, b, c = (C - A) * math.cos(theta), C * spin, -m * G * l
    roots = sorted(((-b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a) for sign in (1, -1)), key=abs)
    p = roots[0] if which == "slow" else roots[1]
    guess = {"nutation.q": theta, "precession.rate": 0.9 * p, "spin.rate": spin}
    state = gyroscope().steady_motion({"precession.rate": 1.0001 * p, "spin.rate": spin}, guess)
    theta = state["nutation.q"]
    left = (C - A) * math.cos(theta) * (1.0001 * p) ** 2 + C * spin * 1.0001 * p - m * G * l
    assert abs(left) < 1e-8 * m * G * l
    assert abs(theta - 0.6) < 0.05


def test_descent_at_constant_speed():
    s = kf.System("chute", gravity=(0, 0, -G))
    s.add("chute", kf.Rigid(80.0), kf.Prismatic("z"))
    drag = lambda t, x: (0.0, 0.0, -30.0 * x[0] * abs(x[0]))
    s.apply("drag", kf.Force("chute", drag, axes="inertial", sees=["chute.rate"]))
    state = s.steady_motion({"chute.rate": None}, {"chute.rate": -3.0})
    assert state["chute.rate"] == pytest.approx(-math.sqrt(80.0 * G / 30.0), rel=1e-9)


def test_a_steady_turn_in_body_axes():
    """A body on a plane driven forward, with side force that its slip causes: the turn's rate is given, the rest is found.

    Lateral balance m v w = k beta v, forward drive F = c v - m v w beta (to be found as the speed)."""
    m, k, c, F = 10.0, 40.0, 2.0, 30.0
    s = kf.System("car")
    s.add("car", kf.Rigid(m, inertia=(1.0, 1.0, 2.0)), kf.Free())
    s.apply("drive", kf.Force("car", lambda t, x: (F - c * x[0], -k * x[1], 0.0), sees=["car.vx", "car.vy"]))
    state = s.steady_motion({"car.vx": None, "car.vy": None, "car.wz": 0.5}, {"car.vx": 10.0, "car.wz": 0.5})
    vx, vy, w = state["car.vx"], state["car.vy"], 0.5
    assert m * -vy * w == pytest.approx(F - c * vx, rel=1e-9)  # body axes: a = (vx' - vy w, vy' + vx w)
    assert m * vx * w == pytest.approx(-k * vy, rel=1e-9)


def test_a_rolling_disk_in_a_circle():
    """A thin disk on a frame that turns with its lean: A W^2 s c - (C + m r^2) W w3 s - m g r c = 0.

    theta is the tilt of its axis from the vertical (s and c its sine and cosine), W the rate about the vertical, w3 the
    total spin about the axis (Routh, Advanced Rigid Dynamics, article 244). The inertia of the frame, alike about all axes,
    takes no part.
    """
    r, m, theta, W = 0.5, 2.0, 1.2, -0.7
    A, C = m * r * r / 4, m * r * r / 2
    s = kf.System("disk", gravity=(0, 0, -G))
    half = theta / 2
    start = (0, 0, r * math.sin(theta), math.cos(half), math.sin(half), 0, 0)
    s.add("frame", kf.Rigid(m / 2, inertia=(0.02, 0.02, 0.02)), kf.Free(), q=start)
    s.add("disk", kf.Rigid(m / 2, inertia=(A, A, C)), kf.Revolute("z"), parent="frame", q=0.0)
    s.constrain("rolling", kf.Rolling("disk", radii=(r, r, 0)))
    w3 = (A * W**2 * math.sin(theta) - m * G * r) * math.cos(theta) / ((C + m * r * r) * W * math.sin(theta))
    spin = 1.1 * (w3 - W * math.cos(theta))  # not the spin of that lean: another lean is found
    moving = {"frame.vx": None, "frame.wy": W * math.sin(theta), "frame.wz": None, "disk.rate": spin}
    guess = {"frame.vx": -r * w3, "frame.wy": W * math.sin(theta), "frame.wz": W * math.cos(theta), "disk.rate": spin}
    state = s.steady_motion(moving, guess)
    e1, e2 = state["frame.q"][4:6]
    c = 1 - 2 * (e1 * e1 + e2 * e2)
    lean, W = math.sqrt(1 - c * c), math.hypot(state["frame.wy"], state["frame.wz"]) * math.copysign(1, state["frame.wy"])
    total = state["disk.rate"] + state["frame.wz"]
    assert abs(math.acos(c) - theta) > 0.01
    assert state["frame.wz"] == pytest.approx(W * c, rel=1e-8)
    assert state["frame.vx"] == pytest.approx(-r * total, rel=1e-8)
    assert abs(A * W**2 * lean * c - (C + m * r * r) * W * total * lean - m * G * r * c) < 1e-8 * m * G * r
    run = s.simulate(3.0, initial=state, rtol=1e-10)
    assert np.ptp(run["frame.position"][:, 2]) < 1e-7


def test_what_is_no_steady_motion_is_refused():
    s = cone()
    with pytest.raises(kf.ModelError, match="no rate is moving"):
        s.steady_motion({})
    with pytest.raises(kf.ModelError, match=r'moving: rate.*"bob\.rat"'):
        s.steady_motion({"bob.rat": 1.0})
    with pytest.raises(kf.ModelError, match="no steady motion"):
        s.steady_motion({"bob.rate": 1.0})
    falling = kf.System("fall", gravity=(0, 0, -G))
    falling.add("stone", kf.Rigid(1.0), kf.Prismatic("z"))
    with pytest.raises(kf.ModelError, match=r'no steady motion of "fall".*"stone'):
        falling.steady_motion({"stone.rate": None}, {"stone.rate": -3.0})


def elastica(n, load):
    """A cantilever of unit length and bending stiffness by n rods, with a dead load across its tip."""
    s, l = kf.System("elastica"), 1.0 / n
    for k in range(n):
        rod = kf.Rigid(l, com=(l / 2, 0, 0), inertia=(1e-6, l**3 / 12, l**3 / 12), frames={"end": (l, 0, 0)})
        s.add(f"rod{k}", rod, kf.Revolute("z"), parent=f"rod{k - 1}" if k else None, at="end" if k else None)
        s.apply(f"spring{k}", kf.JointSpring(f"rod{k}", stiffness=(2 if k == 0 else 1) / l))
    s.apply("load", kf.Force(f"rod{n - 1}.end", (0, load, 0), axes="inertial"))
    return s


def tip_of_the_elastica(load):
    """Angle at the tip of the exact elastica under a dead load, by quadrature and root finding."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    def length(angle):  # int d theta / sqrt(2 P (sin angle - sin theta)), with theta = angle - x^2
        fall = lambda x: math.cos(angle - x * x / 2) * (math.sin(x * x / 2) / (x * x / 2) if x else 1.0)
        return quad(lambda x: 2 / math.sqrt(2 * load * fall(x)), 0.0, math.sqrt(angle), limit=200)[0] - 1.0

    return brentq(length, 1e-3, math.pi / 2 - 1e-9)


@pytest.mark.parametrize("load", [10.0, 50.0])
def test_a_bent_cantilever_is_the_elastica(load):
    errors = [sum(elastica(n, load).equilibrium().q) - tip_of_the_elastica(load) for n in (20, 40)]
    assert abs(errors[1]) < 1e-3
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_loads_are_applied_by_degrees_where_newton_fails(monkeypatch):
    from kaneflex.analysis import equilibrium as module

    monkeypatch.setattr(module, "continued", lambda problem, x, *_: (x, 0.0))
    with pytest.raises(kf.ModelError, match="no equilibrium"):
        elastica(20, 50.0).equilibrium()


def test_a_path_that_turns_back_is_followed():
    """Two bars pushed through their plane: the load falls between the folds, and the far side is reached past both."""
    s = kf.System("snap", gravity=(0, 0, 0))
    s.add("apex", kf.PointMass(1.0), kf.Prismatic("z"), q=0.2)
    for side, x in (("left", -1.0), ("right", 1.0)):
        s.apply(side, kf.SpringDamper("apex", (x, 0, 0), stiffness=1000.0, length=math.hypot(1.0, 0.2)))
    s.apply("push", kf.Force("apex", (0, 0, -20.0)))
    z = s.equilibrium()["apex.q"]
    force = lambda z: 2 * 1000.0 * (1 - math.hypot(1.0, 0.2) / math.hypot(1.0, z)) * z
    assert z < -0.2
    assert force(z) == pytest.approx(-20.0, rel=1e-9)


def test_a_saturated_block_is_brought_out_of_its_limit():
    s = kf.System("servo")
    s.add("mass", kf.Rigid(1.0), kf.Prismatic("x"), q=50.0)
    s.apply("spring", kf.JointSpring("mass", stiffness=1.0, damping=1.0))
    s.add_input("force", kf.JointForce("mass"))
    s.add_block("pid", kf.blocks.PID(kp=5.0, ki=2.0, kd=0.0, limit=3.0, sees=["mass.q"], drives=["force"], target=1.0))
    state = s.equilibrium()
    assert state["mass.q"] == pytest.approx(1.0, abs=1e-9)


def test_an_acceleration_that_nothing_causes():
    """Thrust goes through the hinges of the nacelles: only rounding turns the fuselage, and counts as nothing."""
    p, (V, tilt) = tilt_rotor.DEFAULTS, (80.0, 0.0)
    spins = {f"{name}_rotor_spin.rate": side * p["spin"] for name, side in tilt_rotor.SIDES.items()}
    guess = {f"{name}_rotor.inflow": 10.0 for name in tilt_rotor.SIDES}
    system = tilt_rotor.flying(p, V, tilt)
    state = system.steady_motion({"ahead.rate": V, **spins}, guess)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that it is not in equilibrium
        system.linearize(state)
    assert state["fuselage.q"] == pytest.approx(tilt_rotor.by_hand(p, V, tilt)[0], abs=1e-12)
