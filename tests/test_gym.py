"""Environments of Gymnasium: by its own checks, and two tasks solved by simple means."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import kaneflex as kf

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from kaneflex.gym import Environment, Environments  # noqa: E402

G, LENGTH, CART, BOB = 9.81, 0.5, 1.0, 0.1


def cart_pole() -> kf.System:
    """A bob on a massless pole, hanging at angle 0, on a cart."""
    s = kf.System("cart-pole", gravity=(0, 0, -G))
    s.add("cart", kf.Rigid(CART), kf.Prismatic("x"))
    s.add("pole", kf.Rigid(BOB, inertia=(0, 0, 0), com=(0, 0, -LENGTH)), kf.Revolute("y"), parent="cart")
    s.add_input("push", kf.JointForce("cart"))
    return s


def swing_up(**options) -> Environment:
    return Environment(
        cart_pole(),
        0.02,
        ["cart.q", "pole.q", "cart.rate", "pole.rate"],
        {"push": (-20.0, 20.0)},
        lambda seen, action, state: -np.cos(seen[1]) - 0.001 * action[0] ** 2,
        over=lambda seen: abs(seen[0]) > 5.0,
        begin=lambda random: {"cart.q": 0.0, "pole.q": 0.1 * random.standard_normal()},
        duration=12.0,
        **options,
    )


@pytest.mark.thorough
def test_gymnasiums_own_checks():
    env = swing_up()
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert np.array_equal(seen, again) and env.observation_space.contains(seen)
    with pytest.raises(kf.ModelError, match=r'input that a step takes "pull" is not known'):
        Environment(cart_pole(), 0.02, ["cart.q"], {"pull": (-1, 1)}, lambda *x: 0.0)


def test_cart_pole_swings_up_by_energy_and_stays_up_by_lqr():
    env = swing_up()
    system = cart_pole()
    linear = system.linearize({"cart.q": 0.0, "pole.q": np.pi})
    X = solve_continuous_are(linear.A, linear.B, np.diag([1.0, 10.0, 1.0, 1.0]), np.eye(1) * 0.1)
    gain = (linear.B.T @ X)[0] / 0.1
    seen, _ = env.reset(seed=1)
    upright, returned = 0, 0.0
    for _ in range(600):
        x, angle, v, rate = seen
        error = np.array([x, (angle % (2 * np.pi)) - np.pi, v, rate])
        if abs(error[1]) < 0.4 and abs(rate) < 4:
            action = -gain @ error
        else:  # energy of the pole above that at rest upright, pumped by accelerating the cart
            energy = BOB * LENGTH**2 * rate**2 / 2 - BOB * G * LENGTH * (np.cos(angle) + 1)
            action = (CART + BOB) * (-12.0 * energy * rate * np.cos(angle) / (BOB * G * LENGTH) - 2.0 * x - 2.0 * v)
        seen, reward, over, cut, _ = env.step(np.array([action]))
        upright = upright + 1 if abs(error[1]) < 0.05 else 0
        returned += reward
        assert not over
    assert cut and upright > 150 and abs(seen[0]) < 0.1, (upright, seen, returned)


def slewed() -> kf.System:
    """A hub with a boom whose first bending mode is a rotation spring: 1 Hz against the hub."""
    s = kf.System("slew")
    s.add("hub", kf.Rigid(10.0, inertia=(5.0, 5.0, 5.0)), kf.Revolute("z"))
    boom = kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1), com=(1.0, 0, 0))
    s.add("boom", boom, kf.Revolute("z"), parent="hub", at=(0.5, 0, 0))
    s.apply("root", kf.JointSpring("boom", stiffness=40.0, damping=0.02))
    s.add_input("torque", kf.JointForce("hub"))
    return s


@pytest.mark.thorough
def test_flexible_slew_by_a_small_search():
    """Bang-bang torque leaves the boom swinging; how long it is on, and a pause before it is reversed, are searched for."""

    def make() -> Environment:
        seen = ["hub.q", "boom.q", "hub.rate", "boom.rate"]
        return Environment(slewed(), 0.05, seen, {"torque": (-20, 20)}, lambda *x: 0.0, duration=6.0)

    turn = 0.5
    pauses, lengths = (g.ravel() for g in np.meshgrid(np.linspace(0, 1.5, 16), [0.5, 0.6]))
    envs = Environments(make, len(pauses), threads=2)
    envs.reset(seed=0)
    inertia = 5.0 + 0.1 + 1.5**2  # of the straight system about the hub's axis
    scale = turn * inertia / (lengths * (lengths + pauses))
    for k in range(80):
        t = k * 0.05
        up, down = t < lengths - 1e-9, (t >= lengths + pauses - 1e-9) & (t < 2 * lengths + pauses - 1e-9)
        seen, _, over, _, _ = envs.step(((up * 1.0 - down * 1.0) * scale)[:, None])
    left = np.hypot(seen[:, 1], seen[:, 3] / 6.0)  # swing that is left, rad
    best = int(np.argmin(left))
    assert not over.any() and np.allclose(seen[:, 0], turn, atol=0.06)
    assert left[best] < 0.03 * left.max(), (left.min(), left.max())
    # a torque and its reverse cancel where they are a whole number of periods apart, here to half a step of the search
    periods = (lengths + pauses)[best] / (2 * np.pi / max(mode.frequency for mode in slewed().modes()))
    assert abs(periods - round(periods)) < 0.06 and round(periods) > 0
    envs.close()


def test_environments_step_as_single_ones():
    many, one = Environments(swing_up, 3, threads=2), swing_up()
    seen, _ = many.reset(seed=5)
    single, _ = one.reset(seed=7)
    assert np.array_equal(seen[2], single)
    for k in range(5):
        actions = np.array([[0.0], [1.0], [k]])
        seen, rewards, *_ = many.step(actions)
        single, reward, *_ = one.step(actions[2])
    assert np.array_equal(seen[2], single) and rewards[2] == reward
    many.close()
