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


H = 0.1


def hold(A, B):
    """Exact step of z' = A z + B x with x held over H."""
    n, m = B.shape
    step = expm(np.block([[A, B], [np.zeros((m, n + m))]]) * H)
    return step[:n, :n], step[:n, n:]


w = 3.0
LINEAR = {
    "Notch": (kf.blocks.Notch(w, 0.4, 0.1, sees="cart.q"), [[-2.4, -9.0], [1, 0]], [[1.0], [0]], [[-2.16, 0.0]], 1.0),
    "BendingFilter": (kf.blocks.BendingFilter(w, 0.6, sees="cart.q"), [[-3.6, -9.0], [1, 0]], [[1.0], [0]], [[0, 9.0]], 0.0),
    "Resonators": (kf.blocks.Resonators([w], sees="cart.q"), [[0, 1.0], [-9.0, 0]], [[0.0], [1]], [[1.0, 0]], 0.0),
    "Estimator": (
        kf.blocks.Estimator([[0, 1.0], [0, 0]], np.zeros((2, 0)), [[1.0, 0]], [[2.0], [3.0]], sees="cart.q"),
        [[-2.0, 1], [-3.0, 0]], [[2.0], [3]], [[1.0, 0]], 0.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LINEAR)
def test_filters_and_estimators_sampled(kind):
    """A chain of two blocks every 0.1 s: the exact steps of plant and block, both held."""
    block, A, B, C, D = LINEAR[kind]
    gain = kf.blocks.StateFeedback([[0.8]], sees=f"first.{block.output_names[0]}", drives="push")
    loop = kf.Sampled.chain({"first": block, "gain": gain}, H)
    run = cart().simulate(2.0, initial={"cart.q": 1.0}, controllers=[loop], times=np.arange(21) * H, **TIGHT)
    F, G = hold(np.array(A), np.array(B))
    q, v, z, exact = 1.0, 0.0, np.zeros(2), []
    for _ in range(21):
        exact.append(q)
        u = -0.8 * float((np.array(C) @ z)[0] + D * q)
        z = F @ z + G[:, 0] * q
        q, v = q + H * v + H * H / 2 * u, v + H * u
    assert np.abs(run["cart.q"] - exact).max() < 2e-8


def test_dead_band_sampled():
    """The switch moves at the sample after the one that saw the crossing, and not before the period is over."""
    band = kf.blocks.DeadBand(1.0, 0.4, time=H, gain=3.0, sees="signal", drives="push")
    signal = lambda t: t if t < 2 else 4 - t
    run = cart().simulate(
        4.0, inputs={"signal": signal}, controllers=[kf.Sampled.of(band, H)], times=np.arange(40) * H + 0.05, rtol=1e-8
    )
    on = np.flatnonzero(run["push"] > 0)
    assert set(run["push"]) == {0.0, 3.0}
    assert run.t[on[0]] == pytest.approx(1.25) and run.t[on[-1]] == pytest.approx(3.75, abs=0.11)


def test_pid_and_feedback_sampled():
    """PI by hand: the integral goes on with the error that was seen."""
    pi = kf.blocks.PID(kp=2.0, ki=0.5, target=1.0, sees="cart.q", drives="push")
    run = cart().simulate(1.0, controllers=[kf.Sampled.of(pi, H)], times=np.arange(11) * H, **TIGHT)
    q, v, i, exact = 0.0, 0.0, 0.0, []
    for _ in range(11):
        exact.append(q)
        u = 2.0 * (1 - q) + i
        i += 0.5 * H * (1 - q)
        q, v = q + H * v + H * H / 2 * u, v + H * u
    assert np.abs(run["cart.q"] - exact).max() < 1e-9


AXES = [(math.cos(0.6), 0, math.sin(0.6)), (-math.cos(0.6), 0, math.sin(0.6)), (0, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize("sampled", [False, True])
def test_momentum_management(sampled):
    """Wheels in a body that is held: h falls by exp(-gain t), or by 1 - gain H at each sample, to the target."""
    manage = kf.blocks.MomentumManagement(
        AXES, 0.05, 0.2, target=(0, 0, 1.0), sees=[f"w{k}.rate" for k in range(4)], drives=["tx", "ty", "tz"]
    )
    found = manage.law(4, "block").rates(0.0, np.array([10.0, 20.0, -5.0, 8.0]), np.zeros(0))[0]
    h = 0.05 * np.array(AXES).T @ (10.0, 20.0, -5.0, 8.0)
    assert found == pytest.approx(-0.2 * (h - (0, 0, 1.0)), rel=1e-14)
    s = kf.System("wheel")
    s.add("bus", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), q=0.0, rates=0.0)
    s.add_part("wheel", kf.parts.ReactionWheel((0, 0, 1), 0.05, rate=40.0), on="bus")
    s.add_input("jet", kf.Torque("bus", (0, 0, 1)))
    for x in "xy":
        s.add_input(f"j{x}", kf.Torque("bus", (0, 0, 0)))
    s.add_input("hold", kf.JointForce("bus", 0.0))
    law = kf.blocks.MomentumManagement([(0, 0, 1)], 0.05, 0.2, sees=["wheel.rate"], drives=["jx", "jy", "jet"])
    s.add_block("steady", kf.blocks.StateFeedback([[-1e4, -2e2]], sees=["bus.q", "bus.rate"], drives="wheel"))
    if not sampled:
        s.add_block("law", law)
    run = s.simulate(5.0, controllers=[kf.Sampled.of(law, H)] if sampled else [], output=H, rtol=1e-9, atol=1e-10)
    wanted = 40.0 * ((1 - 0.2 * H) ** 50 if sampled else math.exp(-1.0))
    assert run["wheel.rate"][-1] == pytest.approx(wanted, rel=2e-3)


def test_momentum_management_by_magnets():
    """m x B = -gain h across the field, nothing along it; cut at the limit."""
    manage = kf.blocks.MomentumManagement(np.eye(3).tolist(), 0.1, 0.3, law_of="magnetic")
    B, speeds = np.array([1e-5, -2e-5, 3e-5]), np.array([5.0, 6.0, -7.0])
    m = np.array(manage.law(6, "block").rates(0.0, np.concatenate([speeds, B]), np.zeros(0))[0])
    h = 0.1 * speeds
    assert np.cross(m, B) == pytest.approx(-0.3 * (h - B * (h @ B) / (B @ B)), rel=1e-12)
    small = kf.blocks.MomentumManagement(np.eye(3).tolist(), 0.1, 0.3, law_of="magnetic", limit=1.0)
    cut = small.law(6, "block").rates(0.0, np.concatenate([speeds, B]), np.zeros(0))[0]
    assert np.abs(cut).max() == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kf.blocks.MomentumManagement([], 1.0, 1.0), "has no axes"),
        (lambda: kf.blocks.MomentumManagement([(0, 0, 1)], -1.0, 1.0), "inertia of a MomentumManagement block"),
        (lambda: kf.blocks.MomentumManagement([(0, 0, 1)], 1.0, 0.0), "gain of a MomentumManagement block"),
        (lambda: kf.blocks.MomentumManagement([(0, 0, 1)], 1.0, 1.0, law_of="sun"), "law_of of a MomentumManagement"),
        (lambda: kf.Sampled.chain({"a": kf.blocks.Notch(1.0, sees="x")}, 0.1), "drive nothing"),
        (lambda: kf.Sampled.chain({"a": 3}, 0.1), "give a mapping from a name to a BlockBase"),
    ],
)
def test_others_refused_by_name(make, message):
    with pytest.raises(kf.ModelError, match=message):
        make()


def test_a_chain_in_the_wrong_order_is_refused():
    gain = kf.blocks.StateFeedback([[0.8]], sees="first.output", drives="push")
    loop = kf.Sampled.chain({"gain": gain, "first": kf.blocks.Notch(1.0, sees="cart.q")}, H)
    with pytest.raises(kf.ModelError, match=r'"gain" of Sampled.chain sees "first.output", which comes after it'):
        cart().simulate(0.2, controllers=[loop])
