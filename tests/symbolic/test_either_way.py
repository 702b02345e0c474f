"""Systems asked as frames and points of SymPy are: direct linearisation, Lagrange's way, and choices of speeds."""

import numpy as np
import pytest
import symengine as se
from symbolic.test_equations import RECIPES, number
from symbolic.test_flexible_equations import hub_and_beam, tip_body, two_links

import kaneflex as kf
from kaneflex.analysis.linearize import linearize
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.gallery import double_pendulum, four_bar, spinning_spacecraft
from kaneflex.model.checks import ModelError
from kaneflex.plan.build import build
from kaneflex.plan.state import State
from kaneflex.symbolic import compare_speeds, derive, lagrange_equations, linearize_directly

pytestmark = pytest.mark.filterwarnings("ignore:.*is not in equilibrium.*:UserWarning")
SPEEDS = ("customary", "efficient")


def spacecraft(**changed):
    """The gallery's twelve degrees of freedom, with thrust and damping."""
    return spinning_spacecraft.build(spinning_spacecraft.DEFAULTS | {"case": "B"} | changed)


def random_state(model, seed):
    plan, rng = build(model), np.random.default_rng(seed)
    q = 0.5 * rng.normal(size=plan.nq)
    for k in plan.layout.quaternions:
        q[k : k + 4] = rng.normal(size=4)
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return State(plan.index, 0.0, q, rng.normal(size=plan.nu))


# -- Lagrange's equations ----------------------------------------------------------------------------------------------


def check_lagrange(model, speeds, q, w, t=0.0, inputs=(), tolerance=1e-10):
    """M and F by way of the kinetic energy against M and M u' of the kernels."""
    d = Dynamics(build(model, "dense", speeds))
    d.set_inputs(np.array(inputs, float))
    u = d.speeds_from_rates(q, w)
    eq, found = derive(model, speeds=speeds, simplify=False), lagrange_equations(model, speeds=speeds)
    at = dict(zip(eq.q, q, strict=True)) | dict(zip(eq.u, u, strict=True)) | dict(zip(eq.inputs, inputs, strict=True))
    at |= eq.values | {eq.t: t}
    M = np.array([[number(e, at) for e in row] for row in found.M])
    F = np.array([number(e, at) for e in found.F])
    udot = d.derivative(t, np.concatenate([q, u, [0, 0]]))[d.plan.nq : d.plan.nq + d.plan.nu]
    free = d.plan.free_speeds
    assert np.abs((M - d.mass_matrix(q))[free]).max() < tolerance * np.abs(M).max()
    if eq.constraints:
        J = np.array([[number(e, at) for e in c.row] for c in eq.constraints])
        F[free] += (J.T @ d.multipliers(t, q, u))[free]
    assert np.abs(M @ udot - F).max() < tolerance * max(1.0, np.abs(F).max())
    return found


@pytest.mark.parametrize("speeds", SPEEDS)
@pytest.mark.parametrize("name", RECIPES)
def test_lagrange_of_random_trees(name, speeds):
    tree = RECIPES[name].tree()
    check_lagrange(tree.model, speeds, tree.q, tree.w, 0.3, tree.inputs)


@pytest.mark.parametrize("speeds", SPEEDS)
def test_lagrange_of_the_spacecraft(speeds):
    for seed in range(3):
        state = random_state(spacecraft(), seed)
        found = check_lagrange(spacecraft(), speeds, state.q, state.rates, tolerance=1e-13)
    assert found.quasi and found.operations()["total"] > derive(spacecraft(), speeds=speeds).operations()["total"]


def test_lagrange_with_a_loop_and_a_drive():
    system = four_bar.build(four_bar.DEFAULTS)
    start = system.assemble().state
    check_lagrange(system, "customary", start.q, start.rates)
    driven = driven_arm()
    check_lagrange(driven, "customary", np.array([0.3, 0.2]), np.array([2.0, 0.7]))


@pytest.mark.parametrize("make", [hub_and_beam, two_links, tip_body])
def test_lagrange_of_flexible_bodies(make):
    system = make()
    plan, rng = build(system), np.random.default_rng(5)
    small = 0.01 * rng.normal(size=plan.nq)  # at 0.05 a tip turns by two radians: beyond its series
    check_lagrange(system, "customary", small, rng.normal(size=plan.nu), tolerance=1e-9)


# -- direct linearisation ----------------------------------------------------------------------------------------------


def check_direct(model, state, **arguments):
    speeds = arguments.get("speeds", "customary")
    given = arguments.get("inputs")
    wanted = linearize(model, state, inputs=given, speeds=speeds)
    found = linearize_directly(model, state, simplify=False, **arguments)
    A, B = found.numbers()
    assert A.shape == wanted.A.shape
    assert np.abs(A - wanted.A).max() < 1e-10 * np.abs(wanted.A).max()
    assert np.abs(B - wanted.B).max(initial=0.0) < 1e-10 * np.abs(wanted.B).max(initial=1.0)
    return found, wanted


@pytest.mark.parametrize("speeds", SPEEDS)
@pytest.mark.parametrize("name", [n for n in RECIPES if n != "moving-base"])
def test_direct_of_random_trees(name, speeds):
    tree = RECIPES[name].tree()
    state = State(build(tree.model).index, 0.3, tree.q, tree.w)
    inputs = dict(zip(tree.model.inputs, tree.inputs, strict=True))
    check_direct(tree.model, state, speeds=speeds, inputs=inputs)


@pytest.mark.parametrize("axes", ["inertial", "body", "bus", "slosh"])
@pytest.mark.parametrize("speeds", SPEEDS)
def test_direct_of_the_spacecraft_in_any_motion(speeds, axes):
    system = spacecraft()
    state = random_state(system, 4)
    _, wanted = check_direct(system, state, speeds=speeds, axes=axes)
    early = linearize_directly(system, state, speeds=speeds, axes=axes, premature=True)
    assert np.abs(early.numbers()[0] - wanted.A).max() > 1e-3 * np.abs(wanted.A).max()
    repaired = linearize_directly(system, state, speeds=speeds, axes=axes, premature=True, geometric_stiffness=True)
    assert np.abs(repaired.numbers()[0] - wanted.A).max() < 1e-10 * np.abs(wanted.A).max()


def test_steady_spin_of_the_spacecraft():
    """Direct is exact; the premature model loses the pendulum's centrifugal stiffness, whose size is known."""
    system = spacecraft(case="A", psi1=1.4, psi2=0.0)  # the pendulum hangs outward
    moving = dict.fromkeys(("bus.wx", "bus.wy", "bus.vx", "bus.vy", "bus.vz"))
    moving |= {"bus.wz": 1.0, "rotor_x.rate": 10.0, "rotor_y.rate": -5.0, "rotor_z.rate": 20.0}
    state = system.steady_motion(moving)
    found, _ = check_direct(system, state, axes="bus")
    assert max(abs(number(e, found.values)) for e in found.residual) < 1e-9
    early = linearize_directly(system, state, axes="bus", premature=True)
    K, less = (np.array([[number(e, found.values) for e in row] for row in x.K]) for x in (found, early))
    lost = K - less
    psi = [[str(s) for s in found.names["q"]].index(f"q{k}") for k in (8, 9)]
    rows = [9, 10]
    # -(d2r/dpsi_i dpsi_j) . R of the particle, R = -m a of the steady motion: by hand from r = z0 g3 + L e(psi)
    psi1, psi2 = state["slosh.q"]
    s1, c1, s2, c2 = np.sin(psi1), np.cos(psi1), np.sin(psi2), np.cos(psi2)
    e = np.array([-s2, s1 * c2, -c1 * c2])
    e11, e12 = np.array([0, -s1 * c2, c1 * c2]), np.array([0, -c1 * s2, -s1 * s2])
    v, w = state["bus.rate"][:3], state["bus.rate"][3:]
    r = np.array([0, 0, spinning_spacecraft.SLOSH_PIVOT]) + spinning_spacecraft.SLOSH_LENGTH * e
    R = -50.0 * (np.cross(w, v) + np.cross(w, np.cross(w, r)))
    wanted = -spinning_spacecraft.SLOSH_LENGTH * np.array([[e11 @ R, e12 @ R], [e12 @ R, -e @ R]])
    assert np.abs(lost[np.ix_(rows, psi)] - wanted).max() < 1e-12
    assert np.abs(wanted).max() > 0.01


def driven_arm():
    """A link of length L hinged with a spring at radius r on a hub that turns at W = 2 rad/s, a particle at its end."""
    system = kf.System("arm on a driven hub")
    system.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=lambda t: 2.0 * t))
    system.add("link", kf.Rigid(1.5, com=(0.7, 0, 0)), kf.Revolute("z"), parent="hub", at=(0.4, 0, 0))
    system.apply("spring", kf.JointSpring("link", stiffness=30.0))
    return system


def test_prescribed_hub():
    """Banerjee's sections 1.4 and 1.5: k/(m L^2) + W^2 r/L, and k/(m L^2) - W^2 where velocities were linearised first."""
    m, k, L, r, W = se.symbols("m k L r W")
    names = {"m_link": m, "k_spring": k, "c_link_x": L, "p_link_x": r}
    about = {se.Symbol("q1"): W * se.Symbol("t"), se.Symbol("u1"): W}

    def square(**how):
        motion = linearize_directly(driven_arm(), about, symbols=names, **how)
        assert len(motion.K) == 1 and motion.G == [[0]]
        return motion.K[0][0] / motion.M[0][0]

    spring = k / (m * L**2)
    assert se.expand(square() - (spring + W**2 * r / L)) == 0
    assert se.expand(square(premature=True) - (spring - W**2)) == 0
    assert se.expand(square(premature=True, geometric_stiffness=True) - (spring + W**2 * r / L)) == 0
    assert se.expand(square(premature=True, axes="hub") - (spring - W**2)) == 0
    check_direct(driven_arm(), None)


def test_direct_of_flexible_bodies():
    system = tip_body()
    plan, rng = build(system), np.random.default_rng(6)
    state = State(plan.index, 0.0, 0.05 * rng.normal(size=plan.nq), rng.normal(size=plan.nu))
    check_direct(system, state)
    with pytest.raises(ModelError, match=r'flexible body "a".*stiffening=False'):
        linearize_directly(system, state, premature=True)


# -- choices of speeds, partial velocities -----------------------------------------------------------------------------


def test_speeds_of_the_double_pendulum():
    first, second = compare_speeds(double_pendulum.build(double_pendulum.DEFAULTS))
    assert first.name.startswith("efficient") and "operations" in str(first)
    a, b = se.symbols("q1' q2'")
    assert first.definitions == [a, a + b] and second.definitions == [a, b]
    assert first.operations["total"] < second.operations["total"]


def test_definitions_of_the_spacecrafts_speeds():
    """u of q' is what the definitions say, in a random state; total spins of rotors among them."""
    system = spacecraft()
    state, index = random_state(system, 8), build(system).index
    for choice in compare_speeds(system):
        eq, d = choice.method, Dynamics(build(system, "dense", choice.method.speeds))
        u = d.speeds_from_rates(state.q, state.rates)
        qdot = d.derivative(0.0, np.concatenate([state.q, u, [0, 0]]))[: len(state.q)]
        at = dict(zip(eq.q, state.q, strict=True)) | {se.Symbol(f"{s}'"): x for s, x in zip(eq.q, qdot, strict=True)}
        at |= {se.Symbol(f"{name}'"): state.rates[k] for name, k in index.rotors.items()}
        assert np.abs([number(e, at) for e in choice.definitions] - u).max() < 1e-13


def test_partial_velocities_of_the_spacecraft():
    """In the axes of the bus, rotors among them: no attitude is in the table."""
    table = spacecraft().equations(simplify=False).partial_velocities(axes="bus")
    unit = [tuple(int(i == k) for i in range(3)) for k in range(3)]
    zero = (0, 0, 0)
    assert table.velocity["bus"] == [*unit, *[zero] * 9]
    for k, axis in enumerate("xyz"):
        own = [unit[k] if i == k else zero for i in range(3)]
        assert table.angular[f"rotor_{axis}"] == [zero, zero, zero, *unit, *own, zero, zero, zero]
        assert f"rotor_{axis}" not in table.velocity
    psi1, psi2, c, sigma, b, l = se.symbols("q8 q9 c_slosh_z q10 p_damper_x p_damper_z")
    sigma = sigma + l  # l is minus the nominal length
    assert table.angular["slosh"][10] == (0, se.cos(psi1), se.sin(psi1))
    assert table.velocity["slosh"][5] == (c * se.sin(psi1) * se.cos(psi2), c * se.sin(psi2), 0)
    assert table.velocity["damper"][3:6] == [(0, se.expand(-sigma), 0), (sigma, 0, -b), (0, b, 0)]
    assert "\\omega_r^{rotor\\_z}" in table.latex() and "v_r^{rotor" not in table.latex()


# -- refusals ----------------------------------------------------------------------------------------------------------


def tank():
    """A body that loses mass and turns."""
    system = kf.System("tank", gravity=(0, 0, -9.81))
    outlet = kf.Outlet((0, 0.1, -1), velocity=(0, 0, -9))
    body = kf.VariableMass(lambda t: 4 - 3 * t, (lambda t: 0.1 * t, 0, 0.2), (1, 1.5, 2), [outlet])
    system.add("tank", body, kf.Free(), rates=(0, 0, 0, 0.1, 0.2, 1.0))
    return system


def test_a_body_that_loses_mass():
    """Linear at an instant; Lagrange's equations are those of a closed system."""
    check_direct(tank(), State(build(tank()).index, 0.2, tank().state().q, tank().state().rates))
    with pytest.raises(ModelError, match=r'body "tank" loses mass.*Kane'):
        lagrange_equations(tank())


def test_what_cannot_be_done():
    loop = four_bar.build(four_bar.DEFAULTS)
    with pytest.raises(ModelError, match=r"constraint .* dependent.*System.linearize"):
        linearize_directly(loop)
    with pytest.raises(ModelError, match=r"follow motions.*customary"):
        linearize_directly(driven_arm(), speeds="efficient")
    with pytest.raises(ModelError, match="constant-mass"):
        linearize_directly(tip_body(), speeds="constant-mass")
    with pytest.raises(ModelError, match="constant-mass"):
        lagrange_equations(tip_body(), speeds="constant-mass")
    with pytest.raises(ModelError, match="moving base"):
        linearize_directly(RECIPES["moving-base"].tree().model)
    with pytest.raises(ModelError, match="no coordinate, speed or input"):
        linearize_directly(driven_arm(), {se.Symbol("q7"): 0})
    with pytest.raises(ModelError, match="axes"):
        linearize_directly(driven_arm(), axes="wheel")
    with pytest.raises(ModelError, match="give it alone"):
        compare_speeds(driven_arm(), [1])
    lookup = driven_arm()
    lookup.apply("table", kf.JointForce("link", lambda t, x: 1.0 if x[0] > 0.3 else 2.0, sees=("link.q",)))
    with pytest.raises(ModelError, match=r"table.*does not run on symbols"):
        linearize_directly(lookup)
