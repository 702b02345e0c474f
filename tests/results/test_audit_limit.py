"""What an audit lets pass: no more than a hundredth, however loose the tolerance."""

import pytest

import kaneflex as kf


@pytest.fixture(scope="module")
def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"), q=1.0, rates=2.5)
    return s


@pytest.mark.parametrize("tolerance", [1.0, 0.3])
def test_run_that_makes_energy_fails(pendulum, tolerance):
    run = pendulum.simulate(100.0, rtol=tolerance, atol=tolerance)
    assert run.audit.energy_drift > 0.01 and run.audit.limit == 0.01
    assert not run.audit.ok and "FAILED" in str(run.audit)


@pytest.mark.parametrize("rtol, limit", [(1e-13, 1e-9), (1e-8, 1e-5), (1e-5, 1e-2), (1e-4, 1e-2)])
def test_limit_goes_with_the_tolerance(pendulum, rtol, limit):
    audit = pendulum.simulate(1.0, rtol=rtol, atol=rtol / 100).audit
    assert audit.limit == pytest.approx(limit) and audit.ok


def test_from_rest_to_rest_in_two_samples():
    """Nothing moves at either sample but by rounding, which is no momentum that appears."""
    s = kf.System("slew")
    s.add("bus", kf.Rigid(100.0, inertia=(50.0, 60.0, 70.0)), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("wheel", kf.parts.ReactionWheel((1, 2, 2), 0.1), on="bus", at=(0.3, 0, 0))
    push = kf.profiles.signal([0, 1, 2, 3], [0.05, -0.05, 0.0, 0.0], between="steps")
    run = s.simulate(3.0, output=3.0, inputs={"wheel": push}, rtol=1e-10, atol=1e-13)
    assert abs(run["momentum.central"]).max() < 1e-12 and run.audit.angular_momentum_drift < 1e-9
