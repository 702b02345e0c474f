"""Points on planes under forces that change with time, given as a load, an input's function or a block's output."""

import numpy as np
import pytest

import kaneflex as kf

WAYS = ("load", "input", "block")


def stone(direction, rate, way, *, mass=1.0, **contact):
    """A particle on a floor, with gravity 10 m/s^2, under the force rate t along a direction: its run over 2 s."""
    s = kf.System("stone", gravity=(0, 0, -10.0))
    s.add("stone", kf.PointMass(mass), kf.Translational(), q=(0, 0, 0))
    s.contact("floor", kf.Contact("stone", **contact))
    inputs = {}
    if way == "load":
        s.apply("pull", kf.Force("stone", lambda t: (rate * t * direction[0], 0.0, rate * t * direction[1])))
        return s.simulate(2.0, rtol=1e-9, atol=1e-11)
    s.add_input("pull", kf.Force("stone", (direction[0], 0, direction[1])))
    if way == "input":
        inputs = {"pull": lambda t: rate * t}
    else:
        s.add_block("ramp", kf.Block(lambda t, x, z: (rate,), states=1, outputs=lambda t, z: z[0], gives="f", drives="pull"))
    return s.simulate(2.0, inputs=inputs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("contact", [{}, {"friction": 0.5}, {"after": "stick"}], ids=str)
def test_a_growing_lift_takes_a_point_off_its_plane(way, contact):
    """m z'' = k t - m g from t0 = m g/k on, whatever the sign that rounding gives to the force at t0."""
    for rate, mass in ((10.0, 1.0), (11.0, 1.0), (17.3, 2.1), (8.0, 0.7)):
        run = stone((0.0, 1.0), rate, way, mass=mass, **contact)
        t0 = 10.0 * mass / rate
        assert [name for _, name in run.events] == ["floor", "floor lets go"]
        assert run.events[-1][0] == pytest.approx(t0, abs=1e-8)
        assert run["stone.position"][-1, 2] == pytest.approx(rate / mass * (2 - t0) ** 3 / 6, abs=1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_a_growing_pull_lets_a_point_slip(way):
    """m x'' = k t - mu m g from t0 = mu m g/k on."""
    run = stone((1.0, 0.0), 5.0, way, friction=0.4)
    t0 = 0.4 * 10 / 5
    assert run.events[-1] == (pytest.approx(t0, abs=1e-6), "floor slips")
    assert run["stone.position"][-1] == pytest.approx([5.0 * (2 - t0) ** 3 / 6, 0, 0], abs=1e-5)


def test_an_input_that_sees_another_is_evaluated_after_it():
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"))
    s.add_input("signal", kf.JointForce("cart", 0.0))
    s.add_input("motor", kf.JointForce("cart"))
    run = s.simulate(1.0, inputs={"motor": (lambda t, x: 2 * x[0], ["signal"]), "signal": lambda t: t})
    assert np.array_equal(run["motor"], 2 * run["signal"]) and run["cart.q"][-1] == pytest.approx(1 / 3, abs=1e-10)
    with pytest.raises(kf.ModelError, match='algebraic loop: input "motor" sees input "signal" sees input "motor"'):
        both = {"motor": (lambda t, x: x[0], ["signal"]), "signal": (lambda t, x: x[0], ["motor"])}
        s.simulate(1.0, inputs=both)
