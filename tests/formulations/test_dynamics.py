"""The numbers that `Dynamics` hands out, whatever arrays it is given."""

import numpy as np
import pytest

import kaneflex as kf


@pytest.fixture
def arm() -> kf.Dynamics:
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("upper", kf.Rigid(1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)), kf.Universal(("x", "y")))
    s.add("lower", kf.Rigid(1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), parent="upper", at=(0, 0, -2))
    return s.dynamics()


def test_udot_takes_any_arrays_and_gives_the_same_numbers(arm):
    q, u, tau = np.random.default_rng(0).normal(size=(3, 3))
    expected = arm.udot(q, u, tau).copy()
    for make in (list, np.asfortranarray, lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(np.longdouble)):
        assert np.array_equal(arm.udot(make(q), make(u), make(tau)), expected)
    assert np.array_equal(arm.udot(q, u), arm.udot(q, u, np.zeros(3)))


def test_udot_sees_new_numbers_in_the_same_arrays(arm):
    q, u, tau = np.random.default_rng(1).normal(size=(3, 3))
    out = np.empty(3)
    for k in range(5):
        q += 0.1 * k
        tau -= k
        assert arm.udot(q, u, tau, out) is out
        assert np.array_equal(out, arm.udot(q.copy(), u.copy(), tau.copy())), k
        assert np.array_equal(arm.udot(q, u, tau, out), out)
        arm.udot(q, u, tau, out)


def test_bound_call_follows_its_arrays(arm):
    q, u, tau = np.random.default_rng(2).normal(size=(3, 3))
    out = np.empty(3)
    call = arm.bind(q, u, tau, out)
    for _ in range(3):
        q *= 1.1
        call()
        assert np.array_equal(out, arm.udot(q.copy(), u, tau))
    with pytest.raises(kf.ModelError, match=r"u cannot be bound.*3 numbers"):
        arm.bind(q, u[:2], tau, out)


@pytest.mark.parametrize("bad", [np.zeros(2), np.zeros((3, 1)), "abc", None, np.zeros(3, complex), [1, 2, np.nan]])
def test_wrong_arrays_are_named(arm, bad):
    with pytest.raises(kf.ModelError, match=r"^u "):
        arm.udot(np.zeros(3), bad)


def test_bias_and_mass_matrix_make_the_equations_of_motion(arm):
    q, u, tau = np.random.default_rng(3).normal(size=(3, 3))
    assert arm.mass_matrix(q) @ arm.udot(q, u, tau) + arm.bias(q, u) == pytest.approx(tau, abs=1e-12)
