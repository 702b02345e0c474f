"""Constraints by functions of the user's: values, derivatives and gamma against steps along a motion; what is refused."""

import math
import warnings

import numpy as np
import pytest
import symengine

import kaneflex as kf
from kaneflex.kernels import symbolic_ops
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import _missing
from kaneflex.plan.laws import CompiledFunction, SlowLawWarning
from kaneflex.plan.user_constraint import constraint_law, velocity_constraint_law

WHAT = 'constraint "mine"'
LENGTH = 1.3


@pytest.fixture(autouse=True)
def nothing_is_slow():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowLawWarning)
        yield


def squared(a):
    return sum(c * c for c in a)


def rod(t, x):
    return squared(x[:3] - x[3:]) - LENGTH**2


def rope(t, x):
    return kf.sqrt(squared([x[k] - x[3 + k] for k in range(3)])) - LENGTH * (1 + kf.sin(3 * t) / 5)


def linkage(t, x):
    a, b = x
    return np.cos(a) + math.exp(-t) * np.cos(a + b) - t**2, np.sin(a) * np.sin(b) + a / (2 + t * b)


def steered(t, x):
    """Both axes of a frame in a turning plane, the rotation by rows."""
    R = np.reshape(x, (3, 3))
    normal = [np.sin(t), np.cos(t), 0]
    return normal @ R[:, 0], R[:, 1] @ np.array([t, 1, 2]), [R[0, 0] ** 3]


HOLONOMIC = {
    "rod": (rod, (3, 3), 1),
    "rope": (rope, (3, 3), 1),
    "linkage": (linkage, (1, 1), 2),
    "steered": (steered, (9,), 3),
    "linear": (lambda t, x: x[0] - 2 * x[1], (1, 1), 1),
}


def rolls(t, x, v):
    c, s = np.cos(x[2]), np.sin(x[2])
    return v[0] * s - v[1] * c, (v[0] * c + v[1] * s - LENGTH * v[3])


def driven(t, x, v):
    return [kf.sqrt(1 + x[0] ** 2) * v[1] + t * x[1] * v[0] - kf.sin(t) * x[0] ** 3 + t**2]


VELOCITY = {
    "rolls": (rolls, (1, 1, 1, 1), 2),
    "driven": (driven, (1, 1), 1),
    "hidden": (lambda t, x, v: (v[0] + x[1]) ** 2 - v[0] ** 2 + t * v[1], (2,), 1),
    "constant rate": (lambda t, x, v: v[0] - 0.3, (1,), 1),
}


def case(name):
    """CompiledFunction, user's function of the motion as numbers, sizes; whether it is holonomic."""
    holonomic = name in HOLONOMIC
    function, sizes, m = (HOLONOMIC if holonomic else VELOCITY)[name]
    rows, law = (constraint_law if holonomic else velocity_constraint_law)(function, sizes, WHAT)
    assert rows == m
    return law, function, sum(sizes), m, holonomic


def parts(law, t, x, v, m):
    """Value, derivatives, b and gamma, row by row."""
    found = np.array(law(t, np.concatenate([x, v]))).reshape(m, len(x) + 3)
    return found[:, 0], found[:, 1:-2], found[:, -2], found[:, -1]


def called(function, *arguments):
    """The user's function on numbers, SymEngine's numbers made plain."""
    result = function(*arguments)
    flat = []
    for r in result if isinstance(result, list | tuple) else [result]:
        flat += list(np.ravel(np.array(r, object)))
    return np.array([float(r) for r in flat])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*HOLONOMIC, *VELOCITY])
def test_rates_along_a_motion(name, seed):
    """Along x + v s + a s^2/2 the law's parts make up the first and second rate of what the function gives."""
    law, function, n, m, holonomic = case(name)
    x, v, a = np.random.default_rng(seed).uniform(-1, 1, (3, n))
    t, h = 0.4 + seed, 1e-4
    value, A, b, gamma = parts(law, t, x, v, m)

    def at(s):
        place, speed = x + v * s + a * s * s / 2, v + a * s
        return called(function, t + s, place) if holonomic else called(function, t + s, place, speed)

    if holonomic:
        np.testing.assert_allclose(value, at(0.0), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(A @ v + b, (at(h) - at(-h)) / (2 * h), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(A @ a + gamma, (at(h) - 2 * at(0.0) + at(-h)) / h**2, rtol=1e-6, atol=2e-6)
    else:
        assert np.all(value == 0)
        np.testing.assert_allclose(A @ v + b, at(0.0), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(A @ a + gamma, (at(h) - at(-h)) / (2 * h), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*HOLONOMIC, *VELOCITY])
def test_gamma_by_the_complex_step(name, seed):
    law, _, n, m, holonomic = case(name)
    x, v, a = np.random.default_rng(seed).uniform(-1, 1, (3, n))
    t, i = 0.4 + seed, 1e-30j
    _, A, b, gamma = parts(law, t, x, v, m)
    value, A_step, b_step, _ = parts(law, t + i, x + i * v, v + i * a, m)
    rate = (A_step @ (v + i * a) + b_step).imag / 1e-30
    np.testing.assert_allclose(A @ a + gamma, rate, rtol=1e-12, atol=1e-12)
    if holonomic:
        np.testing.assert_allclose(A @ v + b, value.imag / 1e-30, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["rope", "steered", "driven"])
def test_a_constraint_is_compiled_for_floats_complex_numbers_and_symbols(name):
    function, _, n, m, _ = case(name)
    law = CompiledFunction(function, 2 * n, m * (n + 3), name=WHAT, symbolic=function.symbolic)
    xv = np.random.default_rng(4).uniform(-1, 1, 2 * n)
    expected = np.array(function(0.7, xv), float)
    assert law.compiled and law.complex_address
    np.testing.assert_allclose(law._code.real.run(0.7, xv), expected, rtol=1e-13, atol=1e-14)
    step = law._code.complex.run(0.7, xv + 1e-30j * np.eye(2 * n)[0])
    wanted = np.array(function(0.7, xv + 1e-30j * np.eye(2 * n)[0]))
    np.testing.assert_allclose(step.imag, wanted.imag, rtol=1e-12, atol=1e-44)
    t, *symbols = symengine.symbols(f"a0:{2 * n + 1}")
    point = dict(zip([t, *symbols], [0.7, *xv], strict=True))
    for e, number in zip(symbolic_ops.laws[law.symbolic_key](t, symbols), expected, strict=True):
        assert float(symengine.sympify(e).subs(point).n(real=True)) == pytest.approx(number, rel=1e-12, abs=1e-13)


def test_places_outside_of_the_domain_are_no_objection():
    for function in (lambda t, x: np.log(x[0]) - t, lambda t, x: 1 / (t - 0.7) - x[0], lambda t, x: np.sqrt(x[0] - 5)):
        m, law = constraint_law(function, (1,), WHAT)
        assert m == 1 and np.all(np.isfinite(law(0.3, np.array([6.0, 1.0]))))


def test_the_same_equations_are_compiled_once():
    laws = [CompiledFunction(constraint_law(rod, (3, 3), WHAT)[1], 12, 9, name=WHAT) for _ in range(2)]
    assert laws[0].machine_code == laws[1].machine_code


def test_a_changed_value_is_noticed():
    def slot(t, x):
        return x[0] - offset

    offset = 1.0
    first = constraint_law(slot, (1,), WHAT)[1](0.0, [5.0, 0.0])[0]
    offset = 2.0
    assert (first, constraint_law(slot, (1,), WHAT)[1](0.0, [5.0, 0.0])[0]) == (4.0, 3.0)


ADVICE = ": use arithmetic, kaneflex.sin, cos and sqrt or NumPy's functions of numbers, and no branches on the arguments"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, x: x[0] if x[1] > 0 else 0.0, ": the function does not run on symbols (TypeError: cannot determine"),
        (lambda t, x: abs(x[0]) - 1, ": the function cannot be differentiated, abs(x[0]) has no derivative" + ADVICE),
        (
            lambda t, x: x[3] - 1,
            ": the function failed (IndexError: index 3 is out of bounds for axis 0 with size 3)",
        ),
        (lambda t, x: None, ": the function returned None; it must return numbers"),
        (lambda t, x: {"a": x[0]}, ": the function returned a dict; it must return numbers"),
        (lambda t, x: [], ": the function returned no numbers; it must return those that are to be zero"),
        (lambda t, x: x[0] > 1, ": the function returned 1 < x[0] on symbols, which is not a number"),
        (
            lambda t, x: t - 1,
            ": what the function returns does not depend on x, so that it constrains nothing",
        ),
        (lambda t, x: (x[0], 1.0), ": number 1 that the function returns does not depend on x"),
        (lambda t: t, ": the function takes (t); it must take (t, x)"),
        (lambda t, x, v: v[0], ": the function takes (t, x, v); it must take (t, x)"),
        (lambda t, x: x[0] - symengine.Symbol("L"), ": the function contains L, which have no value"),
        (lambda t, x: symengine.Function("f")(t) - x[0], ": the function cannot be differentiated, f(t) has no derivative"),
        (lambda t, x: x[0] - (1.0 if t == 0.7 else 2.0), ": at t = 0.7 the function gives ["),
        (3.0, " is 3.0: give a function of (t, x)"),
        (_missing("mine.function"), None),
    ],
)
def test_a_wrong_constraint_is_refused(function, message):
    with pytest.raises(ModelError) as caught:
        constraint_law(function, (1, 2), WHAT)
    expected = 'the function "mine.function" is not in the file' if message is None else WHAT + message
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda t, x, v: v[0] ** 2 - 1,
            ": the function is not linear in v: the derivative of number 0 by v[0] dep",
        ),
        (
            lambda t, x, v: (v[0], x[0] * v[1] * v[2]),
            ": the function is not linear in v: the derivative of number 1 by v[1]",
        ),
        (lambda t, x, v: kf.sin(v[2]), ": the function is not linear in v: the derivative of number 0 by v[2] depends on v"),
        (lambda t, x, v: np.sqrt(v[0] ** 2 + 1), ": the function is not linear in v"),
        (
            lambda t, x, v: x[0],
            ": what the function returns does not depend on v, so that it constrains nothing",
        ),
        (lambda t, x, v: (), ": the function returned no numbers"),
        (lambda t, x, v: abs(x[0]) * v[0], ": the function cannot be differentiated, abs(x[0]) has no derivative" + ADVICE),
        (lambda t, x, v: v[5], ": the function failed (IndexError: index 5 is out of bounds for axis 0 with size 3)"),
        (lambda t, x: x[0], ": the function takes (t, x); it must take (t, x, v)"),
    ],
)
def test_a_wrong_velocity_constraint_is_refused(function, message):
    with pytest.raises(ModelError) as caught:
        velocity_constraint_law(function, (1, 2), WHAT)
    assert str(caught.value).startswith(WHAT + message)
