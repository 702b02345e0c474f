"""Several changes in one action, and contacts in changes."""

import math

import numpy as np
import pytest

import kaneflex as kf

G = 9.81
ROD = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1, 0, 0)})
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def at(time, action) -> kf.Event:
    return kf.Event(lambda t: t - time, direction=1, action=action, name="change")


def on_floor(speed=2.0, friction=0.2) -> kf.System:
    s = kf.System("floor", gravity=(0, 0, -G))
    s.add("block", kf.Rigid(1.0), kf.Translational(), q=(0, 0, 0), rates=(speed, 0, 0))
    s.contact("foot", kf.Contact("block", friction=friction))
    return s


def test_joint_that_is_attached_is_locked_where_it_is_then():
    """A disc on a pin that is attached and locked at once moves on as one attached by a Fixed joint."""
    s = kf.System("discs")
    s.add("a", ROD, kf.Free(), rates=(0, 0, 0, 0, 0, 1.0))
    s.add("b", ROD, kf.Free(), q=(1, 0, 0, math.cos(0.2), 0, 0, math.sin(0.2)), rates=(0.3, 0, 0, 0, 0, -2.0))

    def pin_and_lock(state, change):
        change.attach("b", "a", kf.Revolute("z"))
        change.lock("b")

    runs = [s.simulate(1.0, events=[at(0.5, act)], **TIGHT) for act in (pin_and_lock, lambda _, c: c.attach("b", "a"))]
    locked, fixed = (run["b.position"][-1] for run in runs)
    assert np.allclose(locked, fixed, atol=1e-9)
    assert math.isclose(runs[0].impacts[0].energy[1], runs[1].impacts[0].energy[1], rel_tol=1e-12)


def test_closed_contact_that_is_removed_is_gone():
    run = on_floor().simulate(0.5, events=[at(0.3, lambda state, change: change.remove("foot"))], **TIGHT)
    assert [name for _, name in run.events] == ["foot", "change"]
    assert np.allclose(run["block.velocity"][-1], (2 - 0.2 * G * 0.3, 0, -G * 0.2), atol=1e-9)
    assert run.impacts[-1].exchange.removed == ("foot",)
    assert run.audit.ok


def test_contact_may_be_replaced_by_one_of_its_name():
    def ice(state, change):
        change.remove("foot")
        change.contact("foot", kf.Contact("block"))

    run = on_floor().simulate(0.5, events=[at(0.3, ice)], **TIGHT)
    assert np.allclose(run["block.velocity"][-1], (2 - 0.2 * G * 0.3, 0, 0), atol=1e-9)


def test_constraint_of_a_closed_contact_is_not_taken_off_by_itself():
    with pytest.raises(kf.ModelError, match=r'"foot" is a contact.*remove it'):
        on_floor().simulate(0.5, events=[at(0.3, lambda state, change: change.unconstrain("foot"))])


def test_contact_that_comes_below_its_plane_is_refused():
    def low(state, change):
        change.add("other", kf.Rigid(1.0), kf.Translational(), q=(3, 0, -0.5))
        change.contact("deep", kf.Contact("other"))

    with pytest.raises(kf.ModelError, match=r'"deep".*0.5 m below'):
        on_floor().simulate(0.5, events=[at(0.3, low)])


@pytest.mark.parametrize("formulation", ["recursive", "dense", "embedded"])
def test_block_that_comes_slides_beside_one_that_fell_and_rests(formulation):
    """The one that fell is held within rounding of z = 0, which is no lever arm to measure the other by."""
    s = kf.System("two", gravity=(0, 0, -G))
    s.add("fallen", kf.Rigid(1.0), kf.Translational(), q=(0, 0, 1))
    s.contact("first", kf.Contact("fallen", friction=0.3))

    def put(state, change):
        change.add("block", kf.Rigid(2.0), kf.Translational(), q=(3, 0, 0), rates=(1.0, 0, 0))
        change.contact("second", kf.Contact("block", friction=0.3))

    run = s.simulate(1.0, events=[at(0.6, put)], formulation=formulation, **TIGHT)
    assert np.allclose(run["block.position"][-1], (3 + 1 / (2 * 0.3 * G), 0, 0), atol=1e-6)
    assert math.isclose(run.events[-1][0], 0.6 + 1 / (0.3 * G), abs_tol=1e-6)
    assert run.audit.ok


SMALL = kf.Rigid(0.3, com=(0.1, 0.02, 0.03), inertia=(0.01, 0.02, 0.02), frames={"tip": (0.3, 0, 0)})


def floating() -> kf.System:
    s = kf.System("floating")
    hub = kf.Rigid(5.0, com=(0.1, 0.05, -0.02), inertia=(1, 1.2, 1.5), frames={"tip": (0.5, 0.2, 0.1)})
    s.add("hub", hub, kf.Free(), rates=(0.3, 0.2, -0.4, 0.5, 0.6, -0.7))
    s.add("arm", ROD, kf.Spherical(), parent="hub", at="tip", rates=(0.3, -0.4, 0.5))
    s.add("hand", ROD, kf.Revolute("y"), parent="arm", at="tip", rates=1.0)
    return s


def feed_twice(state, change):
    change.add("spool", SMALL, kf.Revolute("x"), parent="hub", at="tip", rates=5.0, out_of_parent=True)
    out = kf.Rigid(0.1, inertia=(1e-3, 1e-3, 1e-3))
    change.add("wire", out, kf.Spherical(), parent="spool", at="tip", rates=(1, 2, 3), out_of_parent=True)


def catch_and_feed(state, change):
    change.add("net", SMALL, kf.Revolute("x"), parent="hub", at="tip", velocity=(1, 2, 3))
    out = kf.Rigid(0.1, inertia=(1e-3, 1e-3, 1e-3))
    change.add("wire", out, kf.Spherical(), parent="net", at="tip", rates=(1, 2, 3), out_of_parent=True)


def rearrange_and_take_up(state, change):
    change.replace("hand", kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1)), keeps="momentum")
    change.remove("hand", into_parent=True)


@pytest.mark.parametrize(
    ("action", "mass", "momentum"),
    [(feed_twice, 0.0, (0, 0, 0)), (catch_and_feed, 0.3, (0.3, 0.6, 0.9)), (rearrange_and_take_up, 1.0, (0, 0, 0))],
)
def test_what_comes_from_outside_is_what_was_asked_for(action, mass, momentum):
    """Mass that comes out of a body that came itself, or is taken up after it was rearranged, brings no momentum."""
    run = floating().simulate(0.5, events=[at(0.3, action)], **TIGHT)
    jump = run.impacts[0]
    before, after = np.array(jump.linear_momentum)
    assert np.allclose(after - before, momentum, atol=1e-12)
    assert np.allclose(jump.exchange.linear_momentum, momentum, atol=1e-12)
    assert math.isclose(jump.exchange.mass, mass, abs_tol=1e-12)
    if not any(momentum):
        assert np.allclose(*jump.angular_momentum, atol=1e-12)
    assert run.audit.ok


def test_body_does_not_vanish_into_one_that_it_was_just_attached_to():
    def both(state, change):
        change.attach("hand", "hub")
        change.remove("hand", into_parent=True)

    with pytest.raises(kf.ModelError, match=r'"hand" vanishes into its parent.*later'):
        floating().simulate(0.5, events=[at(0.3, both)])
