"""Kane's equations against those of SymPy's KanesMethod, at random points; published numbers of the bicycle and the disk."""

import warnings

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import SYSTEMS, bicycle, rolling_disk
from sympy.core.function import AppliedUndef, Derivative

from kaneflex.symbolic import KanesMethod

warnings.filterwarnings("ignore", category=UserWarning, module="sympy.physics.vector")
ATTRIBUTES = (
    "mass_matrix",
    "forcing",
    "mass_matrix_kin",
    "forcing_kin",
    "mass_matrix_full",
    "forcing_full",
)
PRIVATE = (
    *("_qdot", "_udot", "_k_kqdot", "_k_ku", "_f_k", "_k_kqdot_implicit", "_k_ku_implicit", "_f_k_implicit"),
    *("_f_h", "_k_nh", "_f_nh", "_k_dnh", "_f_dnh", "_Ars", "_k_d", "_f_d"),
)


def values(matrices, seed=0, zero=()):
    """The matrices as numbers, every symbol, function and derivative in them at random, those in `zero` at 0."""
    atoms = set().union(*(m.atoms(AppliedUndef, Derivative) | m.free_symbols for m in matrices))
    ordered = sorted(atoms, key=sm.default_sort_key)
    plain = {a: sm.Symbol(f"v{k}") for k, a in enumerate(ordered)}
    derivatives = {a: s for a, s in plain.items() if isinstance(a, Derivative)}
    functions = {a: s for a, s in plain.items() if not isinstance(a, Derivative)}
    swapped = [m.xreplace(derivatives).xreplace(functions) for m in matrices]
    point = np.random.default_rng(seed).uniform(0.3, 1.2, len(ordered))
    point[[a in zero for a in ordered]] = 0.0
    given = dict(zip(ordered, point, strict=True))
    f = sm.lambdify(list(plain.values()), swapped, cse=True)
    return [np.array(m, float) for m in f(*point)], given


def close(ours, theirs, what, tolerance=1e-10):
    scale = max(1.0, np.abs(theirs).max(initial=0.0))
    assert ours.shape == theirs.shape, what
    assert np.abs(ours - theirs).max(initial=0.0) <= tolerance * scale, what


def compared(ours, theirs, names, seed=0):
    pairs = [(getattr(ours, n), getattr(theirs, n)) for n in names]
    pairs += list(zip(ours.kanes_equations(), theirs.kanes_equations(), strict=True))
    rates = theirs.kindiffdict()
    pairs.append((sm.Matrix([ours.kindiffdict()[k] for k in rates]), sm.Matrix(list(rates.values()))))
    flat = [sm.Matrix(m) for pair in pairs for m in pair]
    # auxiliary speeds are zero; SymPy leaves them in some of its expressions
    auxiliary = [*theirs._uaux, *theirs._uaux.diff(me.dynamicsymbols._t)]
    numbers, _ = values(flat, seed, auxiliary)
    for k, name in enumerate([*names, "fr", "frstar", "kindiffdict"]):
        close(numbers[2 * k], numbers[2 * k + 1], name)


LONG = {"pendulum of 8 on a cart"}  # SymPy takes seconds


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.thorough] * (n in LONG)) for n in SYSTEMS])
def test_same_equations_as_sympy(name):
    system = SYSTEMS[name]()
    ours, theirs = (system.derived(kind) for kind in (KanesMethod, me.KanesMethod))
    names = [*ATTRIBUTES, *PRIVATE, *(["auxiliary_eqs"] if "u_auxiliary" in system.arguments else [])]
    compared(ours, theirs, names)
    compared(ours, theirs, names, seed=1)


@pytest.mark.parametrize("name", ["rolling disk", "heavy top", "two-wheeled car"])
def test_implicit_kinematics(name):
    system = SYSTEMS[name]()
    system.arguments["explicit_kinematics"] = False
    ours, theirs = (system.derived(kind) for kind in (KanesMethod, me.KanesMethod))
    names = ["mass_matrix_kin", "forcing_kin", "mass_matrix_full", "forcing_full"]
    numbers, _ = values(
        [getattr(k, n) for n in names for k in (ours, theirs)], zero=[*theirs._uaux, *(s.diff() for s in theirs._uaux)]
    )
    for k, n in enumerate(names):
        close(numbers[2 * k], numbers[2 * k + 1], n)


@pytest.mark.parametrize("name", ["double pendulum", "rolling disk", "four-bar", "spatial chain, velocities given"])
def test_rates_are_the_solution(name):
    kane = SYSTEMS[name]().derived(KanesMethod)
    (rates, M, f), _ = values([kane.rhs(), kane.mass_matrix_full, kane.forcing_full])
    close(M @ rates, f, "rhs")


@pytest.mark.parametrize("name", ["oscillator", "pendulum of 2 on a cart", "rolling disk", "double pendulum"])
def test_linear_model_is_sympys(name):
    system = SYSTEMS[name]()
    ours, theirs = (system.derived(kind) for kind in (KanesMethod, me.KanesMethod))
    rest = {s.diff(): 0 for s in ours.u}
    a, b = ours.linearize(op_point=rest), theirs.linearize(op_point=rest)
    assert list(a[3]) == list(b[3])
    pairs = [sm.Matrix(m) for pair in zip(a[:3], b[:3], strict=True) for m in pair if m.shape != (0, 0)]
    numbers, _ = values(pairs)
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        close(x, y, name)
    # SymPy's A_and_B divides by pivots as they come; compare where both are finite
    for x, y in zip(
        ours.linearize(op_point=rest, A_and_B=True)[:2], theirs.linearize(op_point=rest, A_and_B=True), strict=False
    ):
        if x.shape != (0, 0) and x.shape[1]:
            (left, right), _ = values([sm.Matrix(x), sm.Matrix(y)])
            close(left, right, name)


def test_rolling_disk_critical_speed():
    """All eigenvalues of the upright disk vanish at spin 1/sqrt(3) for r = g = m = 1 (Kane and Levinson)."""
    system = rolling_disk()
    kane = system.derived(KanesMethod)
    r, m, g = sm.symbols("r m g")
    q, u = list(kane.q), list(kane.u)
    at = {r: 1, m: 1, g: 1, **dict.fromkeys(q, 0), u[0]: 0, u[2]: 0, u[1]: 1 / sm.sqrt(3)}
    at |= {s.diff(): 0 for s in u}
    A, _, _ = kane.linearize(op_point=at, A_and_B=True)
    assert sm.Matrix(A).eigenvals() == {sm.S.Zero: 6}


# Meijaard et al. (2007), table 2: weave (real, imaginary), capsize and castering eigenvalues by forward speed, 1/s.
EIGENVALUES = {
    0: (3.13164324790656, 5.53094371765393, -3.13164324790656, -5.53094371765393),
    1: (3.52696170990070, 0.80774027519930, -3.13423125066578, -7.11008014637441),
    2: (2.68234517512745, 1.68066296590676, -3.07158645641514, -8.67387984831735),
    3: (1.70675605663975, 2.31582447384325, -2.63366137253665, -10.35101467245920),
    5: (-0.77534188219585, 4.46486771378823, -0.32286642900409, -14.07838969279820),
    4: (0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447),
    6: (-1.52644486584142, 5.87673060598709, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362, 7.19525913329805, 0.10268170574766, -18.15788466125262),
    8: (-2.69348683581097, 8.46037971396931, 0.14327879765713, -20.27940894394569),
    9: (-3.21675402252485, 9.69377351531791, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404),
}


@pytest.fixture(scope="module")
def derived_bicycle():
    system = bicycle()
    return system, system.derived(KanesMethod)


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_bicycle_eigenvalues(derived_bicycle, speed):
    """Lean and steer of the benchmark bicycle: two wheels' speeds are what the paper calls v."""
    system, kane = derived_bicycle
    u = me.dynamicsymbols("u1:7")
    at = {**system.values, **dict.fromkeys(kane.q, 0), **dict.fromkeys(u, 0), **{s.diff(): 0 for s in u}}
    at |= {u[2]: speed / 0.3, u[5]: speed / 0.35}
    A, _ = kane.to_linearizer().numbers(at)
    keep = [1, 2, 3, 5]
    found = np.linalg.eigvals(A[np.ix_(keep, keep)])
    first, second, capsize, caster = EIGENVALUES[speed]
    wanted = [capsize, caster, *([first, second] if speed == 0 else [first + 1j * second, first - 1j * second])]
    for value in wanted:
        assert np.abs(found - value).min() < 1e-10 * max(1, abs(value)), (value, found)


def test_bicycle_matrices(derived_bicycle):
    """M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, with the matrices that the paper prints."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    system, kane = derived_bicycle
    u, v = me.dynamicsymbols("u1:7"), 4.6
    at = {**system.values, **dict.fromkeys(kane.q, 0), **dict.fromkeys(u, 0), **{s.diff(): 0 for s in u}}
    A, _ = kane.to_linearizer().numbers(at | {u[2]: v / 0.3, u[5]: v / 0.35})
    keep = [1, 2, 3, 5]
    lower = A[np.ix_(keep, keep)][2:]
    wanted = -np.linalg.solve(M, np.hstack([9.81 * K0 + v**2 * K2, v * C1]))
    assert np.abs(lower - wanted).max() < 1e-10 * np.abs(wanted).max()


@pytest.mark.thorough
def test_bicycle_as_sympy(derived_bicycle):
    system, ours = derived_bicycle
    theirs = system.derived(me.KanesMethod)
    numbers, _ = values([ours.mass_matrix, theirs.mass_matrix, ours.forcing, theirs.forcing])
    close(numbers[0], numbers[1], "mass matrix")
    close(numbers[2], numbers[3], "forcing")
