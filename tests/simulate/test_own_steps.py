"""A method that is no Runge-Kutta method, added as an outsider would: one class and one line in the registry."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.own_steps import Attempt, OwnMethod, OwnSteps


class AdamsBashforth2(OwnSteps):
    """y_n+1 = y_n + h (3/2 f_n - 1/2 f_n-1), the first step by the midpoint rule; a fixed step."""

    name = "ab2"
    remembered = 1  # f_n-1, NaN before there is one

    def forget(self):
        self.memory[:] = np.nan

    def attempt(self, t, y, h):
        slope, before = self.slope_here, self.memory[0]
        full = abs(h - self.problem.step) < 1e-9 * h  # the last step before a stop may be another
        if full and np.isfinite(before).all():
            new = y + h * (1.5 * slope - 0.5 * before)
        else:
            new = y + h * self.slope(t + h / 2, y + h / 2 * slope)
        self.memory[0] = slope if full else np.nan
        return Attempt(new, self.slope(t + h, new))


class SymplecticEuler(OwnSteps):
    """u first, then q with the new u; the loop chooses the step from the difference to the explicit rule."""

    name = "symplectic"
    control = "errors"
    error_order = 1

    def attempt(self, t, y, h):
        nq = self.problem.coordinates
        moved = y + h * self.slope_here
        other = y.copy()
        other[nq:] = moved[nq:]
        new = moved.copy()
        new[:nq] = y[:nq] + h * self.slope(t, other)[:nq]
        n = self.problem.n_error
        scale = self.problem.atol + self.problem.rtol * np.abs(y[:n])
        error = math.sqrt(np.mean(((new - moved)[:n] / scale) ** 2))
        return Attempt(new, self.slope(t + h, new), error)


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setitem(METHODS, "ab2", OwnMethod(AdamsBashforth2, order=2, dense_order=2))
    monkeypatch.setitem(METHODS, "symplectic", OwnMethod(SymplecticEuler, order=1, dense_order=1))


def oscillator() -> kf.System:
    """x = cos 2t."""
    s = kf.System("oscillator")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=1.0)
    s.apply("spring", kf.JointSpring("cart", 4.0))
    return s


def test_order_of_the_method_and_of_its_samples():
    times = np.linspace(0, 3, 47)
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = oscillator().simulate(3.0, method="ab2", step=step, times=times)
        errors.append(np.abs(run["cart.q"] - np.cos(2 * times)).max())
        assert run.statistics["evaluations"] == pytest.approx(run.statistics["steps"], abs=5)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize("method, options, tolerance", [("ab2", {"step": 1e-3}, 8e-6), ("symplectic", {"rtol": 1e-7}, 1e-3)])
def test_events_are_found_and_act(method, options, tolerance):
    """Every zero of x, where the rate is turned round: x = |cos 2t|. The error of ab2 is 5/12 h^2 |x'''| t or less."""

    def turn_round(state):
        state["cart.rate"] = 2.0

    turn = kf.Event(lambda t, x: x[0], ["cart.q"], direction=-1, action=turn_round)
    run = oscillator().simulate(3.0, method=method, events=[turn], **options)
    exact = [math.pi / 4 + k * math.pi / 2 for k in range(2)]
    assert [t for t, _ in run.events] == pytest.approx(exact, abs=tolerance)
    assert np.abs(run["cart.q"] - np.abs(np.cos(2 * run.t))).max() < 4 * tolerance


def test_a_step_from_errors_is_chosen():
    runs = (oscillator().simulate(2.0, method="symplectic", rtol=r, atol=r) for r in (1e-4, 1e-6))
    loose, tight = (run.statistics["steps"] for run in runs)
    assert tight == pytest.approx(10 * loose, rel=0.2)  # errors of a step go with its square


def test_constraints_are_kept_by_projection():
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("bob", kf.PointMass(1.0), kf.Translational(), q=(1.0, 0, 0))
    s.constrain("rod", kf.Distance("bob", (0, 0, 0), 1.0))
    exact, errors = s.simulate(2.0, method="dop853", rtol=1e-12, atol=1e-13), []
    for step in (2e-3, 1e-3):
        run = s.simulate(2.0, method="ab2", step=step)
        assert np.abs(np.linalg.norm(run["bob.q"], axis=1) - 1).max() < 1e-12
        errors.append(np.abs(run["bob.q"] - exact["bob.q"]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


def test_a_run_goes_on_with_the_same_bits(tmp_path):
    """What the method remembers is stored with the run."""
    whole = oscillator().simulate(2.0, method="ab2", step=1 / 128, times=[1.0, 2.0])
    half = oscillator().simulate(1.0, method="ab2", step=1 / 128, times=[1.0])
    for run in (half, kf.Run.load(half.save(tmp_path / "run.h5"))):
        on = run.extend(1.0, times=[2.0])
        assert np.array_equal(on.q[-1], whole.q[-1]) and np.array_equal(on.u[-1], whole.u[-1])


def test_a_fixed_step_is_asked_for():
    with pytest.raises(kf.ModelError, match='"ab2" has a fixed step'):
        oscillator().simulate(1.0, method="ab2")
