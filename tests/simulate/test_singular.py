"""Through singular positions: four-bar linkages that fold flat, whose motion is known, with every formulation and method."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import kaneflex as kf

WAYS = [(f, s) for f in ("recursive", "dense", "embedded") for s in ("customary", "efficient")]


def rod(length, density=1.0):
    """A slender rod along x."""
    mass, inertia = density * length, density * length**3 / 12
    return kf.Rigid(mass, com=(length / 2, 0, 0), inertia=(0, inertia, inertia), frames={"tip": (length, 0, 0)})


def windows(count, stretch=0.0):
    """Parallelograms of rods of 1 m side by side, falling from upright; the last top is longer by `stretch` (m)."""
    s = kf.System("windows", gravity=(0, -9.81, 0))
    for i in range(count + 1):
        s.add(f"side{i}", rod(1.0), kf.Revolute("z"), at=(i, 0, 0), q=np.pi / 2, rates=-1.0)
    for i in range(count):
        length = 1.0 + (stretch if i == count - 1 else 0.0)
        s.add(f"top{i}", rod(length), kf.Revolute("z"), parent=f"side{i}", at="tip", q=-np.pi / 2, rates=1.0)
        s.close(f"pin{i}", f"top{i}.tip", f"side{i + 1}.tip", kf.Revolute("z"))
    return s


def pendulum(count, duration):
    """Angle of the sides at the end: a physical pendulum, the tops moving on circles without turning."""
    pull = 9.81 * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    found = solve_ivp(
        lambda t, y: [y[1], -pull * np.cos(y[0])], (0, duration), [np.pi / 2, -1.0], "DOP853", rtol=3e-14, atol=1e-14
    )
    return found.y[0, -1]


def error(count, duration, rtol, way, method):
    run = windows(count).simulate(
        duration, rtol=rtol, atol=rtol / 100, method=method, formulation=way[0], speeds=way[1], output=duration / 20
    )
    assert run.audit.ok, run.audit
    return abs(run["side0.q"][-1] - pendulum(count, duration))


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_errors_fall_with_the_tolerance(way):
    """Two windows fold flat three times in three seconds."""
    assert error(2, 3.0, 1e-8, way, "dopri5") < 1e-6
    assert error(2, 3.0, 1e-10, way, "dopri5") < 1e-8
    assert error(2, 3.0, 1e-10, way, "dop853") < 1e-8


@pytest.mark.parametrize("method", ["radau5", "sdirk4"])
@pytest.mark.parametrize("way", WAYS[::3], ids="-".join)
def test_an_implicit_method_goes_through_as_well(way, method):
    assert error(1, 3.0, 1e-8, way, method) < 1e-5


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_ten_seconds_through_ten_singular_positions(way, count, method):
    for rtol in (1e-8, 1e-10) if method != "sdirk4" else (1e-8,):
        assert error(count, 10.0, rtol, way, method) < 4000 * rtol


# -- a linkage whose branches are curved ---------------------------------------------------------------------------------

CRANK, COUPLER, ROCKER, GROUND = 1.0, 2.0, 3.0, 2.0  # m; shortest and longest are as long as the other two: it folds flat


def folded(crank):
    """Angles of coupler and rocker on the branch that is smooth through crank = 0, where the linkage is flat.

    The crank's tip is at d^2 = 1 + 8 sin^2(crank/2) from the rocker's pivot; the rocker's tip is h to the side of that line,
    with h^2 = (d^2 - 1)(25 - d^2)/(4 d^2).
    """
    tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
    d = np.sqrt(1 + 8 * np.sin(crank / 2) ** 2)
    along = (np.array([GROUND, 0.0]) - tip) / d
    a, h = (d * d - 5) / (2 * d), np.sqrt(2 * (25 - d * d)) / d * np.sin(crank / 2)
    p = tip + a * along + h * np.array([-along[1], along[0]])
    return np.arctan2(p[1] - tip[1], p[0] - tip[0]), np.arctan2(p[1], p[0] - GROUND)


def influence(crank):
    """Rates of coupler and rocker by that of the crank, and twice the kinetic energy and the potential energy for rate 1."""
    b, c = folded(crank)
    M = np.array([[-COUPLER * np.sin(b), ROCKER * np.sin(c)], [COUPLER * np.cos(b), -ROCKER * np.cos(c)]])
    rb, rc = np.linalg.solve(M, CRANK * np.array([np.sin(crank), -np.cos(crank)]))
    v = CRANK * np.array([-np.sin(crank), np.cos(crank)]) + COUPLER / 2 * rb * np.array([-np.sin(b), np.cos(b)])
    inertia = CRANK**3 / 3 + COUPLER * v @ v + COUPLER**3 / 12 * rb**2 + ROCKER**3 / 3 * rc**2
    height = CRANK**2 / 2 * np.sin(crank) + COUPLER * (CRANK * np.sin(crank) + COUPLER / 2 * np.sin(b))
    return rb, rc, inertia, 9.81 * (height + ROCKER**2 / 2 * np.sin(c))


def change_point(crank=1.0, rate=-6.0):
    b, c = folded(crank)
    rb, rc, _, _ = influence(crank)
    s = kf.System("change point", gravity=(0, -9.81, 0))
    s.add("crank", rod(CRANK), kf.Revolute("z"), q=crank, rates=rate)
    s.add("coupler", rod(COUPLER), kf.Revolute("z"), parent="crank", at="tip", q=b - crank, rates=rate * (rb - 1))
    s.add("rocker", rod(ROCKER), kf.Revolute("z"), at=(GROUND, 0, 0), q=c, rates=rate * rc)
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    return s


def crank_at(duration, crank=1.0, rate=-6.0):
    """Angle of the crank after some time, by Gauss's quadrature of dt = d angle / rate with the rate from the energy."""
    _, _, inertia, height = influence(crank)
    energy, (x, w) = inertia * rate**2 / 2 + height, np.polynomial.legendre.leggauss(16)

    def time(end):
        total, places = 0.0, np.linspace(crank, end, int(abs(end - crank) / 0.2) + 2)
        for a, b in itertools.pairwise(places):
            for xi, wi in zip(x, w, strict=True):
                _, _, inertia, height = influence((a + b) / 2 + (a - b) / 2 * xi)
                total += (a - b) / 2 * wi * np.sqrt(inertia / (2 * (energy - height)))
        return total

    return brentq(lambda end: time(end) - duration, crank - 12.0, crank - 0.1, xtol=1e-13)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[3], WAYS[4]], ids="-".join)
def test_a_linkage_with_curved_branches(way):
    """Flat at 0.46 s and 1.18 s."""
    exact = crank_at(1.5)
    for method, rtol, most in (("dopri5", 1e-8, 1e-6), ("dopri5", 1e-10, 3e-8), ("dop853", 1e-10, 1e-8)):
        run = change_point().simulate(
            1.5, rtol=rtol, atol=rtol / 100, method=method, formulation=way[0], speeds=way[1], output=0.1
        )
        assert abs(run["crank.q"][-1] - exact) < most and run.audit.ok, (method, rtol)


def test_a_crank_that_is_driven_through_them():
    """The rocker follows the closed form when the crank's rate is given."""
    b, c = folded(1.0)
    s = kf.System("driven", gravity=(0, -9.81, 0))
    s.add("crank", rod(CRANK), kf.Revolute("z", motion=lambda t: 1.0 - 3.0 * t))
    s.add("coupler", rod(COUPLER), kf.Revolute("z"), parent="crank", at="tip", q=b - 1.0)
    s.add("rocker", rod(ROCKER), kf.Revolute("z"), at=(GROUND, 0, 0), q=c)
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    run = s.simulate(1.0, rtol=1e-9, atol=1e-11)
    wanted = np.array([folded(1.0 - 3.0 * t)[1] for t in run.t])
    off = (run["rocker.q"] - wanted + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(off).max() < 1e-9 and run.audit.ok


def test_a_start_in_a_singular_position():
    """On the branch of its rates, as if it had come from before."""
    s = windows(1)
    run = s.simulate(
        0.5,
        initial={"side0.q": 0.0, "side1.q": 0.0, "top0.q": 0.0, "side0.rate": -2.0, "side1.rate": -2.0, "top0.rate": 2.0},
        rtol=1e-10,
        atol=1e-12,
    )
    pull = 9.81 * 2 / (5 / 3)
    exact = solve_ivp(lambda t, y: [y[1], -pull * np.cos(y[0])], (0, 0.5), [0.0, -2.0], "DOP853", rtol=3e-14, atol=1e-14)
    assert abs(run["side0.q"][-1] - exact.y[0, -1]) < 1e-8 and run.audit.ok


def test_a_linkage_that_misses_by_little_is_not_carried_across():
    """With a longer top the parallelogram cannot fold flat: its branches do not meet, and the sides do not stay parallel."""
    run = windows(1, stretch=1e-4).simulate(2.0, rtol=1e-9, atol=1e-11)
    assert run.audit.ok and run.audit.energy_drift < 1e-7
    assert np.abs(np.sin(run["side0.q"] - run["side1.q"])).max() > 0.5


def test_singular_positions_between_samples_are_told_of():
    """Two samples, five passages; the times are those of the pendulum at multiples of pi."""
    duration = 4.0
    run = windows(1).simulate(duration, times=[0.0, duration])
    found = solve_ivp(
        lambda t, y: [y[1], -9.81 * 2 / (5 / 3) * np.cos(y[0])],
        (0, duration),
        [np.pi / 2, -1.0],
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
        events=lambda t, y: np.sin(y[0]),
    )
    times = np.array([t for t, _, _ in run.audit.singular])
    assert len(times) == len(found.t_events[0]) >= 3
    assert np.abs(times - found.t_events[0]).max() < 0.02
    assert {name for _, name, _ in run.audit.singular} == {"pin0"}
    assert all(share < 1e-2 for _, _, share in run.audit.singular)


def test_singular_positions_are_stored(tmp_path):
    run = windows(1).simulate(2.0, times=[0.0, 2.0])
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert run.audit.singular and again.audit.singular == run.audit.singular


def test_nothing_singular_in_a_regular_run():
    s = kf.System("swing", gravity=(0, -9.81, 0))
    for k in range(2):
        s.add(f"side{k}", rod(1.0), kf.Revolute("z"), at=(k, 0, 0), q=-1.2)
    s.add("top", rod(1.0), kf.Revolute("z"), parent="side0", at="tip", q=1.2)
    s.close("pin", "top.tip", "side1.tip", kf.Revolute("z"))
    run = s.simulate(2.0)
    assert run.audit.singular == () and run.audit.ok
