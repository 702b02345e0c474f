"""What a run adds to a system by itself takes no name from the user."""

import numpy as np
import pytest

import kaneflex as kf


def test_a_frame_called_like_the_place_where_a_contact_holds_stays():
    s = kf.System("table", gravity=(0, 0, -9.81))
    table = kf.Rigid(1.0, inertia=(1, 1, 1), frames={"held_foot": (0.3, 0.2, 0.1)})
    s.add("table", table, kf.Prismatic("x", motion=kf.profiles.constant_rate(0.5)))
    s.add("ball", kf.PointMass(1.0), kf.Translational(), q=(0, 0, 0.02), rates=(0.5, 0, 0))
    s.contact("foot", kf.Contact("ball", "table", friction=1.0, after="stick"))
    run = s.simulate(0.2)
    assert len(run.impacts) == 1
    offset = run["table.held_foot.position"] - run["table.position"]
    assert offset == pytest.approx(np.tile([0.3, 0.2, 0.1], (len(run.t), 1)))
    assert run["ball.position"][-1] == pytest.approx([0.1, 0, 0], abs=1e-9)


def test_a_constraint_and_a_frame_called_like_those_of_docking_stay():
    """Two bodies are docked while a constraint of the name that docking might use holds one of them to a plane."""
    s = kf.System("dock")
    frames = {"attached_b": (0.0, 0.5, 0.0), "side": (0.0, 0.0, 0.2)}
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1), frames=frames), kf.Free())
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free(), q=(1, 0, 0, 1, 0, 0, 0), rates=(-0.5, 0, 0.3, 0, 0, 0))
    s.constrain("attach_b", kf.PointOnPlane("a", "N"))
    docking = kf.Event(lambda t: t - 0.1, action=lambda state, change: change.attach("b", "a"))
    run = s.simulate(0.3, events=[docking])
    place = run["a.attached_b.position"] - run["a.position"]
    assert np.einsum("nji,nj->ni", run["a.rotation"], place) == pytest.approx(np.tile([0, 0.5, 0], (len(run.t), 1)))
    assert np.abs(run["a.position"][:, 2]).max() < 1e-9 and run.audit.ok
