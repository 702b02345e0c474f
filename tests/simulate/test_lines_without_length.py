"""Springs, dampers and ropes whose ends coincide: a force where it is defined, else an error that names the load."""

import numpy as np
import pytest

import kaneflex as kf

WAYS = [("recursive", "customary"), ("recursive", "efficient"), ("dense", "customary"), ("embedded", "customary")]
M, K = 2.0, 50.0
UNDEFINED = {
    "free length": {"stiffness": K, "length": 0.3},
    "damper": {"damping": 1.0},
    "spring and damper": {"stiffness": K, "damping": 1.0},
    "rope": {"stiffness": K, "length": 0.3, "slack": True},
    "tension": {"tension": 3.0},
    "tension by a function": {"tension": lambda t: 3.0 + t},
}


def bob(q=(0.0, 0.0, 0.0), rates=(0.0, 0.0, 0.0), **spring):
    s = kf.System("bob")
    s.add("bob", kf.PointMass(M), kf.Translational(), q=q, rates=rates)
    s.apply("line", kf.SpringDamper("N", "bob", **spring))
    return s


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("slack", [False, True])
def test_spring_without_free_length_passes_through_its_anchor(way, slack):
    """m r'' = -k r: three harmonic motions of one frequency, from the anchor itself and through it."""
    v, w = np.array((0.3, -0.2, 0.5)), np.sqrt(K / M)
    run = bob(rates=v, stiffness=K, slack=slack).simulate(3.0, formulation=way[0], speeds=way[1], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(run["bob.position"], np.outer(np.sin(w * run.t) / w, v), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["line.potential"], K * np.sum(run["bob.position"] ** 2, axis=1) / 2, rtol=0, atol=1e-15)
    assert run.audit.ok


def test_spring_without_free_length_is_linear_at_its_anchor():
    found = bob(stiffness=K).linearize()
    np.testing.assert_allclose(found.A[3:, :3], -K / M * np.eye(3), rtol=1e-14)
    rest = bob(stiffness=K).equilibrium()
    np.testing.assert_allclose(rest.q, 0, atol=1e-14)


def test_spring_without_free_length_between_two_bodies():
    """The relative motion has the reduced mass m1 m2/(m1 + m2), and the mass centre stays."""
    s = kf.System("pair")
    for name, m, v in (("a", 2.0, 0.4), ("b", 3.0, 0.0)):
        s.add(name, kf.Rigid(m, inertia=(1, 1, 1)), kf.Free(), rates=(v, 0, 0, 0, 0, 0))
    s.apply("line", kf.SpringDamper("a", "b", stiffness=K))
    run = s.simulate(2.0, rtol=1e-11, atol=1e-13)
    w = np.sqrt(K * (1 / 2 + 1 / 3))
    apart = run["a.position"][:, 0] - run["b.position"][:, 0]
    np.testing.assert_allclose(apart, 0.4 / w * np.sin(w * run.t), rtol=0, atol=1e-10)
    assert run.audit.ok and run.audit.linear_momentum_drift < 1e-12


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("spring", UNDEFINED.values(), ids=UNDEFINED)
def test_line_without_direction_is_refused_by_name(way, spring):
    s, settings = bob(**spring), {"formulation": way[0], "speeds": way[1]}
    for call in (
        lambda: s.simulate(1.0, **settings),
        lambda: s.matrices(**settings),
        lambda: s.linearize(**settings),
        lambda: s.equilibrium(),
    ):
        with pytest.raises(kf.ModelError, match=r'load "line" has no direction at t = 0 s: its two ends coincide.*Keep'):
            call()


def test_line_that_an_event_shortens_to_nothing():
    def jump(state):
        state["bob.q"] = (0, 0, 0)

    event = kf.Event(lambda t, x: t - 0.5, ["bob.q"], action=jump, name="jump")
    with pytest.raises(kf.SimulationError, match=r'load "line" has no direction at t = 0.5 s'):
        bob(q=(0.3, 0, 0), **UNDEFINED["free length"]).simulate(1.0, events=[event])


def test_line_that_a_fixed_step_shortens_to_nothing():
    """With exact numbers: from -1 m at 1 m/s by steps of 1/4 s."""
    s = bob(q=(-1.0, 0, 0), rates=(1.0, 0, 0), length=0.3)
    with pytest.raises(kf.SimulationError, match=r'load "line" has no direction at t = 1 s'):
        s.simulate(2.0, method="rk4", step=0.25)


def test_line_put_on_between_points_that_coincide():
    s = kf.System("bob")
    s.add("bob", kf.PointMass(M), kf.Translational())
    event = kf.Event(
        lambda t, x: t - 0.5,
        ["bob.q"],
        action=lambda state, change: change.apply("rope", kf.SpringDamper("N", "bob", **UNDEFINED["rope"])),
    )
    with pytest.raises(kf.ModelError, match=r'load "rope" has no direction at t = 0.5 s'):
        s.simulate(1.0, events=[event])


def test_large_systems_name_the_load_too():
    """Where the mass matrix is not looked at."""
    s, parent = kf.System("chain"), "N"
    for k in range(90):
        name = f"rod{k}"
        s.add(name, kf.Rigid(1.0, inertia=(1, 1, 1), frames={"tip": (1, 0, 0)}), kf.Revolute("z"), parent=parent)
        parent = name
        if k == 0:
            s.apply("line", kf.SpringDamper("N", "rod0", stiffness=K, length=0.1))
    with pytest.raises(kf.ModelError, match=r'load "line" has no direction'):
        s.simulate(0.1)


def test_function_that_is_not_finite_is_named():
    s = bob(q=(0.3, 0, 0), stiffness=K, length=0.1)
    s.apply("push", kf.Force("bob", lambda t, x: (1 / (x[0] - 0.3), 0.0, 0.0), sees=["bob.q"]))
    with pytest.raises(kf.ModelError, match=r'load "push" is not finite at t = 0 s'):
        s.simulate(1.0)
