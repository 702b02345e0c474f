"""A Rosenbrock method and generalized-alpha, each written as an outsider would, in one class: the protocol carries both."""

import itertools
import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.own_steps import Attempt, OwnMethod, OwnSteps

G = 0.43586652150845899942


class Ros34pw2(OwnSteps):
    """ROS34PW2 of Rang and Angermann, BIT 45 (2005) 761: four stages, order three, L-stable, the order kept with any matrix
    in place of the Jacobian. (1 - h gamma J) k_i = h f(t + alpha_i h, y + sum alpha_ij k_j) + h J sum gamma_ij k_j +
    h^2 gamma_i f_t."""

    name = "outside-ros34pw2"
    control = "errors"
    error_order = 2
    alpha = np.array(
        [[0, 0, 0, 0], [2 * G, 0, 0, 0], [8.4457060015369423e-1, -1.1299064236484185e-1, 0, 0], [0, 0, 1, 0]], float
    )
    gamma = np.array(
        [
            [G, 0, 0, 0],
            [-2 * G, G, 0, 0],
            [-9.0338057013044082e-1, 5.4180672388095326e-2, G, 0],
            [2.4212380706095346e-1, -1.2232505839045147, 5.4526025533510214e-1, G],
        ]
    )
    b = np.array([2.4212380706095346e-1, -1.2232505839045147, 1.5452602553351020, G])
    other = np.array([3.7810903145819369e-1, -9.6042292212423178e-2, 0.5, 2.1793326075422950e-1])

    def attempt(self, t, y, h):
        here, J = self.slope_here, self.jacobian(t, y)
        late = (self.slope(t + 1e-7, y) - here) / 1e-7
        k = np.zeros((4, self.size))
        for i in range(4):
            f = here if i == 0 else self.slope(t + self.alpha[i].sum() * h, y + self.alpha[i, :i] @ k[:i])
            right = h * f + h * J @ (self.gamma[i, :i] @ k[:i]) + h * h * self.gamma[i].sum() * late
            k[i] = np.linalg.solve(np.eye(self.size) - h * G * J, right)
        new, n = y + self.b @ k, self.problem.n_error
        scale = self.problem.atol + self.problem.rtol * np.maximum(np.abs(y), np.abs(new))[:n]
        error = math.sqrt(np.mean((((self.b - self.other) @ k)[:n] / scale) ** 2))
        return Attempt(new, self.slope(t + h, new), error)


class GeneralizedAlpha(OwnSteps):
    """Generalized-alpha of Chung and Hulbert, J. Appl. Mech. 60 (1993) 371, spectral radius 0.8 at infinity, for coordinates
    with q' = u: u' (known) and the algorithm's own acceleration a, which is remembered, are averaged,
    (1 - am) a+ + am a = (1 - af) u'+ + af u'."""

    name = "outside-alpha"
    remembered = 1  # the algorithm's acceleration, in the places of u; NaN before there is one

    def forget(self):
        self.memory[:] = np.nan

    def attempt(self, t, y, h):
        rho, nq = 0.8, self.problem.coordinates
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        beta = (gamma + 0.5) ** 2 / 4
        q, u, here = y[:nq], y[nq : 2 * nq], self.slope_here
        a = self.memory[0, nq : 2 * nq] if np.isfinite(self.memory[0, nq : 2 * nq]).all() else here[nq : 2 * nq]
        known, share = (af * here[nq : 2 * nq] - am * a) / (1 - am), (1 - af) / (1 - am)
        slope, new = here, y.copy()
        for _ in range(50):
            after = known + share * slope[nq : 2 * nq]
            before = new.copy()
            new[:nq] = q + h * u + h * h * ((0.5 - beta) * a + beta * after)
            new[nq : 2 * nq] = u + h * ((1 - gamma) * a + gamma * after)
            slope = self.slope(t + h, new)
            if np.abs(new - before).max() < 1e-14:
                break
        new[2 * nq :] = y[2 * nq :] + h / 2 * (here + slope)[2 * nq :]  # work, by the trapezoidal rule
        kept = np.zeros(self.size)
        kept[nq : 2 * nq] = after
        self.memory[0] = kept
        return Attempt(new, slope)


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setitem(METHODS, "outside-ros34pw2", OwnMethod(Ros34pw2, order=3, dense_order=3))
    monkeypatch.setitem(METHODS, "outside-alpha", OwnMethod(GeneralizedAlpha, order=2, dense_order=2))


def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), q=2.0)
    return s


def four_bar() -> kf.System:
    s = kf.System("four-bar", gravity=(0, 0, -9.81))
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(1e-3, 1 / 12, 1 / 12), frames={"tip": (1.0, 0, 0)})
    s.add("crank", bar, kf.Revolute("y"), q=1.2)
    s.add("coupler", bar, kf.Revolute("y"), "crank", "tip", q=-1.2)
    s.add("rocker", bar, kf.Revolute("y"), "coupler", "tip", q=1.2 - math.pi)
    s.close("pin", "rocker.tip", (1.0, 0.0, 0.0), kf.Revolute("y"))
    return s


@pytest.mark.parametrize("build", [pendulum, four_bar])
@pytest.mark.parametrize("name", ["outside-ros34pw2", "outside-alpha"])
def test_measured_order(name, build):
    """At the end and between, with a fixed step, which constraints held by projection do not spoil."""
    times = np.linspace(0, 1, 14)
    exact = build().simulate(1.0, method="dop853", rtol=1e-13, atol=1e-14, times=times)
    errors = []
    for step in (1 / 50, 1 / 100, 1 / 200):
        loose = {"max_step": step, "rtol": 0.1, "atol": 1e6} if METHODS[name].adaptive else {}  # then each step is as given
        run = build().simulate(1.0, method=name, step=step, times=times, **loose)
        errors.append([np.abs(run.q - exact.q).max(), np.abs(run.q[-1] - exact.q[-1]).max()])
        assert (run.audit.position_violation or 0.0) < 1e-9
    for coarse, fine in itertools.pairwise(errors):
        assert np.log2(np.divide(coarse, fine)) == pytest.approx([METHODS[name].order] * 2, abs=0.35)


def test_a_rosenbrock_method_chooses_its_steps_and_counts():
    """A stiff spring, which explicit steps would follow; a Jacobian for every step, none of its evaluations hidden."""
    s = kf.System("slider")
    s.add("first", kf.Rigid(1.0), kf.Prismatic("x"), q=0.1)
    s.add("second", kf.Rigid(0.5), kf.Prismatic("x"), "first", q=0.01)
    s.apply("soft", kf.JointSpring("first", 10.0, 0.1))
    s.apply("stiff", kf.JointSpring("second", 1e7, 1e4))
    exact = s.simulate(2.0, method="radau5", rtol=1e-10, atol=1e-12, output=2.0)
    run = s.simulate(2.0, method="outside-ros34pw2", rtol=1e-4, atol=1e-6, output=2.0)
    found = run.statistics
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 1e-4
    tries = found["steps"] + found["rejected"]
    assert tries < 300 and found["jacobians"] == tries
    # four columns and where they begin, the rate in time, three stages, and the end
    assert found["evaluations"] == pytest.approx(10 * tries, abs=found["rejected"] + 5)
