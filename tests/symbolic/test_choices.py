"""Choices of speeds and their cost; Lagrange's equations beside Kane's; forces of constraint by auxiliary speeds."""

import numpy as np
import pytest
import symengine as se
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import SYSTEMS, cart, disk_with_contact_forces, double_pendulum, fixed_point, top
from symbolic.test_symbolic_kane import values

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod, compare_speeds, lagrange_equations
from kaneflex.symbolic.kanes_method.speed_choices import operations_of

T = me.dynamicsymbols._t


def two_bodies():
    """A body on a ball joint, described by three angles, and a second one pinned to it."""
    q = me.dynamicsymbols("q1:5")
    N = me.ReferenceFrame("N")
    A, B = me.ReferenceFrame("A"), me.ReferenceFrame("B")
    A.orient_body_fixed(N, q[:3], "123")
    B.orient_axis(A, A.x, q[3])
    O = fixed_point(N)
    G = O.locatenew("G", sm.Symbol("a") * A.z)
    H = O.locatenew("J", sm.Symbol("b") * A.z).locatenew("H", sm.Symbol("c") * B.z)
    bodies = [
        me.RigidBody("one", G, A, sm.Symbol("m"), (me.inertia(A, *sm.symbols("A1:4")), G)),
        me.RigidBody("two", H, B, sm.Symbol("n"), (me.inertia(B, *sm.symbols("B1:4")), H)),
    ]
    g = sm.Symbol("g")
    return N, q, bodies, [(G, -sm.Symbol("m") * g * N.z), (H, -sm.Symbol("n") * g * N.z)]


def test_angular_velocities_make_shorter_equations_than_rates():
    choices = compare_speeds(*two_bodies())
    cost = {c.name: c.operations["total"] for c in choices}
    assert list(cost.values()) == sorted(cost.values())
    assert choices[0].name.startswith("angular velocities")
    assert cost["rates of the coordinates"] > 1.3 * choices[0].operations["total"]
    assert "operations" in str(choices[0])


def test_every_choice_is_the_same_motion():
    """q'' from each choice at one state of coordinates and rates."""
    N, q, bodies, loads = two_bodies()
    rng = np.random.default_rng(2)
    at_q, at_rate = (dict(zip(x, rng.uniform(0.3, 0.8, 4), strict=True)) for x in (q, [s.diff(T) for s in q]))
    found = []
    for choice in compare_speeds(N, q, bodies, loads):
        kane, native = choice.method, choice.method.native
        forms = {
            s: 0.7 + 0.05 * i
            for i, s in enumerate(sorted(kane.forcing.free_symbols | kane.mass_matrix.free_symbols, key=str))
        }
        forms.pop(T)
        state = {kane.symbols.engine(s): float(v) for s, v in {**at_q, **forms}.items()}
        speeds = [float(d.subs(at_rate).subs(at_q).subs(forms)) for d in choice.definitions]
        state |= dict(zip(native.u, speeds, strict=True))
        number = lambda e, state=state: float(complex(e.xreplace(state)).real)
        M = np.array([[number(e) for e in row] for row in native.mass_matrix])
        udot = np.linalg.solve(M, [number(e) for e in native.forcing])
        rates = np.array([number(e) for e in native.qdot])
        assert np.allclose(rates, list(at_rate.values()), atol=1e-12)
        second = [kane.symbols.rate(kane.symbols.rate(s)) for s in native.q]
        full = [kane._rates._replacing[s] for s in second]
        state |= dict(zip(native.udot, udot, strict=True))
        found.append([number(e, state) for e in full])
    assert np.allclose(found, found[0], rtol=1e-9, atol=1e-9)


def test_book_speeds_of_the_double_pendulum():
    """Banerjee, section 1.2: u2 = q1' + q2' makes shorter equations than u2 = q2'."""
    short, long = (operations_of(double_pendulum(s).derived(KanesMethod))["total"] for s in ("absolute", "relative"))
    assert short < long


@pytest.mark.parametrize("make", [double_pendulum, lambda: double_pendulum("relative"), lambda: cart(2), top])
def test_lagrange_is_kane(make):
    """In coordinates and in quasi-coordinates; more operations on the way."""
    kane = make().derived(KanesMethod)
    other = lagrange_equations(kane)
    native = kane.native
    everything = [*native.forcing, *other.F, *(e for M in (native.mass_matrix, other.M) for row in M for e in row)]
    symbols = sorted(set().union(*(e.free_symbols for e in everything)), key=str)
    point = dict(zip(symbols, np.random.default_rng(1).uniform(0.3, 1.2, len(symbols)), strict=True))
    number = lambda e: float(complex(se.sympify(e).xreplace(point)).real)
    for row, wanted in zip(other.M, native.mass_matrix, strict=True):
        assert np.allclose([number(e) for e in row], [number(e) for e in wanted], atol=1e-12)
    assert np.allclose([number(e) for e in other.F], [number(e) for e in native.forcing], atol=1e-11)
    assert other.operations()["total"] > 0
    assert other.quasi == (make is double_pendulum or make is top)


def test_lagrange_refuses_what_it_does_not_do():
    with pytest.raises(ModelError, match="as many speeds"):
        lagrange_equations(SYSTEMS["four-bar"]().derived(KanesMethod))
    with pytest.raises(ModelError, match="linear in q' alone"):
        lagrange_equations(SYSTEMS["shaken pendulum"]().derived(KanesMethod))


def test_pull_in_a_rod():
    """The force on Q along the second rod, against m times its acceleration less its weight."""
    system = double_pendulum()
    kane = system.derived(KanesMethod)
    Q, N = system.bodies[1].point, system.arguments["frame"]
    B = Q.pos_from(system.bodies[0].point).args[0][1]
    q1, q2 = kane.q
    u1, u2 = kane.u
    m, l, g = sm.symbols("m l g")
    pull = -m * (l * u2**2 + l * u1**2 * sm.cos(q2) - l * u1.diff() * sm.sin(q2)) - m * g * sm.cos(q1 + q2)
    # along b1, toward Q: l u1' n-components of P's acceleration are turned by q2
    found = kane.constraint_force(Q, B.x)
    (left, right), _ = values([sm.Matrix([found]), sm.Matrix([pull])])
    assert np.allclose(left, right, atol=1e-12)
    whole = kane.constraint_force(system.bodies[0].point, N.y)
    (left, right), _ = values([sm.Matrix([whole]), sm.Matrix([kane.constraint_force(Q, N.y) + _inertia_of_P(kane, m, l)])])
    assert np.allclose(left, right, atol=1e-12)


def _inertia_of_P(kane, m, l):
    """m times the n2 component of P's acceleration; its weight is along n1."""
    q1, u1 = kane.q[0], kane.u[0]
    return m * l * (u1.diff() * sm.cos(q1) - u1**2 * sm.sin(q1))


def test_contact_force_is_that_of_auxiliary_speeds():
    """The rolling disk: force along the path, by a made-up speed and by SymPy's way with speeds of the user's own."""
    system = disk_with_contact_forces()
    theirs = system.derived(me.KanesMethod)
    f1, u4, u5 = me.dynamicsymbols("f1 u4 u5")
    wanted = sm.solve(theirs.auxiliary_eqs[0], f1)[0]
    plain = SYSTEMS["rolling disk"]()
    kane = plain.derived(KanesMethod)
    C = next(p for p in plain.bodies[0].masscenter._pos_dict if str(p) == "C")
    L = C._pos_dict[plain.bodies[0].masscenter].args[0][1]
    found = kane.constraint_force(C, L.x)
    zero = [u4, u5, u4.diff(), u5.diff()]
    (left, right), _ = values([sm.Matrix([found]), sm.Matrix([wanted])], zero=zero)
    assert np.allclose(left, right, atol=1e-11)


def test_bad_forces():
    system = double_pendulum()
    kane, N = system.derived(KanesMethod), system.arguments["frame"]
    with pytest.raises(ModelError, match="is no point"):
        kane.constraint_force("Q", N.x)
    with pytest.raises(ModelError, match="direction is zero"):
        kane.constraint_force(system.bodies[1].point, 0 * N.x)
    with pytest.raises(ModelError, match="not located from"):
        kane.constraint_force(me.Point("X"), N.x)
