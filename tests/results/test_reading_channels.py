"""Channels read one by one, many in one pass, and at a state are the same."""

import numpy as np
import pytest

import kaneflex as kf

NAMES = ("arm.q", "arm.rate", "arm.tip.position", "arm.rotation", "arm.acceleration", "arm.alpha", "arm.load")


@pytest.fixture(scope="module")
def system():
    s = kf.System("arm", gravity=(0, -9.81, 0))
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=0.2)
    rod = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1.0, 0, 0)})
    s.add("arm", rod, kf.Revolute("z"), parent="hub", q=0.3, rates=1.0)
    s.apply("damper", kf.JointSpring("arm", stiffness=2.0, damping=0.1))
    s.add_input("motor", kf.JointForce("arm"))
    return s


def test_many_in_one_pass(system):
    one, many = (system.simulate(1.0, inputs={"motor": 0.5}) for _ in range(2))
    found = many.read(*NAMES, "damper.power", "t", "energy.total", "arm.u", "motor")
    assert list(found) == [*NAMES, "damper.power", "t", "energy.total", "arm.u", "motor"]
    for name, values in found.items():
        assert np.array_equal(values, one[name]), name


SEEN = [("arm.tip.position", "arm.q", "arm.tip.position", "motor"), (*NAMES, "t"), ("energy.kinetic",)]


@pytest.mark.parametrize("names", SEEN)
def test_what_a_controller_sees(system, names):
    """At every sample, in the order that is asked for, also twice."""
    seen = []
    law = lambda t, x: (seen.append(x.copy()), 0.5)[1]
    run = system.simulate(0.3, controllers=[kf.Sampled(0.1, law, sees=names, drives="motor")], output=0.1)
    for k in (1, 2):  # at the first sample inputs are still zero
        one = system.channels(run.state(k), *dict.fromkeys(names), inputs={"motor": 0.5})
        assert seen[k] == pytest.approx(np.concatenate([np.ravel(one[name]) for name in names]), abs=1e-9)


def test_at_a_state(system):
    run = system.simulate(1.0, inputs={"motor": 0.5})
    at = system.channels(run.final, *NAMES, inputs={"motor": 0.5})
    for name, value in at.items():
        assert np.asarray(value) == pytest.approx(run[name][-1], abs=1e-12), name
    start = system.channels(None, "arm.q", "arm.tip.position")
    assert start["arm.q"] == 0.3 and start["arm.tip.position"] == pytest.approx([np.cos(0.3), np.sin(0.3), 0])
    with pytest.raises(kf.ModelError, match=r'channel "leg\.q" is not known'):
        system.channels(None, "leg.q")


def test_a_sampled_controller_sees_accelerations_of_its_own_instant(system):
    seen = []

    def law(t, x):
        seen.append((t, x[2]))
        return [0.0]

    controller = kf.Sampled(0.1, law, sees=["arm.alpha"], drives=["motor"])
    run = system.simulate(1.0, controllers=[controller], output=0.1)
    times, values = np.array([s[0] for s in seen]), np.array([s[1] for s in seen])
    own = np.interp(times, run.t, run["arm.alpha"][:, 2])
    assert np.ptp(own) > 1.0
    assert values == pytest.approx(own, abs=1e-12)


def test_the_mass_centre_moves_with_the_momentum(system):
    run = system.simulate(1.0, output=1e-3)
    mass = 3.0
    hub, arm = run["hub.position"], run["arm.position"]
    own = run["arm.rotation"] @ [0.5, 0, 0]
    assert run["mass_centre.position"] == pytest.approx((2.0 * hub + arm + own) / mass, abs=1e-12)
    assert run["mass_centre.velocity"] == pytest.approx(run["momentum.linear"] / mass, abs=1e-14)
    slope = np.gradient(run["mass_centre.position"], run.t, axis=0)[5:-5]
    assert slope == pytest.approx(run["mass_centre.velocity"][5:-5], abs=1e-4)


def test_angles_and_errors_of_an_orientation():
    """A body on a Hooke joint whose angles are known; and one that turns more than half a turn."""
    s = kf.System("wheel")
    box = kf.Rigid(1.0, inertia=(1, 1, 1))
    s.add("yaw", box, kf.Revolute("z"), rates=2.0)
    s.add("pitch", box, kf.Revolute("y"), parent="yaw", q=0.3)
    run = s.simulate(4.0)
    angles = run.angles("pitch", "zyx")
    assert angles[:, 0] == pytest.approx(run["yaw.q"], abs=1e-9) and angles[-1, 0] > np.pi
    assert angles[:, 1] == pytest.approx(run["pitch.q"], abs=1e-9)
    turned = np.abs((run["yaw.q"] + np.pi) % (2 * np.pi) - np.pi)
    assert run.rotation_error("yaw") == pytest.approx(turned, abs=1e-9)
    assert run.rotation_error("pitch", "yaw") == pytest.approx(np.abs(run["pitch.q"]), abs=1e-12)
    assert run.rotation_error("yaw", run["yaw.rotation"][7])[7] == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(kf.ModelError, match="no two alike"):
        run.angles("yaw", "zzx")
