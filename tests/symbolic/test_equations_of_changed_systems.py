"""Equations in symbols are those of the system they were derived of, as it was then."""

import pytest

import kaneflex as kf


def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)), kf.Revolute("y"), q=0.5)
    s.apply("spring", kf.JointSpring("rod", stiffness=2.0, damping=0.1))
    return s


def weaker(s: kf.System) -> None:
    s.loads["spring"] = kf.JointSpring("rod", stiffness=1.0, damping=0.1)


CHANGES = {
    "gravity": lambda s: setattr(s, "gravity", (0, 0, -1.6)),
    "a load less": lambda s: s.loads.clear(),
    "another load": weaker,
    "a load more": lambda s: s.apply("torque", kf.JointForce("rod", 0.3)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_equations_of_a_system_that_changed_are_refused(change):
    s = pendulum()
    equations = s.equations()
    assert s.simulate(0.2, equations=equations)["rod.q"][-1] == pytest.approx(s.simulate(0.2)["rod.q"][-1], abs=1e-9)
    CHANGES[change](s)
    with pytest.raises(kf.ModelError, match=r'"pendulum" has changed.*derive them again'):
        s.simulate(0.2, equations=equations)
    assert s.simulate(0.2, equations=s.equations())["rod.q"][-1] == pytest.approx(s.simulate(0.2)["rod.q"][-1], abs=1e-9)


def test_numbers_of_ones_own_are_taken():
    s = pendulum()
    lighter = s.equations().numbers({"k_spring": 1.0})
    expected = pendulum()
    weaker(expected)
    assert s.simulate(0.2, equations=lighter)["rod.q"][-1] == pytest.approx(expected.simulate(0.2)["rod.q"][-1], abs=1e-9)


def test_events_and_inputs_change_nothing_in_the_system():
    s = pendulum()
    s.add_input("motor", kf.JointForce("rod"))
    equations = s.equations()
    driven = {"inputs": {"motor": (lambda t, x: -x[0], ["rod.q"])}, "events": [kf.Event(lambda t, x: x[0], sees=["rod.q"])]}
    run = s.simulate(1.0, equations=equations, **driven)
    assert run["rod.q"] == pytest.approx(s.simulate(1.0, **driven)["rod.q"], abs=1e-7) and run.events
