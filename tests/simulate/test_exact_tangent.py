"""The exact tangent of linearly implicit steps: the Jacobian itself, order 3, long steps where loads on bodies are stiff."""

import itertools
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.plan.state_layout import WORKS
from kaneflex.simulate.methods import Problem, integrator

sys.path.insert(0, str(Path(__file__).parent))
from test_linearly_implicit import ROS, balls, soft, soft_pull
from test_tree_matrix import uses_tree

EXACT = "ros34pw2-exact"


def rate_of(dynamics) -> Callable[[np.ndarray], np.ndarray]:
    """y' at t = 0 on complex numbers."""
    plan = dynamics.plan
    I, W = plan.complex_tables(), plan.workspace(complex)

    def rate(y: np.ndarray) -> np.ndarray:
        out = np.empty(len(y), complex)
        dynamics.kernels.call_derivative(I, plan.P, W, 0.0, np.asarray(y, complex), out)
        return out

    return rate


def rosenbrock(rate, y: np.ndarray, h: float) -> np.ndarray:
    """A step by its definition: (1 - h gamma J) k_i = f(y + h sum alpha_ij k_j) + h J sum gamma_ij k_j, with all entries of
    the Jacobian by the complex step."""
    J = np.array([rate(y + 1e-30j * e).imag / 1e-30 for e in np.eye(len(y))]).T
    k = np.zeros((len(ROS.b), len(y)))
    for i in range(len(k)):
        right = rate(y + h * ROS.alpha[i] @ k).real + h * J @ (ROS.gamma[i] @ k)
        k[i] = np.linalg.solve(np.eye(len(y)) - h * ROS.gamma[i, i] * J, right)
    return y + h * ROS.b @ k


def steps(dynamics, method: str, y: np.ndarray, h: float, count: int) -> np.ndarray:
    """The state after equal steps, stages being solved to rounding."""
    plan, layout = dynamics.plan, dynamics.plan.layout
    problem = Problem(
        (plan.I, plan.P, dynamics.W), layout.size, layout.states, rtol=1e-13, atol=1e-13, step=h, adaptive=False,
        works=WORKS, coordinates=layout.nq, timed=False, has_tree=True, complex_tables=plan.complex_tables,
    )  # fmt: skip
    stepper = integrator(method, problem)
    stepper.start(0.0, y)
    stepper.advance(count * h, np.zeros(0), np.zeros((0, layout.size)), 2 * count)
    assert stepper.steps == count
    return stepper.y


def test_a_step_is_that_with_the_jacobian():
    """In space, from a state without symmetry, with springs between bodies, which the matrix along the tree has nothing of;
    work, which follows the state, included."""
    n, h = 6, 1e-3
    s = balls(n)
    s.apply("far", kf.SpringDamper("rod1.tip", f"rod{n - 1}.tip", 300.0, 0.5))
    dynamics = s.dynamics()
    y = np.random.default_rng(3).normal(size=dynamics.plan.layout.size)
    y[: 4 * n] = unit(y[: 4 * n])
    wanted = rosenbrock(rate_of(dynamics), y, h)
    wanted[: 4 * n] = unit(wanted[: 4 * n])
    change = np.abs(wanted - y).max()
    assert np.abs(steps(dynamics, EXACT, y, h, 1) - wanted).max() < 1e-10 * change
    assert np.abs(steps(dynamics, "ros34pw2", y, h, 1) - wanted).max() > 1e-5 * change


def unit(quaternions: np.ndarray) -> np.ndarray:
    """Each of unit length."""
    rows = quaternions.reshape(-1, 4)
    return (rows / np.linalg.norm(rows, axis=1)[:, None]).ravel()


@pytest.mark.parametrize("make", [balls, soft_pull])
def test_order(make):
    """In space, and with a spring between bodies."""
    system = make(4)
    close = system.simulate(0.4, method="dop853", rtol=1e-13, atol=1e-14, output=0.4)
    dynamics, layout = system.dynamics(), system.dynamics().plan.layout
    y = np.concatenate([close.q[0], close.u[0], np.zeros(WORKS)])
    errors = [np.abs(steps(dynamics, EXACT, y, 0.4 / n, n)[layout.q] - close.q[-1]).max() for n in (128, 256, 512)]
    for coarse, fine in itertools.pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(3, abs=0.3)


def test_steps_on_stiff_ground_are_longer():
    """A cable that sinks into a bed of mud: what the ground does is not in the matrix along the tree."""
    s = kf.System("bedded", gravity=(0, 0, -9.81))
    s.add_rod("cable", kf.Cable(4.0, 1.0, n=12, plane="xz"))
    s.apply("bed", kf.SoftGround("cable", 1e3, 1e4, level=0.0))
    tree, exact = (s.simulate(2.0, method=m, rtol=1e-3, atol=1e-3, output=0.5) for m in ("ros34pw2", EXACT))
    close = s.simulate(2.0, method="radau5", rtol=1e-8, atol=1e-10, output=0.5)
    sunk, wanted = exact["cable.tip.position"][-1], close["cable.tip.position"][-1]
    assert np.abs(sunk - wanted).max() < 1e-5  # of 1.8 mm
    assert exact.statistics["steps"] < tree.statistics["steps"] / 3
    assert uses_tree(exact) and exact.statistics["corrections"] > 0


def test_a_function_that_takes_no_complex_numbers_is_named():
    s = soft(3)
    s.apply("law", kf.JointForce("rod1", lambda t, x: math.floor(x[0]), sees=["rod1.q"]))
    with pytest.raises(ModelError, match=r"ros34pw2-exact.*law"):
        s.simulate(0.01, method=EXACT)
