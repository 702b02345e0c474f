"""Tension in the exit at releases, and what drives of reels do to momentum and energy."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import kaneflex as kf

DOWN = kf.Frame((0, 0, 0), (("y", np.pi / 2),))
PER_LENGTH, LOAD = 0.8, 5.0  # kg/m, kg


def jumps_of_a_rope_that_swings(n):
    """Jumps of the exit tension, N, of a rope with a load that is paid out at 1 m/s over a sheave: from lines through two
    samples on either side of each release. And the largest tension."""
    s = kf.System("hoist", gravity=(0, 0, -9.81))
    s.add("sheave", kf.Rigid(1.0, inertia=(1e-4, 1e-4, 1e-4)), kf.Revolute("y"), q=-0.2)
    s.add_rod("rope", kf.Cable(12.0, PER_LENGTH, n=n, plane="xz"), parent="sheave", at=DOWN)
    s.add("load", kf.Rigid(LOAD), kf.Fixed(), parent="rope", at="tip")
    s.add_feed("winch", "rope", reel=kf.Reel(), rate=1.0, initial=3.1)
    moments = [x - 3.1 for x in s.blocks["winch"].releases if 3.3 < x < 5.1]
    times = np.concatenate([t + 1e-5 * np.array((-2, -1, 1, 2)) for t in moments])
    run = s.simulate(2.1, method="dopri5", rtol=1e-9, atol=1e-11, times=times)
    outside, tension = run["winch.outside"].reshape(-1, 4), run["winch.tension"].reshape(-1, 4)
    assert (outside[:, 2] - outside[:, 1] == 1).all()
    return (2 * tension[:, 2] - tension[:, 3]) - (2 * tension[:, 1] - tension[:, 0]), tension.max()


def test_jump_of_the_tension_is_of_the_order_of_the_rod_length():
    """Shown by halving it twice."""
    found = [jumps_of_a_rope_that_swings(n) for n in (12, 24, 48)]
    sizes = [np.abs(jumps).max() / most for jumps, most in found]
    assert sizes[0] < 2e-3
    assert sizes[1] < 0.6 * sizes[0]
    assert sizes[2] < 0.7 * sizes[1]


def jumps_of_a_bent_boom(n):
    """Jumps of the exit tension, N, of a boom that runs off a braked drum on a free hub, which turns and bends it: as above,
    at instants that a first run finds. And the largest tension."""
    s = kf.System("boom")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Free(), rates=(0, 0, 0.3, 0, 0, 0))
    rod = kf.Rod(4.0, 0.5, EI=60.0, n=n, plane="xy", damping=2e-3)
    s.add_rod("boom", rod, parent="hub", at=kf.Frame((0.3, 0, 0)))
    s.add_feed("reel", "boom", reel=kf.Reel(0.2, 0.05), torque=-0.05, initial=1.1)
    how = {"initial": {"boom_1.slide.rate": 0.5, "reel_store.angle.rate": 2.5}, "method": "dopri5", "rtol": 1e-8}
    first = s.simulate(1.2, output=0.01, **how)
    passed = CubicSpline(first["reel.length"], first.t)
    moments = [float(passed(x)) for x in s.blocks["reel"].releases if 1.2 < x < first["reel.length"][-1] - 0.01]
    times = np.concatenate([t + 1e-6 * np.array((-2, -1, 1, 2)) for t in moments])
    run = s.simulate(1.2, times=times, **how)
    outside, tension = run["reel.outside"].reshape(-1, 4), run["reel.tension"].reshape(-1, 4)
    assert (outside[:, 2] - outside[:, 1] == 1).all()
    return (2 * tension[:, 2] - tension[:, 3]) - (2 * tension[:, 1] - tension[:, 0]), tension.max()


@pytest.mark.parametrize("n", [8, 16])
def test_tension_of_a_bent_boom_on_a_drum_does_not_jump(n):
    """A joint begins with the moment that held it, with the masses that it has then: of those before, when its segment was a
    part of what is in the exit, that would leave 5e-4 of the tension."""
    jumps, most = jumps_of_a_bent_boom(n)
    assert np.abs(jumps).max() < 1e-6 * most


def test_torque_on_a_drum_lets_a_rope_out_without_a_jump():
    """Straight down: (J/r^2 + c L + m) l'' = (m + c l) g + M/r, with the tension (m + c l) (g - l'')."""
    r, J, M, total = 0.2, 0.05, -8.0, 6.0
    s = kf.System("winch", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(total, PER_LENGTH, n=24, plane="xz"), at=DOWN)
    s.add("load", kf.Rigid(LOAD), kf.Fixed(), parent="rope", at="tip")
    s.add_feed("winch", "rope", reel=kf.Reel(r, J), torque=M, initial=1.0)
    run = s.simulate(1.2, rtol=1e-10, atol=1e-12, output=0.002)
    heavy = LOAD + PER_LENGTH * run["winch.length"]
    push = (heavy * 9.81 + M / r) / (J / r**2 + PER_LENGTH * total + LOAD)
    closed = heavy * (9.81 - push)
    assert np.ptp(run["winch.outside"]) >= 5
    assert np.abs(run["winch.tension"] - closed).max() < 1e-8 * closed.max()


DRIVES = {
    "tension": {"tension": lambda t, x: 0.03 + 0.02 * x[0], "sees": ("reel.length",), "reel": kf.Reel()},
    "torque": {"torque": -0.05, "reel": kf.Reel(0.2, 0.05)},
    "rate": {"rate": 0.5, "reel": kf.Reel()},
}


@pytest.mark.parametrize("drive", DRIVES)
def test_momentum_is_kept_and_power_of_the_feed_is_the_rate_of_energy(drive):
    """A boom that bends out of a free hub. Without a radius the energy of what turns in the reel does not count: what
    leaves brings m' l'^2/2 per length with it."""
    s = kf.System("hub")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Free(), rates=(0.1, 0.05, 0.3, 0.1, 0, 0))
    rod = kf.Rod(4.0, 0.5, EI=60.0, n=8, plane="xy", damping=2e-3)
    s.add_rod("boom", rod, parent="hub", at=kf.Frame((0.3, 0, 0.1)))
    s.add_feed("reel", "boom", initial=1.0, **DRIVES[drive])
    start = {} if drive == "rate" else {"boom_1.slide.rate": 0.5}
    if drive == "torque":
        start["reel_store.angle.rate"] = 0.5 / 0.2
    run = s.simulate(2.5, initial=start, rtol=1e-9, atol=1e-11, method="dop853", output=0.002)
    assert np.ptp(run["reel.outside"]) >= 1
    for name in ("momentum.linear", "momentum.angular"):
        assert np.ptp(run[name], axis=0).max() < 1e-10 * np.linalg.norm(run[name][0])
    assert run.audit.energy_drift < 1e-7
    rate, length = run["reel.rate"], run["reel.length"]
    power = {
        "tension": lambda: -(0.03 + 0.02 * length) * rate + 0.5 * rate**3 / 2,
        "torque": lambda: -0.05 * run["reel_store.angle.rate"],
        "rate": lambda: run["boom_1.power"] + 0.5 * rate**3 / 2,
    }[drive]() + run["boom.dissipation"]
    work = np.concatenate([[0.0], np.cumsum(np.diff(run.t) * (power[1:] + power[:-1]) / 2)])
    gained = run["energy.total"] - run["energy.total"][0]
    assert np.abs(work - gained).max() < 1e-3 * np.abs(gained).max()  # of the rule of trapezoids
