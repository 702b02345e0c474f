"""Linearisation before and after: the direct one, the premature one, and its correction."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import SYSTEMS, fixed_point

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod, linearize_directly

T = me.dynamicsymbols._t
m, k, L, r, W = sm.symbols("m k L r W", positive=True)


def particle_on_a_spinning_hub(plane):
    """A particle on a rigid weightless link that is hinged, with a spring, on a hub which turns at W."""
    q, u = me.dynamicsymbols("q u")
    N = me.ReferenceFrame("N")
    H = N.orientnew("H", "Axis", [W * T, N.z])
    B = H.orientnew("B", "Axis", [q, H.z if plane == "in" else H.y])
    O = fixed_point(N)
    hinge = O.locatenew("hinge", r * H.x)
    P = hinge.locatenew("P", L * B.x)
    axis = H.z if plane == "in" else H.y
    kane = KanesMethod(N, [q], [u], kd_eqs=[q.diff(T) - u])
    kane.kanes_equations([me.Particle("P", P, m)], [(B, -k * q * axis), (H, k * q * axis)])
    return kane, {q: 0, u: 0}


# figures of the toy of Banerjee's sections 1.4 and 1.5: squares of the small motion's frequencies
RIGHT = {"in": k / (m * L**2) + W**2 * r / L, "out": k / (m * L**2) + W**2 * (1 + r / L)}
WRONG = {"in": k / (m * L**2) - W**2, "out": k / (m * L**2)}


@pytest.mark.parametrize("plane", ["in", "out"])
def test_premature_linearisation_and_its_correction(plane):
    kane, reference = particle_on_a_spinning_hub(plane)

    def square(**arguments):
        motion = linearize_directly(kane, reference, **arguments)
        assert motion.residual == [0] and motion.G == [[0]]
        return sm.simplify(motion.sympy("K")[0] / motion.sympy("M")[0])

    assert sm.simplify(square() - RIGHT[plane]) == 0
    assert sm.simplify(square(premature=True) - WRONG[plane]) == 0
    assert sm.simplify(square(premature=True, geometric_stiffness=True) - RIGHT[plane]) == 0
    geometric = linearize_directly(kane, reference).sympy("geometric")[0]
    assert sm.simplify(geometric - m * W**2 * (r + L) * L) == 0  # the tension m W^2 (r + L) times the length


@pytest.mark.parametrize("name", ["double pendulum", "pendulum of 3 on a cart", "rolling disk", "spatial chain"])
def test_direct_is_that_of_the_full_equations(name):
    """At any motion, an equilibrium or not: terms of first order are what they are, however they are found."""
    kane = SYSTEMS[name]().derived(KanesMethod)
    rng = np.random.default_rng(3)
    state = {s: float(x) for s, x in zip([*kane.q, *kane.u], rng.uniform(0.2, 0.9, len(kane.q) + len(kane.u)), strict=True)}
    rates = {s.diff(): float(x) for s, x in zip(kane.u, rng.normal(size=len(kane.u)), strict=True)}
    form = {
        s: 0.5 + 0.1 * i for i, s in enumerate(sorted(kane.mass_matrix.free_symbols | kane.forcing.free_symbols, key=str))
    }
    form.pop(T)
    force = {f: 0.3 for f in me.find_dynamicsymbols(kane.forcing) if f not in state and f not in rates}
    A, B = linearize_directly(kane, {**state, **rates, **force}, simplify=False).numbers(form)
    wanted_A, wanted_B = kane.to_linearizer().numbers({**state, **rates, **force, **form})
    assert np.abs(A - wanted_A).max() < 1e-10 * np.abs(wanted_A).max()
    assert A.shape == wanted_A.shape and np.abs(B - wanted_B).max(initial=0.0) < 1e-10


def test_double_pendulum_frequencies():
    """w^2 = (2 -+ sqrt 2) g/l."""
    kane = SYSTEMS["double pendulum"]().derived(KanesMethod)
    A, _ = linearize_directly(kane, {}).numbers({"m": 1, "l": 1, "g": 9.81})
    found = np.unique(np.round(np.abs(np.linalg.eigvals(A).imag), 9))
    assert np.allclose(found, np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * 9.81), atol=1e-8)


def test_bad_requests():
    kane, reference = particle_on_a_spinning_hub("in")
    with pytest.raises(ModelError, match="premature"):
        linearize_directly(kane, reference, geometric_stiffness=True)
    with pytest.raises(ModelError, match="no coordinate, speed or input"):
        linearize_directly(kane, {k: 1})
    with pytest.raises(ModelError, match="have no value"):
        linearize_directly(kane, reference).numbers({m: 1})
    with pytest.raises(ModelError, match="dependent speeds"):
        linearize_directly(SYSTEMS["four-bar"]().derived(KanesMethod), {})
