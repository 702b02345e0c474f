"""Ruthless linearisation: products of speeds dropped and the undeformed shape kept, for slow articulation only."""

import numpy as np

import kaneflex as kf
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.gallery import solar_sail
from kaneflex.plan.build import build
from kaneflex.structures import Beam


def craft():
    """A hub, a flexible arm on a hinge, a payload on a ball joint at its tip."""
    s = kf.System("craft", gravity=(0.3, -1.0, 0.2))
    s.add("hub", kf.Rigid(5.0, com=(0.1, 0, 0.2), inertia=(1, 2, 2.5)), kf.Free())
    beam = Beam(length=3.0, EA=1e5, EI=(40.0, 60.0), GJ=30.0, mass_per_length=0.7, elements=6)
    s.add("arm", kf.Flexible(beam, modes=5, damping=0.02), kf.Revolute("z"), "hub", (0.5, 0.2, 0))
    s.add("payload", kf.Rigid(1.0, com=(0.2, 0.1, 0), inertia=(0.1, 0.2, 0.2)), kf.Spherical(), "arm", "tip")
    return s


def test_at_rest_and_undeformed_nothing_is_dropped():
    s = craft()
    state = s.state()
    found = [Dynamics(build(s, f)).udot_at(0.0, state.q, np.zeros(len(state.rates))) for f in ("recursive", "ruthless")]
    assert np.abs(found[0] - found[1]).max() < 1e-12 * np.abs(found[0]).max()


def test_products_of_speeds_are_dropped():
    s = craft()
    d = Dynamics(build(s, "ruthless"))
    state, u = s.state(), np.random.default_rng(3).normal(size=d.plan.nu)
    still = d.udot_at(0.0, state.q, np.zeros(d.plan.nu))
    rates = [d.udot_at(0.0, state.q, x * u) - still for x in (1.0, 2.0)]  # modal damping alone is left, linear in u
    assert np.abs(rates[0]).max() > 0
    assert np.abs(rates[1] - 2 * rates[0]).max() < 1e-10 * np.abs(rates[0]).max()


def test_frequencies_of_the_free_sail():
    """Hub and booms turning against each other: 0.688759 rad/s by the stand-in's frequency equation; all as without it."""
    s = solar_sail.build(dict(solar_sail.DEFAULTS) | {"damping": 0.0})
    exact, ruthless = (np.array([m.frequency for m in s.modes(s.state(), formulation=f)]) for f in ("recursive", "ruthless"))
    assert np.abs(ruthless / 0.688759 - 1).min() < 1e-3
    assert np.abs(ruthless - exact).max() < 1e-6 * exact.max()


def test_error_of_a_slow_turn_falls_with_its_speed():
    beam = Beam(length=8.0, EA=5e6, EI=566.0, mass_per_length=0.2, elements=8)

    def off(time):
        s = kf.System("turn")
        s.add("arm", kf.Flexible(beam, modes=4), kf.Revolute("z", motion=kf.profiles.smooth_step(1.0, time)))
        runs = [s.simulate(time, output=time / 100, formulation=f) for f in ("recursive", "ruthless")]
        exact, ruthless = (run["arm.tip.deflection"][:, 1] for run in runs)
        return np.abs(ruthless - exact).max() / np.abs(exact).max()

    assert off(160.0) < off(80.0) / 3 < off(40.0) / 6
