"""Symbolic equations in the compiled loop: the same runs, events and audits as with the kernels."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from symbolic.systems import double_pendulum as written_double_pendulum
from symbolic.systems import rolling_disk

import kaneflex as kf
from kaneflex.gallery import double_pendulum, sieve, spinning_spacecraft
from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
def test_runs_are_those_of_the_kernels(method):
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    eq = system.equations(speeds="efficient")
    settings = {"speeds": "efficient", "method": method, "rtol": 1e-9, "atol": 1e-11, "times": np.linspace(0, 1, 11)}
    ours, kernels = system.simulate(1.0, equations=eq, **settings), system.simulate(1.0, **settings)
    assert np.abs(ours.q - kernels.q).max() < 1e-8 and np.abs(ours.u - kernels.u).max() < 1e-7
    assert ours.audit.ok and ours.statistics["steps"] == kernels.statistics["steps"]


def test_table_of_the_book():
    """Rows of the double pendulum's reference table, case A, with the equations in symbols."""
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    run = system.simulate(
        5.0, equations=system.equations(speeds="efficient"), speeds="efficient", method="dop853", rtol=1e-12, atol=1e-13
    )
    for t, *row in double_pendulum.TABLE["A"][:4]:
        k = int(np.argmin(np.abs(run.t - t)))
        assert np.abs(np.concatenate([run.q[k], run.u[k]]) - row).max() < 2e-9


def test_work_of_dampers_and_loads_is_audited():
    """Springs, dampers, rotors, thrust: the audit compares the kernels' energy with the work of the symbolic power."""
    p = spinning_spacecraft.DEFAULTS
    system = spinning_spacecraft.build(p)
    eq = system.equations(simplify=False)
    ours, kernels = (system.simulate(2.0, equations=e, rtol=1e-10, atol=1e-12) for e in (eq, None))
    assert ours.audit.ok, str(ours.audit)
    assert np.abs(ours.q[-1] - kernels.q[-1]).max() < 1e-7
    assert abs(ours.audit.applied_work - kernels.audit.applied_work) < 1e-6 * max(1.0, abs(kernels.audit.applied_work))
    assert abs(ours.audit.dissipated_work - kernels.audit.dissipated_work) < 1e-7


def test_a_wrong_equation_fails_the_audit():
    """(1.21) as the book prints it, with sin(q1 + q1), loses energy, and the run says so."""
    import symengine as se

    system = double_pendulum.build(double_pendulum.DEFAULTS)
    eq = system.equations(speeds="efficient")
    q1, q2 = eq.q
    eq.F[1] = eq.F[1].xreplace({se.sin(q1 + q2): se.sin(2 * q1)})
    run = system.simulate(1.0, equations=eq, speeds="efficient")
    assert not run.audit.ok
    wanted = double_pendulum.MISPRINTED
    assert np.abs(run.q[-1] - wanted[:2]).max() < 1e-5
    assert abs(run["energy.total"][-1] - wanted[2]) < 2e-3


def test_events_and_controllers():
    system = kf.System("cart", gravity=(0, 0, -9.81))
    system.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    system.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), parent="cart", q=0.3)
    system.add_input("motor", kf.JointForce("cart"))
    hit = kf.Event(lambda t, x: x[0], sees=["bob.q"], direction=-1, name="upright")
    push = kf.Sampled(0.05, lambda t, x: -20.0 * x[0], sees=["cart.q"], drives=["motor"])
    runs = [
        system.simulate(2.0, equations=e, events=[hit], controllers=[push], rtol=1e-10, atol=1e-12)
        for e in (system.equations(), None)
    ]
    assert len(runs[0].events) == len(runs[1].events) > 0
    assert np.allclose([t for t, _ in runs[0].events], [t for t, _ in runs[1].events], atol=1e-9)
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8


def test_sieve_as_printed_figures():
    system = sieve.build(sieve.DEFAULTS)
    run = system.simulate(1.0, equations=system.equations(speeds="efficient"), speeds="efficient", rtol=1e-11, atol=1e-13)
    assert abs(run.q[-1, 0] + 0.0044817222) < 1e-8 and run.audit.ok


def test_refused():
    system = double_pendulum.build(double_pendulum.DEFAULTS)
    with pytest.raises(ModelError, match='speeds="customary"'):
        system.simulate(0.1, equations=system.equations(speeds="efficient"))
    eq = system.equations()
    system.constrain("gear", kf.Constraint(lambda t, x: x[0] - x[1], ["upper.q", "lower.q"]))
    with pytest.raises(ModelError, match=r"constraints \(gear\)"):
        system.simulate(0.1, equations=eq)
    arm = kf.System("arm")
    arm.add("arm", kf.Rigid(1.0, com=(1, 0, 0)), kf.Revolute("z"), q=0.0)
    with pytest.raises(ModelError, match="ruthless"):
        arm.simulate(0.1, equations=arm.equations(), formulation="ruthless")


# -- systems of a KanesMethod ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "radau5", "sdirk4"])
def test_method_in_the_compiled_loop(integrator):
    """The book's table again, from SymPy's frames and points."""
    kane = written_double_pendulum().derived(KanesMethod)
    start = {kane.q[0]: np.pi / 6, kane.q[1]: np.pi / 6, kane.u[0]: 0.0, kane.u[1]: 0.0}
    run = kane.simulate(
        2.0, start, {"m": 1.0, "l": 1.0, "g": 9.81}, integrator=integrator, rtol=1e-11, atol=1e-13, output=0.5
    )
    for t, *row in double_pendulum.TABLE["A"][:3]:
        k = int(np.argmin(np.abs(run.t - t)))
        assert np.abs([*run.q[k], *run.u[k]] - np.array(row)).max() < 1e-8
    assert run.statistics["steps"] > 10


def test_rolling_disk_keeps_its_energy():
    """Dependent speeds: a nonholonomic system, whose energy is conserved."""
    kane = rolling_disk().derived(KanesMethod)
    start = dict(zip([*kane.q, *kane.u], (0.1, 0.3, 0.0, 0.2, 3.0, 0.5), strict=True))
    run = kane.simulate(3.0, start, {"m": 1.3, "r": 0.4, "g": 9.81}, integrator="dop853", rtol=1e-11, atol=1e-13)
    m, r, g = 1.3, 0.4, 9.81
    u, lean = run.u, run.q[:, 1]
    kinetic = m * r**2 * (5 / 8 * u[:, 0] ** 2 + 3 / 4 * u[:, 1] ** 2 + 1 / 8 * u[:, 2] ** 2)
    energy = kinetic + m * g * r * np.cos(lean)
    assert np.abs(energy - energy[0]).max() < 1e-9 * abs(energy[0])


def test_refused_by_the_method():
    kane = written_double_pendulum().derived(KanesMethod)
    full = dict.fromkeys([*kane.q, *kane.u], 0.1)
    values = {"m": 1.0, "l": 1.0, "g": 9.81}
    with pytest.raises(ModelError, match="u2 are missing"):
        kane.simulate(1.0, {k: v for k, v in full.items() if k != kane.u[1]}, values)
    with pytest.raises(ModelError, match="coordinate or speed"):
        kane.simulate(1.0, full | {me.dynamicsymbols("z"): 1.0}, values)
    with pytest.raises(ModelError, match="integrator"):
        kane.simulate(1.0, full, values, integrator="euler")
    with pytest.raises(ModelError, match="g have no value"):
        kane.simulate(1.0, full, {"m": 1.0, "l": 1.0})
    with pytest.raises(ModelError, match="stopped"):
        kane.simulate(1.0, full, values, max_steps=3)
