"""Slip that begins: its direction, its motion, and what it costs."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import kaneflex as kf

G, MU = 9.81, 0.3


def load(t):
    """A force along the plane that grows and turns, N."""
    return np.array([1.0 + 4.0 * t, 3.0 * t * t])


def block() -> kf.System:
    s = kf.System("block", gravity=(0, 0, -G))
    s.add("block", kf.PointMass(1.0), kf.Translational())
    s.apply("push", kf.Force("block", lambda t: (1.0 + 4.0 * t, 3.0 * t * t, 0.0)))
    s.contact("floor", kf.Contact("block", friction=MU))
    return s


def by_smooth_friction(start: float, end: float) -> np.ndarray:
    """Position and velocity when friction is smoothed where slip is below 1e-9 m/s."""

    def rate(t, y):
        return [*y[2:], *(load(t) - MU * G * y[2:] / np.sqrt(y[2:] @ y[2:] + 1e-18))]

    return solve_ivp(rate, (start, end), np.zeros(4), "Radau", rtol=1e-10, atol=1e-14).y[:, -1]


def test_a_block_pushed_by_a_force_that_turns():
    t0 = brentq(lambda t: np.hypot(*load(t)) - MU * G, 0, 2, xtol=1e-14)
    run = block().simulate(1.2, rtol=1e-10, atol=1e-12)
    t, word = run.events[-1]
    assert word == "floor slips" and t == pytest.approx(t0, abs=1e-9)
    exact = by_smooth_friction(t0, 1.2)
    assert run["block.position"][-1, :2] == pytest.approx(exact[:2], abs=1e-7)
    assert run["block.velocity"][-1, :2] == pytest.approx(exact[2:], abs=1e-6)
    force = run.loads("floor").force
    slides = run.t > t0 + 1e-3
    v = run["block.velocity"][slides, :2]
    assert np.hypot(force[slides, 0], force[slides, 1]) == pytest.approx(MU * G, rel=1e-9)
    along = -MU * G * v / np.linalg.norm(v, axis=1)[:, None]
    assert force[slides, :2] == pytest.approx(along, abs=1e-4) and run.audit.ok


def rough_landing() -> kf.System:
    """A body that lands on a point far from its mass centre, rests there a moment, and slips."""
    s = kf.System("landing", gravity=(1.0, 0.5, -G))
    body = kf.Rigid(1.0, inertia=(0.1, 0.12, 0.15), frames={"foot": (0.0652, 0.6354, -0.3336)})
    turn = np.array([-0.256, 0.7632, -0.3174, 0.50125])
    rates = (-0.782, -0.257, 0.008, -0.551, 2.588, 2.013)
    s.add("body", body, kf.Free(), q=(0, 0, 1, *(turn / np.linalg.norm(turn))), rates=rates)
    s.contact("floor", kf.Contact("body.foot", friction=0.77))
    return s


@pytest.mark.parametrize("make", [block, rough_landing])
def test_the_onset_costs_as_much_as_a_smooth_motion(make):
    """Steps of a method of order 5 grow by a factor of about 10^(1/5) for ten times the accuracy."""
    steps, places, time = [], [], 1.2 if make is block else 0.45
    body = "block" if make is block else "body"
    for rtol in (1e-7, 1e-9, 1e-11):
        run = make().simulate(time, rtol=rtol, atol=rtol / 100, output=time)
        assert run.events[-1][1] == "floor slips"
        steps.append(sum(segment.statistics["steps"] for segment in (*run.segments, run.last)))
        places.append(run[f"{body}.position"][-1])
    assert steps[0] < 200 and steps[1] < 3 * steps[0] and steps[2] < 3 * steps[1]
    assert places[0] == pytest.approx(places[2], abs=1e-6) and places[1] == pytest.approx(places[2], abs=1e-8)


@pytest.mark.parametrize("direction", [0.0, 0.7, 2.0])
def test_slip_from_rest_goes_where_friction_leaves_an_acceleration(direction):
    """An arm whose end meets different masses along x and y, m_x and m_y: with the slip along s it is accelerated along s,
    so that F - mu N s = a (m_x s_x, m_y s_y)."""
    mx, my, F = 4.0, 1.0, 6.0
    s = kf.System("arm", gravity=(0, 0, -G))
    s.add("rail", kf.Rigid(mx - my), kf.Prismatic("x"))
    s.add("end", kf.PointMass(my), kf.Prismatic("y"), parent="rail")
    s.add("weight", kf.PointMass(1e-9), kf.Prismatic("z"), parent="end")
    s.contact("floor", kf.Contact("weight", friction=MU))
    push = (F * math.cos(direction), F * math.sin(direction), -10.0)
    s.apply("push", kf.Force("weight", push))
    run = s.simulate(0.01)
    N = 10.0 + 1e-9 * G
    v = run["weight.velocity"][-1, :2]
    slip = v / np.hypot(*v)
    a = (np.array(push[:2]) - MU * N * slip) / (mx, my)
    assert a @ (-slip[1], slip[0]) == pytest.approx(0, abs=1e-6 * F) and a @ slip > 0
    assert v == pytest.approx(a * 0.01, rel=1e-5, abs=1e-9)
