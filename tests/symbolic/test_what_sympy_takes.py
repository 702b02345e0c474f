"""What SymPy's KanesMethod takes and returns: kinds, unknown functions, integrals, what is given late or twice."""

import pickle

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import SYSTEMS, double_pendulum, fixed_point
from symbolic.test_symbolic_kane import close, values
from sympy.physics.biomechanics import FiberForceLengthActiveDeGroote2016, FiberForceVelocityDeGroote2016

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod, Program
from kaneflex.symbolic.calculus import Probe, time_derivative
from kaneflex.symbolic.translate import Symbols

T = me.dynamicsymbols._t
q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
m, k, g, x = sm.symbols("m k g x")
f = sm.Function("f")
BOTH = (KanesMethod, me.KanesMethod)


def slider(kind, force, coordinate=q1, **changed):
    """A particle on a line with a force on it, in the given class."""
    N = me.ReferenceFrame("N")
    P = fixed_point(N).locatenew("P", coordinate * N.x)
    P.set_vel(N, coordinate.diff(q1) * u1 * N.x)
    kane = kind(N, **({"q_ind": [q1], "u_ind": [u1], "kd_eqs": [q1.diff(T) - u1]} | changed))
    kane.kanes_equations([me.Particle("P", P, m)], [(P, force * N.x)])
    return kane


def same(ours, theirs, what, define=lambda e: e):
    """Equal at a random point, once `define` has put definitions in the place of functions."""
    numbers, _ = values([sm.Matrix(define(ours)), sm.Matrix(define(theirs))])
    close(*numbers, what)


def defined(matrix):
    """Sines for f, and integrals and derivatives worked out."""
    return matrix.replace(f, lambda *a: sm.sin(sum((n + 2) * b for n, b in enumerate(a)))).doit()


# -- kinds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four-bar", "rolling disk, dependent speeds", "two-wheeled car", "double pendulum"])
def test_kinds_of_all_attributes(name):
    """Every attribute of SymPy's class, private ones too, is there, of the same kind and shape."""
    system = SYSTEMS[name]()
    ours, theirs = (system.derived(kind) for kind in BOTH)
    for word in sorted({*vars(theirs), *(n for n in dir(theirs) if not n.startswith("__"))} - {"_km"}):
        try:
            there = getattr(theirs, word)
        except ValueError:  # it has no auxiliary speeds
            continue
        if not callable(there):
            here = getattr(ours, word)
            assert type(here) is type(there), word
            assert getattr(here, "shape", None) == getattr(there, "shape", None), word


def test_the_pair_is_a_tuple():
    kane = slider(KanesMethod, -k * q1)
    N = kane._inertial
    pair = kane.kanes_equations(kane.bodylist, kane.forcelist)
    fr, frstar = whole = tuple(iter(pair))
    assert isinstance(pair, tuple) and pair == whole and whole == pair and (pair != whole) is False
    assert pair + (1,) == (fr, frstar, 1) and (1,) + pair == (1, fr, frstar)  # noqa: RUF005
    assert pair * 1 == whole and pair[-1:] == (frstar,)
    assert fr in pair and pair.index(frstar) == 1 and pair.count(fr) == 1 and len(pair) == 2 and repr(pair) == repr(whole)
    assert pickle.loads(pickle.dumps(pair)) == whole and sm.Matrix([*pair]) == sm.Matrix([fr, frstar])
    with pytest.raises(IndexError):
        pair[2]
    kane.kanes_equations(kane.bodylist, [(kane.bodylist[0].point, g * N.x)])
    assert pair[0] == fr and kane.fr != fr  # what was returned does not change when equations are formed anew


# -- what is given late, or twice --------------------------------------------------------------------------------------


def test_kinematical_equations_later():
    system = SYSTEMS["rolling disk, dependent speeds"]()
    late = KanesMethod(**(system.arguments | {"kd_eqs": None}))
    assert late._qdot_u_map is None and late._k_kqdot == sm.Matrix() == me.KanesMethod(late._inertial, [q1], [u1])._k_kqdot
    for ask in (late.kindiffdict, lambda: late.kanes_equations(system.bodies, system.loads)):
        with pytest.raises(AttributeError, match="give kd_eqs"):
            ask()
    late._initialize_kindiffeq_matrices(system.arguments["kd_eqs"])
    late.kanes_equations(system.bodies, system.loads)
    whole = system.derived(KanesMethod)
    assert late.mass_matrix == whole.mass_matrix and late.forcing == whole.forcing
    assert late.auxiliary_eqs == whole.auxiliary_eqs


def test_auxiliary_speed_among_the_speeds():
    """As SymPy reads it: it keeps its equation, is zero in all of them, and has an auxiliary equation besides."""
    system = double_pendulum("relative")
    arguments = system.arguments | {"u_auxiliary": [system.arguments["u_ind"][1]]}
    ours, theirs = (kind(**arguments) for kind in BOTH)
    pairs = list(zip(*(kane.kanes_equations(system.bodies, system.loads) for kane in (ours, theirs)), strict=True))
    pairs += [(getattr(ours, n), getattr(theirs, n)) for n in ("mass_matrix", "forcing", "auxiliary_eqs")]
    assert not ours.frstar.has(theirs._uaux[0].diff(T)) and not theirs._frstar.has(theirs._uaux[0].diff(T))
    numbers, _ = values([e for pair in pairs for e in pair], zero=[*theirs._uaux, *theirs._uaux.diff(T)])
    for here, there in zip(numbers[::2], numbers[1::2], strict=True):
        close(here, there, "auxiliary among the speeds")


def test_rates_of_speeds_in_loads():
    """F_r holds them as SymPy's does; what must be solved for them says so."""
    ours, theirs = (slider(kind, -k * u1.diff(T)) for kind in BOTH)
    assert ours._fr == theirs._fr and ours._frstar == theirs._frstar
    for ask in (ours.rhs, ours.function, ours.to_linearizer, lambda: ours.simulate(1.0, {q1: 0, u1: 0})):
        with pytest.raises(ModelError, match=r"the loads hold Derivative\(u1\(t\), t\), rates of speeds"):
            ask()


# -- functions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("force", [f(q1), f(q1, T) * u1, f(2 * q1 + 1) - f(q1).diff(q1), f(q1, u1).diff(u1), f(q1, q1)])
def test_unknown_functions_in_loads(force):
    ours, theirs = (slider(kind, force) for kind in BOTH)
    same(ours.forcing, theirs.forcing, "forcing", defined)
    if T in force.subs(q1, x).subs(u1, x).free_symbols:
        return
    (_, A, _, _), (_, B, _, _) = (kane.linearize() for kane in (ours, theirs))
    same(A, B, "linear model", defined)
    at = {q1: sm.Rational(1, 2), u1: sm.Rational(1, 3)}  # SymPy leaves derivatives at q1
    assert sm.simplify(defined(ours.linearize(op_point=at)[1]) - defined(theirs.linearize()[1]).subs(at)) == sm.zeros(2)


def test_unknown_road():
    """A particle on a curve y = f(x): derivatives of f in the mass matrix and in the forcing, and in pivots."""
    road = lambda kind, height: slider(kind, -k * q1, coordinate=height)
    ours, theirs = road(KanesMethod, f(q1)), road(me.KanesMethod, sm.sin(2 * q1))
    same(ours.mass_matrix, theirs.mass_matrix, "mass matrix", defined)
    same(ours.rhs(), theirs.rhs(), "rates", defined)
    with pytest.raises(ModelError, match=r"cannot be turned into code"):
        ours.function({"m": 1, "k": 1})
    with pytest.raises(ModelError, match="has no number"):
        ours.to_linearizer().numbers({q1: 0.3, u1: 0.1, u1.diff(T): 0, m: 1, k: 1})


def test_second_derivatives_are_partial():
    """Of a function of a coordinate and of time, where the total derivative by time is another one."""
    s = Symbols()
    e = f(q1, T)
    twice = s.sympy(time_derivative(time_derivative(s.engine(e), s.rate), s.rate))
    same(sm.Matrix([twice]), sm.Matrix([e.diff(T, 2)]), "second rate", defined)
    mixed = s.sympy(s.engine(e).diff(s.engine(q1)).diff(s.engine(T)))
    assert defined(sm.Matrix([mixed]))[0] == -6 * sm.sin(2 * q1 + 3 * T)
    assert Probe()(s.engine(f(q1))) != 0


def test_integrals():
    """An integral over time is a function of time; one up to a coordinate is differentiated by it."""
    history = sm.Integral(q1, T)
    ours, theirs = (slider(kind, -k * history - q1) for kind in BOTH)
    assert ours.forcing == theirs.forcing
    A, B, r = ours.linearize(A_and_B=True)
    assert sm.Matrix([[0, 1], [-1 / m, 0]]) == A and sm.Matrix([0, -k / m]) == B and r == sm.Matrix([history])
    assert ours.symbols.sympy(ours.symbols.rate(ours.symbols.engine(history))) == q1
    rates = ours.function({"m": 2.0, "k": 3.0}, inputs=[history])
    rates.set_inputs([0.5])
    assert np.allclose(rates(0.0, np.array([0.1, 0.2])), [0.2, -(1.5 + 0.1) / 2])
    potential = sm.Integral(sm.exp(-(x**2)) * k, (x, 0, q1))
    ours, theirs = (slider(kind, -potential).linearize(A_and_B=True)[0] for kind in BOTH)
    same(ours, theirs, "linear model", defined)
    assert ours[1, 0] == -k * sm.exp(-(q1**2)) / m


DEFINED = [
    FiberForceLengthActiveDeGroote2016.with_defaults(q1),
    FiberForceVelocityDeGroote2016.with_defaults(q1 * u1),
    *(function(q1) for function in (sm.sec, sm.csc, sm.cot, sm.acot, sm.coth, sm.sech, sm.asinh, sm.atanh, sm.erf, sm.sinc)),
    *(sm.acosh(q1 + 2), sm.asec(q1 + 2), sm.acsc(q1 + 2), sm.Heaviside(q1), sm.log(q1, 10)),
]


@pytest.mark.parametrize("e", DEFINED, ids=lambda e: type(e).__name__)
def test_functions_by_their_definitions(e):
    """Values and derivatives in compiled code against SymPy's own numbers."""
    s = Symbols()
    arguments = [s.engine(a) for a in (q1, u1)]
    native = s.engine(e)
    found = Program(arguments, [native, native.diff(arguments[0])]).compiled()(np.array([0.3, 0.7]))
    plain = {q1: x, u1: sm.Float(0.7)}
    wanted = [d.xreplace(plain).doit().evalf(subs={x: 0.3}) for d in (e, e.diff(q1))]
    assert np.allclose(found, [float(w) for w in wanted], rtol=1e-13)


def test_a_function_is_translated_once(monkeypatch):
    """However many muscles have the same curve, its definition is asked for once."""
    asked = []
    there = FiberForceLengthActiveDeGroote2016.doit
    monkeypatch.setattr(FiberForceLengthActiveDeGroote2016, "doit", lambda e, **how: asked.append(e) or there(e, **how))
    slider(KanesMethod, sum(FiberForceLengthActiveDeGroote2016.with_defaults(q1 + n) for n in range(16)))
    assert len(asked) == 1


# -- operating points --------------------------------------------------------------------------------------------------


def test_expressions_as_keys_of_an_operating_point():
    s, w = sm.symbols("s w")
    ours, theirs = (slider(kind, -k * sm.sin(q1) * u1 - f(q1)) for kind in BOTH)
    for at in ({sm.sin(q1): s, u1: 2}, [{sm.cos(q1): w, q1: 0}, {f(q1): 0}], {sm.cos(q1): 1, k: 3}):
        (_, A, _, _), (_, B, _, _) = (kane.linearize(op_point=at) for kane in (ours, theirs))
        B = B.subs({q1: 0} if isinstance(at, list) else {})  # SymPy leaves derivatives at q1
        assert sm.simplify(defined(A) - defined(B)) == sm.zeros(2)


# -- for lambdify ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["spatial chain", "rolling disk, dependent speeds"])
def test_common_parts_for_lambdify(name):
    kane = SYSTEMS[name]().derived(KanesMethod)
    parts, matrices = kane.common_parts()
    assert parts
    symbols = [*kane.q, *kane.u, *sorted(kane.mass_matrix.free_symbols | kane.forcing.free_symbols - {T}, key=str)]
    symbols = [s for s in dict.fromkeys(symbols) if s != T]
    point = np.random.default_rng(3).uniform(0.3, 1.2, len(symbols))
    short = sm.lambdify(symbols, matrices, cse=lambda reduced: (parts, reduced))(*point)
    whole = sm.lambdify(symbols, [kane.mass_matrix, kane.forcing])(*point)
    for here, there in zip(short, whole, strict=True):
        close(here, there, name)
