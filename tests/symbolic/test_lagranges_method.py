"""LagrangesMethod and Linearizer beside SymPy's: constrained systems, loads, linear models, code."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import fixed_point
from symbolic.test_symbolic_kane import close, values

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import LagrangesMethod, Linearizer

q1, q2 = q = me.dynamicsymbols("q1 q2")
d1, d2 = rates = me.dynamicsymbols("q1 q2", 1)
F = me.dynamicsymbols("F")
m, M, l, g, c = sm.symbols("m M l g c")
BOTH = (LagrangesMethod, me.LagrangesMethod)
ATTRIBUTES = ("eom", "mass_matrix", "forcing", "mass_matrix_full", "forcing_full", "_term1", "_term2", "_term3", "_term4")
PRIVATE = ("lam_coeffs", "_m_d", "_f_d", "_m_cd", "_f_cd")


def cart(kind):
    """A pendulum on a cart, pushed and damped."""
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q2, N.z])
    C = fixed_point(N).locatenew("C", q1 * N.x)
    C.set_vel(N, d1 * N.x)
    P = C.locatenew("P", -l * A.y)
    P.v2pt_theory(C, N, A)
    bodies = [me.Particle("cart", C, M), me.Particle("bob", P, m)]
    bodies[1].potential_energy = m * g * P.pos_from(C).dot(N.y)
    loads = [(C, (F - c * d1) * N.x), (A, -c * d2 * N.z)]
    made = kind(me.Lagrangian(N, *bodies), q, forcelist=loads, bodies=bodies, frame=N)
    made.form_lagranges_equations()
    return made


def pendulum(kind, extra=()):
    """A particle on a circle, in cartesian coordinates: y down; `extra` constraints besides."""
    N = me.ReferenceFrame("N")
    P = fixed_point(N).locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, d1 * N.x + d2 * N.y)
    made = kind(
        me.Lagrangian(N, me.Particle("P", P, m)),
        q,
        forcelist=[(P, m * g * N.y)],
        frame=N,
        hol_coneqs=[q1**2 + q2**2 - l**2, *extra],
    )
    made.form_lagranges_equations()
    return made


def knife(kind):
    """A particle that can only slide along a direction which turns with time."""
    t, N = me.dynamicsymbols._t, me.ReferenceFrame("N")
    L = m * (d1**2 + d2**2) / 2 - m * g * q1
    made = kind(L, q, frame=N, nonhol_coneqs=[d1 * sm.sin(c * t) - d2 * sm.cos(c * t)])
    made.form_lagranges_equations()
    return made


def follower(kind):
    """A mass with a force that follows its acceleration, which adds to the mass."""
    N = me.ReferenceFrame("N")
    P = fixed_point(N).locatenew("P", q1 * N.x)
    P.set_vel(N, d1 * N.x)
    made = kind(m * d1**2 / 2, [q1], forcelist=[(P, -(c * d1.diff() + g) * N.x)], frame=N)
    made.form_lagranges_equations()
    return made


@pytest.mark.parametrize("make", [cart, pendulum, knife, follower])
def test_as_sympy(make):
    ours, theirs = (make(kind) for kind in BOTH)
    assert isinstance(ours, me.LagrangesMethod) and ours.lam_vec == theirs.lam_vec
    pairs = [(getattr(ours, n), getattr(theirs, n)) for n in (*ATTRIBUTES, *PRIVATE)] + [(ours.rhs(), theirs.rhs())]
    if theirs.lam_vec:
        pairs.append((ours.solve_multipliers(sol_type="Matrix"), theirs.solve_multipliers(sol_type="Matrix")))
        assert list(ours.solve_multipliers()) == list(theirs.lam_vec)
    for name, (here, there) in zip((*ATTRIBUTES, *PRIVATE, "rhs", "multipliers"), pairs, strict=False):
        assert here.shape == there.shape, name
        if here:
            close(*values([here, there])[0], name)


def test_linear_models():
    for make, split in ((cart, (q, rates, [], [])), (pendulum, ([q1], [d1], [q2], [d2]))):
        results = []
        for kind in BOTH:
            made = make(kind)
            at = {q1: 0, q2: l, d1: 0, d2: 0, d1.diff(): 0, d2.diff(): 0} if make is pendulum else {}
            at |= made.solve_multipliers(op_point=at) if make is pendulum else {}
            results.append(made.linearize(*split, op_point=at, A_and_B=True))
        (A, B, r), (A2, B2, r2) = results
        assert r == r2
        close(*values([A, A2])[0], "A")
        assert B.shape == B2.shape and (not B or sm.simplify(B - B2) == sm.zeros(*B.shape))
    assert sm.simplify(A) == sm.Matrix([[0, 1], [-g / l, 0]])


def test_linearizer_of_sympys_own_equations():
    """SymPy's columns handed to both classes, the dependent coordinate first."""
    there = pendulum(me.LagrangesMethod).to_linearizer([q2], [d2], [q1], [d1])
    columns = [getattr(there, f"f_{k}") for k in "01234cva"]
    ours, theirs = (
        kind(*columns, there.q, there.u, [q2], [q1], [d2], [d1], [], there.lams) for kind in (Linearizer, me.Linearizer)
    )
    assert isinstance(ours, me.Linearizer)
    pairs = [*zip(ours.linearize()[:2], theirs.linearize()[:2], strict=True), (ours.perm_mat, theirs.perm_mat)]
    for here, there in pairs:
        close(*values([here, there])[0], "M, A, perm_mat")
    assert ours.f_3 == theirs.f_3 and ours.q_i == theirs.q_i
    with pytest.raises(ModelError, match="q_d has 0 of q for 1 constraints"):
        Linearizer(*columns, theirs.q, theirs.u, q, [], [d2], [d1])
    with pytest.raises(ValueError, match="together they must be"):
        Linearizer(*columns, theirs.q, theirs.u, [q2], [q2], [d2], [d1])
    with pytest.raises(ModelError, match="f_3 has 1 equations, where there must be 2"):
        Linearizer(*columns[:3], columns[3][:1], *columns[4:], theirs.q, theirs.u, [q2], [q1], [d2], [d1])


@pytest.mark.parametrize("extra", [(), [2 * q1**2 + 2 * q2**2 - 2 * l**2]], ids=["once", "twice"])
def test_code(extra, tmp_path):
    """A pendulum's accelerations by hand; a constraint that is given twice holds once."""
    made = pendulum(LagrangesMethod, extra)
    f = made.function({"m": 2.0, "g": 9.81})
    angle, rate = 0.7, 1.3
    y = np.array([np.sin(angle), np.cos(angle), rate * np.cos(angle), -rate * np.sin(angle)])
    wanted = -9.81 * np.sin(angle) * np.array([np.cos(angle), -np.sin(angle)]) - rate**2 * y[:2]
    assert np.allclose(f(0.0, y), [*y[2:], *wanted], atol=1e-12)
    source, header = made.export_c(tmp_path, "pendulum")
    assert "pendulum_rates" in source.read_text() and "[0] q1, [1] q2" in header.read_text()
    if extra:
        with pytest.raises(ModelError, match="repeat one another"):
            made.rhs()


def test_what_is_refused():
    fresh = LagrangesMethod(m * d1**2, [q1])
    for ask in (fresh.rhs, fresh.function, fresh.to_linearizer, fresh.solve_multipliers):
        with pytest.raises(ModelError, match="call form_lagranges_equations first"):
            ask()
    with pytest.raises(ModelError, match="no constraints"):
        cart(LagrangesMethod).solve_multipliers()
    P = fixed_point(me.ReferenceFrame("N"))
    with pytest.raises(ModelError, match="give the inertial one"):
        LagrangesMethod(m * d1**2, [q1], forcelist=[(P, 0)]).form_lagranges_equations()
    with pytest.raises(TypeError):
        LagrangesMethod(m * d1**2, q1)
    with pytest.raises(ModelError, match="F are functions of time without a value"):
        cart(LagrangesMethod).function({})
    with pytest.raises(TypeError, match="give a mapping"):
        pendulum(LagrangesMethod).solve_multipliers(op_point=3)
