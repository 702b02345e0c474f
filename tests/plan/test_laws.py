"""User functions behind addresses: compiled, interpreted, complex and symbolic; and custom joints made of them."""

import functools
import gc
import math
import pickle
import time
import warnings

import numba
import numpy as np
import pytest
import symengine
import sympy

from kaneflex.kernels import symbolic_ops
from kaneflex.kernels.compiled_ops import call_law, pointer
from kaneflex.kernels.joints import planar, universal
from kaneflex.kernels.layout import COLUMN_WIDTH, RATE, S_
from kaneflex.plan.custom_joint import custom_joint_laws
from kaneflex.plan.laws import CompiledFunction, LawNotDifferentiable, LawNotSymbolic, SlowLawWarning

GAIN = 2.0


@numba.njit
def evaluate(address, t, x, first, out, start):
    call_law(address, t, pointer(x), first, pointer(out), start)


@numba.njit
def many(address, x, out, n):
    total = 0.0
    for i in range(n):
        call_law(address, i * 1e-6, pointer(x), 0, pointer(out), 0)
        total += out[0]
    return total


@pytest.fixture(autouse=True)
def slow_laws_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowLawWarning)
        yield


def values(law, t=0.0, x=(), dtype=np.float64):
    """What compiled code gets from the law, called in the middle of longer arrays."""
    x = np.concatenate([[99.0], np.asarray(x, dtype), [98.0]]).astype(dtype)
    out = np.full(law.outputs + 2, 77.0, dtype)
    address = law.address if dtype is np.float64 else law.complex_address
    evaluate(address, t, x, 1, out, 1)
    assert out[0] == 77.0 and out[-1] == 77.0
    return out[1:-1]


def helper(v):
    return GAIN * math.sin(v)


def with_helper(t, x):
    return helper(x[0]), helper(t)


@numba.njit
def already(t, x):
    return np.array([x[0] * x[1], t])


def with_parameters(gain, t, x, shift=0.0):
    return gain * x[0] + shift, t * gain


class Controller:
    def __init__(self):
        self.gain = 3.0

    def output(self, t, x):
        return self.gain * x[0], np.sin(x[1]) * t

    def __call__(self, t, x):
        return [self.gain * x[0], np.sin(x[1]) * t]


COMPILED = {
    "tuple": lambda t, x: (x[0] * x[1], t),
    "list": lambda t, x: [x[0] * x[1], t],
    "array": lambda t, x: np.array([x[0] * x[1], t]),
    "arguments": lambda *a: (a[1][0] * a[1][1], a[0]),
    "njit": already,
    "njit, one signature": numba.njit("UniTuple(float64, 2)(float64, float64[:])")(lambda t, x: (x[0] * x[1], t)),
    "default value": lambda t, x, power=1: (x[0] * x[1] ** power, t),
}


@pytest.mark.parametrize("form", COMPILED)
def test_every_form_of_result_is_compiled(form):
    law = CompiledFunction(COMPILED[form], 2, 2, name="force 'f'")
    assert law.compiled
    np.testing.assert_allclose(values(law, 0.7, [0.3, 0.4]), [0.3 * 0.4, 0.7], rtol=1e-15)
    step = values(law, 0.7, [0.3 + 1e-30j, 0.4], np.complex128)
    np.testing.assert_allclose(step.imag / 1e-30, [0.4, 0.0], rtol=1e-15)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda t: 3, 3.0),
        (lambda t: t > 0.5, 1.0),
        (lambda t: [t], 0.7),
        (lambda t, slope=2.0: slope * t, 1.4),
        (lambda t, x: t, 0.7),
        (lambda t: 1 / t, 1 / 0.7),
        (lambda t: math.log(t), math.log(0.7)),
        (np.sin, math.sin(0.7)),
        (math.cos, math.cos(0.7)),
    ],
)
def test_one_value_without_inputs(function, expected):
    law = CompiledFunction(function, 0, 1, name="torque 'm'")
    assert law.compiled
    assert values(law, 0.7) == pytest.approx([expected], rel=1e-15)


def test_a_signature_of_lower_precision_is_cast():
    law = CompiledFunction(numba.njit("float32(float32)")(lambda t: t / 3), 0, 1, name="force 'f'")
    assert law.compiled
    assert values(law, 0.7) == [np.float64(np.float32(np.float32(0.7) / 3))]


def test_helpers_are_compiled_as_well():
    law = CompiledFunction(with_helper, 1, 2, name="force 'f'")
    assert law.compiled
    np.testing.assert_allclose(values(law, 0.7, [0.3]), [2 * math.sin(0.3), 2 * math.sin(0.7)], rtol=1e-15)


def test_a_partial_is_compiled():
    law = CompiledFunction(functools.partial(with_parameters, 5, shift=0.5), 1, 2, name="force 'f'")
    assert law.compiled
    np.testing.assert_allclose(values(law, 0.7, [0.3]), [2.0, 3.5], rtol=1e-15)


def test_a_matrix_from_outside_and_a_closure():
    K = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    law = CompiledFunction(lambda t, x: -K @ x, 2, 3, name="force 'f'")
    assert law.compiled
    np.testing.assert_allclose(values(law, 0.0, [0.3, 0.4]), [-1.1, -2.5, -3.9], rtol=1e-15)


def test_a_law_outlives_its_function():
    law = CompiledFunction(eval("lambda t: 2.5 * t"), 0, 1, name="force 'f'")
    gc.collect()
    assert values(law, 2.0) == [5.0]


# ---- what is refused


@pytest.mark.parametrize(
    ("function", "inputs", "outputs", "message"),
    [
        (lambda t: (1.0, t), 0, 3, "force 'f': the function returned 2 values, a force needs 3"),
        (lambda t: t, 0, 3, "force 'f': the function returned 1 value, a force needs 3"),
        (lambda t: None, 0, 1, "force 'f': the function returned None, a force needs 1"),
        (lambda t: "up", 0, 1, "force 'f': the function returned a str, a force needs 1"),
        (lambda t: np.zeros((3, 1)), 0, 3, "force 'f': the function returned an array of 3 x 1, a force needs 3"),
        (lambda t: 1j, 0, 1, "force 'f': the function returned complex numbers"),
        (lambda t, x: x[2], 2, 1, "force 'f': the function failed at t = 0: IndexError: index 2 is out of"),
        (lambda t: undefined, 0, 1, "force 'f': the function failed at t = 0: NameError: name 'undefined'"),  # noqa: F821
        (lambda t: math.sqrt(-1 - t), 0, 1, "force 'f': the function failed at t = 0.123: ValueError"),
        (lambda t, x, y: t, 0, 1, "force 'f': the function takes (t, x, y); it must take (t) or (t, x)"),
        (lambda: 1.0, 0, 1, "force 'f': the function takes (); it must take (t) or (t, x)"),
    ],
)
def test_a_wrong_function_is_refused_at_once(function, inputs, outputs, message):
    with pytest.raises(ValueError) as caught:
        CompiledFunction(function, inputs, outputs, name="force 'f'")
    assert str(caught.value).startswith(message)


def test_the_cause_stays_with_the_refusal():
    with pytest.raises(ValueError) as caught:
        CompiledFunction(lambda t: {}["a"], 0, 1, name="force 'f'")
    assert isinstance(caught.value.__cause__, KeyError)


def test_words_of_other_kinds():
    with pytest.raises(ValueError, match=r"an actuator needs 1$"):
        CompiledFunction(lambda t: (1, 2), 0, 1, name="actuator 'a'")
    with pytest.raises(ValueError, match=r"law: the function returned 2 values, 1 is needed$"):
        CompiledFunction(lambda t: (1, 2), 0, 1, name="law")


def test_writing_to_x_is_refused():
    def scaled(t, x):
        x *= 2
        return x[0]

    with pytest.raises(ValueError, match="read-only"):
        CompiledFunction(scaled, 1, 1, name="force 'f'")


# ---- the interpreter


@pytest.mark.parametrize("function", [Controller().output, Controller(), functools.partial(Controller().output)])
def test_what_numba_cannot_take_runs_in_the_interpreter(function):
    with pytest.warns(SlowLawWarning) as caught:
        law = CompiledFunction(function, 2, 2, name="force 'thrust'")
    assert len(caught) == 1
    message = str(caught[0].message)
    assert message.startswith("force 'thrust' runs in the Python interpreter (")
    assert message.endswith("); the run will be slow") and "\n" not in message
    assert not law.compiled
    np.testing.assert_allclose(values(law, 0.7, [0.3, 0.4]), [0.9, 0.7 * math.sin(0.4)], rtol=1e-15)
    step = values(law, 0.7, [0.3, 0.4 + 1e-30j], np.complex128)
    np.testing.assert_allclose(step.imag / 1e-30, [0.0, 0.7 * math.cos(0.4)], rtol=1e-15)


def test_uncompilable_source_runs_in_the_interpreter():
    table = {"a": [1.0, 2.0]}
    with pytest.warns(SlowLawWarning, match="'table'"):
        law = CompiledFunction(lambda t: table["a"], 0, 2, name="force 'f'")
    np.testing.assert_array_equal(values(law), [1.0, 2.0])
    table["a"] = [3.0, 4.0]
    np.testing.assert_array_equal(values(law), [3.0, 4.0])


def test_integer_overflow_is_noticed():
    radius = 6371000
    with pytest.warns(SlowLawWarning, match="other numbers"):
        law = CompiledFunction(lambda t: float(radius**3) * (1 + t), 0, 1, name="force 'f'")
    assert values(law) == [6371000.0**3]


def test_an_exception_in_the_interpreter_is_kept():
    class Failing:
        def __call__(self, t, x):
            if t > 1:
                raise RuntimeError(f"no fuel at {x[0]}")
            return t, x[0]

    with pytest.warns(SlowLawWarning):
        law = CompiledFunction(Failing(), 1, 2, name="force 'thrust'")
    assert values(law, 0.5, [4.0])[1] == 4.0
    assert np.all(np.isnan(values(law, 2.0, [4.0])))
    assert np.all(np.isnan(values(law, 3.0, [5.0])))
    (error,) = law.errors
    assert isinstance(error, RuntimeError) and str(error) == "no fuel at 4.0"
    assert error.__notes__ == ["in force 'thrust' at t = 2"]


def test_an_interrupt_in_the_interpreter_is_kept():
    class Interrupted:
        def __call__(self, t):
            if t > 1:
                raise KeyboardInterrupt
            return t

    with pytest.warns(SlowLawWarning):
        law = CompiledFunction(Interrupted(), 0, 1, name="force 'f'")
    assert np.isnan(values(law, 2.0)[0])
    assert isinstance(law.errors[0], KeyboardInterrupt)


def test_an_exception_in_compiled_code_is_kept():
    def thrust(t, x):
        if t > 1:
            raise RuntimeError("no fuel")
        return x[0], 2.0, t

    law = CompiledFunction(thrust, 1, 3, name="force 'thrust'")
    assert law.compiled
    np.testing.assert_array_equal(values(law, 0.5, [4.0]), [4.0, 2.0, 0.5])
    assert np.all(np.isnan(values(law, 2.0, [4.0])))
    (error,) = law.errors
    assert isinstance(error, RuntimeError) and str(error) == "no fuel"
    assert error.__notes__ == ["in force 'thrust' at t = 2"]
    law.errors.clear()
    assert np.all(np.isnan(values(law, 2.0, [4.0], np.complex128)))
    assert isinstance(law.errors[0], RuntimeError)


def test_reading_beyond_x_is_an_error():
    law = CompiledFunction(lambda t, x: x[int(t)], 2, 1, name="force 'f'")
    assert law.compiled
    assert values(law, 1.0, [4.0, 5.0]) == [5.0]
    assert np.isnan(values(law, 2.0, [4.0, 5.0])[0])
    assert isinstance(law.errors[0], IndexError)


def test_a_length_that_changes_is_an_error():
    law = CompiledFunction(lambda t: np.zeros(3 if t < 1 else 2), 0, 3, name="force 'f'")
    assert law.compiled
    assert np.all(values(law, 0.5) == 0.0)
    assert np.all(np.isnan(values(law, 2.0)))
    assert str(law.errors[0]) == "force 'f': the function returned 2 values, a force needs 3"


def test_compiled_code_gives_infinity_without_an_exception():
    law = CompiledFunction(lambda t: 1 / t, 0, 1, name="force 'f'")
    assert values(law, 0.0) == [np.inf]


# ---- derivatives


def test_complex_step_of_numpy_functions():
    law = CompiledFunction(lambda t, x: (np.sin(x[0]) * np.exp(x[1]), np.sqrt(x[0]) / (1 + t)), 2, 2, name="force 'f'")
    x = np.array([0.3, -0.4])
    for i, expected in enumerate(
        [(math.cos(0.3) * math.exp(-0.4), 0.5 / math.sqrt(0.3) / 1.7), (math.sin(0.3) * math.exp(-0.4), 0.0)]
    ):
        step = values(law, 0.7, x + 1e-30j * np.eye(2)[i], np.complex128)
        np.testing.assert_allclose(step.imag / 1e-30, expected, rtol=1e-14)
        np.testing.assert_allclose(step.real, values(law, 0.7, x), rtol=1e-14)


@pytest.mark.parametrize("function", [lambda t, x: math.sin(x[0]), lambda t, x: helper(x[0])])
def test_math_functions_do_not_take_complex_numbers(function):
    law = CompiledFunction(function, 1, 1, name="force 'f'")
    with pytest.raises(LawNotDifferentiable, match=r"force 'f'.*use numpy's sin") as caught:
        _ = law.complex_address
    assert caught.value.name == "force 'f'" and caught.value.remedy.startswith("use numpy's sin")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_math_functions_of_time_stay_differentiable():
    law = CompiledFunction(lambda t, x: math.sin(t) * x[0], 1, 1, name="force 'f'")
    assert values(law, 0.7, [2 + 1e-30j], np.complex128).imag / 1e-30 == pytest.approx(math.sin(0.7), rel=1e-15)


def test_math_in_the_interpreter_does_not_drop_the_imaginary_part():
    class Sine:
        def __call__(self, t, x):
            return math.sin(x[0])

    with pytest.warns(SlowLawWarning):
        law = CompiledFunction(Sine(), 1, 1, name="force 'f'")
    with pytest.raises(LawNotDifferentiable):
        _ = law.complex_address


@pytest.mark.parametrize(
    "function", [lambda t, x: -abs(x[0]) * x[0], lambda t, x: x[0].real, lambda t, x: np.linalg.norm(x)]
)
def test_a_lost_imaginary_part_is_noticed(function):
    law = CompiledFunction(function, 2, 1, name="force 'drag'")
    with pytest.raises(LawNotDifferentiable, match=r"force 'drag'.*imaginary part"):
        _ = law.complex_address


@numba.njit
def jitted_cube(v):
    return v**3


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda v: v**2, lambda v: 2 * v),
        (lambda v: v**3, lambda v: 3 * v**2),
        (lambda v: v**-2, lambda v: -2 / v**3),
        (lambda v: v**3.0, lambda v: 3 * v**2),
        (lambda v: (v * v) ** 1.5, lambda v: 3 * v * abs(v)),
        (lambda v: v ** int(GAIN), lambda v: 2 * v),
        (lambda v: 2.0**v, lambda v: 2.0**v * math.log(2)),
        (jitted_cube, lambda v: 3 * v**2),
    ],
)
def test_powers_keep_a_small_imaginary_part(function, slope):
    law = CompiledFunction(lambda t, x: (function(x[0]), function(-x[0])), 1, 2, name="force 'f'")
    assert law.compiled
    for v in (0.3, -2.0):
        step = values(law, 0.0, [v + 1e-30j], np.complex128)
        np.testing.assert_allclose(step.imag / 1e-30, [slope(v), -slope(-v)], rtol=1e-14)
        np.testing.assert_allclose(step.real, values(law, 0.0, [v]), rtol=1e-14)


def test_powers_of_arrays_and_in_place():
    def f(t, x):
        y = x**3
        y **= 2
        return y

    law = CompiledFunction(f, 2, 2, name="force 'f'")
    step = values(law, 0.0, [-0.3 + 1e-30j, 0.4], np.complex128)
    np.testing.assert_allclose(step.imag / 1e-30, [-6 * 0.3**5, 0.0], rtol=1e-14)


def test_a_power_that_only_the_interpreter_gets_right():
    law = CompiledFunction(lambda t, x: np.power(x[0], 3), 1, 1, name="force 'f'")
    with pytest.warns(SlowLawWarning, match="imaginary part"):
        step = values(law, 0.0, [-0.3 + 1e-30j], np.complex128)
    assert step.imag / 1e-30 == pytest.approx(0.27, rel=1e-14)


@pytest.mark.parametrize("slope", [1e-9, 1.0, 1e12])
def test_branches_keep_their_derivatives(slope):
    def stop(t, x):
        return slope * x[0] ** 3 if x[0].real > 0.1 else 0 * x[0]

    law = CompiledFunction(stop, 1, 1, name="force 'stop'")
    step = values(law, 0.0, [0.3 + 1e-30j], np.complex128)
    assert step.imag / 1e-30 == pytest.approx(3 * slope * 0.09, rel=1e-14)
    assert values(law, 0.0, [0.0 + 1e-30j], np.complex128).imag == 0.0


def test_a_comparison_is_differentiated_in_the_interpreter():
    law = CompiledFunction(lambda t, x: x[0] * x[0] if x[0] > 0.1 else 0 * x[0], 1, 1, name="force 'stop'")
    assert law.compiled
    with pytest.warns(SlowLawWarning, match=r"force 'stop' .*\.real.*a run with derivatives will be slow"):
        step = values(law, 0.0, [0.3 + 1e-30j], np.complex128)
    assert step.imag / 1e-30 == pytest.approx(0.6, rel=1e-15)


# ---- symbols


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda t, x: (np.sin(x[0]) * math.exp(t), x[1] / 2), ["sin(a)*exp(t)", "b/2"]),
        (lambda t, x: 2 * np.sqrt(x), ["2*sqrt(a)", "2*sqrt(b)"]),
        (lambda t, x: np.array([[1, 2], [3, 4]]) @ x, ["a + 2*b", "3*a + 4*b"]),
        (lambda t, x: [np.arctan2(x[0], x[1]), np.cos(np.pi * t)], ["atan2(a, b)", "cos(pi*t)"]),
        (with_helper, ["2.0*sin(a)", "2.0*sin(t)"]),
        (already, ["a*b", "t"]),
    ],
)
def test_a_law_on_symbols(function, expected):
    warnings.simplefilter("ignore", SlowLawWarning)
    law = CompiledFunction(function, 2, 2, name="force 'f'")
    t, a, b = symengine.symbols("t a b")
    out = [None] * 3
    symbolic_ops.call_law(law.symbolic_key, t, [0, a, b, 9], 1, out, 1)
    for value, text in zip(out[1:], expected, strict=True):
        assert (value - symengine.sympify(text)).expand() == 0


def test_methods_run_on_symbols():
    with pytest.warns(SlowLawWarning):
        both = [CompiledFunction(f, 2, 2, name="force 'f'") for f in (Controller(), Controller().output)]
    t, a, b = symengine.symbols("t a b")
    for law in both:
        assert symbolic_ops.laws[law.symbolic_key](t, [a, b]) == [3.0 * a, symengine.sin(b) * t]


def test_keys_are_one_per_law_and_end_with_it():
    one, two = (CompiledFunction(lambda t: t, 0, 1, name=f"force '{n}'") for n in "ab")
    keys = one.symbolic_key, two.symbolic_key
    assert keys == (one.symbolic_key, two.symbolic_key) and keys[0] != keys[1]
    del one
    gc.collect()
    assert keys[0] not in symbolic_ops.laws and keys[1] in symbolic_ops.laws


def test_a_branch_is_not_symbolic():
    law = CompiledFunction(lambda t: 1.0 if t > 1 else 0.0, 0, 1, name="force 'f'")
    with pytest.raises(LawNotSymbolic, match="force 'f' does not run on symbols"):
        symbolic_ops.laws[law.symbolic_key](symengine.Symbol("t"), [])


# ---- record, reuse, cost


def test_source_is_recorded():
    def thrust(t):
        return 3.5 * t

    source = CompiledFunction(thrust, 0, 1, name="force 'f'").source
    assert source.startswith("def thrust(t):") and "3.5 * t" in source
    assert "ufunc" in CompiledFunction(np.sin, 0, 1, name="force 'f'").source


def test_the_same_function_is_compiled_once():
    def thrust(t):
        return factor * t

    factor = 2.0
    first, second = CompiledFunction(thrust, 0, 1, name="force 'a'"), CompiledFunction(thrust, 0, 1, name="force 'b'")
    assert first.machine_code == second.machine_code
    assert (first.name, second.name) == ("force 'a'", "force 'b'")
    factor = 3.0
    third = CompiledFunction(thrust, 0, 1, name="force 'a'")
    factor = 3
    fourth = CompiledFunction(thrust, 0, 1, name="force 'a'")
    assert [values(law, 1.0)[0] for law in (first, third, fourth)] == [2.0, 3.0, 3.0]
    assert first.machine_code == third.machine_code != fourth.machine_code  # an integer is another kind of number


def test_a_changed_array_is_not_mistaken_for_the_same_function():
    gains = np.array([1.0, 2.0])

    def thrust(t):
        return gains[0] * t

    first = CompiledFunction(thrust, 0, 1, name="force 'a'")
    gains[0] = 5.0
    assert values(CompiledFunction(thrust, 0, 1, name="force 'a'"), 1.0) == [5.0]
    assert values(first, 1.0) == [1.0]


def test_cost():
    def spring(t, x):
        return -GAIN * x[0], -0.1 * x[1] + t, 0.0

    many(CompiledFunction(lambda t: t, 0, 1, name="warm").address, np.zeros(1), np.zeros(1), 1)
    began = time.perf_counter()
    law = CompiledFunction(spring, 2, 3, name="force 'spring'")
    made = time.perf_counter() - began
    x, out, best = np.array([0.3, 0.4]), np.zeros(3), np.inf
    for _ in range(5):
        began = time.perf_counter()
        many(law.address, x, out, 200_000)
        best = min(best, (time.perf_counter() - began) / 200_000)
    assert best < 60e-9  # 4 ns on a quiet machine
    assert made < 5.0  # 0.15 s on a quiet machine


# ---- custom joints


def universal_custom(q):
    c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    return [[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]], [0, 0, 0]


def planar_custom(q):
    c, s = sympy.cos(q[2]), sympy.sin(q[2])
    return sympy.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]), sympy.Matrix([q[0], q[1], 0])


def turn(axis, angle):
    matrix = symengine.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = symengine.cos(angle)
    matrix[i, j], matrix[j, i] = -symengine.sin(angle), symengine.sin(angle)
    return matrix


def cam(q):
    """A follower that turns about two axes while it runs along a helix."""
    a, b, s = q
    R = turn(0, a + s**2) * turn(2, b) * turn(1, s)
    return R, (math.sqrt(2 + a) * math.cos(s), b * math.sin(s) + s**3, s / 2 + a * b)


@pytest.fixture(scope="module")
def joints():
    return {
        pose.__name__: custom_joint_laws(pose, n, name=f"joint '{pose.__name__}'")
        for pose, n in ((universal_custom, 2), (planar_custom, 3), (cam, 3))
    }


@pytest.mark.parametrize("seed", range(3))
def test_custom_universal_joint(joints, seed):
    pose, bias = joints["universal_custom"]
    assert pose.compiled and bias.compiled
    q, w = np.random.default_rng(seed).uniform(-2, 2, (2, 2))
    W = np.zeros(2 * COLUMN_WIDTH)
    W[RATE], W[COLUMN_WIDTH + RATE] = w
    E, p = universal.universal_pose(q, 0, None, 0)
    universal.universal_columns(q, 0, None, 0, W, 0)
    second = [0, 1, 0, 0, 0, 0]
    expected = np.concatenate([np.ravel(E), p, W[S_ : S_ + 6], second])
    np.testing.assert_allclose(values(pose, 0.0, q), expected, atol=1e-15)
    expected = np.concatenate(universal.universal_bias(q, 0, W, 0))
    np.testing.assert_allclose(values(bias, 0.0, [*q, *w]), expected, atol=4e-15)


@pytest.mark.parametrize("seed", range(3))
def test_custom_planar_joint(joints, seed):
    pose, bias = joints["planar_custom"]
    q, w = np.random.default_rng(seed).uniform(-2, 2, (2, 3))
    W = np.zeros(3 * COLUMN_WIDTH)
    E, p = planar.planar_pose(q, 0, None, 0)
    planar.planar_columns(q, 0, None, 0, W, 0)
    columns = [W[m * COLUMN_WIDTH + S_ : m * COLUMN_WIDTH + S_ + 6] for m in (0, 1)]
    expected = np.concatenate([np.ravel(E), p, *columns, [0, 0, 1, 0, 0, 0]])
    np.testing.assert_allclose(values(pose, 0.0, q), expected, atol=1e-15)
    np.testing.assert_allclose(values(bias, 0.0, [*q, *w]), np.zeros(6), atol=4e-15)


@pytest.mark.parametrize("seed", range(3))
def test_custom_joint_moves_as_its_pose_does(joints, seed):
    """Columns and bias against differences of the pose along q + w s + b s^2/2."""
    pose, bias = joints["cam"]
    q, w, b = np.random.default_rng(seed).uniform(-1, 1, (3, 3))

    def at(s):
        y = values(pose, 0.0, q + w * s + b * s * s / 2)
        return y[:9].reshape(3, 3), y[9:12], y[12:].reshape(3, 6)

    h = 1e-4
    (E, p, S), (E1, p1, S1), (E0, p0, S0) = at(0.0), at(h), at(-h)
    spin = E @ (E1 - E0).T / (2 * h)
    velocity = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *E @ (p1 - p0) / (2 * h)])
    np.testing.assert_allclose(w @ S, velocity, atol=1e-6)
    turning = ((w + b * h) @ S1 - (w - b * h) @ S0)[:3] / (2 * h)
    acceleration = np.array([*turning, *E @ (p1 - 2 * p + p0) / h**2])
    np.testing.assert_allclose(b @ S + values(bias, 0.0, [*q, *w]), acceleration, atol=1e-6)


@pytest.mark.parametrize("which", ["universal_custom", "cam"])
def test_complex_step_of_a_custom_joint(joints, which):
    for law in joints[which]:
        x = np.random.default_rng(5).uniform(-1, 1, law.inputs)
        for i in range(law.inputs):
            aside = np.eye(law.inputs)[i]
            step = values(law, 0.0, x + 1e-30j * aside, np.complex128).imag / 1e-30
            difference = (values(law, 0.0, x + 1e-5 * aside) - values(law, 0.0, x - 1e-5 * aside)) / 2e-5
            np.testing.assert_allclose(step, difference, atol=2e-8)
            assert np.any(np.abs(step) > 1e-3) or which == "universal_custom"


@pytest.mark.parametrize("which", ["universal_custom", "planar_custom", "cam"])
def test_a_custom_joint_on_symbols(joints, which):
    for law in joints[which]:
        x = np.random.default_rng(6).uniform(-1, 1, law.inputs)
        symbols = symengine.symbols(f"z0:{law.inputs}")
        swapped = list(reversed(symbols))
        found = symbolic_ops.laws[law.symbolic_key](0, swapped)
        number = [float(e.subs(dict(zip(swapped, x, strict=True))).n(real=True)) for e in found]
        np.testing.assert_allclose(number, values(law, 0.0, x), atol=1e-13)


def test_a_custom_joint_keeps_the_users_source_and_is_compiled_once(joints):
    pose, bias = joints["cam"]
    assert pose.source == bias.source and pose.source.startswith("def cam(q):")
    again, _ = custom_joint_laws(cam, 3, name="joint 'other'")
    assert again.machine_code == pose.machine_code and again.name == "joint 'other'"


def identity(q):
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        (lambda q: ([[1, q[0], 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]), "R is not a rotation at q = "),
        (lambda q: ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], [q[0], 0, 0]), "R is a reflection"),
        (lambda q: (identity(q), [q[0], 0]), "the pose must return a 3 x 3 matrix R and 3 components p, not 9 and 2"),
        (lambda q: ([[1, 0], [0, 1]], [q[0], 0, 0]), "the pose must return a 3 x 3 matrix R and 3 components p, not 4"),
        (lambda q: (identity(q), [q[0] * symengine.Symbol("L"), 0, 0]), "the pose contains L"),
        (lambda q: (identity(q), [0, 0, 0]), "coordinate 0 does not move"),
        (lambda q: (identity(q), [np.sqrt(-2 - q[0]), 0, 0]), "the pose has no finite value"),
        (lambda q: (identity(q), [q[1], 0, 0]), "the pose failed on symbols: IndexError"),
        (lambda q: (identity(q), [symengine.Function("f")(q[0]), 0, 0]), "the pose has a function"),
    ],
)
def test_a_wrong_pose_is_refused(pose, message):
    with pytest.raises(ValueError) as caught:
        custom_joint_laws(pose, 1, name="joint 'knee'")
    assert str(caught.value).startswith(f"joint 'knee': {message}")
