"""What counts as an equilibrium, and what is said of linear models about states that are none."""

import math
import warnings

import numpy as np
import pytest

import kaneflex as kf

G = 9.81


def chain(n: int, length: float = 1.0, gravity=(0.0, 0.0, -G), **arguments) -> kf.System:
    s = kf.System("chain", gravity=gravity)
    for k in range(n):
        rod = kf.Rigid(1.0, com=(0, 0, -length / 2), inertia=(length**2 / 12,) * 3, frames={"end": (0, 0, -length)})
        s.add(f"rod{k}", rod, kf.Revolute("y"), parent=f"rod{k - 1}" if k else None, at="end" if k else None, **arguments)
    return s


def stone() -> kf.System:
    s = kf.System("fall", gravity=(0, 0, -G))
    s.add("stone", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
    return s


@pytest.mark.parametrize("tolerance", [math.nan, math.inf, 0, -1.0, None, "1e-10"])
def test_a_tolerance_is_a_positive_number(tolerance):
    with pytest.raises(kf.ModelError, match="tolerance is"):
        stone().equilibrium(tolerance=tolerance)


@pytest.mark.parametrize("iterations", [math.nan, 0, -1, 1.5, True, None])
def test_iterations_are_a_whole_number(iterations):
    with pytest.raises(kf.ModelError, match="iterations is"):
        stone().equilibrium(iterations=iterations)


@pytest.mark.parametrize("gravity", [G, 1e-12, 1e12])
def test_what_falls_is_not_at_rest_however_small_or_large_gravity_is(gravity):
    s = kf.System("fall", gravity=(0, 0, -gravity))
    s.add("stone", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
    with pytest.raises(kf.ModelError, match=r'no equilibrium of "fall".*"stone\.vz"'):
        s.equilibrium()


def test_what_falls_with_a_stiff_spring_is_not_at_rest():
    s = kf.System("fall", gravity=(0, 0, -G))
    for k in range(2):
        s.add(f"ball{k}", kf.PointMass(1.0), kf.Translational(), q=(0, 0, float(k)))
    s.apply("spring", kf.SpringDamper("ball0", "ball1", stiffness=1e12, length=1.0))
    with pytest.raises(kf.ModelError, match="no equilibrium"):
        s.equilibrium()


@pytest.mark.parametrize("length", [1e-6, 1e-4, 1.0, 1e4])
@pytest.mark.parametrize("n", [5, 30])
def test_a_chain_hangs_along_gravity_whatever_its_size(n, length):
    """Its accelerations are of the order of g/length times what its elimination amplifies: no fixed bound fits them all."""
    state = chain(n, length, gravity=(3.0, 0.0, -9.0), q=0.02).equilibrium()
    assert state["rod0.q"] == pytest.approx(-math.atan2(3.0, 9.0), abs=1e-12)
    assert np.abs(state.q[1:]).max() < 1e-12


def test_forces_that_cancel_to_rounding_are_in_balance():
    s = kf.System("tug")
    s.add("box", kf.Rigid(0.3), kf.Prismatic("x"))
    for k, value in enumerate((12345678.9 * 0.1, 12345678.9 * 0.2, -12345678.9 * 0.3)):  # whose sum is not quite zero
        s.apply(f"rope{k}", kf.Force("box", (value, 0, 0)))
    assert abs(s.dynamics().udot([0.0], [0.0])[0]) > 1e-10
    assert s.equilibrium().q == pytest.approx([0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.linearize()


def test_an_unloaded_stiff_spring_is_in_balance():
    s = kf.System("oscillator")
    s.add("box", kf.Rigid(1.0), kf.Prismatic("x"), q=0.3)
    s.apply("spring", kf.JointSpring("box", stiffness=1e12, rest=0.1))
    assert s.equilibrium()["box.q"] == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("verb", ["linearize", "modes"])
def test_a_state_that_is_no_equilibrium_is_told_of(verb):
    s = chain(2)
    with pytest.warns(UserWarning, match=r'"chain" is not in equilibrium.*"rod1.angle" accelerates by') as told:
        getattr(s, verb)({"rod0.q": 0.3, "rod1.q": 0.2})
    assert told[0].filename == __file__
    udot = s.dynamics().udot([0.3, 0.2], [0.0, 0.0])
    assert f"accelerates by {udot[1]:.3g}" in str(told[0].message)


def test_steady_motions_are_not_told_of():
    """A spin about a principal axis, a conical pendulum, a chain that hangs, to rounding or nearly."""
    top = kf.System("spin")
    top.add("body", kf.Rigid(1.0, inertia=(1.0, 2.0, 2.5)), kf.Free(), rates=(0, 0, 0, 0, 0, 3.0))
    angle, length = 0.4, 2.0
    cone = kf.System("cone", gravity=(0, 0, -G))
    spin = math.sqrt(G / (length * math.cos(angle)))
    cone.add("arm", kf.Rigid(0.0), kf.Revolute("z"), rates=spin)
    cone.add("bob", kf.Rigid(1.0, com=(0, 0, -length)), kf.Revolute("y"), parent="arm", q=angle)
    hanging = chain(4, q=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        top.linearize()
        cone.linearize()
        hanging.modes(hanging.equilibrium())
        hanging.modes(dict.fromkeys([f"rod{k}.q" for k in range(4)], 1e-9))


def test_given_motions_may_accelerate():
    """Where a motion or the base accelerates, nothing is wrong with the rest."""
    s = kf.System("spin-up")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=lambda t: 0.5 * t * t))
    s.add("arm", kf.Rigid(1.0, com=(1.0, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), parent="hub")
    based = kf.System("lift", base=kf.MovingBase(acceleration=(0, 0, 1.0)), gravity=(0, 0, -G))
    based.add("bob", kf.Rigid(1.0, com=(0, 0, -1.0)), kf.Revolute("y"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.linearize()
        based.linearize()
