"""SUNDIALS' CVODE with what stops it on the way: controllers, breaks, events, contacts, constraints; and what it took."""

import math

import numpy as np
import pytest

import kaneflex as kf

pytest.importorskip("sksundae")


def cart() -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=1.0)
    s.add_input("motor", kf.JointForce("cart"))
    return s


@pytest.mark.parametrize("period", [0.1, 0.3])
@pytest.mark.parametrize("output", [None, 0.1, 0.3])
def test_sampled_controller_is_the_discrete_closed_form(period, output):
    """A double integrator with a held input: x(k+1) = x + T v + T^2/2 a, v(k+1) = v + T a exactly."""
    law = kf.Sampled(period, lambda t, x: -4 * x[0] - 5 * x[1], ["cart.q", "cart.rate"], "motor")
    run = cart().simulate(3.0, method="cvode", output=output, controllers=[law])
    x, v = 1.0, 0.0
    for _ in range(round(3.0 / period)):
        a = (-4 * x - 5 * v) / 2
        x, v = x + period * v + period * period / 2 * a, v + period * a
    assert run["cart.q"][-1] == pytest.approx(x, abs=1e-6) and np.isfinite(run["cart.q"]).all()


def test_short_pulse_is_not_stepped_over():
    pulse = kf.profiles.versine(200.0, 1e-3, start=5.0)
    run = cart().simulate(10.0, method="cvode", inputs={"motor": pulse})
    assert run["cart.rate"][-1] == pytest.approx(0.05, rel=1e-5)


def test_longest_step_is_kept():
    run, short = (cart().simulate(10.0, method="cvode", times=[10.0], max_step=longest) for longest in (math.inf, 1e-2))
    assert run.statistics["evaluations"] < 200 and short.statistics["evaluations"] >= 1000


def ball(restitution: float = 0.8) -> kf.System:
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    s.contact("floor", kf.Contact("ball", restitution=restitution))
    return s


def four_bar(motion=None) -> kf.System:
    s = kf.System("four-bar", gravity=(0, 0, -9.81))
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(1e-3, 1 / 12, 1 / 12), frames={"tip": (1.0, 0, 0)})
    s.add("crank", bar, kf.Revolute("y", motion=motion), q=None if motion else 1.2)
    s.add("coupler", bar, kf.Revolute("y"), "crank", "tip", q=-1.2)
    s.add("rocker", bar, kf.Revolute("y"), "coupler", "tip", q=1.2 - math.pi)
    s.close("pin", "rocker.tip", (1.0, 0.0, 0.0), kf.Revolute("y"))
    return s


def test_events_of_an_oscillator():
    """x = cos 2t: zeros where they are, samples between steps, one action at each."""
    s = cart()
    s.apply("spring", kf.JointSpring("cart", 8.0))
    seen = []
    zero = kf.Event(lambda t, x: x[0], ["cart.q"], name="zero", action=lambda state: seen.append(state.t))
    run = s.simulate(10.0, method="cvode", rtol=1e-9, atol=1e-11, events=[zero])
    exact = (2 * np.arange(6) + 1) * math.pi / 4
    assert [t for t, _ in run.events] == pytest.approx(exact, abs=1e-6) and len(seen) == 6
    assert np.abs(run["cart.q"] - np.cos(2 * run.t)).max() < 1e-6


def test_events_that_change_nothing_cost_nothing():
    """CVODE goes on within the step in which one happened, at the order that it has."""
    s = cart()
    s.apply("spring", kf.JointSpring("cart", 8.0))
    zero = kf.Event(lambda t, x: x[0], ["cart.q"], name="zero")
    options = {"method": "cvode", "rtol": 1e-7, "atol": 1e-9, "output": 1.0}
    without, run = s.simulate(30.0, **options), s.simulate(30.0, events=[zero], **options)
    exact = (2 * np.arange(19) + 1) * math.pi / 4
    assert [t for t, _ in run.events] == pytest.approx(exact, abs=1e-4)
    assert run.statistics["evaluations"] < 1.02 * without.statistics["evaluations"]
    assert np.abs(run["cart.q"] - without["cart.q"]).max() < 1e-6


def test_errors_are_those_of_cvode_alone():
    """Van der Pol's law, mu = 2: what local errors add up to is CVODE's own affair."""
    from sksundae.cvode import CVODE

    def rate(t, y, ydot):
        ydot[0], ydot[1] = y[1], 2 * (1 - y[0] ** 2) * y[1] - y[0]

    s = kf.System("van der Pol")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=2.0)
    s.apply("motor", kf.JointForce("cart", lambda t, x: 2 * (1 - x[0] ** 2) * x[1] - x[0], sees=["cart.q", "cart.rate"]))
    times = np.linspace(0, 6, 25)
    exact = s.simulate(6.0, method="dop853", rtol=1e-13, atol=1e-14, times=times)["cart.q"]
    for tolerance in (1e-5, 1e-7, 1e-9):
        alone = CVODE(rate, rtol=tolerance, atol=tolerance).solve(times, np.array([2.0, 0.0])).y[:, 0]
        own = s.simulate(6.0, method="cvode", rtol=tolerance, atol=tolerance, times=times)["cart.q"]
        assert np.abs(own - exact).max() < 2 * np.abs(alone - exact).max()


def test_projection_does_not_start_cvode_afresh(monkeypatch):
    """Over 20 s of a four-bar the drift off the constraints stays far below what would."""
    from kaneflex.simulate.methods.cvode import Cvode

    begun = []
    begin = Cvode._begin
    monkeypatch.setattr(Cvode, "_begin", lambda self, *place: (begun.append(place[0]), begin(self, *place))[1])
    run = four_bar().simulate(20.0, method="cvode", rtol=1e-6, atol=1e-8)
    assert begun == [0.0] and run.statistics["steps"] > 300
    assert run.audit.position_violation < 1e-9


def test_bounces_are_those_of_the_closed_form():
    run = ball().simulate(2.0, method="cvode", rtol=1e-10, atol=1e-12)
    fall, e = math.sqrt(2 / 9.81), 0.8
    exact = [fall * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(len(run.impacts))]
    assert len(exact) >= 3 and [hit.t for hit in run.impacts] == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("method", ["cvode", "radau5"])
@pytest.mark.parametrize("motion", [None, kf.profiles.cosine(1.2, 3.0)], ids=["free", "driven"])
def test_a_closed_loop_stays_closed(motion, method):
    run = four_bar(motion).simulate(3.0, method=method, rtol=1e-9, atol=1e-11)
    exact = four_bar(motion).simulate(3.0, method="dop853", rtol=1e-12, atol=1e-13)
    assert np.abs(run.q - exact.q).max() < 2e-6
    assert run.audit.position_violation < 1e-9 and run.statistics["projection_failures"] == 0
    assert run.statistics["steps"] < 1500  # cvode does not start afresh after every step


@pytest.mark.filterwarnings("ignore:.*Python interpreter")
@pytest.mark.parametrize("method", ["cvode", "radau5"])
def test_what_it_took_is_told(method):
    """Every evaluation calls the law once, and steps are the method's own, many fewer than samples."""
    calls = []

    def pull(t, x):
        calls.append(t)
        return -50.0 * x[0] - 0.1 * x[1]

    s = cart()
    s.apply("pull", kf.JointForce("cart", pull, sees=["cart.q", "cart.rate"]))
    s.simulate(1e-3, method=method, times=[1e-3])
    calls.clear()
    found = s.simulate(2.0, method=method, output=1e-3).statistics
    assert 50 < found["steps"] < 1500 and 0 < found["jacobians"] < found["steps"] / 5
    assert found["evaluations"] <= len(calls) <= found["evaluations"] + 5  # the start is looked at as well


def test_a_run_goes_on_to_the_tolerance(tmp_path):
    """CVODE's past cannot be stored: it starts afresh, from the same state."""
    s = four_bar()
    whole = s.simulate(2.0, method="cvode", rtol=1e-9, atol=1e-11)
    half = s.simulate(1.0, method="cvode", rtol=1e-9, atol=1e-11)
    for run in (half, kf.Run.load(half.save(tmp_path / "run.h5"))):
        on = run.extend(1.0)
        assert on.t[0] == 1.0 and np.array_equal(on.q[0], half.q[-1])
        assert np.abs(on.q[-1] - whole.q[-1]).max() < 1e-6
