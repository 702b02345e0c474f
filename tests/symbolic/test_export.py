"""Exported C and compiled functions against the kernels and against SymPy."""

import ctypes
import subprocess

import numba
import numpy as np
import pytest
import symengine as se
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import cart, four_bar, rolling_disk
from trees import Recipe

import kaneflex as kf
from kaneflex.gallery import bricard, double_pendulum, slider_crank
from kaneflex.gallery import four_bar as four_bar_system
from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod, Program, derive
from kaneflex.symbolic.export import of_equations, of_method, write_c

FLAGS = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared"]


def compiled(source, folder):
    """The exported file as a library, by the strictest of compilers' moods."""
    library = folder / (source.stem + ".so")
    done = subprocess.run([*FLAGS, "-o", str(library), str(source), "-lm"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def c_rates(form, folder):
    """(t, q, u, inputs, parameters) -> q', u' by the exported C."""
    source, _ = write_c(form, folder)
    library = compiled(source, folder)
    function = getattr(library, f"{source.stem}_rates")
    array = np.ctypeslib.ndpointer(float, flags="C")
    function.argtypes = [ctypes.c_double, array, array, array, array, array, array]
    function.restype = ctypes.c_int

    def call(t, q, u, r, p):
        qdot, udot = np.zeros(max(1, len(form.q))), np.zeros(len(form.u))
        given = [np.array([*x, 0.0]) for x in (q, u, r, p)]
        assert function(t, *given, qdot, udot) == 0
        return np.concatenate([qdot[: len(form.q)], udot])

    return call


def tree(seed):
    return Recipe(
        ("Universal", "Prismatic", "Revolute"), (-1, 0, 1), (False, True), loads=(("JointSpring", "all"),), seed=seed
    )


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_c_of_a_tree_is_the_kernels(tmp_path, speeds):
    it = tree(3).tree()
    eq = derive(it.model, speeds=speeds, simplify=False)
    form = of_equations(eq)
    call, d = c_rates(form, tmp_path), it.dynamics("recursive", speeds)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = it.q + 0.3 * rng.normal(size=len(it.q))
        u = d.speeds_from_rates(q, it.w + rng.normal(size=len(it.w)))
        d.set_inputs(it.inputs)
        wanted = d.derivative(0.2, np.concatenate([q, u, [0, 0]]))[:-2]
        found = call(0.2, q, u, it.inputs, form.numbers())
        assert np.abs(found - wanted).max() < 1e-12 * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("module", [four_bar_system, slider_crank, bricard], ids=["four-bar", "slider-crank", "bricard"])
def test_c_of_a_loop_is_the_kernels(tmp_path, module):
    """Multipliers and prescribed speeds are in the matrix; Bricard's loop is redundant where it closes."""
    system = module.build(module.DEFAULTS)
    start = system.assemble().state
    eq = system.equations(simplify=False)
    form = of_equations(eq)
    found = c_rates(form, tmp_path)(0.0, start.q, start.rates, (), form.numbers())
    wanted = system.dynamics("dense").derivative(0.0, np.concatenate([start.q, start.rates, [0, 0]]))[:-2]
    assert np.abs(found - wanted).max() < 1e-11 * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("make", [lambda: cart(3), rolling_disk, four_bar], ids=["cart", "disk", "four-bar"])
def test_c_of_a_method(tmp_path, make):
    system = make()
    kane = system.derived(KanesMethod)
    inputs = [me.dynamicsymbols("f")] if "P0" in str(system.bodies[0]) or system.bodies[0].name == "cart" else []
    form = of_method(kane, "check", inputs)
    rng = np.random.default_rng(4)
    p = rng.uniform(0.5, 1.5, len(form.parameters))
    y, r = rng.uniform(0.3, 1.0, len(form.q) + len(form.u)), rng.normal(size=len(inputs))
    rates = c_rates(form, tmp_path)(0.3, y[: len(form.q)], y[len(form.q) :], r, p)
    at = dict(zip(form.arguments, [0.3, *y, *r, *p], strict=True))
    number = lambda e: float(complex(se.sympify(e).xreplace(at)).real)
    M = np.array([[number(e) for e in row] for row in form.A])
    b = np.array([number(e) for e in form.b])
    wanted = np.concatenate([[number(e) for e in form.qdot], np.linalg.solve(M, b)])
    assert np.abs(rates - wanted).max() < 1e-12 * max(1.0, np.abs(wanted).max())
    function = kane.function(dict(zip(form.parameters, p, strict=True)), inputs)
    function.set_inputs(r)
    assert np.abs(function(0.3, y) - wanted).max() < 1e-12 * max(1.0, np.abs(wanted).max())


def test_header_says_what_is_where(tmp_path):
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    source, header = system.equations(symbols={"m_upper": "m", "m_lower": "m"}).export_c(tmp_path)
    text = header.read_text()
    assert source.name == "double_pendulum.c" and "[0] q1 = upper.angle, [1] q2 = lower.angle" in text and "m = 1.0" in text
    assert "#define DOUBLE_PENDULUM_NQ 2" in text


def test_function_in_compiled_code():
    """The Numba function in a loop of the user's own."""
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    f = system.equations(speeds="efficient").function().function

    @numba.njit
    def euler(f, y, h, n):
        rate = np.empty_like(y)
        for _ in range(n):
            f(0.0, y, rate)
            y = y + h * rate
        return y

    y = np.array([np.pi / 6, np.pi / 6, 0.0, 0.0])
    end = euler(f, y, 1e-5, 50_000)
    assert np.abs(end - [0.331208244, -0.067380894, -0.881668734, -2.507770283]).max() < 2e-4


def test_program_of_every_function():
    x, y = se.symbols("x y")
    outputs = [
        se.tan(x) + se.exp(y) * se.log(x),
        se.asin(x / 3) - se.acos(y / 3) * se.atan(x),
        se.sinh(x) * se.cosh(y) / se.tanh(x),
        se.Abs(x - 2) ** se.Rational(3, 2) + x**y,
        se.sqrt(x * y) / (x + y) ** 3 - x ** (-2) / 3,
        se.Max(x, y) - se.Min(x, 1) + se.sign(y - 2) + se.atan2(x, y),
        se.Piecewise((x, se.Gt(x, y)), (y * y, True)),
        se.Integer(4) * se.pi,
    ]
    program = Program([x, y], outputs)
    for point in ((0.7, 1.1), (1.3, 0.4)):
        wanted = np.ravel(sm.lambdify(sm.symbols("x y"), [sm.sympify(e) for e in outputs])(*point))
        assert np.allclose(program.compiled()(point), wanted, rtol=1e-14, atol=0)


def test_program_counts_common_parts_once():
    x, y = se.symbols("x y")
    part = se.sin(x) * y + x
    counts = Program([x, y], [part**2 + part, part * se.cos(part)]).counts()
    assert counts == {"sin": 1, "cos": 1, "mul": 3, "add": 2, "total": 7}


def test_an_export_makes_its_folder_and_says_what_coordinates_are(tmp_path):
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("arm", kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"))
    source, _ = s.equations().export_c(tmp_path / "new" / "folder")
    assert source.parent == tmp_path / "new" / "folder"
    assert "* q: coordinates: [0] q1 = arm.angle\n" in source.read_text()
    assert "* u: generalized speeds: [0] u1 = arm.angle.rate\n" in source.read_text()


def test_bad_exports(tmp_path):
    kane = cart(1).derived(KanesMethod)
    with pytest.raises(ModelError, match="f are functions of time without a value"):
        kane.export_c(tmp_path)
    with pytest.raises(ModelError, match="g, l0, m0, m1 have no value"):
        kane.function(inputs=[me.dynamicsymbols("f")])
    with pytest.raises(ModelError, match='parameter "mass" is not known'):
        kane.function({"mass": 1.0}, inputs=[me.dynamicsymbols("f")])
    with pytest.raises(ModelError, match='symbol "y" has no value'):
        Program([se.Symbol("x")], [se.Symbol("y")])
    f = kf.System("s", gravity=(0, 0, 0))
    f.add("b", kf.Rigid(1.0), kf.Prismatic("x"))
    with pytest.raises(ModelError, match="y has shape"):
        f.equations().function()(0.0, [1.0])
