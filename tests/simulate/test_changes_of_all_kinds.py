"""Changes of systems with every integrator, and of flexible bodies, variable mass and blocks."""

import math

import numpy as np
import pytest
from growing import LINK, TIGHT, at, check_books, every, hub
from trees import WAYS

import kaneflex as kf
from kaneflex.simulate.methods import METHODS
from kaneflex.structures import Beam


@pytest.mark.parametrize("method", [m for m in METHODS if m != "cvode"])
def test_every_method_goes_on_after_changes(method):
    """Where a chain that grew and shrank ends, against a tight run."""

    def grow(state, change):
        n = len(change.model.parts) - 1
        change.add(f"l{n}", LINK, kf.Revolute("z"), parent=f"l{n - 1}" if n else "hub", at="tip", rates=0.3)

    def shrink(state, change):
        change.remove(f"l{len(change.model.parts) - 2}")

    events = [
        kf.Event(every(0.07), direction=-1, action=grow, name="grow"),
        kf.Event(lambda t: math.cos(math.pi * t / 0.21), action=shrink, name="shrink"),
    ]
    fixed = {} if METHODS[method].adaptive else {"step": 1e-3}
    run, exact = hub().simulate(0.5, events=events, method=method, **fixed), hub().simulate(0.5, events=events, **TIGHT)
    assert len(run.impacts) == 6 and list(run.model.parts) == ["hub", "l0", "l1"]
    check_books(run)
    assert run["l1.position"][-1] == pytest.approx(exact["l1.position"][-1], abs=1e-7)


@pytest.mark.parametrize("way", [way for way in WAYS if way[1] != "constant-mass"], ids="-".join)  # an approximation
def test_flexible_body_comes_undeformed_and_goes_with_its_strain(way):
    beam = kf.Flexible(Beam(length=1.0, EA=2e5, EI=10.0, mass_per_length=0.5, elements=4), root="root", modes=3)

    def come(state, change):
        change.add("boom", beam, kf.Revolute("z"), parent="hub", at="tip", rates=2.0)
        change.add("camera", LINK, kf.Revolute("y"), parent="boom", at="tip", rates=-1.0)
        change.apply("hinge", kf.JointSpring("boom", stiffness=20.0))

    def go(state, change):
        change.remove("boom", children="remove")

    run = hub().simulate(0.3, events=[at(0.1, come), at(0.2, go)], formulation=way[0], speeds=way[1])
    came, went = run.impacts
    boom = run.segments[1]
    assert np.abs(boom["boom.modes"][0]).max() == 0 and np.abs(boom["boom.modes"][-1]).max() > 1e-6
    assert came.exchange.mass == pytest.approx(0.6) and went.exchange.mass == pytest.approx(-0.6)
    assert set(went.exchange.removed) == {"boom", "camera", "hinge"}
    stored = boom["boom.strain_energy"][-1] + boom["hinge.potential"][-1]
    hub_energy = run.last["energy.kinetic"][0]
    assert -went.exchange.energy == pytest.approx(boom["energy.kinetic"][-1] - hub_energy + stored, rel=1e-12)
    assert run.last["hub.omega"][0] == pytest.approx(boom["hub.omega"][-1], abs=1e-14)
    check_books(run)


def test_burnt_out_stage_is_replaced_and_dropped():
    """At burnout a stage of variable mass becomes a rigid one and goes; the payload coasts on, by Tsiolkovsky's speed."""
    empty, speed = 200.0, 2000.0

    def mass(t):
        return 1000.0 - 80.0 * t

    outlet = kf.Outlet((0, 0, 0), velocity=(0, 0, -speed))
    s = kf.System("staging")
    s.add("stage", kf.VariableMass(mass, inertia=(100, 100, 50), outlets=[outlet]), kf.Free())
    s.add("payload", kf.Rigid(100.0, inertia=(10, 10, 10)), kf.Fixed(), parent="stage", at=(0, 0, 2))

    def burnout(state, change):
        change.replace("stage", kf.Rigid(empty, inertia=(100, 100, 50)))

    def drop(state, change):
        change.detach("payload")
        change.remove("stage")

    run = s.simulate(14.0, events=[at(10.0, burnout), at(12.0, drop)], **TIGHT)
    v = speed * math.log(1100 / 300)
    assert list(run.model.parts) == ["payload"] and run["payload.velocity"][-1, 2] == pytest.approx(v, rel=1e-9)
    burnt, dropped = run.impacts
    assert abs(burnt.exchange.mass) < 1e-9 and dropped.exchange.mass == pytest.approx(-empty)
    assert dropped.exchange.linear_momentum[2] == pytest.approx(-empty * v, rel=1e-9)
    assert dropped.exchange.energy == pytest.approx(-empty * v**2 / 2, rel=1e-9)
    assert run.audit.ok


def test_block_that_comes_starts_at_its_initial_state_and_others_go_on():
    s = hub()
    s.add_input("push", kf.Force("hub", (1, 0, 0)))
    s.add_input("pull", kf.Force("hub", (0, 1, 0)))
    s.add_block("first", kf.blocks.FirstOrder(0.5, sees="hub.x", drives="push"))

    def come(state, change):
        change.add_block("second", kf.blocks.FirstOrder(0.2, sees="first.z", drives="pull"))

    run = s.simulate(0.4, events=[at(0.2, come)], **TIGHT)
    assert run.last["second.z"][0] == 0 and run.last["second.z"][-1] != 0
    assert run.last["first.z"][0] == pytest.approx(run.segments[0]["first.z"][-1], abs=1e-15) and run.audit.ok
