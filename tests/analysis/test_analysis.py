"""Linear models, equilibria and modes against closed forms and differences."""

import math

import numpy as np
import pytest

import kaneflex as kf

G = 9.81


def cart_pole() -> kf.System:
    s = kf.System("cart-pole", gravity=(0, 0, -G))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add("pole", kf.Rigid(0.5, com=(0, 0, 1.0), frames={"tip": (0, 0, 1.0)}), kf.Revolute("y"), parent="cart")
    s.add_input("motor", kf.JointForce("cart"))
    return s


def test_cart_pole_state_space_is_the_textbook_one():
    M, m, l = 2.0, 0.5, 1.0
    linear = cart_pole().linearize(outputs=["pole.tip.position", "cart.q"])
    assert linear.states == ("cart.slide", "pole.angle", "cart.slide.rate", "pole.angle.rate")
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2, 1], A[3, 1] = -m * G / M, (M + m) * G / (M * l)
    assert pytest.approx(A, abs=1e-13) == linear.A
    assert linear.B[:, 0] == pytest.approx([0, 0, 1 / M, -1 / (M * l)], abs=1e-14)
    assert linear.inputs == ("motor",) and linear.outputs[0] == "pole.tip.position[0]"
    assert linear.C[[0, 3], :2] == pytest.approx(np.array([[1, l], [1, 0]])) and not linear.D.any()


def test_to_control_keeps_names():
    pytest.importorskip("control")
    model = cart_pole().linearize(outputs=["cart.q"]).to_control()
    assert model.input_labels == ["motor"] and model.nstates == 4 and model.output_labels == ["cart_q"]


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
@pytest.mark.parametrize("formulation", ["recursive", "dense"])
@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_linear_model_agrees_with_differences_away_from_equilibrium(formulation, speeds):
    s = kf.System("tree", gravity=(0, 1, -G))
    s.add(
        "hub",
        kf.Rigid(2.0, com=(0.1, 0, 0), inertia=(1, 1.2, 1.5)),
        kf.Free(),
        q=(1, 2, 3, 0.5, 0.5, 0.5, 0.5),
        rates=range(6),
    )
    s.add(
        "arm",
        kf.Rigid(1.0, com=(1, 0, 0), inertia=(0.1,) * 3),
        kf.Universal(("x", "y")),
        parent="hub",
        q=(0.3, 0.4),
        rates=(1, 2),
    )
    s.add_rotor("wheel", "hub", kf.Rotor((1, 1, 0), 0.1, rate=5.0))
    s.add_input("motor", kf.JointForce("wheel"))
    s.apply("rope", kf.SpringDamper("N", "arm", stiffness=4.0, damping=0.3, length=1.0, slack=True))
    s.apply(
        "law", kf.JointForce("arm", lambda t, x: np.sin(x[0]) * x[1], coordinate="angle2", sees=["arm.angle1", "wheel.rate"])
    )
    linear = s.linearize(formulation=formulation, speeds=speeds, outputs=["arm.acceleration", "hub.omega"])
    d = s.dynamics(formulation, speeds)
    n = len(linear.x0)

    def f(x):
        return d.derivative(0.0, np.append(x, [0, 0]))[:n]

    h = 1e-5
    A = np.array([(f(linear.x0 + h * e) - f(linear.x0 - h * e)) / (2 * h) for e in np.eye(n)]).T
    assert pytest.approx(A, abs=2e-7 * np.abs(A).max()) == linear.A
    assert linear.f0 == pytest.approx(f(linear.x0))
    assert linear.C.shape == (6, n) and linear.C[:3].any() and linear.D[:3].any()


def test_reduced_model_has_no_spurious_eigenvalue():
    s = kf.System("ball")
    s.add("ball", kf.Rigid(1.0, inertia=(2.0, 3.0, 4.0)), kf.Spherical())
    s.apply("spring", kf.JointSpring("ball", stiffness=12.0))
    frequencies = sorted(m.frequency for m in s.modes())
    assert frequencies == pytest.approx([math.sqrt(3), 2.0, math.sqrt(6)], rel=1e-12)
    assert len(s.linearize().eigenvalues()) == 6


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_function_without_complex_version_falls_back_to_differences():
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.5)
    s.apply("pull", kf.JointForce("cart", lambda t, x: -math.sin(x[0]), sees=["cart.q"]))
    with pytest.warns(UserWarning, match="differences"):
        linear = s.linearize()
    assert linear.A[1, 0] == pytest.approx(-math.cos(0.5) / 2, rel=1e-8)


def test_equilibrium_of_a_sagging_pendulum():
    s = kf.System("sag", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, com=(1.0, 0, 0)), kf.Revolute("y"))
    s.apply("spring", kf.JointSpring("rod", stiffness=20.0))
    angle = s.equilibrium()["rod.q"]
    assert 20 * angle == pytest.approx(G * math.cos(angle), rel=1e-9) and angle > 0


def test_equilibrium_with_quaternions_hangs_down():
    s = kf.System("hang", gravity=(0, 0, -G))
    e = (math.cos(0.5), math.sin(0.5), 0, 0)
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)), kf.Spherical(), q=e)
    state = s.equilibrium()
    run = s.simulate(0.1, initial=state)
    assert np.abs(run["bob.rate"]).max() < 1e-8
    damped = s.modes(state)
    assert damped[-1].frequency == pytest.approx(math.sqrt(G / 1.1), rel=1e-9)


def test_a_mode_tells_radians_and_cycles():
    s = kf.System("oscillator")
    s.add("mass", kf.Rigid(1.0), kf.Prismatic("x"))
    s.apply("spring", kf.JointSpring("mass", (2 * np.pi) ** 2))
    assert str(s.modes()[0]) == "6.28319 rad/s (1 Hz), damping 0"
