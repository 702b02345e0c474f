"""The work of prescribed motions: known as well as the energies it is a part of, and no better."""

import math

import pytest

import kaneflex as kf

MU, A = 3.986004418e14, 7e6
N = math.sqrt(MU / A**3)


def satellite(motion) -> kf.System:
    """A satellite on a massless arm that carries it around its orbit, free to librate."""
    s = kf.System("satellite")
    s.add("orbit", kf.Rigid(0.0), kf.Revolute("z", motion=motion))
    s.add("bus", kf.Rigid(100.0, inertia=(100, 30, 120)), kf.Revolute("z"), parent="orbit", at=(A, 0, 0), q=0.5)
    s.apply("earth", kf.CentralGravity(MU))
    return s


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
@pytest.mark.parametrize("tolerance", [1e-8, 1e-10])
def test_satellite_carried_around_its_orbit(method, tolerance):
    """As many steps as a tenth of a libration takes, though the energies are of the order 1e9 J."""
    run = satellite(kf.profiles.constant_rate(N)).simulate(2000.0, method=method, rtol=tolerance, atol=1e-12)
    assert run.statistics["steps"] < 400 and run.audit.ok and run.audit.energy_drift < 1e-12


def test_satellite_brought_up_to_its_orbit():
    """From rest: the drive does all the work, 1/2 m v^2 but for what libration takes."""
    run = satellite(kf.profiles.spin_up(N, 1000.0)).simulate(2000.0, method="dop853")
    assert run.statistics["steps"] < 400 and run.audit.ok
    assert run.audit.applied_work == pytest.approx(50.0 * (N * A) ** 2, rel=1e-6)


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
def test_work_where_nothing_else_is_to_be_found(method):
    """All that moves is prescribed: the steps are those that the work needs. A crank of inertia J from rest to w and back,
    against a torque c q': W = c int q'^2 dt."""
    s = kf.System("crank")
    s.add("crank", kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z", motion=kf.profiles.smooth_step(3.0, 2.0)))
    s.apply("drag", kf.JointSpring("crank", damping=0.7))
    run = s.simulate(2.0, method=method)
    exact = 0.7 * (3.0 / 2.0) ** 2 * 2.0 * 1.5  # mean of (1 - cos)^2 is 3/2
    assert run.audit.applied_work == pytest.approx(exact, rel=1e-7)
    assert run.audit.dissipated_work == pytest.approx(exact, rel=1e-7)
    assert run.audit.energy_drift < 2e-7
