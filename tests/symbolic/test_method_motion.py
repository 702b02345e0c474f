"""Motions of a KanesMethod's system: events, outputs by name, constraints that are kept."""

import numpy as np
import pytest
import sympy as sm
from symbolic.systems import double_pendulum, four_bar, rolling_disk

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import Crossing, KanesMethod

PENDULUM = {"m": 1.0, "l": 1.0, "g": 9.81}
LOOP = {"g": 9.81, "l1": 0.5, "l2": 1.2, "l3": 1.0, "l4": 1.3, "m1": 1.0, "m2": 2.0, "m3": 1.5}


@pytest.fixture(scope="module")
def loop():
    return four_bar().derived(KanesMethod)


def turning(kane, **settings):
    guess = dict(zip([*kane.q, *kane.u], (1.0, 0.3, -1.5, 6.0, 0.0, 0.0), strict=True))
    return kane.simulate(2.0, guess, LOOP, rtol=1e-9, atol=1e-11, **settings)


def energy(kane):
    """Kinetic and potential energy of the three bars."""
    q, u = kane.q, kane.u
    l, m, g = sm.symbols("l1:5"), sm.symbols("m1:4"), sm.Symbol("g")
    total, x, y = 0, 0, 0
    for k in range(3):
        cx, cy = x + l[k] * sm.cos(q[k]) / 2, y + l[k] * sm.sin(q[k]) / 2
        rates = dict(zip([s.diff() for s in q], u, strict=True))
        vx, vy = (c.diff(sm.Symbol("t")).subs(rates) if c != 0 else 0 for c in (cx, cy))
        total += m[k] * (vx**2 + vy**2) / 2 + m[k] * l[k] ** 2 * u[k] ** 2 / 24 + m[k] * g * cy
        x, y = x + l[k] * sm.cos(q[k]), y + l[k] * sm.sin(q[k])
    return total


def test_dependent_coordinates_stay_on_the_loop(loop):
    """Guesses are brought there at the start; energy, an output, is kept."""
    run = turning(loop, outputs={"E": energy(loop)})
    assert run.drift[0] < 1e-13 and run.drift[1] < 1e-12 and run.statistics["projection_failures"] == 0
    assert np.abs(run["E"] - run["E"][0]).max() < 1e-6 * np.abs(run["E"][0])
    gap = 0.5 * np.cos(run["q1"]) + 1.2 * np.cos(run["q2"]) + 1.0 * np.cos(run["q3"]) - 1.3
    assert np.abs(gap).max() < 1e-13
    assert np.array_equal(run["u2"], run.u[:, 1]) and np.array_equal(run[loop.q[0]], run.q[:, 0])


def test_a_loop_that_cannot_close(loop):
    guess = dict(zip([*loop.q, *loop.u], (1.0, 0.3, -1.5, 0.0, 0.0, 0.0), strict=True))
    with pytest.raises(ModelError, match="better guesses"):
        loop.simulate(1.0, guess, LOOP | {"l4": 9.0})


def test_rolling_keeps_its_speeds():
    kane = rolling_disk().derived(KanesMethod)
    start = dict(zip([*kane.q, *kane.u], (0.1, 0.3, 0.0, 0.2, 3.0, 0.5), strict=True))
    run = kane.simulate(1.0, start, {"m": 1.3, "r": 0.4, "g": 9.81})
    assert max(run.drift) < 1e-12


def test_events():
    """Zeros are where the samples between them change sign; a terminal one ends the motion there."""
    kane = double_pendulum().derived(KanesMethod)
    start = dict(zip([*kane.q, *kane.u], (0.5, 0.5, 0.0, 0.0), strict=True))
    both = {"down": kane.q[0], "rising": Crossing(kane.q[0], 1)}
    run = kane.simulate(3.0, start, PENDULUM, events=both, output=0.01)
    sides = np.flatnonzero(np.diff(np.sign(run["q1"])))
    found = [t for t, name in run.events if name == "down"]
    assert len(found) == len(sides) > 1
    assert all(run.t[k] <= t <= run.t[k + 1] for t, k in zip(found, sides, strict=True))
    rising = [t for t, name in run.events if name == "rising"]
    assert np.allclose(rising, [t for t, k in zip(found, sides, strict=True) if run["q1"][k] < 0], atol=1e-9)
    stopped = kane.simulate(3.0, start, PENDULUM, events={"down": Crossing(kane.q[0], 0, terminal=True)}, output=0.01)
    assert stopped.t[-1] == stopped.events[0][0] == pytest.approx(found[0], abs=1e-9)
    assert abs(stopped["q1"][-1]) < 1e-9 and len(stopped.t) == len(stopped.q) and np.all(np.diff(stopped.t) > 0)


def test_refused():
    kane = double_pendulum().derived(KanesMethod)
    start = dict.fromkeys([*kane.q, *kane.u], 0.1)
    with pytest.raises(ModelError, match="direction"):
        Crossing(kane.q[0], 2)
    with pytest.raises(ModelError, match='output "a"'):
        kane.simulate(1.0, start, PENDULUM, outputs={"a": kane.u[0].diff()})
    with pytest.raises(ModelError, match="expression of a Crossing is 'no"):
        kane.simulate(1.0, start, PENDULUM, events={"b": "no + "})
    with pytest.raises(ModelError, match="c have no value"):
        kane.simulate(1.0, start, PENDULUM, outputs={"a": sm.Symbol("c") * kane.q[0]})
    with pytest.raises(ModelError, match="coordinate, speed or output"):
        kane.simulate(0.1, start, PENDULUM)["q9"]
