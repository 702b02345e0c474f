"""Ctrl-C ends a run as "interrupted", with the numbers that were computed until then, wherever it comes."""

import math
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.kernels.interrupts import Held
from kaneflex.plan.laws import SlowLawWarning


class Spring:
    k = 4.0


spring = Spring()  # a law that looks up an attribute runs in the interpreter


def oscillator(law):
    s = kf.System("oscillator")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"), q=1.0)
    s.apply("k", kf.JointForce("c", law, sees=["c.q"]))
    return s


@pytest.fixture(autouse=True)
def as_on_a_terminal():
    """A process in the background may have been started with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowLawWarning)
        yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("delay", [0.05, 0.053, 0.06, 0.067, 0.071])
def test_a_run_with_a_law_in_the_interpreter_is_interrupted(delay, capfd):
    """The signal comes while compiled code runs as well as while Python does."""
    threads = []

    def law(t, x):
        if t > 1.0 and not threads:
            threads.append(threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)))
            threads[0].start()
        return -spring.k * x[0]

    run = oscillator(law).simulate(1e5, output=0.5, rtol=1e-9, atol=1e-11)
    threads[0].join()
    assert run.status == "interrupted" and 1.0 < run.t[-1] < 1e5
    assert "Exception ignored" not in capfd.readouterr().err
    assert np.abs(run["c.q"] - np.cos(2.0 * run.t)).max() < 1e-8 * max(10.0, run.t[-1])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_in_the_midst_of_a_law_ends_the_run_after_its_step():
    calls = []

    def law(t, x):
        calls.append(t)
        if len(calls) == 400:
            signal.raise_signal(signal.SIGINT)
        return -spring.k * x[0]

    run = oscillator(law).simulate(1e5, rtol=1e-9, atol=1e-11, output=0.25)
    assert run.status == "interrupted"
    assert len(calls) < 420  # and not at the end of a bite of thousands of steps
    assert np.abs(run["c.q"] - np.cos(2.0 * run.t)).max() < 1e-7
    assert math.isclose(run.t[-1], calls[399], abs_tol=1.0)


def test_a_second_interrupt_ends_a_law_that_does_not_come_back():
    calls = []

    def law(t, x):
        calls.append(t)
        if len(calls) == 400:
            signal.raise_signal(signal.SIGINT)
            for _ in range(10_000):
                signal.raise_signal(signal.SIGINT)
            raise AssertionError("it was not interrupted")
        return -spring.k * x[0]

    run = oscillator(law).simulate(1e5, rtol=1e-9, atol=1e-11, output=0.25)
    assert run.status == "interrupted"
    assert np.abs(run["c.q"] - np.cos(2.0 * run.t)).max() < 1e-7


def test_an_interrupted_run_goes_on_as_if_nothing_had_been():
    calls = []

    def law(t, x):
        calls.append(t)
        if len(calls) == 100:
            signal.raise_signal(signal.SIGINT)
        return -spring.k * x[0]

    s = oscillator(law)
    first = s.simulate(20.0, output=0.25)
    assert first.status == "interrupted"
    rest = first.extend(20.0 - first.t[-1])
    assert rest.status == "done"
    assert abs(rest["c.q"][-1] - math.cos(40.0)) < 1e-5


def test_dynamics_raises_an_interrupt_and_returns_no_numbers():
    armed = []

    def law(t, x):
        if armed:
            armed.clear()
            signal.raise_signal(signal.SIGINT)
        return -spring.k * x[0]

    d = oscillator(law).dynamics()
    q, u, tau, out = np.array([1.0]), np.array([0.0]), np.zeros(1), np.zeros(1)
    bound = d.bind(q, u, tau, out)
    for evaluate in (lambda: d.udot_at(0.0, q, u), lambda: d.udot(q, u), bound, lambda: d.inverse_dynamics(q, u, u)):
        armed.append(1)
        with pytest.raises(KeyboardInterrupt):
            evaluate()
    assert d.udot_at(0.0, q, u) == [-4.0]


def test_an_interrupt_is_held_back_once():
    hurried = []
    with pytest.raises(KeyboardInterrupt), Held(lambda: hurried.append(1)):
        signal.raise_signal(signal.SIGINT)
        assert hurried == [1]
    with pytest.raises(KeyboardInterrupt), Held() as held:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert held.count == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_no_handler_is_touched_outside_of_the_main_thread():
    found = []

    def work():
        with Held():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
