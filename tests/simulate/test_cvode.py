"""SUNDIALS' CVODE with what stops it on the way: sampled controllers, samples at the same times, breaks; events refused."""

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


def test_events_and_contacts_are_refused():
    with pytest.raises(kf.ModelError, match=r'"cvode" finds no events.*use dopri5'):
        cart().simulate(1.0, method="cvode", events=[kf.Event(lambda t: t - 0.5)])
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    s.contact("floor", kf.Contact("ball"))
    with pytest.raises(kf.ModelError, match="contacts"):
        s.simulate(1.0, method="cvode")
