"""Liquid that runs between tanks: the turn of a free body, its angular momentum with that of the flow, wrong models."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import kaneflex as kf
from kaneflex.model.parts import Transfer

FINE = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
BODY, J, FUEL, TIME, W = 3000.0, 9000.0, 300.0, 40.0, 0.02
WAY = ((0.0, 0.8, 0.0), (3.0, 0.8, 0.0), (3.0, 0.0, 0.0))  # from (-1, 0) up, over, and down


def craft(pipe=WAY, w=W):
    """A body that turns in the plane; the tanks are at x = -1 and 2."""
    s = kf.System("craft")
    s.add("bus", kf.Rigid(BODY, inertia=(J, J, J)), kf.Planar("z"), q=(0, 0, 0), rates=(0, FUEL * w / (BODY + FUEL), w))
    s.add_part("line", Transfer(FUEL, TIME, pipe, left=1e-6, contents=1e-6), on="bus", at=(-1.0, 0, 0))
    return s


def gone(t):
    return FUEL * (t / TIME - math.sin(2 * math.pi * t / TIME) / (2 * math.pi))


def flow(t):
    return FUEL / TIME * (1 - math.cos(2 * math.pi * t / TIME))


def inertia(t):
    """About the common mass centre."""
    m = np.array([BODY, FUEL - gone(t), gone(t)])
    x = np.array([0.0, -1.0, 2.0])
    return J + m @ x**2 - (m @ x) ** 2 / m.sum()


@pytest.mark.parametrize(("pipe", "area"), [(WAY, -2 * 0.8 * 3.0), (((3.0, 0, 0),), 0.0)])
def test_turn_of_a_free_body(pipe, area):
    """I w + h = H with h = flow times twice the area; none of it for a straight pipe through the mass centre."""
    run = craft(pipe).simulate(TIME, output=TIME / 20, **FINE)
    wanted = np.array([(inertia(0) * W - area * flow(t)) / inertia(t) for t in run.t])
    assert run["bus.angle.rate"] == pytest.approx(wanted, abs=1e-9)
    turn = quad(lambda t: (inertia(0) * W - area * flow(t)) / inertia(t), 0, TIME, epsabs=1e-13)[0]
    assert run["bus.angle"][-1] == pytest.approx(turn, abs=1e-8)


def test_liquid_and_mass_centre():
    """What goes over is there; nothing acts from outside, and the mass centre rests."""
    run = craft().simulate(TIME, output=TIME / 20, **FINE)
    assert run["line_sink.current_mass"] == pytest.approx([gone(t) for t in run.t], abs=1e-5)
    assert run["line_source.current_mass"] + run["line_sink.current_mass"] == pytest.approx(FUEL, abs=1e-5)
    centre = run["mass_centre.position"]
    assert np.abs(centre - centre[0]).max() < 1e-8 and run.audit.ok


def test_a_body_at_rest_moves_against_the_liquid():
    """Without rotation: it goes back by amount times way over all mass, and turns while the flow lasts."""
    run = craft(w=0.0).simulate(TIME, output=TIME / 20, **FINE)
    middle = run["bus.angle.rate"][10]
    assert middle == pytest.approx(2 * 0.8 * 3.0 * flow(TIME / 2) / inertia(TIME / 2), rel=1e-7)
    assert abs(run["bus.angle.rate"][-1]) < 1e-10
    assert run["bus.q"][-1, :2] @ (1, 0) == pytest.approx(run["bus.q"][-1, 0])
    still = craft(((3.0, 0, 0),), w=0.0).simulate(TIME, output=TIME, **FINE)
    assert still["bus.q"][-1, 0] == pytest.approx(-FUEL * 3.0 / (BODY + FUEL), rel=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"amount": -1.0}, "amount of a Transfer is -1: it must be positive"),
        ({"time": 0.0}, "time of a Transfer is 0: it must be positive"),
        ({"pipe": ()}, "ends where it begins"),
        ({"pipe": ((1, 0, 0), (0, 0, 0))}, "ends where it begins"),
        ({"start": -1.0}, "start of a Transfer"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        Transfer(**{"amount": 1.0, "time": 1.0, "pipe": ((1, 0, 0),), **change})
