"""Blocks of control loops: attitude, feedback, filters, dead band, estimator; continuous and sampled."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import kaneflex as kf

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
INERTIA = (20.0, 30.0, 40.0)


def craft(**more):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(100.0, inertia=INERTIA), kf.Spherical(), q=(1, 0, 0, 0), **more)
    for k, x in enumerate("xyz"):
        s.add_input(f"t{x}", kf.Torque("bus", tuple(np.eye(3)[k])))
    return s


def cart(**more):
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=0.0)
    s.add_input("push", kf.JointForce("cart"))
    s.add_input("signal", kf.JointForce("cart", 0.0))
    return s


def test_attitude_loop_has_the_poles_that_its_gains_say():
    s = craft()
    control = kf.blocks.AttitudeControl("bus", kp=(2.0, 3.0, 4.0), kd=(6.0, 9.0, 16.0), ki=0.1, drives=["tx", "ty", "tz"])
    s.add_block("control", control)
    poles = s.linearize().eigenvalues()
    for I, kp, kd in zip(INERTIA, (2, 3, 4), (6, 9, 16), strict=True):
        for root in np.roots([I, kd, kp, 0.1]):
            assert np.abs(poles - root).min() < 1e-10


def test_attitude_control_slews_by_the_shorter_way_and_removes_an_offset():
    s = craft()
    target = (math.cos(1.4), 0.0, math.sin(1.4), 0.0)
    drives = ["tx", "ty", "tz"]
    s.add_block("control", kf.blocks.AttitudeControl("bus", 2.0, 15.0, 0.05, target=target, limit=0.6, drives=drives))
    s.add_block("error", kf.blocks.AttitudeError("bus", target))
    s.apply("wind", kf.Torque("bus", (0.05, 0, 0), axes="body"))
    run = s.simulate(600.0, **TIGHT)
    assert max(np.abs(run[f"control.t{x}"]).max() for x in "xyz") == 0.6
    assert run["error.ey"][0] == pytest.approx(-2 * math.sin(1.4), rel=1e-14)
    assert max(abs(run[f"error.e{x}"][-1]) for x in "xyz") < 1e-6
    assert run["control.ix"][-1] == pytest.approx(1.0, abs=1e-4)  # 0.05 N m / ki


def test_four_wheels_share_the_torque():
    c, d = math.cos(0.6), math.sin(0.6)
    axes = [(c, 0, d), (-c, 0, d), (0, c, d), (0, -c, d)]
    s = kf.System("craft")
    s.add("bus", kf.Rigid(100.0, inertia=INERTIA), kf.Spherical(), q=(math.cos(0.2), math.sin(0.2), 0, 0))
    for k, axis in enumerate(axes):
        s.add_part(f"w{k}", kf.parts.ReactionWheel(axis, 0.05, torque_limit=5.0), on="bus")
    s.add_block("control", kf.blocks.AttitudeControl("bus", 2.0, 15.0, axes=axes, drives=[f"w{k}" for k in range(4)]))
    found = s.channels(None, *(f"control.wheel{k + 1}" for k in range(4)))
    T = -np.array(axes).T @ np.array(list(found.values()))
    assert pytest.approx([-2.0 * 2 * math.sin(0.2), 0, 0], abs=1e-12) == T
    run = s.simulate(100.0, **TIGHT)
    assert np.abs(run["bus.q"][-1] - [1, 0, 0, 0]).max() < 1e-3
    assert np.abs(run["momentum.central"] - run["momentum.central"][0]).max() < 1e-10


@pytest.mark.parametrize(
    ("block", "exact"),
    [
        (kf.blocks.Notch(3.0, 0.4, 0.1), lambda s: (s**2 + 0.24 * s + 9) / (s**2 + 2.4 * s + 9)),
        (kf.blocks.BendingFilter(5.0, 0.6), lambda s: 25 / (s**2 + 6 * s + 25)),
    ],
    ids=["notch", "bending"],
)
def test_filters_are_their_transfer_functions(block, exact):
    from dataclasses import replace

    s = cart()
    s.add_block("filter", replace(block, sees="signal"))
    H = s.linearize(outputs=["filter.output"])
    for w in (0.5, 3.0, 20.0):
        found = H.C @ np.linalg.solve(1j * w * np.eye(len(H.A)) - H.A, H.B[:, [1]]) + H.D[:, [1]]
        assert abs(found[0, 0] - exact(1j * w)) < 1e-12


def test_resonators_swing():
    """a'' + w^2 a = 1: (1 - cos w t)/w^2."""
    s = cart()
    s.add_block("ring", kf.blocks.Resonators([2.0, 3.0], sees="signal"))
    run = s.simulate(5.0, inputs={"signal": 1.0}, **TIGHT)
    for k, w in ((1, 2.0), (2, 3.0)):
        assert np.abs(run[f"ring.a{k}"] - (1 - np.cos(w * run.t)) / w**2).max() < 1e-9
        assert np.abs(run[f"ring.a{k}_rate"] - np.sin(w * run.t) / w).max() < 1e-9


def test_lqr_of_a_double_integrator():
    """Q = 1, R = 1: K = (1, sqrt 3), poles -sqrt(3)/2 +- i/2."""
    s = cart()
    K = s.linearize().lqr([1.0, 0.0], [1.0, 1.0])[:1]
    assert K[0] == pytest.approx([1.0, math.sqrt(2.0)], rel=1e-12)
    K = s.linearize().lqr([1.0, 1.0], [1.0, 1.0])[:1]
    assert K[0] == pytest.approx([1.0, math.sqrt(3.0)], rel=1e-12)
    s.add_block("hold", kf.blocks.StateFeedback(K, at=[0.5, 0.0], sees=["cart.q", "cart.rate"], drives="push"))
    poles = np.sort_complex(s.linearize(s.equilibrium()).eigenvalues())
    assert np.abs(poles - [-math.sqrt(3) / 2 - 0.5j, -math.sqrt(3) / 2 + 0.5j]).max() < 1e-12
    assert s.simulate(30.0, **TIGHT)["cart.q"][-1] == pytest.approx(0.5, abs=1e-9)
    with pytest.raises(kf.ModelError, match=r'state "cart.slide.rate" acts on "cart.slide"'):
        s.linearize().lqr([1.0], [1.0, 1.0], states=["cart.slide"])


def test_estimator_finds_the_speed():
    s = cart()
    linear = s.linearize(outputs=["cart.q"])
    L = linear.kalman([0.0, 1.0], [1.0])
    assert L[:, 0] == pytest.approx([math.sqrt(2.0), 1.0], rel=1e-12)
    estimator = kf.blocks.Estimator(linear.A, linear.B[:, :1], linear.C, L, sees=["push", "cart.q"])
    s.add_block("guess", estimator)
    run = s.simulate(20.0, initial={"cart.q": 0.3, "cart.rate": -0.2}, inputs={"push": lambda t: np.sin(t)}, **TIGHT)
    error = np.column_stack([run["guess.x1"] - run["cart.q"], run["guess.x2"] - run["cart.rate"]])
    A = linear.A - L @ linear.C
    exact = np.array([expm(A * t) @ error[0] for t in run.t])
    assert np.abs(error - exact).max() < 1e-9


def test_dead_band_with_hysteresis():
    """A triangle through on = 1 and off = 0.4: up from 1 to 0.4 on the way back, down below -1."""
    s = cart()
    s.add_block("band", kf.blocks.DeadBand(1.0, 0.4, time=1e-4, gain=3.0, sees="signal"))
    run = s.simulate(
        8.0, inputs={"signal": kf.profiles.signal([0, 2, 6, 8], [0, 2, -2, 0])}, output=0.01, rtol=1e-6, max_step=0.02
    )
    t, up = run.t, run["band.output"]
    clear = np.abs(t[:, None] - [1.0, 3.6, 5.0, 7.6]).min(axis=1) > 0.02
    exact = np.where((t > 1.0) & (t < 3.6), 3.0, np.where((t > 5.0) & (t < 7.6), -3.0, 0.0))
    assert (up == exact)[clear].all()


def test_blocks_sampled():
    """A StateSpace block every 0.1 s: the exact steps of the held plant and of the held block."""
    A, B, C = np.array([[-0.7]]), np.array([[1.0]]), np.array([[-0.8]])
    block = kf.blocks.StateSpace(A, B, C, [[-1.5]], sees="cart.q", drives="push")
    s, h = cart(), 0.1
    loop = kf.Sampled.of(block, h)
    for _ in range(2):  # a second run begins anew
        run = s.simulate(3.0, initial={"cart.q": 1.0}, controllers=[loop], times=np.arange(31) * h, **TIGHT)
    q, v, z, exact = 1.0, 0.0, 0.0, []
    for _ in range(31):
        exact.append(q)
        u = -0.8 * z - 1.5 * q
        z = math.exp(-0.7 * h) * z + (1 - math.exp(-0.7 * h)) / 0.7 * q
        q, v = q + h * v + h * h / 2 * u, v + h * u
    assert np.abs(run["cart.q"] - exact).max() < 1e-9


def test_attitude_control_sampled_tends_to_the_continuous_one():
    ends = []
    control = kf.blocks.AttitudeControl("bus", 2.0, 15.0, drives=["tx", "ty", "tz"])
    first = {"bus.q": (math.cos(0.3), 0, math.sin(0.3), 0), "bus.rate": (0, 0, 0)}
    for period in (0.2, 0.1, 0.05):
        run = craft().simulate(10.0, initial=first, controllers=[kf.Sampled.of(control, period)])
        ends.append(run["bus.q"][-1, 2])
    s = craft()
    s.add_block("control", control)
    exact = s.simulate(10.0, initial=first)["bus.q"][-1, 2]
    errors = np.abs(np.array(ends) - exact)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: kf.blocks.AttitudeControl("bus", 1.0, 1.0, target=(0, 0, 0, 0)),
            "target of an AttitudeControl block is zero",
        ),
        (lambda: kf.blocks.AttitudeControl("bus", 1.0, 1.0, axes=np.eye(3)[:2].tolist()), "lie in a plane"),
        (lambda: kf.blocks.DeadBand(1.0, 2.0), "off of a DeadBand block is 2: it must not be above on, 1"),
        (lambda: kf.blocks.Notch(0.0), "frequency of a Notch block is 0: it must be positive"),
        (lambda: kf.blocks.Resonators([]), "has no frequencies"),
        (lambda: kf.blocks.StateFeedback([1.0]), "K of a StateFeedback block"),
        (
            lambda: kf.blocks.Estimator(np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.ones((2, 2))),
            "one for each measurement",
        ),
        (lambda: kf.Sampled.of(kf.blocks.Notch(1.0, sees="x"), 0.1), "drives nothing"),
    ],
)
def test_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()
