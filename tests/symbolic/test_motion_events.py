"""Events of one instant in the motion of a KanesMethod's system, and events that are not numbers."""

import pytest
import sympy as sm
from symbolic.systems import double_pendulum

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import Crossing, KanesMethod

PENDULUM = {"m": 1.0, "l": 1.0, "g": 9.81}


@pytest.fixture(scope="module")
def pendulum():
    return double_pendulum().derived(KanesMethod)


def motion(kane, events):
    start = dict.fromkeys([*kane.q, *kane.u], 0.1)
    return kane.simulate(1.0, start, PENDULUM, events=events)


def test_all_events_of_an_instant_are_noted_before_one_stops_the_motion(pendulum):
    t = sm.Symbol("t")
    run = motion(pendulum, {"first": Crossing(t - 0.5, terminal=True), "second": 3 * (t - 0.5), "later": t - 0.7})
    assert run.events == [(0.5, "first"), (0.5, "second")] and run.t[-1] == 0.5


def test_event_that_is_not_a_number(pendulum):
    with pytest.raises(ModelError, match=r'event "root" is not a number.* at t = 0\.(5|49)'):
        motion(pendulum, {"root": sm.sqrt(0.5 - sm.Symbol("t")) + 1})
