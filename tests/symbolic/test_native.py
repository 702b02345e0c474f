"""Symbolic equations in the compiled loop: the same runs, events and audits as with the kernels."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.gallery import double_pendulum, four_bar, sieve, spinning_spacecraft
from kaneflex.model.checks import ModelError


@pytest.mark.parametrize("method", ["dopri5", "dop853", "sdirk4"])
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
    with pytest.raises(ModelError, match="constraints"):
        loop = four_bar.build(four_bar.DEFAULTS)
        loop.simulate(0.1, equations=loop.equations(simplify=False))
    cart = kf.System("cart", gravity=(0, 0, -9.81))
    cart.add("cart", kf.Rigid(2.0), kf.Prismatic("x"))
    cart.add_input("motor", kf.JointForce("cart"))
    with pytest.raises(ModelError, match="inputs that are functions"):
        cart.simulate(0.1, equations=cart.equations(), inputs={"motor": lambda t: 0.1 * t})
