"""What becomes of all that names a body which is removed during a run, and what a change refuses."""

import math
from functools import cache

import numpy as np
import pytest

import kaneflex as kf

G = 9.81
LINK = kf.Rigid(0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4), frames={"tip": (0.1, 0, 0)})


@cache
def passing(time):
    return lambda t: t - time


def at(time, action) -> kf.Event:
    return kf.Event(passing(time), direction=1, action=action, name="change")


def busy() -> kf.System:
    s = kf.System("busy")
    body = kf.Rigid(30.0, com=(0.02, 0.01, -0.03), inertia=(3.0, 4.0, 5.0), frames={"tip": (0.4, 0.1, 0)})
    s.add("hub", body, kf.Free(), rates=(0.1, 0.2, -0.1, 0.2, -0.1, 0.3))
    for name, parent in (("arm", "hub"), ("hand", "arm")):
        s.add(name, LINK, kf.Revolute("z"), parent=parent, at="tip", rates=0.2)
    s.add("other", LINK, kf.Revolute("z"), parent="hub", at=(0, 0.4, 0), rates=0.2)
    return s


def test_all_that_acts_on_a_removed_body_goes_and_is_listed():
    s = busy()
    s.apply("spring", kf.SpringDamper("hand.tip", "other.tip", stiffness=1.0, length=0.1))
    s.apply("stays", kf.JointSpring("other", stiffness=1.0))
    s.apply("motor", kf.JointForce("hand", 0.1))
    s.apply("sun", kf.CentralGravity(1e-3, (5, 5, 5), bodies=("hand", "other")))
    s.constrain("gear", kf.Gear("arm", "hand", 1.0))
    s.add_rotor("wheel", "hand", kf.Rotor("x", 1e-6, rate=100.0))
    s.add_input("push", kf.Force("hand", (1, 0, 0)))
    s.show("hand")
    s.group("ends", ["hand", "other"])
    s.group("palm", ["hand"])
    run = s.simulate(0.3, events=[at(0.1, lambda s, c: c.remove("hand"))], inputs={"push": 0.01})
    (jump,) = run.impacts
    assert set(jump.exchange.removed) == {"hand", "wheel", "spring", "motor", "gear", "push", "palm"}
    assert dict(run.model.groups) == {"ends": ("other",)}
    assert list(run.model.loads) == ["stays", "sun"] and run.model.loads["sun"].bodies == ("other",)
    assert not (run.model.constraints or run.model.rotors or run.model.inputs or run.model.shapes)
    assert np.isnan(run["push"][-1]) and run["push"][0] == 0.01 and np.isnan(run["wheel.rate"][-1])
    assert run.audit.ok
    gained = np.subtract(jump.linear_momentum[1], jump.linear_momentum[0])
    assert gained == pytest.approx(jump.exchange.linear_momentum, abs=1e-14)
    on = run.extend(0.1)
    assert on.status == "done" and "hand" not in on.model.parts


def test_contact_goes_with_its_body_and_may_come_with_one():
    s = kf.System("drop", gravity=(0, 0, -G))
    s.add("floor", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("x"))
    s.add("ball", kf.PointMass(1.0), kf.Translational(), q=(0, 0, 0.1))
    s.contact("touch", kf.Contact("ball", on="floor", restitution=0.5, after="bounce"))

    def swap(state, change):
        change.remove("ball")
        change.add("drop", kf.PointMass(1.0), kf.Translational(), q=(0, 0, 0.2))
        change.contact("land", kf.Contact("drop", on="N"))

    run = s.simulate(1.0, events=[at(0.2, swap)])
    (jump,) = (i for i in run.impacts if i.exchange is not None)
    assert jump.exchange.removed == ("ball", "touch") and jump.exchange.added == ("drop", "land")
    assert run.events[0][1] == "touch" and run.events[-1][1] == "land"
    assert run.events[-1][0] == pytest.approx(0.2 + math.sqrt(2 * 0.2 / G), abs=1e-9)
    assert abs(run["drop.position"][-1, 2]) < 1e-12


@pytest.mark.parametrize(
    "with_, message",
    [
        ({"events": lambda: [kf.Event(lambda t, x: x[0] - 99, ["hand.q"], name="far")]}, 'event "far" sees "hand.q"'),
        (
            {"controllers": lambda: [kf.Sampled(0.1, lambda t, x: 0.0, ["hand.rate"], ["push"])]},
            'controller 1 sees "hand.rate"',
        ),
        ({"inputs": lambda: {"push": (lambda t, x: x[0], ["hand.q"])}}, 'input "push" sees "hand.q"'),
        ({"inputs": lambda: {"pull": lambda t: t}}, 'input "pull" goes with'),
        ({"controllers": lambda: [kf.Sampled(0.1, lambda t, x: 0.0, ["arm.rate"], ["pull"])]}, "controller 1 drives it"),
    ],
    ids=["event", "controller", "input", "driven", "drives"],
)
def test_what_sees_or_drives_a_removed_body_is_named(with_, message):
    s = busy()
    s.add_input("push", kf.Force("hub", (1, 0, 0)))
    s.add_input("pull", kf.Force("hand", (1, 0, 0)))
    arguments = {key: make() for key, make in with_.items()}
    arguments["events"] = [*arguments.get("events", ()), at(0.1, lambda s, c: c.remove("hand"))]
    with pytest.raises(kf.ModelError, match=message):
        s.simulate(0.3, **arguments)


def test_blocks_and_loads_that_see_a_removed_body_are_named():
    s = busy()
    s.apply("servo", kf.JointForce("arm", lambda t, x: -x[0], sees=["hand.q"]))
    with pytest.raises(kf.ModelError, match=r'load "servo" sees "hand\.q"'):
        s.simulate(0.3, events=[at(0.1, lambda s, c: c.remove("hand"))])
    s = busy()
    s.add_input("push", kf.Force("hub", (1, 0, 0)))
    s.add_block("pid", kf.blocks.PID(1.0, sees="hand.q", drives="push"))
    with pytest.raises(kf.ModelError, match=r'block "pid" sees "hand\.q"'):
        s.simulate(0.3, events=[at(0.1, lambda s, c: c.remove("hand"))])
    run = s.simulate(0.3, events=[at(0.1, lambda s, c: (c.remove("pid"), c.remove("hand")))])
    assert run.status == "done" and not run.model.blocks and run.audit.ok


REFUSED = {
    "no parent": (lambda c: c.add("new", LINK, kf.Revolute("z"), parent="nobody"), '"nobody"'),
    "name twice": (lambda c: c.add("arm", LINK, kf.Revolute("z"), parent="hub"), '"arm" already'),
    "no body": (lambda c: c.add("new", "rod", kf.Revolute("z"), parent="hub"), "give a Rigid"),
    "rates and velocity": (lambda c: c.add("new", LINK, parent="hub", rates=(), velocity=(0, 0, 0)), "one of them"),
    "omega alone": (lambda c: c.add("new", LINK, parent="hub", omega=(0, 0, 0)), "without velocity="),
    "too heavy": (lambda c: c.add("new", kf.PointMass(9e9), parent="hub", out_of_parent=True), "it must have more"),
    "out of the ground": (lambda c: c.add("new", LINK, kf.Free(), out_of_parent=True), "name a body with mass"),
    "children": (lambda c: c.remove("arm"), 'hand hang on "arm"'),
    "children of what is taken up": (lambda c: c.remove("arm", "remove", into_parent=True), 'hand hang on "arm"'),
    "into the ground": (lambda c: c.remove("hub", "remove"), "no bodies"),
    "unknown": (lambda c: c.remove("leg"), '"leg"'),
    "an input": (lambda c: c.remove("push"), "goes with the body"),
    "unknown children": (lambda c: c.remove("arm", children="keep"), '"keep"'),
    "gone and back": (lambda c: (c.remove("hand"), c.add("hand", LINK, parent="hub")), "in this very action"),
    "back and gone": (lambda c: (c.add("new", LINK, parent="hub"), c.remove("new")), "in this very action"),
    "attach what is new": (lambda c: (c.add("new", LINK, parent="hub"), c.attach("new", "arm")), "in this very action"),
    "replaced after it gave": (
        lambda c: (c.add("new", LINK, parent="hub", out_of_parent=True), c.replace("hub", kf.Rigid(9.0))),
        "keeps its momentum in this action",
    ),
    "takes and gives": (
        lambda c: (c.remove("hand", into_parent=True), c.add("new", kf.PointMass(0.01), parent="arm", out_of_parent=True)),
        "let this come first",
    ),
    "replace nothing": (lambda c: c.replace("leg", LINK), '"leg"'),
    "replace by nothing": (lambda c: c.replace("arm", None), "give a body"),
    "keeps what": (lambda c: c.replace("arm", LINK, keeps="energy"), '"energy"'),
    "load on nobody": (lambda c: c.apply("new", kf.Force("leg", (1, 0, 0))), '"leg"'),
    "contact of nobody": (lambda c: c.contact("new", kf.Contact("leg")), '"leg"'),
    "rotor on nobody": (lambda c: c.add_rotor("new", "leg", kf.Rotor("x", 1.0)), '"leg"'),
    "motion from elsewhere": (
        lambda c: c.add("new", LINK, kf.Revolute("z", motion=kf.profiles.hold(1.0)), parent="hub"),
        "let it begin where the joint is",
    ),
    "parent that goes": (lambda c: (c.remove("hand"), c.add("new", LINK, parent="hand")), '"hand"'),
}


@pytest.mark.parametrize("case", REFUSED)
def test_misuse_is_refused_with_a_word_what_to_do(case):
    action, message = REFUSED[case]
    s = busy()
    s.add_input("push", kf.Force("hub", (1, 0, 0)))
    with pytest.raises(kf.ModelError, match=message):
        s.simulate(0.2, events=[at(0.1, lambda state, change: action(change))])


def test_what_is_done_to_a_body_before_it_is_removed_does_not_matter():
    """It lets go first in any case."""

    def plain(state, change):
        change.remove("hand")

    def fussy(state, change):
        change.replace("hand", kf.Rigid(5.0, inertia=(1, 1, 1)), keeps="momentum")
        change.detach("hand")
        change.attach("hand", "other")
        change.remove("hand")

    runs = [busy().simulate(0.3, events=[at(0.1, action)]) for action in (plain, fussy)]
    assert runs[1]["arm.q"] == pytest.approx(runs[0]["arm.q"], abs=1e-12)
    a, b = (run.impacts[0] for run in runs)
    assert a.energy == pytest.approx(b.energy, abs=1e-13) and b.exchange.removed == ("hand",)


def test_moving_base_stays():
    s = kf.System("lift", base=kf.MovingBase(acceleration=(0, 0, 1.0)))
    s.add("arm", LINK, kf.Revolute("z"), rates=1.0)
    for action in (lambda s, c: c.remove("base", "remove"), lambda s, c: c.replace("base", LINK)):
        with pytest.raises(kf.ModelError, match="moving base"):
            s.simulate(0.2, events=[at(0.1, action)])
    run = s.simulate(0.2, events=[at(0.1, lambda s, c: c.add("more", LINK, kf.Revolute("y"), parent="arm", at="tip"))])
    assert run.audit.ok and run.impacts[0].exchange.mass == pytest.approx(0.1)
