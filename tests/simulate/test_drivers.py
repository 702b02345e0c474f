"""An input has one driver: its entry in inputs=, or one controller."""

import numpy as np
import pytest

import kaneflex as kf


def cart() -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("cart"))
    s.add_input("pull", kf.JointForce("cart", -1.0))
    return s


def control(*drives: str) -> kf.Sampled:
    return kf.Sampled(0.01, lambda t, x: np.ones(len(drives)), sees=["cart.q"], drives=drives)


def seen(t, x):
    return -x[0]


TWO = {
    "number and controller": ({"push": 1.0}, [control("push")], r'"push".*inputs=.*controller 1'),
    "function and controller": ({"push": lambda t: t}, [control("push")], r'"push".*inputs=.*controller 1'),
    "law and controller": ({"pull": (seen, ["cart.q"])}, [control("push", "pull")], r'"pull".*inputs=.*controller 1'),
    "two controllers": ({}, [control("pull"), control("push", "pull")], r'"pull".*controller 1 and by controller 2'),
    "a controller twice": ({}, [control("push", "push")], r'"push".*controller 1 and by controller 1'),
}


@pytest.mark.parametrize("case", TWO)
def test_two_drivers_of_one_input_are_refused(case):
    inputs, controllers, message = TWO[case]
    with pytest.raises(kf.ModelError, match=message):
        cart().simulate(0.1, inputs=inputs, controllers=controllers)


def test_two_inputs_may_have_two_drivers():
    run = cart().simulate(1.0, inputs={"pull": 1.0}, controllers=[control("push")])
    assert run["cart.q"] == pytest.approx(np.zeros(len(run.t)), abs=1e-12)
    run = cart().simulate(1.0, controllers=[control("push"), control("pull")])
    assert run["cart.q"] == pytest.approx(np.zeros(len(run.t)), abs=1e-12)


def test_a_run_that_goes_on_with_another_driver_must_drop_the_first():
    run = cart().simulate(1.0, inputs={"push": lambda t: 2.0})
    with pytest.raises(kf.ModelError, match=r'"push".*inputs=.*controller 1'):
        run.extend(1.0, controllers=[control("push")])
    on = run.extend(1.0, inputs={"push": None}, controllers=[control("push")])
    assert on["cart.acceleration"][-1] == pytest.approx([0.5, 0, 0])


@pytest.mark.parametrize("controllers, message", [([control("pusch")], '"pusch".*"push"'), ([lambda t: 1.0], "a Sampled")])
def test_what_drives_nothing_is_refused_at_once(controllers, message):
    with pytest.raises(kf.ModelError, match=message):
        cart().simulate(0.1, controllers=controllers)


def test_what_fails_in_a_controller_is_told_with_its_time():
    def law(t, x):
        return 1.0 / (0.35 - t) if t < 0.3 else {}["gain"]

    with pytest.raises(KeyError) as failed:
        cart().simulate(1.0, controllers=[kf.Sampled(0.1, law, ["cart.q"], "push")])
    assert failed.value.__notes__ == ["in the controller of push at t = 0.3 s"]
