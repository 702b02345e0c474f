"""Equations of systems with flexible bodies in symbols, against the compiled kernels and by reading them."""

from functools import cache

import numpy as np
import pytest
import symengine as se
from symbolic.test_equations import compare, number
from symbolic.test_export import c_rates

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.structures import Beam
from kaneflex.symbolic.export import of_equations


@cache
def beam(modes, stiffening=True, interfaces=()):
    return kf.Flexible(
        Beam(2.0, 2e5, (60.0, 40.0), 1.3, elements=8),
        modes=modes,
        stiffening=stiffening,
        interfaces=interfaces,
        damping=0.02,
        frames={"clamp": (0.1, 0.0, 0.0)},
    )


def hub_and_beam(modes=3, stiffening=True):
    s = kf.System("hub and beam", gravity=(0, -9.81, 0))
    s.add("hub", kf.Rigid(3.0, inertia=(0.1, 0.2, 0.3), frames={"rim": (0.3, 0, 0)}), kf.Revolute("z"))
    s.add("beam", beam(modes, stiffening), kf.Fixed(), parent="hub", at="rim")
    return s


def two_links():
    s = kf.System("two links", gravity=(0, -9.81, 0))
    s.add("a", beam(2), kf.Revolute("z"))
    s.add("b", beam(2), kf.Revolute("y"), parent="a", at="tip")
    return s


def tip_body(stiffening=True):
    """A rigid body on the tip, and everything that can act at a node; the first body's joint is not at its root."""
    s = kf.System("tip body", gravity=(0, -9.81, 2.0))
    s.add("a", beam(3, stiffening, ("tip",)), kf.Universal(("y", "z")), hinge="clamp")
    s.add("b", kf.Rigid(1.0, com=(0.2, 0.1, 0), inertia=(0.01, 0.02, 0.03)), kf.Revolute("y"), parent="a", at="tip")
    s.add_rotor("wheel", "a", kf.Rotor((0, 0, 1), 0.0005))
    s.apply("pull", kf.Force("a.tip", (1.0, 2.0, 3.0)))
    s.apply("wire", kf.SpringDamper((0.0, 3.0, 0.0), "a.tip", stiffness=30.0, damping=0.4, length=0.5))
    s.apply("earth", kf.CentralGravity(50.0, centre=(0.0, 0.0, -9.0)))
    return s


SYSTEMS = {
    "hub": hub_and_beam,
    "hub, not stiffened": lambda: hub_and_beam(2, False),
    "two links": two_links,
    "tip body": tip_body,
    "tip body, not stiffened": lambda: tip_body(False),
}


def at(system, seed):
    rng, start = np.random.default_rng(seed), system.state()
    return start.q + 0.03 * rng.normal(size=len(start.q)), rng.normal(size=len(start.rates))


@pytest.mark.parametrize("speeds", ["customary", "efficient", "constant-mass"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_numbers_are_those_of_the_kernels(name, speeds):
    system = SYSTEMS[name]()
    for seed in range(2):
        compare(system, speeds, *at(system, seed), tolerance=1e-12)


def test_stiffening_is_in_the_equations():
    """The term in the square of the hub's rate: modes alone pull the beam outward, with stiffening it is held back."""
    systems = [hub_and_beam(1, stiffening) for stiffening in (True, False)]
    found = []
    for system in systems:
        eq = system.equations(simplify=False).numbers()
        u1, q2 = eq.u[0], eq.q[1]
        found.append(float(eq.F[1].diff(u1, u1).diff(q2).subs(dict.fromkeys((*eq.q, *eq.u), 0)) / 2))
    modal = [system.parts["beam"].body.modal for system in systems]
    wanted = [m.J2[5, 0, 0] / 2 + 0.3 * m.b2[0, 0, 0] for m in modal]
    assert found == pytest.approx(wanted, rel=1e-12)
    assert found[0] < -0.3 and found[1] > 0.99


def test_zeros_are_dropped():
    """A beam on a hub that turns: its mean rotation is exact, which takes hundreds of operations, not the many thousands
    of full tables. Counted are 268, 1476 and 3259."""
    assert hub_and_beam(1).equations(simplify=False).operations()["total"] < 275
    assert hub_and_beam(3).equations(simplify=False).operations()["total"] < 1500
    assert two_links().equations(simplify=False).operations()["total"] < 3300


def test_modal_data_as_symbols():
    """They have the system's values, and equations with these put in are those with numbers."""
    system = hub_and_beam(1)
    eq, plain = (system.equations(modal=m, simplify=False) for m in ("symbols", "numbers"))
    k, eta = se.Symbol("k_beam_1"), eq.q[1]
    assert eq.values[k] == pytest.approx(system.parts["beam"].body.modal.stiffness[0])
    assert se.expand(eq.F[1]).diff(k) == -eta
    x = {s: 0.3 + 0.1 * n for n, s in enumerate((*eq.q, *eq.u, se.Symbol("t")))}
    x |= dict(plain.values)
    for a, b in zip([*eq.M[0], *eq.M[1], *eq.F], [*plain.M[0], *plain.M[1], *plain.F], strict=True):
        assert number(a, x | dict(eq.values)) == pytest.approx(number(b, x), rel=1e-12, abs=1e-12)
    renamed = system.equations(modal="symbols", symbols={"k_beam_1": "kappa"}, simplify=False)
    assert renamed.values[se.Symbol("kappa")] == eq.values[k]
    with pytest.raises(ModelError, match="modal"):
        system.equations(modal="letters")


def test_symbols_of_nodes():
    system = two_links()
    eq = system.equations(modal="symbols", simplify=False)
    names = {str(s) for s in eq.values}
    tables = {"Phi_a_tip_y1", "Psi_a_tip_z1", "G_a_tip_x1_1", "p_a_tip_x", "c2_a_0x1_1", "T_a_z1"}
    assert {"k_a_1", "d_b_1_1", "m_b"} | tables <= names
    q, w = at(system, 3)
    d = system.dynamics("dense")
    x = np.array([0.0, *q, *w, *(eq.values[s] for s in sorted(eq.values, key=str))])
    values = eq.program("mass").compiled()(x)
    n = len(w)
    M = values[: n * n].reshape(n, n)
    assert np.abs(M - d.mass_matrix(q)).max() < 1e-12 * np.abs(M).max()
    assert np.abs(np.linalg.solve(M, values[n * n :]) - d.udot(q, w)).max() < 1e-10 * np.abs(d.udot(q, w)).max()


def test_constraint_forces_are_the_loads_of_the_kernels():
    system = tip_body()
    eq, d, u, _, now = compare(system, "customary", *(at(system, 5)), tolerance=1e-12)
    d.plan.header.placed = 1
    joints, _, _ = d.loads(np.array([0.0]), np.concatenate([at(system, 5)[0], u])[None, :])
    for name, joint in d.plan.index.joints.items():
        R = d.work.body[joint.row].r_nm
        wanted = np.array([R @ joints[0, joint.row, 3:], R @ joints[0, joint.row, :3]])
        names = [[f"{name}.{what}.{a}" for a in "xyz"] for what in ("force", "torque")]
        found = np.array([[number(eq.constraint_force(x, simplify=False), now) for x in row] for row in names])
        assert np.abs(found - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max()), name


def test_partial_velocities_of_a_deformed_body():
    """Of the mass centres: times masses and speeds they are the momentum that the kernels give."""
    system = hub_and_beam(2)
    eq = system.equations(simplify=False)
    table = eq.partial_velocities(simplify=False).velocity
    q, w = at(system, 7)
    x = dict(zip((*eq.q, *eq.u), (*q, *w), strict=True)) | dict(eq.values)
    momentum = sum(
        m * np.array([[number(e, x) for e in v] for v in table[b]]).T @ w for b, m in (("hub", 3.0), ("beam", 2.6))
    )
    wanted = system.dynamics("dense").momentum(q, w).linear
    assert np.abs(momentum - wanted).max() < 1e-12 * np.abs(wanted).max()


def test_c_is_the_kernels(tmp_path):
    system = two_links()
    form = of_equations(system.equations(simplify=False))
    q, w = at(system, 9)
    found = c_rates(form, tmp_path)(0.0, q, w, (), form.numbers())
    wanted = system.dynamics("dense").derivative(0.0, np.concatenate([q, w, [0, 0]]))[:-2]
    assert np.abs(found - wanted).max() < 1e-11 * np.abs(wanted).max()


def test_runs_are_those_of_the_kernels():
    system = hub_and_beam(2)
    eq = system.equations()
    settings = {"initial": {"hub.q": 0.2, "hub.rate": 6.0}, "rtol": 1e-9, "atol": 1e-11, "times": np.linspace(0, 0.5, 6)}
    ours, kernels = (system.simulate(0.5, equations=e, **settings) for e in (eq, None))
    assert ours.audit.ok and ours.audit.dissipated_work > 0.005
    assert np.abs(ours.q - kernels.q).max() < 1e-10 and ours.statistics["steps"] == kernels.statistics["steps"]
    assert abs(ours.audit.dissipated_work - kernels.audit.dissipated_work) < 1e-9
