"""Runs against closed forms: loads, inputs, events, controllers, moving bases, methods."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf
from kaneflex.simulate.methods import METHODS

G = 9.81


def oscillator(**load) -> kf.System:
    s = kf.System("oscillator")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.3)
    s.apply("spring", kf.JointSpring("cart", **load))
    return s


def test_damped_oscillator_follows_its_closed_form():
    run = oscillator(stiffness=50.0, damping=1.0).simulate(5.0, rtol=1e-10, atol=1e-12)
    decay, w = 0.25, math.sqrt(25.0 - 0.25**2)
    exact = 0.3 * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    assert np.abs(run["cart.q"] - exact).max() < 1e-9
    assert run.audit.ok and run.audit.dissipated_work == pytest.approx(run["energy.total"][0] - run["energy.total"][-1])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same_motion(method):
    step = 2e-3 if METHODS[method].order > 2 else 5e-5
    arguments = {"rtol": 1e-9, "atol": 1e-11} if METHODS[method].adaptive else {"step": step}
    if method == "cvode":
        pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    run = oscillator(stiffness=50.0).simulate(2.0, method=method, **arguments)
    assert np.abs(run["cart.q"] - 0.3 * np.cos(5 * run.t)).max() < (2e-6 if method == "cvode" else 3e-8)


@pytest.mark.parametrize("method", ["radau5", "sdirk4"])
def test_implicit_method_steps_over_a_stiff_spring(method):
    s = kf.System("stiff", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), q=0.5)
    s.add("fin", kf.Rigid(1e-3, com=(0, 0, -0.1), inertia=(1e-6,) * 3), kf.Revolute("y"), parent="rod", at=(0, 0, -1))
    s.apply("hinge", kf.JointSpring("fin", stiffness=100.0, damping=10.0))
    implicit = s.simulate(5.0, method=method, rtol=1e-7, atol=1e-9)
    explicit = s.simulate(0.05, rtol=1e-7, atol=1e-9)
    assert implicit.statistics["steps"] < 1000 and explicit.statistics["steps"] * 100 > 20 * implicit.statistics["steps"]
    assert implicit.audit.ok
    # with the fin nearly locked the pair is one pendulum
    mass_moment, inertia = 1.0 + 1e-3 * 1.1, 1.0 + 1e-3 * 1.1**2 + 1e-6
    period = _pendulum_period(0.5, mass_moment, inertia)
    crossings = implicit.t[:-1][np.diff(np.sign(implicit["rod.q"])) != 0]
    assert np.diff(crossings).mean() == pytest.approx(period / 2, rel=2e-2)


def _pendulum_period(amplitude: float, mass_moment: float, inertia: float) -> float:
    from scipy.special import ellipk

    return 4 * math.sqrt(inertia / (G * mass_moment)) * ellipk(math.sin(amplitude / 2) ** 2)


def test_pendulum_period_is_the_elliptic_integral():
    s = kf.System("pendulum", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0)), kf.Revolute("y"), q=2.5)
    through = kf.Event(lambda t, x: x[0], ["rod.q"], name="through")
    run = s.simulate(10.0, rtol=1e-11, atol=1e-12, events=[through])
    times = np.array([t for t, _ in run.events])
    assert np.diff(times).mean() * 2 == pytest.approx(_pendulum_period(2.5, 0.5, 1 / 3), rel=1e-9)


def test_bouncing_ball_resets_at_each_event():
    s = kf.System("ball", gravity=(0, 0, -G))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)

    def bounce(state):
        state["ball.rate"] = -0.5 * state["ball.rate"]

    floor = kf.Event(lambda t, x: x[0], ["ball.q"], direction=-1, action=bounce, name="floor")
    run = s.simulate(1.2, events=[floor])
    fall = math.sqrt(2 / G)
    expected = [fall, 2 * fall, 2.5 * fall]
    assert [t for t, _ in run.events][:2] == pytest.approx(expected[:2], rel=1e-9)
    assert run["ball.q"].min() > -1e-9 and run.audit.ok
    assert run.audit.applied_work == pytest.approx(run["energy.total"][-1] - G, rel=1e-9)


def test_terminal_event_stops_the_run():
    s = kf.System("ball", gravity=(0, 0, -G))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    floor = kf.Event(lambda t, x: x[2], ["ball.position"], terminal=True, name="floor")
    run = s.simulate(5.0, events=[floor])
    assert run.status == "event" and "floor" in run.message
    assert run.t[-1] == pytest.approx(math.sqrt(2 / G), rel=1e-10)


def test_sampled_controller_is_the_discrete_closed_form():
    """A double integrator with a held input: x(k+1) = x + T v + T^2/2 a, v(k+1) = v + T a exactly."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=1.0)
    s.add_input("motor", kf.JointForce("cart"))
    T = 0.1
    run = s.simulate(
        3.0, output=T, controllers=[kf.Sampled(T, lambda t, x: -4 * x[0] - 5 * x[1], ["cart.q", "cart.rate"], "motor")]
    )
    x, v, xs = 1.0, 0.0, [1.0]
    for _ in range(30):
        a = (-4 * x - 5 * v) / 2
        x, v = x + T * v + T * T / 2 * a, v + T * a
        xs.append(x)
    assert np.abs(run["cart.q"] - xs).max() < 1e-10
    assert run["motor"][0] == -4.0 and run.audit.ok


def test_inputs_may_be_numbers_or_functions():
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add_input("motor", kf.JointForce("cart", value=3.0))
    assert s.simulate(1.0, inputs={"motor": 0.5})["cart.rate"][-1] == pytest.approx(0.75)
    run = s.simulate(1.0, inputs={"motor": lambda t: math.cos(t)})
    assert run["cart.rate"][-1] == pytest.approx(1.5 * math.sin(1.0), rel=1e-8)
    assert run["motor"] == pytest.approx(np.cos(run.t))
    run = s.simulate(1.0, inputs={"motor": (lambda t, x: 1.0 - x[0], ["cart.rate"])})
    assert run["cart.rate"][-1] == pytest.approx(1 - math.exp(-1.5), rel=1e-8)


def test_accelerating_base_tilts_a_pendulum():
    s = kf.System("cart", gravity=(0, 0, -G), base=kf.MovingBase(acceleration=(3.0, 0, 0)))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), q=math.atan(3.0 / G))
    run = s.simulate(2.0)
    assert np.ptp(run["rod.q"]) < 1e-9
    assert run["rod.position"][-1] == pytest.approx([0.5 * 3 * 4, 0, 0], abs=1e-9)
    assert run.audit.ok and run.audit.applied_work == pytest.approx(0.5 * 36 - G * 0, rel=1e-8)


def test_turning_base_throws_a_mass_outwards():
    """A slider on a base spun up at a constant rate: r'' = w(t)^2 r, and the base's drive does the work."""
    s = kf.System("table", base=kf.MovingBase(angular_acceleration=lambda t: (0.0, 0.0, 0.5), angular_velocity=(0, 0, 1.0)))
    s.add("bead", kf.PointMass(2.0), kf.Prismatic("x"), q=1.0)
    for formulation in ("recursive", "dense"):
        for speeds in ("customary", "efficient"):
            run = s.simulate(2.0, formulation=formulation, speeds=speeds, rtol=1e-10, atol=1e-12)

            exact = solve_ivp(lambda t, x: (x[1], (1 + 0.5 * t) ** 2 * x[0]), (0, 2), (1, 0), rtol=1e-12, atol=1e-12).y[
                :, -1
            ]
            assert run["bead.q"][-1] == pytest.approx(exact[0], rel=1e-8)
            assert run.audit.ok and run.audit.applied_work > 1


def test_kepler_orbit_and_gravity_gradient_libration():
    mu, a = 3.986004418e14, 7.0e6
    n = math.sqrt(mu / a**3)
    s = kf.System("satellite")
    Ix, Iy, Iz = 80.0, 100.0, 30.0  # long axis z along the radius
    # body z starts along x of N (radius), y normal to the orbit
    R = np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    e = _quaternion(R)
    s.add(
        "bus", kf.Rigid(100.0, inertia=(Ix, Iy, Iz)), kf.Free(), q=(a, 0, 0, *e), rates=(-math.sqrt(mu / a), 0, 0, 0, -n, 0)
    )
    s.apply("earth", kf.CentralGravity(mu))
    period = 2 * math.pi / n
    run = s.simulate(period, rtol=1e-11, atol=1e-9)
    assert run["bus.position"][-1] == pytest.approx([a, 0, 0], abs=20.0)
    assert run.audit.energy_drift < 1e-9
    pitch = n * math.sqrt(3 * (Ix - Iz) / Iy)
    start = run.state(0)
    start["bus.rate"] = start["bus.rate"] + np.array([0, 0, 0, 0, 1e-6, 0])
    tilted = s.simulate(period, initial=start, rtol=1e-11, atol=1e-9)
    angle = np.einsum("tij,tij->t", tilted["bus.rotation"][:, :, :1], run["bus.rotation"][:, :, 2:])
    exact = 1e-6 / pitch * np.sin(pitch * run.t)
    assert np.abs(np.abs(angle) - np.abs(exact)).max() < 2e-3 * np.abs(exact).max()


def _quaternion(R):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return (w, x, y, z)


def test_rope_only_pulls():
    s = kf.System("rope", gravity=(0, 0, -G))
    s.add("bob", kf.PointMass(1.0), kf.Prismatic("z"), q=-0.5)
    s.apply("rope", kf.SpringDamper("N", "bob", stiffness=1e4, length=1.0, slack=True))
    run = s.simulate(1.0, rtol=1e-10, atol=1e-12, output=1e-3)
    free = run.t < math.sqrt(2 * 0.5 / G)
    assert np.abs(run["bob.q"][free] - (-0.5 - G / 2 * run.t[free] ** 2)).max() < 1e-9
    assert run["rope.potential"][free].max() == 0 and run["rope.potential"].max() > 1
    assert run.audit.ok


def test_stop_sends_a_cart_back():
    s = kf.System("stop")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    s.apply("wall", kf.JointStop("cart", upper=0.5, stiffness=1e4))
    run = s.simulate(1.5, rtol=1e-10, atol=1e-12)
    contact = math.pi / 100
    assert run["cart.rate"][-1] == pytest.approx(-1.0, rel=1e-8)
    assert run["cart.q"][-1] == pytest.approx(0.5 - (1.5 - 0.5 - contact), abs=1e-8)


def test_ball_spring_frequency_and_isotropy():
    s = kf.System("ball")
    axis = np.array([1.0, 2.0, -2.0]) / 3
    e = (math.cos(0.005), *(math.sin(0.005) * axis))
    s.add("ball", kf.Rigid(1.0, inertia=(2.0, 2.0, 2.0)), kf.Spherical(), q=e)
    s.apply("spring", kf.JointSpring("ball", stiffness=8.0))
    run = s.simulate(2 * math.pi / 2, rtol=1e-11, atol=1e-13)
    assert run["ball.q"][-1] == pytest.approx(e, abs=1e-6) and run.audit.ok


def test_custom_joint_repeats_the_universal_joint():
    def pose(q):
        c1, s1, c2, s2 = kf.cos(q[0]), kf.sin(q[0]), kf.cos(q[1]), kf.sin(q[1])
        return [[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]], (0, 0, 0)

    runs = []
    for joint in (kf.Universal(("x", "y")), kf.CustomJoint(pose, ("first", "second"))):
        s = kf.System("hooke", gravity=(0, 0, -G))
        s.add("rod", kf.Rigid(1.0, com=(0.1, 0, -0.5), inertia=(0.1, 0.2, 0.15)), joint, q=(0.3, 0.4), rates=(1.0, -2.0))
        runs.append(s.simulate(3.0, rtol=1e-10, atol=1e-12))
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8 and runs[1].audit.ok


def test_rotor_takes_up_the_torque_of_its_motor():
    s = kf.System("wheel")
    s.add("bus", kf.Rigid(10.0, inertia=(2, 2, 3)), kf.Free())
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.5))
    s.add_input("motor", kf.JointForce("wheel"))
    s.apply("bearing", kf.JointSpring("wheel", damping=0.01))
    for speeds in ("customary", "efficient"):
        run = s.simulate(2.0, inputs={"motor": 1.0}, speeds=speeds, rtol=1e-10, atol=1e-12)
        # torque on the body -tau = -(1 - 0.01 w): (3 - 0.5) omega' = -tau, 0.5 (w' + omega') = tau
        k = 1 / 0.5 + 1 / 2.5
        w = 100 * (1 - math.exp(-0.01 * k * 2.0))
        assert run["wheel.rate"][-1] == pytest.approx(w, rel=1e-8)
        assert run["bus.omega"][-1, 2] == pytest.approx(-(w / 2.5) / k, rel=1e-8)
        assert run.audit.ok and run.audit.angular_momentum_drift < 1e-9


def test_force_in_body_axes_turns_with_the_body():
    s = kf.System("rocket")
    s.add("stage", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"nozzle": (0, 0, -1)}), kf.Free(), rates=(0, 0, 0, 0, 1.0, 0))
    s.apply("thrust", kf.Force("stage.nozzle", (0, 0, 1.0)))
    run = s.simulate(1.0, rtol=1e-11, atol=1e-12)
    assert run["stage.velocity"][-1] == pytest.approx([1 - math.cos(1), 0, math.sin(1)], abs=1e-9)


def test_plain_python_function_works_with_a_notice():
    table = {"gain": 2.0}

    def law(t, x):
        return float(str(-table["gain"] * x[0]))  # a text conversion, which no compiler takes

    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=1.0)
    s.apply("pull", kf.JointForce("cart", law, sees=["cart.q"]))
    with pytest.warns(UserWarning, match="pull.*Python interpreter"):
        run = s.simulate(1.0)
    assert run["cart.q"][-1] == pytest.approx(math.cos(1.0), abs=1e-7)


@pytest.mark.parametrize("choice", [{}, {"speeds": "efficient"}, {"formulation": "dense"}], ids=str)
def test_radau5_with_quaternions_and_coupled_rates(choice):
    """A fast top with a stiff fin: rates of coordinates depend on coordinates and on several speeds."""
    s = kf.System("top", gravity=(0, 0, -G))
    arm = kf.Rigid(1.0, com=(0.3, 0, -0.5), inertia=(0.1, 0.2, 0.25), frames={"tip": (0, 0, -1.0)})
    s.add("arm", arm, kf.Spherical(), rates=(3.0, 2.0, 8.0))
    s.add("fin", kf.Rigid(0.1, com=(0.1, 0, 0), inertia=(1e-3,) * 3), kf.Revolute("y"), "arm", "tip", q=0.1)
    s.apply("hinge", kf.JointSpring("fin", 1e3, 20.0))
    exact = s.simulate(1.0, method="dop853", rtol=1e-11, atol=1e-12, **choice)
    run = s.simulate(1.0, method="radau5", rtol=1e-7, atol=1e-7, **choice)
    assert np.abs(run.q - exact.q).max() < 1e-7 and run.audit.ok
    assert run.statistics["steps"] < exact.statistics["steps"] / 5 and run.statistics["jacobians"] < 10


def test_interrupt_returns_what_was_computed(monkeypatch):
    from kaneflex.simulate.stepper import Stepper

    advance, calls = Stepper.advance, []

    def impatient(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return advance(self, *arguments)

    monkeypatch.setattr(Stepper, "advance", impatient)
    run = oscillator(stiffness=5e4).simulate(100.0, max_step=1e-3)
    assert run.status == "interrupted" and 0 < run.t[-1] < 100
    monkeypatch.undo()
    assert run.extend(0.1).status == "done"


def test_quaternions_stay_normalised_over_a_long_run():
    s = kf.System("tumble")
    s.add("body", kf.Rigid(1.0, inertia=(1, 2, 3 - 1e-3)), kf.Free(), rates=(0, 0, 0, 0.3, 2.0, 0.1))
    run = s.simulate(500.0, rtol=1e-7)
    assert run.audit.quaternion_drift < 1e-13 and run.audit.ok
