"""Derivatives of runs by parameters and initial values against closed forms, through events, impacts and corners."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

import kaneflex as kf

SHARP = {"rtol": 1e-11, "atol": 1e-12}


def complex_step(function, values):
    """Exact derivatives of a closed form."""
    return [
        function(*(v + (1e-30j if i == k else 0) for i, v in enumerate(values))).imag / 1e-30 for k in range(len(values))
    ]


def test_an_oscillator_is_its_closed_form():
    """q(t), dq/dp over time, and the integral of q^2, by mass, damping, stiffness, start and first rate."""
    m, c, k = kf.Parameter("m", 1.3), kf.Parameter("c", 0.2), kf.Parameter("k", 3.0)
    s = kf.System("oscillator")
    s.add("b", kf.PointMass(m), kf.Prismatic("x"), q=0.7, rates=0.1)
    s.apply("spring", kf.JointSpring("b", stiffness=k, damping=c))
    run = s.simulate(4.0, output=0.5, **SHARP)
    found = run.sensitivities(["m", "c", "k", "b.q", "b.rate"])

    def q(m, c, k, q0, v0, t):
        d = c / (2 * m)
        w = np.sqrt(k / m - d * d)
        return np.exp(-d * t) * (q0 * np.cos(w * t) + (v0 + d * q0) / w * np.sin(w * t))

    values = 1.3, 0.2, 3.0, 0.7, 0.1
    exact = np.array([complex_step(lambda *p, t=t: q(*p, t), values) for t in run.t])
    assert found.channel("b.q") == pytest.approx(exact, abs=3e-9)

    def integral(*p):
        nodes, weights = np.polynomial.legendre.leggauss(60)
        return sum(2 * w * q(*p, 2 + 2 * x) ** 2 for x, w in zip(nodes, weights, strict=True))

    slope = run.gradient(kf.Integral(lambda t, x: x[0] ** 2, ["b.q"]), ["m", "c", "k"])
    assert slope == pytest.approx(complex_step(integral, values)[:3], abs=3e-9)
    of_function = run.gradient(lambda r: r["b.q"][-1] ** 3, ["m", "c", "k"])
    assert of_function == pytest.approx(3 * run["b.q"][-1] ** 2 * exact[-1, :3], rel=1e-7)


def test_a_bouncing_ball_has_the_saltation_of_its_closed_form():
    e, g = kf.Parameter("e", 0.8, low=0.0, high=1.0), kf.Parameter("g", 9.81)
    s = kf.System("ball", gravity=(0, 0, -g))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    s.contact("floor", kf.Contact("ball", "N", restitution=e))
    found = s.simulate(1.0, **SHARP).sensitivities(["e", "g", "ball.q"])

    def after(e, g, h):
        t1 = np.sqrt(2 * h / g)
        tau = 1.0 - t1
        return np.array([e * g * t1 * tau - g * tau * tau / 2, e * g * t1 - g * tau])

    values = 0.8, 9.81, 1.0
    for k, channel in enumerate(("ball.q", "ball.rate")):
        exact = complex_step(lambda *p, k=k: after(*p)[k], values)
        assert found.final(channel) == pytest.approx(exact, abs=1e-8)
    assert found.event_time("floor") == pytest.approx(complex_step(lambda e, g, h: np.sqrt(2 * h / g), values), abs=1e-9)


def test_the_time_of_an_event_is_that_of_the_pendulum():
    """A quarter of the period, sqrt(l/g) K(sin(a/2)), by length, gravity and amplitude; at its end the angle stays zero."""
    length, g = kf.Parameter("length", 0.8), kf.Parameter("g", 9.81)
    s = kf.System("pendulum", gravity=(0, 0, -g))
    s.add("bob", kf.PointMass(1.0, com=(0, 0, -length)), kf.Revolute("y"), q=0.5)
    down = kf.Event(lambda t, x: x[0], ["bob.q"], name="down", terminal=True)
    run = s.simulate(5.0, events=[down], **SHARP)

    def quarter(length, g, a):
        return math.sqrt(length / g) * ellipk(math.sin(a / 2) ** 2)

    assert run.t[-1] == pytest.approx(quarter(0.8, 9.81, 0.5), abs=1e-11)
    at, steps = np.array([0.8, 9.81, 0.5]), 1e-5 * np.eye(3)
    exact = [(quarter(*(at + h)) - quarter(*(at - h))) / 2e-5 for h in steps]
    assert run.gradient(kf.EventTime("down"), ["length", "g", "bob.q"]) == pytest.approx(exact, abs=1e-9)
    assert run.gradient("bob.q", ["length", "g", "bob.q"]) == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.thorough
def test_corners_that_move_and_jumps_of_the_users_own():
    """By central differences of runs: a profile whose corners move, and an event whose action halves a rate."""
    T, k = kf.Parameter("T", 1.0), kf.Parameter("k", 3.0)
    s = kf.System("slew")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.bang_bang(1.0, time=T)))
    s.add("arm", kf.Rigid(1.0, com=(1, 0, 0)), kf.Revolute("z"), parent="hub", at=(1, 0, 0))
    s.apply("spring", kf.JointSpring("arm", stiffness=k, damping=0.2))

    def halve(state):
        state["arm.rate"] = state["arm.rate"] * 0.5

    event = kf.Event(lambda t, x: x[0] + 0.05, ["arm.q"], direction=-1, action=halve, name="halved")

    def end(**values):
        return s.simulate(1.5, events=[event], parameters=values, **SHARP)["arm.q"][-1]

    run = s.simulate(1.5, events=[event], **SHARP)
    assert run.events
    exact = [(end(T=1 + h) - end(T=1 - h)) / (2 * h) for h in (1e-4,)] + [
        (end(k=3 + h) - end(k=3 - h)) / (2 * h) for h in (1e-4,)
    ]
    assert run.gradient("arm.q", ["T", "k"]) == pytest.approx(exact, rel=2e-6)


def test_eigenvalues_and_equilibria():
    """l = -c/2m + i sqrt(k/m - (c/2m)^2), and a mass that hangs on a spring at -m g/k."""
    m, c, k = kf.Parameter("m", 1.3), kf.Parameter("c", 0.2), kf.Parameter("k", 3.0)
    s = kf.System("oscillator", gravity=(0, 0, -9.81))
    s.add("b", kf.PointMass(m), kf.Prismatic("z"))
    s.apply("spring", kf.JointSpring("b", stiffness=k, damping=c))
    ((value, change),) = kf.eigenvalue_gradients(s, ["m", "c", "k"], at_equilibrium=True)
    d, w = 0.2 / 2.6, value.imag
    exact = [0.2 / (2 * 1.69), -1 / 2.6, 0.0] + 1j * np.array(
        [(-3 / 1.69 + 2 * d * d / 1.3) / (2 * w), -d / 2.6 / w, 1 / (2.6 * w)]
    )
    assert change == pytest.approx(exact, abs=1e-9)
    state, moved = kf.equilibrium_gradients(s, ["m", "k"])
    assert state.q[0] == pytest.approx(-1.3 * 9.81 / 3, rel=1e-9)
    assert moved[0] == pytest.approx([-9.81 / 3, 1.3 * 9.81 / 9], rel=1e-7)


def test_what_has_no_derivative_is_refused_by_name():
    c = kf.Parameter("c", 0.0)
    s = kf.System("kinds")
    s.add("b", kf.PointMass(1.0), kf.Translational(), q=(1.0, 0.0, 0.0))
    s.apply("spring", kf.SpringDamper("b", "N", stiffness=3.0, damping=c))
    with pytest.raises(kf.ModelError, match='no derivative by "c": beside its value the system is built otherwise'):
        s.simulate(0.1).gradient("b.x", ["c"])
    ball = kf.System("grazing")
    g = kf.Parameter("g", 1.0)
    ball.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=0.0, rates=1.0)
    ball.apply("weight", kf.JointForce("ball", -g))
    below = lambda depth: kf.Event(lambda t, x: x[0] - 0.5 + depth, ["ball.q"], name="top")
    run = ball.simulate(1.5, events=[below(1e-15)], rtol=1e-10, atol=1e-12)
    assert run.events
    with pytest.raises(kf.ModelError, match="the motion grazes there"):
        run.gradient("ball.q", ["g"])
    apart = ball.simulate(1.5, events=[below(0.1)], times=[0.0, 1.5], max_step=0.1, **SHARP)  # no samples between
    assert len(apart.events) == 2 and apart.gradient("ball.q", ["g"]) == pytest.approx([-(1.5**2) / 2], abs=1e-8)
    with pytest.raises(kf.ModelError, match="is not known"):
        run.gradient("ball.q", ["h"])
    falling = ball.simulate(0.1)
    with pytest.raises(kf.ModelError, match="what the cost gives is array"):
        falling.gradient(lambda run: run["ball.q"], ["g"])
    with pytest.raises(kf.ModelError, match="there are none: give one or more"):
        falling.gradient("ball.q", [])


@pytest.mark.thorough
def test_a_fit_finds_what_made_the_data_within_its_intervals(tmp_path):
    """Noise of 1 mm on a run of known values: the errors are those of the noise, and so is the deviation."""
    k, c = kf.Parameter("stiffness", 300.0, low=10.0, unit="N m/rad"), kf.Parameter("damping", 0.5, low=0.0)
    s = kf.System("arm")
    s.add("arm", kf.Rigid(2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2)), kf.Revolute("z"), q=0.1)
    s.apply("joint", kf.JointSpring("arm", stiffness=k, damping=c))
    t = np.linspace(0, 1.0, 80)
    true = s.simulate(1.0, times=t, parameters={"stiffness": 340.0, "damping": 0.8})
    noise = 1e-3 * np.random.default_rng(1).standard_normal(len(t))
    fit = kf.fit(s, {"t": t, "arm.q": true["arm.q"] + noise}, ["stiffness", "damping"])
    for name, value in (("stiffness", 340.0), ("damping", 0.8)):
        low, high = fit.intervals()[name]
        assert low < value < high
        assert high - low < 0.3 * value
    assert fit.sigma["arm.q"] == pytest.approx(1e-3, rel=0.25)
    exact = kf.fit(s, {"t": t, "arm.q": true["arm.q"]}, ["stiffness", "damping"])
    assert exact.values == pytest.approx({"stiffness": 340.0, "damping": 0.8}, rel=1e-6)
    page = fit.report(tmp_path / "fit.html").read_text()
    assert "residual" in page and "stiffness" in page


@pytest.mark.thorough
def test_an_optimum_is_that_of_calculus():
    """The damping at which a released oscillator loses most: the integral of q^2 is least at c = sqrt(k m)."""
    c = kf.Parameter("c", 1.0, low=0.1, high=10.0)
    s = kf.System("oscillator")
    s.add("b", kf.PointMass(1.0), kf.Prismatic("x"), q=1.0)
    s.apply("spring", kf.JointSpring("b", stiffness=4.0, damping=c))
    found = kf.optimize(s, kf.Integral(lambda t, x: x[0] ** 2, ["b.q"]), ["c"], duration=12.0, tolerance=1e-12)
    assert found.values["c"] == pytest.approx(2.0, rel=1e-4)
    held = kf.optimize(
        s, kf.Integral(lambda t, x: x[0] ** 2, ["b.q"]), ["c"], [(lambda r: r["b.rate"].min(), -0.8, None)], duration=12.0
    )
    assert held.run["b.rate"].min() == pytest.approx(-0.8, abs=1e-3)
