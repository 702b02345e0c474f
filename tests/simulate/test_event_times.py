"""Zeros of event functions within one step: many of them, two close together, none; functions that are not numbers."""

import math

import numpy as np
import pytest

import kaneflex as kf

METHODS = ["dopri5", "dop853", "radau5", "sdirk4"]


@pytest.fixture(scope="module")
def cart() -> kf.System:
    """A cart at 1 m/s, q = t: all the integrator sees is smooth and slow, so that a second is a step or two."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    s.add_input("push", kf.JointForce("cart"))
    return s


def fast(t):
    return math.sin(200 * t)


def fast_in_q(t, x):
    return math.sin(200 * x[0])


def times(run):
    return np.array([t for t, _ in run.events])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("function, sees", [(fast, ()), (fast_in_q, ("cart.q",))])
def test_all_zeros_of_a_fast_function_are_found(cart, method, function, sees):
    run = cart.simulate(1.0, method=method, events=[kf.Event(function, sees)])
    assert len(run.events) == 63
    assert np.abs(times(run) - np.arange(1, 64) * math.pi / 200).max() < 1e-9
    assert run.audit.unseen == ()


@pytest.mark.parametrize("direction, first, count", [(1, 2, 31), (-1, 1, 32)])
def test_directions_of_fast_zeros(cart, direction, first, count):
    run = cart.simulate(1.0, events=[kf.Event(fast, direction=direction)])
    exact = (first + 2 * np.arange(count)) * math.pi / 200
    assert times(run) == pytest.approx(exact, abs=1e-9)


def test_steps_that_are_whole_periods_hide_nothing(cart):
    """At every end of a step the function is 1.5 and level."""
    level = lambda t: math.cos(2 * math.pi * 10 * t) + 0.5
    run = cart.simulate(1.0, method="rk4", step=0.1, events=[kf.Event(level)])
    turn = np.arange(10)
    exact = np.sort(np.concatenate([turn + 1 / 3, turn + 2 / 3])) / 10
    assert times(run) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-4, 1e-8, 1e-12])
def test_two_zeros_around_a_minimum(cart, method, depth):
    place, half = 0.4321, math.sqrt(depth)
    dip = lambda t, x: (x[0] - place) ** 2 - depth
    run = cart.simulate(1.0, method=method, events=[kf.Event(dip, ["cart.q"])])
    assert times(run) == pytest.approx([place - half, place + half], abs=2e-9)
    rising = cart.simulate(1.0, method=method, events=[kf.Event(dip, ["cart.q"], direction=1)])
    assert times(rising) == pytest.approx([place + half], abs=2e-9)


@pytest.mark.parametrize("height", [1e-2, 1e-6, 1e-10])
def test_minimum_above_zero_is_no_event(cart, height):
    near = lambda t, x: (x[0] - 0.4321) ** 2 + height
    run = cart.simulate(1.0, events=[kf.Event(near, ["cart.q"])])
    assert run.events == [] and run.audit.unseen == ()


def test_pendulum_passes_its_lowest_point_at_the_period_of_the_elliptic_integral():
    """Following events within steps leaves their times as good as the steps are."""
    from scipy.special import ellipk

    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), q=2.0)
    run = s.simulate(20.0, rtol=1e-11, atol=1e-12, events=[kf.Event(lambda t, x: x[0], ["rod.q"])])
    quarter = ellipk(math.sin(1.0) ** 2) / math.sqrt(9.81)
    found = times(run)
    assert found == pytest.approx(quarter * (2 * np.arange(len(found)) + 1), abs=1e-7) and len(found) == 15


def test_event_that_is_not_a_number_stops_the_run(cart):
    root = kf.Event(lambda t, x: math.sqrt(0.5 - x[0]), ["cart.q"], name="root")
    with pytest.raises(kf.SimulationError, match=r'event "root".*NaN.* at t = 0\.(5|49999)'):
        cart.simulate(1.0, events=[root])


def test_event_that_is_not_a_number_at_the_start(cart):
    with pytest.raises(kf.SimulationError, match=r'event "odd".*NaN.* at t = 0 s'):
        cart.simulate(1.0, events=[kf.Event(lambda t, x: math.sqrt(x[0] - 0.1), ["cart.q"], name="odd")])


def test_what_comes_after_the_stop_need_not_be_a_number(cart):
    """The step goes on beyond the terminal event, to where the other function ends."""
    root = kf.Event(lambda t, x: math.sqrt(0.5 - x[0]) + 1, ["cart.q"])
    stop = kf.Event(lambda t, x: x[0] - 0.4999, ["cart.q"], terminal=True, name="stop")
    run = cart.simulate(1.0, events=[root, stop])
    assert run.events == [(pytest.approx(0.4999, abs=1e-12), "stop")] and run.status == "event"


def test_function_too_fast_to_be_followed_is_told(cart):
    with pytest.warns(UserWarning, match='event "blur" changed too fast to be followed'):
        run = cart.simulate(1.0, events=[kf.Event(lambda t, x: 2 + math.sin(1e12 * x[0]), ["cart.q"], name="blur")])
    assert run.audit.unseen[0][1] == "blur" and "zeros may have been missed" in str(run.audit)


def test_jump_through_zero_of_an_input_is_an_event(cart):
    """The input jumps from -1 to 1 at 0.4 s, between two steps."""
    sign = kf.Sampled(0.2, lambda t, x: -1.0 if t < 0.39 else 1.0, [], "push")
    run = cart.simulate(1.0, controllers=[sign], events=[kf.Event(lambda t, x: x[0], ["push"], name="turn")])
    assert run.events == [(pytest.approx(0.4, abs=1e-12), "turn")]


def test_square_wave_of_time(cart):
    """It jumps at every zero of the sine, the one at the start included."""
    square = lambda t: 1.0 if math.sin(200 * t + 1.0) > 0 else -1.0
    run = cart.simulate(1.0, events=[kf.Event(square)])
    exact = (np.arange(1, 64) * math.pi - 1.0) / 200
    assert times(run) == pytest.approx(exact, abs=1e-12)
