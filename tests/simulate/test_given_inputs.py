"""Inputs as numbers, functions, profiles, tables and Series."""

import numpy as np
import pytest

import kaneflex as kf

TIMES, VALUES = [0.2, 0.5, 0.6, 1.4], [1.0, 3.0, -2.0, 0.5]


def cart() -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("cart"))
    s.apply("spring", kf.JointSpring("cart", stiffness=8.0))
    return s


def moved(**arguments):
    """A run of a cart on no spring, whose rate is the impulse of the push over its mass, 2 kg."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("cart"))
    return s.simulate(2.0, rtol=1e-10, atol=1e-12, **arguments)


def as_given():
    pandas = pytest.importorskip("pandas")
    return {
        "pair": (TIMES, VALUES),
        "list of arrays": [np.array(TIMES), np.array(VALUES)],
        "signal": kf.profiles.signal(TIMES, VALUES),
        "Series": pandas.Series(VALUES, index=TIMES),
        "Series over time differences": pandas.Series(VALUES, index=pandas.to_timedelta(TIMES, unit="s")),
    }


@pytest.mark.parametrize("which", ["pair", "list of arrays", "signal", "Series", "Series over time differences"])
def test_a_table_is_straight_lines_held_beyond_its_ends(which):
    run = moved(inputs={"push": as_given()[which]}, output=0.05)
    assert run["push"] == pytest.approx(np.interp(run.t, TIMES, VALUES), abs=1e-14)
    area = 0.2 * 1.0 + np.trapezoid(VALUES, TIMES) + 0.6 * 0.5
    assert run["cart.rate"][-1] == pytest.approx(area / 2.0, abs=1e-12)


def test_steps_hold_each_value_until_the_next():
    run = moved(inputs={"push": kf.profiles.signal(TIMES, VALUES, "steps")}, times=[0.0, 0.3, 0.55, 1.0, 2.0])
    assert run["push"] == pytest.approx([1.0, 1.0, 3.0, -2.0, 0.5])
    area = 0.5 * 1.0 + 0.1 * 3.0 + 0.8 * -2.0 + 0.6 * 0.5
    assert run["cart.rate"][-1] == pytest.approx(area / 2.0, abs=1e-12)


def test_a_profile_drives_an_input_by_its_value():
    run = moved(inputs={"push": kf.profiles.cosine(3.0, 2.0)})
    assert run["cart.rate"] == pytest.approx(1.5 / 2.0 * np.sin(2 * run.t), abs=1e-8)
    run = moved(inputs={"push": kf.profiles.Motion(lambda t: 3.0 * t)})
    assert run["cart.rate"] == pytest.approx(0.75 * run.t**2, abs=1e-8)


def test_the_breaks_of_a_table_are_in_the_plan():
    run = moved(inputs={"push": (TIMES, VALUES)})
    assert run.plan.breaks == tuple(TIMES)


@pytest.mark.parametrize("given", [2.0, lambda t: 2.0, kf.profiles.hold(2.0), ([0.0, 1.0], [2.0, 7.0]), np.float64(2.0), 2])
def test_linear_models_and_equilibria_take_the_value_at_their_time(given):
    s = cart()
    assert s.equilibrium(inputs={"push": given})["cart.q"] == pytest.approx(2.0 / 8.0, rel=1e-12)
    assert s.linearize(s.state({"cart.q": 0.25}), inputs={"push": given}).f0 == pytest.approx([0, 0], abs=1e-12)


def test_the_time_is_that_of_the_state():
    s = cart()
    later = s.state({"cart.q": 0.0}, t=0.5)
    assert s.equilibrium(later, inputs={"push": (TIMES, VALUES)})["cart.q"] == pytest.approx(3.0 / 8.0, rel=1e-12)


NONSENSE = {
    "None": None,
    "text": "abc",
    "flag": True,
    "array": np.zeros(3),
    "three lists": ([0.0], [1.0], [2.0]),
    "numbers": (1.0, 2.0),
    "huge": 10**400,
    "nan": float("nan"),
    "class": float,
    "dict": {},
    "times that do not ascend": ([0.0, 0.0], [1.0, 2.0]),
    "lengths": ([0.0, 1.0], [1.0]),
    "complex": 1j,
}


@pytest.mark.parametrize("which", NONSENSE)
@pytest.mark.parametrize("verb", ["simulate", "linearize", "equilibrium"])
def test_other_values_are_refused_by_name(verb, which):
    s, inputs = cart(), {"push": NONSENSE[which]}
    with pytest.raises(kf.ModelError, match='input "push"'):
        s.simulate(1.0, inputs=inputs) if verb == "simulate" else getattr(s, verb)(inputs=inputs)


@pytest.mark.parametrize("inputs", [5.0, [("push", 1.0)], "push", {"pull": 1.0}, {1: 1.0}])
@pytest.mark.parametrize("verb", ["simulate", "linearize", "equilibrium"])
def test_what_is_no_mapping_of_inputs_is_refused(verb, inputs):
    with pytest.raises(kf.ModelError, match="input"):
        cart().simulate(1.0, inputs=inputs) if verb == "simulate" else getattr(cart(), verb)(inputs=inputs)


def test_a_law_of_channels_has_no_value_for_a_linear_model():
    with pytest.raises(kf.ModelError, match='input "push" is a function of channels'):
        cart().linearize(inputs={"push": (lambda t, x: -x[0], ["cart.q"])})


def test_a_series_over_dates_is_refused():
    pandas = pytest.importorskip("pandas")
    dates = pandas.to_datetime(["2020-01-01", "2020-01-02"])
    with pytest.raises(kf.ModelError, match="seconds"):
        cart().simulate(1.0, inputs={"push": pandas.Series([1.0, 2.0], index=dates)})


def test_a_signal_is_no_motion():
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x", motion=kf.profiles.signal(TIMES, VALUES)))
    with pytest.raises(kf.ModelError, match=r"rate jumps.*profiles\.table"):
        s.simulate(1.0)
