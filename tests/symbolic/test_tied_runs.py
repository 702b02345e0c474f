"""Runs of constrained and driven systems with equations in symbols: those of the kernels, and audited."""

from dataclasses import replace

import numpy as np
import pytest
import symengine as se

import kaneflex as kf
from kaneflex.gallery import bricard, four_bar, rolling_disk, slider_crank
from kaneflex.symbolic.export import of_equations

CLOSE = {"rtol": 1e-9, "atol": 1e-11}


def pair(system, duration, eq=None, **settings):
    """The run with equations in symbols, and the kernels' own."""
    speeds = settings.get("speeds", "customary")
    eq = eq or system.equations(speeds=speeds, simplify=False)
    settings = {"times": np.linspace(0, duration, 6), **CLOSE, **settings}
    ours, kernels = (system.simulate(duration, equations=e, **settings) for e in (eq, None))
    assert ours.audit.ok, str(ours.audit)
    return ours, kernels


def same(ours, kernels, within=1e-10):
    """The same motion and the same work, to rounding in what both do in the same steps."""
    assert np.abs(ours.q - kernels.q).max() < within * max(1.0, np.abs(kernels.q).max())
    assert np.abs(ours.u - kernels.u).max() < 10 * within * max(1.0, np.abs(kernels.u).max())
    for work in ("applied_work", "dissipated_work"):
        a, b = getattr(ours.audit, work), getattr(kernels.audit, work)
        assert abs(a - b) < 10 * within * max(1.0, abs(b)), work


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
@pytest.mark.parametrize("module", [four_bar, slider_crank, rolling_disk], ids=["four-bar", "slider-crank", "disk"])
def test_gallery(module, speeds):
    same(*pair(module.build(module.DEFAULTS), 0.3, speeds=speeds))


def test_a_loop_that_is_redundant_where_it_closes():
    """Bricard's mechanism has five equations of rank four, but only where all of them hold."""
    system = bricard.build(bricard.DEFAULTS)
    eq = system.equations(simplify=False)
    assert len(of_equations(eq).rows) == 5
    ours, kernels = pair(system, 0.3, eq)
    same(ours, kernels, 1e-8)
    assert np.abs(ours.u).max() > 0.1


def driven():
    """A pendulum on a cart that follows a profile with corners; a damper."""
    s = kf.System("driven", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x", motion=kf.profiles.smooth_step(0.7, 0.5, start=0.1)))
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), parent="cart", q=0.3)
    s.apply("damper", kf.JointSpring("bob", damping=0.2))
    return s


def test_prescribed_motion():
    ours, kernels = pair(driven(), 0.8)
    same(ours, kernels)
    assert abs(ours.audit.applied_work) > 0.1 and ours.audit.dissipated_work > 0.01


def test_work_of_a_drive_is_judged():
    """A load that is a tenth too large does work that the energy does not show."""
    system = driven()
    eq = system.equations(simplify=False)
    eq.drives[0] = replace(eq.drives[0], force=eq.drives[0].force - 1)
    run = system.simulate(0.8, equations=eq)
    assert not run.audit.ok


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_moving_base(speeds):
    base = kf.MovingBase(lambda t: (0.3 * t, 1.0, 0.0), (0.1, 0.4, -0.2))
    s = kf.System("shaken", gravity=(0, 0, -9.81), base=base)
    s.add("arm", kf.Rigid(1.0, com=(0.5, 0.1, 0), inertia=(0.01, 0.02, 0.03)), kf.Revolute("z"), at=(0.2, 0, 0), q=0.4)
    s.add("tip", kf.Rigid(0.5, com=(0.3, 0, 0)), kf.Revolute("y"), parent="arm", at=(1.0, 0, 0), q=0.1)
    ours, kernels = pair(s, 0.6, speeds=speeds)
    same(ours, kernels)
    assert abs(ours.audit.applied_work) > 0.1


def test_a_constraint_that_depends_on_time_does_work():
    s = kf.System("lift", gravity=(0, 0, -9.81))
    s.add("swing", kf.Rigid(1.0, com=(1.0, 0, 0), frames={"tip": (1, 0, 0)}), kf.Revolute("y"), q=0.0)
    s.add("ring", kf.Rigid(0.2), kf.Prismatic("z"), q=0.0)
    s.constrain("lift", kf.Constraint(lambda t, x: x[2] - x[3] - 0.2 * kf.sin(2 * t), ["swing.tip.position", "ring.q"]))
    start = s.assemble().state
    ours, kernels = pair(s, 0.5, initial=start)
    same(ours, kernels)
    assert abs(ours.audit.applied_work) > 0.01


def test_inputs_that_are_functions_of_channels():
    s = kf.System("cart", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.1)
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), parent="cart", q=0.3)
    s.add_input("motor", kf.JointForce("cart"))
    hit = kf.Event(lambda t, x: x[0], sees=["bob.q"], direction=-1, name="upright")
    push = (lambda t, x: np.sin(3 * t) - 20.0 * x[0], ["cart.q"])
    ours, kernels = pair(s, 2.0, inputs={"motor": push}, events=[hit])
    same(ours, kernels)
    assert len(ours.events) > 0 and np.allclose([e[0] for e in ours.events], [e[0] for e in kernels.events], atol=1e-10)


def test_flexible_loop():
    """A flexible coupler in a driven four-bar: modes, multipliers and a drive together."""
    beam = kf.Flexible(kf.structures.Beam(1.2, 1e6, 900.0, 2.0, elements=6), modes=2)
    bar = kf.Rigid(1.0, com=(0.25, 0, 0), inertia=(0.01, 0.02, 0.02), frames={"tip": (0.5, 0, 0)})
    s = kf.System("flexible four-bar")
    s.add("crank", bar, kf.Revolute("z", motion=kf.profiles.smooth_step(1.0, 0.4, initial=1.0)))
    s.add("coupler", beam, kf.Revolute("z"), parent="crank", at="tip", q=-0.6)
    s.add(
        "rocker",
        kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1, 0, 0)}),
        kf.Revolute("z"),
        at=(1.4, 0, 0),
        q=1.6,
    )
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    start = s.assemble().state
    ours, kernels = pair(s, 0.2, initial=start)
    same(ours, kernels)
    assert abs(ours.audit.applied_work) > 0.01 and len(of_equations(s.equations(simplify=False)).rows) < 5


def test_numbers_of_constrained_equations():
    """`numbers` goes into constraints and drives as well."""
    eq = slider_crank.build(slider_crank.DEFAULTS).equations(simplify=False).numbers()
    held = {*eq.q, *eq.u, *eq.udot, eq.t}
    for e in (*(c.size for c in eq.constraints), *(x for d in eq.drives.values() for x in (*d.mass, d.force))):
        assert se.sympify(e).free_symbols <= held


def test_functions_that_do_not_run_on_symbols():
    """A load that looks up a table: its values are inputs of the equations, evaluated by the kernels."""
    times, heights = np.array([0.0, 1.0]), np.array([0.5, 2.0])
    wind = lambda t, x: (float(np.interp(t, times, heights)) - 0.2 * x[0], 0.0, 0.0)
    s = kf.System("blown", gravity=(0, 0, -9.81))
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0), frames={"tip": (0, 0, -1.0)}), kf.Revolute("y"), q=0.3)
    s.add_input("motor", kf.JointForce("bob"))
    s.apply("wind", kf.Force("bob.tip", wind, axes="inertial", sees=["bob.rate"]))
    eq = s.equations(simplify=False)
    assert [str(x) for x in eq.inputs] == ["motor", "f_wind_1", "f_wind_2", "f_wind_3"]
    assert eq.F[0].diff(eq.inputs[1]) != 0
    ours, kernels = pair(s, 0.8, eq, inputs={"motor": lambda t: 0.3 * t})
    same(ours, kernels)
    assert abs(ours.audit.applied_work) > 0.01
