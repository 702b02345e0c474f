"""The three scalars of one source: complex steps of compiled code, derivatives of symbols, plain numbers."""

import numpy as np
import pytest
import symengine
from identities import STEP, close, set_tau
from trees import WAYS, Recipe

from kaneflex.kernels import backend
from kaneflex.kernels.tables import Tables

# Small, for expressions grow fast; every joint with a pose of its own, and loads of each family.
RECIPES = {
    "universal": Recipe(("Universal", "Prismatic"), (-1, 0), (False, True), loads=(("JointSpring", "all"),), seed=1),
    "spherical": Recipe(("Spherical", "Revolute"), (-1, 0), loads=(("SpringDamper", "ground"),), seed=2),
    "screw": Recipe(("Screw", "Cylindrical"), (-1, 0), (True,), loads=(("Force", "body"), ("Force", "seeing")), seed=3),
    "planar": Recipe(("Planar", "Fixed"), (-1, 0), loads=(("CentralGravity", "one"),), seed=4),
    "free": Recipe(("Free",), (-1,), (True,), loads=(("Torque", "inertial"),), seed=5),
    "custom": Recipe(("CustomJoint",), (-1,), loads=(("JointForce", "seeing"),), seed=6),
    "translational": Recipe(("Translational", "Revolute"), (-1, 0), loads=(("SpringDamper", "slack"),), seed=7),
    "moving-base": Recipe(("Revolute",), (-1,), (True,), loads=(("JointStop", ""),), base="shaken", seed=8),
}
CASES = [pytest.param(name, way, id="-".join((name, *way))) for name in RECIPES for way in WAYS]
TIME = 0.3


def symbolic_tables(plan):
    """I with the keys of the user functions' symbolic versions, as Python integers."""
    I = np.array(plan.I.tolist(), object)
    Tables(I, {"I": I}).law.address[:] = [law.symbolic_key for law in plan.laws]
    return I


def as_number(x):
    """Zeros and ones stay exact, so that they vanish from products."""
    return int(x) if x == int(x) else symengine.RealDouble(x)


def plain_udot(d, q, u, tau):
    """u-dot by the plain kernels on numbers or symbols."""
    W, inputs = np.full(len(d.W), None, object), slice(0, d.plan.header.inputs)
    work = d.plan.work(W)
    work.tau.value[:] = [as_number(x) for x in tau]
    work.law_output.value[inputs] = [as_number(x) for x in d.work.law_output.value[inputs]]
    work.column.prescribed_rate[:] = 0
    udot = np.full(d.plan.nu, None, object)
    P = np.array([as_number(x) for x in d.P], object)
    backend.plain().call_udot(symbolic_tables(d.plan), P, W, symengine.RealDouble(TIME), q, u, udot)
    return udot


def compiled_udot(d, q, u, tau):
    set_tau(d, tau)
    udot = np.zeros(d.plan.nu)
    d.kernels.call_udot(d.I, d.P, d.W, TIME, q, u, udot)
    return udot


def complex_steps(d, q, u, tau):
    """d u-dot / d (q, u), column by column."""
    y, columns = np.concatenate([q, u]), []
    for k in range(len(y)):
        step = y + 0j
        step[k] += 1j * STEP
        W, udot = d.plan.workspace(complex), np.zeros(d.plan.nu, complex)
        inputs = slice(0, d.plan.header.inputs)
        d.plan.work(W).tau.value[:] = tau
        d.plan.work(W).law_output.value[inputs] = d.work.law_output.value[inputs]
        d.kernels.call_udot(d.plan.complex_tables(), d.P, W, TIME, step[: len(q)].copy(), step[len(q) :].copy(), udot)
        columns.append(udot.imag / STEP)
    return np.column_stack(columns)


def case(name, way):
    tree = RECIPES[name].tree()
    d = tree.dynamics(*way)
    return d, tree.q, d.speeds_from_rates(tree.q, tree.w), tree.tau


#: On symbols each takes seconds: in `make test` every joint once.
ON_SYMBOLS = [
    pytest.param(name, way, id="-".join((name, *way)), marks=[pytest.mark.thorough] * (way != WAYS[0]))
    for name in RECIPES
    for way in WAYS
]


@pytest.mark.parametrize(("name", "way"), ON_SYMBOLS)
def test_complex_step_is_symbolic_derivative(name, way):
    d, q, u, tau = case(name, way)
    # not x0, x1, ...: Lambdify with cse=True gives these names to its own temporaries, whoever has them already
    symbols = [symengine.Symbol(f"state{k}") for k in range(len(q) + len(u))]
    udot = plain_udot(d, np.array(symbols[: len(q)], object), np.array(symbols[len(q) :], object), tau)
    derivatives = [symengine.sympify(e).diff(s) for e in udot for s in symbols]
    f = symengine.Lambdify(symbols, [*udot, *derivatives], cse=True)
    values = np.array(f(np.concatenate([q, u])), float)
    close(values[: len(u)], compiled_udot(d, q, u, tau), "u-dot", tolerance=1e-12)
    wanted = values[len(u) :].reshape(len(u), len(symbols))
    assert np.abs(wanted).max() > 1e-3
    close(complex_steps(d, q, u, tau), wanted, "derivative", tolerance=1e-12)


@pytest.mark.parametrize(("name", "way"), CASES)
def test_compiled_is_plain(name, way):
    d, q, u, tau = case(name, way)
    numbers = [np.array([symengine.RealDouble(x) for x in v], object) for v in (q, u)]
    plain = np.array([float(x) for x in plain_udot(d, *numbers, tau)])
    close(compiled_udot(d, q, u, tau), plain, "u-dot", tolerance=1e-14)
