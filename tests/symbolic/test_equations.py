"""Equations of systems in symbols: as the books print them, and equal in numbers to what the compiled kernels give."""

import numpy as np
import pytest
import symengine as se
from trees import Recipe

import kaneflex as kf
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.gallery import double_pendulum, four_bar, rolling_disk, sieve, slider_crank
from kaneflex.model.checks import ModelError
from kaneflex.plan.build import build
from kaneflex.symbolic import derive
from kaneflex.symbolic.simplify import simplified

m, l, g = se.symbols("m l g")
q1, q2, q3, u1, u2, u3 = se.symbols("q1:4 u1:4")
a1, a2, a3 = se.symbols("u1' u2' u3'")
sin, cos = se.sin, se.cos
PENDULUM = {"m_upper": m, "m_lower": m, "c_upper_x": l, "c_lower_x": l, "p_lower_x": l}
m1, m2, m3, l2, l3, k = se.symbols("m1 m2 m3 l2 l3 k")
SIEVE = {
    "m_sieve": m1,
    "m_upper": m2,
    "m_lower": m3,
    "c_upper_y": -l2 / 2,
    "c_lower_y": -l3 / 2,
    "p_lower_y": -l2,
    "k_spring": k,
    **{f"I_upper_{a}{a}": m2 * l2**2 / 12 for a in "xz"},
    **{f"I_lower_{a}{a}": m3 * l3**2 / 12 for a in "xz"},
}


def same(left, right):
    """Equal term by term: the difference expands to nothing."""
    return simplified(se.expand(left - right)) == 0


# -- the double pendulum of Banerjee's book, section 1.2 ---------------------------------------------------------------


@pytest.fixture(scope="module")
def pendulum():
    return double_pendulum.build(double_pendulum.DEFAULTS).equations(speeds="efficient", symbols=PENDULUM)


def test_kinematical_equations(pendulum):
    """(1.10), (1.11): u1 = q1', u2 = q1' + q2'."""
    assert pendulum.qdot == [u1, u2 - u1]


def test_partial_velocities(pendulum):
    """Table 1.1, from the velocities (1.12): v_P = l u1 (-s1 n1 + c1 n2), v_Q = v_P + l u2 (-s12 n1 + c12 n2)."""
    table = pendulum.partial_velocities()
    first, second = (-l * sin(q1), l * cos(q1), 0), (-l * sin(q1 + q2), l * cos(q1 + q2), 0)
    assert table.velocity == {"upper": [first, (0, 0, 0)], "lower": [first, second]}
    assert table.angular == {"upper": [(0, 0, 1), (0, 0, 0)], "lower": [(0, 0, 0), (0, 0, 1)]}
    assert "\\hat{n}_{2}" in table.latex()
    own = pendulum.partial_velocities(axes="body").velocity
    assert own["upper"][0] == (0, l, 0) and own["lower"][1] == (0, l, 0)


def test_generalized_forces(pendulum):
    """(1.13) to (1.19): generalized active forces of the weights, generalized inertia forces of the two particles."""
    assert pendulum.active["upper"] == [-m * g * l * sin(q1), 0]
    assert pendulum.active["lower"] == [-m * g * l * sin(q1), -m * g * l * sin(q1 + q2)]
    P, Q = pendulum.inertia["upper"], pendulum.inertia["lower"]
    assert same(P[0], -m * l**2 * a1) and P[1] == 0
    assert same(Q[0], -m * l**2 * (a1 + a2 * cos(q2) - u2**2 * sin(q2)))
    assert same(Q[1], -m * l**2 * (a1 * cos(q2) + a2 + u1**2 * sin(q2)))


def test_equations_of_motion_and_the_misprint(pendulum):
    """(1.20), and (1.21), in whose last entry the book prints sin(q1 + q1) for sin(q1 + q2)."""
    M = [[2 * m * l**2, m * l**2 * cos(q2)], [m * l**2 * cos(q2), m * l**2]]
    right = [
        m * l**2 * u2**2 * sin(q2) - 2 * m * g * l * sin(q1),
        -m * l**2 * u1**2 * sin(q2) - m * g * l * sin(q1 + q2),
    ]
    for r in range(2):
        assert all(same(pendulum.M[r][s], M[r][s]) for s in range(2))
        assert same(pendulum.F[r], right[r])
    printed = -m * l**2 * u1**2 * sin(q2) - m * g * l * sin(q1 + q1)
    assert same(pendulum.F[1] - printed, m * g * l * (sin(2 * q1) - sin(q1 + q2)))


def test_customary_speeds_give_the_longer_equations(pendulum):
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    customary = system.equations(speeds="customary", symbols=PENDULUM)
    assert same(customary.M[0][0], m * l**2 * (3 + 2 * cos(q2)))
    assert same(customary.M[0][1], m * l**2 * (1 + cos(q2)))
    assert customary.operations()["total"] > pendulum.operations()["total"]


def test_constraint_force(pendulum):
    """The pull in the lower rod's pin, by an auxiliary speed: m times the acceleration of Q less its weight."""
    force = pendulum.constraint_force("lower.force.x")
    acceleration = -l * (a1 * sin(q1) + u1**2 * cos(q1) + a2 * sin(q1 + q2) + u2**2 * cos(q1 + q2))
    assert same(force, m * acceleration - m * g)


# -- the sieve ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vibrating():
    """The equations of the paper's coordinates: q3 there is the lower bar's angle from the vertical."""
    eq = sieve.build(sieve.DEFAULTS).equations(speeds="efficient", symbols=SIEVE)
    absolute = {q3: q3 - q2}
    M = [[simplified(e.xreplace(absolute)) for e in row] for row in eq.M]
    return M, [simplified(e.xreplace(absolute)) for e in eq.F]


def test_sieve(vibrating):
    M, F = vibrating
    a, b, c = (m2 / 2 + m3) * l2, m3 * l3 / 2, m3 * l2 * l3 / 2
    right_M = [
        [m1 + m2 + m3, a * cos(q2), b * cos(q3)],
        [a * cos(q2), (m2 / 3 + m3) * l2**2, c * cos(q3 - q2)],
        [b * cos(q3), c * cos(q3 - q2), m3 * l3**2 / 3],
    ]
    right_F = [
        a * sin(q2) * u2**2 + b * sin(q3) * u3**2 - k * q1,
        c * sin(q3 - q2) * u3**2 - a * g * sin(q2),
        -c * sin(q3 - q2) * u2**2 - b * g * sin(q3),
    ]
    for r in range(3):
        assert all(same(M[r][s], right_M[r][s]) for s in range(3))
        assert same(F[r], right_F[r])


def test_misprints_of_the_sieves_paper(vibrating):
    """Equation numbers are the paper's; each misprint is what the right equation is not."""
    M, F = vibrating
    eq = sieve.build(sieve.DEFAULTS).equations(speeds="efficient", symbols=SIEVE)
    # (2.5): the x component of the acceleration of C2 is u1' + (l2/2)(q2'' cos q2 - q2'^2 sin q2); cos q2 is missing
    upper = eq.inertia["upper"][0]
    right = -m2 * (a1 + l2 / 2 * (a2 * cos(q2) - u2**2 * sin(q2)))
    assert same(upper, right) and not same(upper, -m2 * (a1 + l2 / 2 * (a2 - u2**2 * sin(q2))))
    # (3.2): the inertia force of the sieve is -m1 u1'; the minus sign is missing
    assert same(eq.inertia["sieve"][0], -m1 * a1) and not same(eq.inertia["sieve"][0], m1 * a1)
    # (3.5): the partial angular velocities are +k, for positive angles turn counter-clockwise; -k is printed
    table = eq.partial_velocities().angular
    assert table["upper"][1] == (0, 0, 1) and table["lower"][2] == (0, 0, 1)
    # (3.6), (5.2): m2 l2^2 stands for m2 l2^2/4, which with J = m2 l2^2/12 makes m2 l2^2/3
    assert same(M[1][1], (m2 / 4 + m2 / 12 + m3) * l2**2) and not same(M[1][1], (m2 + m2 / 12 + m3) * l2**2)
    # (3.6), (5.2): m3 l2 (l3/2) sin(q3 - q2) u3^2 is left out of the second equation
    assert same(F[1].diff(u3), m3 * l2 * l3 * sin(q3 - q2) * u3)
    # (4.3), (5.2): m3 g l2 sin q3 stands for m3 g l2 sin q2
    weight = F[1].diff(g)
    assert same(weight, -(m2 / 2 + m3) * l2 * sin(q2)) and not same(weight, -l2 * (m2 / 2 * sin(q2) + m3 * sin(q3)))


# -- numbers -----------------------------------------------------------------------------------------------------------


def compare(model, speeds, q, w, t=0.0, inputs=(), tolerance=1e-10, **arguments):
    """q', M, u' and the sums over bodies in symbols against the compiled dense formulation."""
    d = Dynamics(build(model, "dense", speeds))
    u = d.speeds_from_rates(q, w)
    d.set_inputs(np.array(inputs, float))
    eq = derive(model, speeds=speeds, simplify=False, **arguments)
    x = np.array([t, *q, *u, *inputs, *(eq.values[s] for s in sorted(eq.values, key=str))])
    n, nq = d.plan.nu, d.plan.nq
    values = eq.program().compiled()(x)
    M, F = values[nq : nq + n * n].reshape(n, n), values[nq + n * n :]
    y = np.concatenate([q, u, [0, 0]])
    rates = d.derivative(t, y)
    scale = max(1.0, np.abs(rates).max())
    assert np.abs(values[:nq] - rates[:nq]).max() < tolerance * scale
    udot = rates[nq : nq + n]
    right = F.copy()
    arguments_now = dict(zip(eq.arguments, x, strict=True)) | dict(zip(eq.udot, udot, strict=True))
    if eq.constraints:
        J = np.array([[number(e, arguments_now) for e in c.row] for c in eq.constraints])
        right[d.plan.free_speeds] += (J.T @ d.multipliers(t, q, u))[d.plan.free_speeds]
        position, speed = d.equations(t, q, u)
        for c, p, v in zip(eq.constraints, position, speed, strict=True):
            assert abs(number(c.speed, arguments_now) - v) < tolerance * scale
            assert c.value is None or abs(number(c.value, arguments_now) - p) < tolerance
        beta = np.array([number(c.beta, arguments_now) for c in eq.constraints])
        assert np.abs(J @ udot + beta).max() < 1e-8 * scale
    rounding = 8 * np.finfo(float).eps * (np.abs(M) @ np.abs(udot)).max()  # of terms that cancel in M udot
    assert np.abs(M @ udot - right).max() < max(tolerance * max(1.0, np.abs(M @ udot).max()), rounding)
    free = d.plan.free_speeds
    assert np.abs((M - d.mass_matrix(q))[free]).max() < tolerance * max(1.0, np.abs(M).max())
    for r in free:
        parts = sum(number(rows[r], arguments_now) for part in (eq.active, eq.inertia) for rows in part.values())
        assert abs(parts - (F - M @ udot)[r]) < 1e-9 * max(1.0, np.abs(F).max())
    return eq, d, u, udot, arguments_now


def number(e, values):
    return float(complex(se.sympify(e).xreplace(values)).real)


RECIPES = {
    "universal": Recipe(("Universal", "Prismatic"), (-1, 0), (False, True), loads=(("JointSpring", "all"),), seed=1),
    "spherical": Recipe(("Spherical", "Revolute"), (-1, 0), loads=(("SpringDamper", "ground"),), seed=2),
    "screw": Recipe(("Screw", "Cylindrical"), (-1, 0), (True,), loads=(("Force", "body"), ("Force", "seeing")), seed=3),
    "planar": Recipe(("Planar", "Fixed"), (-1, 0), loads=(("CentralGravity", "one"),), seed=4),
    "free": Recipe(("Free",), (-1,), (True,), loads=(("Torque", "inertial"),), seed=5),
    "custom": Recipe(("CustomJoint",), (-1,), loads=(("JointForce", "seeing"),), seed=6),
    "translational": Recipe(("Translational", "Revolute"), (-1, 0), loads=(("SpringDamper", "slack"),), seed=7),
    "smooth spring": Recipe(("Spherical", "Revolute"), (-1, 0), loads=(("SpringDamper", "smooth"),), seed=8),
    "moving-base": Recipe(("Revolute",), (-1,), (True,), loads=(("JointStop", ""),), base="shaken", seed=8),
}


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
@pytest.mark.parametrize("name", RECIPES)
def test_random_trees(name, speeds):
    tree = RECIPES[name].tree()
    compare(tree.model, speeds, tree.q, tree.w, 0.3, tree.inputs)


MODULES = (double_pendulum, sieve, four_bar, slider_crank, rolling_disk)


@pytest.mark.parametrize("module", MODULES, ids=lambda x: x.__name__.rpartition(".")[2])
def test_gallery(module):
    system = module.build(module.DEFAULTS)
    start = system.assemble().state if system.constraints else system.state()
    for speeds in ("customary", "efficient"):
        compare(system, speeds, start.q, start.rates + (0.0 if system.constraints else 0.3), tolerance=1e-9)


def test_constraint_forces_are_the_loads_of_the_kernels():
    tree = Recipe(("Revolute", "Universal", "Prismatic"), (-1, 0, 1), seed=9).tree()
    eq, d, u, _, now = compare(tree.model, "customary", tree.q, tree.w)
    d.plan.header.placed = 1
    joints, _, _ = d.loads(np.array([0.0]), np.concatenate([tree.q, u])[None, :])
    for name, joint in d.plan.index.joints.items():
        torque, force = joints[0, joint.row, :3], joints[0, joint.row, 3:]
        R = d.work.body[joint.row].r_nm
        names = [[f"{name}.{what}.{a}" for a in "xyz"] for what in ("force", "torque")]
        found = np.array([[number(eq.constraint_force(x, simplify=False), now) for x in row] for row in names])
        wanted = np.array([R @ force, R @ torque])
        assert np.abs(found - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max()), name


def test_inputs_are_arguments():
    system = kf.System("cart", gravity=(0, 0, -9.81))
    system.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    system.add_input("motor", kf.JointForce("cart"))
    eq = system.equations()
    assert [se.Symbol("motor")] == eq.F and [[se.Symbol("m_cart")]] == eq.M
    assert eq.numbers().M == [[2]] and eq.numbers({"m_cart": 3.0}).M == [[3]]


def test_report(tmp_path, pendulum):
    pendulum.report(tmp_path / "pendulum.md")
    text = (tmp_path / "pendulum.md").read_text()
    for words in ("Partial velocities", "Generalized inertia forces", "\\cos{\\left(q_{2} \\right)}", "Operations"):
        assert words in text
    assert "\\dot{u}_{1}" in pendulum.latex()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"symbols": {"m_uper": "m"}}, 'no parameter "m_uper"'),
        ({"symbols": {"m_upper": "l+"}}, "is no expression"),
        ({"symbols": {"m_upper": "m", "m_lower": "2*m"}}, "agrees"),
        ({"symbols": {"m_upper": "q1"}}, "is both a coordinate and a parameter"),
        ({"speeds": "odd"}, "speeds"),
    ],
)
def test_bad_arguments(arguments, words):
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    with pytest.raises(ModelError, match=words.replace("+", "\\+")):
        system.equations(**arguments)


def test_bad_names(pendulum):
    for name in ("lower.force", "lower.push.x", "lower.force.w", "middle.force.x"):
        with pytest.raises(ModelError):
            pendulum.constraint_force(name)
    with pytest.raises(ModelError, match="no parameter"):
        pendulum.numbers({"mass": 1.0})
