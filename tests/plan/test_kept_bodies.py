"""What plans make of a modal body is kept for the plans to come: these have the same bits as those that make it anew."""

import gc
import weakref

import numpy as np

import kaneflex as kf
from kaneflex.kernels.layout import HEADER
from kaneflex.plan import modal_tables
from kaneflex.plan.build import build


def panel():
    """A beam whose modes are found anew."""
    beam = kf.structures.Beam(8.0, 1.5e9, (1.5e9, 1500.0), 1.0, 6, GJ=1.5e9, rotary=0.0, polar=1e-3)
    return kf.Flexible(beam, root="root", modes={"bending y": 2}, damping=0.005, carries=())


def craft(flexible, turn, place, speeds):
    """On a hinge that is turned and out of place, with a tip body; its plan."""
    s = kf.System("craft")
    s.add("hub", kf.Rigid(50.0, inertia=(40.0, 40.0, 40.0)), kf.Revolute("z"))
    s.add("arm", flexible, kf.Revolute("z"), parent="hub", hinge=kf.Frame(place, (("x", turn),)))
    s.add("tip", kf.Rigid(0.1, inertia=(0.01, 0.01, 0.01)), kf.Fixed(), parent="arm", at="tip")
    return build(s, "recursive", speeds)


def test_plans_of_one_body_in_many_places_are_those_of_bodies_of_their_own(monkeypatch):
    shared = panel()
    turns = (0, 3, 1, 5, 2, 4)
    ways = [(0.1 * (k % 2), (0, 0, 0.02 * k), speeds) for k in turns for speeds in ("customary", "constant-mass")]
    first = [craft(shared, *way) for way in ways]
    again = [craft(shared, *way) for way in (*ways, ways[-1])]
    monkeypatch.setattr(modal_tables, "SMALL", -1)
    for way, a, b in zip(ways, first, again, strict=False):
        anew = craft(shared, *way)
        for plan in (a, b):
            assert np.array_equal(plan.P, anew.P)
            assert np.array_equal(plan.I[HEADER:], anew.I[HEADER:])  # addresses of compiled code are in the header


def test_a_body_that_nobody_has_is_not_kept():
    plan = craft(panel(), 0.1, (0, 0, 0), "customary")
    modal = weakref.ref(plan.model.parts["arm"].body.modal)
    assert modal() in modal_tables._seen
    del plan
    gc.collect()
    assert modal() is None
