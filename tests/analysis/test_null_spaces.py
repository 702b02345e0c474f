"""Null spaces of constraints: three ways to one motion, that of multipliers, and equations that follow from others."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.sparse import block_array, csc_array
from scipy.sparse.linalg import splu

import kaneflex as kf
from benchmarks.peers import scissors
from kaneflex.analysis.null_spaces import WAYS, accelerations, null_space, pseudo_uptriangular
from kaneflex.formulations.cartesian.matrices import Matrices, matrices
from kaneflex.formulations.integration_state import IntegrationState

ANGLE, RATE = 1.0, -0.3


def lift(n, angle=ANGLE, rate=RATE):
    """A lift in points and vectors, and its state."""
    d = scissors.lift(n, "by a revolute joint", angle, rate).dynamics("cartesian")
    state = IntegrationState(d, d.plan.formulation)
    return state, state.from_tree(0.0, np.concatenate([*scissors.state(n, angle, rate), [0.0, 0.0]]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("redundant", [False, True])
def test_random_equations(way, redundant):
    """Against one solution of all equations by least squares."""
    rng = np.random.default_rng(7)
    A, B = rng.normal(size=(9, 9)), rng.normal(size=(4, 9))
    if redundant:
        B = np.vstack([B[:2], B[0] - 2 * B[1], B[2:], B[1] + B[3]])
    M, c = A @ A.T, B @ rng.normal(size=9)
    f = rng.normal(size=9)
    y, mu = accelerations(Matrices(M, B, f, c), way)
    K = np.block([[M, B.T], [B, np.zeros((len(B), len(B)))]])
    wanted = np.linalg.lstsq(K, np.concatenate([f, c]), rcond=1e-12)[0]
    assert y == pytest.approx(wanted[:9], abs=1e-12 * np.abs(wanted).max())
    assert B.T @ mu == pytest.approx(B.T @ wanted[9:], abs=1e-11)
    N = null_space(B, way)
    assert N.shape == (9, 5) and np.abs(B @ N).max() < 1e-13
    assert pytest.approx(np.eye(5), abs=1e-14) == N.T @ N


def test_multipliers_of_redundant_equations():
    """Least norm by singular values, and zero in the equation that follows by the triangle."""
    B = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0]])
    given = Matrices(np.eye(3), B, np.array([3.0, 1.0, 2.0]), np.zeros(3))
    assert accelerations(given, "svd")[1] == pytest.approx(np.linalg.pinv(B.T) @ [3.0, 1.0, 2.0], abs=1e-14)
    assert accelerations(given, "putd")[1] == pytest.approx([3.0, 1.0, 0.0], abs=1e-14)


def test_triangle_with_columns_that_depend():
    """B^T = Q R, with a step in the triangle where a column follows from those before it."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 3))
    A = np.column_stack([A, rng.normal(size=6)])
    Q, R, which = pseudo_uptriangular(A)
    assert pytest.approx(A, abs=1e-14) == Q @ R
    assert which.tolist() == [0, 1, 3] and np.abs(np.tril(R[:, which], -1)).max() == 0.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [1, 4])
def test_accelerations_of_a_lift(n, way):
    """Those of the sparse factorisation, whose M is the same, and of the closed form."""
    state, y = lift(n)
    found, _ = accelerations(matrices(state, 0.0, y), way)
    ydot = np.empty_like(y)
    state.dynamics.kernels.call_derivative(state.I, state.dynamics.P, state.dynamics.W, 0.0, y, ydot)
    wanted = ydot[state.layout.nq :][: len(found)]
    assert found == pytest.approx(wanted, abs=1e-11)
    assert state.dynamics.work.body["a0"].alpha[2] == pytest.approx(scissors.acceleration(n, ANGLE, RATE), rel=1e-12)


def test_what_is_left_of_the_equations_is_independent():
    """The factors leave out as many equations as follow from others, and with those left SciPy's SuperLU agrees."""
    state, y = lift(12)
    found = matrices(state, 0.0, y)
    kept = ~found.redundant
    assert kept.sum() == np.linalg.matrix_rank(found.B) == np.linalg.matrix_rank(found.B[kept]) < len(kept)
    B = csc_array(found.B[kept])
    K = csc_array(block_array([[csc_array(found.M), B.T], [B, None]]))
    solved = splu(K).solve(np.concatenate([found.f, found.c[kept]]))
    assert solved[: len(found.f)] == pytest.approx(accelerations(found)[0], abs=1e-10)


def test_one_motion():
    """By three null spaces, by the formulation itself, and by the closed form."""
    n, start, end = 2, math.radians(70), math.radians(50)
    duration = scissors.duration(n, start, end)
    ends = {}
    for way in WAYS:
        state, y0 = lift(n, start, 0.0)

        def slope(t, y, way=way, state=state):
            out, d = np.empty_like(y), state.dynamics
            d.kernels.call_derivative(state.I, d.P, d.W, t, y, out)
            found, _ = accelerations(matrices(state, t, y), way)
            out[state.layout.nq :][: len(found)] = found
            return out

        got = solve_ivp(slope, (0.0, duration), y0, "DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
        ends[way] = float(state.to_tree(np.array([duration]), got[None, :])[0][2])
    s = scissors.lift(n, "by a revolute joint", start)
    run = s.simulate(duration, formulation="cartesian", method="dop853", rtol=1e-9, atol=1e-11, output=duration)
    ends["cartesian"] = float(run["a0.angle"][-1])
    assert list(ends.values()) == pytest.approx([end] * 4, abs=1e-8)


def test_what_does_not_fit_is_refused():
    with pytest.raises(kf.ModelError, match="svg"):
        null_space(np.eye(2), "svg")
    with pytest.raises(kf.ModelError, match="do not belong together"):
        accelerations(Matrices(np.eye(3), np.eye(2), np.zeros(3), np.zeros(2)))
    with pytest.raises(kf.ModelError, match="no inertia"):
        accelerations(Matrices(np.zeros((2, 2)), np.array([[1.0, 0.0]]), np.zeros(2), np.zeros(1)))
    with pytest.raises(kf.ModelError, match="finite"):
        null_space(np.array([[np.nan, 1.0]]))
