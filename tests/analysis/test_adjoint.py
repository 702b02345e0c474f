"""Gradients by steps taken back: against the complex step through the same steps, differences, closed forms."""

import math

import numpy as np
import pytest
from formulations.flexible import flexible_trees
from hypothesis import given
from sweeps import sweep
from trees import trees

import kaneflex as kf
from kaneflex.analysis.adjoint import Adjoint
from kaneflex.analysis.sensitivities import Sensitivities
from kaneflex.analysis.tape import tape_of
from kaneflex.analysis.tape_sweeps import POINTS, sweep_back
from kaneflex.analysis.tape_sweeps import sweep as sweep_forward
from kaneflex.simulate.methods.dop853 import DOP853

AT = (0, 0, 0, 1, 0, 0, 0)  # in the origin, unturned
SHARP = {"rtol": 1e-11, "atol": 1e-13}


def slew():
    """A hub with two flexible panels; a motor turns it by a torque of 30 values."""
    craft = kf.System("slew")
    craft.add("hub", kf.Rigid(500.0, inertia=(400.0, 400.0, 400.0)), kf.Revolute("z"))
    beam = kf.structures.Beam(8.0, 1.5e9, (1.5e9, 1500.0), 1.0, 10, GJ=1.5e9, rotary=0.0, polar=1e-3)
    panel = kf.Flexible(beam, root="root", modes={"bending y": 2}, damping=0.005, carries=())
    for name, side in {"left": 1.0, "right": -1.0}.items():
        at = kf.Frame((side, 0, 0), (("z", 0.0 if side > 0 else math.pi),))
        craft.add(name, panel, kf.Fixed(), parent="hub", at=at)
        craft.add(f"{name}_tip", kf.Rigid(2.0), kf.Fixed(), parent=name, at="tip")
    craft.add_input("motor", kf.JointForce("hub"))
    times = np.linspace(0.0, 8.0, 30)
    values = 40.0 * np.sin(2 * math.pi * times / 8.0) + 1.0
    torque = [kf.Parameter(f"T{k}", value) for k, value in enumerate(values)]
    return craft, times, values, {"motor": kf.profiles.signal(times, torque)}


def complex_rate(dynamics):
    """x-dot of a system, on complex numbers: a function of t, x and the inputs."""
    plan = dynamics.plan
    I, W, out = plan.complex_tables(), plan.workspace(complex), np.zeros(plan.layout.size, complex)

    def rate(t, x, inputs):
        plan.work(W).law_output.value[: len(inputs)] = inputs
        dynamics.kernels.call_derivative(I, plan.P, W, t, plan.layout.with_works(x), out)
        return out[: len(x)].copy()

    return rate


def along_steps(rate, adjoint, inputs):
    """x at the end along the adjoint's steps, on complex numbers."""
    x = adjoint.states[0].astype(complex)
    for t, h in zip(adjoint.times, adjoint.lengths, strict=True):
        k = np.zeros((DOP853.stages, len(x)), complex)
        for j in range(DOP853.stages):
            k[j] = rate(t + DOP853.c[j] * h, x + h * (DOP853.A[j] @ k[:12]), inputs(t + DOP853.c[j] * h))
        x = x + h * (DOP853.b @ k)
        for q in adjoint.base.plan.layout.quaternions:
            x[q : q + 4] /= np.sqrt((x[q : q + 4] ** 2).sum())
    return x


def test_a_slew_by_30_torques_is_the_complex_step_and_differences():
    craft, times, values, inputs = slew()
    names = [f"T{k}" for k in range(len(times))]
    run = craft.simulate(10.0, inputs=inputs, times=[10.0], **SHARP)
    found, adjoint = run.gradient("hub.q", names), Adjoint(run, run.asked, names, 1e-12)
    assert adjoint.final("hub.q")[1] == pytest.approx(found, rel=1e-14)
    rate = complex_rate(craft.dynamics())
    for k in (0, 17):
        aside = np.eye(len(times))[k]
        torque = lambda t, aside=aside: [np.interp(t, times, values) + 1e-30j * np.interp(t, times, aside)]
        assert found[k] == pytest.approx(along_steps(rate, adjoint, torque)[0].imag / 1e-30, rel=1e-10)
        low, high = (
            craft.simulate(10.0, inputs=inputs, times=[10.0], parameters={f"T{k}": values[k] + d}, **SHARP)["hub.q"][-1]
            for d in (-0.5, 0.5)
        )
        assert found[k] == pytest.approx(high - low, rel=1e-6)


def test_the_derivative_is_that_of_the_steps_however_long_they_are():
    """A body that tumbles under a torque, with steps so long that its quaternion leaves unit length by much more than
    rounding in each: the complex step through them, to rounding."""
    f = kf.Parameter("f", 0.3)
    s = kf.System("tumbling")
    body = kf.Rigid(5.0, inertia=(2.0, 1.5, 1.2), frames={"tip": (0, 0.3, 0)})
    s.add("hub", body, kf.Free(), q=AT, rates=(0.3, -1, 0.7, 0.1, 0.2, 0.3))
    s.add_input("jet", kf.Force("hub.tip", (1.0, 0.0, 0.0)))
    run = s.simulate(5.0, inputs={"jet": f}, times=[5.0], rtol=1e-3, atol=1e-3)
    adjoint = Adjoint(run, run.asked, ["f"], 1e-3)
    x = along_steps(complex_rate(s.dynamics()), adjoint, lambda t: [0.3 + 1e-30j])
    found = np.ravel([adjoint.final(f"hub.{c}")[1] for c in ("x", "y", "z", "e0", "e1", "e2", "e3")])
    assert len(adjoint.times) < 20
    assert found == pytest.approx(x[:7].imag / 1e-30, rel=1e-10)


def test_where_nothing_moves_yet_the_steps_follow_the_change():
    """An oscillator at rest: its motion alone would take any step, dq/dT = (1 - cos w t)/w^2 does not."""
    T, k = kf.Parameter("T", 0.0), kf.Parameter("k", 900.0)
    s = kf.System("at rest")
    s.add("b", kf.PointMass(1.0), kf.Prismatic("x"))
    s.apply("spring", kf.JointSpring("b", stiffness=k))
    s.add_input("push", kf.JointForce("b"))
    run = s.simulate(3.0, inputs={"push": T}, times=[3.0], **SHARP)
    assert run.gradient("b.q", ["T", "k"]) == pytest.approx([(1 - math.cos(90.0)) / 900, 0.0], abs=1e-11)


def test_all_that_a_motion_depends_on_is_what_forward_sensitivities_give():
    """Masses, inertias, springs, a motion, functions of what they see, inputs, initial values, of a free body."""
    J, L, g, k = kf.Parameter("J", 2.0), kf.Parameter("L", 0.6), kf.Parameter("g", 9.81), kf.Parameter("k", 3.0)
    w, f, a = kf.Parameter("w", 1.3), kf.Parameter("f", 0.3), kf.Parameter("a", 0.8)
    s = kf.System("free", gravity=(0, 0, -g))
    s.add("hub", kf.Rigid(5.0, inertia=(J, 1.5, 1.2)), kf.Free(), q=AT, rates=(0.3, -1, 0.7, 0.1, 0.2, 0.3))
    s.add("arm", kf.Rigid(1.0, com=(0, 0, -L), inertia=(0.1, 0.1, 0.05)), kf.Revolute("x"), "hub", (0.2, 0.1, 0), q=0.4)
    wheel = kf.Revolute("z", motion=kf.profiles.cosine(a, 2.0))
    s.add("wheel", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), wheel, "hub", (0, 0, 0.5))
    s.apply("spring", kf.JointSpring("arm", stiffness=k, damping=0.1))
    s.add_input("jet", kf.Force("hub", (1.0, 0.0, 0.0)))
    s.add_input("side", kf.Force("hub", (0.0, 1.0, 0.0)))
    s.add_input("steady", kf.Force("hub", (0.0, 0.0, 1.0)))
    inputs = {"jet": (lambda t, x: f * np.sin(w * t) * x[0], ["arm.q"]), "side": f, "steady": 0.7}
    run = s.simulate(1.5, inputs=inputs, times=[1.5], **SHARP)
    names = ["J", "L", "g", "k", "w", "f", "a", "arm.q", "arm.rate"]
    adjoint, exact = Adjoint(run, run.asked, names, 1e-12), Sensitivities(run, names)
    for channel in ("hub.position", "arm.omega"):
        value, found = adjoint.final(channel)
        assert value == pytest.approx(run[channel][-1], abs=1e-9)
        assert found == pytest.approx(exact.final(channel), abs=1e-9 * np.abs(exact.final(channel)).max())
        assert run.gradient(channel, names) == pytest.approx(found, abs=1e-13)


def on_tape(dynamics, t, x, inputs, back):
    """x-dot by the tape, and `back` times its Jacobian by x and inputs."""
    tape = tape_of(dynamics.plan)
    laws = [[dynamics.plan.laws[k].address, dynamics.plan.laws[k].complex_address, 0, 0] for k in tape.calls[:, 0]]
    laws = np.array(laws, np.int64).reshape(-1, 4)
    room, numbers = np.zeros(100), tape.numbers.copy()
    numbers[: tape.givens] = [t, *x, *inputs]
    common = tape.rows, tape.first, tape.second, tape.calls, tape.seen, laws
    sweep_forward(*common, room, numbers)
    w = np.zeros(len(numbers))
    np.add.at(w, tape.outputs, back)
    none = np.zeros((0, 1 + POINTS), np.int64), np.zeros((0, POINTS))
    sweep_back(*common, *none, room, np.zeros(100, complex), numbers, w, np.zeros(0))
    return numbers[tape.outputs], w[1 : tape.givens]


def check_tape(tree):
    """A sweep there is the compiled right-hand side, one back its Jacobian by the complex step."""
    dynamics = tree.dynamics("recursive", "customary")
    u = dynamics.speeds_from_rates(tree.q, tree.w)
    x = np.concatenate([tree.q, u, dynamics.z])
    back = np.random.default_rng(1).normal(size=len(x))
    rate, z = complex_rate(dynamics), np.append(x, tree.inputs)
    slope, found = on_tape(dynamics, 0.4, x, tree.inputs, back)
    whole = [rate(0.4, *np.split(z + 1e-30j * e, [len(x)])) for e in np.eye(len(z))]
    assert slope == pytest.approx(whole[0].real, abs=1e-10 * (1 + np.abs(slope).max()))
    exact = np.array([back @ column.imag / 1e-30 for column in whole])
    assert found == pytest.approx(exact, abs=1e-9 * (1 + np.abs(exact).max()))


@sweep(40)
@given(trees(most=6))
def test_tapes_of_trees(recipe):
    check_tape(recipe.tree())


@sweep(16)
@given(flexible_trees(most=3))
def test_tapes_of_flexible_trees(recipe):
    check_tape(recipe.tree())


def test_what_happens_in_a_run_is_left_to_forward_sensitivities():
    """An impact, and a corner that moves: the gradient is theirs."""
    e, T = kf.Parameter("e", 0.8), kf.Parameter("T", 0.5)
    ball = kf.System("ball", gravity=(0, 0, -9.81))
    ball.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    ball.contact("floor", kf.Contact("ball", "N", restitution=e))
    run = ball.simulate(1.0, **SHARP)
    with pytest.raises(kf.ModelError, match="something happens in the run"):
        Adjoint(run, run.asked, ["e"], 1e-12)
    t1 = math.sqrt(2 / 9.81)
    assert run.gradient("ball.q", ["e"]) == pytest.approx([9.81 * t1 * (1 - t1)], abs=1e-8)
    cart = kf.System("cart")
    cart.add("cart", kf.PointMass(1.0), kf.Prismatic("x"))
    cart.apply("pulse", kf.JointForce("cart", kf.profiles.signal((0.0, T), (1.0, 0.0), between="steps")))
    run = cart.simulate(1.0, **SHARP)
    with pytest.raises(kf.ModelError, match="corners of profiles move"):
        Adjoint(run, run.asked, ["T"], 1e-12)
    assert run.gradient("cart.q", ["T"]) == pytest.approx([0.5], abs=1e-9)  # T (1 - T) + T^2/2
