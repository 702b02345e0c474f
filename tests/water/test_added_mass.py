"""Rigid bodies with added inertia: Kirchhoff's equations, spheres, waves, and what has no weight."""

import numpy as np
import pytest
from oracles import kirchhoff

import kaneflex as kf
from water.chains import DEEP, RHO, G

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
STILL = kf.Sea(RHO, surface=DEEP)
VOLUME = 4 / 3 * np.pi * 0.1**3


def some_matrix(seed=4):
    root = np.random.default_rng(seed).normal(size=(6, 6))
    return root @ root.T / 3


def test_body_in_a_perfect_fluid():
    """A body that tumbles, with a full 6x6 matrix about a point of its own, moves as Kirchhoff's equations say."""
    com, inertia, A, at = (0.1, -0.2, 0.05), (0.5, 0.7, 0.9), some_matrix(), np.array((0.3, 0.1, -0.2))
    v, w = np.array((0.4, -0.3, 0.2)), np.array((0.5, 0.7, -0.6))
    s = kf.System("body")
    s.add("body", kf.Rigid(1.5, com, inertia), kf.Free(), rates=(*v, *w))
    s.apply("fluid", kf.AddedMass("body", A, STILL, at=at))
    run = s.simulate(6.0, **TIGHT)
    shift = np.block([[np.eye(3), -kirchhoff.skew(at)], [np.zeros((3, 3)), np.eye(3)]])
    place, R = kirchhoff.motion(kirchhoff.body_inertia(1.5, com, inertia) + shift.T @ A @ shift, v, w, run.t)
    assert np.abs(run["body.position"] - place).max() < 1e-8
    assert np.abs(run["body.rotation"] - R).max() < 1e-8
    assert run.audit.ok and run.audit.energy_drift < 1e-9
    both = np.concatenate([v, w])
    whole = both @ (kirchhoff.body_inertia(1.5, com, inertia) + shift.T @ A @ shift) @ both / 2
    assert abs(run["energy.kinetic"][0] - whole) < 1e-12
    assert run.audit.linear_momentum_drift is None  # of the bodies alone, which the fluid changes


def test_where_the_joint_is_does_not_matter():
    """The same body held by a hinge elsewhere and turned: the same motion."""
    A, runs = some_matrix(7), []
    turned = kf.Frame((0.2, -0.3, 0.1), (("y", 0.7), ("x", -0.4)))
    for hinge in (None, turned):
        s = kf.System("body", gravity=(0, 0, -G))
        at = kf.Frame() if hinge is None else hinge
        s.add("body", kf.Rigid(1.5, (0.1, 0, 0), (0.5, 0.7, 0.9)), kf.Free(), at=at, hinge=hinge)
        s.apply("fluid", kf.AddedMass("body", A, kf.Sea(RHO, surface=DEEP, current=(0.5, 0.2, 0)), 0.01, (0.1, 0.2, 0.3)))
        runs.append(s.simulate(1.0, **TIGHT))
    assert np.abs(runs[0]["body.position"] - runs[1]["body.position"]).max() < 1e-8
    assert np.abs(runs[0]["body.rotation"] - runs[1]["body.rotation"]).max() < 1e-8
    assert np.abs(runs[0]["body.position"][-1]).max() > 0.1


def test_sphere_on_a_spring():
    """Half the displaced mass goes with a sphere, and the weight is that of the sphere less its buoyancy."""
    s = kf.System("sphere", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(6.0), kf.Prismatic("z"))
    s.apply("water", kf.AddedMass("ball", RHO * VOLUME / 2, STILL, VOLUME))
    s.apply("spring", kf.JointSpring("ball", 50.0))
    rest = s.equilibrium()
    assert abs(rest["ball.q"] + (6.0 - RHO * VOLUME) * G / 50.0) < 1e-12
    (mode,) = s.modes(rest)
    assert abs(mode.frequency - np.sqrt(50.0 / (6.0 + RHO * VOLUME / 2))) < 1e-9


def test_added_inertia_has_no_weight():
    """In a fluid that does not lift, a body falls with m g/(m + m_a): in all formulations, and in symbols."""
    s = kf.System("falling", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Free())
    s.apply("water", kf.AddedMass("ball", np.diag((1.0, 2.0, 3.0)), STILL))
    for formulation in ("recursive", "dense"):
        d = s.dynamics(formulation=formulation)
        udot = d.udot_at(0.0, np.array((0, 0, 0, 1.0, 0, 0, 0)), np.zeros(6))
        assert np.abs(udot - (0, 0, -2.0 * G / 5.0, 0, 0, 0)).max() < 1e-12
    assert np.abs(np.diag(s.dynamics().mass_matrix(np.array((0, 0, 0, 1.0, 0, 0, 0)))) - (3, 4, 5, 1, 1, 1)).max() < 1e-14
    run = s.simulate(1.0, **TIGHT)
    assert run.audit.ok and run.audit.energy_drift < 1e-10 and abs(run.audit.applied_work) < 1e-14


def test_moving_with_the_stream():
    """A current is as the body's own motion the other way: the same motion seen from the water."""
    U, runs = np.array((0.7, -0.4, 0.0)), []
    for current, v in (((0, 0, 0), (0.3, 0.2, 0.1)), (U, np.array((0.3, 0.2, 0.1)) + U)):
        s = kf.System("body", gravity=(0, 0, -G))
        s.add("body", kf.Rigid(1.5, (0.1, 0, 0), (0.5, 0.7, 0.9)), kf.Free(), rates=(*v, 0.5, -0.4, 0.3))
        sea = kf.Sea(RHO, surface=100.0, current=current)
        s.apply("fluid", kf.AddedMass("body", some_matrix(), sea, 0.001))
        runs.append(s.simulate(2.0, **TIGHT))
    drift = np.outer(runs[0].t, U)
    assert np.abs(runs[1]["body.position"] - drift - runs[0]["body.position"]).max() < 1e-8
    assert runs[1].audit.ok and abs(runs[1].audit.applied_work) > 1e-3 and abs(runs[0].audit.applied_work) < 1e-12


def test_held_body_in_waves():
    """(1 + Ca) rho V a on a body at rest where the water accelerates, with Ca = 1/2 for a sphere."""
    A, w, t = 0.3, 1.2, 0.9
    sea = kf.Sea(RHO, surface=2.0, waves=[kf.Wave(A, w, 0.4)])
    s = kf.System("sphere", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(6.0), kf.Translational())
    s.apply("water", kf.AddedMass("ball", RHO * VOLUME / 2, sea, VOLUME))
    k = w * w / G
    ahead, up = A * w * w * np.exp(-2 * k) * np.array((np.sin(-w * t), -np.cos(-w * t)))
    a = np.array((ahead * np.cos(0.4), ahead * np.sin(0.4), up))
    force = 1.5 * RHO * VOLUME * a + np.array((0, 0, RHO * VOLUME * G - 6.0 * G))
    found = s.dynamics().udot_at(t, np.zeros(3), np.zeros(3)) * (6.0 + RHO * VOLUME / 2)
    # the body at rest in moving water also feels what its own motion the other way would bring, which a sphere does not
    assert np.abs(found - force).max() < 1e-10


def test_sphere_that_falls_through_water():
    """v = v_t tanh(t/tau) with v_t = sqrt(2 w/(rho S)) and tau = (m + m_a) v_t/w."""
    s, area, weight = kf.System("sphere", gravity=(0, 0, -G)), 0.47 * np.pi * 0.1**2, (8.0 - RHO * VOLUME) * G
    s.add("ball", kf.Rigid(8.0), kf.Prismatic("z"))
    s.apply("water", kf.AddedMass("ball", RHO * VOLUME / 2, STILL, VOLUME, drag_area=area))
    run = s.simulate(3.0, **TIGHT)
    limit = np.sqrt(2 * weight / (RHO * area))
    v = limit * np.tanh(run.t * weight / ((8.0 + RHO * VOLUME / 2) * limit))
    assert np.abs(run["ball.rate"] + v).max() < 1e-9
    assert run.audit.ok and run.audit.dissipated_work > 10.0 and abs(run.audit.applied_work) < 1e-12


def test_impact_in_water():
    """An impulse moves body and fluid: a ball that strikes the ground gives back what both had."""
    s = kf.System("ball", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(2.0), kf.Prismatic("z"), q=0.3, rates=-1.0)
    s.apply("water", kf.AddedMass("ball", 3.0, STILL))
    s.contact("floor", kf.Contact("ball", "N", restitution=1.0))
    run = s.simulate(0.6, **TIGHT)
    assert len(run.impacts) == 1 and run.audit.ok and run.audit.energy_drift < 1e-9
    struck = np.sqrt(1.0 + 2 * 0.3 * G * 2 / 5)  # falls with 2/5 g
    assert abs(run.impacts[0].energy[0] - 5.0 * struck**2 / 2) < 1e-8 and np.ptp(run.impacts[0].energy) < 1e-9


BAD = {
    "negative": (lambda: kf.AddedMass("a", np.diag((1, 1, -1)), STILL), "negative principal value -1"),
    "not symmetric": (lambda: kf.AddedMass("a", [[1, 1, 0], [0, 1, 0], [0, 0, 1]], STILL), "not symmetric"),
    "shape": (lambda: kf.AddedMass("a", np.eye(4), STILL), "matrix has shape"),
    "no bodies": (lambda: kf.AddedMass((), 1.0, STILL), "bodies of AddedMass is"),
    "volume": (lambda: kf.AddedMass("a", 1.0, STILL, -1.0), "volume is -1"),
    "no element": (lambda: falling(kf.Morison("rod", STILL, 0.1, 1.0)), "two ends of the element"),
    "one end": (lambda: kf.Morison("rod", STILL, 0.1, 1.0, element=((0, 0, 0),)), "give its two ends"),
    "no length": (lambda: kf.Morison("rod", STILL, 0.1, 1.0, element=((0, 0, 0), (0, 0, 0))), "two ends apart"),
    "unknown": (lambda: falling(kf.AddedMass("arm", 1.0, STILL)), 'body.*"arm"'),
    "drag": (lambda: kf.Morison("rod", STILL, 0.1, -1.0), "normal_drag is -1"),
    "friction": (lambda: kf.SoftGround("rod", 1e3, friction=(1, 2, 3)), "friction is"),
    "stiffness": (lambda: kf.SoftGround("rod", 0.0), "stiffness is 0"),
}


def falling(load):
    s = kf.System("falling")
    s.add("rod", kf.Rigid(1.0), kf.Prismatic("x"))
    s.apply("load", load)
    return s.simulate(0.1)


@pytest.mark.parametrize("what", BAD)
def test_bad_loads(what):
    make, message = BAD[what]
    with pytest.raises(kf.ModelError, match=message):
        make()


def test_files_hold_media(tmp_path):
    """A run with a sea is read again as it was."""
    s = kf.System("sphere", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(6.0), kf.Prismatic("z"))
    sea = kf.Sea(RHO, 30.0, 1.0, [(0.0, (1, 0, 0)), (9.0, (0, 0, 0))], 0.5, kf.jonswap(1.0, 6.0, components=3))
    s.apply("water", kf.AddedMass("ball", np.eye(6), sea, VOLUME))
    s.apply("drag", kf.Morison("ball", sea, 0.1, 1.0, element=((0, 0, 0), (0, 0, 1))))
    s.apply("bed", kf.SoftGround("ball", 1e3, friction=0.3, level=-5.0, element=((0, 0, 0), (0, 0, 1))))
    run = s.simulate(0.2)
    again = kf.Run.load(run.save(tmp_path / "sea.h5"))
    assert again.model.loads == s.loads and np.array_equal(again["ball.q"], run["ball.q"])
