"""Linear models of systems with flexible bodies: frequencies at rest and in rotation, and slopes."""

import numpy as np
import pytest
from scipy.linalg import eigh

import kaneflex as kf
from kaneflex.structures import Beam
from kaneflex.structures.modes.mode_choice import ModeChoice

UNIT = Beam(length=1.0, EA=1e8, EI=(1.0, 1e4), mass_per_length=1.0, elements=20, GJ=1e4)  # flap is bending about y
BENDING = {"bending z": ModeChoice("craig-bampton", count=8)}
ALL = ModeChoice("craig-bampton", count=8)


def frequencies(model) -> np.ndarray:
    """rad/s, ascending, each once."""
    return np.unique(np.round(np.abs(model.eigenvalues().imag), 6))


def rotating(rate, tip_mass, modes=BENDING, stiffening=True) -> kf.System:
    s = kf.System("rotating")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.constant_rate(rate)))
    s.add("arm", kf.Flexible(UNIT, modes=modes, interfaces=("tip",), stiffening=stiffening), parent="hub")
    s.add("mass", kf.PointMass(tip_mass), parent="arm", at="tip")
    return s


# Flap of a rotating beam with a tip mass: tip mass over beam mass, spin and two frequencies in sqrt(EI/(rho A L^4)); from
# a Ritz solution with the exact tension.
TIP_MASS = [
    (0.5, 0, 2.0163, 16.9014),
    (0.5, 2, 2.9657, 18.1669),
    (0.5, 6, 6.6842, 26.1354),
    (1.0, 4, 4.5429, 23.0229),
    (1.0, 10, 10.4864, 43.4517),
    (2.0, 6, 6.3666, 35.1694),
    (2.0, 10, 10.3545, 54.1305),
]


@pytest.mark.parametrize(("mass", "rate", "first", "second"), TIP_MASS)
def test_rotating_beam_with_tip_mass(mass, rate, first, second):
    """The tip mass hangs on a node: its pull stiffens the beam through the second-order motion of that node."""
    found = frequencies(rotating(rate, mass).linearize())
    assert found[:2] == pytest.approx([first, second], rel=5e-4)


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_stretched_beam_must_be_linearised_where_it_is_stretched():
    """With stretching modes the tension is that of their deflection: at rest in them there is none."""
    s = rotating(6.0, 1.0, ALL)
    steady = s.equilibrium()
    assert frequencies(s.linearize(steady))[:2] == pytest.approx([6.5091, 29.2917], rel=5e-4)
    undeformed = s.state()
    undeformed["hub.rate"] = 6.0
    assert frequencies(s.linearize(undeformed))[1] < 20.0


def test_without_stiffening_a_fast_beam_is_too_soft():
    right, wrong = (frequencies(rotating(6.0, 1.0, stiffening=on).linearize())[0] for on in (True, False))
    assert wrong < 0.3 * right


def test_free_hub_with_a_beam_has_the_modes_of_the_whole():
    """Against the finite-element model of both, the hub being lumped on the root."""
    beam = Beam(length=2.0, EA=1e5, EI=(20.0, 30.0), mass_per_length=0.5, elements=10)
    mass, J = 3.0, np.diag([0.2, 0.3, 0.4])
    s = kf.System("hub-and-beam")
    s.add("hub", kf.Rigid(mass, inertia=J), kf.Free())
    s.add("arm", kf.Flexible(beam, modes=20), parent="hub")
    M, K = beam.M.toarray(), beam.K.toarray()
    M[:3, :3] += mass * np.eye(3)
    M[3:6, 3:6] += J
    wanted = np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0.0))[6:12]
    found = frequencies(s.linearize())
    assert found[found > 1.0][:6] == pytest.approx(wanted, rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_linear_model_is_the_slope_of_the_motion():
    beam = Beam(length=2.0, EA=1e5, EI=20.0, mass_per_length=0.5, elements=6)
    s = kf.System("arm", gravity=(0, 0, -2.0))
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Revolute("y"), q=0.3, rates=0.4)
    s.add("arm", kf.Flexible(beam, modes=4, damping=0.02), parent="hub")
    s.add(
        "load", kf.Rigid(0.5, com=(0.1, 0, 0), inertia=(0.02, 0.02, 0.02)), kf.Revolute("z"), "arm", "tip", q=0.2, rates=-0.5
    )
    s.add_input("motor", kf.JointForce("hub"))
    start = s.state()
    start["arm.modes"], start["arm.modes_rate"] = [0.02, -0.01, 0.01, 0.0], [0.1, 0.0, -0.1, 0.2]
    names = ["arm.tip.deflection", "load.position"]
    model, d = s.linearize(start, outputs=names), s.dynamics()
    x, n, h = np.concatenate([start.q, start.rates]), len(start.q), 1e-4

    def rate(x):
        return d.derivative(0.0, np.concatenate([x, [0.0, 0.0]]))[:-2]

    slopes = [
        (8 * (rate(x + h * e) - rate(x - h * e)) - rate(x + 2 * h * e) + rate(x - 2 * h * e)) / (12 * h)
        for e in np.eye(2 * n)
    ]
    assert pytest.approx(np.column_stack(slopes), abs=1e-8 * np.abs(model.A).max()) == model.A
    bent = start.copy()
    bent["arm.modes"] = start["arm.modes"] + [1e-6, 0, 0, 0]
    shown = [s.simulate(1e-9, initial=state, times=[0.0])["arm.tip.deflection"][0] for state in (start, bent)]
    assert model.C[:3, 1] == pytest.approx((shown[1] - shown[0]) / 1e-6, abs=1e-5)
