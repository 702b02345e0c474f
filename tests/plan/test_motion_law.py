"""Prescribed motions as laws: compiled, complex, symbolic; derivatives that are derived, and what is refused."""

import math
import warnings

import numpy as np
import pytest
import symengine

import kaneflex as kf
from kaneflex.kernels import symbolic_ops
from kaneflex.model import profiles
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import decode, encode
from kaneflex.plan.laws import CompiledFunction, SlowLawWarning
from kaneflex.plan.motion_law import motion_law

WHAT = 'motion of joint "crank"'
READY = [
    profiles.spin_up(6.0, 1.5),
    profiles.cosine(0.7, 3.0, phase=0.3, offset=-0.2),
    profiles.versine(0.5, 2.0, start=0.7),
    profiles.smooth_step(1.3, 2.0, start=0.7, initial=-0.4),
    profiles.bang_bang(1.3, 2.0, start=0.7, initial=-0.4),
    profiles.quintic(-1.3, 2.0, start=0.7, initial=-0.4),
    profiles.table([0.5, 1.0, 2.5, 3.0], [0.2, -1.0, 0.7, 0.9]),
    profiles.table(np.linspace(0, 3, 400), np.sin(np.linspace(0, 3, 400)), ends="natural"),
    profiles.hold(1.7),
    profiles.constant_rate(2.5, initial=-1),
]
GAIN = 3.0


@pytest.fixture(autouse=True)
def nothing_is_slow():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowLawWarning)
        yield


def law_of(motion):
    function = motion_law(motion, WHAT)
    return CompiledFunction(function, 0, 3, name=WHAT, symbolic=getattr(function, "symbolic", None))


def values(law, t):
    """Acceleration, value and rate by the compiled law."""
    assert law.compiled
    return law._code.real.run(t, np.zeros(0))


def on_symbols(law, t):
    symbol = symengine.Symbol("time")
    found = symbolic_ops.laws[law.symbolic_key](symbol, [])
    return np.array([float(symengine.sympify(e).subs({symbol: t}).n(real=True)) for e in found])


@pytest.mark.parametrize("profile", READY, ids=lambda p: type(p).__name__)
def test_every_profile_is_compiled(profile):
    law = law_of(profile)
    value, rate, acceleration = profile.functions
    for t in (-0.3, 0.0, 0.7, 0.71, 1.234, 1.7, 2.2, 2.7, 3.0, 40.0):
        expected = [acceleration(t), value(t), rate(t)]
        np.testing.assert_allclose(values(law, t), expected, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(on_symbols(law, t), expected, rtol=1e-12, atol=1e-13)
    assert law.complex_address


def test_an_equal_profile_is_compiled_once():
    for make in (lambda: profiles.quintic(1.0, 2.0), lambda: profiles.table([0, 1, 2], [0, 1, 3])):
        assert law_of(make()).machine_code == law_of(make()).machine_code


# ---- functions of the user's


def swing(t):
    return GAIN * np.sin(2 * t) ** 2 / (1 + t * t)


def swing_rate(t):
    return GAIN * (2 * np.sin(4 * t) / (1 + t * t) - 2 * t * np.sin(2 * t) ** 2 / (1 + t * t) ** 2)


class Controller:
    def __call__(self, t):
        return np.sin(2 * t) * GAIN


FUNCTIONS = {
    "numpy": swing,
    "math and a helper": lambda t: math.exp(-t) + swing(t) ** 2,
    "SymEngine": lambda t: kf.sin(t) / kf.sqrt(2 + t),
    "polynomial": lambda t: 2 + t / 3 - t**3,
    "zeros where it is tried": lambda t: 1e-3 * np.sin(2 * np.pi * 5 * t),
    "constant": lambda t: 5.0,
    "numpy's own": np.cos,
    "an object": Controller(),
    "one of a list": lambda t: [t**2],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_a_bare_function_are_derived(name):
    function = FUNCTIONS[name]
    law, h = law_of(function), 1e-4
    for t in (0.3, 0.7, 2.9):
        low, x, high = (float(np.ravel(function(s))[0]) for s in (t - h, t, t + h))
        found = values(law, t)
        np.testing.assert_allclose(found, [(high - 2 * x + low) / h**2, x, (high - low) / (2 * h)], atol=3e-5)
        np.testing.assert_allclose(on_symbols(law, t), found, rtol=1e-12, atol=1e-12)
    assert law.complex_address


def test_a_given_rate_is_differentiated():
    law, bare = law_of(profiles.Motion(swing, swing_rate)), law_of(swing)
    for t in (0.3, 0.7, 2.9):
        np.testing.assert_allclose(values(law, t), values(bare, t), rtol=1e-12)


def test_a_given_acceleration_is_used():
    law = law_of(profiles.Motion(lambda t: t * t, acceleration=lambda t: 2 + 0 * t))
    np.testing.assert_allclose(values(law, 0.7), [2.0, 0.49, 1.4], rtol=1e-15)


def test_complete_functions_may_branch_and_are_compiled_once():
    def value(t):
        return t * t if t < 1 else 2 * t - 1

    def rate(t):
        return 2 * t if t < 1 else 2.0

    def acceleration(t):
        return 2.0 if t < 1 else 0.0

    motion = profiles.Motion(value, rate, acceleration, breaks=[1.0])
    law = law_of(motion)
    np.testing.assert_allclose(values(law, 0.5), [2.0, 0.25, 1.0])
    np.testing.assert_allclose(values(law, 2.0), [0.0, 3.0, 2.0])
    assert law_of(motion).machine_code == law.machine_code


def test_a_changed_gain_is_noticed():
    def lift(t):
        return gain * t

    gain = 2.0
    first = law_of(lift)
    gain = 3.0
    assert (values(first, 1.0)[1], values(law_of(lift), 1.0)[1]) == (2.0, 3.0)


def test_complete_functions_of_symengine_are_run_on_symbols():
    law = law_of(profiles.Motion(lambda t: kf.sin(t), lambda t: kf.cos(t), lambda t: -kf.sin(t)))
    np.testing.assert_allclose(values(law, 0.7), [-math.sin(0.7), math.sin(0.7), math.cos(0.7)], rtol=1e-15)


def test_objects_as_functions_run_in_the_interpreter():
    class Ramp:
        __hash__ = None

        def __init__(self, order):
            self.order = order

        def __call__(self, t):
            return [t * t / 2, t, 1.0][self.order]

    function = motion_law(profiles.Motion(Ramp(0), Ramp(1), Ramp(2)), WHAT)
    assert function(3.0) == (1.0, 4.5, 3.0)
    with pytest.warns(SlowLawWarning):
        assert not CompiledFunction(function, 0, 3, name=WHAT).compiled


def test_a_fast_vibration_is_not_taken_for_a_wrong_rate():
    w = 3e5
    motion = profiles.Motion(lambda t: np.sin(w * t), lambda t: w * np.cos(w * t), lambda t: -w * w * np.sin(w * t))
    assert values(law_of(motion), 0.0)[2] == w


def test_a_function_that_a_file_could_not_hold():
    motion = decode(encode(profiles.Motion(swing), "crank.motion"), {})
    assert motion_law(motion, WHAT).is_missing == "crank.motion.value"


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        (0.5, " is 0.5: give kaneflex.profiles.hold(0.5)"),
        (lambda t: 1.0 if t > 2 else 0.0, ": the function does not run on symbols (TypeError: cannot determine truth"),
        (lambda t: np.interp(t, [0, 1], [0, 1]), ": the function does not run on symbols (RuntimeError"),
        (lambda t: abs(t), ": the function cannot be differentiated, abs(t) has no derivative: pass Motion(value, rate, "),
        (lambda t: 2 * t if t == 0.7 else 3 * t, ": at t = 0.7 the function gives [1.4], and [2.1] when it has run on"),
        (lambda t: None, ": the function returned None; it must return numbers"),
        (lambda t: "up", ": the function returned a str; it must return numbers"),
        (lambda t: (), ": the function returned no numbers; it must return one, the coordinate"),
        (lambda t: (t, 2 * t), ": the function returned 2 numbers; it must return one, the coordinate"),
        (lambda t: t > 1, ": the function returned 1 < t on symbols, which is not a number: pass Motion(value, rate, "),
        (lambda t: 1j * t, ": the function gives complex numbers; it must give real ones"),
        (lambda t, x: t, ": the function takes (t, x); it must take (t)"),
        (lambda: 1.0, ": the function takes (); it must take (t)"),
        (lambda t: symengine.Symbol("L") * t, ": the function contains L, which have no value"),
        (lambda t: symengine.gamma(t), ": the function has something in it that cannot be computed ("),
        (profiles.Motion(np.sin, lambda t: "a"), ", rate: the function returned a str"),
        (
            profiles.Motion(swing, lambda t: 1.01 * swing_rate(t)),
            ": the rate is not the derivative of the value: at t = 0.123 it is ",
        ),
        (
            profiles.Motion(lambda t: t**3, lambda t: 3 * t**2, lambda t: 5 * t),
            ": the acceleration is not the derivative of the rate: at t = 0.123 it is 0.615, and the rate changes by 0.738",
        ),
    ],
)
def test_what_is_refused(motion, message):
    with pytest.raises(ModelError) as caught:
        motion_law(motion, WHAT)
    assert str(caught.value).startswith(WHAT + message)
